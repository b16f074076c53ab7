"""Measuring on a GPU, recorded measurements, and comparing with predictions."""
