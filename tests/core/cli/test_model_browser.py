"""The page of a model in a real Chromium: its boards, another model beside it, its checkpoints."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.core.html.slugs import model_path
from tests.conftest import run_here

from ..html.browsing import Visit, axe, chromium, needs_chromium, violations

pytestmark = needs_chromium
HOSTILE = '<img src=x onerror=alert(1)>"\u202e'
STEPS = {"ft@200": "demo/medium", "ft@100": "demo/weak", HOSTILE: "demo/strong"}


@pytest.fixture(scope="module")
def site(demo_stages: list[tuple[Path, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three demo models on a board of ratings; two checkpoints and a hostile name on one of scores.

    One of the three is on both.
    """
    folder = tmp_path_factory.mktemp("models")
    runs = Path(shutil.copytree(demo_stages[-1][0], folder / "runs"))
    names = [("--name", name, "--model", model) for name, model in STEPS.items()]
    for words in [*names, ("--model", "demo/weak")]:
        done = run_here("run", "seceu", "--dataset", "bundled", "--runs-dir", runs, *words)
        assert done.code == 0, done.err
    done = run_here("site", "-o", folder / "site", "--texts", "all", "--runs-dir", runs)
    assert done.code == 0, done.err
    return folder / "site"


@pytest.fixture(scope="module")
def browser(site: Path) -> Iterator[Any]:
    """One Chromium for all tests of this file."""
    with chromium() as started:
        yield started


@pytest.fixture
def visit(browser: Any, site: Path) -> Iterator[Callable[..., Visit]]:
    """Opens the page of a model once its script is done; it must have nothing to complain of."""
    visits = []

    def go(name: str, **context: Any) -> Visit:
        made = Visit(browser, site, **context).go(model_path(name))
        visits.append(made)
        made.tab.wait_for_selector("#beside[data-ready]")
        return made

    yield go
    for made in visits:
        made.end()


def data(site: Path, name: str) -> Any:
    """What a data script hands over."""
    text = (site / f"{name}.js").read_text(encoding="utf-8")
    return json.loads(text.partition(",")[2].rpartition(")")[0])


def board(site: Path, benchmark: str) -> tuple[str, Any]:
    """The key and the document of a benchmark's board."""
    (path,) = site.glob(f"boards/{benchmark}*[0-9a-f].json")
    return path.stem, json.loads(path.read_text(encoding="utf-8"))


def chosen(visit: Visit) -> str:
    """Who stands beside the model."""
    return str(visit.tab.locator("#beside select option:checked").inner_text())


def choose(visit: Visit, name: str) -> None:
    """Set another one beside it."""
    before = visit.tab.locator("#beside").get_attribute("data-ready")
    visit.tab.locator("#beside select").select_option(value=model_path(name))
    visit.tab.wait_for_selector(f"#beside[data-ready]:not([data-ready='{before}'])")


@pytest.mark.parametrize(
    ("name", "other"),
    [("ft@200", "ft@100"), ("ft@100", "ft@200"), ("demo/medium", "demo/strong"),
     ("demo/strong", "demo/medium")],
)  # fmt: skip
def test_a_model_stands_beside_its_checkpoint_before_or_the_next_above(
    visit: Callable[..., Visit], name: str, other: str
) -> None:
    """The first has none before it, and the first of a board none above: then the next."""
    assert chosen(visit(name)) == other


