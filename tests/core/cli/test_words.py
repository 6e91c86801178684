"""A word means the same runs in every command: by an id, a model or a benchmark."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import enter_empty_place, run_here

Bench = Callable[..., Any]
RUNS = (
    ("eqbench-v1", "weak"), ("eqbench3", "weak"), ("eqbench3", "strong"), ("seceu", "weak"),
    ("seceu", "strong"),
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs folder of two demo models, with runs of three benchmarks; for copying."""
    with pytest.MonkeyPatch.context() as patch:
        work = enter_empty_place(tmp_path_factory.mktemp("words"), patch)
        for benchmark, model in RUNS:
            run = ("run", benchmark, "--dataset", "bundled", "--limit", 2)
            done = run_here(*run, "--model", f"demo/{model}", "--json")
            assert done.code == 0, done.err
        return work / "runs"


@pytest.fixture
def ids(folder: Path, bench: Bench) -> dict[tuple[str, str], str]:
    """The ids of these runs, which are put in place."""
    shutil.copytree(folder, "runs")
    rows = bench("runs", "--json").json["runs"]
    return {(row["benchmark"], row["name"]): row["run_id"] for row in rows}


NO_RUN = "no run 'demo/wek' in runs/demo; did you mean demo/weak?"
NO_MODEL = "no such model"
BY_ITSELF = "could be 2 runs: "
NOT_HERE = "name a benchmark here"
FINE = ""
ASKED = "--model demo/medium --dataset bundled --limit 2 --dry-run"
ITEM = "thursday-key"
TABLE: dict[str, tuple[str, str, str, str]] = {
    # By the beginning of an id, the end of a model's name, a benchmark, and what is none of them.
    "show WORD": (FINE, FINE, FINE, NO_RUN),
    f"show WORD {ITEM}": (FINE, FINE, BY_ITSELF, NO_RUN),
    "rescore WORD --dry-run": (FINE, FINE, BY_ITSELF, NO_RUN),
    "rejudge WORD --judge demo/judge --dry-run": (FINE, "could be 3 runs: ", BY_ITSELF, NO_RUN),
    "delete WORD": ("this would delete run ", "could be 3 runs: ", BY_ITSELF, NO_RUN),
    "compare WORD strong": (FINE, FINE, "name two runs", NO_RUN),
    "compare eqbench3 WORD strong": (FINE, FINE, "name two runs", NO_RUN),
    "report WORD -o x.html": (FINE, FINE, FINE, NO_RUN),
    "export WORD -o x.jsonl": (FINE, FINE, FINE, NO_RUN),
    "cite WORD": (FINE, FINE, FINE, NO_RUN),
    "repeat WORD": ("two reruns", "choose with --benchmark", "two reruns", NO_RUN),
    "style WORD --benchmark eqbench3": (FINE, FINE, FINE, NO_RUN),
    "judges eqbench3 WORD": ("two judges", "two judges", "two judges", NO_RUN),
    "label eqbench3 WORD --scale 0,1 --number 2 -o x": (FINE, FINE, FINE, NO_RUN),
    "calibrate eqbench3 WORD": ("no ratings", "no ratings", BY_ITSELF, NO_RUN),
    "correlate eqbench3 seceu --run WORD": ("no runs of 'seceu'", "only 1 model has both",
                                            "no runs of 'seceu'", NO_RUN),
    "exam demo/judge --from WORD --dry-run": ("1 writer", "1 writer", "2 writer", NO_RUN),
    f"run eqbench3 {ASKED} --against WORD": (FINE, FINE, BY_ITSELF, "no such run or model"),
    "leaderboard eqbench3 --model WORD": (NO_MODEL, FINE, NO_MODEL, NO_MODEL),
    "leaderboard eqbench3 --without WORD": (NO_MODEL, FINE, NO_MODEL, NO_MODEL),
    "runs --model WORD": (NO_MODEL, FINE, NO_MODEL, NO_MODEL),
    "leaderboard WORD": (NOT_HERE, NOT_HERE, FINE, "declares no benchmark"),
    "rate WORD": (NOT_HERE, NOT_HERE, FINE, "cannot be read"),
    "judge-report WORD": (NOT_HERE, NOT_HERE, FINE, "cannot be read"),
    "power WORD --difference 5": (NOT_HERE, NOT_HERE, "can be planned", "declares no benchmark"),
    "items WORD": (NOT_HERE, NOT_HERE, FINE, "declares no benchmark"),
    "twins WORD --model weak": (NOT_HERE, NOT_HERE, "has no twins", "declares no benchmark"),
}  # fmt: skip


@pytest.mark.parametrize("command", TABLE)
def test_a_word_means_runs_or_is_refused_in_a_sentence(
    bench: Bench, ids: dict[tuple[str, str], str], command: str
) -> None:
    """Of either kind, in every command that takes runs."""
    words = (ids["eqbench3", "demo/weak"][:6], "weak", "eqbench3", "demo/wek")
    for word, message in zip(words, TABLE[command], strict=True):
        done = bench(*command.replace("WORD", word).split())
        last = done.err.splitlines()[-1] if done.err else ""
        assert (done.code == 0) == (not message), (word, done.err)
        assert not message or (last.startswith("Error: ") and message in last), (word, last)
        assert "raised" not in last and "unexpected" not in last


