"""A board and the page that compares, in a real Chromium, opened from `file://`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.core.html.pairs import sentences_on
from eibench.core.html.rendering import assets, without_blanks

from .browsing import KEY, Visit, document, needs_chromium, row, run, text_part, transcript, write

pytestmark = needs_chromium
BOARD = f"boards/{KEY}.html"
ROWS = [
    row("ash", 1600.0, [1580.0, 1660.0], size_b=70.0, tied_with=["birch"]),
    row("birch", 1590.0, [None, 1640.0], family="birch", date="2026-04-01", tied_with=["ash"]),
    row("cedar", 1400.0, [1310.0, 1410.0], rank=[3, 3], cost_usd=None),
    row("elm", 1300.0, None, rank=[4, 4], family="birch"),
]
PAIRS = {
    "key": KEY, "metric": "rating", "method": "from the joint draws",
    "models": [r["id"] for r in ROWS],
    "rows": [[10.0, -5.0, 60.0], [200.0, 150.0, 290.0], None, [190.0, 120.0, 230.0],
             [290.0, 200.0, 300.0], [100.0, -20.0, 110.0]],
    "criteria": {"warmth": {"0": [-0.9, -1.0, -0.8]}},
    "settle": {"0": "40 more items like these ($0.80) would settle it"},
    **sentences_on(4, "rating", higher_is_better=True),
}  # fmt: skip
ITEMS = [f"item-{n}" for n in range(9)]
QUOTED = 'It says "I would call  her tonight" and more.'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of one board with four models, two of which have transcripts."""
    data: dict[str, Any] = {f"boards/{KEY}-pairs": PAIRS}
    for n, name in enumerate(("ash", "birch")):
        data[f"runs/{KEY}/run-{name}"] = run(
            name, {i: 50.0 + 9 * n + k for k, i in enumerate(ITEMS)}
        )
        other = ("birch", "ash")[n]
        compared = [[other, "shown first", "won", ""], [other, "shown second", "lost", ""]]
        said = transcript(f"Well: I would call her tonight, {name}.", QUOTED, compared)
        data[f"texts/run-{name}/1"] = text_part(dict.fromkeys(ITEMS[:2], said))
    data |= {f"runs/{KEY}/run-{name}": run(name, {}) for name in ("cedar", "elm")}
    return write(tmp_path_factory.mktemp("site"), document(ROWS), data)


@pytest.fixture
def visit(browser: Any, site: Path) -> Iterator[Visit]:
    """A reader, who must see no error and send no request out of the folder."""
    made = Visit(browser, site)
    yield made
    made.end()


def test_search_leaves_the_models_that_hold_all_words(visit: Visit) -> None:
    """Of name and family; the count and the address say so."""
    visit.go(BOARD)
    visit.tab.keyboard.press("/")
    visit.tab.keyboard.type("BIRCH")
    assert visit.models() == ["birch", "elm"]
    assert visit.texts(".count") == ["2 of 4 models"]
    assert visit.tab.url.endswith("#q=BIRCH")
    visit.tab.keyboard.press("Escape")
    assert len(visit.models()) == 4


def test_filters_are_by_family_size_and_date(visit: Visit) -> None:
    """Each alone, and all together."""
    visit.go(BOARD)
    visit.tab.select_option("[data-filter=family]", "birch")
    assert visit.models() == ["birch", "elm"]
    visit.tab.select_option("[data-filter=date]", "2026-04")
    assert visit.models() == ["birch"]
    visit.go(f"{BOARD}#size=over 40B to 100B")
    assert visit.models() == ["ash"]


def test_a_filter_takes_the_whole_name(browser: Any, tmp_path: Path) -> None:
    """Of two families of which one begins like the other, only the one that is named."""
    rows = [row("ash", 1600.0, None, family="meta"), row("elm", 1500.0, None, family="metamath")]
    site = write(tmp_path, document(rows), {f"boards/{KEY}-pairs": PAIRS})
    visit = Visit(browser, site).go(f"{BOARD}#family=meta")
    assert visit.models() == ["ash"]
    assert visit.texts(".count") == ["1 of 2 models"]
    visit.end()


