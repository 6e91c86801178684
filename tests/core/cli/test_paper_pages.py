"""The pages that show commands on the v1 paper's numbers say what these commands say."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eibench

Bench = Callable[..., Any]
ROOT = Path(eibench.__file__).resolve().parents[2]
PAGES = {
    name: (ROOT / "docs" / name).read_text(encoding="utf-8")
    for name in ("correlations.md", "statistics.md")
}
COMMANDS = [
    shlex.split(found.replace("\\\n", " "))[1:]
    for page in PAGES.values()
    for found in re.findall(r"^bench (?:correlate|repeat) data/(?:.*\\\n)*.*", page, re.M)
]
COLUMNS = {
    "MMLU": "mmlu", "Arena Elo": "arena_elo", "HellaSwag": "hellaswag", "MT-bench": "mt_bench",
    "ARC": "arc", "AlpacaEval": "alpaca_eval", "TruthfulQA": "truthfulqa", "SECEU EQ": "seceu_eq",
}  # fmt: skip


def short(value: float, digits: int) -> str:
    """A coefficient as the page writes it: without the zero before the point."""
    return f"{value:.{digits}f}".replace("0.", ".")


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the table whose heading begins so."""
    table = PAGES[page].split(f"| {heading}", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table]


def test_the_pages_show_commands() -> None:
    """Or the next test would hold of nothing."""
    assert len(COMMANDS) == 5


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_each_command_works_as_it_stands(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """From the root of a clone."""
    monkeypatch.chdir(ROOT)
    done = bench(*words)
    assert (done.code, done.err) == (0, "")


def test_table_of_correlations(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every number of it, to the digits that it has."""
    monkeypatch.chdir(ROOT)
    found = bench(*COMMANDS[0], "--json").json["correlations"]
    by_column = {row["y"]: row for row in found}
    shown = rows("correlations.md", "EQ-Bench with")
    assert {COLUMNS[row[0]] for row in shown} == by_column.keys()
    for name, n, r, interval, rho, _ in shown:
        row = by_column[COLUMNS[name]]
        low, high = (short(end, 2) for end in row["pearson"]["ci95"])
        assert n == str(row["n"])
        assert r == short(row["pearson"]["value"], 4)
        assert interval == f"{low} to {high}"
        assert rho == short(row["spearman"]["value"], 2)


def test_table_of_reruns(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The averages that stand beside the text's."""
    monkeypatch.chdir(ROOT)
    found = bench(*COMMANDS[-1], "--json").json
    spreads, changes = (row[2] for row in rows("statistics.md", "| the text"))
    overall = [found["overall"][name] for name in ("first_pass", "revised")]
    means = [f"{100 * o['mean_cv_sample']:.2f} %" for o in overall]
    medians = [f"{100 * o['median_cv_sample']:.2f} %" for o in overall]
    assert spreads == (
        f"{means[0]} first pass, {means[1]} revised; medians {medians[0]} and {medians[1]}"
    )
    change = {name: f"{100 * found['change'][name]:.2f} %" for name in
              ("mean_over_models", "mean_over_reruns", "of_means")}  # fmt: skip
    assert changes == (
        f"{change['mean_over_models']} mean over models, "
        f"{change['mean_over_reruns']} mean over reruns, {change['of_means']} of the means"
    )
    without = bench(*COMMANDS[-1], "--without", "text-davinci-001", "--json").json
    means = [f"{100 * o['mean_cv_sample']:.2f} %" for o in without["overall"].values()]
    change_without = f"{100 * without['change']['mean_over_models']:.2f} %"
    message = f"the mean CVs are {means[0]} and {means[1]}, and the mean improvement is "
    assert message + change_without in " ".join(PAGES["statistics.md"].split())
