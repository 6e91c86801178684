"""What a shell completes, asked for as bash, zsh and fish ask."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Bench = Callable[..., Any]
SCRIPT = Path(sys.executable).with_name("bench")
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="no bench beside this Python")


def variables(shell: str, *words: str) -> dict[str, str]:
    """What that shell sets when it wants the last of the words completed."""
    position = words[-1] if shell == "fish" else str(len(words))
    return {
        "_BENCH_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": " ".join(("bench", *words)),
        "COMP_CWORD": position,
    }


def ask(shell: str, *words: str) -> str:
    """What `bench`, as a process, answers."""
    env = dict(os.environ) | variables(shell, *words)
    done = subprocess.run([SCRIPT], env=env, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout


Bash = Callable[..., set[str]]


@pytest.fixture
def bash(bench: Bench) -> Bash:
    """The completions that bash is given, in this process."""

    def complete(*words: str) -> set[str]:
        given = variables("bash", *words)
        done = bench(env=given | {"_APP_COMPLETE": given["_BENCH_COMPLETE"]})
        assert done.err == ""
        return {line.partition(",")[2] for line in done.out.splitlines() if line}

    return complete


@pytest.mark.parametrize(
    ("words", "some"),
    [
        (("",), {"run", "show", "config", "doctor"}),
        (("do",), {"doctor"}),
        (("run", ""), {"eqbench-v1"}),
        (("run", "eq"), {"eqbench-v1"}),
        (("info", "eq"), {"eqbench-v1"}),
        (("run", "eqbench-v1", "--par"), {"--parser"}),
        (("run", "eqbench-v1", "--parser", ""), {"strict", "reference"}),
        (("run", "eqbench-v1", "--parser", "ref"), {"reference"}),
        (("data", "fe"), {"fetch"}),
        (("data", "fetch", "eqbench3"), {"eqbench3"}),
    ],
)
def test_what_is_completed(bash: Bash, words: tuple[str, ...], some: set[str]) -> None:
    """Commands, benchmarks, options, choices and packs; with a beginning, only what fits."""
    found = bash(*words)
    assert some <= found
    assert all(one.startswith(words[-1]) for one in found)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script_and_answers(shell: str) -> None:
    """`_BENCH_COMPLETE=SHELL_source bench` prints the script; then the shell is answered."""
    env = dict(os.environ) | {"_BENCH_COMPLETE": f"{shell}_source"}
    done = subprocess.run([SCRIPT], env=env, capture_output=True, text=True, check=True)
    assert f"_BENCH_COMPLETE={shell}_complete" in done.stdout
    assert "doctor" in ask(shell, "do")


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
def test_bash_itself_completes() -> None:
    """The script, read by a real bash, fills in what was begun."""
    message = (
        f'PATH="{SCRIPT.parent}:$PATH"; eval "$(_BENCH_COMPLETE=bash_source bench)";'
        "COMP_WORDS=(bench run eq); COMP_CWORD=2; _bench_completion bench;"
        'echo "${COMPREPLY[@]}"; complete -p bench'
    )
    done = subprocess.run(["bash", "-c", message], capture_output=True, text=True, check=True)
    words, registered = done.stdout.splitlines()
    assert "eqbench-v1" in words.split()
    assert "_bench_completion" in registered


@pytest.mark.parametrize("command", ["show", "delete", "rescore"])
def test_runs_are_completed(command: str, bash: Bash, bench: Bench) -> None:
    """Of the runs folder in use; where there is none, nothing is said and nothing is made."""
    assert bash(command, "") == set()
    assert not Path("runs").exists()
    run_id = bench("run", "eqbench-v1", "--limit", 1, "--json").json["run_id"]
    assert bash(command, run_id[:3]) == {run_id}
    bench("run", "eqbench-v1", "--limit", 1, "--model", "demo/weak", "--runs-dir", "other")
    assert run_id not in bash(command, "--runs-dir", "other", "")
    assert len(bash(command, "--runs-dir", "other", "")) == 1


def test_items_and_judges_are_completed(bash: Bash, bench: Bench) -> None:
    """Items of the run that is named, judges of all runs."""
    run = bench("run", "emotionqueen", "--limit", 2, "--json").json["run_id"]
    items = bash("show", run, "")
    assert len(items) == 2
    assert bash("show", run, min(items)[:-1]) <= items
    assert bash("show", run, "--judge", "demo/") == {"demo/judge"}


def test_broken_settings_do_not_disturb(bash: Bash) -> None:
    """A shell is no place for an error: what can be completed is."""
    Path("bench.toml").write_text("[run\n")
    assert "eqbench-v1" in bash("run", "eq")
