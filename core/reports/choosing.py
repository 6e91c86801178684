"""Which runs can be set against each other, and by which grader that both of them share.

That is the grader of their own results, or the one that a command names.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..errors import UsageError
from ..journal import RunRecord
from ..parties.graders import Grader, Judge, is_meant
from ..parties.party import Party, is_imported
from ..text import plain
from ..types import canonical
from ..types.result_document import ResultDocument
from .comparability import judge_in
from .suggestions import bench, judge_words


class RunGraders(NamedTuple):
    """A run's id, and those of its graders that are meant.

    Attributes:
        run_id: Whole.
        graders: Judges, or readers, with their options and versions.
        addresses: Where its journal's parties were asked last.
    """

    run_id: str
    graders: Sequence[Grader]
    addresses: Mapping[Party, str] = {}

    @property
    def online(self) -> dict[Grader, Grader]:
        """The graders by what has to be alike."""
        return {grader.online: grader for grader in self.graders}

    def __str__(self) -> str:
        listed = (f"{grader} of version {grader.version}" for grader in self.graders)
        return f"{self.run_id} by {', '.join(listed)}"


class GraderPair(NamedTuple):
    """Two graders that are set against each other."""

    first: Grader
    second: Grader


def chosen(
    run: RunRecord,
    graders: Iterable[Grader],
    options: Mapping[str, str],
    judge: Judge | str | None = None,
    addresses: Mapping[Party, str] = {},
) -> RunGraders:
    """The graders of a run that are meant, by grading options as text and a judge or its name.

    Raises:
        UsageError: None of them is meant; the message lists those that there are.
    """
    listed_graders = list(graders)
    fitting = [
        g for g in listed_graders if _fits(g, options) and (not judge or is_meant(g.judge, judge))
    ]
    if not fitting:
        options_wanted = [
            *([str(judge)] if judge else []),
            *(f"{k}={v}" for k, v in options.items()),
        ]
        message = f"run {run.run_id} has no grades by {', '.join(options_wanted)}"
        raise UsageError(f"{message}; there are: {'; '.join(map(str, listed_graders))}")
    return RunGraders(run.run_id, fitting, addresses)


def _fits(grader: Grader, options: Mapping[str, str]) -> bool:
    return all(
        name in grader.options and plain(grader.options[name]).lower() == value.lower()
        for name, value in options.items()
    )


def own_judge(documents: Iterable[ResultDocument | None]) -> Judge | None:
    """The judge or panel that all of these results are by; ``None`` where it is not one."""
    judges = {judge_in(document) if document else None for document in documents}
    return judges.pop() if len(judges) == 1 else None


def same_grader(one: RunGraders, two: RunGraders) -> GraderPair:
    """The one grader that both runs have, as each of them has it.

    Raises:
        UsageError: They share none, or several; the message says what to do.
    """
    common = _latest([grader for grader in one.online if grader in two.online])
    if not common:
        message = f"no judge or reader has graded both runs alike: {one}; {two}"
        raise UsageError(f"{message}; {_todo(one, two)}")
    if len(common) > 1:
        listed = "; ".join(map(str, common))
        message = f"runs {one.run_id} and {two.run_id} were both graded by each of {listed}"
        raise UsageError(f"{message}; choose with --judge LABEL or --set NAME=VALUE")
    return GraderPair(one.online[common[0]], two.online[common[0]])


def _latest(graders: Sequence[Grader]) -> list[Grader]:
    """The graders, of each judge with the same options only the latest way of asking it."""
    latest: dict[object, Grader] = {}
    for grader in graders:
        latest.setdefault((grader.judge, canonical(grader.options)), grader)
    return list(latest.values())


def _todo(one: RunGraders, two: RunGraders) -> str:
    """The command that grades one run as the other, or both alike: by a judge who can be asked."""
    if not (one.graders[0].judge or two.graders[0].judge):
        return _grade_like(one.graders[0], two)
    for grader, other in ((one.graders[0], two), (two.graders[0], one)):
        if grader.judge and not is_imported(grader.judge.short):
            return _grade_like(grader, other)
    command = bench("rejudge", two.run_id, "--judge", "SPEC")
    return f"{command}, and {one.run_id} likewise, grade both alike"


def _grade_like(grader: Grader, other: RunGraders) -> str:
    """The command that grades the other run as wanted."""
    run_id, existing = other.run_id, other.graders[0]
    if grader.version != existing.version:
        rescore = bench("rescore", "RUN")
        return f"{rescore} grades with the version that is installed: {run_id} or the other"
    changes = {k: v for k, v in grader.options.items() if existing.options.get(k) != v}
    words = [
        part for name, value in changes.items() for part in ("--set", f"{name}={plain(value)}")
    ]
    if grader.judge and grader.judge != existing.judge:
        command = bench("rejudge", run_id, *judge_words(grader.judge, other.addresses), *words)
    else:
        command = bench("rescore", run_id, *words)
    return f"{command} adds what is missing"


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


def is_pack(name: str, sha256: str, requested: str | None) -> bool:
    """Whether a pack is wanted: by its name, or by six digits or more of its SHA-256."""
    if requested is None or requested == name:
        return True
    return len(requested) >= 6 and sha256.startswith(requested)
