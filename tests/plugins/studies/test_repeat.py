"""`bench repeat`: reruns in files and in the journal, and what is no rerun."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from eibench.core.journal import Journal
from eibench.core.types import digest
from eibench.data import folder
from eibench.testing import LoopbackServer, uniform_ratings
from tests.checksums import bundle

Bench = Callable[..., Any]
Write = Callable[..., Path]
TABLE_6 = folder("eqbench_v1") / "published_reruns.csv"
PASSES = ("--change", "first_pass", "revised")


def answer(first: int, revised: float) -> str:
    """An answer to the tests' question whose two passes differ in Shame alone."""
    same = "Anger: 1\nRelief: 2\nHope: 3\nShame: "
    return (
        f"First pass scores:\n{same}{first}\n\nCritique: none.\n\n"
        f"Revised scores:\n{same}{revised}\n\n[End of answer]"
    )


def run_at(server: LoopbackServer) -> tuple[object, ...]:
    """The beginning of a command that asks a server."""
    return ("run", "eqbench-v1", "--model", "openai/m", "--base-url", server.base_url)


# Files


def test_table_6_of_the_v1_paper(bench: Bench) -> None:
    """Each model's spread; the first one's by hand: mean 48.913, SD .5749, CV .01175, range 1.1."""
    models = bench("repeat", TABLE_6, "--json").json["models"]
    assert (len(models), {m["counted"] for m in models}) == (11, {3})
    revised = models[0]["metrics"]["revised"]
    assert models[0]["model"] == "gpt-3.5-turbo-0301"
    names = ("mean", "sd_sample", "cv_sample", "range")
    assert [revised[name] for name in names] == pytest.approx(
        [48.9133, 0.57489, 0.011753, 1.10], abs=5e-5
    )
    assert [rerun["line"] for rerun in models[1]["reruns"]] == [5, 6, 7]


def test_what_table_6_gives_is_not_what_the_text_says(bench: Bench) -> None:
    """Section 4.2 says 2.93 % and section 4.3 says 9.3 %; no average of the table gives either.

    The averages were also computed by the plain formulas, by hand.
    """
    found = bench("repeat", TABLE_6, *PASSES, "--json").json
    for metric, mean, middle in (("first_pass", 2.38, 0.99), ("revised", 2.71, 1.55)):
        overall = found["overall"][metric]
        assert overall["models"] == 11
        assert overall["mean_cv_sample"] == pytest.approx(mean / 100, abs=5e-5)
        assert overall["median_cv_sample"] == pytest.approx(middle / 100, abs=6e-5)
    change = found["change"]
    assert change["mean_over_models"] == pytest.approx(0.0842, abs=5e-5)
    assert change["mean_over_reruns"] == pytest.approx(0.0859, abs=5e-5)
    assert change["of_means"] == pytest.approx(0.0276, abs=5e-5)


def test_leaving_out_one_model_moves_the_averages_of_table_6(bench: Bench) -> None:
    """One model's absence gives the text's 2.93 %, another's its 9.3 %: no explanation of both."""
    words = ("repeat", TABLE_6, *PASSES, "--json", "--without")
    spreads = bench(*words, "gpt-4-1106-preview").json
    assert round(100 * spreads["overall"]["revised"]["mean_cv_sample"], 2) == 2.93
    assert round(100 * spreads["change"]["mean_over_models"], 1) == 8.7
    changes = bench(*words, "synthia-70b").json
    assert round(100 * changes["overall"]["revised"]["mean_cv_sample"], 2) == 2.83
    assert round(100 * changes["change"]["mean_over_models"], 1) == 9.3


def test_what_a_person_sees_of_table_6(bench: Bench, snapshot: SnapshotAssertion) -> None:
    """Every model with both metrics, the averages, and the change with its three averages."""
    done = bench("repeat", TABLE_6, *PASSES)
    assert (done.code, done.err) == (0, "")
    assert done.out.replace(str(TABLE_6.parent), "FACTS") == snapshot


