"""What is masked: texts before anything is made of them, and never a link."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markupsafe import Markup

from eibench.core.cli.session import sections
from eibench.core.html import build_site, gather
from eibench.core.html.charts.rows import Mark
from eibench.core.html.masking import Masker
from eibench.core.html.policy import Policy
from eibench.core.html.rendering import page_of, rendered
from eibench.core.html.slugs import Address
from eibench.core.journal import Journal
from eibench.core.plugins import installed

KEY = "sk-abcdefgh12345678"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("kept in /models", "kept in [place]"),
        ("/models/run-1/bench.sqlite", "[place]/run-1/bench.sqlite"),
        ("file:///models/x", "file://[place]/x"),
        ("it is in /models.", "it is in [place]."),
        ("--runs-dir=/models", "--runs-dir=[place]"),
        ("../models/x.html", "../models/x.html"),
        ("our/models/x", "our/models/x"),
        ("/models-2/x and /models.old", "/models-2/x and /models.old"),
        ("gpu7 and gpu71, gpu7:8000", "[place] and gpu71, [place]:8000"),
        ("openai/x at gpu7", "openai/x"),
    ],
)
def test_places_are_whole_parts_of_paths_and_whole_words(text: str, wanted: str) -> None:
    """What only looks like the beginning of a folder or a host stays."""
    assert Masker(["/models", "gpu7"], {}).text(text) == wanted


def test_all_within_a_value_is_masked_but_addresses_and_markup() -> None:
    """Mappings, lists and named tuples keep their kinds, and fields their names."""
    masker = Masker(["models"], {})
    given = {"models": [Mark(1.0, None, "models"), ("models", 2)], "at": Address("models/x.html")}
    made = masker.value(given)
    assert made == {
        "models": [Mark(1.0, None, "[place]"), ("[place]", 2)],
        "at": "models/x.html",
    }
    assert masker.value(Markup("<b>models</b>")) == "<b>models</b>"


def test_a_text_is_masked_before_it_is_escaped() -> None:
    """An escape would hide it, or where its word begins."""
    masker = Masker(["/a&b"], {})
    page = page_of("judge.html", "judges/x.html", title=f"in /a&b:\n{KEY}", parts=[])
    text = rendered(page, masker.value).content.decode()
    assert "<h1>in [place]:\n[key]</h1>" in text
    assert KEY not in text


def test_links_lead_somewhere_whatever_the_folder_of_runs_is_called(
    invoke: Callable[..., Any], empty_place: Path
) -> None:
    """Also where it, or a host, has the name of a folder of the site."""
    models = [word for name in ("weak", "strong") for word in ("--model", f"demo/{name}")]
    run = ("run", "eqbench3", *models, "--judge", "demo/judge", "--limit", 3, "--runs-dir", "runs")
    assert invoke(*run).code == 0
    names = ("models", "items", "boards", "judges", "texts", "runs", "assets")
    masker = Masker([*names, *(f"/{name}" for name in names)], {})
    site = empty_place / "made"
    with Journal(empty_place / "runs/demo") as journal:
        gathered = gather(journal, installed(), sections)
        build_site(site, gathered, Policy("all", masker), "2026-01-01")
    pages = list(site.rglob("*.html"))
    assert len(pages) > 8
    for page in pages:
        for link in re.findall(r'(?:href|src)="([^"#]+)', page.read_text(encoding="utf-8")):
            assert (page.parent / link).is_file(), f"{page}: {link}"
