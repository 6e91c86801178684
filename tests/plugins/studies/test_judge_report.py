"""`bench judge-report`: an audit from a file, and from the journal."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import Comparison, Score
from eibench.core.journal import Journal
from eibench.core.ratings.reading import comparison_lines
from eibench.testing import Tournament

Bench = Callable[..., Any]


@pytest.fixture(scope="module")
def rows() -> list[Comparison]:
    """Six close models, 250 items in both orders, some replies unread."""
    played = Tournament([i / 10 for i in range(6)], seed=2)
    return list(played.rows(played.random_calls(250)))


@pytest.fixture
def played(empty_place: Path, rows: list[Comparison]) -> Path:
    """They as a file."""
    return write("played.jsonl", rows)


def write(name: str, rows: list[Comparison]) -> Path:
    """A file of comparisons in the working directory."""
    path = Path(name)
    path.write_bytes(b"".join(comparison_lines(rows)))
    return path


def test_the_document_has_all_parts(bench: Bench, played: Path) -> None:
    """With where it comes from, and finite numbers only."""
    done = bench("judge-report", played, "--json")
    assert (done.code, done.err) == (0, "")
    document = done.json
    assert list(document) == [
        "source", "demo", "judge", "conclusions", "counts", "orders", "terms", "asking",
        "criteria", "scenarios", "cycles", "stability", "warnings",
    ]  # fmt: skip
    assert document["source"] == {"file": "played.jsonl", "benchmark": None, "dataset": None}
    assert (document["judge"], document["demo"]) == ("simulated", False)
    assert document["counts"]["models"] == 6
    assert document["counts"]["comparisons"] == len(played.read_text().splitlines())
    assert len(document["scenarios"]) == document["counts"]["items"]
    assert document["asking"]["unread"]["value"] is None


def test_the_page_says_what_the_document_says(bench: Bench, played: Path) -> None:
    """Each measure with its interval, and the reason of what is not known."""
    document, page = (
        bench("judge-report", played, "--json").json,
        bench("judge-report", played, "--details"),
    )
    assert (page.code, page.err) == (0, "")
    flips = document["orders"]["flips"]
    assert f"{flips['value']:.3f} │ {flips['ci95'][0]:.3f} … {flips['ci95'][1]:.3f}" in page.out
    share = document["criteria"]["sets"][0]["first_factor"]["share"]
    message = f"first factor's share of the criteria: {share['value']:.2f} ({share['ci95'][0]:.2f}"
    assert message in page.out
    assert "a file of comparisons holds only what was read (comparisons unread; compa" in page.out
    assert document["stability"]["families"][0]["left_out"] in page.out
    assert document["scenarios"][0]["item"] in page.out


def test_a_judge_that_is_not_named_is_said_to_be_so(bench: Bench) -> None:
    """A file need not name it."""
    path = write("one.jsonl", [Comparison("i", 1, "x", "y", "a", {"c": 2})])
    assert bench("judge-report", path).out.startswith("judge (not told)  from one.jsonl\n")


def test_a_reason_is_told_once(bench: Bench, empty_place: Path) -> None:
    """That too few families are there, which no measure can do without; counts of one are so."""
    path = write("one.jsonl", [Comparison("i", 1, "x", "y", "a", {"c": 2})])
    page = bench("judge-report", path, "--details").out
    message = "an interval needs items with 8 different texts, here is 1"
    assert [line for line in page.splitlines() if message in line] == [f"warning: {message}"]
    assert "1 comparison of 1 pair of transcripts; 2 models, 1 item of 1 family" in page
    assert "not known of 1 scenario, with the reason in --json" in page


def test_a_cycle_is_named(bench: Bench, empty_place: Path) -> None:
    """In one line that closes the round."""
    circle = (("a", "b"), ("b", "c"), ("c", "a"))
    beaten = [
        Comparison(str(n), 1, i, j, first, {"c": 2})
        for n in range(8)
        for i, j in circle
        for first in ("a", "b")
    ]
    page = bench("judge-report", write("circle.jsonl", beaten), "--details")
    assert "1 where all three are sure, of 1 triple with three sure pairs" in page.out
    assert "a +2.00 > b +2.00 > c +2.00 > a" in page.out
    assert "no rank changes without any one family (8 tried)" in page.out
    assert "no correlations of the criteria of 24 items: too few alike" in page.out


def test_a_packed_file_says_the_same(bench: Bench, played: Path) -> None:
    """Gzip."""
    Path("played.jsonl.gz").write_bytes(gzip.compress(played.read_bytes()))
    packed = bench("judge-report", "played.jsonl.gz", "--json").json
    plain = bench("judge-report", played, "--json").json
    assert packed.pop("source")["file"] == "played.jsonl.gz"
    assert plain.pop("source") and packed == plain


def test_judges_are_audited_apart(bench: Bench, empty_place: Path, rows: list[Comparison]) -> None:
    """Two in one file: choose."""
    path = write("two.jsonl", [*rows, *(row._replace(judge="other") for row in rows[:40])])
    done = bench("judge-report", path)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "choose with --judge" in done.err
    document = bench("judge-report", path, "--judge", "other", "--json").json
    assert (document["judge"], document["counts"]["comparisons"]) == ("other", 40)


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        ((), 2, "name a benchmark, for the journal's comparisons, or a file"),
        (("played.jsonl", "--benchmark", "eqbench3"), 2, "or a file of them"),
        (("played.jsonl", "--dataset", "bundled"), 2, "--dataset is for the journal"),
        (("eqbench3",), 4, "no runs in runs"),
        (("--benchmark", "eqbench"), 2, "eqbench3"),
        (("played.jsonl", "--judge", "nobody"), 2, "no comparison by judge 'nobody'"),
        (("none.jsonl",), 3, "none.jsonl"),
        (("--benchmark", "eqbench3"), 4, "no runs in runs"),
    ],
)
def test_what_cannot_be_audited_is_one_line(
    bench: Bench, played: Path, args: tuple[str, ...], code: int, message: str
) -> None:
    """With the exit code of its kind."""
    done = bench("judge-report", *args)
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1)
    assert message in done.err


def test_a_judge_of_the_settings_is_no_wish_for_an_audit(bench: Bench, played: Path) -> None:
    """It is for new runs, as for `bench rate`."""
    whole = bench("judge-report", played, "--json")
    Path("bench.toml").write_text('[run]\njudge = "openai/x"\ndataset = "bundled"\n')
    done = bench("judge-report", played, "--json")
    assert (done.code, done.err) == (0, "")
    assert done.out == whole.out


def test_names_cannot_control_the_terminal(
    bench: Bench, empty_place: Path, rows: list[Comparison]
) -> None:
    """Models, items, families, criteria and the judge, named with an escape sequence."""
    evil = "\x1b[31m[red]"
    spoilt = [
        row._replace(
            a=evil + row.a,
            b=evil + row.b,
            item=evil + row.item,
            family=evil + row.family,
            judge=evil,
            margins={evil + name: margin for name, margin in row.margins.items()},
        )
        for row in rows
    ]
    done = bench("judge-report", write("evil.jsonl", spoilt))
    assert done.code == 0
    assert "\x1b" not in done.out
    assert "\\x1b[31m[red]model" in done.out


@pytest.fixture
def runs(demos: Callable[[int], Any]) -> None:
    """Demo runs of two models on nine scenarios, compared with each other."""
    demos(2)


@pytest.mark.usefixtures("runs")
def test_the_journal_knows_what_was_unread(bench: Bench) -> None:
    """Of 18 comparisons one is unread after three attempts, two were asked for again."""
    with Journal(Path("runs/demo")) as journal:
        run = journal.runs()[-1]
        one, two, *_ = journal.comparisons(run=run)
        spoilt = one._replace(
            status="unread", margins={}, reason="prose", flags=("re-asked twice",)
        )
        journal.add_comparison(run, spoilt)
        journal.add_comparison(run, two._replace(flags=("repaired", "re-asked")))
    document = bench("judge-report", "--benchmark", "eqbench3", "--json").json
    assert document["counts"]["comparisons"] == 17
    asking = document["asking"]
    values = {name: asking[name]["value"] for name in ("unread", "re_asked", "repaired")}
    assert values == {"unread": 1 / 18, "re_asked": 2 / 18, "repaired": 1 / 18}
    verdicts = {"total": 18, "unscored": 0, "re_asked": 0, "repaired": 0, "reasons": {}}
    assert asking["verdicts"] == verdicts
    assert (document["demo"], document["judge"]) == (True, "demo/judge")
    assert document["source"]["benchmark"] == "eqbench3"
    assert document["source"]["dataset"]["name"] == "bundled"


@pytest.mark.usefixtures("runs")
def test_verdicts_without_a_number_are_counted_with_the_reason(bench: Bench) -> None:
    """Of all models' newest runs."""
    with Journal(Path("runs/demo")) as journal:
        run = journal.runs()[-1]
        ((grader, _),) = journal.graders(run)
        item = next(journal.comparisons(run=run)).item_id
        unread = Score.unscored("it is prose", flags=("re-asked twice",))
        journal.add_grade(run, grader, item, 1, unread)
    asking = bench("judge-report", "--benchmark", "eqbench3", "--json").json["asking"]
    assert asking["verdicts"] == {
        "total": 18, "unscored": 1, "re_asked": 1, "repaired": 0, "reasons": {"it is prose": 1},
    }  # fmt: skip
    page = bench("judge-report", "--benchmark", "eqbench3", "--details").out
    assert "rubric verdicts: 18, of which 1 without a number, 1 asked for again" in page
    assert "1 x it is prose" in page


def test_a_benchmark_without_comparisons_has_no_judge(bench: Bench) -> None:
    """Usage, and what to do."""
    assert bench("run", "eqbench-v1", "--limit", 2, "--json").code == 0
    done = bench("judge-report", "--benchmark", "eqbench-v1", "--demo")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "eqbench-v1 does not compare models" in done.err


def test_a_judge_that_favours_length_is_found_out(bench: Bench) -> None:
    """`demo/terse` says half in half of the items, and `demo/judge-length` minds that."""
    for model in ("demo/medium", "demo/terse"):
        bench("run", "eqbench3", "--model", model, "--judge", "demo/judge-length", "--no-rubric")
    document = bench("judge-report", "--benchmark", "eqbench3", "--json").json
    verdicts = {one["about"]: one["verdict"] for one in document["conclusions"]}
    assert [about for about, one in verdicts.items() if one == "strong"] == ["length"]
