"""The gradings that a command is about: one that two runs share, or two judges' of some runs.

Of two runs those of their own results are meant; with several that could be, they are listed.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..errors import UsageError
from ..journal import RunRecord
from ..parties.imported import is_imported
from ..types.result_document import ResultDocument
from .comparability import judge_label
from .gradings import Grading, is_judge, plain, spec_of
from .hints import bench, judge_words

Kind = tuple[str | None, str]
"""A judge's label and what else has to be alike."""


class Graded(NamedTuple):
    """A run and the gradings of it that are meant."""

    run: RunRecord
    gradings: Sequence[Grading]

    @property
    def by_kind(self) -> dict[Kind, Grading]:
        """The gradings by what has to be alike."""
        return {(g.judge, g.reading): g for g in self.gradings}

    def __str__(self) -> str:
        listed = (f"{g} of version {g.version or 'unknown'}" for g in self.gradings)
        return f"{self.run.run_id} by {', '.join(listed)}"


class GradingPair(NamedTuple):
    """Two gradings that are set against each other."""

    first: Grading
    second: Grading


def chosen(
    run: RunRecord,
    found: Iterable[Grading],
    options: Mapping[str, str],
    judge: str | None = None,
) -> Graded:
    """The gradings of a run that are meant.

    Args:
        run: The run.
        found: All of its gradings.
        options: Values of grading options that are wanted, as text.
        judge: Label or spec of the judge that is wanted.

    Raises:
        UsageError: There are none.
    """
    there = list(found)
    fitting = [g for g in there if _fits(g, options) and (not judge or is_judge(g.judge, judge))]
    if not fitting:
        wanted = [*([judge] if judge else []), *(f"{k}={v}" for k, v in options.items())]
        message = f"run {run.run_id} has no grades by {', '.join(wanted)}"
        raise UsageError(f"{message}; there are: {'; '.join(map(str, there))}")
    return Graded(run, fitting)


def _fits(grading: Grading, wanted: Mapping[str, str]) -> bool:
    return all(
        name in grading.options and plain(grading.options[name]).lower() == value.lower()
        for name, value in wanted.items()
    )


def own_judge(documents: Iterable[ResultDocument | None]) -> str | None:
    """The label of the judge or panel that all of these results are by; ``None`` for several."""
    labels = {judge_label(document) if document else None for document in documents}
    return labels.pop() if len(labels) == 1 else None


def same_grading(one: Graded, two: Graded) -> GradingPair:
    """The one grading that both runs have, as each of them has it.

    Raises:
        UsageError: They have none in common, or several.
    """
    common = _latest(one, [kind for kind in one.by_kind if kind in two.by_kind])
    if not common:
        message = f"no judge or reader has graded both runs alike: {one}; {two}"
        raise UsageError(f"{message}; {_todo(one, two)}")
    if len(common) > 1:
        listed = "; ".join(str(one.by_kind[kind]) for kind in common)
        message = f"runs {one.run.run_id} and {two.run.run_id} were both graded by each of {listed}"
        raise UsageError(f"{message}; choose with --judge LABEL or --set NAME=VALUE")
    return GradingPair(one.by_kind[common[0]], two.by_kind[common[0]])


def _latest(run: Graded, kinds: Sequence[Kind]) -> list[Kind]:
    """The kinds, of each judge with the same options only the latest way of asking it."""
    latest: dict[str, Kind] = {}
    for kind in kinds:
        latest.setdefault(str(run.by_kind[kind]), kind)
    return list(latest.values())


def _todo(one: Graded, two: Graded) -> str:
    """The command that grades one run as the other, or both alike: by a judge who can be asked."""
    if not (one.gradings[0].judge or two.gradings[0].judge):
        return _grade_like(one.gradings[0], two)
    for wanted, other in ((one.gradings[0], two), (two.gradings[0], one)):
        if wanted.judge and not is_imported(wanted.judge):
            return _grade_like(wanted, other)
    command = bench("rejudge", two.run.run_id, "--judge", "SPEC")
    return f"{command}, and {one.run.run_id} likewise, grade both alike"


