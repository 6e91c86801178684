"""A setting that is declared once is there everywhere: the package with one more, in a copy."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench.testing import LoopbackServer, uniform_ratings
from tests.processes import MAIN

PACKAGE = Path(eibench.__file__).parent
ADDED = """\
    frequency_penalty: float | None = _parameter(
        "F", NumberRule(-2, 2), "Avoid what was said.", unknown_to=(ANTHROPIC,)
    )
"""
BEFORE = "    max_tokens: int | None = _parameter("
Python = Callable[..., str]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package, all links but for the one file that declares sampling."""
    made = tmp_path_factory.mktemp("copy")
    link_all(PACKAGE, made / "eibench", but="core")
    link_all(PACKAGE / "core", made / "eibench" / "core", but="types")
    types = made / "eibench" / "core" / "types"
    link_all(PACKAGE / "core" / "types", types, but="__init__.py")
    text = (PACKAGE / "core" / "types" / "__init__.py").read_text(encoding="utf-8")
    assert text.count(BEFORE) == 1
    added = text.replace(BEFORE, ADDED + BEFORE)
    (types / "__init__.py").write_text(added, encoding="utf-8")
    return made


def link_all(folder: Path, into: Path, *, but: str) -> None:
    """Link what is in a folder into a new one, but for one thing."""
    into.mkdir()
    for path in folder.iterdir():
        if path.name not in (but, "__pycache__"):
            (into / path.name).symlink_to(path.resolve())


@pytest.fixture
def python(copy: Path, empty_place: Path) -> Python:
    """What a program prints that has the package with the added setting."""

    def run(code: str, *args: object, code_of_exit: int = 0, **env: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, args)],
            capture_output=True, text=True, check=False, timeout=60,
            env={**os.environ, "PYTHONPATH": str(copy), "COLUMNS": "200", **env},
        )  # fmt: skip
        assert done.returncode == code_of_exit, done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    """A model that gives readable ratings."""
    with LoopbackServer(uniform_ratings()) as made:
        yield made


def asked(server: LoopbackServer, *more: object, model: str = "openai/m") -> tuple[object, ...]:
    """The words of a command that asks it one question."""
    target = ("--model", model, "--base-url", server.base_url)
    return ("run", "eqbench-v1", "--limit", 1, "--json", *target, *more)


def result_of(printed: str) -> dict[str, Any]:
    """The document in what a command printed."""
    return dict(json.JSONDecoder().raw_decode(printed[printed.index("{") :])[0])


def test_help_and_docs_have_it(python: Python) -> None:
    """With its value and its range."""
    words = python(MAIN, "run", "--help").split()
    assert "--frequency-penalty F Avoid what was said. [-2<=x<=2]" in " ".join(words)
    row = "| `--frequency-penalty F` | Avoid what was said. [-2"
    path = PACKAGE.parents[1] / "docs"
    page = python("import sys; sys.path.append(sys.argv[1]); import commands as c; print(c.page())",
                  path)  # fmt: skip
    assert row in page


WAYS = {
    "option": (("--frequency-penalty", "0.5"), {}, ""),
    "variable": ((), {"BENCH_FREQUENCY_PENALTY": "0.5"}, ""),
    "file": ((), {}, "[run]\nfrequency-penalty = 0.5\n"),
}


@pytest.mark.parametrize(("words", "env", "file"), WAYS.values(), ids=WAYS)
def test_each_way_to_give_it_reaches_the_server(
    python: Python, server: LoopbackServer, words: tuple[str, ...], env: dict[str, str], file: str
) -> None:
    """In the request's body."""
    Path("bench.toml").write_text(file, encoding="utf-8")
    python(MAIN, *asked(server, *words), **env)
    assert server.requests[0].body["frequency_penalty"] == 0.5


def test_python_has_it(python: Python, server: LoopbackServer) -> None:
    """As an argument, in the signature and in what `help` shows; held to its range."""
    code = """
import inspect, sys, eibench
assert "frequency_penalty" in inspect.signature(eibench.run).parameters
assert "frequency_penalty: Avoid what was said." in eibench.run.__doc__
target = {"model": "openai/m", "base_url": sys.argv[1], "limit": 1}
eibench.run("eqbench-v1", **target, frequency_penalty=0.5)
eibench.run("eqbench-v1", **target, frequency_penalty=3)
"""
    printed = python(code, server.base_url, code_of_exit=1)
    assert "frequency_penalty must be a number from -2 to 2, or none, not 3" in printed
    assert [r.body["frequency_penalty"] for r in server.requests] == [0.5]


def test_it_is_held_to_its_range(python: Python, server: LoopbackServer) -> None:
    """By whatever way it comes."""
    message = "a number from -2 to 2"
    words = asked(server, "--frequency-penalty", 3)
    assert message in python(MAIN, *words, code_of_exit=2)
    Path("bench.toml").write_text("[run]\nfrequency-penalty = 3\n", encoding="utf-8")
    assert message in python(MAIN, *asked(server), code_of_exit=3)
    assert not server.requests


def test_it_makes_another_run(python: Python, server: LoopbackServer) -> None:
    """Another value is asked anew; without one the run is that of before."""
    args = asked(server)
    plain = result_of(python(MAIN, *args))["run_id"]
    other = result_of(python(MAIN, *args, "--frequency-penalty", 0.5))["run_id"]
    again = result_of(python(MAIN, *args))["run_id"]
    assert plain == again != other and len(server.requests) == 2


def test_results_say_that_it_was_changed_and_how_to_ask_the_same(python: Python) -> None:
    """In the comparability line, and in the command that `bench show` suggests."""
    added = ("--frequency-penalty", 0.5)
    made = result_of(python(MAIN, "run", "eqbench3", "--limit", 1, *added, "--json"))
    assert "changed: frequency_penalty=0.5" in made["comparability"]
    shown = " ".join(python(MAIN, "show", made["run_id"], "--details").split())
    assert re.search(r"bench run eqbench3 --model SPEC .*--frequency-penalty 0\.5", shown)


def test_where_it_is_not_known_it_is_not_sent_and_that_is_said(
    python: Python, server: LoopbackServer
) -> None:
    """Of the API that the declaration names."""
    args = asked(server, "--frequency-penalty", 0.5, model="anthropic/m")
    made = result_of(python(MAIN, *args))
    assert "frequency_penalty" not in server.requests[0].body
    assert "frequency_penalty=0.5 asked for and not sent" in made["comparability"]
    assert any("does not take frequency_penalty" in warning for warning in made["warnings"])
