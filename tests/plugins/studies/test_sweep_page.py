"""The page "Models by benchmarks": whole results beside each other, and curves over steps."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import eibench
from eibench import Drawing, Plot, Table
from eibench.plugins.studies.sweep_page import sweep_page


def _documents(folder: Path) -> list[Any]:
    with eibench.runs(folder) as runs:
        return [run.document for run in runs]


def test_the_page_has_numbers_shades_and_curves(bench: Callable[..., Any], tmp_path: Path) -> None:
    """Of three checkpoints on two benchmarks; without a second benchmark or step there is none."""
    bench("run", "eqbench-v2", "--model", "demo/weak", "--name", "run@1")
    assert sweep_page(_documents(Path("runs"))) is None
    for model, step in (("demo/medium", 2), ("demo/strong", 3)):
        bench("run", "eqbench-v2", "--model", model, "--name", f"run@{step}")
    bench("run", "seceu", "--model", "demo/strong", "--name", "run@3")
    heat, plot, table = sweep_page(_documents(Path("runs"))) or []
    assert isinstance(heat, Drawing) and isinstance(plot, Plot) and isinstance(table, Table)
    assert [row[0] for row in table.rows] == ["run@1", "run@2", "run@3"]
    assert table.rows[0][2] == "–" and "…" in str(table.rows[2][1])
    assert [x for x, _ in plot.series[0].points] == [1, 2, 3]
    assert heat.svg.count("<rect") == 4
    bench("run", "eqbench-v2", "--model", "demo/weak", "--name", "part@1", "--limit", "3")
    *_, apart = sweep_page(_documents(Path("runs"))) or []
    assert isinstance(apart, Table)
    assert "eqbench-v2, 3 items" in apart.columns, "a part is not set beside the whole"
    bench("site", "-o", str(tmp_path / "site"))
    page = next((tmp_path / "site").rglob("models-by-benchmarks*")).read_text("utf-8")
    assert "Models by benchmarks" in page and "<svg" in page
