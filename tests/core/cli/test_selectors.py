"""RUN, --model, --judge, --dataset and --benchmark mean the same in every command."""

import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.testing import LoopbackServer

Bench = Callable[..., Any]
Questions = Callable[..., Path]


@pytest.fixture
def two(bench: Bench, questions: Questions) -> list[str]:
    """A model's runs on bundled and on data of its own."""
    own = questions("1,2")
    runs = [("--limit", 2), ("--dataset", own)]
    return [bench("run", "eqbench-v1", *more, "--json").json["run_id"] for more in runs]


def pasted(message: str, which: int) -> list[str]:
    """One of the commands that an error lists, as a shell reads it."""
    listed = message.partition(": bench ")[2].split("; bench ")
    return shlex.split(listed[which].rpartition(" (")[0])


def test_a_model_means_its_newest_whole_run(bench: Bench, two: list[str]) -> None:
    """A line says which; what is deleted or paid for is named by itself, by one of the commands."""
    bench("run", "eqbench-v1", "--limit", 1, "--iterations", 2)  # a part, of the first run again
    done = bench("show", "demo/medium", "1", "--json")
    assert done.json["run_id"] == two[1] and done.json["item_id"] == "1"
    assert done.err.startswith(f"demo/medium: run {two[1]} (eqbench-v1 on custom, 20")
    assert done.err.endswith("), of 2 runs\n")
    for words in ("delete", "--yes"), ("rejudge", "--judge", "demo/judge"):
        refused = bench(words[0], "demo/medium", *words[1:])
        assert refused.code == 2
        assert f"'demo/medium' could be 2 runs: bench {words[0]} {two[0]} " in refused.err
    assert pasted(refused.err, 1)[:2] == ["rejudge", two[1]]


def test_the_end_of_a_name_goes_before_that_of_a_spec(bench: Bench) -> None:
    """Runs of the same model under names of their own do not make its own name unclear."""
    more = ("--model", "demo/weak", "--limit", 1, "--json")
    own = bench("run", "eqbench-v1", *more).json["run_id"]
    assert bench("run", "eqbench-v1", *more, "--system", "Be brief.", "--name", "brief").code == 0
    assert bench("show", "weak", "--json").json["run_id"] == own


@pytest.mark.parametrize("dataset", ["bundled", "pack.json", "digest"])
def test_data_chooses_among_the_runs_of_a_model(bench: Bench, two: list[str], dataset: str) -> None:
    """By its name, its path, or its digest."""
    if dataset == "digest":
        dataset = bench("show", two[1], "--json").json["dataset"]["sha256"][:12]
    wanted = two[0] if dataset == "bundled" else two[1]
    for command in (("show", "demo/medium"), ("show", "--model", "demo/medium")):
        assert bench(*command, "--dataset", dataset, "--json").json["run_id"] == wanted
    (row,) = bench("runs", "--dataset", dataset, "--json").json["runs"]
    assert row["run_id"] == wanted
    bench("export", "--dataset", dataset, "--format", "csv", "-o", "tables")
    assert wanted in Path("tables/runs.csv").read_text().splitlines()[1]
    rescored = bench("rescore", "demo/medium", "--dataset", dataset, "--dry-run", "--json")
    assert rescored.json["run_id"] == wanted
    again = bench("repeat", "demo/medium", "--dataset", dataset)
    assert "no model has two reruns" in again.err  # of which --dataset left one
    assert bench("report", "--dataset", dataset, "-o", "x.html").code == 0


def test_data_that_is_gone_still_names_its_runs(bench: Bench, two: list[str]) -> None:
    """By the path that the run took."""
    Path("pack.json").unlink()
    assert bench("show", "demo/medium", "--dataset", "pack.json", "--json").code == 0


def test_a_run_that_is_not_what_is_wanted_is_refused(bench: Bench, two: list[str]) -> None:
    """Nothing that was asked for is passed over."""
    done = bench("show", two[0], "--dataset", "pack.json")
    assert done.code == 3 and "is not the data of run" in done.err
    other = bench("run", "seceu", "--limit", 1, "--model", "demo/weak", "--json").json["run_id"]
    done = bench("show", two[0], "--model", "weak")
    assert done.code == 2 and f"with --model weak; others: 1 run: bench show {two[0]}" in done.err
    done = bench("show", "medium", "--benchmark", "seceu")
    assert done.code == 2 and "no run 'medium' with --benchmark seceu; others: 2 runs" in done.err
    assert bench("show", "--model", "demo/medium").out.count("bench show ") == 2
    listed = bench("runs", "--model", "weak", "--json").json["runs"]
    assert [row["run_id"] for row in listed] == [other]


@pytest.mark.parametrize("words", [("runs",), ("show",), ("report", "-o", "x.html")])
def test_a_model_without_a_run_is_never_dropped(
    bench: Bench, two: list[str], words: tuple[str, ...]
) -> None:
    """Also beside one that has some; the error has the nearest word."""
    done = bench(*words, "--model", "medium", "--model", "demo/mediun")
    assert (done.code, done.err.count("\n"), Path("x.html").exists()) == (2, 1, False)
    assert "--model demo/mediun: no such model in runs/demo; did you mean demo/medium?" in done.err
    done = bench(*words, "--model", "medium", "--benchmark", "seceu")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "no run 'medium' with --benchmark seceu; others: 2 runs: " in done.err


