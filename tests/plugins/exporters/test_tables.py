"""Runs as tidy tables: `bench export --format` and `RunSet.tables`."""

import csv
import importlib
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench.plugins.exporters.tables import ROWS

Bench = Callable[..., Any]
PAGE = Path(__file__).parents[3] / "docs/storage.md"


@pytest.fixture
def bench(invoke: Bench) -> Bench:
    """Runs a command here."""
    return invoke


@pytest.fixture
def documents(bench: Bench) -> list[dict[str, Any]]:
    """Two demo runs that were compared."""
    command = ("run", "eqbench3", "--limit", 3, "--json")
    return [bench(*command, "--model", f"demo/{name}").json for name in ("medium", "strong")]


def test_the_tables_hold_what_results_say(documents: list[dict[str, Any]]) -> None:
    """Runs, metrics, samples, grades and comparisons, each with its run."""
    tables = eibench.runs("runs").tables()
    assert [run.run_id for run in tables.runs] == [d["run_id"] for d in documents]
    last = documents[-1]
    found = {m.metric: m.value for m in tables.metrics if m.run_id == last["run_id"]}
    assert found == {name: metric["value"] for name, metric in last["metrics"].items()}
    assert len(tables.samples) == 6
    graded = {(g.run_id, g.item_id) for g in tables.grades if g.value is not None}
    assert len(graded) == 6
    read = {(c.item_id, c.first) for c in tables.comparisons if c.status == "read"}
    assert len(read) == last["comparisons"]["read"]
    assert {c.run_a for c in tables.comparisons} == {last["run_id"]}


def test_csv_has_the_same_rows(bench: Bench, documents: list[dict[str, Any]]) -> None:
    """One file for each table; with RUN, of that run alone."""
    assert bench("export", "--format", "csv", "-o", "tables").code == 0
    for name, rows in eibench.runs("runs").tables()._asdict().items():
        with Path("tables", f"{name}.csv").open(encoding="utf-8", newline="") as file:
            header, *lines = csv.reader(file)
        assert header == list(type(rows[0])._fields)
        assert lines == [["" if v is None else str(v) for v in row] for row in rows]
    bench("export", documents[0]["run_id"], "--format", "csv", "-o", "one")
    assert len(Path("one/runs.csv").read_text().splitlines()) == 2


def test_a_name_is_the_same_in_each_csv(bench: Bench) -> None:
    """One that a spreadsheet would take for a formula is no formula in any."""
    bench("run", "eqbench-v1", "--limit", 6, "--name", "@cf/strong")
    bench("export", "--format", "csv", "-o", "tables")
    with Path("tables/runs.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["name"] == "'@cf/strong"
    board = bench("leaderboard", "eqbench-v1", "--demo", "--csv").out
    assert row["name"] in board


def test_failed_samples_have_a_reason(bench: Bench) -> None:
    """Also one that was asked elsewhere."""
    Path("a.jsonl").write_text('{"item_id": "1", "error": "boom"}')
    bench("score", "eqbench-v1", "a.jsonl", "--save")
    (sample,) = eibench.runs("runs").tables().samples
    assert (sample.failed, sample.reason) == (True, "answered elsewhere: boom")
    assert eibench.runs("runs").tables().runs[0].elsewhere


def test_columns_are_documented() -> None:
    """docs/storage.md has each table with each column."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    for name, row in ROWS.items():
        (line,) = [one for one in lines if one.startswith(f"| `{name}` | a")]
        assert set(row._fields) <= set(re.findall(r"`(\w+)`", line)), name


def test_parquet_has_the_same_rows_or_says_what_is_missing(
    bench: Bench, documents: list[dict[str, Any]]
) -> None:
    """Columns have one type each, also where all is null."""
    done = bench("export", "--format", "parquet", "-o", "tables")
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        assert done.code == 3
        assert "eibench[parquet]" in done.err
        return
    for name, rows in eibench.runs("runs").tables()._asdict().items():
        table = parquet.read_table(f"tables/{name}.parquet")
        assert [tuple(row.values()) for row in table.to_pylist()] == [tuple(r) for r in rows]


@pytest.mark.parametrize("package", ["pandas", "polars", "duckdb"])
def test_the_examples_of_the_docs_run(
    bench: Bench, package: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With each package that is installed, also where ids are numbers first and texts later."""
    pytest.importorskip(package)
    bench("run", "eqbench-v1", "--iterations", 2)
    bench("run", "emobench", "--limit", 3)
    bench("export", "--format", "csv", "-o", "tables")
    (code,) = re.findall(rf"```python\n(import {package}\n.*?)```", PAGE.read_text(), re.S)
    exec(code, {})
    means = defaultdict[tuple[str | None, str], list[float]](list)
    for grade in eibench.runs("runs").tables().grades:
        means[grade.metric, grade.item_id].append(grade.value or 0.0)
    mean = {key: sum(values) / len(values) for key, values in means.items()}
    worst = [key for key in mean if mean[key] == min(mean.values())]
    printed = capsys.readouterr().out
    (first, *_) = [one for one in printed.splitlines() if re.search(r"\d\.\d", one)]
    assert any(str(metric) in first and item_id in first for metric, item_id in worst)


def test_wrong_wishes_are_refused(bench: Bench) -> None:
    """No run and no table; both kinds of comparisons."""
    assert bench("export", "-o", "x").code == 2
    assert bench("export", "--format", "csv", "--comparisons", "-o", "x").code == 2
