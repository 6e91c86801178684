"""One run has the same facts wherever it is shown."""

import csv
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench.data import folder

Bench = Callable[..., Any]
MODEL = "demo/strong"


@pytest.fixture(params=["eqbench3", "eqbench-v1"])
def shown(request: pytest.FixtureRequest, invoke: Bench) -> dict[str, Any]:
    """What `show --json` has of a run that was rated among two models, or scored."""
    for model in ("demo/medium", MODEL):
        done = invoke("run", request.param, "--limit", 3, "--model", model, "--json")
    document: dict[str, Any] = invoke("show", done.json["run_id"], "--json").json
    return document


def words_of(page: Path) -> str:
    """What a page says, in one line."""
    text = re.sub(r"<(script|style|template).*?</\1>", "", page.read_text("utf-8"), flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def facts_of(document: dict[str, Any], text: str) -> list[str]:
    """Of the facts of a result, as pages say them, those that a page lacks."""
    metric, calls = next(iter(document["metrics"].values())), document["calls"]
    facts = [f"{metric['value']:.2f}", document["run_id"], f"Calls to the model {calls['model']}"]
    facts += [f"Calls to the judge {calls['judge']}"] * bool(calls["judge"])
    own = [row for row in document["ratings"] if row["model"] == document["name"]]
    facts += [f"{row['rating']:.0f}" for row in own]
    return [fact for fact in facts if fact not in text]


def test_pages_say_what_show_says(invoke: Bench, shown: dict[str, Any]) -> None:
    """The report, and the site's page of the model."""
    assert invoke("report", shown["run_id"], "-o", "report.html").code == 0
    assert invoke("site", "-o", "site").code == 0
    (page,) = Path("site/models").glob("demo-strong*.html")
    for text in map(words_of, (Path("report.html"), page)):
        assert facts_of(shown, text) == []
        assert "Answered from the journal" not in text
        assert "Not tested: nothing was compared" not in text


def test_exports_and_boards_have_the_numbers_of_show(invoke: Bench, shown: dict[str, Any]) -> None:
    """Metrics, counts and the rating, to the last digit."""
    assert invoke("export", shown["run_id"], "--format", "csv", "-o", "tables").code == 0
    with Path("tables/metrics.csv").open(encoding="utf-8", newline="") as file:
        exported = {row["metric"]: row["value"] for row in csv.DictReader(file)}
    values = {name: metric["value"] for name, metric in shown["metrics"].items()}
    assert exported == {name: "" if v is None else str(v) for name, v in values.items()}
    board = invoke("leaderboard", shown["benchmark"], "--json").json
    (row,) = [row for row in board["rows"] if row["model"] == MODEL]
    assert (row["metrics"], row["items"]) == (shown["metrics"], shown["items"])
    (own,) = [r["rating"] for r in shown["ratings"] if r["model"] == MODEL] or [None]
    assert row["rating"] == own


def test_a_result_by_its_own_judge_is_the_run_s_own(invoke: Bench, shown: dict[str, Any]) -> None:
    """Ratings and calls too, though it is computed anew; and Python has the same."""
    run = eibench.runs("runs")[shown["run_id"]]
    own: dict[str, Any] = {**run.result()}
    assert own == shown
    if judge := shown["judge"]:
        again: dict[str, Any] = {**run.result(judge)}
        same = ("metrics", "items", "calls", "cost_usd", "comparisons", "ratings", "conclusions")
        assert {name: again[name] for name in same} == {name: shown[name] for name in same}


def test_a_report_says_why_a_board_is_left_out(invoke: Bench) -> None:
    """Its data is gone, and so what stood beside it."""
    data = Path("mine.json")
    data.write_bytes((folder("eqbench_v1") / "bundled" / "questions.json").read_bytes() + b"\n")
    document = invoke("run", "eqbench-v1", "--dataset", "mine.json", "--json").json
    run_id, score = document["run_id"], document["metrics"]["score"]["value"]
    assert "warning" not in invoke("report", run_id, "-o", "report.html").err
    data.unlink()
    told = invoke("report", run_id, "-o", "report.html").err
    assert f"warning: a board of run {run_id} is left out: mine.json: the data of run" in told
    assert f"{score:.2f}" in words_of(Path("report.html"))
