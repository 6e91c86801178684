"""Comparisons that are kept under another grader, read again where the judge was asked the same.

What a comparison says is made of the judge's reply, which is in the journal. Where today's request
finds it there, the comparison is read as it is read today and counts; the others stay what they
are: another grader's, and are asked for anew. Nothing is sent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..errors import BenchError, JournalError, MissingCall
from ..guard import guard
from ..journal import CallKey, RunRecord, StoredComparison
from ..sample.model import ConnectedParty, RecordedModel
from ..sample.progress import COMPARE
from ..settings.run_config import judge_sampling
from ..types import ChatRequest, ChatResponse
from .comparison_pool import ComparisonPool, with_score
from .contest import Contest
from .opponents import Gap, Opponent


async def reuse_comparisons(contest: Contest) -> None:
    """Bring comparisons into the pool of a contest, or into those of its panel's judges."""
    for pool in contest.pool.members or (contest.pool,):
        await _Reuse(contest, pool).bring()


@dataclass
class _Reuse:
    """Brings comparisons into a pool, where they were asked as they would be today."""

    contest: Contest
    pool: ComparisonPool
    _opponents: dict[str, Opponent] = field(default_factory=dict)

    async def bring(self) -> None:
        """Look at all comparisons of another grader."""
        journal = self.contest.journal
        by_run: dict[str, list[StoredComparison]] = {}
        for row in journal.comparisons_but(self.pool.digest, self.pool.grader):
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
        read = [await self._again(here, row) for row in answered]
        known = [row for row in rows if row.status == "known"] if all(read) else []
        for row in filter(None, (*read, *known)):
            self.contest.journal.add_comparison(run, row._replace(grader=self.pool.grader))

    async def _again(
        self, here: Mapping[str, RunRecord], row: StoredComparison
    ) -> StoredComparison | None:
        """A comparison as it is read today; ``None`` where its question would be another one.

        One with a run that is on another machine cannot be looked at.
        """
        runs = [here[run_id] for run_id in (row.run_a, row.run_b) if run_id in here]
        if len(runs) < 2:
            return None
        slot = (row.item_id, row.iteration)
        texts = [await self._opponent(run).text(slot) for run in runs]
        first, second = texts if row.first == "a" else texts[::-1]
        if isinstance(first, Gap) or isinstance(second, Gap):
            return None
        item, config = self.contest.items[row.item_id], self.contest.config
        try:
            score = await guard(config.benchmark).compare(
                item, first.value, second.value, self._judge(runs, row), config.options
            )
            return with_score(row, score)
        except JournalError:
            raise
        except BenchError:  # a reply is missing, or the plugin failed
            return None

    def _opponent(self, run: RunRecord) -> Opponent:
        return self._opponents.setdefault(run.run_id, Opponent(self.contest, run, frozenset()))

    def _judge(self, runs: Sequence[RunRecord], row: StoredComparison) -> RecordedModel:
        """Answers with what the judge said to either of the two runs."""
        journal = self.contest.journal
        (judge,) = row.judge.judges

        def find(key: CallKey) -> ChatResponse | None:
            replies = (journal.reply(run, row.item_id, row.iteration, key) for run in runs)
            return next(filter(None, replies), None)

        async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
            if (reply := find(key)) is None:
                raise MissingCall("the judge was not asked this")
            return reply

        sampling = judge_sampling(self.contest.config.benchmark, judge)
        party = ConnectedParty(COMPARE, judge, sampling)
        return RecordedModel(
            answer, party, row.item_id, row.iteration, holds=lambda key: find(key) is not None
        )
