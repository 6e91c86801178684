"""What is printed at which width: in real pseudo-terminals, and where there is none."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from eibench.testing import LoopbackServer

Bench = Callable[..., Any]
MAIN = "from eibench.core.cli import main; main()"


def in_a_terminal(width: int, *args: str) -> list[str]:
    """The lines that `bench` prints to a terminal of that width."""
    ours, theirs = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    set_width = f'stty cols {width} -onlcr && exec "$0" -c \'{MAIN}\' "$@"'
    command = ["sh", "-c", set_width, sys.executable, *args]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=env | {"TERM": "xterm"}
    ):
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    return re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", shown.decode()).splitlines()


def _read(terminal: int) -> bytes:
    """What was printed; nothing at the end, which Linux tells by an error."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


@pytest.mark.parametrize(("width", "left"), [(80, "complete"), (60, "eqbench-v1"), (50, "score")])
def test_a_run_is_a_line_in_a_narrow_terminal(bench: Bench, width: int, left: str) -> None:
    """Columns are left out before it is broken, what matters least first."""
    bench("run", "eqbench-v1", "--limit", "2")
    run_id = bench("runs", "--json").json["runs"][0]["run_id"]
    lines = in_a_terminal(width, "runs")
    assert max(map(len, lines)) <= width
    (row,) = [line for line in lines if run_id in line]
    assert "demo/medium DEMO" in row and any(left in line for line in lines)


@pytest.mark.parametrize("width", [40, 60])
def test_a_result_is_whole_in_a_narrow_terminal(bench: Bench, width: int) -> None:
    """No line runs over, and each mark of three dots is that of an interval."""
    bench("run", "seceu", "--limit", "4")
    run_id = bench("runs", "--json").json["runs"][0]["run_id"]
    lines = in_a_terminal(width, "show", run_id)
    assert max(map(len, lines)) <= width
    assert all(re.search(r"\d … -?\d", line) for line in lines if "…" in line)


def test_what_goes_into_a_file_does_not_depend_on_columns(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the shell has exported."""
    bench("run", "eqbench3", "--limit", "2")
    shown = []
    for columns in ("20", "300", None):
        if columns is None:
            monkeypatch.delenv("COLUMNS")
        else:
            monkeypatch.setenv("COLUMNS", columns)
        run_id = bench("runs", "--json").json["runs"][0]["run_id"]
        shown.append(bench("show", run_id).out + bench("runs").out)
    assert len(set(shown)) == 1


def test_hosts_of_models_and_judges_give_way_first(bench: Bench) -> None:
    """Before a column is left out: on 100 columns each run is a line with all of them."""
    with LoopbackServer() as server:
        url = server.base_url
        model = ("--model", "openai/m", "--base-url", url, "--judge-base-url", url)
        judges = ("--judge", "openai/first", "--judge", "openai/second")
        bench("run", "emotionqueen", *model, *judges, "--limit", "1", "--dataset", "bundled")
    lines = in_a_terminal(100, "runs")
    assert max(map(len, lines)) <= 100
    (row,) = [line for line in lines if "openai/m" in line]
    assert "mean of 2 judges" in row and "127.0.0.1" not in row
