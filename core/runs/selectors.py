"""Which stored runs are meant: by benchmark, model, judge and data, the same in every command."""

from pathlib import Path
from typing import NamedTuple

from ..datasets import find_pack
from ..errors import BenchError
from ..journal import Journal, RunRecord
from ..plugins import installed
from ..reports.gradings import is_judge, is_pack
from .finding import JUDGE, JudgeNames


class Selector(NamedTuple):
    """What stored runs are chosen by; any run has what is not given.

    Attributes:
        benchmark: Its name.
        models: The models' names or specs.
        judge: The spec or label of one that has graded them.
        dataset: The pack's name, a path to its data, or six digits or more of its SHA-256.
        checks_judge: What is done with a run that is named refuses another judge itself.
    """

    benchmark: str | None = None
    models: tuple[str, ...] = ()
    judge: str | None = None
    dataset: str | None = None
    checks_judge: bool = False

    def __str__(self) -> str:
        words = [("--benchmark", self.benchmark), *(("--model", name) for name in self.models)]
        words += [("--judge", self.judge), ("--dataset", self.dataset)]
        return " ".join(f"{option} {value}" for option, value in words if value)

    def takes(self, journal: Journal, run: RunRecord) -> bool:
        """Whether a run is meant."""
        return (
            self.benchmark in (None, run.benchmark)
            and (not self.models or is_model(run, *self.models))
            and (self.judge is None or is_judged(journal, run, self.judge))
            and (self.dataset is None or is_on(run, self.dataset))
        )

    def among(self, journal: Journal, runs: list[RunRecord]) -> list[RunRecord]:
        """Those of some runs that are meant."""
        return [run for run in runs if self.takes(journal, run)] if any(self) else runs


def is_model(run: RunRecord, *names: str) -> bool:
    """Whether a run is of one of these models."""
    return run.name in names or run.model in names


def is_judged(journal: Journal, run: RunRecord, judge: str) -> bool:
    """Whether a judge has graded a run, alone or in a panel."""
    labels = JudgeNames(journal.asked(party=JUDGE)).all_of(judge)
    own = [*journal.judges(run), *(g.graded_by.get("judge") for g in journal.graders(run))]
    return any(is_judge(one, label) for one in own if one is not None for label in labels)


def is_on(run: RunRecord, dataset: str) -> bool:
    """Whether a run is on a pack, or was made with data of that path, which may be gone."""
    if is_pack(run.pack_name, run.pack_sha256, dataset):
        return True
    path = Path(dataset)
    if not path.exists() and run.settings.get("dataset") in (dataset, str(path.absolute())):
        return True
    benchmark = installed().benchmarks.things.get(run.benchmark)
    if benchmark is None:
        return False
    try:
        return find_pack(benchmark, dataset, run.settings["all_options"]).sha256 == run.pack_sha256
    except BenchError:  # it names no data of this benchmark
        return False


def place_of(dataset: str | None) -> str | None:
    """Where ``--dataset`` says that the data is now; ``None`` for the digits of a digest."""
    if dataset is None or dataset in ("bundled", "official") or Path(dataset).exists():
        return dataset
    is_digest = len(dataset) >= 6 and set(dataset) <= set("0123456789abcdef")
    return None if is_digest else dataset
