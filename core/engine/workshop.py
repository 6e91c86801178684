"""What the samples of one run share: who is asked, where replies and scores go."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..benchmark import Benchmark, Options
from ..clients.caller import Caller
from ..journal import Failure, Journal, RunRecord
from ..types import Item, Sampling, Score, digest
from .progress import Progress
from .stopping import Stop

COMPARE = "compare"
"""The phase of calls that compare transcripts."""


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


@dataclass
class Workshop:
    """All that the samples of one run share.

    Attributes:
        graded_by: What grades depend on; they are kept under its digest.
        replays: The run already has calls, so each sample looks for its own first.
        planned: Calls of one sample of an item by phase, for the progress.
        under_way: Calls that have been asked for and are not journalled yet.
        shared: Those among them that compare, by item, iteration and key: two comparisons of the
            same words are one question.
        begun: Requests that were sent, by phase.
        refused: Among the first of them, those that were refused as invalid.
    """

    benchmark: Benchmark
    options: Options
    run: RunRecord
    graded_by: Mapping[str, Any]
    journal: Journal
    model: Party
    judge: Party | None
    progress: Progress
    stop: Stop
    replays: bool
    planned: Callable[[Item], Mapping[str, int]] = lambda item: {}
    under_way: "set[asyncio.Task[Any]]" = field(default_factory=set)
    shared: "dict[object, asyncio.Task[Any]]" = field(default_factory=dict)
    begun: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    grader: str = field(init=False)

    def __post_init__(self) -> None:
        self.grader = digest(self.graded_by)

    @property
    def only_judges(self) -> bool:
        """Whether the judge is asked and the model is not."""
        return self.model.caller is None and self.judge is not None and bool(self.judge.caller)

    def keep_score(self, sample: Sample, score: Score) -> None:
        """Journal a sample's score.

        Raises:
            JournalError: Nothing can be written any more.
            TypeError, ValueError: It is no score, or holds what JSON cannot.
        """
        if not isinstance(score, Score):
            raise TypeError(f"grade returned {type(score).__name__}, not a Score")
        about = (sample.item.id, sample.iteration, score, self.graded_by)
        self.journal.add_grade(self.run, self.grader, *about)
        if score.reason is None:
            self.progress.scored += 1
        else:
            self.progress.unscored += 1

    def keep_failure(self, sample: Sample, kind: str, reason: str, attempts: int = 0) -> None:
        """Journal why a sample has no usable answer."""
        failure = Failure(sample.item.id, sample.iteration, kind, reason, attempts)
        self.journal.add_failure(self.run, failure)
        self.progress.failed += 1
