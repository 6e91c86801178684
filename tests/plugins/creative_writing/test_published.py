"""Published pages of Creative Writing v3 and Longform Writing, their verdicts read strictly."""

import os
from pathlib import Path

import pytest

from benchmarks.writing_pages import pieces_of, stories_of, table

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
OTHER = os.environ.get("EIBENCH_OTHER_DATA")
pytestmark = pytest.mark.skipif(
    not (OFFICIAL and OTHER), reason="the variables do not say where the published data is"
)
V3, LONGFORM = "creative-writing-v3", "longform-writing"


def test_a_strict_reader_reads_as_many_verdicts() -> None:
    """A clock that an analysis mentions, 10:49, is no grade: that piece is worth less."""
    path = Path(OTHER or "", V3, "results", "gpt-4o-mini.json.gz")
    page = pieces_of(path, Path(OFFICIAL or "", V3))
    assert page.read == 96
    assert 22 < page.first < 23 and 0.1 < page.run < 0.3


def test_the_published_code_weighs_stories_otherwise_than_the_pages() -> None:
    """Read strictly and with its weights they are other numbers."""
    path = Path(OTHER or "", LONGFORM, "results", "claude-opus-4.html.gz")
    page = stories_of(path, Path(OFFICIAL or "", LONGFORM))
    assert page.read == 12 and 4 < page.first < 5 and 8 < page.second < 9


def test_the_table_has_a_row_for_each_page(tmp_path: Path) -> None:
    """With a heading, where there are none."""
    for pack, column in ((V3, "verdicts read"), (LONGFORM, "stories read")):
        heading, _ = table(Path(OFFICIAL or "", pack), tmp_path, "strict")
        assert column in heading