def _grade_like(wanted: Grading, other: Graded) -> str:
    """The command that grades the other run as wanted."""
    run_id, there = other.run.run_id, other.gradings[0]
    if wanted.version != there.version:
        rescore = bench("rescore", "RUN")
        return f"{rescore} grades with the version that is installed: {run_id} or the other"
    changes = {k: v for k, v in wanted.options.items() if there.options.get(k) != v}
    given = [
        part for name, value in changes.items() for part in ("--set", f"{name}={plain(value)}")
    ]
    if wanted.judge and wanted.judge != there.judge:
        command = bench("rejudge", run_id, *judge_words(wanted.judge), *given)
    else:
        command = bench("rescore", run_id, *given)
    return f"{command} adds what is missing"


def two_judges(runs: Sequence[Graded], named: Sequence[str]) -> list[GradingPair]:
    """The gradings of each run by two judges who read alike.

    Args:
        runs: The runs, with all their gradings that are meant.
        named: Labels or specs of two judges; none where the runs have only two.

    Raises:
        UsageError: There are fewer than two, or more and none is named.
    """
    common = [k for k in runs[0].by_kind if k[0] and all(k in run.by_kind for run in runs)]
    labels = sorted({str(judge) for judge, _ in common})
    first, second = _two_named(runs, labels, named) if named else _only_two(runs, labels)
    latest = _latest(runs[0], common)
    readings = [r for judge, r in latest if judge == first and (second, r) in common]
    if len(readings) != 1:
        raise UsageError(_no_one_reading(runs[0], first, second, readings))
    kinds = (first, readings[0]), (second, readings[0])
    return [GradingPair(*(run.by_kind[kind] for kind in kinds)) for run in runs]


def _only_two(runs: Sequence[Graded], labels: list[str]) -> tuple[str, str]:
    if len(labels) > 2:
        message = f"{len(labels)} judges have graded these runs: {', '.join(labels)}"
        raise UsageError(f"{message}; name two of them: --judge LABEL --judge LABEL")
    if len(labels) < 2:
        raise UsageError(_too_few(runs))
    return labels[0], labels[1]


def _too_few(runs: Sequence[Graded]) -> str:
    judged = [run for run in runs if any(g.judge for g in run.gradings)]
    if not judged:
        return f"{runs[0].run.benchmark} runs without a judge's grades: nobody to agree with"
    message = "; ".join(map(str, runs))
    poorest = min(runs, key=lambda run: len({g.judge for g in run.gradings if g.judge}))
    todo = f"{bench('rejudge', poorest.run.run_id, '--judge', 'SPEC')} adds a judge's grades"
    return f"agreement needs two judges who graded each run alike: {message}; {todo}"


def _two_named(runs: Sequence[Graded], labels: list[str], named: Sequence[str]) -> tuple[str, str]:
    if len(named) != 2:
        raise UsageError("agreement is between two judges: give --judge twice, or not at all")
    first, second = (_label(runs, labels, name) for name in named)
    if first == second:
        raise UsageError(f"--judge names {first} twice; agreement is between two judges")
    return first, second


def _label(runs: Sequence[Graded], labels: list[str], name: str) -> str:
    fitting = [label for label in labels if name == label]
    fitting = fitting or [label for label in labels if name == spec_of(label)]
    if len(fitting) > 1:
        raise UsageError(f"the judge {name} could be {' or '.join(fitting)}; give the whole label")
    if not fitting:
        lacking = [r for r in runs if not any(is_judge(g.judge, name) for g in r.gradings)]
        run_id = (lacking or runs)[0].run.run_id
        message = f"run {run_id} has no grades by the judge {name}; there are: {', '.join(labels)}"
        raise UsageError(f"{message}; {bench('rejudge', run_id, *judge_words(name))} adds them")
    return fitting[0]


def _no_one_reading(run: Graded, first: str, second: str, readings: Sequence[str]) -> str:
    if not readings:
        message = f"{first} and {second} did not grade with the same options: {run}"
        command = bench("rejudge", run.run.run_id, "--judge", "SPEC", "--set", "NAME=VALUE")
        return f"{message}; {command} makes them alike"
    listed = "; ".join(str(run.by_kind[(first, reading)]) for reading in readings)
    return f"{first} and {second} both graded in several ways: {listed}; choose with --set"
