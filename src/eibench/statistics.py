"""Intervals and spreads for the metrics of benchmarks. Importing this imports numpy."""

from eibench.core.statistics import (
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
