"""The graders of runs by two judges who read alike."""

from collections.abc import Sequence

from eibench import Grader, Judge, RunGraders, UsageError, bench


def two_judges(
    benchmark: str, runs: Sequence[RunGraders], named: Sequence[str]
) -> list[tuple[Grader, Grader]]:
    """The graders of each run by two judges who read alike.

    Args:
        benchmark: Of all runs.
        runs: At least one.
        named: Labels or specs of two judges; none where the runs have only two.

    Raises:
        UsageError: There are fewer than two, or more and none is named.
    """
    common = [g for g in runs[0].online if g.judge and all(g in run.online for run in runs)]
    judges = sorted({g.judge for g in common if g.judge}, key=str)
    first, second = _two_named(runs, judges, named) if named else _only_two(benchmark, runs, judges)
    seconds = {g.but_for_judge: g for g in common if g.judge == second}
    latest: dict[str, Grader] = {}  # of the same options only the latest way of asking
    for grader in common:
        if grader.judge == first:
            latest.setdefault(str(sorted(grader.options.items())), grader)
    alike = [grader for grader in latest.values() if grader.but_for_judge in seconds]
    if len(alike) != 1:
        raise UsageError(_no_one_reading(runs[0], first, second, alike))
    one, two = alike[0], seconds[alike[0].but_for_judge]
    return [(run.online[one], run.online[two]) for run in runs]


def _only_two(
    benchmark: str, runs: Sequence[RunGraders], judges: list[Judge]
) -> tuple[Judge, Judge]:
    if len(judges) > 2:
        message = f"{len(judges)} judges have graded these runs: {', '.join(map(str, judges))}"
        raise UsageError(f"{message}; name two of them: --judge LABEL --judge LABEL")
    if len(judges) == 2:
        return judges[0], judges[1]
    if not any(grader.judge for run in runs for grader in run.graders):
        raise UsageError(f"{benchmark} runs without a judge's grades: nobody to agree with")
    message = "; ".join(map(str, runs))
    poorest = min(runs, key=lambda run: len({g.judge for g in run.graders if g.judge}))
    todo = f"{bench('rejudge', poorest.run_id, '--judge', 'SPEC')} adds a judge's grades"
    raise UsageError(f"agreement needs two judges who graded each run alike: {message}; {todo}")


def _two_named(
    runs: Sequence[RunGraders], judges: list[Judge], named: Sequence[str]
) -> tuple[Judge, Judge]:
    if len(named) != 2:
        raise UsageError("agreement is between two judges: give --judge twice, or not at all")
    first, second = (_named(runs, judges, name) for name in named)
    if first == second:
        raise UsageError(f"--judge names {first} twice; agreement is between two judges")
    return first, second


def _named(runs: Sequence[RunGraders], judges: list[Judge], name: str) -> Judge:
    matches = [j for j in judges if name == j.label] or [j for j in judges if name in j.names]
    if len(matches) > 1:
        could_be = " or ".join(map(str, matches))
        raise UsageError(f"the judge {name} could be {could_be}; give the whole label")
    if not matches:
        lacking = [r for r in runs if not any(g.judge and name in g.judge.names for g in r.graders)]
        run_id = (lacking or runs)[0].run_id
        listed = ", ".join(map(str, judges))
        message = f"run {run_id} has no grades by the judge {name}; there are: {listed}"
        raise UsageError(f"{message}; {bench('rejudge', run_id, '--judge', name)} adds them")
    return matches[0]


def _no_one_reading(run: RunGraders, first: Judge, second: Judge, alike: Sequence[Grader]) -> str:
    if not alike:
        message = f"{first} and {second} did not grade with the same options: {run}"
        command = bench("rejudge", run.run_id, "--judge", "SPEC", "--set", "NAME=VALUE")
        return f"{message}; {command} makes them alike"
    listed = "; ".join(map(str, alike))
    return f"{first} and {second} both graded in several ways: {listed}; choose with --set"
