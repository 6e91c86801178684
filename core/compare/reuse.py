"""Comparisons that are kept under another grader, read again where the judge was asked the same.

What a comparison says is made of the judge's reply, which is in the journal. Where today's request
finds it there, the comparison is read as it is read today and counts; the others stay what they
are: another grader's, and are asked for anew. Nothing is sent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..benchmark import Pack
from ..errors import BenchError, JournalError, MissingCall
from ..guard import guard
from ..journal import CallKey, Journal, RunRecord, StoredComparison
from ..sample.model import JournaledModel
from ..sample.progress import COMPARE
from ..settings.run_config import RunConfig
from ..types import ChatRequest, ChatResponse
from .comparison_pool import ComparisonPool, pool_of, turned
from .opponents import Gap, Opponent, TranscriptCache


async def bring_back(journal: Journal, config: RunConfig, pack: Pack) -> None:
    """Bring comparisons into the pool of a configuration, or into those of its panel."""
    pool, shelf = pool_of(journal, config, pack), TranscriptCache.of(journal, config, pack)
    for one in pool.members or (pool,):
        await Recomparing(shelf, one).bring()


@dataclass
class Recomparing:
    """Brings comparisons into a pool.

    Attributes:
        shelf: Makes transcripts again.
        pool: Where they belong, if they were asked as they would be today.
    """

    shelf: TranscriptCache
    pool: ComparisonPool
    _contestants: dict[str, Opponent | None] = field(default_factory=dict)

    async def bring(self) -> None:
        """Look at all comparisons of another grader."""
        journal = self.shelf.journal
        by_run: dict[str, list[StoredComparison]] = {}
        for part in self.pool.parts:
            for row in journal.comparisons_but(part, self.pool.grader):
                by_run.setdefault(row.run_a, []).append(row)
        if not by_run:
            return
        here = {run.run_id: run for run in journal.runs()}
        for run_id, rows in by_run.items():
            await self._bring(here, here[run_id], rows)
        journal.writer.flush()

    async def _bring(
        self, here: Mapping[str, RunRecord], run: RunRecord, rows: list[StoredComparison]
    ) -> None:
        """Read those that one run has asked for again; what others have asked goes with all."""
        answered = [row for row in rows if row.status != "known"]
        made = [await self._again(here, row) for row in answered]
        known = [row for row in rows if row.status == "known"] if all(made) else []
        for row in filter(None, (*made, *known)):
            done = row._replace(grader=self.pool.grader)
            self.shelf.journal.add_comparison(run, done)

    async def _again(
        self, here: Mapping[str, RunRecord], row: StoredComparison
    ) -> StoredComparison | None:
        """A comparison as it is read today; ``None`` where its question would be another one.

        One with a run that is on another machine cannot be looked at.
        """
        slot = (row.item_id, row.iteration)
        sides = [self._contestant(here, run_id) for run_id in (row.run_a, row.run_b)]
        if None in sides:
            return None
        texts = [await side.text(slot, self.shelf) for side in sides if side is not None]
        if any(isinstance(text, Gap) for text in texts):
            return None
        first, second = texts if row.first == "a" else texts[::-1]
        assert not isinstance(first, Gap) and not isinstance(second, Gap)
        shelf, item = self.shelf, self.shelf.items[row.item_id]
        judge = self._judge([here[i] for i in (row.run_a, row.run_b) if i in here], row)
        try:
            score = await guard(shelf.benchmark).compare(
                item, first.value, second.value, judge, shelf.options
            )
            return turned(row, score)
        except JournalError:
            raise
        except BenchError:  # a reply is missing, or the plugin failed
            return None

    def _contestant(self, here: Mapping[str, RunRecord], run_id: str) -> Opponent | None:
        if run_id not in self._contestants:
            run = here.get(run_id)
            made = Opponent(run.name, run, frozenset()) if run else None
            self._contestants[run_id] = made
        return self._contestants[run_id]

    def _judge(self, runs: Sequence[RunRecord], row: StoredComparison) -> JournaledModel:
        """Answers with what the judge said to either of the two runs."""
        journal = self.shelf.journal

        async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
            there = (journal.reply(run, row.item_id, row.iteration, key) for run in runs)
            if (reply := next(filter(None, there), None)) is None:
                raise MissingCall("the judge was not asked this")
            return reply

        return JournaledModel(
            answer,
            phase=COMPARE,
            asked=row.judge,
            item_id=row.item_id,
            sampling=self.shelf.benchmark.judge_sampling,
            iteration=row.iteration,
        )
