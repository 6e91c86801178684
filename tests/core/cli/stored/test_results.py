"""Results that are not a run's own: of a part of it, or by another judge."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Bench = Callable[..., Any]
GRADES = (8, 7, 6, 9, 5, 7, 8, 6, 7)


def score(document: Any) -> float:
    """The main number."""
    value: float = next(iter(document["metrics"].values()))["value"]
    return value


def files() -> dict[str, Any]:
    """The documents beside the journal, by what stands after the name and the id."""
    found = {}
    for path in Path("runs").rglob("*.json"):
        document = json.loads(path.read_text())
        found[path.name.split(document["run_id"])[1]] = document
    return found


@pytest.fixture
def judged(court: Any) -> str:
    """A run that `strict` has graded, and then `kind`, one higher."""
    return str(court.staged(judged_twice))


def judged_twice(court: Any) -> str:
    """Such a run, made."""
    court.grade("strict", "alpha", *GRADES)
    court.grade("kind", "alpha", *(grade + 1 for grade in GRADES))
    run_id = str(court.run("alpha", "strict"))
    court.rejudge(run_id, "kind")
    return run_id


def listed(bench: Bench, run_id: str) -> Any:
    """What `bench runs` says of a run."""
    return next(row for row in bench("runs", "--json").json["runs"] if row["run_id"] == run_id)


def test_a_part_that_is_asked_for_replaces_nothing(bench: Bench, court: Any) -> None:
    """It is printed and marked, and no file; asked for again it is the same, without a call."""
    court.grade("strict", "alpha", *GRADES)
    run_id = court.run("alpha", "strict")
    whole = bench("show", run_id, "--json").json
    asked = len(court.server.requests)
    part, again = (court.result("alpha", "strict", "--limit", 2) for _ in range(2))
    assert (part["run_id"], part["main"], part["items"]["total"]) == (run_id, False, 2)
    assert (score(part), part["metrics"]) == (75.0, again["metrics"])
    assert files() == {".json": whole} == {".json": bench("show", run_id, "--json").json}
    assert (whole["main"], whole["items"]["total"]) == (True, 9)
    row = listed(bench, run_id)
    assert (row["metrics"], row["status"]) == (whole["metrics"], "complete")
    assert len(court.server.requests) == asked


@pytest.mark.parametrize(
    "more",
    [
        ("--items", "3,1", "--iterations", 2),
        ("--iterations", 1),
        ("--limit", 1, "--iterations", 1),
    ],
)
def test_any_part_is_told_from_the_whole(
    bench: Bench, court: Any, more: tuple[object, ...]
) -> None:
    """Items, fewer of them, fewer iterations."""
    court.grade("strict", "alpha", *GRADES)
    run_id = court.run("alpha", "strict", "--iterations", 2)
    whole = files()
    assert not court.result("alpha", "strict", *more)["main"]
    assert files() == whole
    assert listed(bench, run_id)["metrics"] == whole[".json"]["metrics"]


def test_a_part_says_what_it_is_not(bench: Bench) -> None:
    """With the command that prints the run's own result."""
    run = ("run", "eqbench-v1", "--dataset", "bundled")
    run_id = bench(*run, "--limit", 3, "--json").json["run_id"]
    shown = bench(*run, "--limit", 2, "--details").out
    assert f"not the run's own result, which bench show {run_id} prints" in shown


def test_a_part_that_is_all_there_is_is_the_run_s_own_result(bench: Bench, court: Any) -> None:
    """Until more is asked for; an interrupted whole is not replaced by a part."""
    court.grade("strict", "alpha", *GRADES)
    run_id = court.run("alpha", "strict", "--limit", 2)
    assert list(files()) == [".json"]
    assert bench("show", run_id, "--json").json["main"]
    court.run("alpha", "strict", "--limit", 3)
    assert files()[".json"]["items"]["total"] == 3
    court.run("alpha", "strict")
    assert (list(files()), files()[".json"]["items"]["total"]) == ([".json"], 9)


def test_another_judge_replaces_nothing(bench: Bench, court: Any, judged: str) -> None:
    """`runs` and `show` have the first judge's result and say whose it is."""
    own, other = files()[".json"], court.rejudge(judged, "kind")
    assert list(files()) == [".json"]
    assert (own["judge"], other["judge"]) == ("openai/strict", "openai/kind")
    assert score(other) == pytest.approx(score(own) + 10)
    row = listed(bench, judged)
    assert (row["judge"], row["metrics"]) == ("openai/strict", own["metrics"])
    assert bench("show", judged, "--json").json == own
    shown = bench("show", judged)
    assert f"bench show {judged} --judge" in shown.out
    by_kind = bench("show", judged, "--judge", "openai/kind", "--json").json
    assert (by_kind["main"], by_kind["metrics"]) == (False, other["metrics"])
    assert court.label("strict") in bench("runs", env={"COLUMNS": "200"}).out
    for judge, found in (("strict", own), ("kind", other)):
        board = bench("leaderboard", "eqbench3", "--judge", f"openai/{judge}", "--json").json
        assert board["rows"][0]["metrics"] == found["metrics"]


def test_the_same_run_with_another_judge_replaces_nothing(bench: Bench, court: Any) -> None:
    """`bench run` as `bench rejudge`."""
    court.grade("strict", "alpha", *GRADES)
    court.grade("kind", "alpha", *GRADES)
    run_id = court.run("alpha", "strict")
    assert not court.result("alpha", "kind")["main"]
    assert listed(bench, run_id)["judge"] == "openai/strict"