def test_a_table_that_goes_on_at_the_right_says_so(browser: Any, tmp_path: Path) -> None:
    """Until it has been scrolled to its end."""
    names = [f"criterion {n}" for n in range(12)]
    rows = [row("ash", 1600.0, None, criteria=dict.fromkeys(names, 5.0))]
    more = {"group": "all", "higher_is_better": True, "low": 0.0, "high": 10.0}
    board = document(rows, criteria=[{"name": n, "label": n, **more} for n in names])
    site = write(tmp_path, board, {})
    visit = Visit(browser, site, viewport={"width": 380, "height": 740}).go(BOARD)
    visit.tab.wait_for_selector(".scroll.more")
    visit.tab.eval_on_selector(".scroll.more", "box => { box.scrollLeft = box.scrollWidth; }")
    visit.tab.wait_for_selector(".scroll.more", state="detached")
    visit.end()


def test_headings_sort_with_missing_values_last(visit: Visit) -> None:
    """Up and down; the heading says which, and the address keeps it."""
    visit.go(BOARD)
    for order in ("ascending", "descending"):
        visit.tab.click("th[data-key=model] button")
        visit.tab.wait_for_selector(f"th[data-key=model][aria-sort={order}]")
        names = ["ash", "birch", "cedar", "elm"]
        assert visit.models() == sorted(names, reverse=order == "descending")
    visit.go(f"{BOARD}#sort=cost")
    assert visit.models()[-1] == "cedar"


def test_a_pinned_row_turns_the_others_into_differences(visit: Visit) -> None:
    """With intervals; those that cannot be told apart are shaded and say so."""
    visit.go(BOARD)
    visit.tab.click("tr[data-id=run-birch] .pinner")
    visit.tab.wait_for_selector("tr.pin")
    assert visit.texts("tr[data-id=run-ash] td.num:nth-child(4)") == ["+10"]
    assert visit.texts("tr[data-id=run-cedar] td.num:nth-child(5)") == ["[−230, −120]"]
    assert visit.texts("tr.same .told") == ["≈ cannot be told apart"]
    assert "pin=run-birch" in visit.tab.url
    visit.tab.click(".pinned button")
    visit.tab.wait_for_selector("tr.pin", state="detached")
    assert visit.texts("tr[data-id=run-ash] td.num:nth-child(4)") == ["1600"]


def test_a_pair_without_a_known_difference_is_not_called_zero(visit: Visit) -> None:
    """It has no number, and says that none is known."""
    visit.go(f"{BOARD}#pin=run-elm")
    assert visit.texts("tr[data-id=run-ash] td.num:nth-child(4)") == ["–"]
    assert visit.texts("tr[data-id=run-ash] .told") == ["no difference known"]


def test_a_view_moves_the_ranks_in_a_slope_chart(visit: Visit) -> None:
    """The table then has the numbers of the view; going back restores it."""
    visit.go(BOARD)
    visit.tab.select_option("#view select", "only oak/judge")
    visit.tab.wait_for_selector(".slope svg")
    assert visit.models() == ["elm", "cedar", "birch", "ash"]
    assert visit.texts("tr[data-id=run-elm] td.num:nth-child(4)") == ["1003"]
    said = visit.tab.locator(".slope svg").text_content()
    assert "1 elm ▲3" in said and "4 ash ▼3" in said
    visit.tab.select_option("#view select", "")
    visit.tab.wait_for_selector(".slope svg", state="detached")
    assert visit.models()[0] == "ash"


def test_the_tray_leads_to_the_comparison(visit: Visit) -> None:
    """From two models on, and of no more than four."""
    visit.go(BOARD)
    for name in ("ash", "birch"):
        visit.tab.check(f"tr[data-id=run-{name}] input")
    visit.tab.click(".tray a.go")
    visit.tab.wait_for_selector("body[data-ready]")
    assert visit.texts("#result .verdict")[0].startswith("ash is not told apart from birch")


