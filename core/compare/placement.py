"""A run's placement as the matchmaker sees it: who, with whom, how far, and what was done."""

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from .. import matchmaking
from ..benchmark import PlacementOptions
from ..guard import guard
from ..journal import RunRecord, StoredComparison
from ..matchmaking.calls import MIXED_BLOCK, Call, default_orders, default_schedule
from ..settings.run_config import RunConfig
from ..text import listed
from ..types import digest
from ..types.result_document import PlacementEnd, RatingRow, rating_notes
from .contest import Contest

if TYPE_CHECKING:
    from ..matchmaking.goals import Batch

_NAMED = 3


def wanted_placement(config: RunConfig) -> PlacementOptions:
    """How a run's options want its model to be placed."""
    return guard(config.benchmark).placement(config.options)


def meant(options: PlacementOptions, n_models: int) -> PlacementOptions:
    """The same with the schedule and the orders that ``auto`` means against so many opponents."""
    schedule: Any = default_schedule(n_models) if options.schedule == "auto" else options.schedule
    orders = default_orders(schedule) if options.orders == "auto" else options.orders
    return options._replace(schedule=schedule, orders=orders)


def history_of(rows: Sequence[StoredComparison]) -> "list[Batch]":
    """The batches that a run's comparisons were planned in."""
    ordered = sorted(
        rows, key=lambda row: (row.batch, row.b, row.item_id, row.iteration, row.first)
    )
    return [
        matchmaking.goals.Batch(
            group_rows[0].stage, group_rows[0].rank, tuple(call_of(row) for row in group_rows)
        )
        for _, group in groupby(ordered, key=lambda row: row.batch)
        for group_rows in [list(group)]
    ]


def call_of(row: StoredComparison) -> Call:
    """The call that a comparison is, as it was planned."""
    return Call(row.item_id, row.iteration, row.a, row.b, "a" if row.first == "a" else "b")


def placeable(
    rows: Sequence[StoredComparison],
    model: str,
    opponents: Collection[str],
    samples: Collection[tuple[str, int]],
) -> list[StoredComparison]:
    """The comparisons, without those of models or samples that are strange to a placement.

    There are such when other opponents, or another selection, were wanted before.
    """
    ladder = [row for row in rows if model not in (row.a, row.b)]
    models = {model, *opponents, *(name for row in ladder for name in (row.a, row.b))}
    slots = {*samples, *((row.item_id, row.iteration) for row in ladder)}
    mine = [row for row in rows if model in (row.a, row.b) and {row.a, row.b} <= models]
    return ladder + [row for row in mine if (row.item_id, row.iteration) in slots]


def placement_of(contest: Contest, samples: Collection[tuple[str, int]]) -> list[str]:
    """What a placement of these samples is of: one of the same is at the same end.

    Digests, its own first. Where the orders are left to the schedule, what was placed with all
    pairs in both orders is at the same end too: there is more to it.
    """
    config = contest.config
    options = wanted_placement(config)
    alike = [options, options._replace(orders="both")] if options.orders == "auto" else [options]
    end = ["mixed"] if config.mixed else []
    end += [f"without {name}" for name in sorted(config.without)]
    return [digest([contest.pool.digest, list(each), sorted(samples), *end]) for each in alike]


def settled_by(
    contest: Contest, run: RunRecord, samples: Collection[tuple[str, int]]
) -> PlacementEnd | None:
    """Why the last command on a run ended its placement, if it meant the same samples."""
    meant, journal = placement_of(contest, samples), contest.journal
    for document in (journal.document(run), *journal.views(run).values()):
        notes = rating_notes(document) if document else None
        stopped = notes.get("stopped") if notes else None
        if stopped and stopped.get("of") in meant and stopped.get("grader") == contest.pool.grader:
            return stopped
    return None


def left_of(
    config: RunConfig,
    alike: Mapping[str, frozenset[tuple[str, int]]],
    runs: Collection[str],
    run: RunRecord | None,
    rows: Sequence[StoredComparison],
) -> int:
    """The most comparisons that a run, if begun, may still make with these opponents' runs."""
    options = meant(wanted_placement(config), sum(map(bool, alike.values())))
    answered = [row for row in rows if run and row.status in ("read", "unread")]
    seen = {
        seen_from(row, config.display_name) for row in answered if run and _is_of(row, run, runs)
    }
    both, limit = options.orders == "both", options.max_comparisons
    done = seen if both else {key[:3] for key in seen}
    left = (1 + both) * sum(map(len, alike.values()))
    left -= sum((item_id, n) in alike.get(name, ()) for name, item_id, n, *_ in done)
    if options.orders == "mixed":
        left += -(-left // MIXED_BLOCK)  # those in both orders
    # No half of a pair of orders is bought.
    most = limit - limit % (1 + both) if limit else left + len(seen)
    return int(max(0, min(left, most - len(seen))))


def _is_of(row: StoredComparison, run: RunRecord, others: Collection[str]) -> bool:
    """Whether a comparison is between a run and one of others."""
    return (row.run_a == run.run_id and row.run_b in others) or (
        row.run_b == run.run_id and row.run_a in others
    )


_AT_THE_END = {
    "exhausted": "everything there is has been compared",
    "floor": "more comparisons of these transcripts would tell little",
}


def advised(stopped: PlacementEnd, rating: RatingRow | None) -> PlacementEnd:
    """Why a placement ended, with what to do now that the model's row stands as it does."""
    if stopped["kind"] not in _AT_THE_END:
        return stopped
    tied = rating["tied_with"] if rating else None
    todo = "run more iterations"
    if tied:
        todo = f"more iterations may tell it apart from {listed(tied, _NAMED)}"
    elif tied is not None:
        todo = "its rank is clear, so there is nothing left to learn"
    parts = [_AT_THE_END[stopped["kind"]], todo, stopped.get("advice")]
    return {**stopped, "told": "; ".join(filter(None, parts))}


Asked = tuple[str, str, int, str]
"""Opponent, item, iteration and order."""


def is_made(call: "Call", planned: "Collection[Call]", elsewhere: Collection[Asked]) -> bool:
    """Whether a comparison need not be made, as the opponent's run has it.

    Where one order is asked for, either will do.
    """
    reverse = call._replace(first="b" if call.first == "a" else "a")
    enough = (call,) if reverse in planned else (call, reverse)
    return any((c.b, c.item, c.iteration, c.first) in elsewhere for c in enough)


def seen_from(row: StoredComparison, model: str) -> Asked:
    """Opponent, item, iteration and order of a comparison, as one of its models has them."""
    if row.a == model:
        return row.b, row.item_id, row.iteration, row.first
    return row.a, row.item_id, row.iteration, "b" if row.first == "a" else "a"