def test_other_grading_options_replace_nothing(bench: Bench) -> None:
    """Of `bench run` and of `bench rescore`; reading again as before is the run's own."""
    run = ("run", "eqbench-v1", "--dataset", "bundled", "--limit", 3, "--json")
    run_id = bench(*run).json["run_id"]
    assert not bench(*run, "--parser", "reference").json["main"]
    again = bench("rescore", run_id, "--json").json
    other = bench("rescore", run_id, "--set", "parser=reference", "--json").json
    assert (again["main"], other["main"]) == (True, False)
    assert files()[".json"]["options"] == again["options"] != other["options"]


def test_a_failed_judge_leaves_the_run_as_it_is(bench: Bench, court: Any) -> None:
    """A judge that cannot be reached does not make a complete run a stopped one."""
    court.grade("strict", "alpha", *GRADES)
    run_id = court.run("alpha", "strict")
    row = listed(bench, run_id)
    gone = ("rejudge", run_id, "--judge", "anthropic/nobody", "--yes")
    assert bench(*gone, "--judge-base-url", court.server.base_url).code != 0
    assert listed(bench, run_id) == row


def test_a_deleted_run_leaves_no_file(bench: Bench, court: Any, judged: str) -> None:
    """Its result goes with it."""
    assert len(files()) == 1
    bench("delete", judged, "--yes")
    assert files() == {}


def test_a_judge_s_result_goes_with_an_export(bench: Bench, judged: str, tmp_path: Path) -> None:
    """It is computed from the grades there."""
    by = ("show", judged, "--judge", "openai/kind", "--json")
    before, own = bench(*by).json, files()
    bench("export", judged, "-o", tmp_path / "runs.jsonl")
    bench("delete", judged, "--yes")
    bench("import", tmp_path / "runs.jsonl")
    assert (files(), bench(*by).json) == (own, before)
    assert "already there" in bench("import", tmp_path / "runs.jsonl").err


def test_correlate_takes_the_results_of_a_judge_from_the_journal(bench: Bench, court: Any) -> None:
    """Whoever judged last; the document says whose they are (usability D7)."""
    for n, model in enumerate(("alpha", "beta", "gamma")):
        court.grade("strict", model, *[n + grade % 3 for grade in GRADES])
        court.grade("kind", model, *[grade - n for grade in GRADES])
        run_id = court.run(model, "strict")
        if model != "gamma":
            court.rejudge(run_id, "kind")
    both = ("eqbench3:rubric_score", "eqbench3:correctness")
    own = bench("correlate", *both, "--json").json
    strict = bench("correlate", *both, "--judge", "openai/strict", "--json").json
    assert own["correlations"][0]["n"] == strict["correlations"][0]["n"] == 3
    assert set(own["judges"].values()) == {court.label("strict")}
    kind = bench("correlate", *both, "--judge", "openai/kind", "--json")
    assert "only 2 models have both" in kind.err
    assert court.label("strict") in bench("correlate", *both).out


def test_correlate_leaves_models_out_before_it_looks_at_protocols(bench: Bench, court: Any) -> None:
    """A model that is left out cannot keep the others from being set beside each other."""
    for n, model in enumerate(("alpha", "beta", "gamma", "delta")):
        judge = "kind" if model == "delta" else "strict"
        court.grade(judge, model, *[n + grade % 3 for grade in GRADES])
        court.run(model, judge)
    both = ("eqbench3:rubric_score", "eqbench3:correctness", "--json")
    assert "cannot be combined" in bench("correlate", *both).err
    done = bench("correlate", *both, "--without", "openai/delta")
    assert done.json["correlations"][0]["n"] == 3
    wrong = bench("correlate", *both, "--without", "openai/delt")
    assert "did you mean openai/delta?" in wrong.err


def test_correlate_takes_a_pack_for_each_benchmark(bench: Bench, court: Any) -> None:
    """With BENCHMARK=NAME; a benchmark that is not correlated, and two of one, are refused."""
    for ability in ("weak", "medium", "strong"):
        demo = ("--model", f"demo/{ability}", "--json")
        bench("run", "eqbench-v1", "--dataset", "bundled", *demo)
        bench("run", "eqbench3", "--dataset", court.pack, "--no-elo", *demo)
    words = ("correlate", "eqbench-v1", "eqbench3", "--json", "--dataset")
    named = bench(*words, "eqbench-v1=bundled", "--dataset", "eqbench3=custom")
    assert named.json["correlations"][0]["n"] == 3
    assert bench(*words, "bundled").code != 0
    mixed = bench(*words, "custom", "--dataset", "eqbench-v1=bundled")
    assert mixed.json["correlations"] == named.json["correlations"]
    assert "is not correlated" in bench(*words, "seceu=official").err
    twice = bench(*words, "bundled", "--dataset", "custom")
    assert (twice.code, "given twice" in twice.err) == (2, True)


def test_repeat_says_who_judged(bench: Bench, court: Any, judged: str) -> None:
    """It is the judge of the run's own result."""
    court.run("alpha", "strict", "--iterations", 2)
    document = bench("repeat", judged, "--json").json
    assert document["judge"] == court.label("strict")
    assert court.label("strict") in bench("repeat", judged).out
