"""What a site says of boards and models: what the leaderboard says of them, and nothing else."""

import json
import re
from collections.abc import Callable, Iterator
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest

from eibench.core.reports.statements import completeness
from eibench.testing import LoopbackServer, ReceivedRequest, uniform_ratings

Bench = Callable[..., Any]
SITE = Path("site")
FILL = uniform_ratings(1)


def reply(request: ReceivedRequest) -> Any:
    """Two models that answer alike but for their names, one that never can be read, a judge."""
    if criteria := re.findall(r'"(\w+)": 0-10', request.prompt):
        return json.dumps(dict.fromkeys(criteria, 4 if request.model == "strict" else 7))
    if request.model == "vague":
        return "I would rather not put numbers on people."
    if "Divide them among the four options" in request.prompt:
        return "(1) 4; (2) 3; (3) 2; (4) 1"
    return FILL(request)


@pytest.fixture
def server(empty_place: Path) -> Iterator[LoopbackServer]:
    """Models and judges behind one address."""
    with LoopbackServer(reply) as server:
        yield server


def run(
    bench: Bench, server: LoopbackServer, name: str, *models: str, more: tuple[Any, ...] = ()
) -> Any:
    """Runs of models on a bundled pack."""
    named = [word for model in models for word in ("--model", f"openai/{model}")]
    where = ("--base-url", server.base_url, "--dataset", "bundled")
    return bench("run", name, *named, *where, *more)


def build(bench: Bench) -> None:
    """The site of what was run."""
    done = bench("site", "-o", SITE)
    assert done.code == 0, done.err


def words(page: Path) -> str:
    """What a page says, without its drawings."""
    text = re.sub(r"<svg.*?</svg>", "", page.read_text(encoding="utf-8"), flags=re.S)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", text)))


def index() -> str:
    """What the entry says."""
    return words(SITE / "index.html")


def test_only_the_site_of_demo_runs_is_marked(bench: Bench, server: LoopbackServer) -> None:
    """A site has runs of one kind; that of demo runs says so on every page."""
    assert bench("run", "eqbench-v1", "--model", "demo/weak", "--dataset", "bundled").code == 0
    run(bench, server, "eqbench-v1", "plain")
    build(bench)
    pages = [page.read_text(encoding="utf-8") for page in SITE.rglob("*.html")]
    assert not any("demo/weak" in text or "no result of a real model" in text for text in pages)
    assert bench("site", "-o", "demos", "--demo").code == 0
    pages = [page.read_text(encoding="utf-8") for page in Path("demos").rglob("*.html")]
    assert pages and all("DEMO: no result of a real model" in text for text in pages)


def test_the_sentence_of_a_board_is_that_of_the_leaderboard(
    bench: Bench, server: LoopbackServer
) -> None:
    """On the entry and on its page."""
    run(bench, server, "seceu", "one", "other")
    build(bench)
    said = bench("leaderboard", "seceu", "--json").json["statement"]
    (board,) = SITE.glob("boards/*.html")
    assert f"{said[:1].upper()}{said[1:]}." in index()
    assert f"{said[:1].upper()}{said[1:]}." in words(board)


def test_less_is_better_is_said_wherever_a_number_stands(
    bench: Bench, server: LoopbackServer
) -> None:  # fmt: skip
    """On the entry, the board, the page of a model and that of cost."""
    run(bench, server, "seceu", "one", "other", more=("--price", "1,1", "--yes"))
    build(bench)
    pages = [SITE / "index.html", SITE / "cost.html", *SITE.glob("boards/*.html")]
    for page in [*pages, *SITE.glob("models/*.html")]:
        assert "less is better" in words(page), page


def test_a_board_of_failed_runs_says_why(bench: Bench, server: LoopbackServer) -> None:
    """On the entry and on its page."""
    done = run(bench, server, "eqbench-v2", "vague", more=("--json", "--keep-going"))
    build(bench)
    why = completeness(done.json).text
    assert why.startswith("FAIL: ")
    (board,) = SITE.glob("boards/eqbench-v2*.html")
    assert f'title="{escape(why)}">fail<' in (SITE / "index.html").read_text(encoding="utf-8")
    assert why in words(board)
    assert "(none)" not in words(board)


def test_a_partial_run_is_marked_on_the_entry(bench: Bench, server: LoopbackServer) -> None:
    """With how many items were asked where it is pointed at."""
    run(bench, server, "eqbench-v1", "plain")
    run(bench, server, "eqbench-v1", "short", more=("--limit", 9))
    build(bench)
    assert re.search(r"openai/short [\d.−]+ \S+ .*? partial", index())
    text = (SITE / "index.html").read_text(encoding="utf-8")
    assert text.count('title="partial: 9 of 30 items">partial<') == 1


