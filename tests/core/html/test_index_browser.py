"""The entry of a site in a real Chromium: sorted, compared, on a phone, with hostile names."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.core.html.board_files import board_files, put_file
from eibench.core.html.gather import Gathered
from eibench.core.html.index_page import IndexBoards, compare_page, index_page
from eibench.core.html.pairs import sentences_on
from eibench.core.html.rendering import assets, rendered

from .browsing import Visit, axe, document, needs_chromium, row, violations

pytestmark = needs_chromium
EVIL = "evil/<img src=x onerror=alert(1)>\"'&{{7*7}}"
LONG = "openai/" + "a-model_with.a_name_that_never_ends-" * 6
RATINGS = {"oak/one": 1600.0, "elm/two": 1400.0, EVIL: 1500.0}
DISTANCES = {"elm/two": 1.0, "oak/one": 3.0, LONG: 9.0}


def on(name: str, value: float, n: int, **more: Any) -> Any:
    """A row of either board; each is tied with none."""
    path = f"models/m{[*RATINGS, LONG].index(name)}.html"
    ends = [value - 5, value + 5]
    rated = {"rating": value, "rating_ci95": ends} if value > 100 else {"rating": None}
    own = {"id": f"run-{n}", "runs": [], "href": path, "score": value, "score_ci95": ends, **rated}
    return {**row(name, value, None), "first": "", "short_of": "", **own, **more}


def pairs(board: Any) -> Any:
    """Differences that are sure where they are more than 10."""
    rows = board["rows"]
    gaps = [round(a["score"] - b["score"], 2) for n, a in enumerate(rows) for b in rows[n + 1 :]]
    metric = "rating" if board["rated"] else board["metric"]["name"]
    made: dict[str, Any] = {
        "metric": metric,
        "method": "",
        "models": [r["id"] for r in rows],
        "criteria": {},
        "settle": {},
        **sentences_on(len(rows), metric, higher_is_better=board["rated"]),
    }
    return made | {"rows": [[gap, gap - 10, gap + 10] for gap in gaps]}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rated board, and one of a distance, where less is better."""
    folder = tmp_path_factory.mktemp("index") / "site"
    rated = [on(name, value, n) for n, (name, value) in enumerate(RATINGS.items())]
    rated[0] |= {"first": "first", "rank": [1, 1]}
    scored = [on(name, value * 30, n) for n, (name, value) in enumerate(DISTANCES.items())]
    for one in scored:
        one |= {"score": one["score"] / 1, "rating": None, "rating_ci95": None}
    scored[2] |= {"short_of": "worse than constant", "partial": True}
    metric = {"name": "distance", "label": "distance", "higher_is_better": False}
    boards = [
        document(rated),
        document(scored, key="far", title="Far", rated=False, metric=metric, sentence=EVIL),
    ]
    other = document([on(EVIL, 1500, 1)], key="old", title="Tact", judge="elm/judge")
    page = index_page(IndexBoards(boards, [other]), Gathered([], [], []), "2026-11-24")
    parts = [*assets(), rendered(page), rendered(compare_page())]
    for board in boards:
        parts += [*board_files(board), put_file(f"boards/{board['key']}-pairs", pairs(board))]
    for part in parts:
        path = folder / part.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(part.content)
    return folder


@pytest.fixture
def visit(browser: Any, site: Path) -> Iterator[Visit]:
    """A reader of the entry, to whom nothing is complained of."""
    found = Visit(browser, site).go("index.html")
    yield found
    found.end()


def order(visit: Visit) -> list[str]:
    """The models in the order of their rows."""
    return visit.texts("#matrix tbody th a")


def tick(visit: Visit, *names: str) -> None:
    """Tick the rows of models."""
    for name in names:
        visit.tab.get_by_label(f"Compare {name}", exact=True).check()


def test_rows_are_those_of_most_benchmarks_then_by_rank(visit: Visit) -> None:
    """The first column's order decides between models that may have the same ranks."""
    assert order(visit) == ["oak/one", "elm/two", EVIL, LONG]


def test_a_column_sorts_by_its_best_first(visit: Visit) -> None:
    """The smallest where less is better; a second time turned; no number stays last."""
    visit.tab.get_by_role("button", name="Sort by Far, distance").click()
    assert order(visit) == ["elm/two", "oak/one", LONG, EVIL]
    visit.tab.get_by_role("button", name="Sort by Far, distance").click()
    assert order(visit) == [LONG, "oak/one", "elm/two", EVIL]
    visit.tab.get_by_role("button", name="Sort by Tact, rating").click()
    assert order(visit)[:3] == ["oak/one", EVIL, "elm/two"]


