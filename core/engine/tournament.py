"""Placing a model among others: comparisons planned in batches, bought, journalled, rated.

A batch is in the journal before its first call is sent, and the next is planned
only when every comparison of it is done. So a stop at any moment changes nothing:
the same command finds the batch as it was planned, and finishes it first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..benchmark import Pack
from ..errors import JournalError, ProviderError
from ..journal import Journal, RunRecord, StoredComparison
from ..types import Item, PairScore
from .calls import SampleCalls
from .config import RunConfig
from .contestants import Contestant, Shelf, find_contestants
from .pools import current, pool_of
from .samples import innermost, work_through
from .schedules import Knowledge, Pairing, make_schedule
from .workshop import COMPARE, Sample, Workshop


@dataclass
class Tournament:
    """The comparisons of one run with its opponents.

    Attributes:
        failed: Why comparisons of this command could not be made, one reason each.
    """

    config: RunConfig
    pack: Pack
    journal: Journal
    run: RunRecord
    failed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._items = {item.id: item for item in self.pack.items}
        self._pool = pool_of(self.config, self.pack)
        self._shelf = Shelf(self.config.benchmark, self.config.options)
        self._own, opponents = find_contestants(self.journal, self.config, self.pack, self.run)
        self._opponents = {contestant.name: contestant for contestant in opponents}

    @property
    def opponents(self) -> Sequence[str]:
        """The names of those it can be compared with."""
        return list(self._opponents)

    async def next_batch(self) -> list[StoredComparison]:
        """The comparisons to make next: those planned and not done, else a new plan; or none."""
        self.journal.writer.flush()
        known = list(self.journal.comparisons(self._pool))
        mine = [row for row in known if row.run_a == self.run.run_id]
        waiting = [r for r in mine if r.status == "planned" and self._is_open(r)]
        if waiting or not self._opponents:
            return waiting
        batch = max((row.batch for row in mine), default=0) + 1
        rows = [self._row(pairing, batch) for pairing in await self._plan(known, batch)]
        for row in rows:
            self.journal.add_comparison(self.run, row)
        self.journal.writer.flush()
        return rows

    def _is_open(self, row: StoredComparison) -> bool:
        """Whether a planned comparison can still be made: its opponent's run is there."""
        other = self._opponents.get(row.b)
        return other is not None and other.run.run_id == row.run_b

    async def _plan(self, known: Sequence[StoredComparison], batch: int) -> list[Pairing]:
        runs = {c.name: c.run.run_id for c in (self._own, *self._opponents.values())}
        mine = [row for row in current(known, runs) if self._own.name in (row.a, row.b)]
        done = [row for row in mine if row.status != "planned"]
        everyone = current(known, {**runs, **self._runs_of(known, runs)})
        knowledge = Knowledge(
            own=self._own.name,
            common={name: await self._common(c) for name, c in self._opponents.items()},
            families={item.id: item.cluster for item in self.pack.items},
            done=done,
            everyone=[row for row in everyone if row.status == "read"],
            batch=batch,
        )
        return make_schedule(self.config.options, knowledge)

    @staticmethod
    def _runs_of(known: Sequence[StoredComparison], runs: dict[str, str]) -> dict[str, str]:
        """The runs of models that are no opponents, for what their comparisons tell of others."""
        return {
            name: run_id
            for row in known
            for name, run_id in ((row.a, row.run_a), (row.b, row.run_b))
            if name not in runs
        }

    async def _common(self, other: Contestant) -> list[tuple[str, int]]:
        """The samples that both have a comparable transcript of, in pack order."""
        places = {item_id: place for place, item_id in enumerate(self._items)}
        both = sorted(self._own.samples & other.samples, key=lambda s: (s[1], places.get(s[0], 0)))
        found = []
        for item_id, iteration in both:
            texts = [await self._text(c, item_id, iteration) for c in (self._own, other)]
            if all(texts):
                found.append((item_id, iteration))
        return found

    async def _text(self, contestant: Contestant, item_id: str, iteration: int) -> "object | None":
        return await contestant.text(self.journal, self._items[item_id], iteration, self._shelf)

    def _row(self, pairing: Pairing, batch: int) -> StoredComparison:
        other = self._opponents[pairing.opponent]
        assert self.config.judge is not None
        return StoredComparison(
            pool=self._pool,
            item_id=pairing.item_id,
            iteration=pairing.iteration,
            run_a=self.run.run_id,
            run_b=other.run.run_id,
            a=self._own.name,
            b=other.name,
            first=pairing.first,
            batch=batch,
            status="planned",
            judge=self.config.judge.label,
            family=self._items[pairing.item_id].cluster,
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
                shop.progress.compared += 1
        except JournalError:
            raise
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything; it is told
            self._note(innermost(error))
        if calls.ended is not None:
            raise calls.ended

    def _note(self, error: Exception) -> None:
        is_plain = isinstance(error, ProviderError)
        self.failed.append(str(error) if is_plain else f"{type(error).__name__}: {error}")

    async def _ask(
        self, shop: Workshop, row: StoredComparison, item: Item, calls: SampleCalls
    ) -> StoredComparison:
        own = await self._own.text(self.journal, item, row.iteration, self._shelf)
        other = await self._opponents[row.b].text(self.journal, item, row.iteration, self._shelf)
        assert own is not None and other is not None and shop.judge is not None
        first, second = (own, other) if row.first == "a" else (other, own)
        judge = calls.handle(shop.judge)
        score = await shop.benchmark.compare(item, first.value, second.value, judge, shop.options)
        return _done(row, score, own.digest, other.digest)


def _done(row: StoredComparison, score: PairScore, own: str, other: str) -> StoredComparison:
    """A planned comparison with what came of it, margins and lengths turned to a and b."""
    turned = 1 if row.first == "a" else -1
    lengths = (score.len_first, score.len_second)[::turned]
    return row._replace(
        status="unread" if score.reason else "read",
        margins={name: turned * margin for name, margin in score.margins.items()},
        reason=score.reason,
        flags=score.flags,
        transcript_a=own,
        transcript_b=other,
        len_a=lengths[0],
        len_b=lengths[1],
    )