def test_two_models_are_compared_by_name(bench: Bench) -> None:
    """As words, or as two --model; anything else is refused."""
    for model in ("weak", "strong"):
        bench("run", "eqbench-v1", "--limit", 3, "--model", f"demo/{model}")
        bench("run", "seceu", "--limit", 3, "--model", f"demo/{model}")
    named = ("--benchmark", "eqbench-v1", "--json")
    words = bench("compare", "demo/weak", "demo/strong", *named)
    options = bench("compare", "--model", "demo/weak", "--model", "demo/strong", *named)
    of_benchmark = bench("compare", "eqbench-v1", "weak", "strong", "--json")
    assert words.code == 0 and words.json == options.json == of_benchmark.json
    assert bench("compare", "weak", "strong", "--json").json["benchmark"] == "seceu"
    assert "name two runs" in bench("compare", "demo/weak").err


def test_two_models_are_compared_where_both_have_runs(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each benchmark that both have, a line each, the newest last."""
    monkeypatch.delenv("BENCH_DETAILS")
    for benchmark, model in (("eqbench-v1", "weak"), ("seceu", "weak"), ("eqbench-v1", "strong")):
        bench("run", benchmark, "--limit", 3, "--model", f"demo/{model}")
    assert bench("compare", "weak", "strong", "--json").json["benchmark"] == "eqbench-v1"
    bench("run", "seceu", "--limit", 3, "--model", "demo/strong")
    done = bench("compare", "weak", "strong")
    lines = done.out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["eqbench-v1", "seceu"]
    assert all("  (bench compare " in line for line in lines), lines
    done = bench("compare", "weak", "strong", "--json")
    assert done.json["benchmark"] == "seceu"
    assert done.err.startswith("seceu is meant, the newest; --benchmark chooses eqbench-v1\n")


def test_a_judge_chooses_the_runs_that_it_has_graded(bench: Bench) -> None:
    """Also where a command shows what it said."""
    words = json.dumps({"verdict": "yes"})
    with LoopbackServer(lambda request: words) as server:
        own = ("--model", "openai/m", "--base-url", server.base_url)
        judged = ("--judge", "openai/j", "--judge-base-url", server.base_url)
        bench("run", "emotionqueen", "--limit", 1, *own, *judged)
    bench("run", "emotionqueen", "--limit", 1)
    (row,) = bench("runs", "--judge", "openai/j", "--json").json["runs"]
    assert row["name"] == "openai/m"
    assert bench("show", "--judge", "demo/judge", "--json").json["judge"] == "demo/judge"


@pytest.mark.parametrize("command", ["leaderboard", "rate", "judge-report"])
def test_boards_take_a_benchmark_and_models(
    bench: Bench, demos: Callable[..., list[Any]], command: str
) -> None:
    """`judge-report eqbench3` as `leaderboard eqbench3`; --model leaves only those models."""
    demos()
    only = ("--model", "demo/weak", "--model", "demo/strong")
    done = bench(command, "eqbench3", *only, "--dataset", "bundled", "--json")
    assert done.code == 0
    assert "demo/medium" not in done.out and "demo/weak" in done.out
    done = bench(command, "eqbench3", "--model", "demo/wek", "--json")
    assert done.code == 2 and "did you mean demo/weak?" in done.err
    if command != "leaderboard":
        old = bench(command, "--benchmark", "eqbench3", *only, "--json")
        assert "demo/medium" not in old.out
        both = bench(command, "eqbench3", "--benchmark", "seceu")
        assert both.code == 2 and "name one benchmark" in both.err


def test_a_path_that_run_took_names_a_board(bench: Bench, two: list[str]) -> None:
    """Where there is no such board, the error lists the whole commands of those that are."""
    done = bench("leaderboard", "eqbench-v1", "--dataset", "official", "--json")
    assert done.code == 2
    pack = bench(*pasted(done.err, 1)).json["dataset"]["sha256"]
    found = bench("leaderboard", "eqbench-v1", "--dataset", "pack.json", "--json").json
    assert found["dataset"]["sha256"] == pack


def test_correlations_are_of_the_models_and_data_that_are_named(
    bench: Bench, two: list[str]
) -> None:
    """A path belongs to one benchmark."""
    done = bench("correlate", "eqbench-v1", "seceu", "--dataset", "pack.json")
    assert done.code == 2 and "give BENCHMARK=pack.json" in done.err
    done = bench("correlate", "eqbench-v1", "--model", "nobody")
    assert done.code == 2 and "--model nobody: no such model" in done.err


def test_moved_data_is_named_by_its_path(bench: Bench, two: list[str]) -> None:
    """As before: --dataset says where it is now."""
    Path("other").mkdir()
    shutil.move("pack.json", "other/pack.json")
    moved = ("--dataset", "other/pack.json")
    assert bench("rescore", two[1], "--dry-run").code == 3
    assert bench("rescore", two[1], *moved, "--dry-run").code == 0
    assert bench("rescore", "demo/medium", *moved, "--dry-run", "--json").json["run_id"] == two[1]
