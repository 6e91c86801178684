"""Which comparisons come next: a batch that is planned and not done, or a new one.

Comparisons that the opponents' own runs have made meanwhile are not made again.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ..journal import RunRecord, StoredComparison
from ..matchmaking.calls import Call
from ..matchmaking.goals import Batch, NoMoreCalls
from ..matchmaking.matchmaker import Matchmaker
from ..ratings.comparisons import Comparisons
from ..reports.evidence import Selection
from ..types.result_document import PlacementEnd
from .comparison_pool import as_comparisons, counting, current
from .contest import Contest
from .expectation import make_matchmaker, transcript_pool
from .opponents import UNFINISHED, Gap, Slot, Text, contestant, opponents_in
from .panel_rows import Question, question_of
from .placement import (
    Asked,
    call_of,
    history_of,
    is_made,
    placeable,
    placement_of,
    seen_from,
    settled_by,
    unmade_of,
)


@dataclass
class BatchPlanner:
    """What there is to compare of one run, and what was.

    `stopped` says why the placement is at its end, once it is; or why nothing can be compared.
    """

    contest: Contest
    run: RunRecord
    selection: Selection
    stopped: PlacementEnd | None = None

    def __post_init__(self) -> None:
        self._journal, self._pool = self.contest.journal, self.contest.pool
        self.panel = self.contest.asked_panel()
        placed = contestant(self.contest, self.run)
        self._placed = replace(placed, samples=placed.samples & self.selection.samples)
        self._opponents = {one.name: one for one in opponents_in(self.contest)}
        self._matchmaker: Matchmaker | None = None
        self._planned: dict[str, set[Question]] = {}

    async def next_batch(self) -> Sequence[StoredComparison]:
        """The comparisons to make next: those planned and not done, else a new plan; or none."""
        self._journal.writer.flush()
        pool, rows = self._met_rows(), self._own_rows()
        mine = [row for row in rows if self.is_here(row)]
        if waiting := self._waiting(mine, self._elsewhere(pool)) or self._lacking(pool):
            return waiting
        if not self._opponents:
            return []
        if settled := settled_by(self.contest, self.run, self._placed.samples):
            self.stopped = settled
            return []
        return await self._plan(pool, mine, max((row.batch for row in rows), default=0))

    def _own_rows(self) -> list[StoredComparison]:
        return self.contest.rows(self.run, by_quorum=True)

    def _met_rows(self) -> list[StoredComparison]:
        """All comparisons that count."""
        met = self.contest.met(by_quorum=True)
        runs = {c.name: c.run.run_id for c in (self._placed, *self._opponents.values())}
        return current(met.rows, {**met.runs, **runs})

    def _read(self, pool: Sequence[StoredComparison]) -> Comparisons:
        rows = placeable(pool, self._placed.name, self._opponents, self._placed.samples)
        return Comparisons.of(as_comparisons(rows))

    def is_here(self, row: StoredComparison) -> bool:
        """Whether a comparison is with the run of its opponent that counts."""
        other = self._opponents.get(row.b)
        return other is not None and other.run.run_id == row.run_b

    def _waiting(
        self, mine: Sequence[StoredComparison], elsewhere: Collection[Asked]
    ) -> list[StoredComparison]:
        """The planned comparisons; one that the opponent's run has made meanwhile is only noted."""
        planned = [row for row in mine if row.status == "planned"]
        calls = [call for batch in history_of(mine) for call in batch.calls]
        known = [row for row in planned if is_made(call_of(row), calls, elsewhere)]
        for row in known:
            self._journal.add_comparison(self.run, row._replace(status="known"))
        return [row for row in planned if row not in known]

    def _lacking(self, pool: Sequence[StoredComparison]) -> list[StoredComparison]:
        """The run's comparisons that a judge of the panel has not made, once in a command."""
        if self.panel is None:
            return []
        mine = (row for row in pool if row.run_a == self.run.run_id and self.is_here(row))
        return [row for row in mine if self.panel.is_lacking(row)]

    async def _plan(
        self, pool: Sequence[StoredComparison], mine: Sequence[StoredComparison], number: int
    ) -> list[StoredComparison]:
        """The next batch, journalled; a comparison that another run has is only noted.

        Batches of which nothing is left to ask are passed over. `number` is that of the run's last
        batch.
        """
        transcripts = await self._transcripts()
        if message := self._nothing_to_compare(transcripts):
            self.stopped = {"kind": "none", "told": message}
            return []
        if self._matchmaker is None:
            everyone = [self._placed, *self._opponents.values()]
            candidates = transcript_pool(self.contest, everyone, transcripts)
            self._matchmaker = make_matchmaker(self.contest, candidates, as_comparisons(pool))
        matchmaker = self._matchmaker
        history, elsewhere, known = history_of(mine), self._elsewhere(pool), self._read(pool)
        while True:
            batch = matchmaker.next_batch(known, history)
            if isinstance(batch, NoMoreCalls):
                self.stopped = {
                    **matchmaker.advise(batch, known, history).as_json(),
                    "of": placement_of(self.contest, self._placed.samples)[0],
                    "grader": self._pool.grader,
                }
                return []
            number += 1
            rows = [self._row(call, batch, number, elsewhere) for call in batch.calls]
            for row in rows:
                self._journal.add_comparison(self.run, row)
            self._journal.writer.flush()
            if planned := [row for row in rows if row.status == "planned"]:
                return planned
            history.append(batch)

    async def _transcripts(self) -> dict[str, frozenset[Slot]]:
        """By model, the samples of which it has a transcript that says enough."""
        everyone = (self._placed, *self._opponents.values())
        return {one.name: await one.comparable(self._placed.samples) for one in everyone}

    def _nothing_to_compare(self, transcripts: Mapping[str, frozenset[Slot]]) -> str | None:
        """Why not one pair of transcripts can be compared; ``None`` where one can."""
        model, slots = self._placed, transcripts[self._placed.name]
        if not slots:
            return f"{model.name}: {model.lacks(model.samples) or UNFINISHED.reason}"
        if any(transcripts[name] & slots for name in self._opponents):
            return None
        by_reason = dict[str | None, list[str]]()
        for name, other in self._opponents.items():
            by_reason.setdefault(other.lacks(slots), []).append(name)
        return "; ".join(f"{', '.join(names)}: {message}" for message, names in by_reason.items())

    def _elsewhere(self, pool: Sequence[StoredComparison]) -> set[Asked]:
        """The comparisons with this model that were made for its opponents' runs."""
        model = self._placed.name
        theirs = (row for row in pool if row.b == model and row.status in ("read", "unread"))
        return {seen_from(row, model) for row in theirs}

    def _row(
        self,
        call: Call,
        batch: Batch,
        number: int,
        elsewhere: Collection[Asked],
    ) -> StoredComparison:
        other, judge = self._opponents[call.b], self.contest.config.judge
        assert judge is not None
        is_known = is_made(call, batch.calls, elsewhere)
        return StoredComparison(
            pool=self._pool.digest,
            item_id=call.item,
            iteration=call.iteration,
            run_a=self.run.run_id,
            run_b=other.run.run_id,
            a=self._placed.name,
            b=other.name,
            first=call.first,
            batch=number,
            stage=batch.stage,
            rank=batch.rank,
            status="known" if is_known else "planned",
            judge=judge,
            family=self.contest.items[call.item].cluster,
            grader=self._pool.grader,
        )

    def run_out(self) -> None:
        """Note that the money has run out, with what more comparisons would do.

        The placement is not at its end: the same command goes on.
        """
        if self._matchmaker is None:
            return
        self._journal.writer.flush()
        answered = [
            row for row in self._own_rows() if self.is_here(row) and row.status != "planned"
        ]
        stop = NoMoreCalls("budget", "--max-cost is reached")
        read = self._read(self._met_rows())
        self.stopped = self._matchmaker.advise(stop, read, history_of(answered)).as_json()

    async def left(self) -> int:
        """The most comparisons that may still be made."""
        transcripts = await self._transcripts()
        slots_of_model = transcripts.pop(self._placed.name)
        alike = {name: slots & slots_of_model for name, slots in transcripts.items()}
        runs = {other.run.run_id for other in self._opponents.values()}
        met = self.contest.met(by_quorum=True)
        rows = counting(met, self.run)
        return unmade_of(self.contest.config, alike, runs, self.run, rows).most

    def planned_by_other(self, row: StoredComparison) -> RunRecord | None:
        """The opponent's run where it has planned the same comparison, else ``None``.

        It may have been answered for that run just before a kill.
        """
        other = self._opponents[row.b].run
        if other.run_id not in self._planned:
            rows = self.contest.rows(other)
            self._planned[other.run_id] = {question_of(r) for r in rows if r.status == "planned"}
        return other if question_of(row) in self._planned[other.run_id] else None

    async def texts(self, opponent: str, slot: Slot) -> tuple[Text | Gap, Text | Gap]:
        """The transcripts of a sample: the run's own and an opponent's, or why there is none."""
        return await self._placed.text(slot), await self._opponents[opponent].text(slot)

    def rows_of_members(self, row: StoredComparison) -> list[StoredComparison]:
        """A comparison of the panel as each of its judges that lacks it is to make it."""
        assert self.panel is not None
        pools = {member.judge: member for member in self._pool.members}
        return [
            row._replace(pool=pools[judge].digest, judge=judge, grader=pools[judge].grader)
            for judge in self.panel.take(row)
        ]

    def keep(self, done: StoredComparison) -> None:
        """Store a comparison that was made."""
        self._journal.add_comparison(self.run, done)
        if self.panel:
            self.panel.note(done)
