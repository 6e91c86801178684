"""The list of a board's items and their pages, written by `bench site`, in a real Chromium."""

import base64
import csv
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.core.html import board_files, item_pages
from tests.conftest import run_here

from ..html.browsing import Visit, axe, chromium, needs_chromium, violations

pytestmark = needs_chromium


def build(folder: Path, runs: Path, *more: str) -> Path:
    """The site of a journal."""
    done = run_here("site", "-o", folder, "--runs-dir", runs, *more)
    assert done.code == 0, done.err
    return folder


@pytest.fixture(scope="module")
def site(demo_stages: list[tuple[Path, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of three demo models on nine items, with texts in several parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(board_files, "PART_ITEMS", 2)
        return build(tmp_path_factory.mktemp("w") / "site", demo_stages[-1][0], "--texts", "all")


@pytest.fixture(scope="module")
def long_site(
    demo_stages: list[tuple[Path, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Path:  # fmt: skip
    """The same board, whose items share pages, and whose texts are not published."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(item_pages, "MOST", 4)
        patch.setattr(item_pages, "SHARED", 5)
        return build(tmp_path_factory.mktemp("l") / "site", demo_stages[-1][0], "--texts", "none")


@pytest.fixture(scope="module")
def prompted_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model without a system prompt, and with one."""
    folder = tmp_path_factory.mktemp("p")
    more = ("--model", "demo/medium", "--system", "", "--system", "Be brief.", "--limit", "2")
    done = run_here("run", "eqbench-v1", *more, "--runs-dir", folder / "runs")
    assert done.code == 0, done.err
    return build(folder / "site", folder / "runs", "--texts", "all")


@pytest.fixture(scope="module")
def browser(site: Path, long_site: Path, prompted_site: Path) -> Iterator[Any]:
    """One Chromium for all tests of this file, started when the sites are there."""
    assert len({site, long_site, prompted_site}) == 3
    with chromium() as started:
        yield started


@pytest.fixture
def visit(browser: Any, site: Path) -> Iterator[Visit]:
    """A reader, who must see no error and send no request out of the folder."""
    made = Visit(browser, site, viewport={"width": 1400, "height": 900})
    yield made
    made.end()


def list_of(site: Path) -> str:
    """The list's page."""
    (page,) = site.glob("items/*.html")
    return page.relative_to(site).as_posix()


def item_of(site: Path, n: int = 0) -> str:
    """The page of an item."""
    page = sorted(site.glob("items/*/*.html"))[n]
    return page.relative_to(site).as_posix()


def data(path: Path) -> Any:
    """What a data script hands over."""
    text = path.read_text(encoding="utf-8")
    return json.loads(text.partition(",")[2].removesuffix(");\n"))


def unpacked(path: Path) -> Any:
    """What a part of the texts holds."""
    return json.loads(gzip.decompress(base64.b64decode(data(path))))


def opened(visit: Visit, address: str) -> Visit:
    """A page of items whose script is done."""
    visit.go(address)
    visit.tab.wait_for_selector("body[data-ready]")
    return visit


def items(visit: Visit) -> list[str]:
    """The ids in the list, as they stand."""
    return visit.texts("#items tbody th a")


def models(visit: Visit) -> list[str]:
    """The models whose answers are beside each other."""
    return visit.texts(".cell h3 a")


def test_each_item_is_in_one_part_which_is_the_same_of_all_models(site: Path) -> None:
    """Of half as many parts as the pack has items; one in which a model has none is empty."""
    runs = [sorted(folder.glob("*.js")) for folder in site.glob("texts/*")]
    assert [len(parts) for parts in runs] == [10, 10, 10]
    items = [[{item for _, item, _ in unpacked(part)} for part in parts] for parts in runs]
    assert items[0] == items[1] == items[2]
    assert len(set().union(*items[0])) == sum(map(len, items[0])) == 9


def test_search_finds_questions_answers_and_what_judges_said(visit: Visit, site: Path) -> None:
    """The texts are loaded at the first search; each hit is marked, and leads to its answer."""
    opened(visit, list_of(site))
    assert not [url for url in visit.asked if "/texts/" in url]
    visit.tab.keyboard.press("/")
    visit.tab.keyboard.type("empathy")
    visit.tab.locator(".count", has_text="with “empathy”").wait_for()
    assert {text.lower() for text in visit.texts("tr.hits mark")} == {"empathy"}
    assert visit.tab.url.endswith("#q=empathy")
    link = visit.tab.locator("tr.hits a.who", has_text="verdict").first
    model = link.inner_text().partition(",")[0]
    link.click()
    visit.tab.wait_for_selector(".cell.current .turn.model")
    assert visit.texts(".cell.current h3 a") == [model]
    assert visit.tab.evaluate("CSS.highlights.get('found').size") > 0


def test_a_pattern_and_words_find_what_holds_them_all(visit: Visit, site: Path) -> None:
    """A pattern as the language has it; of words all, in any order and case."""
    ((_, item, (iteration, *_)), *_) = next(filter(None, map(unpacked, site.glob("texts/*/*.js"))))
    question = iteration["read"]["turns"][0]["text"]
    one, two = re.findall(r"\w{5,}", question)[:2]
    opened(visit, f"{list_of(site)}#q={two.upper()}+{one}")
    visit.tab.wait_for_selector("tr.hits mark")
    assert item in items(visit)
    scene = [line for line in question.splitlines() if line][2]
    beginning = re.escape(scene[:60])
    visit.tab.fill("input[type=search]", f"/^{beginning}/m")
    visit.tab.locator(".count", has_text="1 of 9 items, 1 texts").wait_for()
    assert items(visit) == [item]


def test_escape_shows_all_again(visit: Visit, site: Path) -> None:
    """From within the search too; the address is then bare."""
    opened(visit, f"{list_of(site)}#differ=1&margin=1000&noted=1")
    assert visit.texts(".count") == ["0 of 9 items"]
    visit.tab.focus("input[type=search]")
    visit.tab.keyboard.press("Escape")
    visit.tab.locator(".count", has_text=re.compile("^9 items")).wait_for()
    assert "#" not in visit.tab.url


def test_filters_by_number_keep_what_lies_between(visit: Visit, site: Path) -> None:
    """Of the mean, of a model, and of a criterion, whose numbers are loaded for it."""
    opened(visit, list_of(site))
    means = [float(text) for text in visit.texts("#items tbody td:nth-child(2)")]
    names = items(visit)
    assert means == sorted(means)
    opened(visit, f"{list_of(site)}#from={means[3]}&to={means[5]}")
    assert visit.texts(".count") == ["3 of 9 items"]
    runs = [data(file)["items"] for file in site.glob("runs/*/*.js")]
    rows = [row for run in runs for row in run if row["item"] == names[0]]
    samples = [row["samples"][0] for row in rows if row["samples"][0]]
    name = list(samples[0])[-1]
    values = [sample[name] for sample in samples if sample[name] is not None]
    mean = sum(values) / len(values)
    visit.go(f"{list_of(site)}#by={name}&from={mean - 1e-6}&to={mean + 1e-6}")
    visit.tab.locator("#items thead", has_text="mean " + name.replace("_", " ")).wait_for()
    assert names[0] in items(visit)
    assert visit.texts("#items tbody td:nth-child(2)")[0] == f"{mean:.2f}"


def test_models_that_differ_are_those_with_the_spread_that_is_stated(
    visit: Visit, site: Path
) -> None:  # fmt: skip
    """The median where none is stated."""
    opened(visit, list_of(site))
    spreads = [float(text) for text in visit.texts("#items tbody td:nth-child(3)")]
    opened(visit, f"{list_of(site)}#differ=1&margin={max(spreads) - 0.01}")
    assert visit.texts(".count") == ["1 of 9 items"]
    opened(visit, f"{list_of(site)}#differ=1")
    assert len(items(visit)) in (4, 5)


def test_an_item_s_page_has_the_question_once_and_the_answers_beside_each_other(
    visit: Visit, site: Path
) -> None:
    """Three columns of one height of their heads, each with verdict and criteria."""
    opened(visit, item_of(site))
    visit.tab.wait_for_selector(".cell:nth-child(3) .grade")
    assert len(models(visit)) == 3
    tops = [cell.bounding_box()["y"] for cell in visit.tab.locator(".cell .inside").all()]
    assert len(set(tops)) == 1
    asked = visit.texts(".asked .said")[0]
    assert asked and asked not in "".join(visit.texts(".cells .said"))
    assert visit.texts(".cell .grade h3").count("Verdict of demo/judge") == 3


def test_a_question_stands_once_beside_answers_under_a_system_prompt(
    browser: Any, prompted_site: Path
) -> None:
    """The prompt, which is one model's own, is in its column; public pages do not have its text."""
    visit = Visit(browser, prompted_site, viewport={"width": 1400, "height": 900})
    opened(visit, item_of(prompted_site))
    visit.tab.wait_for_selector(".cell:nth-child(2) .grade")
    (asked,) = visit.texts(".asked .said")
    answers = visit.texts(".cells .said")
    assert "feeling" in asked and asked not in "".join(answers)
    assert sum("system prompt is not published" in text for text in answers) == 1
    visit.end()


def test_keys_go_from_answer_to_answer_and_from_item_to_item(visit: Visit, site: Path) -> None:
    """In the order of the list as it was filtered; nothing happens while somebody types."""
    opened(visit, f"{list_of(site)}#sort=-value")
    wanted = items(visit)
    visit.tab.locator("#items tbody th a").first.click()
    visit.tab.wait_for_selector(".cell .turn.model")
    for n in range(2):
        visit.tab.keyboard.press("j")
        assert visit.texts(".cell.current h3 a") == [models(visit)[n]]
    visit.tab.keyboard.press("k")
    visit.tab.wait_for_selector(".cell.current:nth-child(1)")
    visit.tab.locator(".work > .tools button", has_text="note").click()
    visit.tab.keyboard.type("n? p/")
    visit.tab.locator(".work > textarea").blur()
    with visit.tab.expect_navigation():
        visit.tab.keyboard.press("n")
    visit.tab.locator("h1", has_text=wanted[1]).wait_for()
    visit.tab.keyboard.press("?")
    visit.tab.locator("dialog[open]", has_text="next item of the list").wait_for()


def test_an_item_in_a_tab_of_its_own_knows_the_list_by_its_address(
    browser: Any, site: Path
) -> None:
    """Its place and the next item; where the list was never open, the way to it as filtered."""
    visit = opened(Visit(browser, site), f"{list_of(site)}#sort=-item&differ=1&margin=0")
    link, wanted = visit.tab.locator("#items tbody th a"), items(visit)
    with visit.tab.context.expect_page() as event:
        link.nth(1).click(modifiers=["Control"])
    tab = event.value
    tab.locator(".steps .at", has_text="2 of 9").wait_for()
    tab.keyboard.press("n")
    tab.locator("h1", has_text=wanted[2]).wait_for()
    other = opened(Visit(browser, site), tab.url.rpartition("/site/")[2])
    assert "from the hardest" in other.texts(".steps .at")[0]
    other.tab.locator(".steps a", has_text="The list").click()
    other.tab.wait_for_selector("body[data-ready]")
    assert items(other) == wanted
    other.end()
    visit.end()


def test_notes_and_stars_are_kept_found_saved_and_read_again(
    browser: Any, site: Path, tmp_path: Path
) -> None:
    """As JSON, and as CSV that a spreadsheet does not obey; another browser reads the JSON."""
    visit = opened(Visit(browser, site, accept_downloads=True), item_of(site))
    visit.tab.locator(".cell .star").first.click()
    visit.tab.locator(".cell button", has_text="note").first.click()
    visit.tab.fill(".cell textarea >> nth=0", '=cmd()"\nnext')
    opened(visit, f"{list_of(site)}#noted=1&starred=1")
    assert visit.texts(".count") == ["1 of 9 items"]
    (noted,), saved = items(visit), {}
    for kind in ("JSON", "CSV"):
        with visit.tab.expect_download() as download:
            visit.tab.get_by_text(f"Save as {kind}").click()
        saved[kind] = tmp_path / kind
        download.value.save_as(saved[kind])
    with saved["CSV"].open(newline="", encoding="utf-8") as file:
        (line,) = csv.DictReader(file)
    assert line["note"] == "'=cmd()\"\nnext"
    assert (line["item"], line["star"]) == (noted, "yes")
    visit.end()
    other = opened(Visit(browser, site), f"{list_of(site)}#noted=1")
    assert items(other) == []
    other.tab.set_input_files("input[type=file]", saved["JSON"])
    other.tab.locator(".count", has_text="1 of 9 items").wait_for()
    assert items(other) == [noted]
    other.end()


def test_a_model_that_is_not_wanted_stays_away(visit: Visit, site: Path) -> None:
    """On the next item as well."""
    opened(visit, item_of(site))
    visit.tab.click(".pick summary")
    visit.tab.locator(".pick input").first.uncheck()
    assert len(models(visit)) == 2
    opened(visit, item_of(site, 1))
    assert len(models(visit)) == 2


def test_items_that_share_a_page_are_shown_one_by_one(browser: Any, long_site: Path) -> None:
    """A page without its texts says so, and shows the numbers; the next one may be elsewhere."""
    visit = opened(Visit(browser, long_site), list_of(long_site))
    assert len(items(visit)) == 9
    assert "nothing to search" in visit.tab.inner_text("#work")
    for n, name in enumerate(items(visit)):
        if n:
            visit.tab.keyboard.press("n")
        else:
            visit.tab.locator("#items tbody th a").first.click()
        visit.tab.locator("h1", has_text=name).wait_for()
        assert len(visit.texts(".item")) == 1
        assert "not published" in visit.tab.inner_text(".item:not([hidden]) .work")
    visit.end()


def test_on_a_phone_answers_stand_below_each_other(browser: Any, site: Path) -> None:
    """No page is wider than the screen."""
    visit = Visit(browser, site, viewport={"width": 380, "height": 740})
    opened(visit, item_of(site)).tab.wait_for_selector(".cell .grade")
    boxes = [cell.bounding_box() for cell in visit.tab.locator(".cell").all()]
    assert len({box["x"] for box in boxes}) == 1
    assert visit.tab.evaluate("document.documentElement.scrollWidth") == 380
    visit.end()


def test_axe_finds_nothing(browser: Any, site: Path, tmp_path: Path) -> None:
    """On a list with hits, on an item's page with a note and its models to pick, with the keys."""
    script, visit = axe(tmp_path), Visit(browser, site)
    opened(visit, f"{list_of(site)}#q=empathy&differ=1&margin=0")
    visit.tab.wait_for_selector("tr.hits mark")
    assert violations(visit, script) == []
    opened(visit, item_of(site)).tab.wait_for_selector(".cell .grade")
    visit.tab.locator(".cell button", has_text="note").first.click()
    visit.tab.click(".pick summary")
    assert violations(visit, script) == []
    visit.tab.keyboard.press("Escape")
    visit.tab.locator("textarea").first.blur()
    visit.tab.get_by_role("button", name="? keys").click()
    assert violations(visit, script) == []
    visit.end()
