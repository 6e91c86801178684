"""Published numbers of SECEU, computed again."""

from collections.abc import Iterator

from eibench import PublishedData, PublishedNumber, PublishedRow, PublishedSource, read_json

from .norms import Norm
from .official import FACTS
from .published import published_scores

_PAPER = PublishedSource("Wang et al. (2023), table 1", "figures")


def _eq(data: PublishedData) -> Iterator[PublishedNumber]:
    facts = read_json(FACTS)
    norm = Norm("", facts["mean"], facts["sd"], ())
    for row in published_scores():
        yield PublishedNumber(row["model"], row["eq"], norm.eq(row["seceu_score"]))


def rows() -> list[PublishedRow]:
    """The EQ of each model."""
    return [
        PublishedRow("a model's EQ, from its distance and the norm", _PAPER, 0.6, _eq,
                     rounding="printed to 1, the distance to .01, which is .09 of an EQ",
                     lacks="distances, patterns and percentiles: no answers are public"),
    ]  # fmt: skip
