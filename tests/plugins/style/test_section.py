"""The section about style of a run's report and of a model's page."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Bench = Callable[..., Any]
APART = "Phrases that set it apart"


@pytest.fixture
def runs(bench: Bench) -> None:
    """Two models that write, of which each repeats words of its own, and their short scores."""
    for model in ("demo/strong", "demo/weak"):
        writing = ("creative-writing-v3", "--no-elo", "--limit", 3, "--iterations", 3)
        assert bench("run", *writing, "--model", model).code == 0
        assert bench("run", "eqbench-v1", "--limit", 2, "--model", model).code == 0


def linked(page: str) -> set[str]:
    """The items of the last columns of the phrases, each with where its link leads."""
    table = page[page.index(f"<caption>{APART}") :].partition("</table>")[0]
    return set(re.findall(r'<td><a href="([^"]+)">[^<]+</a></td>', table))


@pytest.mark.usefixtures("runs")
def test_a_report_has_measures_and_phrases_with_links(bench: Bench, tmp_path: Path) -> None:
    """The numbers are those of `bench style`; each link leads to an item on the page."""
    chosen = ("--benchmark", "creative-writing-v3")
    done = bench("report", *chosen, "--model", "demo/weak", "-o", tmp_path / "r.html")
    assert (done.code, "warning" in done.err) == (0, False), done.err
    page = (tmp_path / "r.html").read_text("utf-8")
    both = {m["model"]: m for m in bench("style", *chosen, "--json").json["models"]}
    weak = both["demo/weak"]
    length, other = (both[m]["measures"]["sentence_length"]["value"] for m in sorted(both)[::-1])
    cells = f'<td>words per sentence</td><td class="num">{length:.3f}</td>'
    assert cells in page and f'<td class="num">{other:.3f}</td></tr>' in page
    assert f"Counted in 9 texts of {weak['words']:,} words" in page
    assert f"<tr><td>{weak['phrases'][0]['phrase']}</td>" in page
    assert linked(page) and all(f'id="{link[1:]}"' in page for link in linked(page))


@pytest.mark.usefixtures("runs")
def test_a_model_s_page_has_it_where_texts_are_published(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links lead to pages of items; nothing of short replies, without texts, or of a large site."""
    site = tmp_path / "site"
    assert bench("site", "-o", site).code == 0
    (page,) = (p.read_text("utf-8") for p in site.glob("models/demo-weak*.html"))
    assert page.count("<caption>Style</caption>") == 1
    for link in linked(page):
        file, _, anchor = link.partition("#")
        assert anchor and anchor in (site / "models" / file).read_text("utf-8")
    assert bench("site", "-o", tmp_path / "none", "--texts", "none").code == 0
    monkeypatch.setattr("eibench.core.html.build.MOST_READ", 21)  # and 22 samples are there
    assert bench("site", "-o", tmp_path / "large").code == 0
    for folder in ("none", "large"):
        pages = [p.read_text("utf-8") for p in (tmp_path / folder).glob("models/*.html")]
        assert len(pages) == 2 and not any("<caption>Style" in text for text in pages)


@pytest.mark.usefixtures("runs")
def test_a_run_is_set_beside_so_many_texts(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Models beyond are counted in the note; of one model alone there are no phrases."""
    monkeypatch.setattr("eibench.plugins.style.section.MOST_OTHERS", 8)
    chosen = ("--benchmark", "creative-writing-v3", "--model", "demo/weak")
    assert bench("report", *chosen, "-o", tmp_path / "r.html").code == 0
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "without a judge, without 1 more on the board" in page and APART not in page
