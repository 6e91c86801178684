"""`bench compare`: pairs, what is missing, and what may not be compared."""

import json
import shlex
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from eibench.core.journal.schema import GRADES
from eibench.core.journal.tables import quoted
from eibench.core.types import digest
from eibench.statistics import NO_SPREAD, paired_difference
from tests.checksums import add_functions

from .conftest import scenario

Bench = Callable[..., Any]
FAMILIES = ("twins", "twins", *"cdefghi")
A = (8, 7, 6, 9, 5, 7, 8, 6, 7)
B = (6, 7, 5, 6, 6, 5, 4, 6, 7)


@pytest.fixture
def pair(court: Any) -> tuple[str, str]:
    """Runs of two models, all transcripts graded by one judge."""
    return cast(tuple[str, str], court.staged(two_runs))


def two_runs(court: Any) -> tuple[str, str]:
    """Such runs, made."""
    court.grade("strict", "alpha", *A)
    court.grade("strict", "beta", *B)
    return court.run("alpha", "strict"), court.run("beta", "strict")


def test_a_run_against_itself_differs_by_nothing(bench: Bench, pair: tuple[str, str]) -> None:
    """Zero differences, without an interval as no difference is the largest, and it is said."""
    done = bench("compare", pair[0], pair[0], "--json")
    assert done.code == 0
    rows = done.json["differences"]
    assert rows
    for row in rows.values():
        assert (row["difference"], row["ci95"], row["standard_error"]) == (0, None, 0)
        assert row["reason"] == NO_SPREAD
        assert (row["p"], row["p_holm"], row["share_a_higher"], row["share_equal"]) == (1, 1, 0, 1)
    assert "this is one run set against itself" in done.json["warnings"]


def test_differences_are_those_of_the_pairs(bench: Bench, pair: tuple[str, str]) -> None:
    """Each criterion by the grades given, the rubric ten times that: 0-10 made 0-100."""
    document = bench("compare", *pair, "--json").json
    expected = paired_difference(A, B, FAMILIES)
    row = document["differences"]["correctness"]
    # 2 + 0 + 1 + 3 - 1 + 2 + 4 + 0 + 0 = 11 over 9 pairs, five above 0 and three equal.
    assert row["difference"] == expected.mean == 11 / 9
    assert (row["share_a_higher"], row["share_equal"]) == (5 / 9, 3 / 9)
    assert (row["n"], row["families"], row["mean_a"], row["mean_b"]) == (
        9,
        8,
        7.0,
        pytest.approx(52 / 9),
    )
    assert expected.interval is not None
    assert row["ci95"] == list(expected.interval)
    assert (row["p"], row["standard_error"]) == (expected.p, expected.standard_error)
    rubric = document["differences"]["rubric"]
    assert rubric["difference"] == pytest.approx(10 * row["difference"])
    assert rubric["ci95"] == pytest.approx([10 * end for end in row["ci95"]])
    assert rubric["p"] == row["p"]


def test_p_is_adjusted_over_all_values(bench: Bench, pair: tuple[str, str]) -> None:
    """Seven values with one and the same p: Holm multiplies it by seven."""
    rows = bench("compare", *pair, "--json").json["differences"]
    assert len(rows) == 7
    p = rows["rubric"]["p"]
    assert {row["p_holm"] for row in rows.values()} == {min(1.0, 7 * p)}