def test_a_link_shows_the_same_view(visit: Visit, browser: Any, site: Path) -> None:
    """All that was chosen, in another window."""
    visit.go(BOARD)
    visit.tab.fill("#search", "a")
    visit.tab.check("tr[data-id=run-cedar] input")
    visit.tab.click("tr[data-id=run-ash] .pinner")
    visit.tab.wait_for_selector("tr.pin")
    other = Visit(browser, site).go(f"{BOARD}#{visit.tab.url.partition('#')[2]}")
    for wanted in ("#board tbody tr:not([hidden])", ".tray", ".pinned", ".count"):
        assert other.texts(wanted) == visit.texts(wanted)
    other.end()


def test_an_address_that_names_nothing_changes_nothing(visit: Visit) -> None:
    """A model, view or filter that is not there is left out."""
    visit.go(f"{BOARD}#pin=x&view=y&family=z&with=__proto__,run-ash&sort=q")
    assert visit.models() == ["ash", "birch", "cedar", "elm"]
    assert visit.texts(".tray button")[0].startswith("ash")


def test_keys_go_from_row_to_row(visit: Visit) -> None:
    """`j` down, `k` up, past rows that are hidden; not while one types."""
    visit.go(f"{BOARD}#family=birch")
    for key in "jjk":
        visit.tab.keyboard.press(key)
    assert visit.tab.evaluate("document.activeElement.closest('tr').dataset.model") == "birch"
    visit.tab.fill("#search", "")
    visit.tab.focus("#search")
    visit.tab.keyboard.press("j")
    assert visit.tab.input_value("#search") == "j"


def test_the_theme_stays_from_page_to_page(visit: Visit) -> None:
    """What was chosen on a board holds on another page."""
    visit.go(BOARD)
    visit.tab.click("#theme")
    colour = "getComputedStyle(document.body).backgroundColor"
    chosen = visit.tab.evaluate(colour)
    visit.go("compare.html")
    assert visit.tab.evaluate(colour) == chosen


_WHISKERS = """() => {
    const table = document.querySelector("#board"), box = (node) => node.getBoundingClientRect();
    const tick = (t) => [parseFloat(t.textContent.replace("−", "-")), middle(t)];
    const line = (row) => row.querySelector("line.whisker");
    const ends = (row) => line(row) ? [box(line(row)).left, box(line(row)).right] : [];
    const middle = (node) => box(node).x + box(node).width / 2;
    const dot = (row) => row.querySelector("circle") ? middle(row.querySelector("circle")) : null;
    const ticks = [...table.tFoot.querySelectorAll("text")].map(tick);
    const rows = [...table.tBodies[0].rows];
    return [ticks, rows.map((row) => [row.dataset.model, dot(row), ends(row)])];
}"""


def places(visit: Visit) -> dict[str, tuple[float | None, list[float]]]:
    """Where dots and whiskers stand, in numbers of the axis, measured in pixels from its ticks."""
    ticks, drawn = visit.tab.evaluate(_WHISKERS)
    (low, x0), (high, x1) = ticks[0], ticks[-1]

    def at(x: float) -> float:
        return float(low + (x - x0) / (x1 - x0) * (high - low))

    return {name: (None if dot is None else at(dot), [*map(at, ends)])
            for name, dot, ends in drawn}  # fmt: skip


def test_whiskers_stand_where_the_numbers_say(visit: Visit) -> None:
    """Also those that are not symmetric, or have an open end; no interval, no whisker."""
    visit.go(BOARD)
    found = places(visit)
    for given in ROWS:
        dot, ends = found[given["model"]]
        assert dot == pytest.approx(given["rating"], abs=4)
        assert len(ends) == (2 if given["rating_ci95"] else 0)
        for end, stands in zip(given["rating_ci95"] or (), ends, strict=True):
            assert end is None or stands == pytest.approx(end, abs=4)


