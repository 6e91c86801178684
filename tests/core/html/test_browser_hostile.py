"""Whatever models and judges write is shown as text in a site, and a planted canary never runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.core.reports.statements import pair_sentences

from .browsing import KEY, Visit, document, needs_chromium, row, run, text_part, transcript, write

pytestmark = needs_chromium
HOSTILE = (
    "<script>window.canary=1</script><img src=x onerror=window.canary=1>"
    "<svg onload=window.canary=1><a href='javascript:window.canary=1'>x</a></textarea></title>"
    '</style></script>{{ 7*7 }}{% raw %}${canary=1}" onmouseover="window.canary=1\x00\x1b[31m'
    "\u202e\u2066\U0001f600\u4f60\u597d __proto__"
)
LONG = "A" * 1_000_000
NAMES = ("one " + HOSTILE, "two " + HOSTILE)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site in which every name and text is the worst."""
    rows = [row(name, 1500.0 - n, [1400.0, 1550.0], id=f"r{n}", runs=[f"r{n}"], family=name,
                href="models/x.html") for n, name in enumerate(NAMES)]  # fmt: skip
    board = document(rows, title=HOSTILE, judge=HOSTILE, sentence=HOSTILE,
                     warnings=[HOSTILE + LONG], comparability=HOSTILE, pack=HOSTILE)  # fmt: skip
    board["views"][0]["name"] = HOSTILE
    for criterion in board["criteria"]:
        criterion["label"] = HOSTILE
    quoting = f'{HOSTILE} "{HOSTILE.replace(chr(34), "")}" {LONG}'
    data: dict[str, Any] = {
        f"boards/{KEY}-pairs": {"key": KEY, "metric": HOSTILE, "method": HOSTILE,
                                "models": ["r0", "r1"], "rows": [[1.0, -1.0, 9.0]], "criteria": {},
                                "settle": {"0": HOSTILE}, "number": HOSTILE,
                                "sentences": dict.fromkeys(
                                    pair_sentences(None), f"{{a}} {HOSTILE} {{number}}")},
    }  # fmt: skip
    for n, name in enumerate(NAMES):
        made = run(name, {f"{HOSTILE} {k}": 5.0 + k for k in range(3)})
        made["facts"] = [[HOSTILE, f"{HOSTILE} {n}"], ["__proto__", HOSTILE * (n + 1)]]
        for item in made["items"]:
            item["texts"] = f"texts/r{n}/1#x"
        said = transcript(
            HOSTILE + LONG, quoting, [[NAMES[1 - n], "shown first", HOSTILE, HOSTILE + LONG]]
        )
        data |= {f"runs/{KEY}/r{n}": made, f"texts/r{n}/1": text_part({"x": said})}
    return write(tmp_path_factory.mktemp("site"), board, data)


@pytest.fixture
def visit(browser: Any, site: Path) -> Iterator[Visit]:
    """A reader, whose page runs nothing of what was written."""
    made = Visit(browser, site)
    yield made
    assert made.tab.evaluate("typeof window.canary") == "undefined"
    made.end()


@pytest.mark.parametrize("state", ["", "#pin=r0", "#with=r0,r1&q=one", "#view"])
def test_names_on_a_board_are_text(visit: Visit, state: str) -> None:
    """Also in what the script adds to it: marks, tray, slope chart."""
    visit.go(f"boards/{KEY}.html{state.replace('#view', '')}")
    if state == "#view":
        visit.tab.select_option("#view select", index=1)
        visit.tab.wait_for_selector(".slope svg")
    assert "<script>window.canary=1</script>" in visit.tab.locator("#board").inner_text()
    assert visit.tab.locator("main img, main svg svg a, main textarea").count() == 0


def test_texts_of_a_comparison_are_text(visit: Visit) -> None:
    """Names, replies, verdicts, flags and results, with a megabyte without a blank."""
    visit.go(f"compare.html#{KEY}/r0/r1")
    visit.tab.locator("#items tbody th button").first.click()
    visit.tab.wait_for_selector("#texts .turn.model .said")
    said = visit.tab.locator("#texts .turn.model .said").first.text_content()
    assert said is not None
    assert said.startswith("<script>window.canary=1</script>")
    assert said.endswith("AAAA")
    assert visit.tab.locator("main img, main script, main textarea").count() == 0
    assert visit.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_changed_and_what_would_settle_it_are_text(visit: Visit) -> None:
    """Names and values of settings, plans, and items that made the difference."""
    visit.go(f"compare.html#{KEY}/r0/r1")
    for part in ("#settle .put", "#changed", "#most"):
        assert "<script>window.canary=1</script>" in visit.tab.locator(part).inner_text()
    assert visit.tab.locator("main img, main script, main textarea").count() == 0
    assert visit.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_long_text_is_laid_out_in_parts_and_stays_as_it_was(visit: Visit) -> None:
    """Parts end where a line ends, a word without an end can break, and no character is lost."""
    text = (
        "First line\n" + "ab \U0001f600 " * 3_000 + "\nnext\n\n" + "\U0001f600" * 20_001 + "\nend"
    )
    visit.go(f"compare.html#{KEY}/r0/r1")
    read, parts, breaks = visit.tab.evaluate(
        """(text) => {
            const said = { who: "x", kind: "model", text, thinking: "", cut: false };
            const grade = { verdicts: [], values: [], flags: [], facts: [] }, beside = [];
            const [left] = eibench.reader({ turns: [said], grade, beside, compared: [] }, "x");
            const count = (wanted) => left.querySelectorAll(wanted).length;
            return [left.querySelector(".said").textContent, count(".part"), count("wbr")];
        }""",
        text,
    )
    assert read == text
    assert parts >= len(text) // 8_000
    assert breaks >= 30


@pytest.mark.parametrize("anchor", [
    "<img src=x onerror=window.canary=1>", "q=<script>window.canary=1</script>&pin=<svg>",
    "q=%00%FF&with=%E0%A4%A", "javascript:window.canary=1",
])  # fmt: skip
def test_an_address_cannot_bring_in_anything(visit: Visit, anchor: str) -> None:
    """What stands behind the `#` is a search or a name, never markup."""
    visit.go(f"boards/{KEY}.html#{anchor}")
    assert visit.tab.locator("main img, main script").count() == 0
