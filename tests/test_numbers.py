"""No number of a stored result moves without a version that says so."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eibench import Score, Summary
from eibench.core.plugins import installed
from tests.held.hold import RUNS, faults_of_engines, faults_of_runs, moved_at_import, numbers

Bench = Callable[..., Any]


def checked(invoke: Bench) -> list[dict[str, Any]]:
    """What scoring the held runs again would change."""
    done = invoke("rescore", "--all", "--dry-run", "--json")
    assert done.code == 0, done.err
    return [*moved_at_import(Path("runs/demo")), *done.json["runs"]]


@pytest.fixture
def held_runs(invoke: Bench) -> Path:
    """A folder with the held runs."""
    assert invoke("import", RUNS).code == 0
    return Path("runs")


def test_no_number_of_a_benchmark_moves_unannounced(invoke: Bench, held_runs: Path) -> None:
    """If this fails, the message says what to do."""
    faults = list(faults_of_runs(checked(invoke), numbers()["benchmarks"]))
    assert not faults, "\n".join(faults)


def test_no_number_of_a_rating_engine_moves_unannounced() -> None:
    """If this fails, the message says what to do."""
    faults = list(faults_of_engines(numbers()["engines"]))
    assert not faults, "\n".join(faults)


def test_every_benchmark_is_held() -> None:
    """A new one too: python tests/held/hold.py."""
    assert set(numbers()["benchmarks"]) == set(installed().benchmarks.things)


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (False, "raise it, write the change in changes/NAME.numbers.md"),
        (True, "its grading is raised: python tests/held/hold.py holds"),
    ],
)
def test_a_number_that_moves_is_found(
    monkeypatch: pytest.MonkeyPatch, invoke: Bench, held_runs: Path, raised: bool, message: str
) -> None:
    """Another score of the same replies, with and without another `grading`."""
    benchmark = installed().benchmark("seceu")
    graded = type(benchmark).grade

    async def doubled(self: Any, *args: Any) -> Score:
        score = await graded(self, *args)
        return Score(
            {name: 2 * (value or 0) for name, value in score.values.items()}, detail=score.detail
        )

    monkeypatch.setattr(type(benchmark), "grade", doubled)
    monkeypatch.setattr(type(benchmark), "grading", "9" if raised else benchmark.grading)
    faults = list(faults_of_runs(checked(invoke), numbers()["benchmarks"]))
    assert faults and all(fault.startswith("seceu: ") and message in fault for fault in faults)


def test_a_sum_that_moves_is_found(monkeypatch: pytest.MonkeyPatch, invoke: Bench) -> None:
    """Also where the grades stay: an import computes the held numbers again."""
    benchmark = type(installed().benchmark("seceu"))
    summarise = benchmark.summarise

    def doubled(self: Any, *args: Any) -> Summary:
        summary = summarise(self, *args)
        name, metric = next(iter(summary.metrics.items()))
        changed = replace(metric, value=2 * (metric.value or 1))
        return replace(summary, metrics={**summary.metrics, name: changed})

    monkeypatch.setattr(benchmark, "summarise", doubled)
    assert invoke("import", RUNS).code == 0
    faults = list(faults_of_runs(checked(invoke), numbers()["benchmarks"]))
    assert faults and all(fault.startswith("seceu: ") for fault in faults)


def test_a_rating_that_moves_is_found() -> None:
    """By a point, with the version as it was."""
    held = numbers()["engines"]
    held["glicko2"]["ratings"]["model-0"] += 1
    (fault,) = faults_of_engines(held)
    assert fault.startswith("glicko2: model-0 ") and "raise it" in fault
