"""Runs for others and from others: exporters, and what other programs wrote, imported."""