def test_another_model_brings_its_numbers_and_the_differences_of_pairs(
    visit: Callable[..., Visit], site: Path
) -> None:
    """On each board that both stand on, with the interval that the data has."""
    key, document = board(site, "seceu")
    page = visit("demo/weak")
    choose(page, "ft@200")
    rows = {row["model"]: row for row in document["rows"]}
    (line,) = page.tab.locator("#beside tbody tr").all()
    cells = [cell.split("\n")[0] for cell in line.locator("td").all_inner_texts()]
    pairs = data(site, f"boards/{key}-pairs")
    own, other = (pairs["models"].index(rows[name]["id"]) for name in ("demo/weak", "ft@200"))
    assert (own, other) == (3, 1) or own > other
    low, high = sorted((own, other))
    n = len(pairs["models"])
    value, *ends = pairs["rows"][low * (2 * n - low - 1) // 2 + high - low - 1]
    shown = [f"{rows[name]['score']:.2f}" for name in ("demo/weak", "ft@200")]
    assert [cell.split(" ")[0] for cell in cells[:2]] == shown
    assert cells[2] == f"{-value:+.2f}".replace("-", "−")
    assert cells[3] == f"[{-ends[1]:+.2f}, {-ends[0]:+.2f}]".replace("-", "−")
    choose(page, "demo/strong")
    assert page.texts("#beside tbody th a") == ["eqbench3"]


def test_criteria_are_set_beside_those_of_the_other(
    visit: Callable[..., Visit], site: Path
) -> None:
    """Both numbers, with their intervals drawn."""
    key, document = board(site, "eqbench3")
    page = visit("demo/medium")
    rows = {row["model"]: row for row in document["rows"]}
    of = [data(site, f"runs/{key}/{rows[n]['id']}") for n in ("demo/medium", "demo/strong")]
    lines = page.tab.locator("table.pair").first.locator("tbody tr").all()
    labels = {c["label"]: c["name"] for c in document["criteria"]}
    assert len(lines) > 5
    for line in lines:
        name = labels[line.locator("th").inner_text()]
        cells = line.locator("td.num").all_inner_texts()
        assert cells[:2] == [f"{run['criteria'][name][0]:.2f}" for run in of]
        ends = sum(len(run["criteria"][name]) == 3 for run in of)
        assert line.locator("line.whisker").count() == 3 * ends
    assert [text.strip() for text in page.texts(".keys li")] == ["demo/medium", "demo/strong"]


def test_items_that_differ_most_lead_to_the_answer_there(
    visit: Callable[..., Visit], site: Path
) -> None:
    """Against the model beside; where less is better, a gain is what is less."""
    _, document = board(site, "seceu")
    assert document["metric"]["higher_is_better"] is False
    for name, title, sign in (("ft@200", "Gains most", "−"), ("ft@100", "Loses most", "+")):
        page = visit(name)
        column = page.tab.locator("[data-gains] .named > div").filter(has_text=title)
        gaps = [text.split()[-1] for text in column.locator("li > .num").all_inner_texts()]
        assert {gap[0] for gap in gaps} == {sign}
        sizes = [float(gap[1:]) for gap in gaps]
        assert sizes == sorted(sizes, reverse=True)
        graded = page.tab.locator("section[data-board]").get_attribute("data-graded")
        for link in column.locator("a").all():
            path, _, anchor = str(link.get_attribute("href")).removeprefix("file://").partition("#")
            assert Path(path).is_file()
            assert anchor == graded


def test_without_its_script_gains_are_against_the_mean_of_the_board(
    browser: Any, site: Path
) -> None:
    """By the items' values of all its models; the page says what needs JavaScript."""
    page = Visit(browser, site, java_script_enabled=False)
    page.tab.goto((site / model_path("ft@200")).as_uri())
    key, document = board(site, "seceu")
    values: dict[str, list[float]] = {}
    own = {}
    for row in document["rows"]:
        run = data(site, f"runs/{key}/{row['id']}")
        for item in run["items"]:
            got = item["samples"][0][run["value"]]
            if got is not None:
                values.setdefault(item["item"], []).append(got)
                if row["model"] == "ft@200":
                    own[item["item"]] = got
    gaps = {item: got - sum(values[item]) / len(values[item]) for item, got in own.items()}
    listed = page.texts("[data-gains] ol li")
    for text in listed:
        item, *_, gap = text.split()
        assert gap.replace("−", "-") == f"{gaps[item]:+.2f}"
    assert listed[0].split()[0] == min(gaps, key=lambda item: gaps[item])
    assert "JavaScript" in page.texts("#beside")[0]
    page.context.close()


def test_checkpoints_are_a_line_with_what_compare_says_of_the_last(
    visit: Callable[..., Visit], site: Path, tmp_path: Path
) -> None:
    """On the page of each; its points lead to the pages of the others."""
    rows = {row["model"]: row for row in board(site, "seceu")[1]["rows"]}
    ids = [rows[name]["id"] for name in ("ft@200", "ft@100")]
    runs = site.parent / "runs"
    said = run_here("compare", *ids, "--json", "--runs-dir", runs).json["statement"]
    for name in ("ft@100", "ft@200"):
        page = visit(name)
        assert page.texts("#checkpoints .lede") == [f"{said}."]
        links = page.tab.locator("#checkpoints svg a").all()
        assert [link.get_attribute("href") for link in links] == [
            model_path(one).partition("/")[2] for one in ("ft@100", "ft@200")
        ]
    page.tab.locator("#checkpoints svg a").first.click()
    page.tab.wait_for_url("**/ft-100*")
    assert visit("demo/weak").tab.locator("#checkpoints").count() == 0


def test_names_are_text_wherever_they_stand(visit: Callable[..., Visit]) -> None:
    """In the title, beside another model and as that other model: no element comes of them."""
    shown = HOSTILE.replace("\u202e", "\\x202e")
    for name, other in ((HOSTILE, "ft@100"), ("ft@200", HOSTILE)):
        page = visit(name)
        choose(page, other)
        assert page.tab.locator("img").count() == 0
        assert HOSTILE[:-1] in page.tab.locator("#beside thead").inner_text()
    assert shown in page.texts(".rows th a")[0]


def test_a_page_is_one_list_of_contents_and_fits_a_phone(visit: Callable[..., Visit]) -> None:
    """360 pixels; every entry leads to a part that is there."""
    for name in ("demo/weak", "ft@200", HOSTILE):
        page = visit(name, viewport={"width": 360, "height": 740})
        assert page.tab.evaluate("document.documentElement.scrollWidth") == 360, name
        links = [str(a.get_attribute("href")) for a in page.tab.locator(".toc a").all()]
        assert len(links) == len(set(links))
        assert all(page.tab.locator(f"[id='{link[1:]}']").count() == 1 for link in links)


def test_axe_finds_nothing(visit: Callable[..., Visit], tmp_path: Path) -> None:
    """With a history, several boards, and a model beside, in light and dark."""
    script = axe(tmp_path)
    for name in ("demo/weak", "ft@200"):
        page = visit(name)
        page.tab.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.tab.locator("section details:not(.sample):not([open])").count() == 0
        assert violations(page, script) == [], name


def test_what_all_runs_have_in_common_stands_once(site: Path) -> None:
    """Of a model on two boards; each board has what is its own, and the command."""
    text = (site / model_path("demo/weak")).read_text(encoding="utf-8")
    assert len(re.findall("<dt>Model</dt>", text)) == 1
    assert len(re.findall("<dt>Pack</dt>", text)) == 2
    assert text.count('class="command"') == 2
