"""Published numbers of EmotionQueen, computed again from a table that is given."""

from collections.abc import Iterator
from typing import Any

from eibench import PublishedData, PublishedNumber, PublishedRow, PublishedSource, Score, read_rows

from .scoring import PASS, WIN, mean_of_both

_PAPER = PublishedSource("Chen et al. (2024), arXiv:2409.13359, table 5", "figures")
_FILE = "published_rates.csv"
_COLUMNS = ("model", PASS, WIN, "mean")


def _means(data: PublishedData) -> Iterator[PublishedNumber]:
    fields = {"model": str, **dict.fromkeys(_COLUMNS[1:], float)}
    for path in data.files:
        rows: list[dict[str, Any]] = read_rows(path, fields)
        for row in rows:
            ours = mean_of_both(Score({PASS: row[PASS], WIN: row[WIN]}))
            yield PublishedNumber(row["model"], row["mean"], ours)


def rows() -> list[PublishedRow]:
    """The mean that ranks, of each model."""
    return [
        PublishedRow("the mean of PASS and WIN that ranks models", _PAPER, 0.01, _means, (_FILE,),
                     "emotionqueen", rounding="all three printed to .01",
                     lacks="the rates: statements and replies are not public"),
    ]  # fmt: skip
