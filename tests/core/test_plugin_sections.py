"""Sections and pages of installed plugins: shown everywhere, or named with what is wrong."""

import json
from pathlib import Path

import pytest

import eibench
from eibench.core.guard import PluginCall
from eibench.core.guard.parts import parts
from eibench.core.hooks.sections.drawings import UnfitDrawing, checked_svg
from eibench.core.hooks.sections.formulas import UnfitFormula, computed, read_formula
from tests.core.html.browsing import Visit, chromium, needs_chromium
from tests.core.test_plugins import HEAD, Place, registers

PARTS = """
XMLNS = 'xmlns="http://www.w3.org/2000/svg"'
SVG = f'<svg {XMLNS} viewBox="0 0 9 9"><circle cx="4" cy="4" r="3"/></svg>'

def parts(document):
    eib = eibench
    weights = [eib.Control("w", "weight of the first", 0.5, 0, 1, 0.1)]
    total = eib.Output("weighted mean", "w * 10 + (1 - w) * mean(seen)", 1)
    return [
        eib.Table("Counts", ("what", "n"), [("samples", document["items"]["total"])]),
        eib.Paragraph("Read with <care>.", "A warning"),
        eib.Plot("Growth", [eib.Series("a", [(0.0, 1.5), (1.0, 2.5)])], "step", "size", "lines"),
        eib.Drawing("A ring", SVG, "drawn by hand"),
        eib.Controls("What if", weights, [total], {"seen": [2.0, 4.0]}),
    ]

def page(documents):
    return eibench.Table("Runs", ("model",), [(one["name"],) for one in documents])
"""
SECTION = registers("report_sections", "eibench.ReportSection('parts', None, parts)")
PAGE = registers("pages", "eibench.ReportPage('all-runs', 'All runs', page)")
ALL = HEAD + PARTS + SECTION + PAGE


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The plugin installed, and a run of a demo model."""
    made = Place(tmp_path_factory.mktemp("sections"))
    made.install("parts", ALL)
    assert made.bench("run", "eqbench-v1", "--limit", "2").returncode == 0
    return made


def test_a_terminal_shows_each_part_as_a_table_or_a_text(place: Place) -> None:
    """The numbers of a plot, and outputs with the controls as they are at first."""
    out = place.bench("show", "medium", "--details").stdout
    assert "Counts" in out and "Read with <care>." in out
    assert "0 " in out and "1.5" in out and "2.5" in out
    assert "A ring" in out and "(a drawing, which reports and pages show) drawn by hand" in out
    assert "weighted mean" in out and "6.5" in out and "with weight of the first 0.5" in out


def test_a_report_shows_each_part(place: Place) -> None:
    """Texts are escaped, the drawing is markup, controls have their steps as data."""
    done = place.bench("report", "medium", "-o", "report.html")
    assert done.returncode == 0, done.stderr
    text = (place.path / "report.html").read_text()
    assert "Read with &lt;care&gt;." in text
    assert '<circle cx="4" cy="4" r="3">' in text and 'aria-label="A ring"' in text
    assert '<input type="range" name="w" min="0" max="1" step="0.1" value="0.5">' in text
    assert '["do", "mean", 1]' in text and ">6.5</dd>" in text


@needs_chromium
def test_a_page_computes_what_a_control_changes(place: Place) -> None:
    """Its script comes to what Python computes, under the page's policy."""
    assert place.bench("report", "medium", "-o", "moved.html").returncode == 0
    with chromium() as browser:
        visit = Visit(browser, place.path).go("moved.html")
        assert visit.texts(".reckoned dd") == ["6.5"]
        visit.tab.locator(".reckoned input").fill("0.9")
        assert visit.texts(".reckoned dd") == ["9.3"]
        visit.end()


def test_a_site_shows_sections_on_the_model_s_page_and_pages_of_their_own(place: Place) -> None:
    """The entry of the site leads to a plugin's page."""
    done = place.bench("site", "-o", "site")
    assert done.returncode == 0, done.stderr
    (model,) = (place.path / "site" / "models").glob("*.html")
    assert "Read with &lt;care&gt;." in model.read_text()
    assert (
        '<a href="pages/all-runs.html">All runs</a>'
        in (place.path / "site" / "index.html").read_text()
    )
    page = (place.path / "site" / "pages" / "all-runs.html").read_text()
    assert "<caption>Runs</caption>" in page and ">demo/medium" in page


def test_pages_are_listed(place: Place) -> None:
    """With their titles and distributions."""
    listed = [(page["title"], page["distribution"]) for page in place.listing()["pages"]]
    assert ("All runs", "parts-dist 1.2") in listed


