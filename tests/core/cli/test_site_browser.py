"""Every kind of page that `bench site` writes, in a real Chromium, opened from `file://`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import run_here

from ..html.browsing import Visit, axe, chromium, needs_chromium, violations

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def site(demo_stages: list[tuple[Path, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of three demo models, with their transcripts."""
    folder = tmp_path_factory.mktemp("written") / "site"
    done = run_here("site", "-o", folder, "--texts", "all", "--runs-dir", demo_stages[-1][0])
    assert done.code == 0, done.err
    return folder


@pytest.fixture(scope="module")
def browser(site: Path) -> Iterator[Any]:
    """One Chromium for all tests of this file, started when the site is there."""
    assert site.is_dir()
    with chromium() as started:
        yield started


def kinds(site: Path) -> list[str]:
    """A page of each kind: the first of each folder."""
    pages = sorted(page.relative_to(site) for page in site.rglob("*.html"))
    first = {(page.parent, page.name if page.parent == Path() else ""): page for page in pages}
    return [page.as_posix() for page in first.values()]


def test_no_page_has_an_error_or_leaves_a_phone_s_width(browser: Any, site: Path) -> None:
    """360 pixels, no message of the browser, no request but for the site's files."""
    visit = Visit(browser, site, viewport={"width": 360, "height": 740})
    for page in kinds(site):
        visit.go(page)
        assert visit.tab.evaluate("document.documentElement.scrollWidth") == 360, page
    visit.end()


def test_a_link_opens_a_transcript_which_is_loaded_then(browser: Any, site: Path) -> None:
    """Not before; it stands within a list that is closed at first."""
    page = next(page for page in kinds(site) if page.startswith("models/"))
    visit = Visit(browser, site).go(page)
    name = visit.tab.locator("details.sample").first.get_attribute("id")
    assert not [url for url in visit.asked if "/texts/" in url]
    visit.go(f"{page}#{name}")
    visit.tab.wait_for_selector("details.sample[open] .turn.model")
    assert len([url for url in visit.asked if "/texts/" in url]) == 1
    assert visit.texts("details.sample[open] .grade h3")[0] == "Verdict of demo/judge"
    visit.end()


def test_axe_finds_nothing(browser: Any, site: Path, tmp_path: Path) -> None:
    """On a page of each kind, in light and dark, with a row pinned and a transcript open too."""
    script = axe(tmp_path)
    board = next(page for page in kinds(site) if page.startswith("boards/"))
    rows = Visit(browser, site).go(board).tab.locator("#board tbody tr").all()
    a, b = (found.get_attribute("data-id") for found in rows[:2])
    item = next(site.glob("items/*/*.html")).stem
    more = [f"{board}#pin={a}&with={a},{b}", f"compare.html#{Path(board).stem}/{a}/{b}/{item}"]
    for page in [*kinds(site), *more]:
        visit = Visit(browser, site).go(page)
        assert violations(visit, script) == [], page
        visit.end()