def test_an_id_that_is_printed_is_no_beginning_of_another(bench: Bench) -> None:
    """Once its run is gone, the next one whose id begins so is not meant."""
    run = ("run", "eqbench-v1", "--limit", 1, "--json")
    first = bench(*run).json["run_id"]
    second = bench(*run, "--fresh").json["run_id"]
    assert second == f"{first}-2"
    for code in 0, 2:
        done = bench("delete", first, "--yes")
        assert done.code == code
    assert f"no run '{first}' in runs/demo; did you mean {second}?" in done.err
    assert [row["run_id"] for row in bench("runs", "--json").json["runs"]] == [second]
    assert bench("show", first[:7], "--json").json["run_id"] == second


def test_a_whole_name_goes_before_the_beginning_of_an_id(bench: Bench) -> None:
    """As a model may be called by one letter."""
    run = ("run", "seceu", "--limit", 1, "--json")
    name = bench(*run).json["run_id"][0]
    called = bench(*run, "--name", name).json["run_id"]
    assert bench("show", name, "--json").json["run_id"] == called


def test_an_item_chooses_the_run_that_holds_it(
    bench: Bench, ids: dict[tuple[str, str], str]
) -> None:
    """Of several of a model, of which a newer one is of another benchmark."""
    shown = bench("show", "weak", ITEM, "--json").json
    assert shown["run_id"] == ids["eqbench3", "demo/weak"]


@pytest.mark.parametrize(("word", "command"), [("agreement", "judges"), ("people", "calibrate")])
def test_what_another_command_has_is_told(bench: Bench, word: str, command: str) -> None:
    """With the line of its help."""
    done = bench(word)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"No such command '{word}'; bench {command}: Say how" in done.err


# Several models of one name


@pytest.fixture
def namesakes(bench: Bench) -> dict[str, str]:
    """Two models that were given one name, on one benchmark: their runs by their specs."""
    run = ("run", "eqbench-v1", "--dataset", "bundled", "--limit", 3, "--name", "base", "--json")
    specs = "demo/strong", "demo/weak"
    return {spec: bench(*run, "--model", spec).json["run_id"] for spec in specs}


def test_two_models_of_one_name_are_told_apart(bench: Bench, namesakes: dict[str, str]) -> None:
    """Where they stand side by side by their specs; where one run counts, that is said."""
    done = bench("rescore", "base")
    assert done.code == 2 and "base (demo/strong), 20" in done.err
    (row,) = bench("leaderboard", "eqbench-v1", "--json").json["rows"]
    board = bench("leaderboard", "eqbench-v1", "--json").json
    assert row["run_id"] == namesakes["demo/weak"]
    (warning,) = [text for text in board["warnings"] if "is the name of several models" in text]
    assert all(run_id in warning and spec in warning for spec, run_id in namesakes.items())
    done = bench("items", "eqbench-v1")
    assert done.code == 2 and "base is the name of several models" in done.err
    style = bench("style", *namesakes.values(), "--json").json
    assert [row["model"] for row in style["models"]] == ["base (demo/strong)", "base (demo/weak)"]
    done = bench("repeat", *namesakes.values())
    assert done.code == 2
    assert "runs named 'base' are not of one model: " in done.err
    assert bench("report", *namesakes.values(), "-o", "x.html").code == 0
    page = Path("x.html").read_text(encoding="utf-8")
    assert all(f"base ({run_id})" in page for run_id in namesakes.values())


def test_runs_that_were_asked_otherwise_are_not_one_text(bench: Bench) -> None:
    """Of one model with another system prompt."""
    for more in (), ("--system", "Be brief."):
        assert bench("run", "eqbench3", "--limit", 1, "--no-elo", *more).code == 0
    models = [row["model"] for row in bench("style", "eqbench3", "--json").json["models"]]
    assert models == [
        "demo/medium (system prompt as usual)",
        f"demo/medium (system prompt Be brief.… {models[1][-7:-1]})",
    ]


def test_a_word_that_begins_an_id_and_ends_another_model_s_name_is_refused(bench: Bench) -> None:
    """It would be a run of somebody else's, which `delete` would take."""
    ask = ("run", "eqbench-v1", "--dataset", "bundled", "--limit", 2, "--json")
    run = bench(*ask, "--model", "demo/weak").json["run_id"]
    assert bench(*ask, "--model", "demo/strong", "--name", f"lab/{run[:2]}").code == 0
    done = bench("delete", run[:2], "--yes")
    assert done.code == 2 and "could be 2 runs: " in done.err
    assert "demo/weak" in done.err and f"lab/{run[:2]}" in done.err