def test_two_models_lead_to_the_page_that_compares_them(visit: Visit) -> None:
    """On each board that both have, with who is ahead there; the page says the same."""
    tick(visit, "oak/one", "elm/two")
    for link in ("Tact", "Far"):
        visit.tab.locator(".tray li", has_text=link).get_by_text("oak/one is").wait_for()
    assert visit.texts(".tray li span") == [
        "oak/one is better than elm/two by 200 (190 … 210) in rating",
        "oak/one is worse than elm/two by 60.00 (50.00 … 70.00) in distance, where less is better",
    ]
    for link, said in zip(("Tact", "Far"), visit.texts(".tray li span"), strict=True):
        visit.go("index.html")
        tick(visit, "oak/one", "elm/two")
        visit.tab.locator(".tray a", has_text=link).click()
        visit.tab.wait_for_selector("body[data-ready]")
        assert said in visit.texts("#result .verdict")[0]


def test_models_of_no_common_board_are_not_compared(visit: Visit) -> None:
    """It is said; a third cannot be ticked."""
    tick(visit, EVIL, LONG)
    assert "stand on no benchmark together" in visit.texts(".tray")[0]
    assert visit.tab.get_by_label("Compare oak/one").is_disabled()
    visit.tab.get_by_role("button", name="Clear").click()
    assert visit.texts(".tray") == []


def test_what_a_name_holds_is_text(visit: Visit) -> None:
    """In the table, in the bar and in a sentence; nothing of it runs."""
    tick(visit, EVIL, "oak/one")
    assert visit.tab.locator("img").count() == 0
    assert EVIL in visit.texts(".words li span")[1]
    assert visit.texts(".tray button")[1].startswith(EVIL) or EVIL in visit.texts(".tray")[0]


def test_cells_say_in_words_what_they_mark(visit: Visit) -> None:
    """First place, what is not passed, what is partial; a dash where there is nothing."""
    rows = {texts[0]: texts for texts in map(cells, visit.tab.locator("#matrix tbody tr").all())}
    assert rows["oak/one"][1].split()[0] == "1600"
    assert rows["oak/one"][1].split()[-1] == "first"
    assert rows[LONG][1] == "–"
    assert rows[LONG][2].split()[-4:] == ["worse", "than", "constant", "partial"]
    assert visit.texts("#matrix thead small:nth-of-type(1)") == [
        "higher is better", "lower is better",
    ]  # fmt: skip


def cells(line: Any) -> list[str]:
    """What the cells of a row say."""
    return [cell.inner_text().strip() for cell in line.locator("th, td").all()]


@pytest.mark.parametrize("width", [380, 1400])
def test_no_page_is_wider_than_the_screen(browser: Any, site: Path, width: int) -> None:
    """The table is scrolled within; its first column and its head stay."""
    visit = Visit(browser, site, viewport={"width": width, "height": 500}).go("index.html")
    assert visit.tab.evaluate("document.documentElement.scrollWidth") == width
    box = visit.tab.locator(".scroll:has(#matrix)")
    box.evaluate("box => box.scrollTo(60, 200)")
    left, top = box.evaluate(
        "box => [box.getBoundingClientRect().x, box.getBoundingClientRect().y]"
    )
    name, head = (visit.tab.locator(f"#matrix {one}").first.bounding_box() for one in
                  ("tbody th", "thead th"))  # fmt: skip
    assert name["x"] == pytest.approx(left, abs=1)
    assert head["y"] == pytest.approx(top, abs=1) or box.evaluate("box => box.scrollTop") == 0
    visit.end()


def test_it_reads_without_a_script(browser: Any, site: Path) -> None:
    """Numbers and links are there; there is nothing to tick and no dead button."""
    visit = Visit(browser, site, java_script_enabled=False)
    visit.tab.goto(f"{site.as_uri()}/index.html")
    assert order(visit) == ["oak/one", "elm/two", EVIL, LONG]
    assert visit.tab.locator("#matrix button, #matrix input").count() == 0
    visit.end()


def test_axe_finds_nothing(browser: Any, site: Path, tmp_path: Path) -> None:
    """In light and dark, with two rows ticked and all that is folded open."""
    visit = Visit(browser, site).go("index.html")
    tick(visit, "oak/one", "elm/two")
    visit.tab.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert violations(visit, axe(tmp_path)) == []
    visit.end()
