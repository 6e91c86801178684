"""Several benchmarks and models in one command, suites, limits on results, errors as JSON."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.testing import LoopbackServer, uniform_ratings

Bench = Callable[..., Any]

SUITE = """
[suite.nightly]
benchmarks = ["eqbench-v1", "eqbench3"]
models = ["demo/weak", "demo/strong"]
judge = "demo/judge"
limit = 2

[suite.nightly.options.eqbench3]
elo = false
"""


@pytest.fixture
def suite(empty_place: Path) -> Path:
    """A settings file with a suite."""
    path = empty_place / "bench.toml"
    path.write_text(SUITE)
    return path


def ran(done: Any) -> list[tuple[str, str]]:
    """Benchmark and model of each result."""
    return [(document["benchmark"], document["name"]) for document in done.json["runs"]]


EACH = [("eqbench-v1", "demo/weak"), ("eqbench-v1", "demo/strong"),
        ("eqbench3", "demo/weak"), ("eqbench3", "demo/strong")]  # fmt: skip


def test_each_model_answers_each_benchmark(bench: Bench, empty_place: Path) -> None:
    """One document a run, by benchmark and then by model; the options of one are its own."""
    models = ("--model", "demo/weak", "--model", "demo/strong")
    done = bench("run", "eqbench-v1", "eqbench3", *models, "--judge", "demo/judge", "--no-elo",
                 "--limit", 2, "--json")  # fmt: skip
    assert done.code == 0, done.err
    assert ran(done) == EACH
    assert "note: --elo is for eqbench3 alone" in done.err
    assert [d["judge"] for d in done.json["runs"]] == [None, None, "demo/judge", "demo/judge"]
    assert [d["options"].get("elo") for d in done.json["runs"]] == [None, None, False, False]


def test_a_run_of_several_is_the_run_of_one(bench: Bench, empty_place: Path) -> None:
    """Nothing is asked again when a benchmark of several is run alone."""
    done = bench("run", "eqbench-v1", "seceu", "--limit", 2, "--json")
    alone = bench("run", "seceu", "--limit", 2, "--json").json
    assert alone["run_id"] == done.json["runs"][1]["run_id"]
    assert "nothing to ask" in bench("run", "eqbench-v1", "--limit", 2).err


def test_the_end_is_a_table_of_all_runs(bench: Bench, empty_place: Path) -> None:
    """Benchmark, model, number and run id, a row each; the plan adds up."""
    done = bench("run", "eqbench-v1", "seceu", "--limit", 2)
    assert "in all 2 runs; 4 to 12 calls to models; about " in done.err
    lines = done.out.split("2 runs  DEMO\n")[1].splitlines()
    assert [line.split()[1] for line in lines if "demo/medium" in line] == ["eqbench-v1", "seceu"]


def test_a_suite_runs_what_it_says(bench: Bench, suite: Path) -> None:
    """Benchmarks, models, judge and options come from the file."""
    done = bench("run", "--suite", "nightly", "--json")
    assert done.code == 0, done.err
    assert ran(done) == EACH
    assert {d["items"]["total"] for d in done.json["runs"]} == {2}
    assert [d["options"].get("elo") for d in done.json["runs"]] == [None, None, False, False]


def test_the_command_line_goes_before_a_suite(bench: Bench, suite: Path) -> None:
    """An option that is given counts, also one of a benchmark's own."""
    runs = bench("run", "--suite", "nightly", "--limit", 1, "--elo", "--json").json["runs"]
    assert [document["items"]["total"] for document in runs] == [1, 1, 1, 1]
    assert [document["options"].get("elo") for document in runs] == [None, None, True, True]
    assert (
        bench("run", "--suite", "nightly", "--model", "demo/weak", "--dry-run", "--json").json[
            "runs"
        ][0]["model"]
        == "demo/weak"
    )


