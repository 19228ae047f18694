"""Extractors to compare this crawler's own with, their training, and the figures extractors are compared by."""
