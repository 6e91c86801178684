"""Intervals, spreads and correlations of benchmark results. Importing this imports numpy."""

from .bootstrap import (
    Interval,
    cluster_bootstrap,
    cluster_index,
    cluster_sums,
    iteration_spread,
    mean_interval,
    standard_error,
)
from .correlation import (
    Correlation,
    Pairs,
    complete_pairs,
    fisher_interval,
    leave_one_out,
    mean_ranks,
    pearson,
    spearman,
)
from .distribution import (
    Distribution,
    Spread,
    coefficient_of_variation,
    describe,
    min_max,
    spread,
)
from .psychometrics import (
    cronbach_alpha,
    lognormal_share_below,
    normal_share_below,
    p_of_zero_correlation,
)

__all__ = [
    "Correlation",
    "Distribution",
    "Interval",
    "Pairs",
    "Spread",
    "cluster_bootstrap",
    "cluster_index",
    "cluster_sums",
    "coefficient_of_variation",
    "complete_pairs",
    "cronbach_alpha",
    "describe",
    "fisher_interval",
    "iteration_spread",
    "leave_one_out",
    "lognormal_share_below",
    "mean_interval",
    "mean_ranks",
    "min_max",
    "normal_share_below",
    "p_of_zero_correlation",
    "pearson",
    "spearman",
    "spread",
    "standard_error",
]
