"""Published pages of Creative Writing v3, replayed: their texts and verdicts, our rule."""

import os
from pathlib import Path

import pytest

from benchmarks.writing_pages import replayed, table

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


def test_a_strict_reader_reads_as_many_verdicts(tmp_path: Path) -> None:
    """A clock that an analysis mentions, 10:49, is no grade: that piece is worth less."""
    page = replayed(ODDEST, PACK, tmp_path, "strict")
    assert page.read == 96
    assert 22 < page.piece < 23 and 0.1 < page.run < 0.3


def test_the_table_has_a_row_for_each_page(tmp_path: Path) -> None:
    """With a heading, where there are none."""
    assert len(list(table(PACK, tmp_path, "strict"))) == 2
