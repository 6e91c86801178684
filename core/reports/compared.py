"""What a result says of comparisons with other models, and when it is said again."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..endpoints.sites import host_in
from ..result_document import (
    ComparisonCounts,
    ConclusionRow,
    RatingNotes,
    RatingRow,
    ResultDocument,
    rating_notes,
)
from .protocols import judge_label, labelled

if TYPE_CHECKING:
    from ..settings.run_config import RunConfig


class ModelComparisons(NamedTuple):
    """The part of a result that comparisons with other models make.

    Attributes:
        counts: Of the comparisons that the ratings are made of.
        ratings: A row per model, the best first.
        conclusions: What the comparisons say of their judge.
        notes: How the ratings came about.
        warnings: One line each.
        unread: How many that this run has asked could not be read.
        to_do: Some of this run are left to make.
    """

    counts: ComparisonCounts
    ratings: Sequence[RatingRow]
    conclusions: Sequence[ConclusionRow]
    notes: RatingNotes
    warnings: Sequence[str] = ()
    unread: int = 0
    to_do: bool = False


def judge_of(config: "RunConfig") -> tuple[str | None, str | None]:
    """The judge's spec and host, as a result has them; of a panel its label."""
    if config.judge is None:
        return None, None
    if config.panel:
        return config.panel.label, None
    return str(config.judge.spec), host_in(config.judge.stored_label)


def kept_comparisons(
    config: "RunConfig", earlier: ResultDocument | None
) -> ModelComparisons | None:
    """What an earlier result said of comparisons by the same judge: grading does not change it."""
    notes = rating_notes(earlier) if earlier else None
    if earlier is None or notes is None or judge_label(earlier) != labelled(*judge_of(config)):
        return None
    conclusions = earlier.get("conclusions", ())
    return ModelComparisons(earlier["comparisons"], earlier["ratings"], conclusions, notes)
