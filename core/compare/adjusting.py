"""What a board needs to be adjusted by its benchmark's controls (`BoardControl`)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .. import statistics
from ..benchmark.board_controls import BoardControl
from ..reports.graded import GradedSamples, Key
from ..reports.pairing import main_values, metric_terms
from ..reports.ratings import tier
from ..runs.stored_run import StoredRun
from .boards import Boards
from .leaderboard import Leaderboard

if TYPE_CHECKING:
    from ..statistics.adjusted import Replicates


class Adjusting(NamedTuple):
    """The controls that a board has, those that it lacks, and replicates of its models' means."""

    controls: Sequence[BoardControl]
    absent: Sequence[BoardControl]
    models: Sequence[str]
    known: "Replicates"


def adjusting_of(boards: Boards, read: Leaderboard) -> Adjusting | None:
    """That of a board; ``None`` where its benchmark has no controls, or no model can be adjusted.

    Whole results alone are, where the metric that ranks is the mean of samples and more is better.
    """
    import numpy as np

    if not read.benchmark.board_controls or read.ratings or read.kin:
        return None
    models = [row["model"] for row in read.rows() if _counts(read, row["model"]) and not tier(row)]
    samples = {name: samples_of(boards.stored(read.runs[name]), read, name) for name in models}
    known = {name: both for name, both in samples.items() if both and both[1]}
    declared = read.benchmark.board_controls
    if not known:
        return None
    controls = [c for c in declared if all(_has(c.value, *both) for both in known.values())]
    families = {family: n for n, family in enumerate(dict.fromkeys(read.pack.clusters.values()))}
    sums, counts = np.zeros((2, len(families), len(known), 1 + len(controls)))
    for n, (graded, main) in enumerate(known.values()):
        for key in main:
            at = families[read.pack.clusters[key[0]]], n
            measures = [graded.value(key, control.value) for control in controls]
            for column, value in enumerate([main[key], *measures]):
                if value is not None:
                    sums[(*at, column)] += value
                    counts[(*at, column)] += 1
    asked = counts.any(axis=(1, 2))  # families of the pack that any model has answered
    replicates = statistics.adjusted.replicates(sums[asked], counts[asked])
    absent = [control for control in declared if control not in controls]
    return Adjusting(controls, absent, list(known), replicates)


def graded_on(stored: StoredRun, read: Leaderboard, name: str) -> GradedSamples | None:
    """A model's samples by the board's grader; ``None`` where that is none of the run's."""
    digest = read.documents[name]["grader"]
    grader = next((one for one in stored.graders() if one.digest == digest), None)
    return stored.graded(grader, read.pack.clusters) if grader else None


def samples_of(
    stored: StoredRun, read: Leaderboard, name: str
) -> tuple[GradedSamples, Mapping[Key, float]] | None:
    """A model's samples by the board's grader, and what each adds to the metric that ranks."""
    if (graded := graded_on(stored, read, name)) is None:
        return None
    values = main_values(read.benchmark, read.pack, graded)
    return graded, metric_terms(read.benchmark, read.pack, read.metric, values)


def _counts(read: Leaderboard, name: str) -> bool:
    metric = read.documents[name]["metrics"].get(read.metric) if name in read.documents else None
    is_mean = read.scores.get(name) is not None
    return bool(is_mean and metric and metric["value"] is not None and metric["higher_is_better"])


def _has(value: str, graded: GradedSamples, main: Mapping[Key, float]) -> bool:
    return any(graded.value(key, value) is not None for key in main)
