"""Comparisons of a benchmark that makes none unless it is asked to are in reach of every reader."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.core.plugins import installed
from eibench.core.settings.rules import comparing_words
from tests.conftest import enter_empty_place, run_here

Bench = Callable[..., Any]
N = 4
"""Two items, each in both orders."""
RATING = ">1626<"
"""Of demo/strong."""


@pytest.fixture(scope="session")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two demo models that were compared once, and then run again without comparisons."""
    with pytest.MonkeyPatch.context() as patch:
        work = enter_empty_place(tmp_path_factory.mktemp("compared"), patch)
        models = ("--model", "demo/weak", "--model", "demo/strong", "--limit", "2")
        for switch in (["--elo"], []):
            done = run_here("run", "confidant", *models, *switch)
            assert done.code == 0, done.err
        return work / "runs"


@pytest.fixture
def runs(compared: Path, empty_place: Path) -> Path:
    """A copy of their runs, where commands look."""
    return Path(shutil.copytree(compared, empty_place / "runs"))


def in_file(pattern: str, text: str) -> bool:
    """Whether a file that a command wrote has a text."""
    return any(text in path.read_text(encoding="utf-8") for path in Path().glob(pattern))


@pytest.mark.parametrize(
    ("command", "count"),
    [
        (("leaderboard", "confidant", "--json"),
         lambda done: sum(row["comparisons"] for row in done.json["rows"]) / 2),
        (("judge-report", "confidant", "--json"), lambda done: done.json["counts"]["comparisons"]),
        (("rate", "confidant", "--json"), lambda done: done.json["diagnostics"]["comparisons"]),
        (("export", "demo/weak", "demo/strong", "--comparisons", "-o", "c.jsonl"),
         lambda done: len(Path("c.jsonl").read_text(encoding="utf-8").splitlines())),
        (("show", "demo/strong", "--json"), lambda done: done.json["comparisons"]["read"]),
        (("report", "demo/strong", "-o", "r.html"), lambda done: N * in_file("r.html", RATING)),
        (("site", "-o", "site"), lambda done: N * in_file("site/boards/*.html", RATING)),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)  # fmt: skip
def test_each_reader_has_what_was_paid_for(
    bench: Bench, runs: Path, command: tuple[str, ...], count: Callable[[Any], int]
) -> None:
    """Also after a run that was not to compare."""
    done = bench(*command)
    assert done.code == 0, done.err
    assert count(done) == N


def test_the_switch_is_in_the_advice(bench: Bench) -> None:
    """Where nothing was compared yet, the command that would compare is the one to type."""
    assert bench("run", "confidant", "--model", "demo/weak", "--limit", "1").code == 0
    for command in ("judge-report", "rate"):
        done = bench(command, "confidant")
        assert done.code == 2
        assert "bench run confidant --elo on two models makes some" in done.err


def test_a_benchmark_without_comparisons_is_not_told_to_make_some(bench: Bench) -> None:
    """It never will."""
    assert bench("run", "eqbench-v2", "--limit", "1").code == 0
    for command in ("judge-report", "rate"):
        assert "eqbench-v2 does not compare models" in bench(command, "eqbench-v2").err


def test_settings_of_comparisons_need_the_switch(bench: Bench) -> None:
    """They are refused where nothing will be compared, and not only dropped."""
    for given in (("--orders", "one"), ("--without", "x")):
        done = bench("run", "confidant", *given)
        assert f"{given[0]} is about comparisons" in done.err


@pytest.mark.parametrize(
    ("name", "words"), [("eqbench3", []), ("confidant", ["--elo"]), ("eqbench-v2", None)]
)
def test_what_is_typed_to_compare(name: str, words: list[str] | None) -> None:
    """Nothing, the switch, or there is no way."""
    assert comparing_words(installed().benchmark(name)) == words
