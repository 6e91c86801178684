"""The page for people in a real Chromium, opened from `file://`, by keyboard alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.html.browsing import Visit, axe, needs_chromium, violations

from .conftest import Studied, quality, reply_of

pytestmark = needs_chromium


def press(visit: Visit, *keys: str) -> None:
    """One key after the other."""
    for key in keys:
        visit.tab.keyboard.press(key)


def begin(visit: Visit) -> None:
    """Agree, enter the code and how one was found, and start."""
    press(visit, "Tab", "Space", "Tab")
    visit.tab.keyboard.type("ann")
    press(visit, "Tab")
    visit.tab.keyboard.type("a notice")
    press(visit, "Tab", "Enter")


def texts_of(page: Path) -> list[dict[str, Any]]:
    """The questions in their order."""
    data = json.loads(page.read_text().partition('id="data">')[2].partition("</script>")[0])
    entries: list[dict[str, Any]] = data["entries"]
    return entries


def saved(visit: Visit) -> Path:
    """The file that `s` saves."""
    with visit.tab.expect_download() as download:
        press(visit, "s")
    path = Path(download.value.suggested_filename)
    download.value.save_as(path)
    return path


def test_twenty_pairs_are_labelled_by_keyboard_and_kept_across_a_reload(
    browser: Any, studied: Studied
) -> None:
    """Digits and arrows pick, `j` goes on, a reload forgets nothing; the file is read and used."""
    drawing = ("--pairs", "--number", "18", "--repeats", "2", "-o", "set")
    assert studied.bench("label", "care", *drawing).code == 0
    entries = texts_of(Path("set/page.html"))
    right = ["123"[better(entry) + 1] for entry in entries]
    visit = Visit(browser, Path("set"), accept_downloads=True).go("page.html")
    press(visit, "j")  # does nothing before one has agreed
    begin(visit)
    for n, digit in enumerate(right):
        assert visit.tab.inner_text("#heading") == f"Question {n + 1} of 20"
        if n == 2:  # arrows as in every group of choices
            press(visit, "1", *["ArrowRight"] * (int(digit) - 1))
        else:
            press(visit, digit)
        if n == 9:
            visit.tab.reload()
            assert visit.tab.inner_text("#count") == "10 of 20 answered"
        press(visit, "j")
    press(visit, "k", "k")
    assert visit.tab.inner_text("#heading") == "Question 18 of 20"
    path = saved(visit)
    visit.end()
    assert studied.bench("label", "read", path).code == 0
    document = studied.bench("calibrate", "care", "--json").json
    assert document["people"]["units"] == 18
    (each,) = document["people"]["each"]
    assert (each["repeats"], each["equal"]) == (2, 2)


def better(entry: dict[str, Any]) -> int:
    """1 where the right one is better, -1 where the left one is."""
    left, right = (quality(*reply_of(entry, side)) for side in (0, 1))
    return (right > left) - (right < left)


def test_nothing_begins_without_consent_and_a_code(browser: Any, studied: Studied) -> None:
    """It says what lacks."""
    studied.bench("label", "care", "--number", "4", "--scale", "-1,1", "-o", "set")
    visit = Visit(browser, Path("set")).go("page.html")
    visit.tab.click("#begin")
    assert visit.tab.inner_text("#problem") == "Please agree first, or close the page."
    press(visit, "Space")
    visit.tab.click("#begin")
    assert visit.tab.inner_text("#problem") == "Please enter the code that you were given."
    visit.end()


def test_a_hostile_reply_is_text(browser: Any, studied: Studied) -> None:
    """It ends no element, runs nothing and asks for nothing."""
    studied.bench("label", "care", "--number", "4", "--scale", "-1,1", "-o", "set")
    page = Path("set/page.html")
    evil = "</script><script>document.title='x'</script><img src=http://127.0.0.1:9/x onerror=1>"
    before = texts_of(page)[0]["texts"][0][1][-1][1]
    hostile = json.dumps(evil)[1:-1].replace("<", "\\u003c")
    page.write_text(page.read_text().replace(json.dumps(before)[1:-1], hostile))
    visit = Visit(browser, Path("set")).go("page.html")
    begin(visit)
    assert evil in visit.tab.inner_text("#texts")
    assert visit.tab.title() == "How good is each reply?"
    visit.end()


def test_people_take_a_test_and_the_sum_is_shown(
    browser: Any, studied: Studied, tmp_path: Path
) -> None:
    """SECEU's ten points; an answer that does not add up does not count yet."""
    done = studied.bench("label", "seceu", "--take", "--dataset", "bundled", "--number", "2",
                         "-o", "test")  # fmt: skip
    assert done.code == 0, done.err
    visit = Visit(browser, Path("test"), accept_downloads=True).go("page.html")
    begin(visit)
    for points in ("1", "2", "3", "3"):
        press(visit, "Tab")
        visit.tab.keyboard.type(points)
    assert "They sum to 10; now: 9." in visit.tab.inner_text("#hint")
    assert visit.tab.inner_text("#count") == "0 of 2 answered"
    press(visit, "Backspace")
    visit.tab.keyboard.type("4")
    assert visit.tab.inner_text("#count") == "1 of 2 answered"
    visit.tab.focus("#next")
    path = saved(visit)
    visit.end()
    assert studied.bench("label", "read", path, "-o", "humans.csv").code == 0
    rows = [line.split(",")[-1] for line in Path("humans.csv").read_text().splitlines()]
    assert rows == ["points", "1", "2", "3", "4"]


def test_the_page_is_accessible(
    browser: Any, studied: Studied, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """By axe-core, in light and in dark, before and after it begins."""
    script = axe(tmp_path_factory.mktemp("axe"))
    studied.bench("label", "care", "--pairs", "--number", "4", "-o", "set")
    visit = Visit(browser, Path("set"), bypass_csp=True).go("page.html")
    assert violations(visit, script) == []
    visit.tab.reload()
    begin(visit)
    assert violations(visit, script) == []
    visit.end()