def test_cells_without_a_number_are_left_out(bench: Bench) -> None:
    """A rerun without a score is none of zero; columns that are no metrics are told."""
    Path("r.csv").write_text("model,a,b,how\nx,1,2,q\nx,,4,q\nx,3,9,q\ny,5,1,q\n")
    found = bench("repeat", "r.csv", "--change", "a", "b", "--json").json
    x, y = (model["metrics"] for model in found["models"])
    assert (x["a"]["n"], x["a"]["mean"], x["b"]["n"]) == (2, 2.0, 3)
    assert (y["a"]["mean"], y["a"]["sd_sample"], y["a"]["range"]) == (5.0, None, None)
    assert found["overall"]["a"]["models"] == 1
    rows = [(r["model"], r["n"], r["before"], r["after"]) for r in found["change"]["models"]]
    assert rows == [("x", 2, 2.0, 5.5), ("y", 1, 5.0, 1.0)]
    assert "column 'how'" in found["left_out"][0]
    assert "left out: column 'how'" in bench("repeat", "r.csv").out


def test_a_share_of_nothing_is_none(bench: Bench) -> None:
    """Scores below zero have no CV, and no change as a share; then there is no average of it."""
    Path("r.csv").write_text("model,a,b\nx,-1,2\nx,2,4\ny,0,1\ny,0,1\nz,2,3\nz,4,5\n")
    found = bench("repeat", "r.csv", "--change", "a", "b", "--json").json
    assert [m["metrics"]["a"]["cv_sample"] for m in found["models"][:2]] == [None, None]
    assert found["overall"]["a"]["models"] == 1
    assert [row["relative"] for row in found["change"]["models"]][1] is None
    assert found["change"]["mean_over_models"] is None
    assert found["change"]["mean_over_reruns"] is None
    Path("r.csv").write_text("model,a,b\nx,-3,2\nx,1,4\n")
    (row,) = bench("repeat", "r.csv", "--change", "a", "b", "--json").json["change"]["models"]
    assert (row["before"], row["difference"], row["relative"]) == (-1, 4, None)


def test_hostile_names_are_harmless(bench: Bench) -> None:
    """No control character and no markup is obeyed."""
    Path("r.csv").write_text("model,a\x1b[2J\n\x1b]0;t\x07[bold]x,1\n\x1b]0;t\x07[bold]x,2\n")
    done = bench("repeat", "r.csv")
    assert "[bold]x" in done.out
    assert not {"\x1b", "\x07"} & set(done.out + bench("repeat", "r.csv", "--json").out)


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("none.csv",), 3, "none.csv: no such file"),
        (
            ("r.csv", "--change", "a", "B"),
            2,
            "r.csv has no column 'B'; did you mean b? (its columns",
        ),
        (("r.csv", "--change", "a", "c"), 2, "r.csv has no column 'c'"),
        (("r.csv", "--change", "a", "how"), 3, "r.csv, line 2: 'q' in column 'how' is no number"),
        (("r.csv", "--without", "X"), 2, "--without X: no such model; did you mean x?"),
        (("r.csv", "--without", "x"), 2, "there are no reruns"),
        (("r.csv", "r.csv"), 2, "name one file, or runs"),
        (("r.csv", "7a3c"), 2, "name one file, or runs"),
        (("r.csv", "--dataset", "x"), 2, "--dataset x is for runs"),
        (("single.csv",), 2, "no model has two reruns; each row is one rerun of its model"),
        (("words.csv",), 3, "words.csv: has no column of numbers: column 'a': words.csv, line 2"),
        (("zzz",), 4, "no runs in runs"),
        ((), 2, "Missing argument 'RUN...|FILE.csv'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_is_one_line(
    bench: Bench, args: tuple[str, ...], code: int, message: str
) -> None:
    """With the file and line, the nearest name, or what to do."""
    Path("r.csv").write_text("model,a,b,how\nx,1,2,q\nx,2,4,q\n")
    Path("single.csv").write_text("model,a\nx,1\ny,2\n")
    Path("words.csv").write_text("model,a\nx,yes\nx,no\n")
    done = bench("repeat", *args)
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1), done.err
    assert message in done.err


# Runs


