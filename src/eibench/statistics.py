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
    Numbers,
    Pairs,
    fisher_interval,
    is_constant,
    leave_one_out,
    mean_ranks,
    pearson,
    spearman,
    unit_deviations,
)
from eibench.core.statistics.differences import (
    holm,
    paired_difference,
)
from eibench.core.statistics.few_families import (
    FEWEST_FAMILIES,
    NO_SPREAD,
    few_families,
    why_no_interval,
)
from eibench.core.statistics.ordering import order_agreement
from eibench.core.statistics.settling import (
    MOST_TIMES,
    Settling,
    SpreadPlan,
    settling,
    smallest_difference,
    spread_plan,
)
from eibench.core.statistics.shares import share_interval, wilson
from eibench.core.statistics.steadiness import SteadinessRow
from eibench.core.statistics.student import cdf as student_cdf
from eibench.core.statistics.student import student_quantile

__all__ = [
    "FEWEST_FAMILIES",
    "MOST_TIMES",
    "NO_SPREAD",
    "Correlation",
    "Interval",
    "Numbers",
    "Pairs",
    "Settling",
    "SpreadPlan",
    "SteadinessRow",
    "cluster_bootstrap",
    "cluster_index",
    "cluster_sums",
    "cohen_kappa",
    "few_families",
    "fisher_interval",
    "holm",
    "icc_agreement",
    "is_constant",
    "iteration_spread",
    "krippendorff_alpha",
    "leave_one_out",
    "mean_disagreement",
    "mean_interval",
    "mean_ranks",
    "order_agreement",
    "paired_difference",
    "pearson",
    "rank_agreement",
    "settling",
    "share_interval",
    "smallest_difference",
    "spearman",
    "spread_plan",
    "standard_error",
    "student_cdf",
    "student_quantile",
    "unit_deviations",
    "why_no_interval",
    "wilson",
]
