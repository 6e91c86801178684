"""One sample after the other, many at a time: generate, grade, journal.

Workers pull from one iterator, so memory does not grow with the number of
samples. A provider's or a plugin's failure ends its sample, which is recorded
as failed with the reason and tried again by the next command; what makes all
further work vain ends the run.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..benchmark import Benchmark, Model, Options
from ..clients.base import CallContext
from ..clients.caller import Caller
from ..clients.keys import redact
from ..errors import BenchError, ErrorKind, Interrupted, MissingCall, ProviderError
from ..journal import CallKey, Failure, Journal, RunRecord
from ..types import ChatRequest, ChatResponse, Item, Sampling, Score
from .handles import Answer, Handle, known_replies
from .progress import Progress
from .stopping import Stop

GRACE_S = 5.0
"""How long calls in flight may go on once their endpoint is known to be down."""


class Sample(NamedTuple):
    """An item in one iteration."""

    item: Item
    iteration: int


@dataclass(frozen=True, slots=True)
class Party:
    """A model or a judge: how its replies are drawn and who sends the requests.

    Attributes:
        asked: Names it in call keys, so that another judge's calls are other calls.
        caller: ``None`` offline: only what the journal holds can be answered.
    """

    phase: str
    asked: str
    sampling: Sampling
    caller: Caller | None
    system: str | None = None
    free: str | None = None
    """Why its calls cost nothing, if they do."""


@dataclass
class Workshop:
    """All that the samples of one run share."""

    benchmark: Benchmark
    options: Options
    run: RunRecord
    grader: str
    journal: Journal
    model: Party
    judge: Party | None
    progress: Progress
    stop: Stop
    replays: bool
    """The run already has calls, so each sample looks for its own first."""

    async def work(self, sample: Sample) -> None:
        """Bring one sample to a score or to a failure, and journal that.

        Raises:
            BenchError: The run cannot go on.
        """
        item, iteration = sample
        try:
            score = await self._score(sample)
        except MissingCall as error:
            score = Score.unscored(str(error))
        except ProviderError as error:
            if error.fatal:
                raise
            self._fail(sample, str(error.kind), str(error), error.attempts)
            return
        except BenchError:
            raise
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything; it is recorded
            reason = redact(f"{self.benchmark.name} raised {type(error).__name__}: {error}")
            self._fail(sample, "plugin", reason, 0)
            return
        self.journal.add_grade(self.run, self.grader, item.id, iteration, score)
        if score.reason is None:
            self.progress.scored += 1
        else:
            self.progress.unscored += 1

    def _fail(self, sample: Sample, kind: str, reason: str, attempts: int) -> None:
        failure = Failure(sample.item.id, sample.iteration, kind, reason, attempts)
        self.journal.add_failure(self.run, failure)
        self.progress.failed += 1

    async def _score(self, sample: Sample) -> Score:
        item = sample.item
        known = self._known(sample)
        model = self._handle(self.model, sample, known)
        judge = self._handle(self.judge, sample, known) if self.judge else None
        transcript = await self.benchmark.generate(item, model, self.options)
        return await self.benchmark.grade(item, transcript, judge, self.options)

    def _known(self, sample: Sample) -> dict[CallKey, ChatResponse]:
        if not self.replays:
            return {}
        calls = self.journal.calls(self.run, sample.item.id, sample.iteration)
        return {call.key: call.response for call in calls}

    def _handle(self, party: Party, sample: Sample, known: dict[CallKey, ChatResponse]) -> Model:
        caller = party.caller
        answer = self._asking(party, caller, sample, known) if caller else known_replies(known)
        return Handle(
            answer,
            phase=party.phase,
            asked=party.asked,
            sampling=party.sampling,
            system=party.system,
            iteration=sample.iteration,
        )

    def _asking(
        self, party: Party, caller: Caller, sample: Sample, known: dict[CallKey, ChatResponse]
    ) -> Answer:
        item, iteration = sample
        context = CallContext(self.benchmark, item, iteration, party.phase)

        async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
            if key in known:
                self.progress.replayed += 1
                return known[key]
            response = await caller.send(request, context)
            if party.free:
                response = replace(response, cost_usd=0.0, price_source=party.free)
            await self.journal.add_call(
                self.run, item.id, iteration, key, party.asked, request, response
            )
            self.progress.answered(party.phase, response)
            return response

        return answer


async def work_through(shop: Workshop, samples: Iterator[Sample], workers: int) -> None:
    """Work on all samples, `workers` at a time.

    Raises:
        BenchError: What ended the run early, after calls in flight were saved.
    """
    tasks = [asyncio.create_task(_worker(shop, samples)) for _ in range(workers)]
    shop.stop.when_at_once(lambda: _cancel(tasks))
    try:
        await _until_done(tasks, shop.stop)
    finally:
        _cancel(tasks)
        await asyncio.gather(*tasks, return_exceptions=True)
    if shop.stop.reason:
        raise shop.stop.reason


async def _worker(shop: Workshop, samples: Iterator[Sample]) -> None:
    for sample in samples:
        if shop.stop.asked:
            return
        try:
            await shop.work(sample)
        except Interrupted:
            return
        except BenchError as error:
            shop.stop.ask(error)
            return


async def _until_done(tasks: "list[asyncio.Task[None]]", stop: Stop) -> None:
    pending = set(tasks)
    while pending:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            if not task.cancelled():
                task.result()
        if isinstance(stop.reason, ProviderError) and stop.reason.kind == ErrorKind.CONNECTION:
            await asyncio.wait(tasks, timeout=GRACE_S)
            return


def _cancel(tasks: "list[asyncio.Task[None]]") -> None:
    for task in tasks:
        task.cancel()
