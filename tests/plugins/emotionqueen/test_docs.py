"""The page of EmotionQueen says what is printed."""

import re
from pathlib import Path

import pytest

import eibench
from eibench.plugins.emotionqueen.scoring import tasks_table

PAGE = Path(__file__).parents[3] / "docs" / "emotionqueen.md"


def explained() -> set[str]:
    """The names in the first column of the tables under "The printed result"."""
    section = PAGE.read_text(encoding="utf-8").partition("## The printed result")[2]
    rows = re.findall(r"^\| ([^|]+) \|", section.partition("\n## ")[0], re.MULTILINE)
    return {name for row in rows for name in row.split(", ")}


@pytest.mark.usefixtures("empty_place")
def test_each_column_of_the_tasks_is_explained() -> None:
    """Of the table that a run prints, by the words that stand over it."""
    table = tasks_table(eibench.run("emotionqueen", limit=2).document)
    assert table is not None
    assert set(table.columns) <= explained()