def test_iterations_are_scored_each_by_itself(bench: Bench) -> None:
    """As the run's own result has them, and their spread is its rerun_sd."""
    run = bench("run", "eqbench-v1", "--iterations", 4, "--json").json
    found = bench("repeat", run["run_id"], "--json").json
    (model,) = found["models"]
    scores = [rerun["values"]["score"] for rerun in model["reruns"]]
    assert scores == pytest.approx(run["notes"]["per_iteration"])
    assert model["metrics"]["score"]["sd_sample"] == pytest.approx(
        run["metrics"]["rerun_sd"]["value"]
    )
    assert [rerun["iteration"] for rerun in model["reruns"]] == [1, 2, 3, 4]
    assert (found["demo"], model["counted"]) == (True, 4)
    out = bench("repeat", run["run_id"]).out
    assert out.splitlines()[0].endswith("DEMO")
    assert "demo/medium" in out


def test_first_pass_against_revised(bench: Bench, questions: Write) -> None:
    """By hand, for the reference 1 2 3 4: Shame 4 scores 100; Shame 0 scores -60 / 6 and so on.

    Ratings 1 2 3 0 become 1.667 3.333 5 0: 10 - (.667 + 1.333 + 2 + 4) = 2, times 10 is 20.
    """
    with LoopbackServer(answer(0, 4)) as server:
        command = run_at(server)
        command += ("--dataset", questions("1,2"), "--iterations", 2, "--json")
        run_id = bench(*command).json["run_id"]
    (row,) = bench("repeat", run_id, *PASSES, "--json").json["change"]["models"]
    assert (row["model"], row["n"]) == ("openai/m", 2)
    assert [row["before"], row["after"], row["relative"]] == pytest.approx([20, 100, 4])


def test_runs_of_one_model_are_reruns_and_others_are_other_models(bench: Bench) -> None:
    """Fresh runs and iterations count alike; a run that is named twice counts once."""
    medium = [bench("run", "eqbench-v1", "--limit", 5, "--json").json["run_id"]]
    again = bench("run", "eqbench-v1", "--limit", 5, "--fresh", "--iterations", 2, "--json").json
    weak = ("--model", "demo/weak", "--iterations", 3)
    other = bench("run", "eqbench-v1", "--limit", 5, *weak, "--json").json["run_id"]
    ids = [medium[0], again["run_id"], other, other]
    models = bench("repeat", *ids, "--json").json["models"]
    assert [(m["model"], m["counted"]) for m in models] == [("demo/medium", 3), ("demo/weak", 3)]
    assert {r["run_id"] for r in models[0]["reruns"]} == {medium[0], again["run_id"]}


def test_an_iteration_that_misses_samples_does_not_count(bench: Bench, questions: Write) -> None:
    """It is shown with the reason, in JSON and on the screen; the whole ones count."""
    failing = iter([None] * 5 + ["400"])
    with LoopbackServer(answer(1, 4), faults=lambda request: next(failing, None)) as server:
        command = run_at(server)
        command += ("--dataset", questions("1,2"), "--concurrency", 1, "--iterations", 3, "--json")
        run_id = bench(*command).json["run_id"]
    found = bench("repeat", run_id, *PASSES, "--json").json
    (model,), (change,) = found["models"], found["change"]["models"]
    message = "1 of 2 samples missing"
    assert change["n"] == 2
    assert [rerun["left_out"] for rerun in model["reruns"]] == [None, None, message]
    assert (model["counted"], model["metrics"]["score"]["n"]) == (2, 2)
    assert (
        f"left out: openai/m, run {run_id}, iteration 3: {message}" in bench("repeat", run_id).out
    )


def test_an_iteration_that_fails_the_validity_rule_does_not_count(
    bench: Bench, questions: Write
) -> None:
    """Fewer than 5/6 of its answers could be read; the first two have all of them."""
    said = iter([answer(1, 4), answer(2, 4)])
    with LoopbackServer(lambda request: next(said, "I would rather not.")) as server:
        command = run_at(server)
        command += ("--dataset", questions("1"), "--concurrency", 1, "--iterations", 3, "--json")
        run_id = bench(*command).json["run_id"]
    (model,) = bench("repeat", run_id, "--json").json["models"]
    assert [rerun["left_out"] is None for rerun in model["reruns"]] == [True, True, False]
    assert model["reruns"][2]["left_out"].startswith("FAIL: only 0 of 1 answers could be read")
    assert model["reruns"][2]["values"]["score"] is None


