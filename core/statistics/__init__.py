"""Intervals, spreads, correlations, agreement. All but `few_families` import numpy."""