def test_models_to_leave_out_are_those_of_benchmarks_that_compare(
    bench: Bench, empty_place: Path
) -> None:
    """The others know no comparison, and are not stopped by the option."""
    demo = ("--judge", "demo/judge", "--limit", 1)
    assert bench("run", "eqbench3", "--model", "demo/weak", *demo).code == 0
    both = ("--model", "demo/strong", *demo, "--without", "demo/weak", "--json")
    done = bench("run", "eqbench-v1", "eqbench3", *both)
    assert done.code == 0, done.err
    assert [document["ratings"] for document in done.json["runs"]] == [[], []]


def test_config_lists_suites(bench: Bench, suite: Path) -> None:
    """With what they run; of other settings the names."""
    (found,) = bench("config", "--json").json["suites"]
    assert found["benchmarks"] == ["eqbench-v1", "eqbench3"]
    assert found["also sets"] == ["limit", "elo of eqbench3"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("nightly.options.eqbench3]\nelo", "nightly.options.eqbench3]\neloo"),
         "[suite.nightly.options.eqbench3] has no option eloo; did you mean elo?"),
        (('["eqbench-v1", "eqbench3"]', "[]"), "[suite.nightly] needs benchmarks"),
        (('["eqbench-v1", "eqbench3"]', '["seceu", "eqbench3", "seceu"]'), "names seceu twice"),
        (("limit", "limitt"), "[suite.nightly] has no setting limitt; did you mean limit?"),
        (("eqbench-v1", "eqbench-v9"), "unknown benchmark 'eqbench-v9'"),
        (("options.eqbench3", "options.seceu"), "has options of seceu, which it does not run"),
        (('judge = "demo/judge"', 'judge = "demo/judge"\njudges = ["demo/judge"]'),
         "has both judge and judges"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_suite_is_named(
    bench: Bench, suite: Path, change: tuple[str, str], message: str
) -> None:
    """With the table that it stands in; nothing is run."""
    suite.write_text(SUITE.replace(*change))
    done = bench("run", "--suite", "nightly")
    assert done.code in (2, 3)
    assert message in done.err
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a benchmark, or --suite NAME"),
        (("--suite", "nightl"), "there is no suite 'nightl'; did you mean nightly?"),
        (("--suite", "nightly", "seceu"), "leave the others out"),
        (("seceu", "seceu"), "seceu is given twice"),
        (("seceu", "nosuch"), "unknown benchmark 'nosuch'"),
        (("seceu", "eqbench-v1", "--no-elo"), "No such option"),
        (("seceu", "--fail-under", "x"), "is not METRIC=N"),
        (("seceu", "--fail-under", "eq=nan"), "is not METRIC=N"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    bench: Bench, suite: Path, arguments: tuple[str, ...], message: str
) -> None:
    """Before anything is run."""
    done = bench("run", *arguments)
    assert done.code in (2, 3)
    assert message in done.err
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("limits", "code", "message"),
    [
        (["score=10"], 0, ""),
        (["score=99"], 1, "eqbench-v1 demo/medium: score 61.31 is under 99"),
        (["99"], 1, "eqbench-v1 demo/medium: score 61.31 is under 99"),
        (["score=10", "first_pass=99"], 1, "first_pass"),
        (["scor=10"], 1, "no result has the metric scor; did you mean score?"),
    ],
)
def test_a_result_that_is_too_low_fails(
    bench: Bench, empty_place: Path, limits: list[str], code: int, message: str
) -> None:
    """Exit code 1, and a line that says which and by how much."""
    given = [word for limit in limits for word in ("--fail-under", limit)]
    done = bench("run", "eqbench-v1", *given)
    assert done.code == code
    assert message in done.err


def test_where_lower_is_better_a_higher_number_fails(bench: Bench, empty_place: Path) -> None:
    """SECEU's score is a distance."""
    assert bench("run", "seceu", "--fail-under", "seceu_score=9").code == 0
    done = bench("run", "seceu", "--fail-under", "seceu_score=1")
    assert done.code == 1
    assert "seceu_score 2.10 is above 1" in done.err