def test_the_grades_are_those_of_the_own_result(bench: Bench, questions: Write) -> None:
    """The run's own, whatever was read otherwise since."""
    with LoopbackServer(answer(4, 7.5)) as server:
        command = run_at(server)
        command += ("--dataset", questions("1,2"), "--iterations", 2, "--json")
        run_id = bench(*command).json["run_id"]
    strict = bench("repeat", run_id, "--json").json["models"][0]["metrics"]["revised"]
    other = bench("rescore", run_id, "--set", "parser=reference", "--json").json
    assert other["metrics"]["revised"]["value"] > strict["mean"]  # it reads 7.5 as 7
    assert bench("repeat", run_id, "--json").json["models"][0]["metrics"]["revised"] == strict


def test_data_that_was_moved_is_named(bench: Bench, questions: Write) -> None:
    """As for bench rescore; other data are refused."""
    pack = questions("1,2")
    with LoopbackServer(uniform_ratings(1)) as server:
        command = run_at(server)
        run_id = bench(*command, "--dataset", pack, "--iterations", 2, "--json").json["run_id"]
    moved = pack.rename("moved.json")
    done = bench("repeat", run_id)
    assert done.code == 3
    assert "name it with --dataset PATH" in done.err
    assert bench("repeat", run_id, "--dataset", moved).code == 0
    assert bench("repeat", run_id, "--dataset", questions("3", name="other.json")).code == 3


def test_runs_of_other_items_are_no_reruns(bench: Bench) -> None:
    """The message says which runs, and how many items."""
    few = bench("run", "eqbench-v1", "--limit", 3, "--json").json["run_id"]
    more = bench("run", "eqbench-v1", "--limit", 5, "--fresh", "--json").json["run_id"]
    done = bench("repeat", few, more)
    assert done.code == 2
    assert f"runs {few} and {more} answered different items (3 and 5 of them)" in done.err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("--no-revise",), "option revise True: run"),
        (("--temperature", "0.7"), "temperature 0.01: run"),
        (("--system", "Be kind."), "system prompt none: run"),
        (("--dataset", "pack.json"), "pack bundled ("),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
def test_runs_of_other_protocols_are_no_reruns(
    bench: Bench, questions: Write, change: tuple[str, ...], message: str
) -> None:
    """The message says what differs and which run is which."""
    questions("1,2")
    with LoopbackServer(answer(1, 4)) as server:
        command = run_at(server)
        command += ("--limit", 2, "--json")
        ids = [bench(*command, *more).json["run_id"] for more in ((), change)]
    done = bench("repeat", *ids)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "results of eqbench-v1 that cannot be combined: " in done.err
    assert message in done.err
    assert all(run_id in done.err for run_id in ids)


def test_runs_of_other_parsers_are_no_reruns(bench: Bench) -> None:
    """The grades differ, though the requests were the same."""
    ids = [bench("run", "eqbench-v1", "--limit", 2, "--json", *more).json["run_id"]
           for more in ((), ("--fresh",), ("--fresh", "--parser", "reference"))]  # fmt: skip
    assert bench("repeat", *ids[:2]).code == 0
    ids = ids[1:]
    message = f"option parser strict: run {ids[0]}; option parser reference: run {ids[1]}"
    assert message in bench("repeat", *ids).err


@pytest.mark.parametrize(("room", "code"), [("8000", 0), ("500", 2)])
def test_more_room_than_the_benchmark_asks_for_changes_nothing(
    bench: Bench, room: str, code: int
) -> None:
    """Less room may cut answers off, and is another protocol."""
    ids = [bench("run", "eqbench-v1", "--limit", 2, "--json", *more).json["run_id"]
           for more in ((), ("--max-tokens", room))]  # fmt: skip
    done = bench("repeat", *ids)
    assert done.code == code
    assert ("max_tokens 4096: run" in done.err) == bool(code)