CONTROL = "eibench.Control('w', 'w', {}, 0, 1, {})"


def controls(control: str = CONTROL.format(0.5, 0.1), formula: str = "w", column: str = "1") -> str:
    """Controls of one output."""
    outputs = f"[eibench.Output('o', {formula!r})]"
    return f"eibench.Controls('C', [{control}], {outputs}, {{'x': [{column}]}})"


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("'a text'", "returned str, not one of Table, Paragraph, Plot, Drawing, Controls"),
        ("eibench.Paragraph(1)", "a Paragraph with a title, note or text that is no text"),
        ("eibench.Table('t', ('a',), [(1, 2)])", "a Table with a row of 2 cells under 1 column"),
        ("eibench.Table('t', ('a',), None)", "a Table that cannot be shown"),
        ("eibench.Table('t', ('a',), [], right=('a',))", "have no index 'a' to be set right"),
        ("eibench.Table('t', ('a',), [], item_columns=(1,))", "have no index 1 to be linked"),
        ("eibench.Plot('p', [], 'x', 'y')", "the Plot 'p' with 0 series: 1 to 6"),
        (
            "eibench.Plot('p', [eibench.Series('s', [(1, float('nan'))])], 'x', 'y')",
            "(1, nan) is no pair of finite numbers",
        ),
        ("eibench.Drawing('d', '<svg')", "the Drawing 'd': it is no XML"),
        ("eibench.Drawing('d', '<svg viewBox=\"0 0 1 1\"><script/></svg>')", "<script> is not"),
        (controls(CONTROL.format(2, 0.1)), "'w' has the default 2, not from 0 to 1"),
        (controls(CONTROL.format(0.5, 0)), "'w' has the step 0, not above 0 and up to 1"),
        (controls(formula="v + 1"), "'v + 1': 'v' is neither a control nor a column: w, x"),
        (controls(formula="x * w"), "'x * w': it comes to a column"),
        (controls(column="None"), "None of column 'x' is no number"),
    ],
)
def test_a_part_that_cannot_be_shown_is_refused(part: str, message: str) -> None:
    """With the section that gave it."""
    value = eval(part, {"eibench": eibench})
    section = eibench.ReportSection("parts", None, lambda document: value)
    with pytest.raises(eibench.PluginError, match=r"^build of parts ") as caught:
        parts(PluginCall(section, "build"), [value])
    assert message in str(caught.value)


def test_a_section_that_fails_is_named_and_the_result_is_shown(
    place: Place, tmp_path: Path
) -> None:
    """In one line with its distribution, also where several runs are shown."""
    own = Place(tmp_path)
    drawing = "eibench.Drawing('d', '<svg viewBox=\"0 0 1 1\"><script/></svg>')"
    own.install("parts", HEAD + f"def parts(document):\n    return {drawing}\n" + SECTION)
    done = own.bench("show", "medium", "--details", "--runs-dir", str(place.path / "runs"))
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert done.stderr.startswith("warning: build of parts (parts-dist 1.2) returned the Drawing")
    assert "eqbench-v1" in done.stdout
    for model in ("demo/weak", "demo/strong"):
        assert own.bench("run", "eqbench-v1", "--limit", "2", "--model", model).returncode == 0
    assert own.bench("site", "-o", "site").stderr.count("build of parts") == 1


@pytest.mark.parametrize(
    ("kind", "thing", "message"),
    [
        ("report_sections", "eibench.ReportSection('a', None, 1)", "it has 1 as build, not"),
        ("report_sections", "eibench.ReportSection('a', 1, print)", "it has 1 as benchmark, not"),
        ("report_sections", "eibench.ReportSection('a b', None, print)", "its name 'a b' must be"),
        ("pages", "eibench.ReportPage('../a', 't', print)", "its name '../a' must be"),
        ("pages", "eibench.ReportPage('a', '', print)", "it has '' as title, not a text"),
        ("pages", "print", "it is not an eibench.ReportPage"),
    ],
)
def test_a_wrong_section_or_page_is_refused(
    tmp_path: Path, kind: str, thing: str, message: str
) -> None:
    """The plugin is broken, and the reason says why."""
    place = Place(tmp_path)
    place.install("bad", HEAD + registers(kind, thing))
    (broken,) = place.listing()["broken"]
    assert broken["distribution"] == "bad-dist 1.2" and message in broken["reason"]


def test_a_page_that_fails_is_told_on_the_site(place: Place, tmp_path: Path) -> None:
    """The others are written."""
    own = Place(tmp_path)
    own.install("bad", HEAD + "def page(documents):\n    1 / 0\n" + PAGE)
    runs = ("--runs-dir", str(place.path / "runs"))
    assert own.bench("site", "-o", "site", *runs).returncode == 0
    text = (tmp_path / "site" / "index.html").read_text()
    assert "build of all-runs (bad-dist 1.2) raised ZeroDivisionError" in text
    assert not (tmp_path / "site" / "pages" / "all-runs.html").exists()


