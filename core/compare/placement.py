"""How far a run's placement is: what its options mean, what was compared and what is left."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import matchmaking
from ..benchmark import PlacementOptions
from ..journal import RunRecord, StoredComparison
from ..matchmaking.calls import MIXED_BLOCK, Call, default_orders, default_schedule
from ..settings.run_config import RunConfig
from ..text import listed
from ..types import digest
from ..types.result_document import PlacementEnd, RatingRow, rating_notes
from .contest import Contest
from .opponents import wanted_placement

if TYPE_CHECKING:
    from ..matchmaking.goals import Batch


_NAMED = 3


def resolved(options: PlacementOptions, n_opponents: int) -> PlacementOptions:
    """The options with the schedule and the orders that ``auto`` stands for.

    `n_opponents` are those with whom there is something to compare.
    """
    schedule: Any = options.schedule
    if schedule == "auto":
        schedule = default_schedule(n_opponents)
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
    """The comparisons that a model is placed by, of all that count.

    They are those without it, and of its own those on its samples, or on some that the others
    were compared on, with its opponents or with models among the others. It has further ones
    when other opponents, or another selection, were named before.
    """
    ladder = [row for row in rows if model not in (row.a, row.b)]
    models = {model, *opponents, *(name for row in ladder for name in (row.a, row.b))}
    slots = {*samples, *((row.item_id, row.iteration) for row in ladder)}
    mine = [row for row in rows if model in (row.a, row.b) and {row.a, row.b} <= models]
    return ladder + [row for row in mine if (row.item_id, row.iteration) in slots]


def placement_of(contest: Contest, samples: Collection[tuple[str, int]]) -> list[str]:
    """Digests of the pool, the options and the model's samples that a placement has to do with.

    The first is its own; a placement that ended under any of them need not be made again. Where
    the orders are left to the schedule, the second is that of all pairs in both orders, which has
    at least as many comparisons.
    """
    config = contest.config
    options = wanted_placement(config)
    alike = [options, options._replace(orders="both")] if options.orders == "auto" else [options]
    end = [f"without {name}" for name in sorted(config.without)]
    return [digest([contest.pool.digest, list(each), sorted(samples), *end]) for each in alike]


def settled_by(
    contest: Contest, run: RunRecord, samples: Collection[tuple[str, int]]
) -> PlacementEnd | None:
    """Why the last command on a run ended its placement.

    None where it did not, or had other samples of the model, other options or another grader.
    """
    digests, journal = placement_of(contest, samples), contest.journal
    document = journal.document(run)
    notes = rating_notes(document) if document else None
    stopped = notes.get("stopped") if notes else None
    if not stopped or stopped.get("of") not in digests:
        return None
    return stopped if stopped.get("grader") == contest.pool.grader else None


Pairing = tuple[str, str, int]
"""Opponent, item and iteration."""


class Unmade(NamedTuple):
    """The comparisons that a run has not made, as its options say.

    Attributes:
        orders: Of each pair of transcripts, in how many orders.
        more: Those in both orders where one is the rule, of whichever pairs.
        limit: The most that may be made; ``None`` for any number.
    """

    orders: Mapping[Pairing, int]
    more: int = 0
    limit: int | None = None

    @property
    def all(self) -> int:
        """Without the limit."""
        return sum(self.orders.values()) + self.more

    @property
    def most(self) -> int:
        """The most that may still be made."""
        return self.all if self.limit is None else min(self.all, self.limit)


def unmade_of(
    config: RunConfig,
    alike: Mapping[str, frozenset[tuple[str, int]]],
    runs: Collection[str],
    run: RunRecord | None,
    rows: Sequence[StoredComparison],
) -> Unmade:
    """The comparisons that a run has not made.

    Args:
        config: Its options say how it is placed; a limit of 0 means none.
        alike: By opponent, the samples that can be compared.
        runs: Ids of the opponents' runs.
        run: None before it is begun.
        rows: The comparisons that count, with this run's.
    """
    options = resolved(wanted_placement(config), sum(map(bool, alike.values())))
    answered = [row for row in rows if run and row.status in ("read", "unread")]
    seen = {
        seen_from(row, config.display_name) for row in answered if run and _is_of(row, run, runs)
    }
    both = options.orders == "both"
    done = Counter(key[:3] for key in seen)
    left = {
        pairing: (1 + both) - min(done[pairing], 1 + both)
        for name, slots in alike.items()
        for pairing in ((name, *slot) for slot in slots)
    }
    total, limit = sum(left.values()), None
    more = -(-total // MIXED_BLOCK) if options.orders == "mixed" else 0
    if most := options.max_comparisons:  # no half of a pair of orders is bought
        limit = max(0, most - most % (1 + both) - len(seen))
    return Unmade(left, more, limit)


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
    """Why a placement ended, with what to do now.

    `rating` is the model's row as it stands now, None where it has none. `tied_with` in it is
    empty where the model is tied with nobody, and None where it has no interval.
    """
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

    In `call`, `a` is the model that is placed; `planned` are all calls with it, and `elsewhere`
    what opponents' runs have made. Where one order is planned, either will do.
    """
    reverse = call._replace(first="b" if call.first == "a" else "a")
    enough = (call,) if reverse in planned else (call, reverse)
    return any((c.b, c.item, c.iteration, c.first) in elsewhere for c in enough)


def seen_from(row: StoredComparison, model: str) -> Asked:
    """Opponent, item, iteration and order of a comparison, as one of its models has them."""
    if row.a == model:
        return row.b, row.item_id, row.iteration, row.first
    return row.a, row.item_id, row.iteration, "b" if row.first == "a" else "a"