def test_whiskers_of_differences_stand_where_the_numbers_say(visit: Visit) -> None:
    """Those that the script draws when a row is pinned, in both directions."""
    visit.go(f"{BOARD}#pin=run-birch")
    found = places(visit)
    wanted = {"ash": (10.0, [-5.0, 60.0]), "cedar": (-190.0, [-230.0, -120.0]),
              "elm": (-290.0, [-300.0, -200.0])}  # fmt: skip
    for name, (value, ends) in wanted.items():
        assert found[name][0] == pytest.approx(value, abs=4)
        assert found[name][1] == pytest.approx(ends, abs=4)


def test_a_comparison_says_who_is_better_and_by_how_much(visit: Visit) -> None:
    """With the interval, and what would settle it."""
    visit.go(f"compare.html#{KEY}/run-ash/run-cedar")
    (said,) = visit.texts("#result .verdict")
    assert said == "ash is better than cedar by 200 (150 … 290) in rating."
    visit.go(f"compare.html#{KEY}/run-cedar/run-ash")
    (said,) = visit.texts("#result .verdict")
    assert said == "cedar is worse than ash by 200 (150 … 290) in rating."


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ("run-birch/run-ash", ["40 more items like these ($0.80) would settle it."]),
        ("run-ash/run-cedar", []),
        ("run-ash/run-elm", []),
        ("run-cedar/run-elm", ["Not planned here, where only models near each other are: bench "
                               "compare plans it."]),
    ],
)  # fmt: skip
def test_a_comparison_says_what_would_settle_it(visit: Visit, pair: str, words: list[str]) -> None:
    """In the words that the data bring, whichever model comes first; nothing of two told apart."""
    visit.go(f"compare.html#{KEY}/{pair}")
    assert visit.texts("#settle p.put") == words


def test_a_comparison_says_what_differs_between_the_runs(visit: Visit) -> None:
    """Each fact that is not the same in both, and none that is."""
    visit.go(f"compare.html#{KEY}/run-ash/run-birch")
    assert visit.texts("#changed tbody th, #changed tbody td") == ["model", "ash", "birch"]


def test_a_comparison_names_the_items_that_made_the_difference(visit: Visit) -> None:
    """The five largest of each side, with both values; each opens both answers."""
    visit.go(f"compare.html#{KEY}/run-birch/run-ash")
    assert visit.texts("#most h3") == ["birch did better", "ash did better"]
    items = visit.texts("#most li")
    assert len(items) == 5
    assert items[0].split("\n") == ["item-0", "+9.00 (59.00, 50.00)"]
    assert visit.texts("#most .put p.note") == ["None."]
    visit.tab.click("#most button >> text=item-0")
    visit.tab.wait_for_selector("#texts .turn.model")


def test_an_answer_leads_to_its_item_on_the_page_of_all_models(visit: Visit) -> None:
    """To the cell of the model's run."""
    visit.go(f"compare.html#{KEY}/run-ash/run-birch/item-1")
    links = visit.tab.locator("#texts .beside h3 a").all()
    ends = [(link.get_attribute("href") or "").rpartition("/items/")[2] for link in links]
    assert ends == [f"{KEY}/1.html#run-ash-aa", f"{KEY}/1.html#run-birch-aa"]


def test_criteria_are_compared_over_shared_items(visit: Visit) -> None:
    """Every item differs by 0.9; the interval is that of the data, turned round with the pair."""
    visit.go(f"compare.html#{KEY}/run-birch/run-ash")
    assert visit.texts("#criteria tbody td.num")[:3] == ["+0.90", "[+0.80, +1.00]", "leaves out 0"]


def test_two_transcripts_stand_side_by_side(visit: Visit) -> None:
    """Both orders of their comparison are stacked, and a flip is called one."""
    visit.go(f"compare.html#{KEY}/run-ash/run-birch/item-0")
    said = visit.texts("#texts .turn.model .said")
    assert [text[-4:-1] for text in said] == ["ash", "rch"]
    assert visit.texts("#texts .orders li") == [
        "ash shown first: ash won.",
        "birch shown first: birch won.",
    ]
    assert visit.texts("#texts p.mark") == ["Flip: the result changes with the order of the texts."]


