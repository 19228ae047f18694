"""Strategies of the literature, to compare this crawler's own with."""