SHAPE = '<svg viewBox="0 0 9 9">{}</svg>'


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        "<SCRIPT/>",
        "<foreignObject/>",
        "<a/>",
        "<image/>",
        "<use/>",
        "<style/>",
        "<animate/>",
        "<set/>",
        "<filter/>",
        "<iframe/>",
        '<g onclick="x()"/>',
        '<g style="fill:red"/>',
        '<g class="s0"/>',
        '<g id="theme"/>',
        '<g href="#a"/>',
        '<g xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#a"/>',
        '<rect fill="url(#a)"/>',
        '<rect fill="URL(http://example.org)"/>',
        '<rect fill="javascript:x"/>',
        '<rect fill="a;b"/>',
        '<rect fill="&#34;"/>',
        '<g xmlns="http://www.w3.org/1999/xhtml"/>',
        '<x:script xmlns:x="http://www.w3.org/2000/svg"/>',
        "<!-- a -->",
        "<![CDATA[<script>]]>",
        "<?php ?>",
        "&unknown;",
        "<g>" * 40 + "</g>" * 40,
        "a" * 600_000,
    ],
)
def test_what_no_drawing_may_hold_is_refused(inside: str) -> None:
    """Nothing runs, styles, links, moves or refers."""
    with pytest.raises(UnfitDrawing):
        checked_svg(SHAPE.format(inside), "t")


@pytest.mark.parametrize(
    "svg",
    [
        "",
        "text",
        "<g/>",
        "<svg/>",
        '<!DOCTYPE svg [<!ENTITY a "b">]><svg viewBox="0 0 1 1">&a;</svg>',
        '<svg viewBox="0 0 1 1"/><script/>',
    ],
)
def test_what_is_no_drawing_is_refused(svg: str) -> None:
    """One element, with its size, without declarations."""
    with pytest.raises(UnfitDrawing):
        checked_svg(svg, "t")


def test_a_drawing_is_written_anew() -> None:
    """Texts and the title are escaped; what reorders text is made visible."""
    text = '<text x="1" fill="#a0b1c2">1 &lt; 2 \u202e</text><path d="M0 0L1,-1e3z"/>'
    made = checked_svg(SHAPE.format(text), 'a "title" <b>')
    assert made.startswith(
        '<svg viewBox="0 0 9 9" role="img" aria-label="a &quot;title&quot; &lt;b&gt;">'
    )
    assert "1 &lt; 2 " in made and "\u202e" not in made
    assert '<path d="M0 0L1,-1e3z"></path></svg>' in made


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("1 + 2 * 3", 7.0),
        ("-w ** 2", -4.0),
        ("sum(w * a) / sum(a)", 2.0),
        ("mean(abs(a - b))", 3.0),
        ("max(a) - min(a) + count(a)", 5.0),
        ("sqrt(w + 7)", 3.0),
        ("w / (w - 2)", None),
        ("log(w - 2)", None),
        ("exp(1000)", None),
        ("1e300 ** 2", None),
        ("(0 - 8) ** 0.5", None),
    ],
)
def test_a_formula_is_computed_step_by_step(formula: str, value: float | None) -> None:
    """Columns row by row; no number where a step has none."""
    columns = {"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]}
    assert computed(read_formula(formula, ["w"], columns), {"w": 2.0}, columns) == value


@pytest.mark.parametrize(
    "formula",
    [
        "",
        "w +",
        "__import__('os')",
        "w.real",
        "a[0]",
        "[x for x in a]",
        "lambda: 1",
        "w if w else 1",
        "'a'",
        "True",
        "1j",
        "sum(w)",
        "sum(a, b)",
        "neg(w)",
        "open(w)",
        "w = 1",
        "w // 2",
        "1" + "0" * 400,
        "(" * 240 + "1" + ")" * 240,
        "1 + " * 400 + "1",
        "a",
    ],
)
def test_what_no_formula_may_hold_is_refused(formula: str) -> None:
    """Nothing is looked up, called or run but what is listed."""
    with pytest.raises(UnfitFormula):
        read_formula(formula, ["w"], ["a", "b"])


def test_steps_are_plain_values() -> None:
    """A page's script reads them as JSON."""
    steps = json.loads(json.dumps(read_formula("w * sum(a)", ["w"], ["a"])))
    assert steps == [["name", "w", 0], ["name", "a", 0], ["do", "sum", 1], ["do", "*", 2]]
