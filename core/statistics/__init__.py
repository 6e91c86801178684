"""Intervals and spreads of benchmark results. Importing this imports numpy."""

from .bootstrap import (
    Interval,
    cluster_bootstrap,
    cluster_index,
    cluster_sums,
    iteration_spread,
    mean_interval,
    standard_error,
)

__all__ = [
    "Interval",
    "cluster_bootstrap",
    "cluster_index",
    "cluster_sums",
    "iteration_spread",
    "mean_interval",
    "standard_error",
]
