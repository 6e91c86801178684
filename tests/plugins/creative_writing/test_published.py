"""Published pages of Creative Writing v3, replayed: their texts and verdicts, our rule."""

import os
from pathlib import Path

import pytest

from benchmarks.writing_pages import replayed, samples_of, table
from eibench import PackSource
from eibench.plugins.creative_writing.grading import PublishedRubric
from eibench.plugins.creative_writing.packs import read_items

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
OTHER = os.environ.get("EIBENCH_OTHER_DATA")
pytestmark = pytest.mark.skipif(
    not (OFFICIAL and OTHER), reason="the variables do not say where the published data is"
)
PACK = Path(OFFICIAL or "", "creative-writing-v3")
PAGES = Path(OTHER or "", "creative-writing-v3", "results")
ODDEST = PAGES / "gpt-4o-mini.json.gz"


def test_a_published_page_follows_from_its_texts(tmp_path: Path) -> None:
    """Every verdict is read; pieces, iterations and the run are as the page prints them.

    It rounds the mean from 0 to 20 to two decimals, and five times that to one: at most .075 off.
    """
    page = replayed(ODDEST, PACK, tmp_path)
    assert page.read == 96
    assert page.piece < 0.075 and page.pooled < 0.075 and page.run < 0.05


def test_all_published_pieces_follow_from_their_verdicts() -> None:
    """Of each page, to how it rounds."""
    protocol = read_items(PackSource("official", "", {p.name: p for p in PACK.iterdir()}))[0]
    strict = protocol.content.protocol.rubric
    rubric = PublishedRubric(strict.criteria, 20, lower_is_better=strict.lower_is_better)
    samples = [one for page in PAGES.iterdir() for one in samples_of(page, PACK).values()]
    off = [abs(rubric.total(rubric.grades_in(one["judge"])) - one["score"]) for one in samples]
    assert len(off) == 960 and max(off) < 0.075


def test_a_strict_reader_reads_as_many_verdicts(tmp_path: Path) -> None:
    """A clock that an analysis mentions, 10:49, is no grade: that piece is worth less."""
    page = replayed(ODDEST, PACK, tmp_path, "strict")
    assert page.read == 96
    assert 22 < page.piece < 23 and 0.1 < page.run < 0.3


def test_the_table_has_a_row_for_each_page(tmp_path: Path) -> None:
    """With a heading, where there are none."""
    assert len(list(table(PACK, tmp_path, "strict"))) == 2
