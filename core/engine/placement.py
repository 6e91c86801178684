"""A run's placement as the matchmaker sees it: who, with whom, how far, and what was done."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UsageError
from ..journal import Journal, RunRecord, StoredComparison
from ..ratings.settings import RatingSettings
from ..types import digest
from .config import RunConfig
from .standing import DEFAULT, rate_with

if TYPE_CHECKING:
    from ..matchmaking.calls import Call
    from ..matchmaking.goals import Batch, Goal, Pool
    from ..matchmaking.matchmaker import Matchmaker
    from ..ratings.comparisons import Comparison, Comparisons
    from ..ratings.result import Ratings


_NAMED = 3


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

    def rate(comparisons: "Comparisons", chosen: RatingSettings) -> "Ratings":
        return rate_with(DEFAULT, comparisons, chosen)

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


def placement_of(pool: str, config: RunConfig, samples: Collection[tuple[str, int]]) -> str:
    """What a placement is of: one of the same is at the same end.

    Args:
        pool: Whose ratings it is for.
        config: Of the run; its options hold the wish.
        samples: Those of the model that are compared.
    """
    meant = [pool, list(Wish.of(config.options)), sorted(samples)]
    return digest([*meant, "mixed"] if config.mixed else meant)


def settled_by(journal: Journal, run: RunRecord, meant: str, grader: str) -> dict[str, Any] | None:
    """Why the last command on a run ended its placement, if it meant the same.

    Args:
        journal: Holds the run.
        run: The run.
        meant: What the placement is of.
        grader: Of the pool. Where the stored end names none, as it is older than that, all that
            the run has compared must be this one's.
    """
    for document in (journal.document(run), *journal.views(run).values()):
        stopped = (document or {}).get("notes", {}).get("rating", {}).get("stopped")
        if not stopped or stopped.get("of") != meant:
            continue
        own = stopped.get("grader")
        if own == grader or (own is None and not journal.left_over(run, grader)):
            return dict(stopped)
    return None


def left_of(
    config: RunConfig,
    alike: Mapping[str, frozenset[tuple[str, int]]],
    runs: Collection[str],
    run: RunRecord | None,
    rows: Sequence[StoredComparison],
) -> int:
    """The most comparisons that a run may still make.

    Args:
        config: What is asked for.
        alike: For each opponent, the samples that can be compared.
        runs: Ids of the opponents' runs.
        run: The run, if it was begun.
        rows: The comparisons that there are.
    """
    both = config.options.get("orders", "both") == "both"
    made = [row for row in rows if run and row.status in ("read", "unread")]
    seen = {seen_from(row, config.display_name) for row in made if run and _is_of(row, run, runs)}
    done = {key if both else key[:3] for key in seen}
    left = (1 + both) * sum(map(len, alike.values()))
    left -= sum((item_id, n) in alike.get(name, ()) for name, item_id, n, *_ in done)
    limit = int(config.options.get("max_comparisons") or 0)
    # No half of a pair of orders is bought.
    most = limit - limit % (1 + both) if limit else left + len(done)
    return int(max(0, min(left, most - len(done))))


def _is_of(row: StoredComparison, run: RunRecord, others: Collection[str]) -> bool:
    """Whether a comparison is between a run and one of others."""
    return (row.run_a == run.run_id and row.run_b in others) or (
        row.run_b == run.run_id and row.run_a in others
    )


_AT_THE_END = {
    "exhausted": "everything there is has been compared",
    "floor": "more comparisons of these transcripts would tell next to nothing",
}


def advised(stopped: Mapping[str, Any], rating: Mapping[str, Any] | None) -> dict[str, Any]:
    """Why a placement ended, with what to do now.

    Args:
        stopped: As the placement, or an earlier command, has left it.
        rating: The model's row as it stands now; ``None`` where it has none.
    """
    if stopped["kind"] not in _AT_THE_END:
        return dict(stopped)
    tied = rating["tied_with"] if rating else None
    todo = "run more iterations"
    if tied:
        more = f" and {len(tied) - _NAMED} more" if len(tied) > _NAMED else ""
        todo = f"more iterations may tell it apart from {', '.join(tied[:_NAMED])}{more}"
    elif tied is not None:
        todo = "its rank is clear, so there is nothing left to learn"
    return {**stopped, "told": f"{_AT_THE_END[stopped['kind']]}; {todo}"}


def seen_from(row: StoredComparison, own: str) -> tuple[str, str, int, str]:
    """Opponent, item, iteration and order of a comparison, as one of its models has them."""
    if row.a == own:
        return row.b, row.item_id, row.iteration, row.first
    return row.a, row.item_id, row.iteration, "b" if row.first == "a" else "a"
