"""What a verification of a bundle says: what was verified, by what, when, what does not follow."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..reports.changes import Number
from ..types import JsonDict

LIMITS = (
    "Hashes find damage, not fraud: whoever made the bundle can make them anew.",
    "Recomputing does not say whose replies these are. Those of a stronger model, or the best of "
    "several tries, are found only by --reask.",
    "Recomputing does not say who gave the verdicts. Invented ones, or those of another judge, are "
    "found only by --rejudge.",
    "Samples that failed or that a filter refused are taken at the bundle's word.",
)
"""What no look at a bundle can exclude."""


class BundleFault(NamedTuple):
    """What does not follow, or is not as the manifest says.

    Attributes:
        kind: ``changed``, ``dropped`` or ``added`` since the bundle was made; ``wrong``, which
            does not follow from what it holds; ``partial``, a run on a part of the pack, as the
            manifest says; or ``unknown``, which cannot be computed without data that is not here.
        run_id: ``None`` for the whole file.
        item_id, iteration: ``None`` where it is about no single sample.
    """

    kind: str
    message: str
    run_id: str | None = None
    item_id: str | None = None
    iteration: int | None = None

    @property
    def where(self) -> str:
        """The run and the sample in words."""
        sample = "" if self.item_id is None else f"item {self.item_id!r:.60}"
        sample += "" if self.iteration is None else f", iteration {self.iteration}"
        return f"{self.run_id}: {sample}".strip(": ") if self.run_id else "the file"


class VerifiedRun(NamedTuple):
    """A run of a bundle: what is claimed, and what its replies come to.

    Attributes:
        metric: The main one; ``None`` where there is none.
        claimed: As the manifest has it.
        computed: ``None`` where the replies could not be graded here.
        samples: Those that are in the file.
        absent: Samples of the pack of which there is nothing.
        unproven: Samples without a score and without a reply that says why.
    """

    run_id: str
    benchmark: str
    model: str
    name: str
    judge: str | None
    metric: str | None
    claimed: Number
    computed: Number | None
    samples: int
    absent: int
    unproven: int


class AskedAgain(NamedTuple):
    """What came of asking a judge or a model of a run again.

    Attributes:
        whom: ``judge`` or ``model``.
        drawn: Verdicts, or items.
        total: Of how many.
        replies: How many samples were asked or judged anew.
        chances: By share of invented verdicts, how likely one of them is drawn; of a judge.
        undecided: Verdicts that lie beyond the new ones, of which some could not be read.
        difference, p, shows: As of `Redrawn`, in points of the sample's value; of a model.
    """

    run_id: str
    whom: str
    party: str
    drawn: int
    total: int
    seed: int
    replies: int
    chances: Mapping[str, float] = {}
    undecided: int = 0
    difference: float | None = None
    p: float | None = None
    shows: float | None = None
    faults: Sequence[BundleFault] = ()


class Verification(NamedTuple):
    """What was verified, by what, when, and what does not follow.

    Attributes:
        root: Of the hash tree.
        eibench: The version that looked.
        at: When, in UTC.
        limits: What it cannot exclude.
        asked: What came of questions to judges and models, if some were asked.
    """

    root: str | None
    weights: str | None
    prompt_format: str | None
    eibench: str
    at: str
    runs: tuple[VerifiedRun, ...]
    faults: tuple[BundleFault, ...]
    limits: tuple[str, ...] = LIMITS
    asked: tuple[AskedAgain, ...] = ()

    @property
    def is_partial(self) -> bool:
        """Whether everything follows, and some run is one on a part of its pack."""
        return bool(self.faults) and all(one.kind == "partial" for one in self.faults)

    @property
    def holds(self) -> bool:
        """Whether everything follows."""
        return not self.faults

    def as_json(self) -> JsonDict:
        """The fields of the document."""
        return {"holds": self.holds, **self._asdict()}
