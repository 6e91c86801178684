"""The short form of a result: what is on a screen of 80 x 24 when a run has ended."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from eibench.core.console.fitted import whiskers
from eibench.core.reports.columns import FitColumn, Span, narrowings
from eibench.core.reports.ending import others, result_line
from eibench.plugins.kit.responders import uniform_ratings
from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]
Demos = Callable[..., list[Any]]


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests look at all numbers."""
    monkeypatch.delenv("BENCH_DETAILS")


def test_the_last_line_is_the_result(bench: Bench) -> None:
    """Number, interval, chance, cost and time; what to do next stands above it."""
    done = bench("run", "eqbench-v1")
    last = done.out.splitlines()[-1]
    number = "demo/medium DEMO: score 61.31 (52.80 … 69.15), revised pass, above chance"
    assert last.startswith(number)
    assert ", free, " in last and last.endswith(" s")
    assert "next: " in done.err and "--details" in done.err


def test_a_compared_model_has_its_rank_in_the_last_line(bench: Bench, demos: Demos) -> None:
    """Among the models that it was compared with, and its profile as bars."""
    document = demos(3)[-1]
    shown = bench("show", document["run_id"]).out
    own = next(row for row in document["ratings"] if row["model"] == document["name"])
    assert f"rank {own['rank']} of 3" in shown.splitlines()[-1]
    assert "█" in shown and "judge: 0 asked again" not in shown


def test_details_print_all_numbers(bench: Bench, demos: Demos) -> None:
    """The last line stays the result."""
    run = demos(1)[0]["run_id"]
    details, brief = bench("show", run, "--details").out, bench("show", run).out
    assert "moralising" in details and "moralising" not in brief
    assert details.splitlines()[-1] == brief.splitlines()[-1]


@pytest.mark.parametrize(
    ("ci95", "higher", "words"),
    [
        ([20.0, 30.0], True, "above chance (random 10.0)"),
        ([15.0, 30.0], True, "above chance (random 10.0) but not surely above the best constant"),
        ([5.0, 30.0], True, "not surely above chance (random 10.0)"),
        ([1.0, 9.0], True, "below chance (random 10.0)"),
        ([1.0, 9.0], False, "better than chance (random 10.0)"),
        ([12.0, 15.0], False, "worse than chance (random 10.0)"),
    ],
)
def test_chance_is_said_in_words(bench: Bench, ci95: list[float], higher: bool, words: str) -> None:
    """As far as the interval tells."""
    document = bench("run", "eqbench-v1", "--limit", 2, "--json").json
    metric = {"value": sum(ci95) / 2, "ci95": ci95, "n": 2, "higher_is_better": higher}
    changed = {
        name: dict(row, value=value)
        for (name, row), value in zip(
            document["baselines"].items(), (10.0, 12.0, 18.0 if higher else 8.0), strict=True
        )
    }
    document |= {"metrics": {"score": metric}, "baselines": changed}
    assert words in result_line(document)


def test_the_pass_that_the_score_is_has_no_second_interval(bench: Bench) -> None:
    """The choice of the pass adds to the score's; both of one number on a screen contradict."""
    document = bench("run", "eqbench-v1", "--limit", 8, "--json").json
    score, revised = document["metrics"]["score"], document["metrics"]["revised"]
    assert score["chosen"] == "revised" and score["value"] == revised["value"]
    document["metrics"]["revised"] = {**revised, "ci95": [end - 0.1 for end in revised["ci95"]]}
    shown = " ".join(others(document))
    assert "first pass" in shown and "revised pass" not in shown


def test_columns_go_in_the_order_of_what_is_missed_least() -> None:
    """Shorter cells first, where that is said."""
    columns = [
        FitColumn("model", ["a"]),
        FitColumn("interval", ["1 … 2"], drop=3, brief=["1–2"], shorten=1),
        FitColumn("cost", ["free"], drop=2),
    ]
    found = [[(c.heading, c.cells[0]) for c in left] for _, left in narrowings(columns)]
    assert found[1] == [("model", "a"), ("interval", "1–2"), ("cost", "free")]
    assert found[2:] == [[("model", "a"), ("interval", "1–2")], [("model", "a")]]


def test_intervals_are_drawn_on_one_scale() -> None:
    """An open end is an arrow, a value without an interval a dot."""
    spans = [Span(5, [0, 10]), Span(8, [6, None]), Span(2, None), Span(None, None)]
    assert whiskers(spans, 11) == ["├────●────┤", "      ├─●─▸", "  ●        ", ""]


def test_a_result_from_the_journal_says_so_last(bench: Bench) -> None:
    """With the date and the address of its replies, so that nobody takes it for a new model's."""
    run = ("run", "eqbench-v1", "--limit", 2, "--model", "openai/m", "--base-url")
    with LoopbackServer(uniform_ratings(1)) as server:
        asked = bench(*run, server.base_url).out
    assert "from the journal" not in asked
    kept = bench(*run, "http://127.0.0.1:9/v1").out.splitlines()[-1]
    said = rf", from the journal, of \d{{4}}-\d\d-\d\d \d\d:\d\d, asked at 127.0.0.1:{server.port};"
    assert re.search(f"{said} nothing was asked now$", kept)
    assert "from the journal" not in bench("show", "openai/m").out


def test_what_failed_and_was_asked_again_is_not_nothing(bench: Bench) -> None:
    """A command whose calls were all given up has asked, although no answer is new."""
    run = ("run", "eqbench-v1", "--limit", 4, "--concurrency", 1, "--keep-going")
    answer = uniform_ratings(1)
    seen: list[str] = []

    def plan(request: ReceivedRequest) -> str | None:
        seen.append(request.prompt)
        return "context" if request.prompt == seen[0] else None

    with LoopbackServer(answer, faults=plan) as server:
        ways = ("--model", "openai/m", "--base-url", server.base_url)
        bench(*run, *ways)
        before = len(server.requests)
        again = bench(*run, *ways).out.splitlines()[-1]
        assert len(server.requests) == before + 1
    assert "nothing was asked now" not in again and "from the journal" not in again


def test_the_last_line_names_what_is_strong_against_the_judge(bench: Bench, demos: Demos) -> None:
    """Beside the rank, as the other lines about it stand far above."""
    document = demos(2)[-1]
    found = {"about": "place", "verdict": "strong", "text": "", "value": None, "ci95": None, "n": 9}
    document |= {"conclusions": [found, {**found, "about": "flips", "verdict": "weak"}]}
    assert ", judge: 1 strong finding (place), " in result_line(document)
