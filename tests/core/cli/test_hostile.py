"""Arguments that nobody means well: one line that says what, where and what to do."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.core.cli.app import _fail

Bench = Callable[..., Any]
LONG = "a" * 300
NOT_UTF8 = os.fsdecode(b"caf\xe9")
HALF = "\ud83d"
REAL = ("--model", "openai/x", "--base-url", "http://127.0.0.1:9/v1")
RUN = ("run", "eqbench-v1", "--limit", "1")
NO_TEXT = "holds what is no text (bytes that are not UTF-8"
CASES: dict[str, tuple[tuple[str, ...], int, str]] = {
    "a limit that is no sum": (
        (*RUN, "--max-cost", "1e308"),
        2,
        "from 0 to 1,000,000,000,000",
    ),
    "a price that is no sum": ((*RUN, "--price", "1e308,1"), 2, "each from 0 to 1,000,000,000"),
    "iterations without end": (
        ("run", "eqbench-v1", "--iterations", "9" * 20),
        2,
        "from 1 to 100,000",
    ),
    "tokens without end": ((*RUN, "--max-tokens", "9" * 400), 2, "is not a whole number from 1"),
    "a long folder": ((*RUN, "--runs-dir", LONG), 4, "too long; name another folder with --runs-"),
    "a long folder of runs": (("runs", "--runs-dir", LONG), 4, "name another folder"),
    "a long folder to show": (("show", "X", "--runs-dir", LONG), 4, "name another folder"),
    "a long pack": ((*RUN, "--dataset", LONG), 3, "cannot be read: File name too long"),
    "a name": ((*RUN, "--name", NOT_UTF8), 2, f"--name {NO_TEXT}"),
    "half a sign": ((*RUN, "--name", HALF), 2, f"--name {NO_TEXT}"),
    "a prompt": ((*RUN, "--system", NOT_UTF8), 2, f"--system {NO_TEXT}"),
    "a note": ((*RUN, "--note", f"a={NOT_UTF8}"), 2, f"--note {NO_TEXT}"),
    "an effort": ((*RUN, "--reasoning-effort", NOT_UTF8), 2, f"--reasoning-effort {NO_TEXT}"),
    "a model": ((*RUN, *REAL, "--model", f"openai/{NOT_UTF8}"), 2, f"--model {NO_TEXT}"),
    "a body": ((*RUN, *REAL, "--extra-body", '{"a": "\\ud83d"}'), 2, f"--extra-body {NO_TEXT}"),
    "an item": (("run", "eqbench-v1", "--items", NOT_UTF8), 2, "the pack has no such item"),
    "requests": (("prompts", "eqbench-v1", "--system", NOT_UTF8), 2, f"--system {NO_TEXT}"),
    "settings of a device": ((*RUN, "--config", os.devnull), 3, "it is a device or a pipe"),
    "a prompt of a device": ((*RUN, "--system", f"@{os.devnull}"), 2, "it is a device or a pipe"),
    "answers of a device": (("score", "eqbench-v1", os.devnull), 3, "it is a device or a pipe"),
}


@pytest.mark.parametrize(("args", "code", "message"), CASES.values(), ids=CASES)
def test_one_line_and_no_traceback(
    bench: Bench, args: tuple[str, ...], code: int, message: str
) -> None:
    """Nothing is unexpected about it, and nothing is made."""
    done = bench(*args)
    assert (done.code, done.out) == (code, "")
    assert message in done.err and "unexpected" not in done.err
    assert done.err.count("\n") == 1
    assert not Path("runs").exists()


@pytest.mark.parametrize("command", ["show", "delete"])
def test_a_run_that_no_text_names(bench: Bench, command: str) -> None:
    """The journal is not called damaged for what is looked for."""
    assert bench(*RUN).code == 0
    done = bench(command, NOT_UTF8)
    assert done.code == 2 and "what is looked for is no text" in done.err


def test_answers_under_a_name_that_is_no_text(bench: Bench) -> None:
    """Refused when it is given; when it is that of the file, shown as well as can be."""
    answers = Path(f"{NOT_UTF8}.jsonl")
    answers.write_text('{"item_id": "1", "response": "a"}\n')
    given = bench("score", "eqbench-v1", answers, "--name", HALF)
    assert given.code == 2 and f"--name {NO_TEXT}" in given.err
    assert bench("score", "eqbench-v1", answers, "--json").json["name"] == "caf\ufffd"


def test_settings_that_are_too_large(bench: Bench) -> None:
    """A file of the wrong kind is not read to its end."""
    Path("bench.toml").write_text("#" * (4 * 2**20 + 1))
    done = bench("config")
    assert done.code == 3 and "bench.toml: cannot be read: it has more than 4 MiB" in done.err


def test_a_traceback_is_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    """What --debug shows of files and plugins commands no terminal and turns no text."""
    try:
        raise ValueError("a\x1b]0;title\x07b\u202ec\x00")
    except ValueError:
        _fail("failed", 3, "unexpected", debug=True, as_json=False)
    message = capsys.readouterr().err
    assert "Traceback" in message and r"a\x1b]0;title\x07b\x202ec\x00" in message
    assert not {"\x1b", "\x07", "\u202e", "\x00"} & set(message)


@pytest.mark.parametrize("command", [["rate"], ["correlate"], ["plugin", "check"]])
def test_a_name_that_no_file_can_have(bench: Bench, command: list[str]) -> None:
    """It is one line, as of any other file that is not there."""
    done = bench(*command, "y" * 300)
    assert done.code == 3
    assert re.fullmatch(r"Error: 'y{1,59}: File name too long\n", done.err)
