"""What a judge gave the samples of a run, by the name of a value."""

from collections.abc import Sequence

from eibench import Benchmark, Grader, StoredRun, Value

from .drawing import Key


def rated_value(benchmark: Benchmark, name: str) -> Value | None:
    """What the benchmark says of a value; ``None`` where it declares none of that name."""
    return next((one for one in benchmark.values if one.name == name), None)


def default_value(benchmark: Benchmark, runs: Sequence[StoredRun]) -> str:
    """The first value that a judge gives, or the first of a score; empty where none is known."""
    declared = (one.name for one in benchmark.values if one.judged)
    graded = (name for run in runs for row in run.samples() for name in row.values)
    return next(declared, "") or next(graded, "")


def grades(benchmark: Benchmark, run: StoredRun, grader: Grader, name: str) -> dict[Key, float]:
    """By sample, the value of that name; samples without it are left out."""
    value, known = rated_value(benchmark, name), dict[Key, float]()
    for row in run.samples(grader):
        names = value.mean_of if value and value.mean_of else (name,)
        numbers = [number for one in names if (number := row.values.get(one)) is not None]
        if row.status == "scored" and numbers:
            known[row.item_id, row.iteration] = sum(numbers) / len(numbers)
    return known
