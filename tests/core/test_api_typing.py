"""The Python API as type checkers see it; mypy checks this file, the tests only run it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, assert_type

import pytest

import eibench


def test_results_have_types(tmp_path: Path) -> None:
    """What comes back is not Any."""
    result = assert_type(
        eibench.run("eqbench-v1", limit=1, dataset="bundled", runs_dir=tmp_path), eibench.Result
    )
    assert_type(result.value, float | None)
    assert_type(result.status, str)
    assert_type(result.complete, bool)
    assert_type(result.metrics, dict[str, eibench.Metric])
    assert_type(result.metrics["score"].ci95, tuple[float, float] | None)
    assert_type(result.items, eibench.Counts)
    assert_type(result.items.scored, int)
    assert_type(result.cost_usd, float | None)
    assert_type(result.document, eibench.ResultDocument)
    assert_type(result.scores, Mapping[str, Sequence[Mapping[str, Any]]])
    assert_type(result.raise_for_status(), eibench.Result)


def test_a_result_is_not_changed_in_place() -> None:
    """A type checker sees who would: another result is another document."""

    def change(document: eibench.ResultDocument) -> None:
        document["status"] = "complete"  # type: ignore[typeddict-readonly-mutated]
        document["items"]["failed"] = 0  # type: ignore[typeddict-readonly-mutated]
        document["warnings"].append("")  # type: ignore[attr-defined]

    assert callable(change)


async def test_coroutines_have_types(tmp_path: Path) -> None:
    """Awaiting gives the same."""
    assert_type(await eibench.run_async("eqbench-v1", limit=1, runs_dir=tmp_path), eibench.Result)
    assert_type(await eibench.score_async("eqbench-v1", {"1": "x"}), eibench.Result)


def test_wrong_arguments_are_seen(tmp_path: Path) -> None:
    """A type checker complains (each ignore is needed), and so does the program."""
    with pytest.raises(TypeError):
        eibench.run("eqbench-v1", modle="demo/weak")  # type: ignore[call-arg]
    with pytest.raises(eibench.UsageError):
        eibench.run("eqbench-v1", iterations="3")  # type: ignore[arg-type]
    with pytest.raises(eibench.DataError):
        eibench.score("eqbench-v1", 5)  # type: ignore[arg-type]


def test_every_form_of_answers_is_allowed() -> None:
    """By a type checker."""
    by_key: dict[tuple[str, int], str] = {("1", 1): "x"}
    assert_type(eibench.score("eqbench-v1", by_key), eibench.Result)
    rows = [{"item_id": "1", "response": "x"}]
    assert_type(eibench.score("eqbench-v1", rows), eibench.Result)
    assert_type(eibench.score("eqbench-v1", iter(rows)), eibench.Result)


def test_progress_may_be_either(tmp_path: Path) -> None:
    """A function of the counters, or the counters."""

    def watch(progress: eibench.Progress) -> None:
        assert_type(progress.done, int)

    eibench.run("eqbench-v1", limit=1, runs_dir=tmp_path, progress=watch)
    eibench.run("eqbench-v1", limit=1, runs_dir=tmp_path, progress=eibench.Progress())
