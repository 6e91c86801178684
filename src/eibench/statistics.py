"""Intervals, spreads, correlations and agreement for metrics. Importing this imports numpy."""

from eibench.core.statistics.agreement import (
    icc_agreement,
    mean_disagreement,
    rank_agreement,
)
from eibench.core.statistics.bootstrap import (
    Interval,
    cluster_bootstrap,
    cluster_index,
    cluster_sums,
    iteration_spread,
    mean_interval,
    standard_error,
)
from eibench.core.statistics.categories import cohen_kappa, krippendorff_alpha
from eibench.core.statistics.correlation import (
    Correlation,
    Pairs,
    fisher_interval,
    leave_one_out,
    mean_ranks,
    pearson,
    spearman,
)
from eibench.core.statistics.differences import (
    holm,
    paired_difference,
)
from eibench.core.statistics.distribution import (
    Distribution,
    Spread,
    describe,
    min_max,
    spread,
)
from eibench.core.statistics.estimates import Estimate
from eibench.core.statistics.few_families import (
    FEWEST_FAMILIES,
    few_families,
    why_no_interval,
)
from eibench.core.statistics.ordering import order_agreement
from eibench.core.statistics.prediction_powered import (
    PredictionPowered,
    prediction_powered_mean,
)
from eibench.core.statistics.psychometrics import (
    cronbach_alpha,
    lognormal_share_below,
    normal_share_below,
    p_of_zero_correlation,
)
from eibench.core.statistics.settling import Settling, settling
from eibench.core.statistics.shares import share_interval
from eibench.core.statistics.steadiness import SteadinessRow
from eibench.core.statistics.student import cdf as student_cdf
from eibench.core.statistics.student import student_quantile

__all__ = [
    "FEWEST_FAMILIES",
    "Correlation",
    "Distribution",
    "Estimate",
    "Interval",
    "Pairs",
    "PredictionPowered",
    "Settling",
    "Spread",
    "SteadinessRow",
    "cluster_bootstrap",
    "cluster_index",
    "cluster_sums",
    "cohen_kappa",
    "cronbach_alpha",
    "describe",
    "few_families",
    "fisher_interval",
    "holm",
    "icc_agreement",
    "iteration_spread",
    "krippendorff_alpha",
    "leave_one_out",
    "lognormal_share_below",
    "mean_disagreement",
    "mean_interval",
    "mean_ranks",
    "min_max",
    "normal_share_below",
    "order_agreement",
    "p_of_zero_correlation",
    "paired_difference",
    "pearson",
    "prediction_powered_mean",
    "rank_agreement",
    "settling",
    "share_interval",
    "spearman",
    "spread",
    "standard_error",
    "student_cdf",
    "student_quantile",
    "why_no_interval",
]
