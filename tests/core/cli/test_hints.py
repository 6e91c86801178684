"""Commands that messages tell to type: pasted as they are, they mean what was meant."""

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.core.parties.party import Party
from eibench.core.reports.suggestions import bench as hinted
from eibench.core.reports.suggestions import judge_words
from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]
RUNS = "my runs; and more"
"""A name that a shell would take apart."""
_FORM = re.compile(r'"(\w+)": 0-(\d+)')
_CODE = re.compile(r"\[RESPONDENT (\w+)")


def judged(request: ReceivedRequest) -> str:
    """A model that says much, and a judge that grades or compares."""
    if request.model != "judge":
        return f"{request.model} thinks of it, and of what came before it, and waits. " * 5
    if codes := _CODE.findall(request.prompt):
        names = re.findall(r'"(\w+)": ', request.prompt)
        return json.dumps(dict.fromkeys(names, f"{codes[0]}++"))
    return json.dumps({name: 5 for name, _ in _FORM.findall(request.prompt)})


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    """Models and a judge."""
    with LoopbackServer(judged) as running:
        yield running


def asked(server: LoopbackServer, *more: object) -> tuple[object, ...]:
    """A run of eqbench3 with its judge there, in a folder of that name."""
    where = ("--base-url", server.base_url, "--judge-base-url", server.base_url)
    pack = ("--dataset", "bundled", "--runs-dir", RUNS)
    named = ("--model", "openai/one", "--judge", "openai/judge", "--temperature", 0.3)
    return ("run", "eqbench3", *named, *where, *pack, *more)


def command_in(text: str, after: str) -> list[str]:
    """The words of the command that follows, as a shell would take them, without `bench`."""
    plain = text.strip()
    message = plain.partition(after)[2] if after else plain
    assert message, plain
    words = shlex.split(message.partition("  ")[0])
    assert words[0] == "bench"
    return words[1:]


def another_in(out: str) -> str:
    """The line below the one that says why there is no rating."""
    lines = out.splitlines()
    (at,) = (n for n, line in enumerate(lines) if line.startswith("rating "))
    assert lines[at].endswith("no other model was compared; run another one on this pack")
    return lines[at + 1]


def test_the_command_for_another_model_makes_ratings(bench: Bench, server: LoopbackServer) -> None:
    """With the same judge at its address, pack, sampling and runs; only SPEC is to be filled in."""
    first = bench(*asked(server))
    words = command_in(another_in(first.out), "")
    assert words[:2] == ["run", "eqbench3"] and words.count("SPEC") == 1
    words[words.index("SPEC")] = "openai/two"
    done = bench(*words, "--base-url", server.base_url, "--json")
    assert done.code == 0, done.err
    assert done.json["comparisons"]["opponents"] == ["openai/one"]
    assert done.json["sampling"]["temperature"] == 0.3
    assert {Path(RUNS)} == {path for path in Path().iterdir() if path.is_dir()}


def test_a_stored_result_tells_the_same_command(bench: Bench, server: LoopbackServer) -> None:
    """Of the judge's address it knows the host, and takes the usual path there."""
    first = bench(*asked(server))
    (document,) = Path(RUNS).glob("*.json")
    run_id = json.loads(document.read_text())["run_id"]
    shown = bench("show", run_id, "--runs-dir", RUNS)
    assert another_in(first.out) == another_in(shown.out)


def test_the_next_step_is_about_the_same_runs_and_settings(
    bench: Bench, server: LoopbackServer
) -> None:
    """`bench show` finds the run, with the folder and the settings file that were given."""
    Path("my.toml").write_text("[run]\nconcurrency = 2\n")
    done = bench(*asked(server, "--no-elo", "--limit", 1, "--config", "my.toml"))
    words = command_in(done.err, "next: ")
    assert words[words.index("--config") :][:2] == ["--config", "my.toml"]
    end = words.index("my.toml") + 1
    shown = bench(*words[:end])
    assert shown.code == 0 and "openai/one" in shown.out


def test_an_unknown_run_is_told_where_the_runs_are_listed(bench: Bench) -> None:
    """In the folder that was looked into."""
    bench("run", "eqbench-v1", "--limit", 1, "--runs-dir", RUNS)
    done = bench("show", "ffff", "--runs-dir", RUNS)
    words = command_in(done.err.replace(" lists them", "  "), "demo; ")
    assert "run" not in bench(*words).err
    assert words == ["runs", "--demo", "--runs-dir", RUNS]


def test_a_command_without_place_has_none(bench: Bench) -> None:
    """What one command was given is not said to the next."""
    bench("runs", "--runs-dir", RUNS)
    bench("runs")
    assert hinted("show", "a b") == "bench show 'a b'"


@pytest.mark.parametrize(
    ("judge", "url", "words"),
    [
        (None, None, []),
        (Party.of("openai/gpt-4.1"), None, ["--judge", "openai/gpt-4.1"]),
        (
            Party.of("openai/j", "local"),
            None,
            ["--judge", "openai/j", "--judge-base-url", "URL"],
        ),
        (
            Party.of("openai/j", "api.example.org"),
            None,
            ["--judge", "openai/j", "--judge-base-url", "https://api.example.org/v1"],
        ),
        (
            Party.of("openai/j", "gpu"),
            None,
            ["--judge", "openai/j", "--judge-base-url", "gpu"],
        ),
        (
            Party.of("openai/j", "local"),
            "http://gpu:8000/llm/v1",
            ["--judge", "openai/j", "--judge-base-url", "http://gpu:8000/llm/v1"],
        ),
    ],
)
def test_a_judge_is_named_with_its_address(
    judge: Party | None, url: str | None, words: list[str]
) -> None:
    """Else the command would go to the provider, with the user's key."""
    assert judge_words(judge, {judge: url} if judge and url else {}) == words
