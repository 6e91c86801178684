"""Placing a model among others: comparisons planned in batches, bought, journalled, rated.

A batch is in the journal before its first call is sent, and the next is planned
only when every comparison of it is done. So a stop at any moment changes nothing:
the same command finds the batch as it was planned, and finishes it first.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..benchmark import Pack
from ..clients.keys import redact
from ..errors import (
    BenchError,
    DataError,
    JournalError,
    JudgeError,
    MissingCall,
    PluginError,
    ProviderError,
    UsageError,
)
from ..journal import Journal, RunRecord, StoredComparison
from ..lookup.runs import Company
from ..matchmaking.calls import Call
from ..matchmaking.goals import Batch, NoMoreCalls
from ..matchmaking.matchmaker import Matchmaker
from ..ratings.comparisons import Comparisons
from ..reports.evidence import Selection
from ..result_document import PlacementEnd
from ..sample.context import RunContext, Sample
from ..sample.life import CallReplayer
from ..sample.progress import COMPARE
from ..sample.workers import run_workers
from ..settings.run_config import RunConfig
from ..types import Item
from .comparison_pool import (
    as_comparisons,
    bench_of,
    counting,
    current,
    pool_of,
    read_met,
    rows_of,
    turned,
)
from .expectation import field_of
from .opponents import UNFINISHED, Gap, Slot, Text, TranscriptCache, find_contestants
from .panel_rows import Question, question_of
from .placement import (
    Asked,
    call_of,
    history_of,
    is_made,
    left_of,
    make_matchmaker,
    placeable,
    placement_of,
    seen_from,
    settled_by,
    wanted_placement,
)


@dataclass
class RunComparisons:
    """The comparisons of one run with its opponents.

    Attributes:
        selection: The samples whose transcripts are compared.
        failed: Why comparisons of this command could not be made, one reason each.
        stopped: Why the placement is at its end, once it is; or why nothing can be compared.
    """

    config: RunConfig
    pack: Pack
    journal: Journal
    run: RunRecord
    selection: Selection
    failed: list[str] = field(default_factory=list)
    stopped: PlacementEnd | None = None

    def __post_init__(self) -> None:
        self._items = {item.id: item for item in self.pack.items}
        self._pool = pool_of(self.journal, self.config, self.pack)
        self._answered: set[tuple[str, Question]] = set()
        self._tried: set[Question] = set()
        if self._pool.panel:
            self._bench = bench_of(self.journal, self._pool.panel)
            self._answered = {
                (row.judge, question_of(row))
                for member in self._pool.members
                for row in rows_of(self.journal, member)
                if row.status in ("read", "unread")
            }
        self._company = Company.of(self.config)
        self._shelf = TranscriptCache.of(self.journal, self.config, self.pack)
        self._wanted = wanted_placement(self.config)
        own, opponents = find_contestants(self.journal, self.config, self.pack, self.run)
        self._own = replace(own, samples=own.samples & self.selection.samples)
        self._opponents = {contestant.name: contestant for contestant in opponents}
        self._matchmaker: Matchmaker | None = None

    async def next_batch(self) -> list[StoredComparison]:
        """The comparisons to make next: those planned and not done, else a new plan; or none.

        What is wrong with the opponents or with a rating engine is no end of the run: it is noted.
        """
        try:
            return await self._next_batch()
        except (UsageError, DataError, PluginError) as error:
            self.failed.append(redact(str(error)))
            return []

    def run_out(self) -> None:
        """Note that the money has run out, with what more comparisons would do.

        The placement is not at its end: the same command goes on.
        """
        if self._matchmaker is None:
            return
        self.journal.writer.flush()
        made = [row for row in self._own_rows() if self._is_here(row) and row.status != "planned"]
        stop = NoMoreCalls("budget", "--max-cost is reached")
        read = self._read(self._met_rows())
        self.stopped = self._matchmaker.advise(stop, read, history_of(made)).as_json()

    def _own_rows(self) -> list[StoredComparison]:
        return rows_of(self.journal, self._pool, self.run)

    def _met_rows(self) -> list[StoredComparison]:
        """All comparisons that count."""
        met = read_met(self.journal, self._pool, self.pack, self._company)
        runs = {c.name: c.run.run_id for c in (self._own, *self._opponents.values())}
        return current(met.rows, {**met.runs, **runs})

    def _read(self, pool: Sequence[StoredComparison]) -> Comparisons:
        there = placeable(pool, self._own.name, self._opponents, self._own.samples)
        return Comparisons.of(as_comparisons(there))

    async def _next_batch(self) -> list[StoredComparison]:
        self.journal.writer.flush()
        pool, own = self._met_rows(), self._own_rows()
        mine = [row for row in own if self._is_here(row)]
        if waiting := self._waiting(mine, self._elsewhere(pool)) or self._lacking(pool):
            return waiting
        if not self._opponents:
            return []
        if settled := settled_by(self.journal, self.run, self._meant, self._pool.grader):
            self.stopped = settled
            return []
        return await self._plan(pool, mine, max((row.batch for row in own), default=0))

    def _is_here(self, row: StoredComparison) -> bool:
        """Whether a comparison is with the run of its opponent that counts."""
        other = self._opponents.get(row.b)
        return other is not None and other.run.run_id == row.run_b

    def _waiting(
        self, mine: Sequence[StoredComparison], elsewhere: Collection[Asked]
    ) -> list[StoredComparison]:
        """The planned comparisons; one that the opponent's run has made meanwhile is only noted."""
        planned = [row for row in mine if row.status == "planned"]
        calls = [call for batch in history_of(mine) for call in batch.calls]
        made = [row for row in planned if is_made(call_of(row), calls, elsewhere)]
        for row in made:
            self.journal.add_comparison(self.run, row._replace(status="known"))
        return [row for row in planned if row not in made]

    def _lacking(self, pool: Sequence[StoredComparison]) -> list[StoredComparison]:
        """The run's comparisons that a judge of the panel has not made, once in a command."""
        return [
            row
            for row in pool
            if self._pool.panel
            and row.run_a == self.run.run_id
            and self._is_here(row)
            and (asked := question_of(row)) not in self._tried
            and any((judge, asked) not in self._answered for judge in self._bench.due(row))
        ]

    @property
    def _meant(self) -> list[str]:
        return placement_of(self._pool.digest, self.config, self._own.samples)

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
        transcripts = await self._transcripts()
        if message := self._nothing_to_compare(transcripts):
            self.stopped = {"kind": "none", "told": message}
            return []
        matchmaker = self._matchmaker or self._make_matchmaker(pool, transcripts)
        self._matchmaker = matchmaker
        history = history_of(mine)
        elsewhere = self._elsewhere(pool)
        read = self._read(pool)
        while True:
            batch = matchmaker.next_batch(read, history)
            if isinstance(batch, NoMoreCalls):
                self.stopped = {
                    **matchmaker.advise(batch, read, history).as_json(),
                    "of": self._meant[0],
                    "grader": self._pool.grader,
                }
                return []
            number += 1
            rows = [self._row(call, batch, number, elsewhere) for call in batch.calls]
            for row in rows:
                self.journal.add_comparison(self.run, row)
            self.journal.writer.flush()
            if planned := [row for row in rows if row.status == "planned"]:
                return planned
            history.append(batch)

    async def _transcripts(self) -> dict[str, frozenset[Slot]]:
        """By model, the samples of which it has a transcript that says enough."""
        everyone = (self._own, *self._opponents.values())
        return {c.name: await c.comparable(self._own.samples, self._shelf) for c in everyone}

    def _nothing_to_compare(self, transcripts: Mapping[str, frozenset[Slot]]) -> str | None:
        """Why not one pair of transcripts can be compared; ``None`` where one can."""
        own, slots = self._own, transcripts[self._own.name]
        if not slots:
            return f"{own.name}: {own.lacks(own.samples) or UNFINISHED.reason}"
        if any(transcripts[name] & slots for name in self._opponents):
            return None
        by_reason = dict[str | None, list[str]]()
        for name, other in self._opponents.items():
            by_reason.setdefault(other.lacks(slots), []).append(name)
        return "; ".join(f"{', '.join(names)}: {message}" for message, names in by_reason.items())

    def _make_matchmaker(
        self, pool: Sequence[StoredComparison], transcripts: Mapping[str, frozenset[Slot]]
    ) -> Matchmaker:
        field = field_of(
            self.journal,
            self.config,
            self.pack,
            own=self._own,
            opponents=self._opponents.values(),
            transcripts=transcripts,
            ladder=as_comparisons(pool),
        )
        return make_matchmaker(self._own.name, self._wanted, field)

    def _elsewhere(self, pool: Sequence[StoredComparison]) -> set[Asked]:
        """The comparisons with this model that were made for its opponents' runs."""
        own = self._own.name
        theirs = (row for row in pool if row.b == own and row.status in ("read", "unread"))
        return {seen_from(row, own) for row in theirs}

    def _row(
        self,
        call: Call,
        batch: Batch,
        number: int,
        elsewhere: Collection[Asked],
    ) -> StoredComparison:
        other = self._opponents[call.b]
        assert self.config.judge is not None
        is_known = is_made(call, batch.calls, elsewhere)
        return StoredComparison(
            pool=self._pool.digest,
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
            judge=self.config.judge.stored_label,
            family=self._items[call.item].cluster,
            grader=self._pool.grader,
        )

    async def left(self) -> int:
        """The most comparisons that may still be made."""
        transcripts = await self._transcripts()
        own = transcripts.pop(self._own.name)
        alike = {name: slots & own for name, slots in transcripts.items()}
        runs = {other.run.run_id for other in self._opponents.values()}
        met = read_met(self.journal, self._pool, self.pack, self._company)
        return left_of(self.config, alike, runs, self.run, counting(met, self.run))

    async def play(self, context: RunContext, rows: Sequence[StoredComparison]) -> None:
        """Make the comparisons of a batch.

        Raises:
            BenchError: What ended the run early, after calls in flight were saved.
        """
        own = comparing(context)
        workers = min(len(rows), self.config.limits.concurrency)
        await run_workers(own, iter(rows), workers, self._compare)

    async def _compare(self, context: RunContext, row: StoredComparison) -> None:
        """Make one comparison and journal it; one that failed stays planned.

        Raises:
            BenchError: The run cannot go on.
        """
        item = self._items[row.item_id]
        calls = CallReplayer(context, Sample(item, row.iteration))
        try:
            if self._pool.panel:
                await self._ask_panel(context, row, item, calls)
            else:
                await self._ask_and_keep(context, row, item, calls)
            if calls.ended is None:
                context.progress.phases[COMPARE].advance()
        except JournalError:
            raise
        except BenchError as error:
            self.failed.append(redact(str(error)))
        if calls.ended is not None:
            raise calls.ended

    async def _ask_panel(
        self, context: RunContext, row: StoredComparison, item: Item, calls: CallReplayer
    ) -> None:
        """Ask the judges of the panel whose turn it is, and who have not compared this yet.

        Raises:
            BenchError: One could not be asked, and too few of the others could be read.
        """
        asked = question_of(row)
        due = self._bench.due(row)
        lacking = [judge for judge in due if (judge, asked) not in self._answered]
        pools = {member.judge: member for member in self._pool.members}
        rows = {
            judge: row._replace(pool=pools[judge].digest, judge=judge, grader=pools[judge].grader)
            for judge in lacking
        }
        self._tried.add(asked)
        made = await asyncio.gather(
            *(self._try_to_ask(context.members[j], rows[j], item, calls) for j in lacking)
        )
        wrong = [error for error in made if error]
        assert self._pool.panel is not None
        if wrong and len(due) - len(wrong) < self._pool.panel.needed(len(due)):
            raise wrong[0]

    async def _try_to_ask(
        self, context: RunContext, row: StoredComparison, item: Item, calls: CallReplayer
    ) -> BenchError | None:
        """Why a judge of a panel could not be asked, which others may make up for."""
        try:
            await self._ask_and_keep(context, row, item, calls)
        except (ProviderError, JudgeError, MissingCall) as error:
            return error
        return None

    async def _ask_and_keep(
        self, context: RunContext, row: StoredComparison, item: Item, calls: CallReplayer
    ) -> None:
        done = await self._ask(context, row, item, calls)
        if calls.ended is None:
            self.journal.add_comparison(self.run, done)
            context.progress.unread += done.status == "unread"
            self._answered.add((done.judge, question_of(done)))

    async def _ask(
        self, context: RunContext, row: StoredComparison, item: Item, calls: CallReplayer
    ) -> StoredComparison:
        slot = (row.item_id, row.iteration)
        own = await self._own.text(slot, self._shelf)
        other = await self._opponents[row.b].text(slot, self._shelf)
        assert context.judge is not None
        for name, text in ((row.a, own), (row.b, other)):
            if isinstance(text, Gap):
                raise MissingCall(f"the transcript of {name} on item {item.id} is {text.reason}")
        assert isinstance(own, Text) and isinstance(other, Text)
        first, second = (own, other) if row.first == "a" else (other, own)
        judge = calls.handle(context.judge)
        score = await context.plugin.compare(
            item, first.value, second.value, judge, context.options
        )
        done = turned(row, score)
        return done._replace(transcript_a=own.digest, transcript_b=other.digest, grader=row.grader)


def comparing(context: RunContext) -> RunContext:
    """A context whose judges compare."""
    judge = context.judge and replace(context.judge, phase=COMPARE)
    members = {label: comparing(member) for label, member in context.members.items()}
    return replace(context, judge=judge, members=members)
