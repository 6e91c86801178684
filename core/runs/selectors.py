"""Which stored runs are meant: by benchmark, model, judge and data, the same in every command."""

from pathlib import Path
from typing import NamedTuple

from .recorded import RecordedRun


class Selector(NamedTuple):
    """What stored runs are chosen by; any run has what is not given.

    Attributes:
        benchmark: Its name.
        models: The models' names or specs, or the ends of these after a slash.
        judge: The spec or label of one that has graded them.
        dataset: The pack's name, a path to its data, or six digits or more of its SHA-256.
    """

    benchmark: str | None = None
    models: tuple[str, ...] = ()
    judge: str | None = None
    dataset: str | None = None

    def __str__(self) -> str:
        words = [("--benchmark", self.benchmark), *(("--model", name) for name in self.models)]
        words += [("--judge", self.judge), ("--dataset", self.dataset)]
        return " ".join(f"{option} {value}" for option, value in words if value)

    @property
    def data_path(self) -> str | None:
        """Where the data is now; ``None`` where nobody says, or for the digits of a digest."""
        return place_of(self.dataset)

    def takes(self, run: RecordedRun) -> bool:
        """Whether a run has all of it but the models, which `RunSet.chosen` finds."""
        return (
            self.benchmark in (None, run.benchmark)
            and (self.judge is None or run.is_judged_by(self.judge))
            and (self.dataset is None or run.is_on(self.dataset))
        )


EVERY_RUN = Selector()


def place_of(dataset: str | None) -> str | None:
    """Where ``--dataset`` says that the data is now; ``None`` for the digits of a digest."""
    if dataset is None or dataset in ("bundled", "official") or Path(dataset).exists():
        return dataset
    is_digest = len(dataset) >= 6 and set(dataset) <= set("0123456789abcdef")
    return None if is_digest else dataset