def test_criteria_that_eight_texts_can_never_tell_apart_are_not_called_alike(
    bench: Bench, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However far apart they are."""
    monkeypatch.delenv("BENCH_DETAILS")
    tests = len(bench("compare", *pair, "--json").json["differences"])
    shown = " ".join(bench("compare", *pair).out.split())
    assert f"too few texts to tell: 8, for {tests} values that are looked at" in shown


def test_the_other_way_round_signs_are_turned(bench: Bench, pair: tuple[str, str]) -> None:
    """B - A is what A - B is, but for the sign."""
    there = bench("compare", *pair, "--json").json
    back = bench("compare", *reversed(pair), "--json").json
    for name, row in there["differences"].items():
        other = back["differences"][name]
        assert row["difference"] == -other["difference"]
        assert row["ci95"] == pytest.approx([-end for end in reversed(other["ci95"])])
        assert (row["p"], row["mean_a"]) == (other["p"], other["mean_b"])


def test_metrics_are_those_of_each_run(bench: Bench, pair: tuple[str, str]) -> None:
    """Side by side, the same numbers that `bench show` prints."""
    metrics = bench("compare", *pair, "--json").json["metrics"]
    for side, run_id in zip("ab", pair, strict=True):
        shown = bench("show", run_id, "--json").json["metrics"]
        for name, metric in metrics.items():
            assert metric[side] == {key: shown[name][key] for key in ("value", "ci95", "n")}
    assert metrics["rubric_score"]["a"]["value"] == pytest.approx(70)


def test_the_table_has_metrics_first_then_differences(bench: Bench, pair: tuple[str, str]) -> None:
    """Who is A and B, by whose grades, then the two tables."""
    done = bench("compare", *pair)
    assert done.code == 0
    sides = ("openai/alpha", "openai/beta", "judge", "Metrics side by side", "rubric score")
    parts = (*sides, "Paired differences", "12.22", "56%")
    places = [done.out.index(words) for words in parts]
    assert places == sorted(places)
    assert "p (Holm)" in done.out
    assert "DEMO" not in done.out


def test_what_one_run_lacks_is_counted_and_left_out(bench: Bench, court: Any) -> None:
    """An unread verdict, a failed sample, and an iteration that only one run has."""
    court.grade("strict", "alpha", *A)
    court.grade("strict", "beta", *B[:6], None, *B[7:])
    court.silent.add(("beta", "3"))
    one = court.run("alpha", "strict", "--iterations", 2)
    two = court.run("beta", "strict")
    done = bench("compare", one, two)
    document = bench("compare", one, two, "--json").json
    only_a = {"total": 11, "unscored": 1, "failed": 1, "pending": 9}
    nobody = {"total": 0, "unscored": 0, "failed": 0, "pending": 0}
    assert document["samples"] == {"both": 7, "only_a": only_a, "only_b": nobody, "neither": 0}
    row = document["differences"]["rubric"]
    assert (row["n"], row["only_a"], row["only_b"]) == (7, 11, 0)
    # Without scenarios 3 and 7: gaps 2, 0, 3, -1, 2, 0, 0 of grades, ten times that of the rubric.
    assert row["difference"] == pytest.approx(60 / 7)
    assert document["b"]["samples"]["scored"] == 7
    message = "only A has a score for 11 samples (in B: 1 unscored, 1 failed, 9 to do)"
    assert message in done.out
    assert any(f"run {two} (openai/beta) is partial: 1 failed" in w for w in document["warnings"])


def test_partial_runs_are_warned_of(bench: Bench, court: Any) -> None:
    """The pairs are those that both have; how much of the pack is missing is said."""
    court.grade("strict", "alpha", *A)
    court.grade("strict", "beta", *B)
    runs = court.run("alpha", "strict", "--limit", 3), court.run("beta", "strict")
    document = bench("compare", *runs, "--json").json
    assert document["differences"]["rubric"]["n"] == 3
    (message,) = [w for w in document["warnings"] if "partial" in w]
    assert message.startswith(f"run {runs[0]} (openai/alpha) is partial: 0 failed, 6 to do of 9")


def test_seven_families_have_neither_interval_nor_test(bench: Bench, court: Any) -> None:
    """Null with a reason, in the document and below the table; the error is there."""
    court.grade("strict", "alpha", *A)
    court.grade("strict", "beta", *B)
    runs = [court.run(model, "strict", "--limit", 8) for model in ("alpha", "beta")]
    row = bench("compare", *runs, "--json").json["differences"]["rubric"]
    assert [row[key] for key in ("ci95", "p", "p_holm", "families")] == [None, None, None, 7]
    assert row["standard_error"] > 0
    assert row["reason"] == "an interval needs items with 8 different texts, here are 7"
    assert row["reason"] in bench("compare", *runs).out


def test_families_of_very_unequal_size_are_warned_of(bench: Bench, court: Any) -> None:
    """Nine scenarios in one family and seven others: 16^2 / (9^2 + 7) = 2.9 of one size."""
    texts = [scenario(n, "big" if n <= 9 else f"f{n}") for n in range(1, 17)]
    (court.pack / "scenarios.toml").write_text("\n".join(texts))
    for model, grades in (("alpha", [*A, *A[:7]]), ("beta", [*B, *B[:7]])):
        court.grade("strict", model, *grades)
    runs = [court.run(model, "strict") for model in ("alpha", "beta")]
    warnings = bench("compare", *runs, "--json").json["warnings"]
    assert any("these 8 texts say as much as 2.9 with as many items each" in w for w in warnings)


def test_one_family_leaves_everything_but_the_difference_empty(bench: Bench, court: Any) -> None:
    """Null, and not NaN or zero width."""
    court.grade("strict", "alpha", *A)
    court.grade("strict", "beta", *B)
    runs = [court.run(model, "strict", "--limit", 2) for model in ("alpha", "beta")]
    row = bench("compare", *runs, "--json").json["differences"]["rubric"]
    assert row["difference"] == pytest.approx(10.0)
    assert [row[key] for key in ("ci95", "standard_error", "p", "p_holm")] == [None] * 4


def test_no_common_sample_is_refused(bench: Bench, court: Any) -> None:
    """There is nothing to compare."""
    court.grade("strict", "alpha", *A)
    court.grade("strict", "beta", *B)
    runs = [
        court.run("alpha", "strict", "--items", "1,2"),
        court.run("beta", "strict", "--items", 5),
    ]
    done = bench("compare", *runs)
    assert (done.code, done.out) == (2, "")
    assert "no scored sample in common" in done.err
    assert "--items" in done.err


def test_different_benchmarks_are_refused(bench: Bench) -> None:
    """What differs, and what to do."""
    run = ("--limit", 1, "--json")
    ids = [bench("run", name, *run).json["run_id"] for name in ("seceu", "eqbench-v1")]
    done = bench("compare", *ids)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "one is of seceu, the other of eqbench-v1; name runs of one benchmark" in done.err


def test_different_packs_are_refused(bench: Bench, questions: Callable[..., Path]) -> None:
    """Both packs are named by their contents."""
    runs = [
        bench("run", "eqbench-v1", "--dataset", questions(ids, f"{name}.json"), "--json").json
        for ids, name in (("1,2", "one"), ("1,2,3", "two"))
    ]
    done = bench("compare", *(run["run_id"] for run in runs))
    assert done.code == 2
    assert all(run["dataset"]["sha256"][:12] in done.err for run in runs)
    assert "with the --dataset of the other" in done.err


def test_different_versions_are_refused(bench: Bench, pair: tuple[str, str]) -> None:
    """A version changes what scores mean."""
    _change("UPDATE runs SET benchmark_version = '0' WHERE run_id = ?", pair[0])
    done = bench("compare", *pair)
    assert done.code == 2
    assert "version 0 in one and 1 in the other" in done.err


def test_different_judges_are_refused_until_one_has_graded_both(bench: Bench, court: Any) -> None:
    """The message has the command that adds what is missing."""
    for judge in ("strict", "kind"):
        court.grade(judge, "alpha", *A)
        court.grade(judge, "beta", *B)
    runs = court.run("alpha", "strict"), court.run("beta", "kind")
    done = bench("compare", *runs)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"{runs[0]} by {court.label('strict')}" in done.err
    assert f"{runs[1]} by {court.label('kind')}" in done.err
    at = f"--judge-base-url {court.server.base_url}"
    assert f"; bench rejudge {runs[1]} --judge openai/strict {at} adds what is missing" in done.err
    command = shlex.split(done.err.rpartition("bench ")[2].partition(" adds")[0])
    assert bench(*command, "--yes").code == 0
    document = bench("compare", *runs, "--json").json
    assert document["judge"] == court.label("strict")


def test_a_base_by_another_judge_is_refused_before_anything_is_asked(
    bench: Bench, court: Any
) -> None:
    """With the command that judges it again; then the line is on grades of that judge alone."""
    court.grade("strict", "alpha", *A)
    court.grade("strict", "beta", *B)
    court.grade("kind", "beta", *[9] * 9)
    base, at = court.run("beta", "kind"), court.server.base_url
    model = ("--model", "openai/alpha", "--base-url", at, "--dataset", court.pack, "--no-elo")
    judge = ("--judge", "openai/strict", "--judge-base-url", at, "--yes", "--against", "beta")
    before = len(court.server.requests)
    refused = bench("run", "eqbench3", *model, *judge)
    assert (refused.code, len(court.server.requests)) == (2, before)
    asked = f"--judge openai/strict --judge-base-url {at}"
    assert f"bench rejudge {base} {asked} adds" in refused.err
    court.rejudge(base, "strict")
    row = bench("run", "eqbench3", *model, *judge, "--json").json["against"]
    assert row["difference"] == pytest.approx(110 / 9)
    assert (row["run_id"], row["verdict"]) == (base, "better")


def test_of_several_judges_that_of_their_own_results_is_meant(bench: Bench, court: Any) -> None:
    """Another can be named, by its label or by its spec; each gives its own differences."""
    court.grade("strict", "alpha", *A)
    court.grade("strict", "beta", *B)
    court.grade("kind", "alpha", *[9] * 9)
    court.grade("kind", "beta", *[8] * 9)
    runs = court.run("alpha", "strict"), court.run("beta", "strict")
    for run_id in runs:
        court.rejudge(run_id, "kind")
    own = bench("compare", *runs, "--json").json
    assert own["differences"]["rubric"]["difference"] == pytest.approx(110 / 9)
    for named in ("openai/kind", court.label("kind")):
        row = bench("compare", *runs, "--judge", named, "--json").json["differences"]["rubric"]
        assert (row["difference"], row["ci95"]) == (pytest.approx(10), None)  # all items alike
    strict = bench("compare", *runs, "--judge", "openai/strict", "--json").json
    assert strict["differences"]["rubric"]["difference"] == pytest.approx(110 / 9)
    other = bench("compare", *runs, "--judge", "openai/nobody")
    assert other.code == 2
    assert f"run {runs[0]} has no grades by openai/nobody; there are:" in other.err


@pytest.fixture
def readers(bench: Bench) -> tuple[str, str]:
    """Two demo runs of v1, the second read by the reference parser."""
    runs = []
    for model, parser in (("strong", "strict"), ("weak", "reference")):
        more = ("--model", f"demo/{model}", "--parser", parser, "--limit", 6, "--json")
        runs.append(bench("run", "eqbench-v1", *more).json["run_id"])
    return runs[0], runs[1]


def test_different_readers_are_refused_until_one_has_read_both(
    bench: Bench, readers: tuple[str, str]
) -> None:
    """The command that the message names makes them alike."""
    done = bench("compare", *readers)
    assert done.code == 2
    assert "parser=strict" in done.err
    assert f"bench rescore {readers[1]} --set parser=strict" in done.err
    assert bench("rescore", readers[1], "--set", "parser=strict").code == 0
    document = bench("compare", *readers, "--json").json
    assert document["grade_options"] == {"parser": "strict"}
    assert document["judge"] is None
    assert list(document["differences"]) == ["first_pass", "revised"]
    assert document["differences"]["revised"]["n"] == 6


def test_several_readers_are_listed_and_one_can_be_chosen(
    bench: Bench, readers: tuple[str, str]
) -> None:
    """With --set, as in bench rescore."""
    bench("rescore", readers[0], "--set", "parser=reference")
    bench("rescore", readers[1], "--set", "parser=strict")
    done = bench("compare", *readers)
    assert done.code == 2
    assert "parser=strict" in done.err
    assert "parser=reference" in done.err
    for parser in ("strict", "reference"):
        document = bench("compare", *readers, "--set", f"parser={parser}", "--json").json
        assert document["grade_options"] == {"parser": parser}
    assert bench("compare", *readers, "--set", "parser=loose").code == 2


def test_grades_of_a_rescore_are_those_of_the_same_reader(
    bench: Bench, readers: tuple[str, str]
) -> None:
    """A rescore with the same parser makes no second grading to choose from."""
    bench("rescore", readers[0])
    before = bench("compare", readers[0], readers[0], "--json")
    assert before.code == 0
    assert before.json["a"]["samples"]["scored"] == 6


def test_demo_runs_say_demo(bench: Bench, readers: tuple[str, str]) -> None:
    """In the table and in the document."""
    assert "DEMO" in bench("compare", readers[0], readers[0]).out
    assert bench("compare", readers[0], readers[0], "--json").json["demo"] is True


def test_models_that_were_not_asked_alike_are_told(bench: Bench, court: Any) -> None:
    """Then the difference is not the models' alone."""
    court.grade("strict", "alpha", *A)
    runs = court.run("alpha", "strict"), court.run("alpha", "strict", "--temperature", 0.2)
    document = bench("compare", *runs, "--json").json
    assert document["differs"] == {"temperature": [0.7, 0.2]}
    assert "the models were not asked alike: temperature differ" in document["warnings"]


def test_a_judge_of_the_model_s_family_is_told(bench: Bench, court: Any) -> None:
    """It may favour one of the two."""
    court.grade("gpt-judge", "alpha", *A)
    court.grade("gpt-judge", "gpt", *B)
    runs = court.run("alpha", "gpt-judge"), court.run("gpt", "gpt-judge")
    message = bench("compare", *runs, "--json").json["warnings"]
    assert [w for w in message if w.startswith(f"run {runs[1]}: the judge")]
    assert not [w for w in message if w.startswith(f"run {runs[0]}: the judge")]


def test_a_judge_of_the_settings_file_chooses_nothing(bench: Bench, pair: tuple[str, str]) -> None:
    """It is there for new runs; these have their grades."""
    Path("bench.toml").write_text('[run]\njudge = "openai/nobody"\ndataset = "bundled"\n')
    assert bench("compare", *pair).code == 0


def test_data_that_was_moved_is_named(bench: Bench, court: Any, pair: tuple[str, str]) -> None:
    """Families are in the data, so it is needed."""
    moved = court.pack.rename(court.pack.with_name("moved"))
    done = bench("compare", *pair)
    assert done.code == 3
    assert "name it with --dataset PATH" in done.err
    assert bench("compare", *pair, "--dataset", moved).code == 0


def test_metrics_of_another_version_are_left_out(bench: Bench, pair: tuple[str, str]) -> None:
    """Only that version could have said what its values mean; the differences are there."""
    _change(
        'UPDATE grades SET graded_by = replace(graded_by, \'"version":"1"\', \'"version":"0"\')'
    )
    _change("UPDATE grades SET grader = digest_of(graded_by)")
    _change(f"UPDATE grades SET crc = grades_crc({quoted(GRADES.columns)})")
    document = bench("compare", *pair, "--json").json
    assert document["metrics"] == {}
    assert document["differences"]["rubric"]["difference"] == pytest.approx(110 / 9)
    assert any("metrics are left out" in w for w in document["warnings"])
    assert "Metrics side by side" not in bench("compare", *pair).out


def test_a_run_without_grades_is_refused(bench: Bench, pair: tuple[str, str]) -> None:
    """There is nothing to compare yet."""
    _change("DELETE FROM grades WHERE run = (SELECT n FROM runs WHERE run_id = ?)", pair[1])
    done = bench("compare", *pair)
    assert done.code == 4
    assert f"run {pair[1]} has no scored replies yet" in done.err


def _change(sql: str, *values: str) -> None:
    """Change the journal behind the program's back."""
    with closing(sqlite3.connect("runs/bench.sqlite")) as database, database:
        add_functions(GRADES, database)
        database.create_function("digest_of", 1, lambda text: digest(json.loads(text)))
        database.execute(sql, values)


def test_the_score_is_called_so_whichever_pass_it_is(bench: Bench) -> None:
    """Of a run that chose between two passes the note says which one it is."""
    run = ("run", "eqbench-v1", "--dataset", "bundled", "--limit", "3", "--json", "--model")
    made = [bench(*run, "demo/strong").json, bench(*run, "demo/strong", "--no-revise").json]
    assert {document["metric_labels"]["score"][0] for document in made} == {"score"}
    assert made[0]["metrics"]["score"]["chosen"] == made[0]["notes"]["pass"]
    assert "chosen" not in made[1]["metrics"]["score"]
    ids = [document["run_id"] for document in made]
    assert bench("compare", *ids, "--json").json["metrics"]["score"]["label"] == "score"
    shown = " ".join(bench("compare", *ids).out.split())
    assert "score is A's revised pass and B's score" in shown


def test_the_main_difference_is_that_of_the_metrics(bench: Bench) -> None:
    """On their scale, as every value of which there is a metric; it is the first row."""
    run = ("run", "eqbench-v1", "--dataset", "bundled", "--model")
    a, b = (bench(*run, f"demo/{m}", "--json").json for m in ("medium", "strong"))
    found = bench("compare", a["run_id"], b["run_id"], "--json").json
    main, first = found["main"], found["differences"]["first_pass"]
    assert (main["metric"], main["higher_is_better"]) == ("score", True)
    for row, name in ((main["row"], "score"), (first, "first_pass")):
        gap = a["metrics"][name]["value"] - b["metrics"][name]["value"]
        assert row["difference"] == pytest.approx(gap)
    shown = bench("compare", a["run_id"], b["run_id"]).out
    table = shown.partition("Paired differences")[2].splitlines()
    assert table[4].startswith("│ score ")
    assert found["statement"] == shown.splitlines()[-1]
    assert found["statement"].startswith("DEMO: demo/medium is worse than demo/strong by ")


def test_two_languages_of_a_pack_are_told_as_such(bench: Bench) -> None:
    """They are the same --dataset, so the option that makes them alike is another."""
    run = ("run", "eqbench-v2", "--dataset", "bundled", "--limit", "2", "--json", "--model")
    ids = [bench(*run, "demo/strong", "--lang", lang).json["run_id"] for lang in ("en", "de")]
    done = bench("compare", *ids)
    assert (done.code, "--dataset" in done.err) == (2, False)
    assert "their packs are bundled in en and in de" in done.err
    assert "with the --lang of the other" in done.err
