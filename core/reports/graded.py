"""The samples of a stored run as one grader left them, ready to be set beside others."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ..benchmark import Pack
from ..clients.families import kinship
from ..journal import RunRecord
from ..parties.graders import Grader, Replies
from ..parties.party import Party
from ..text import plural
from ..types import SampleScore
from ..types.result_document import DatasetRow
from .statements.judges import gave_verdicts

Key = tuple[str, int]
"""A sample: item and iteration."""
STATES = ("unscored", "failed", "pending")
"""What a sample can be that is not scored; pending: not asked yet, or not graded yet."""
_ENDED_EARLY = ("running", "stopped", "interrupted", "budget", "waiting")


class RunFacts(NamedTuple):
    """Which run it is, as documents over several runs have it."""

    run_id: str
    model: str
    name: str
    demo: bool
    status: str


class SampleTally(NamedTuple):
    """How many samples there would be, and how they ended; pending ones are the rest."""

    total: int
    scored: int
    unscored: int
    failed: int
    pending: int


class LackingTally(NamedTuple):
    """Samples that only the other has scored, and what became of them here."""

    total: int
    unscored: int
    failed: int
    pending: int

    def __str__(self) -> str:
        return f"{self.unscored} unscored, {self.failed} failed, {self.pending} to do"


class CommonTally(NamedTuple):
    """How many samples have two scores, one or none."""

    both: int
    only_first: LackingTally
    only_second: LackingTally
    neither: int

    def plus(self, other: "CommonTally") -> "CommonTally":
        """Those of both together."""
        one, two = (LackingTally(*map(sum, zip(*side, strict=True)))
                    for side in zip(self[1:3], other[1:3], strict=True))  # fmt: skip
        return CommonTally(self.both + other.both, one, two, self.neither + other.neither)


class GradedSamples(NamedTuple):
    """A run's samples by one grader.

    Attributes:
        run: Whose samples they are.
        grader: What graded them.
        scores: By item and iteration, in sorted order.
        failed: Samples without a usable answer, and without a grade.
        n_items: How many items the pack has.
        replies: Of a panel, how many verdicts each judge gave of those that it was to give.
        by_judge: Of a panel, the scores by each of its judges alone that has graded.
        sample_cost: What a sample has cost on average, in dollars; ``None`` where not known.
    """

    run: RunRecord
    grader: Grader
    scores: Mapping[Key, SampleScore]
    failed: frozenset[Key]
    n_items: int
    replies: Mapping[Party, Replies] = {}
    by_judge: Mapping[Party, Mapping[Key, SampleScore]] = {}
    sample_cost: float | None = None

    def among(self, samples: Collection[Key]) -> "GradedSamples":
        """Only these samples; all of them where none are named."""
        if not samples:
            return self
        scores = {key: score for key, score in self.scores.items() if key in samples}
        return self._replace(scores=scores, failed=self.failed & frozenset(samples))

    def facts(self) -> RunFacts:
        """Which run it is."""
        run = self.run
        return RunFacts(run.run_id, run.model, run.name, run.demo, run.status)

    @property
    def total(self) -> int:
        """How many samples the run would have with all items in all its iterations."""
        last = max((n for _, n in (*self.scores, *self.failed)), default=1)
        return self.n_items * last

    def state(self, key: Key) -> str:
        """``scored``, or one of `STATES`."""
        if key in self.scores:
            return "scored" if self.scores[key].score.reason is None else "unscored"
        return "failed" if key in self.failed else "pending"

    def is_scored(self, key: Key) -> bool:
        """Whether a sample has a score."""
        return self.state(key) == "scored"

    def value(self, key: Key, name: str) -> float | None:
        """One of a sample's numbers, if it has it."""
        score = self.scores.get(key)
        return None if score is None else score.score.values.get(name)

    def value_names(self) -> list[str]:
        """The values that any sample has, in the order in which the benchmark gives them."""
        values = (score.score.values.items() for score in self.scores.values())
        return list(
            dict.fromkeys(
                name
                for sample_values in values
                for name, value in sample_values
                if value is not None
            )
        )

    def counts(self) -> SampleTally:
        """How its samples ended."""
        states = Counter(self.state(key) for key in (*self.scores, *self.failed))
        scored, unscored, failed = (states[name] for name in ("scored", "unscored", "failed"))
        pending = self.total - scored - unscored - failed
        return SampleTally(self.total, scored, unscored, failed, pending)

    def tally_with(self, other: "GradedSamples") -> CommonTally:
        """How many samples both have a score for, and why one lacks it where only the other has."""
        keys = {*self.scores, *self.failed, *other.scores, *other.failed}
        ours, theirs = (set(filter(one.is_scored, keys)) for one in (self, other))
        only_first = _counted([other.state(key) for key in ours - theirs])
        only_second = _counted([self.state(key) for key in theirs - ours])
        return CommonTally(len(ours & theirs), only_first, only_second, len(keys - ours - theirs))

    def partial_warning(self, *, by_judge: bool = False) -> str | None:
        """A warning that samples are missing, by its judge if wanted; ``None`` when none is."""
        counts = self.counts()
        missing = counts.failed + counts.pending
        early = self.run.status if self.run.status in _ENDED_EARLY else None
        short = [replies for replies in self.replies.values() if not replies.whole]
        if not missing and not early and not short:
            return None
        message = f"{counts.failed} failed, {counts.pending} to do"
        message += f" of {plural(counts.total, 'sample')}"
        ended = f"; {gave_verdicts(self.replies)}" if short else ""
        ended += f"; its last command ended as {early}" if early else ""
        judge = f", as judged by {self.grader.judge}," if by_judge else ""
        return f"run {self.run.run_id} ({self.run.name}){judge} is partial: {message}{ended}"

    def told_kinship(self) -> str | None:
        """A warning that judges are of the model's own family; ``None`` when none is."""
        judges = self.grader.judge.judges if self.grader.judge else ()
        messages = [kinship(self.run.party.spec, judge.spec) for judge in judges]
        message = "; ".join(filter(None, messages))
        return f"run {self.run.run_id}: {message}" if message else None


def _counted(states: Sequence[str]) -> LackingTally:
    return LackingTally(len(states), *map(Counter(states).__getitem__, STATES))


def dataset_row(pack: Pack) -> DatasetRow:
    """A pack as documents name it."""
    source = pack.source
    return {"name": source.name, "sha256": source.sha256, "n_items": len(pack.items)}
