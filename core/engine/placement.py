"""A run's placement as the matchmaker sees it: who, with whom, how far, and what was done."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UsageError
from ..journal import Journal, RunRecord, StoredComparison
from ..ratings.settings import RatingSettings
from ..types import digest
from .standing import BESIDE, DEFAULT, rate_with

if TYPE_CHECKING:
    from ..matchmaking.calls import Call
    from ..matchmaking.goals import Batch, Goal, Pool
    from ..matchmaking.matchmaker import Matchmaker
    from ..ratings.comparisons import Comparison, Comparisons
    from ..ratings.result import Ratings


class Wish(NamedTuple):
    """What the options say of a placement.

    Attributes:
        schedule: ``all``, ``staged``, ``adaptive``, or ``auto``: by the number of models.
        orders: ``both`` or ``one``.
        opponents: Names, as they were given; empty for all.
        target_ci: Half-width of the interval to stop at; 0 for none.
        max_comparisons: Most comparisons in all; 0 for no limit.
    """

    schedule: str
    orders: str
    opponents: str
    target_ci: float
    max_comparisons: int

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "Wish":
        """Of a benchmark's options; one that it does not have is as its default here.

        Raises:
            UsageError: A limit is below zero.
        """
        usual = cls("auto", "both", "", 0.0, 0)
        wish = cls(*(options.get(name, getattr(usual, name)) for name in cls._fields))
        if not (wish.target_ci >= 0 and isfinite(wish.target_ci)):
            raise UsageError(f"--target-ci {wish.target_ci:g}: give points above 0, or 0 for none")
        if wish.max_comparisons < 0:
            raise UsageError(
                f"--max-comparisons {wish.max_comparisons}: give a number above 0, or 0 for any"
            )
        return wish


def make_matchmaker(
    name: str,
    pool: "Pool",
    wish: Wish,
    ladder: "Iterable[Comparison]",
    settings: RatingSettings,
) -> "Matchmaker":
    """What plans the placement of a model.

    Args:
        name: The model.
        pool: All transcripts.
        wish: How it is to be placed.
        ladder: All comparisons that were read before.
        settings: Anchors.

    Raises:
        UsageError: There is nobody to compare with.
    """
    from ..matchmaking.matchmaker import Matchmaker, default_schedule
    from ..ratings.comparisons import Comparisons

    n_models = len(pool.opponents(name))
    schedule: Any = default_schedule(n_models) if wish.schedule == "auto" else wish.schedule
    return Matchmaker(_goal(name, pool, wish, settings), Comparisons.of(ladder), schedule)


def _goal(name: str, pool: "Pool", wish: Wish, settings: RatingSettings) -> "Goal":
    from ..matchmaking.goals import Goal

    engine = DEFAULT if wish.orders == "both" else BESIDE

    def rate(comparisons: "Comparisons", chosen: RatingSettings) -> "Ratings":
        return rate_with(engine, comparisons, chosen)

    return Goal(
        model=name,
        pool=pool,
        rate=rate,
        settings=settings,
        orders="both" if wish.orders == "both" else "one",
        target_ci=wish.target_ci or None,
        max_comparisons=wish.max_comparisons or None,
    )


def history_of(rows: Sequence[StoredComparison]) -> "list[Batch]":
    """The batches that a run's comparisons were planned in."""
    from ..matchmaking.goals import Batch

    ordered = sorted(
        rows, key=lambda row: (row.batch, row.b, row.item_id, row.iteration, row.first)
    )
    return [
        Batch(found[0].stage, found[0].rank, tuple(_call(row) for row in found))
        for _, group in groupby(ordered, key=lambda row: row.batch)
        for found in [list(group)]
    ]


def _call(row: StoredComparison) -> "Call":
    from ..matchmaking.calls import Call

    return Call(row.item_id, row.iteration, row.a, row.b, "a" if row.first == "a" else "b")


def placement_of(
    pool: str, options: Mapping[str, Any], samples: Collection[tuple[str, int]]
) -> str:
    """What a placement is of: one of the same is at the same end.

    Args:
        pool: Whose ratings it is for.
        options: The benchmark's own; they hold the wish.
        samples: Those of the model that are compared.
    """
    return digest([pool, list(Wish.of(options)), sorted(samples)])


def settled_by(journal: Journal, run: RunRecord, meant: str) -> dict[str, Any] | None:
    """Why the last command on a run ended its placement, if it meant the same."""
    document = journal.document(run) or {}
    stopped = document.get("notes", {}).get("rating", {}).get("stopped")
    return stopped if stopped and stopped.get("of") == meant else None


def seen_from(row: StoredComparison, own: str) -> tuple[str, str, int, str]:
    """Opponent, item, iteration and order of a comparison, as one of its models has them."""
    if row.a == own:
        return row.b, row.item_id, row.iteration, row.first
    return row.a, row.item_id, row.iteration, "b" if row.first == "a" else "a"
