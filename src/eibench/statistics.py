"""Intervals and spreads for the metrics of benchmarks. Importing this imports numpy."""

from eibench.core.statistics import (
    Interval,
    cluster_bootstrap,
    cluster_index,
    cluster_sums,
    cronbach_alpha,
    iteration_spread,
    lognormal_share_below,
    mean_interval,
    normal_share_below,
    p_of_zero_correlation,
    pearson,
    standard_error,
)

__all__ = [
    "Interval",
    "cluster_bootstrap",
    "cluster_index",
    "cluster_sums",
    "cronbach_alpha",
    "iteration_spread",
    "lognormal_share_below",
    "mean_interval",
    "normal_share_below",
    "p_of_zero_correlation",
    "pearson",
    "standard_error",
]
