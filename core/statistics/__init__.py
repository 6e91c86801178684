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
from .correlation import pearson
from .psychometrics import (
    cronbach_alpha,
    lognormal_share_below,
    normal_share_below,
    p_of_zero_correlation,
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
