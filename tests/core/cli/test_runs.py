"""`bench runs`, `show`, `delete` and `rescore`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.core.journal import RunLock
from eibench.testing import LoopbackServer

Bench = Callable[..., Any]
Write = Callable[..., Path]
# Strict reads 7.5 as it is, the reference parser as 7.
REPLY = (
    "First pass scores:\nAnger: 1\nRelief: 2\nHope: 3\nShame: 4\n\nCritique: none.\n\n"
    "Revised scores:\nAnger: 1\nRelief: 2\nHope: 3\nShame: 7.5\n\n[End of answer]"
)


@pytest.fixture
def run_id(bench: Bench) -> str:
    """A finished demo run."""
    return str(bench("run", "eqbench-v1", "--limit", 2, "--json").json["run_id"])


def test_runs_are_listed(bench: Bench, run_id: str) -> None:
    """Id, benchmark, model, main metric, that it asked a part of the pack, and DEMO above all."""
    out = bench("runs").out
    assert out.startswith("1 run in runs/demo  DEMO\n")
    assert all(word in out for word in (run_id, "eqbench-v1", "demo/medium", "partial"))
    listed = bench("runs", "--json").json
    (row,) = listed["runs"]
    assert (row["run_id"], listed["demo"], row["status"]) == (run_id, True, "complete")


def test_a_run_is_known_by_the_beginning_of_its_id(bench: Bench, run_id: str) -> None:
    """As long as there is no other."""
    assert bench("show", run_id[:4], "--json").json["run_id"] == run_id
    bench("run", "eqbench-v1", "--limit", 2, "--fresh")
    assert bench("show", run_id, "--json").json["run_id"] == run_id
    assert bench("show", run_id[:4]).code == 2


def test_an_item_is_shown_with_all_that_was_said(bench: Bench, run_id: str) -> None:
    """Prompt, reply, what was sent with it, and the score."""
    out = bench("show", run_id, "1").out
    assert "DEMO" in out
    assert "First pass scores:" in out
    assert "temperature 0.01" in out
    assert "score: first_pass" in out
    (iteration,) = bench("show", run_id, "1", "--json").json["iterations"]
    assert iteration["calls"][0]["sent"]["temperature"] == 0.01
    assert iteration["score"]["values"].keys() == {"first_pass", "revised"}


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("show", "zzz"), 2, "no run 'zzz'"),
        (("show", "", "99"), 2, "nothing about item '99'"),
        (("rescore", "zzz"), 2, "no run 'zzz'"),
        (("runs", "--runs-dir", "none"), 0, "no runs in none yet"),
        (("show", " "), 2, "name a run"),
        (("rescore", "", "--set", "revise=false"), 2, "no grading option 'revise'"),
        (("rescore", "", "--set", "parser=loose"), 2, "strict, reference"),
        (("rescore", "", "--set", "parser"), 2, "K=V"),
    ],
)
def test_what_is_not_there_is_told(
    bench: Bench, run_id: str, args: tuple[str, ...], code: int, message: str
) -> None:
    """One line that says what there is instead."""
    done = bench(*(a or run_id for a in args))
    assert (done.code, done.err.count("\n")) == (code, 1)
    assert message in done.err


def test_delete_needs_yes_without_a_terminal(bench: Bench, run_id: str) -> None:
    """Replies cost money: nothing is deleted unasked."""
    done = bench("delete", run_id)
    assert done.code == 2
    assert "--yes" in done.err
    assert bench("delete", run_id, "--yes").code == 0
    assert bench("runs", "--json").json == {"demo": False, "runs": []}
    assert not list(Path("runs/demo").glob("*.json"))


def test_the_same_delete_given_twice_deletes_one_run(bench: Bench, run_id: str) -> None:
    """The id of a run that is gone is no beginning of the next one's."""
    second = bench("run", "eqbench-v1", "--limit", 1, "--fresh", "--json").json["run_id"]
    assert second == f"{run_id}-2"
    assert [bench("delete", run_id, "--yes").code for _ in range(2)] == [0, 2]
    assert [one["run_id"] for one in bench("runs", "--json").json["runs"]] == [second]


