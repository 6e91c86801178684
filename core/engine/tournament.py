"""Placing a model among others: comparisons planned in batches, bought, journalled, rated.

A batch is in the journal before its first call is sent, and the next is planned
only when every comparison of it is done. So a stop at any moment changes nothing:
the same command finds the batch as it was planned, and finishes it first.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..benchmark import Pack
from ..clients.keys import redact
from ..errors import BenchError, JournalError, MissingCall
from ..journal import Journal, RunRecord, StoredComparison
from ..matchmaking.calls import Call
from ..matchmaking.goals import Batch, Pool, Stop
from ..matchmaking.matchmaker import Matchmaker
from ..ratings.comparisons import Comparisons
from ..reports.evidence import Selection
from ..types import Item, PairScore
from .calls import SampleCalls
from .config import RunConfig
from .contestants import Contestant, Shelf, find_contestants
from .placement import Wish, history_of, make_matchmaker, placement_of, seen_from, settled_by
from .pools import as_comparisons, current, newest_runs, pool_of
from .samples import innermost, work_through
from .standing import settings_of
from .workshop import COMPARE, Sample, Workshop

_MARGINS = frozenset({*range(-5, 0), *range(1, 6)})


@dataclass
class Tournament:
    """The comparisons of one run with its opponents.

    Attributes:
        selection: The samples whose transcripts are compared.
        failed: Why comparisons of this command could not be made, one reason each.
        stopped: Why the placement is at its end, once it is.
    """

    config: RunConfig
    pack: Pack
    journal: Journal
    run: RunRecord
    selection: Selection
    failed: list[str] = field(default_factory=list)
    stopped: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        benchmark, options = self.config.benchmark, self.config.options
        self._items = {item.id: item for item in self.pack.items}
        self._pool = pool_of(self.config, self.pack)
        self._shelf = Shelf(benchmark, options)
        self._wish = Wish.of(options)
        own, opponents = find_contestants(self.journal, self.config, self.pack, self.run)
        self._own = replace(own, samples=own.samples & self.selection.samples)
        self._opponents = {contestant.name: contestant for contestant in opponents}
        self._matchmaker: Matchmaker | None = None

    async def next_batch(self) -> list[StoredComparison]:
        """The comparisons to make next: those planned and not done, else a new plan; or none."""
        self.journal.writer.flush()
        known = list(self.journal.comparisons(self._pool))
        own = [row for row in known if row.run_a == self.run.run_id]
        mine = [row for row in own if self._is_here(row)]
        runs = {c.name: c.run.run_id for c in (self._own, *self._opponents.values())}
        pool = current(known, {**newest_runs(self.journal, known, self.pack), **runs})
        if waiting := self._waiting(mine, self._elsewhere(pool)):
            return waiting
        if not self._opponents:
            return []
        if settled := settled_by(self.journal, self.run, self._meant):
            self.stopped = settled
            return []
        return await self._plan(pool, mine, max((row.batch for row in own), default=0))

    def _is_here(self, row: StoredComparison) -> bool:
        """Whether a comparison is with the run of its opponent that counts."""
        other = self._opponents.get(row.b)
        return other is not None and other.run.run_id == row.run_b

    def _waiting(
        self, mine: Sequence[StoredComparison], elsewhere: Collection[object]
    ) -> list[StoredComparison]:
        """The planned comparisons; one that the opponent's run has made meanwhile is only noted."""
        planned = [row for row in mine if row.status == "planned"]
        made = [row for row in planned if seen_from(row, self._own.name) in elsewhere]
        for row in made:
            self.journal.add_comparison(self.run, row._replace(status="known"))
        return [row for row in planned if row not in made]

    @property
    def _meant(self) -> str:
        return placement_of(self._pool, self.config.options, self._own.samples)

    async def _plan(
        self, pool: Sequence[StoredComparison], mine: Sequence[StoredComparison], number: int
    ) -> list[StoredComparison]:
        """The next batch, journalled; a comparison that another run has is only noted.

        Batches of which nothing is left to ask are passed over.

        Args:
            pool: All comparisons that count.
            mine: Those that this run has planned.
            number: Of its last batch, with whomever that was.
        """
        matchmaker = self._matchmaker or await self._make_matchmaker(pool)
        self._matchmaker = matchmaker
        history = history_of(mine)
        elsewhere = self._elsewhere(pool)
        read = Comparisons.of(as_comparisons(self._placeable(pool)))
        while True:
            batch = matchmaker.next_batch(read, history)
            if isinstance(batch, Stop):
                self.stopped = {**batch._asdict(), "of": self._meant}
                return []
            number += 1
            rows = [self._row(call, batch, number, elsewhere) for call in batch.calls]
            for row in rows:
                self.journal.add_comparison(self.run, row)
            self.journal.writer.flush()
            if planned := [row for row in rows if row.status == "planned"]:
                return planned
            history.append(batch)

    def _placeable(self, pool: Sequence[StoredComparison]) -> list[StoredComparison]:
        """The comparisons, without those of models or samples that are strange to this placement.

        There are such when other opponents, or another selection, were wanted before.
        """
        own = self._own.name
        ladder = [row for row in pool if own not in (row.a, row.b)]
        models = {own, *self._opponents, *(name for row in ladder for name in (row.a, row.b))}
        samples = self._own.samples | {(row.item_id, row.iteration) for row in ladder}
        mine = [row for row in pool if own in (row.a, row.b) and {row.a, row.b} <= models]
        return ladder + [row for row in mine if (row.item_id, row.iteration) in samples]

    async def _make_matchmaker(self, pool: Sequence[StoredComparison]) -> Matchmaker:
        everyone = (self._own, *self._opponents.values())
        transcripts = {c.name: await self._comparable(c) for c in everyone}
        families = {item.id: item.cluster for item in self.pack.items}
        settings = settings_of(self.config.benchmark, self.pack)
        ladder = as_comparisons(pool)
        return make_matchmaker(
            self._own.name, Pool(transcripts, families), self._wish, ladder, settings
        )

    async def _comparable(self, contestant: Contestant) -> frozenset[tuple[str, int]]:
        """The samples of which a contestant has a transcript that says enough."""
        samples = sorted(contestant.samples & self._own.samples)
        texts = {sample: await self._text(contestant, *sample) for sample in samples}
        return frozenset(sample for sample, text in texts.items() if text)

    def _elsewhere(self, pool: Sequence[StoredComparison]) -> set[tuple[str, str, int, str]]:
        """The comparisons with this model that were made for its opponents' runs."""
        own = self._own.name
        theirs = (row for row in pool if row.b == own and row.status in ("read", "unread"))
        found = {seen_from(row, own) for row in theirs}
        if self._wish.orders == "one":  # either order will do
            found |= {(*key[:3], "a" if key[3] == "b" else "b") for key in found}
        return found

    async def _text(self, contestant: Contestant, item_id: str, iteration: int) -> "object | None":
        return await contestant.text(self.journal, self._items[item_id], iteration, self._shelf)

    def _row(
        self,
        call: Call,
        batch: Batch,
        number: int,
        elsewhere: Collection[tuple[str, str, int, str]],
    ) -> StoredComparison:
        other = self._opponents[call.b]
        assert self.config.judge is not None
        is_known = (call.b, call.item, call.iteration, call.first) in elsewhere
        return StoredComparison(
            pool=self._pool,
            item_id=call.item,
            iteration=call.iteration,
            run_a=self.run.run_id,
            run_b=other.run.run_id,
            a=self._own.name,
            b=other.name,
            first=call.first,
            batch=number,
            stage=batch.stage,
            rank=batch.rank,
            status="known" if is_known else "planned",
            judge=self.config.judge.label,
            family=self._items[call.item].cluster,
        )

    async def play(self, shop: Workshop, rows: Sequence[StoredComparison]) -> None:
        """Make the comparisons of a batch.

        Raises:
            BenchError: What ended the run early, after calls in flight were saved.
        """
        assert shop.judge is not None
        own = replace(shop, judge=replace(shop.judge, phase=COMPARE))
        workers = min(len(rows), self.config.limits.concurrency)
        await work_through(own, iter(rows), workers, self._compare)

    async def _compare(self, shop: Workshop, row: StoredComparison) -> None:
        """Make one comparison and journal it; one that failed stays planned.

        Raises:
            BenchError: The run cannot go on.
        """
        item = self._items[row.item_id]
        calls = SampleCalls(shop, Sample(item, row.iteration))
        try:
            done = await self._ask(shop, row, item, calls)
            if calls.ended is None:
                self.journal.add_comparison(self.run, done)
                shop.progress.phases[COMPARE].advance()
        except JournalError:
            raise
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything; it is told
            self._note(innermost(error))
        if calls.ended is not None:
            raise calls.ended

    def _note(self, error: Exception) -> None:
        is_plain = isinstance(error, BenchError)
        self.failed.append(redact(f"{error}" if is_plain else f"{type(error).__name__}: {error}"))

    async def _ask(
        self, shop: Workshop, row: StoredComparison, item: Item, calls: SampleCalls
    ) -> StoredComparison:
        own = await self._own.text(self.journal, item, row.iteration, self._shelf)
        other = await self._opponents[row.b].text(self.journal, item, row.iteration, self._shelf)
        assert shop.judge is not None
        if own is None or other is None:
            gone = self._own.name if own is None else row.b
            raise MissingCall(f"the transcript of {gone} on item {item.id} is not there any more")
        first, second = (own, other) if row.first == "a" else (other, own)
        judge = calls.handle(shop.judge)
        score = await shop.benchmark.compare(item, first.value, second.value, judge, shop.options)
        return _done(row, score, own.digest, other.digest)


def _done(row: StoredComparison, score: PairScore, own: str, other: str) -> StoredComparison:
    """A planned comparison with what came of it, margins and lengths turned to a and b.

    Raises:
        TypeError, ValueError: It is no comparison: neither margins nor a reason, or no margin of
            1 to 5 either way.
    """
    if not isinstance(score, PairScore):
        raise TypeError(f"compare returned {type(score).__name__}, not a PairScore")
    if bool(score.margins) == bool(score.reason):
        both = "both margins and a reason" if score.reason else "neither margins nor a reason"
        raise ValueError(f"compare returned {both}")
    if wrong := [name for name, margin in score.margins.items() if margin not in _MARGINS]:
        raise ValueError(f"the margin of {wrong[0]!r} is none of 1 to 5, or -1 to -5")
    turned = 1 if row.first == "a" else -1
    lengths = (score.len_first, score.len_second)[::turned]
    return row._replace(
        status="unread" if score.reason else "read",
        margins={name: turned * int(margin) for name, margin in score.margins.items()},
        reason=score.reason,
        flags=score.flags,
        transcript_a=own,
        transcript_b=other,
        len_a=lengths[0],
        len_b=lengths[1],
    )
