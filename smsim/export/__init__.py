"""Exports: results as files for programs."""