def test_a_run_that_is_owned_is_not_deleted_and_not_rescored(bench: Bench, run_id: str) -> None:
    """The message says who owns it."""
    with RunLock(Path("runs/demo"), run_id).acquire():
        for command in (("delete", run_id, "--yes"), ("rescore", run_id)):
            done = bench(*command)
            assert done.code == 4
            assert "is owned by process" in done.err
    assert bench("show", run_id).code == 0


def odd_run(bench: Bench, pack: Path) -> str:
    """A run whose replies the two parsers read differently."""
    with LoopbackServer(REPLY) as server:
        model = ("--model", "openai/m", "--base-url", server.base_url)
        done = bench("run", "eqbench-v1", *model, "--dataset", pack, "--json")
    return str(done.json["run_id"])


def test_rescore_with_another_parser_sends_nothing(bench: Bench, questions: Write) -> None:
    """The reference parser reads 7.5 as 7; the server is gone by then."""
    run_id = odd_run(bench, questions("1,2"))
    strict = bench("show", run_id, "--json").json
    other = bench("rescore", run_id, "--set", "parser=reference", "--json").json
    assert other["options"]["parser"] == "reference"
    assert strict["metrics"]["revised"]["value"] < other["metrics"]["revised"]["value"]
    assert other["metrics"]["first_pass"]["value"] == 100
    again = bench("rescore", run_id, "--set", "parser=reference", "--json").json
    assert {**again, "elapsed_s": 0} == {**other, "elapsed_s": 0}
    (file,) = Path("runs").glob("*.json")
    assert json.loads(file.read_text()) == strict
    shown = bench("show", run_id)
    assert f"bench rescore {run_id} --set parser=reference" in shown.out
    assert bench("show", run_id, "--json").json == strict
    back = bench("rescore", run_id, "--json").json
    assert back["metrics"] == strict["metrics"]


def test_rescore_finds_data_that_was_moved(bench: Bench, questions: Write) -> None:
    """--dataset names its new place; other data are refused."""
    pack = questions("1,2")
    run_id = odd_run(bench, pack)
    moved = pack.rename("moved.json")
    done = bench("rescore", run_id)
    assert done.code == 3
    assert "name it with --dataset PATH" in done.err
    assert bench("rescore", run_id, "--dataset", questions("1", name="other.json")).code == 3
    assert bench("rescore", run_id, "--dataset", moved).code == 0


def test_rescore_leaves_an_unfinished_sample_to_the_run(bench: Bench, questions: Write) -> None:
    """A failed sample stays failed, is counted, and is asked again by the same command."""
    pack = questions("1,2")
    failing = iter([None, "context"])
    with LoopbackServer(REPLY, faults=lambda request: next(failing, None)) as server:
        command: tuple[str, ...] = (
            "run",
            "eqbench-v1",
            "--model",
            "openai/m",
            "--base-url",
            server.base_url,
        )
        command += ("--dataset", str(pack), "--concurrency", "1", "--json")
        first = bench(*command).json
        assert first["items"]["failed"] == 1
        rescored = bench("rescore", first["run_id"], "--json").json
        assert rescored["items"] == first["items"]
        done = bench(*command)
    assert done.code == 0
    assert done.json["items"]["scored"] == 2


def test_settings_for_new_runs_are_not_for_stored_ones(bench: Bench, run_id: str) -> None:
    """A dataset in bench.toml or the environment is no place where a run's data was moved to."""
    Path("bench.toml").write_text('[run]\ndataset = "official"\n')
    assert bench("rescore", run_id).code == 0
    assert bench("rescore", run_id, env={"BENCH_DATASET": "official"}).code == 0
