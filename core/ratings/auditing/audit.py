"""What comparisons say of their judge, and what that stands on."""

from collections.abc import Sequence
from typing import NamedTuple

from ...types.result_document import ConclusionRow
from ..comparisons import Comparisons
from ..glicko2 import rate
from ..settings import RatingSettings
from .asking import NOT_KNOWN, Asking
from .conclusions import Rows, conclusions_of
from .orders import Orders, read_orders
from .terms import Terms, estimate_terms


class PackName(NamedTuple):
    """A pack, as documents of several runs name it."""

    name: str
    sha256: str


class AuditSource(NamedTuple):
    """Where comparisons come from: a file, or a benchmark's runs on a pack."""

    file: str | None = None
    benchmark: str | None = None
    dataset: PackName | None = None


NOWHERE = AuditSource()


class JudgeAudit(NamedTuple):
    """What comparisons say of their judge, and what that stands on.

    Attributes:
        source: Where the comparisons come from.
        demo: Whether a demo model is among them, or judged them.
        comparisons: At least one, without names that none of them has.
        conclusions: In words, each with a grade.
        orders: What the order of two transcripts does, where both were read.
        terms: What place and length are worth, by the likelihood.
        asking: What the judge's replies were like.
    """

    source: AuditSource
    demo: bool
    comparisons: Comparisons
    conclusions: Sequence[ConclusionRow]
    orders: Orders
    terms: Terms
    asking: Asking


def audit(
    comparisons: Comparisons,
    asking: Asking = NOT_KNOWN,
    ratings: Rows | None = None,
    *,
    source: AuditSource = NOWHERE,
    demo: bool = False,
) -> JudgeAudit:
    """The audit of a judge, of at least one comparison, read with `by_criterion`.

    `asking` is what is known of its replies beside those that were read; `ratings` are made of the
    comparisons, by the default engine unless given.
    """
    comparisons = comparisons.compact()
    orders, terms = read_orders(comparisons), estimate_terms(comparisons)
    rows = _rated(comparisons) if ratings is None else ratings
    conclusions = conclusions_of(orders, terms, asking.unread, rows, len(comparisons))
    return JudgeAudit(source, demo, comparisons, conclusions, orders, terms, asking)


def _rated(comparisons: Comparisons) -> Rows:
    return [row.as_json() for row in rate(comparisons, RatingSettings()).rows]
