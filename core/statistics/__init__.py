"""Intervals, spreads, differences and agreement of results. Importing this imports numpy."""

from .agreement import icc_agreement, mean_disagreement, rank_agreement
from .bootstrap import (
    Interval,
    cluster_bootstrap,
    cluster_index,
    cluster_sums,
    iteration_spread,
    mean_interval,
    standard_error,
)
from .differences import PairedDifference, holm, paired_difference, sign_turning_p
from .estimates import Estimate
from .ordering import OrderAgreement, order_agreement

__all__ = [
    "Estimate",
    "Interval",
    "OrderAgreement",
    "PairedDifference",
    "cluster_bootstrap",
    "cluster_index",
    "cluster_sums",
    "holm",
    "icc_agreement",
    "iteration_spread",
    "mean_disagreement",
    "mean_interval",
    "order_agreement",
    "paired_difference",
    "rank_agreement",
    "sign_turning_p",
    "standard_error",
]