def test_a_run_that_is_not_shown_leads_to_the_one_that_counts(
    bench: Bench, server: LoopbackServer
) -> None:
    """Or says why nothing came of it."""
    first = run(bench, server, "eqbench-v1", "plain", more=("--json",)).json["run_id"]
    second = run(bench, server, "eqbench-v1", "plain", more=("--fresh", "--json")).json["run_id"]
    build(bench)
    text = (SITE / "index.html").read_text(encoding="utf-8")
    found = re.search(r'run ([\w-]+), eqbench-v1.* counts run <a href="([^"]+)">([\w-]+)<', text)
    assert found
    assert {found[1], found[3]} == {first, second}
    assert (SITE / found[2]).is_file()


def test_a_run_without_a_result_says_why(bench: Bench, server: LoopbackServer) -> None:
    """In the words of its own command, which stopped it."""
    done = run(bench, server, "eqbench-v2", "vague", more=("--json",))
    build(bench)
    (why,) = (text for text in done.json["warnings"] if "could be read" in text)
    assert f"(fail): it has no result: {why}" in index()


def test_the_judges_of_a_panel_stand_under_its_board(bench: Bench, server: LoopbackServer) -> None:
    """Their own boards are among the others, which are folded, and are no columns of their own."""
    url = server.base_url
    judges = ("--judge", "openai/strict", "--judge", "openai/kind", "--judge-base-url", url)
    run(bench, server, "eqbench3", "plain", more=(*judges, "--no-elo", "--limit", 2))
    build(bench)
    assert len(list(SITE.glob("boards/*.html"))) == 3
    text = (SITE / "index.html").read_text(encoding="utf-8")
    assert text.count('scope="col"') == 2
    assert re.findall(r"judge (openai/\w+), [\d-]+ one judge of a panel", index()) == [
        "openai/strict", "openai/kind",
    ]  # fmt: skip
    command = words(next(SITE.glob("models/*.html")))
    judged = "--judge openai/kind --judge openai/strict --judge-base-url URL --panel mean"
    assert judged in command


def test_a_column_is_the_board_that_the_leaderboard_shows(
    bench: Bench, server: LoopbackServer
) -> None:
    """That of the newest whole run; a model that is only on another has a row that leads there."""
    for judge, model in (("strict", "old"), ("kind", "new")):
        more = ("--judge", f"openai/{judge}", "--judge-base-url", server.base_url, "--no-elo")
        run(bench, server, "eqbench3", model, more=(*more, "--limit", 2))
    build(bench)
    shown = bench("leaderboard", "eqbench3", "--json").json
    text = (SITE / "index.html").read_text(encoding="utf-8")
    (key,) = re.findall(r'data-board="([^"]+)"', text)
    board = json.loads((SITE / f"boards/{key}.json").read_text())
    assert [row["model"] for row in board["rows"]] == [row["model"] for row in shown["rows"]]
    assert board["judge"] == "openai/kind"
    assert re.search(r"openai/old only on eqbench3, bundled pack, judge openai/strict –", index())
    assert "Other boards (1)" in index()


def test_a_model_s_page_begins_with_its_boards_the_failed_last(
    bench: Bench, server: LoopbackServer
) -> None:
    """Each leads to its part; what all runs were made with alike stands once, at the end."""
    run(bench, server, "eqbench-v1", "plain", more=("--limit", 3))
    run(bench, server, "seceu", "plain", more=("--temperature", "0.01"))
    build(bench)
    (page,) = SITE.glob("models/*.html")
    text = page.read_text(encoding="utf-8")
    rows = re.findall(r'<tr><th scope="row"><a href="#([^"]+)">([^<]+)<', text)
    assert [name for _, name in rows] == ["seceu", "eqbench-v1"]
    sections = re.findall(r'<section id="([^"]+)" class="lead" data-board', text)
    assert sections == [key for key, _ in rows]
    assert text.index('class="data stack glance"') < text.index(f'<section id="{sections[0]}"')
    how = words(page).partition("What all runs have in common")[2]
    assert "Model openai/plain" in how
    assert words(page).count("Model openai/plain") == 1


def test_the_page_of_a_model_has_the_findings_of_its_board(
    bench: Bench, demos: Callable[..., Any]
) -> None:
    """Also that of the first, which was compared with others only when they came."""
    demos(3)
    build(bench)
    board = bench("leaderboard", "eqbench3", "--json").json
    (found,) = (row["text"] for row in board["conclusions"] if row["about"] == "unread")
    for page in SITE.glob("models/*.html"):
        assert found in words(page)
        assert re.search(rf"(first|rank [\d–]+) of {len(board['rows'])} ", words(page))
