"""Which grades of stored runs may stand beside each other.

A grading is what graded samples: the benchmark's version, the judge and the values of the
grading options. Grades of different gradings never meet in one number; what differs is told,
with the command that makes it alike.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..errors import UsageError
from ..journal import Grader, RunRecord
from ..parties.panels import rule_in
from ..types import Json, JsonObject, canonical
from .hints import bench


class Grading(NamedTuple):
    """How samples of a run were graded.

    Attributes:
        digest: What its grades are kept under.
        version: The benchmark's; ``None`` where that was not kept.
        judge: The judge's label; ``None`` where none was asked.
        options: The grading options.
        grades: How many there are.
        offline: Made by `bench rescore`, which could not ask further.
        asked: What the judge was sent, and how what it said became numbers.
    """

    digest: str
    version: str | None
    judge: str | None
    options: JsonObject
    grades: int = 0
    offline: bool = False
    asked: Mapping[str, Json] = {}

    @property
    def reading(self) -> str:
        """What has to be alike beside the judge."""
        return canonical([self.version or self.digest, dict(self.options), dict(self.asked)])

    def __str__(self) -> str:
        message = ", ".join(f"{name}={plain(value)}" for name, value in self.options.items())
        return f"{self.judge or 'no judge'}{f' ({message})' if message else ''}"


def grading_of(grader: Grader) -> Grading:
    """How samples were graded, by what is kept of it."""
    by = grader.graded_by  # of an imported run, whatever its file says
    version, judge, options = by.get("version"), by.get("judge"), by.get("options")
    return Grading(
        digest=grader.digest,
        version=version if isinstance(version, str) else None,
        judge=judge if isinstance(judge, str) else None,
        options=options if isinstance(options, dict) else {},
        grades=grader.grades,
        offline=bool(by.get("offline")),
        asked={name: by[name] for name in _ASKED if name in by},
    )


_ASKED = ("grading", "prompts", "sampling", "panel")


def refuse_unlike(runs: Sequence[RunRecord]) -> None:
    """Check that all runs are of one benchmark, version and pack.

    Raises:
        UsageError: They are not; the message says what differs and what to do.
    """
    first = runs[0]
    for run in runs[1:]:
        if differing := _differing(first, run):
            what, todo = differing
            message = f"runs {first.run_id} and {run.run_id} cannot be compared: {what}"
            raise UsageError(f"{message}; {todo}")


def _differing(one: RunRecord, two: RunRecord) -> tuple[str, str] | None:
    if one.benchmark != two.benchmark:
        todo = f"name runs of one benchmark; {bench('runs')} lists them"
        return f"one is of {one.benchmark}, the other of {two.benchmark}", todo
    if one.benchmark_version != two.benchmark_version:
        what = f"{one.benchmark} is of version {one.benchmark_version} in one and "
        todo = "the command of the older one, given again, makes a run of the new version"
        return f"{what}{two.benchmark_version} in the other", todo
    if one.pack_sha256 != two.pack_sha256:
        packs = (f"{run.pack_name} ({run.pack_sha256[:12]})" for run in (one, two))
        if message := _languages(one, two):
            return message, "give the command of one again with the --lang of the other"
        todo = "give the command of one again with the --dataset of the other"
        return f"their packs are {' and '.join(packs)}", todo
    return None


def _languages(one: RunRecord, two: RunRecord) -> str | None:
    """What differs where two runs are of one pack in two languages."""
    first, second = (run.settings.get("all_options", {}).get("lang") for run in (one, two))
    if one.pack_name != two.pack_name or first == second:
        return None
    return f"their packs are {one.pack_name} in {first} and in {second}"


def is_judge(label: str | None, name: str) -> bool:
    """Whether a judge's label is that one, or has that spec."""
    return label is not None and name in (label, spec_of(label))


def is_pack(name: str, sha256: str, wanted: str | None) -> bool:
    """Whether a pack is wanted: by its name, or by six digits or more of its SHA-256."""
    if wanted is None or wanted == name:
        return True
    return len(wanted) >= 6 and sha256.startswith(wanted)


def spec_of(label: str) -> str:
    """The spec of a judge's label, which may name a host too; of a panel its rule."""
    return rule_in(label) or label.partition(" at ")[0]


def plain(value: object) -> str:
    """An option's value as people type it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
