"""A run done again from the replies that it holds: what was asked, what each grade comes to."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from ..benchmark import Pack
from ..benchmark.model import REFUSED
from ..errors import DataError
from ..journal import CallKey, Failure
from ..parties.graders import Grader
from ..parties.party import Party
from ..reading.responses import MOST_ITERATIONS
from ..reports.changes import Number
from ..reports.evidence import Selection
from ..run.rescore import Unkept, context_of, unkept_result
from ..run.task import Regrade
from ..runs.stored_run import StoredRun
from ..sample.context import Sample
from ..sample.life import run_sample
from ..sample.model import NOT_HELD, ConnectedParty
from ..sample.workers import run_workers
from ..types import ChatRequest, Message, Score
from ..types.result_document import ResultDocument

SampleKey = tuple[str, int]
"""Item and iteration."""


class RecalledCall(NamedTuple):
    """A request that a reply of the run answers, and what its key is made of."""

    asked: Party
    proof: str | None
    request: ChatRequest

    @property
    def messages(self) -> tuple[Message, ...]:
        """What was asked."""
        return self.request.messages


@dataclass
class Recalling(Unkept):
    """A context that keeps what is asked, and sets aside samples whose replies are not there."""

    calls: dict[tuple[str, int, CallKey], RecalledCall] = field(default_factory=dict)
    missing: set[SampleKey] = field(default_factory=set)

    def recalled(
        self, sample: Sample, party: ConnectedParty, request: ChatRequest, key: CallKey
    ) -> None:
        """Keep what was asked."""
        call = RecalledCall(party.asked, party.proof, request)
        self.calls[sample.item.id, sample.iteration, key] = call

    def keep_grade(self, sample: Sample, score: Score) -> None:
        """Remember a sample's score, or that it needs another reply."""
        if (score.reason or "").startswith(NOT_HELD):
            self.missing.add((sample.item.id, sample.iteration))
        else:
            super().keep_grade(sample, score)


@dataclass(frozen=True)
class RecalledRun:
    """What the replies of a run come to.

    Attributes:
        document: The result that it has.
        begun: How many samples of the pack it holds.
        absent: Those of the pack of which it holds nothing.
        strange: Samples of items that the pack does not have.
    """

    context: Recalling
    document: ResultDocument
    pack: Pack
    selection: Selection
    failures: tuple[Failure, ...]
    begun: int
    absent: tuple[SampleKey, ...]
    strange: tuple[SampleKey, ...]

    @property
    def calls(self) -> Mapping[tuple[str, int, CallKey], RecalledCall]:
        """What each reply that counts was asked."""
        return self.context.calls

    @cached_property
    def ways(self) -> frozenset[tuple[str, Party]]:
        """In which phases who gave them."""
        return frozenset((key.phase, call.asked) for (_, _, key), call in self.calls.items())

    @property
    def parties(self) -> frozenset[Party]:
        """Who gave them."""
        return frozenset(party for _, party in self.ways)

    @property
    def missing(self) -> frozenset[SampleKey]:
        """Samples that have not failed and need a reply that is not there."""
        failed = {(f.item_id, f.iteration) for f in self.failures}
        return frozenset(self.context.missing - failed)

    @property
    def unproven(self) -> int:
        """How many samples have no score and no reply that says why."""
        refused = sum((s.score.reason or "").startswith(REFUSED) for s in self.context.scores)
        return refused + len(self.failures)

    @cached_property
    def scores(self) -> dict[Grader, dict[SampleKey, Score]]:
        """The scores by the grader of the run's result, and by each judge of a panel."""
        contexts = [self.context, *self.context.members.values()]
        return {
            one.grader: {(s.item_id, s.iteration): s.score for s in one.scores}
            for one in contexts
            if isinstance(one, Unkept)
        }

    def result(self, stored: StoredRun) -> ResultDocument:
        """The run's result; `stored` holds the same rows, with what was asked in them."""
        return unkept_result(stored, self.context, self.pack, self.selection, self.failures)


def recall(stored: StoredRun, dataset: str | None = None) -> RecalledRun:
    """What the replies of a run come to, graded as its own result says; nothing is stored.

    Args:
        stored: The run.
        dataset: Where its data is, if not where it says.

    Raises:
        BenchError: It has no result, or its benchmark or its data is not here.
    """
    document = stored.result()
    config = stored.config_of(document, dataset)
    pack = stored.pack_of(config)
    begun = stored.samples_begun | stored.samples_done
    if (last := max((n for _, n in begun), default=1)) > MOST_ITERATIONS:
        message = f"has an iteration {last}, and {MOST_ITERATIONS} is the most"
        raise DataError(f"run {stored.id}", message)
    ids = {item_id for item_id, _ in begun}
    selection = Selection([item for item in pack.items if item.id in ids], last)
    context = context_of(stored, Regrade(config, pack, stored.record), Recalling, regrades=True)
    samples = [
        Sample(item, n)
        for item in selection.items
        for n in range(1, selection.iterations + 1)
        if (item.id, n) in begun
    ]
    asyncio.run(run_workers(context, iter(samples), 1, run_sample))
    scored = {(s.item_id, s.iteration) for s in context.scores}
    failed = {(f.item_id, f.iteration): f for f in [*context.failed, *stored.failures]}
    left = tuple(f for key, f in sorted(failed.items()) if key not in scored)
    whole = replace(selection, items=pack.items).samples
    absent, strange = tuple(sorted(whole - begun)), tuple(sorted(begun - whole))
    held = len(begun & whole)
    return RecalledRun(context, document, pack, selection, left, held, absent, strange)


def differing(one: Score, other: Score) -> Iterator[str]:
    """What of a first score a second one does not have, in words; detail aside."""
    for name in dict.fromkeys((*one.values, *other.values)):
        first, second = one.values.get(name), other.values.get(name)
        if not Number(first).is_like(Number(second)):
            yield f"{name} {first} instead of {second}"
    if one.reason != other.reason:
        yield f"{_reason(one)} instead of {_reason(other)}"
    if list(one.flags) != list(other.flags):
        yield f"flags {list(one.flags)} instead of {list(other.flags)}"


def _reason(score: Score) -> str:
    return f"no score ({score.reason:.60})" if score.reason else "a score"
