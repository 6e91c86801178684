"""An option that is given twice, or in vain, is refused: nothing is dropped in silence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

import eibench
from eibench import UsageError
from eibench.core.cli.app import app
from eibench.core.cli.command import Command, Group
from eibench.core.hooks.names import COMMANDS

Bench = Callable[..., Any]
REAL = ("run", "eqbench3", "--model", "openai/x", "--dry-run")
TWO = ("--judge", "openai/a", "--judge", "openai/b")
TWICE = {
    "a limit": (("run", "eqbench-v1", "--limit", 1, "--limit", 2), "--limit is given twice: give"),
    "the same limit": (("run", "eqbench-v1", "--limit", 1, "--limit", 1), "--limit is given twice"),
    "thrice": (("runs", *["--runs-dir", "x"] * 3), "--runs-dir is given 3 times: give it once"),
    "a variable of a key": (
        ("run", "eqbench-v1", "--api-key-env", "A", "--api-key-env", "B"),
        "--api-key-env is given twice",
    ),
    "an own option": (
        ("score", "eqbench-v1", "f", "--parser", "strict", "--parser", "reference"),
        "--parser is given twice",
    ),
    "a switch and its contrary": (
        ("run", "eqbench-v1", "--revise", "--no-revise"),
        "--revise is given twice",
    ),
    "a letter": (("prompts", "eqbench-v1", "-o", "a", "--output", "b"), "--output is given twice"),
    "a judge": (
        (*REAL, "--judge", "openai/a", "--judge", "openai/a"),
        "--judge openai/a is given twice",
    ),
    "another judge": (
        ("rejudge", "x", "--judge", "openai/a", "--judge", "openai/b"),
        "bench rejudge takes one judge at a time; bench run with each --judge makes a panel",
    ),
    "two judges in one text": (
        (*REAL, "--judge", "openai/a,openai/b"),
        "--judge names 2 judges; give --judge once for each",
    ),
    "two addresses of all judges": (
        (*REAL, *TWO, "--judge-base-url", "http://a/v1", "--judge-base-url", "http://b/v1"),
        "--judge-base-url is given twice; give it once for all judges, or as JUDGE=...",
    ),
    "a rule for one judge": (
        (*REAL, "--judge", "openai/a", "--panel", "median"),
        "--panel is about several judges; give --judge once for each",
    ),
    "a vote on numbers": (
        (*REAL, *TWO, "--panel", "majority"),
        "--panel majority is for verdicts of yes or no, and those of eqbench3 are numbers",
    ),
    "orders without comparisons": (
        (*REAL, "--no-elo", "--no-rubric", "--orders", "one"),
        "--orders is about comparisons, which eqbench3 makes with its usual options",
    ),
}


@pytest.mark.parametrize(("args", "message"), TWICE.values(), ids=TWICE)
def test_what_would_be_dropped_is_refused(
    bench: Bench, args: tuple[Any, ...], message: str
) -> None:
    """Exit 2, and the message names the option."""
    done = bench(*args)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not Path("runs").exists()


def test_a_switch_twice_is_one(bench: Bench) -> None:
    """`--json --json` means what `--json` does."""
    assert bench("list", "--json", "--json").json["benchmarks"]


def test_a_quorum_that_nobody_can_meet_is_refused(bench: Bench) -> None:
    """With the variable that sets it."""
    done = bench(*REAL, *TWO, env={"BENCH_QUORUM": "3"})
    assert done.code == 2
    assert "[run] quorum 3 is more than the 2 judges (set by BENCH_QUORUM)" in done.err


def test_an_overlap_of_judges_that_all_grade_is_refused_in_python(empty_place: Path) -> None:
    """In a file it is for the runs that rotate."""
    with pytest.raises(UsageError, match=r"^overlap goes with panel rotate alone"):
        eibench.run("eqbench3", model="openai/x", judge=["openai/a", "openai/b"], overlap=0.5)


def judges_of(plan: Any) -> str:
    """The judge that a plan names."""
    return str(plan.json["runs"][0]["judge"])


def test_two_judges_of_the_environment_are_a_panel(bench: Bench) -> None:
    """A variable holds several, with blanks between."""
    done = bench(*REAL, "--json", env={"BENCH_JUDGE": "openai/a openai/b"})
    assert judges_of(done) == "mean(openai/a,openai/b)"


def test_two_judges_of_the_file_are_a_panel(bench: Bench) -> None:
    """As a list."""
    Path("bench.toml").write_text('[run]\njudge = ["openai/a", "openai/b"]\npanel = "median"\n')
    done = bench(*REAL, "--json")
    assert judges_of(done) == "median(openai/a,openai/b)"


def test_two_judges_in_one_text_are_refused_in_python(empty_place: Path) -> None:
    """With what to do."""
    with pytest.raises(UsageError, match="names 2 judges; give judge once for each"):
        eibench.run("eqbench3", model="openai/x", judge="openai/a openai/b")


def leaves(command: click.Command, name: str) -> list[tuple[str, click.Command]]:
    """A command, or those of a group."""
    if not isinstance(command, click.Group):
        return [(name, command)]
    assert isinstance(command, Group), name
    return [found for sub, c in command.commands.items() for found in leaves(c, f"{name} {sub}")]


def test_every_command_of_ours_refuses_options_given_twice() -> None:
    """A new command has to be a `Command` too."""
    context = click.Context(app)
    every = [found for name in COMMANDS for found in leaves(app.get_command(context, name), name)]  # type: ignore[arg-type]
    assert [name for name, command in every if not isinstance(command, Command)] == []
