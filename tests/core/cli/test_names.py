"""Models and judges of any name: what they are called is never taken apart."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.core.parties.providers import host_of
from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]
PANEL = "mean(openai/a,openai/b)"
PACK = ("emotionqueen", "--dataset", "bundled", "--limit", "1")
NAMES = (
    "judge at 127.0.0.1:8000", "a, b", "a,b", PANEL, "[endpoints.gpu]", "org/model", "org/model/v1",
    "../../etc/passwd", "..", ".", 'say "hi"', "it's `ls` $HOME 50% %s%d {name}", "a=b#b|b;c&d",
    "a\\b", "<b>bold</b>", "con", "index", "Case", "case", "имя שם at 🏠", "e\u0301te\u0301",
    "\u00e9t\u00e9", "x" * 300, "null",
)  # fmt: skip
"""Any two of them differ, some only in case or in how an accent is written."""


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    """Each judge gives verdicts that can be read, by its name one or the other."""

    def said(request: ReceivedRequest) -> str:
        passes = len(request.model or "") % 2
        verdict = f'{{"reason": "It sees it.", "PASS": {passes}, "WIN": 0}}'
        return verdict if "[REPLY]" in request.prompt else "I see. How are you now?"

    with LoopbackServer(said) as running:
        yield running


def result(bench: Bench, *words: str) -> Any:
    """The document of a command that goes well."""
    done = bench(*words)
    assert done.code == 0, done.err or done.out
    return done.json


def ask(server: LoopbackServer, model: str, *judges: str) -> tuple[str, ...]:
    """The command that asks a model and judges of these names."""
    words = ["run", *PACK, "--model", f"openai/{model}", "--base-url", server.base_url]
    for judge in judges:
        words += ["--judge", f"openai/{judge}"]
    return (*words, "--judge-base-url", server.base_url, "--json")


def test_names_have_one_result_each(bench: Bench, server: LoopbackServer) -> None:
    """Asked twice, graded again from the journal, and judged by one more judge."""
    assert len(NAMES) == len(set(NAMES))
    pairs = dict(zip(NAMES, (*NAMES[1:], NAMES[0]), strict=True))
    first = {model: result(bench, *ask(server, model, judge)) for model, judge in pairs.items()}
    asked = len(server.requests)
    assert {request.model for request in server.requests} == set(NAMES)
    for model, before in first.items():
        again = result(bench, *ask(server, model, pairs[model]))
        graded = result(bench, "rescore", before["run_id"], "--json")
        assert before["status"] == again["status"] == graded["status"] == "complete"
        for document in (again, graded):
            assert (document["run_id"], document["main"]) == (before["run_id"], True)
            assert document["judged_by"] == before["judged_by"]
            assert document["metrics"] == before["metrics"]
        assert before["judged_by"]["name"] == pairs[model]
        assert "graded otherwise" not in bench("show", before["run_id"]).err
    assert len(server.requests) == asked
    runs = bench("runs", "--json").json["runs"]
    assert Counter(run["model"] for run in runs) == Counter(f"openai/{name}" for name in NAMES)
    one_more = ("--judge", f"openai/{PANEL}", "--judge-base-url", server.base_url)
    for before in first.values():
        assert bench("rejudge", before["run_id"], *one_more, "--json").code == 0
    _check_elsewhere(bench, server, first)


def _check_elsewhere(bench: Bench, server: LoopbackServer, first: dict[str, Any]) -> None:
    """What was exported and imported is the same, on boards and on pages, without hosts."""
    ids = [document["run_id"] for document in first.values()]
    assert bench("export", *ids, "-o", "all.jsonl").code == 0
    there = ("--runs-dir", "there")
    for _ in range(2):
        assert bench("import", "all.jsonl", *there).code == 0
        assert len(bench("runs", *there, "--json").json["runs"]) == len(NAMES)
    for model, before in first.items():
        shown = bench("show", before["run_id"], *there, "--json").json
        assert (shown["metrics"], shown["judged_by"]) == (before["metrics"], before["judged_by"])
        board = ("leaderboard", "emotionqueen", "--judge", f"openai/{before['judged_by']['name']}")
        rows = [row["model"] for row in bench(*board, *there, "--json").json["rows"]]
        every = before["judged_by"]["name"] == PANEL
        assert Counter(rows) == Counter(f"openai/{n}" for n in (NAMES if every else [model]))
    assert bench("site", "-o", "site", *there).code == 0
    pages = [str(path) for path in Path("site").rglob("*.html")]
    assert len({page.lower() for page in pages}) == len(pages)
    assert sum(page.startswith("site/models/") for page in pages) == len(NAMES)
    assert sum(page.startswith("site/judges/") for page in pages) == len(NAMES)
    host = host_of(server.base_url)
    assert not [page for page in pages if host in Path(page).read_text(encoding="utf-8")]


def test_a_panel_of_any_names_is_one_judge(bench: Bench, server: LoopbackServer) -> None:
    """Asked twice, graded again, and told from its judges on the board."""
    judges = ("a, b", PANEL, "judge at home")
    first = result(bench, *ask(server, "m", *judges))
    asked = len(server.requests)
    again = result(bench, *ask(server, "m", *reversed(judges)))
    graded = result(bench, "rescore", first["run_id"], "--json")
    for document in (again, graded):
        assert document["main"] and document["judged_by"] == first["judged_by"]
        assert {row["judge"] for row in document["judges"]} == {
            f"openai/{name} at local" for name in judges
        }
    assert len(server.requests) == asked
    assert {judge["name"] for judge in first["judged_by"]["judges"]} == set(judges)
    for word in ("mean", first["judge"]):
        board = bench("leaderboard", "emotionqueen", "--judge", word, "--json").json
        assert board["judge"] == first["judge"]


@pytest.mark.parametrize("name", ["a\nb", "a\tb", "a\u2028b", "a\x1b[31mb"])
def test_a_name_of_more_than_one_line_is_refused(bench: Bench, name: str) -> None:
    """It is no name, and would break lines of tables."""
    done = bench("run", *PACK, "--model", f"openai/{name}")
    assert (done.code, "control character" in done.err) == (2, True)