def test_texts_are_loaded_when_they_are_asked_for(visit: Visit) -> None:
    """Not with the page; an item of the table opens both."""
    visit.go(f"compare.html#{KEY}/run-ash/run-birch")
    assert not [url for url in visit.asked if "/texts/" in url]
    visit.tab.click("#items tbody th button >> text=item-1")
    visit.tab.wait_for_selector("#texts .turn.model")
    assert len([url for url in visit.asked if "/texts/" in url]) == 2
    assert visit.tab.url.endswith("/run-ash/run-birch/item-1")


def test_quotes_of_the_verdict_are_marked_in_the_conversation(visit: Visit) -> None:
    """With the same number in both; the number leads there. Blanks may differ."""
    visit.go(f"compare.html#{KEY}/run-ash/run-birch/item-0")
    assert visit.texts("#texts mark") == ["I would call her tonight1"] * 2
    visit.tab.locator("#texts .jump").first.click()
    assert visit.tab.evaluate("document.activeElement.tagName") == "MARK"


def test_an_address_leaves_no_folder(visit: Visit) -> None:
    """A comparison names data by plain names, and says what cannot be shown."""
    visit.go("compare.html")
    for path in ("..%2F..%2Fother/a/b", f"{KEY}/run-ash/nobody", "%/a/b"):
        visit.tab.evaluate("path => { location.hash = path }", path)
        visit.tab.wait_for_selector("#choose .mark")
    assert not [url for url in visit.asked if "other" in url]


@pytest.mark.parametrize("page", [BOARD, f"{BOARD}#pin=run-ash&with=run-ash,run-elm",
                                  f"{BOARD}#view=only+oak%2Fjudge",
                                  f"compare.html#{KEY}/run-ash/run-birch/item-0"])  # fmt: skip
def test_a_page_fits_a_phone(browser: Any, site: Path, page: str) -> None:
    """360 pixels wide, without scrolling sideways."""
    visit = Visit(browser, site, viewport={"width": 360, "height": 740}).go(page)
    assert visit.tab.evaluate("document.documentElement.scrollWidth") == 360
    visit.end()


def test_on_paper_there_is_nothing_to_press(visit: Visit) -> None:
    """Controls, tray and buttons are left out, the table stays."""
    visit.go(f"{BOARD}#with=run-ash")
    visit.tab.emulate_media(media="print")
    assert visit.texts("#controls, .tray, .pinner, #theme, #board input") == []
    assert visit.texts("#board tbody tr")


def test_without_its_script_a_board_is_still_a_table(browser: Any, site: Path) -> None:
    """Names, numbers and drawings are there, and nothing that would not work."""
    visit = Visit(browser, site, java_script_enabled=False)
    visit.tab.goto((site / BOARD).as_uri())
    assert visit.models() == ["ash", "birch", "cedar", "elm"]
    assert visit.tab.locator("#board line.whisker").count() > 4
    assert visit.texts("#controls, .pinner") == []
    visit.context.close()


def test_all_scripts_together_are_light() -> None:
    """That of the site, which holds that of reports, is under 34 kB; others have their own."""
    sizes = {Path(part.path).name: len(part.content) for part in assets()}
    assert sizes["site.js"] < 34_000
    assert sizes["items.js"] < 45_000
    assert sizes["model.js"] < 23_000


def test_blanks_are_left_out_of_a_script_but_not_of_its_texts() -> None:
    """Nor of templates and patterns."""
    given = 'const a = 1;\n  // why\n  say("a = b", `c = ${ d }`, /e = "f/.test(g), h / i);\n'
    wanted = 'const a=1;say("a = b",`c = ${ d }`,/e = "f/.test(g),h/i);'
    assert without_blanks(given).replace("\n", "") == wanted
