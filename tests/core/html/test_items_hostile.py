"""The list of a board's items and the page of an item, where everything written is hostile."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.core.html.board_files import put_file
from eibench.core.html.charts.rows import ChartRow, Mark, ladder
from eibench.core.html.charts.svg import figure
from eibench.core.html.item_pages import ItemOnBoard, ShownItem
from eibench.core.html.rendering import assets, page_of, rendered
from eibench.core.html.slugs import Address, board_path, slug
from eibench.core.html.transcripts import pack

from .browsing import KEY, Visit, document, needs_chromium, transcript

pytestmark = needs_chromium
HOSTILE = (
    "<img src=x onerror=window.canary=1><script>window.canary=1</script>"
    '"><svg onload=window.canary=1></textarea></title>=HYPERLINK("x")\u202e __proto__'
)
RUN = "0a1b2c3d-abcdef"
SLOW = "a" * 60 + "!"
LIST, PAGE = f"items/{KEY}.html", f"items/{KEY}/{slug(HOSTILE)}.html"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A list of one item and its page: id, model, answer, verdict and remark are hostile."""
    folder = tmp_path_factory.mktemp("site")
    item = ItemOnBoard(HOSTILE, Address(PAGE), {HOSTILE: 5.0}, (), 5.0, None, None, 1)
    href = Address(f"models/x.html#{RUN}-{slug(HOSTILE)}")
    chart = ladder("all", [ChartRow(HOSTILE, [Mark(5.0)], ["5.00"], href=href)], ["value"])
    board = document([], title=HOSTILE, pack=HOSTILE)
    common = {"board": board, "slug": slug, "broad": True, "script": "items",
              "board_path": board_path, "title": HOSTILE}  # fmt: skip
    shown = [ShownItem(item, [HOSTILE], chart, None, None)]
    pages = [
        page_of("item.html", PAGE, **common, items=shown, texts=True,
                part=lambda item_id: f"1#{slug(item_id)}"),
        page_of("items.html", LIST, **common, items=[item], figure=figure, value=HOSTILE, most=9,
                answer=lambda name, item: href),
    ]  # fmt: skip
    said = transcript(f"{HOSTILE} {SLOW} an answer", f"{HOSTILE} a verdict")
    said["turns"][0]["text"], said["turns"][1]["thinking"] = f"{HOSTILE} a question", HOSTILE
    data = {
        f"boards/{KEY}-items": {
            "value": HOSTILE, "lower": False, "parts": 1, "lead": 0,
            "models": [[HOSTILE, RUN, "r"]],
            "criteria": [["__proto__", HOSTILE]], "remarks": [HOSTILE],
            "items": [[HOSTILE, PAGE, None, [5.0], [[0, 0]]]],
        },
        f"runs/{KEY}/r": {"value": "x", "items": [{"item": HOSTILE, "samples": [{}], "texts": ""}]},
        f"texts/{RUN}/1": pack([[slug(HOSTILE), HOSTILE, [{"iteration": 1, "read": said}]]]),
    }  # fmt: skip
    parts = [*assets(), *map(rendered, pages), *(put_file(*pair) for pair in data.items())]
    for part in parts:
        path = folder / part.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(part.content)
    return folder


@pytest.fixture
def visit(browser: Any, site: Path) -> Iterator[Visit]:
    """A reader, whose page runs nothing of what was written."""
    made = Visit(browser, site)
    yield made
    assert made.tab.evaluate("typeof window.canary") == "undefined"
    assert made.tab.locator("main img, main script:not([src]), main svg[onload]").count() == 0
    made.end()


@pytest.mark.parametrize("query", [HOSTILE, "/<img[^>]*>/", "verdict"])
def test_hits_are_text(visit: Visit, query: str) -> None:
    """Snippets, names and what was searched for."""
    visit.go(LIST)
    visit.tab.wait_for_selector("body[data-ready]")
    visit.tab.fill("input[type=search]", query)
    visit.tab.wait_for_selector("tr.hits mark")
    assert "<img src=x" in visit.tab.inner_text("tr.hits") + visit.tab.inner_text("tbody th")