@pytest.mark.parametrize(
    ("arguments", "kind", "code"),
    [
        (("run", "nosuch", "--json"), "usage", 2),
        (("run", "seceu", "--nosuch", "--json"), "usage", 2),
        (("run", "seceu", "--limit", "x", "--json"), "usage", 2),
        (("show", "zzz", "--json"), "journal", 4),
        (("nosuch", "--json"), "usage", 2),
        (("run", "seceu", "--model", "openai/x", "--json"), "configuration", 3),
        (("run", "seceu", "--model", "openai/x", "--base-url", "http://127.0.0.1:1/v1",
          "--json"), "provider", 4),
    ],
)  # fmt: skip
def test_with_json_an_error_is_json_too(
    bench: Bench, empty_place: Path, arguments: tuple[str, ...], kind: str, code: int
) -> None:
    """On standard output; standard error keeps the line for people."""
    done = bench(*arguments, env={"BENCH_MAX_RETRIES": "0"})
    error = done.json["error"]
    assert (done.code, error["exit_code"], error["kind"]) == (code, code, kind)
    assert error["message"] in done.err.replace("\n", " ")


def test_one_of_several_that_fails_does_not_stop_the_others(
    bench: Bench, empty_place: Path
) -> None:  # fmt: skip
    """Its error is in the document beside the results; the exit code is the worst."""
    done = bench("run", "emotionqueen", "seceu", "--model", "demo/weak", "--judge", "openai/x",
                 "--judge-base-url", "http://127.0.0.1:1/v1", "--limit", 1, "--json",
                 env={"BENCH_MAX_RETRIES": "0"})  # fmt: skip
    assert done.code == 4
    assert ran(done) == [("seceu", "demo/weak")]
    (error,) = done.json["errors"]
    assert (error["kind"], error["benchmark"]) == ("provider", "emotionqueen")


def test_what_the_budget_left_nothing_for_is_named(bench: Bench, empty_place: Path) -> None:
    """In the document and in the table, where answers are asked for again; exit code 5."""
    ratings = uniform_ratings(1)
    with LoopbackServer(lambda r: str(ratings(r)) if r.n % 2 else "Not now.") as server:
        words = ("run", "eqbench-v1", "seceu", "--model", "openai/x", "--base-url",
                 server.base_url, "--price", "1000,1000", "--max-cost", "20",
                 "--fresh")  # fmt: skip
        done = bench(*words, "--json")
        assert done.code == 5
        assert done.json["not_begun"] == [{"benchmark": "seceu", "name": "openai/x"}]
        assert "not begun" in bench(*words).out


def test_the_note_names_all_benchmarks_where_less_is_better(bench: Bench) -> None:
    """One after the other, apart from each other."""
    done = bench("run", "seceu", "both-sides", "--model", "demo/strong", "--limit", 2)
    assert "seceu score, sycophancy: less is better" in done.out


def test_the_table_at_the_end_has_rank_and_rating_of_all_comparisons(bench: Bench) -> None:
    """Of every model those that the last run knows; where less is better, that is said."""
    models = [word for name in ("weak", "strong") for word in ("--model", f"demo/{name}")]
    few = ("--limit", 9, "--dataset", "bundled")
    done = bench("run", "eqbench3", "seceu", *models, *few, env={"COLUMNS": "150"})
    *_, table = done.out.partition("4 runs")
    cells = [[c.strip() for c in row.split("│")[1:-1]] for row in table.splitlines() if "│" in row]
    heading = cells[0]
    rank, model = heading.index("rank"), heading.index("model")
    ranks = {(row[0], row[model]): row[rank] for row in cells[1:]}
    assert ranks == {
        ("eqbench3", "demo/weak"): "2",
        ("eqbench3", "demo/strong"): "1",
        ("seceu", "demo/weak"): "–",
        ("seceu", "demo/strong"): "–",
    }
    assert "seceu score: less is better" in table
    assert "1 model of this command will be compared with it" in done.out
