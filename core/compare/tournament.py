"""The life of a comparison, from top to bottom: planned, asked, journalled, read, stored.

A model is placed among others batch by batch (`batches`). A batch is in the journal before its
first call is sent, and the next one is planned only when every comparison of it is done. So a
stop at any moment changes nothing: the same command finds the batch as it was planned, and
finishes it first.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ..benchmark.model import JUDGE
from ..clients.keys import redact
from ..errors import (
    BenchError,
    BudgetReached,
    DataError,
    JournalError,
    JudgeError,
    MissingCall,
    PluginError,
    ProviderError,
    UsageError,
)
from ..journal import StoredComparison
from ..sample.context import RunContext, Sample
from ..sample.life import CallReplayer
from ..sample.progress import COMPARE, Progress
from ..sample.refusals import is_refusal, refused_pair
from ..sample.workers import run_workers
from ..types import Item
from ..types.result_document import PlacementEnd
from .batches import BatchPlanner
from .comparison_pool import with_score
from .opponents import Gap, Text


@dataclass
class RunComparisons:
    """The comparisons of one run with its opponents.

    `failed` has why comparisons of this command could not be made, one reason each; `lacking` why
    they lack a judge of the panel, while a quorum made them.
    """

    planner: BatchPlanner
    failed: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)

    @property
    def stopped(self) -> PlacementEnd | None:
        """Why the placement is at its end, once it is; or why nothing can be compared."""
        return self.planner.stopped

    async def play(self, make_context: Callable[[], RunContext], progress: Progress) -> None:
        """Make one batch after the other, until it is enough or a comparison fails.

        The context is made when there is one to make. Calls in flight are saved before an error is
        raised.
        """
        context: RunContext | None = None
        while not self.failed and (batch := await self._next_batch()):
            if context is None:
                context = comparing(make_context())
                progress.expect_comparisons(await self.planner.left())
            progress.compare(len(batch))
            workers = min(len(batch), self.planner.contest.config.limits.concurrency)
            try:
                await run_workers(context, iter(batch), workers, self._compare)
            except BudgetReached:
                self.planner.run_out()
                raise

    async def ask_anew(
        self,
        unread: Sequence[StoredComparison],
        make_context: Callable[[], RunContext],
        progress: Progress,
    ) -> None:
        """Ask again for comparisons that could not be read; the others stand.

        One with another run of its opponent than the one that counts now is left as it is.
        """
        rows = [row for row in unread if self.planner.is_here(row)]
        if not rows:
            return
        self.planner.contest.journal.writer.flush()
        context = comparing(make_context())
        progress.compare(len(rows))
        workers = min(len(rows), self.planner.contest.config.limits.concurrency)
        await run_workers(context, iter(rows), workers, self._compare)

    async def _next_batch(self) -> Sequence[StoredComparison]:
        """The comparisons to make next; none where nothing is left, or nothing can be planned.

        What is wrong with the opponents or with a rating engine is no end of the run: it is noted.
        """
        try:
            return await self.planner.next_batch()
        except (UsageError, DataError, PluginError) as error:
            self.failed.append(redact(str(error)))
            return []

    async def _compare(self, context: RunContext, row: StoredComparison) -> None:
        """Make one comparison and journal it; one that failed stays planned."""
        item = self.planner.contest.items[row.item_id]
        alongside = self.planner.planned_by_other(row)
        calls = CallReplayer(context, Sample(item, row.iteration), alongside=alongside)
        try:
            if self.planner.panel:
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

        Where one gives no reply, the comparison counts for nothing; what the others said is kept,
        and the next comparisons are planned by it. Where too few of the others could be read, it
        raises.
        """
        panel = self.planner.panel
        assert panel is not None
        judges, rows = panel.judges.assigned(row), self.planner.rows_of_members(row)
        outcomes = await asyncio.gather(
            *(
                self._try_to_ask(context.members[judge], one, item, calls)
                for one in rows
                for judge in one.judge.judges
            )
        )
        wrong = [error for error in outcomes if error]
        if wrong and len(judges) - len(wrong) < panel.judges.panel.needed(len(judges)):
            raise wrong[0]
        self.lacking += [redact(str(error)) for error in wrong[:1]]

    async def _try_to_ask(
        self, context: RunContext, row: StoredComparison, item: Item, calls: CallReplayer
    ) -> BenchError | None:
        """Why a judge of a panel could not be asked; the others are asked all the same."""
        try:
            await self._ask_and_keep(context, row, item, calls)
        except (ProviderError, JudgeError, MissingCall) as error:
            return error
        return None

    async def _ask_and_keep(
        self, context: RunContext, row: StoredComparison, item: Item, calls: CallReplayer
    ) -> None:
        """Ask a judge, whose reply `calls` puts into the journal, and store what it says."""
        done = await self._ask(context, row, item, calls)
        if calls.ended is None:
            self.planner.keep(done)
            context.progress.unread += done.status == "unread"

    async def _ask(
        self, context: RunContext, row: StoredComparison, item: Item, calls: CallReplayer
    ) -> StoredComparison:
        slot = (row.item_id, row.iteration)
        texts = await self.planner.texts(row.b, slot)
        assert context.judge is not None
        for name, text in zip((row.a, row.b), texts, strict=True):
            if isinstance(text, Gap):
                raise MissingCall(f"the transcript of {name} on item {item.id} is {text.reason}")
        a, b = texts
        assert isinstance(a, Text) and isinstance(b, Text)
        first, second = (a, b) if row.first == "a" else (b, a)
        judge = calls.handle(context.judge)
        try:
            score = await context.plugin.compare(
                item, first.value, second.value, judge, context.options
            )
        except ProviderError as error:
            if not is_refusal(error):
                raise
            score = refused_pair(error)
        done = with_score(row, score)
        return done._replace(transcript_a=a.digest, transcript_b=b.digest, grader=row.grader)


def comparing(context: RunContext) -> RunContext:
    """A context whose judges compare."""
    parties = [replace(p, phase=COMPARE) if p.phase == JUDGE else p for p in context.parties]
    return replace(context, parties=parties)
