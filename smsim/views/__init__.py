"""Views: results as tables for people. Pure functions that compute nothing the result does not hold."""
