"""Pages in a real Chromium, without a screen: nothing is asked, nothing runs but our script."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.core.html import RunInput, run_report
from tests.core.html.browsing import chromium, needs_chromium

from .test_report import given, hostile

pytestmark = needs_chromium
__all__ = ["given"]


class Opened:
    """A page in a browser, what it complained of and what it asked for."""

    def __init__(self, browser: Any, page: str, folder: Path, **context: Any) -> None:
        self.path = folder / "page.html"
        self.path.write_text(page, encoding="utf-8")
        self.context = browser.new_context(**context)
        self.tab = self.context.new_page()
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.tab.on("console", lambda message: self.complaints.append(message.text))
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.on("request", lambda request: self.asked.append(request.url))
        self.go()

    def go(self, anchor: str = "") -> None:
        """Open the page at an anchor."""
        self.tab.goto(self.path.as_uri() + anchor)

    def open_first(self) -> None:
        """Open the first transcript by its address."""
        self.go("#" + self.tab.locator("details.sample").first.get_attribute("id"))
        self.tab.wait_for_selector(".turn.model")

    def quiet(self) -> bool:
        """Whether there was no error, and no request but for the page itself."""
        own = self.path.as_uri()
        return not self.complaints and all(url.startswith((own, "blob:")) for url in self.asked)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One Chromium for all tests of this file."""
    with chromium() as started:
        yield started


@pytest.fixture
def opened(browser: Any, given: RunInput, tmp_path: Path) -> Iterator[Opened]:
    """The report of one run with its transcripts."""
    page = Opened(browser, run_report(given), tmp_path)
    yield page
    assert page.quiet(), (page.complaints, page.asked)
    page.context.close()


def test_a_transcript_is_put_in_when_it_is_opened(opened: Opened) -> None:
    """Not before; an address with its name opens it."""
    assert opened.tab.locator(".turn").count() == 0
    opened.open_first()
    assert opened.tab.locator(".grade h3").first.inner_text() == "Verdict of demo/judge"


def test_keys_go_from_transcript_to_transcript(opened: Opened) -> None:
    """`j` forwards and `k` back."""
    for key in "jjk":
        opened.tab.keyboard.press(key)
    focused = "document.activeElement.parentElement.id"
    first = opened.tab.locator("details.sample").first.get_attribute("id")
    assert opened.tab.evaluate(focused) == first


def test_a_heading_sorts_its_table(opened: Opened) -> None:
    """Up, and down again; which of them is said to those who hear the page."""
    opened.tab.locator("#items summary").click()
    heading = opened.tab.locator("#items th.num")
    for order in ("ascending", "descending"):
        heading.locator("button").click()
        assert heading.get_attribute("aria-sort") == order
        cells = opened.tab.locator("#items td:nth-child(3)").all_inner_texts()
        assert [*map(float, cells)] == sorted(map(float, cells), reverse=order == "descending")


def test_the_theme_is_the_reader_s_choice(opened: Opened) -> None:
    """And stays so when the page is opened again."""
    colour = "getComputedStyle(document.body).backgroundColor"
    before = opened.tab.evaluate(colour)
    opened.tab.locator("#theme").click()
    after = opened.tab.evaluate(colour)
    assert before != after
    opened.go()
    assert opened.tab.evaluate(colour) == after


def test_whiskers_stand_on_the_axis_of_the_ticks(opened: Opened, given: RunInput) -> None:
    """Measured in pixels between the ticks that are written below."""
    ticks, drawn = opened.tab.evaluate(_PLACES)
    (low, x0), (high, x1) = ticks[0], ticks[-1]
    assert given.board
    for row, ends in zip(given.board.document["rows"], drawn, strict=True):
        found = [low + (x - x0) / (x1 - x0) * (high - low) for x in ends]
        for end, stands in zip(row["ci95"] or (), found, strict=True):
            assert end is None or stands == pytest.approx(end, abs=(high - low) / 100)


_PLACES = """() => {
    const table = document.querySelector("table.rows.ranked");
    const box = (node) => node.getBoundingClientRect();
    const tick = (t) => [parseFloat(t.textContent), box(t).x + box(t).width / 2];
    const line = (row) => box(row.querySelector("line.whisker"));
    const ends = (row) => [line(row).left, line(row).right];
    const ticks = [...table.tFoot.querySelectorAll("text")].map(tick);
    return [ticks, [...table.tBodies[0].rows].map(ends)];
}"""


def test_a_page_fits_a_phone(browser: Any, given: RunInput, tmp_path: Path) -> None:
    """360 pixels wide, without scrolling sideways."""
    size = {"width": 360, "height": 740}
    page = Opened(browser, run_report(given), tmp_path, viewport=size)
    page.open_first()
    assert page.tab.evaluate("document.documentElement.scrollWidth") == 360
    page.context.close()


def test_nothing_runs_that_a_model_has_written(
    browser: Any, given: RunInput, tmp_path: Path
) -> None:
    """Not in names, verdicts or notes, nor when its transcripts are opened."""
    page = Opened(browser, run_report(hostile(given)), tmp_path)
    page.open_first()
    assert page.tab.evaluate("typeof window.canary") == "undefined"
    assert "<script>window.canary=1</script>" in page.tab.locator(".said").first.inner_text()
    assert page.quiet(), (page.complaints, page.asked)
    page.context.close()


def test_each_text_can_be_read(opened: Opened) -> None:
    """Its contrast with what is behind is that of WCAG AA, in both themes."""
    for scheme in ("light", "dark"):
        opened.tab.emulate_media(color_scheme=scheme)
        assert opened.tab.evaluate(_CONTRAST) == []


_CONTRAST = """() => {
    const parts = (c) => c.match(/[\\d.]+/g).map(Number);
    const linear = (v) => v <= 10.31475 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4;
    const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const behind = (node) => {
        for (; node; node = node.parentElement) {
            const c = parts(getComputedStyle(node).backgroundColor);
            if (c.length < 4 || c[3] > 0) return c;
        }
        return [255, 255, 255];
    };
    const says = (node) => [...node.childNodes].some((c) => c.nodeType === 3 && c.data.trim());
    const poor = new Set();
    for (const node of document.querySelectorAll("body *")) {
        if (!says(node) || !node.getClientRects().length) continue;
        const style = getComputedStyle(node);
        const own = node.namespaceURI.endsWith("svg") ? style.fill : style.color;
        const [a, b] = [light(parts(own)), light(behind(node))].sort((x, y) => x - y);
        const ratio = (b + 0.05) / (a + 0.05);
        if (ratio < 4.5) poor.add(`${node.tagName}.${node.getAttribute("class")} ${ratio}`);
    }
    return [...poor];
}"""
