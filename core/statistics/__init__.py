"""Intervals, spreads, correlations, agreement. Importing this imports numpy."""

from .agreement import (
    icc_agreement,
    mean_disagreement,
    rank_agreement,
)
from .bootstrap import (
    Interval,
    cluster_bootstrap,
    cluster_index,
    cluster_sums,
    iteration_spread,
    mean_interval,
    standard_error,
)
from .categories import (
    cohen_kappa,
    krippendorff_alpha,
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
from .differences import (
    PairedDifference,
    holm,
    paired_difference,
)
from .distribution import (
    Distribution,
    Spread,
    coefficient_of_variation,
    describe,
    min_max,
    spread,
)
from .estimates import (
    Estimate,
)
from .ordering import (
    OrderAgreement,
    order_agreement,
)
from .psychometrics import (
    cronbach_alpha,
    lognormal_share_below,
    normal_share_below,
    p_of_zero_correlation,
)
from .shares import (
    share_interval,
)
from .wild import (
    MeanTest,
    wild_bootstrap,
)

__all__ = [
    "Correlation",
    "Distribution",
    "Estimate",
    "Interval",
    "MeanTest",
    "OrderAgreement",
    "PairedDifference",
    "Pairs",
    "Spread",
    "cluster_bootstrap",
    "cluster_index",
    "cluster_sums",
    "coefficient_of_variation",
    "cohen_kappa",
    "complete_pairs",
    "cronbach_alpha",
    "describe",
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
    "rank_agreement",
    "share_interval",
    "spearman",
    "spread",
    "standard_error",
    "wild_bootstrap",
]