def test_a_pattern_that_never_ends_is_ended(visit: Visit) -> None:
    """After three seconds, in which the page goes on; the next search finds again."""
    visit.go(LIST)
    visit.tab.wait_for_selector("body[data-ready]")
    visit.tab.fill("input[type=search]", "/(a+)+$/")
    visit.tab.locator(".count", has_text="more than 3 s").wait_for()
    visit.tab.fill("input[type=search]", "question")
    visit.tab.wait_for_selector("tr.hits mark")
    assert visit.texts("tr.hits mark") == ["question"]


def test_a_pattern_that_is_none_is_said_to_be_so(visit: Visit) -> None:
    """With the browser's own words."""
    visit.go(LIST)
    visit.tab.wait_for_selector("body[data-ready]")
    visit.tab.fill("input[type=search]", "/(/")
    visit.tab.locator(".count", has_text="Invalid regular expression").wait_for()


@pytest.mark.parametrize("anchor", [
    "q=<img src=x onerror=window.canary=1>&by=__proto__&model=__proto__&sort=__proto__",
    "q=%E0%A4%A&mark=constructor&from=NaN&to=<svg>", "javascript:window.canary=1",
])  # fmt: skip
@pytest.mark.parametrize("page", [LIST, PAGE])
def test_an_address_brings_in_nothing(visit: Visit, page: str, anchor: str) -> None:
    """Neither a filter nor a cell is ever markup, or a name of the language's own."""
    visit.go(f"{page}#{anchor}")
    visit.tab.wait_for_selector("body[data-ready]")


def test_an_item_s_page_shows_texts_as_texts(visit: Visit) -> None:
    """Name, answer, verdict, and the note that a reader wrote."""
    visit.go(f"{PAGE}#{RUN}")
    visit.tab.wait_for_selector(".cell.current .turn.model")
    visit.tab.locator(".cell button", has_text="note").click()
    visit.tab.fill(".cell textarea", HOSTILE)
    visit.tab.reload()
    visit.tab.wait_for_selector(".cell .turn.model")
    assert visit.tab.input_value(".cell textarea") == HOSTILE
    assert visit.tab.inner_text(".cell .turn.model > .said").startswith("<img src=x")


@pytest.mark.parametrize("kept", ["{", "7", '[{"item": 5}]', "[null]"])
def test_what_is_kept_and_no_note_is_neither_shown_nor_overwritten(
    visit: Visit, kept: str
) -> None:  # fmt: skip
    """The page says so, and its buttons do nothing."""
    visit.go(PAGE)
    visit.tab.evaluate(f"text => localStorage.setItem('eibench-notes-{KEY}', text)", kept)
    visit.go(PAGE)
    visit.tab.wait_for_selector(".cell .star[disabled]")
    assert "cannot be kept" in visit.tab.inner_text(".work")
    assert visit.tab.evaluate(f"localStorage.getItem('eibench-notes-{KEY}')") == kept


@pytest.mark.parametrize(("text", "wanted"), [
    ("{", "it is not JSON"), ('{"notes": []}', "not a file of notes"),
    ('{"format": "eibench-notes", "board": "other", "notes": []}', "of another board"),
    (f'{{"format": "eibench-notes", "board": "{KEY}", "notes": [{{"item": 5}}]}}', "note 1"),
])  # fmt: skip
def test_a_file_that_holds_no_notes_is_refused(visit: Visit, text: str, wanted: str) -> None:
    """With the reason; nothing of it is kept."""
    visit.go(LIST)
    visit.tab.wait_for_selector("body[data-ready]")
    file = {"name": "x.json", "mimeType": "application/json", "buffer": text.encode()}
    visit.tab.set_input_files("input[type=file]", files=[file])
    visit.tab.locator(".kept", has_text="Nothing").wait_for()
    assert wanted in visit.tab.inner_text(".kept")
    assert visit.tab.evaluate("localStorage.length") == 0