def test_a_dataset_for_new_runs_is_not_where_old_ones_moved(bench: Bench) -> None:
    """What bench.toml says of new runs does not move the data of those that there are."""
    run_id = bench("run", "eqbench-v1", "--iterations", 2, "--limit", 2, "--json").json["run_id"]
    Path("bench.toml").write_text('[run]\ndataset = "official"\n')
    assert bench("repeat", run_id).code == 0


def test_one_name_at_two_servers_is_not_one_model(bench: Bench, questions: Write) -> None:
    """Another build or quantisation moves scores: no rerun."""
    pack, ids = questions("1,2"), []
    for name in ("left", "right"):
        with LoopbackServer(answer(1, 4)) as server:
            endpoint = f'[endpoints.{name}]\nbase_url = "{server.base_url}"\n'
            Path("bench.toml").write_text(endpoint)
            command = [name if a == server.base_url else a for a in run_at(server)]
            ids.append(bench(*command, "--dataset", pack, "--json").json["run_id"])
    done = bench("repeat", *ids)
    assert done.code == 2
    message = f"{ids[0]} of openai/m at left and {ids[1]} of openai/m at right"
    assert message in done.err


def test_a_run_without_what_is_needed_is_refused(bench: Bench) -> None:
    """One iteration, no result yet, another benchmark, a result of another version."""
    run_id = bench("run", "eqbench-v1", "--limit", 2, "--json").json["run_id"]
    once = bench("repeat", run_id)
    assert once.code == 2
    assert "no model has two reruns; run it again with --iterations 2" in once.err
    with Journal(Path("runs/demo")) as journal:
        run = journal.find_run(run_id)
        assert run is not None
        shared = {n: getattr(run, n) for n in ("benchmark_version", "model", "name", "demo",
                  "pack_name", "pack_sha256", "endpoint", "settings")}  # fmt: skip
        fresh = {"identity": "0" * 32, "ordinal": 1, **shared}
        journal.add_run(run_id="00aa", benchmark="eqbench-v1", **fresh)
        other = journal.add_run(run_id="00bb", benchmark="other", **fresh)
        result: Any = {**(journal.document(run) or {}), "benchmark_version": "0"}
        journal.end_run(other, "complete", seconds=1, finished=True, document=result)
    assert "run 00aa has no result yet" in bench("repeat", run_id, "00aa").err
    assert "these are runs of eqbench-v1 and other" in bench("repeat", run_id, "00bb").err
    assert "unknown benchmark 'other'" in bench("repeat", "00bb").err


def test_a_run_without_an_answer_is_refused(bench: Bench, questions: Write) -> None:
    """All samples failed: there is nothing that a rerun could differ from."""
    with LoopbackServer(answer(1, 4), faults=lambda request: "400") as server:
        command = (*run_at(server), "--dataset", questions("1"), "--iterations", 2, "--json")
        run_id = bench(*command).json["run_id"]
    done = bench("repeat", run_id)
    assert done.code == 2
    assert f"run {run_id} has no graded replies yet" in done.err


def test_grades_of_another_version_are_not_taken_for_those_of_this_one(bench: Bench) -> None:
    """The message says how to have the replies graded by this version."""
    run_id = bench("run", "eqbench-v1", "--limit", 2, "--iterations", 2, "--json").json["run_id"]
    bench("export", run_id, "-o", "run.jsonl")
    lines = [json.loads(text) for text in Path("run.jsonl").read_text().splitlines()]
    for line in lines:
        if line.get("kind") == "grade":
            line["graded_by"]["version"] = "0"
            line["grader"] = digest(line["graded_by"])
    Path("run.jsonl").write_text(bundle(lines))
    assert bench("import", "run.jsonl", "--runs-dir", "there").code == 0
    done = bench("repeat", run_id, "--runs-dir", "there")
    assert done.code == 3
    assert f"bench rescore {run_id} --runs-dir there grades anew" in done.err
    assert bench("rescore", run_id, "--runs-dir", "there").code == 0
    assert bench("repeat", run_id, "--runs-dir", "there").code == 0
