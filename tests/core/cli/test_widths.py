"""What is printed at which width: in real pseudo-terminals, and where there is none."""

import os
import re
from collections.abc import Callable
from typing import Any

import pytest

from eibench.testing import LoopbackServer
from tests.processes import on_a_terminal

Bench = Callable[..., Any]


def in_a_terminal(width: int, *args: str) -> list[str]:
    """The lines that `bench` prints to a terminal of that width."""
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    shown, _ = on_a_terminal(args, env=env | {"TERM": "xterm"}, width=width)
    return re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", shown).splitlines()


@pytest.mark.parametrize(("width", "left"), [(80, "partial"), (60, "eqbench-v1"), (50, "score")])
def test_a_run_is_a_line_in_a_narrow_terminal(bench: Bench, width: int, left: str) -> None:
    """Columns are left out before it is broken, what matters least first."""
    bench("run", "eqbench-v1", "--limit", "2")
    run_id = bench("runs", "--json").json["runs"][0]["run_id"]
    lines = in_a_terminal(width, "runs", "--demo")
    assert max(map(len, lines)) <= width
    (row,) = [line for line in lines if run_id in line]
    assert "demo/medium" in row and any(left in line for line in lines)


@pytest.mark.parametrize("width", [40, 60])
def test_a_result_is_whole_in_a_narrow_terminal(bench: Bench, width: int) -> None:
    """No line runs over, and each mark of three dots is that of an interval."""
    bench("run", "seceu", "--limit", "4")
    run_id = bench("runs", "--json").json["runs"][0]["run_id"]
    lines = in_a_terminal(width, "show", run_id)
    assert max(map(len, lines)) <= width
    assert all(re.search(r"\d … -?\d", line) for line in lines if "…" in line)


@pytest.mark.parametrize("width", [60, 80])
def test_a_narrow_board_has_both_ends_of_intervals(bench: Bench, width: int) -> None:
    """Other columns are left out for them."""
    bench("run", "emobench", "--dataset", "bundled", "--model", "demo/strong")
    lines = in_a_terminal(width, "leaderboard", "emobench", "--demo")
    assert max(map(len, lines)) <= width
    (row,) = [line for line in lines if "demo/strong" in line and "│" in line]
    assert re.search(r" [01]\.\d\d │ 0\.\d\d … [01]\.\d\d │", row)


def test_what_goes_into_a_file_is_as_wide_as_columns_says(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it is exported; else tables have their own width, and prose one that is fixed."""
    bench("run", "eqbench3", "--limit", "2")
    run_id = bench("runs", "--json").json["runs"][0]["run_id"]
    widths = []
    for columns in ("60", "300", "none", ""):
        monkeypatch.setenv("COLUMNS", columns)
        shown = (bench("show", run_id).out + bench("runs").out).splitlines()
        tables = [line for line in shown if line.startswith(("│", "╭"))]
        widths.append(max(map(len, tables)))
    assert widths[0] <= 60 < widths[1] == widths[2] == widths[3] == widths[1]


def panels(bench: Bench) -> None:
    """Two runs of one model on one pack, by two panels, and one that came to nothing."""
    with LoopbackServer() as server:
        url = server.base_url
        run = ("run", "emotionqueen", "--limit", "1", "--dataset", "bundled")
        model = ("--model", "openai/a-model-of-our-own", "--base-url", url)
        for last in ("second", "third"):
            judges = ("--judge", "openai/first", "--judge", f"openai/{last}")
            bench(*run, *model, *judges, "--judge-base-url", url, "--fresh")


@pytest.mark.parametrize("width", [80, 100])
def test_pack_and_judge_of_a_run_stay_in_its_line(bench: Bench, width: int) -> None:
    """Hosts and providers go first; how it ended stays, and the date where rows look alike."""
    panels(bench)
    lines = in_a_terminal(width, "runs")
    assert max(map(len, lines)) <= width
    rows = [line for line in lines if "a-model-of-our-own" in line]
    assert len(rows) == 2
    for row in rows:
        assert "incomplete" in row and "at local" not in row
        assert "bundled" in row or re.search(r" \d\d-\d\d \d\d:\d\d", row)
        assert "mean of 2" in row


def test_hosts_are_listed_with_details(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without, panels are told apart by their judges' names alone."""
    panels(bench)
    details = bench("runs", "--details").out
    monkeypatch.delenv("BENCH_DETAILS")
    plain = bench("runs").out
    assert "openai/first at local" in details and "at local" not in plain
    assert "mean(openai/first,openai/third)" in plain
    assert max(map(len, plain.splitlines())) < 160
