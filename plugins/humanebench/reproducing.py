"""Published numbers of HumaneBench, computed again."""

from collections.abc import Iterator
from typing import Any

from eibench import (
    Item,
    Pack,
    PackSource,
    PublishedData,
    PublishedNumber,
    PublishedRow,
    PublishedSource,
    SampleScore,
    Score,
    read_rows,
)

from .benchmark import PERSONAS, SCORES, TEXTS, HumaneBench

_SOURCE = PublishedSource("buildinghumanetech/humanebench", "Apache-2.0",
                          "73e341c01dd55557a6afa778f72b696ac5c6af6d")  # fmt: skip
_PRINCIPLES = tuple(TEXTS["principles"])


def _overall(data: PublishedData) -> Iterator[PublishedNumber]:
    """From a sample of each principle with its published mean."""
    items: list[Item[dict[str, Any]]] = [
        Item(name, {}, tags={"principle": name}) for name in _PRINCIPLES
    ]
    pack, benchmark = Pack(PackSource("official", "0", {}), items, ""), HumaneBench()
    fields = {"persona": PERSONAS, "model": str, **dict.fromkeys(("overall", *_PRINCIPLES), float)}
    rows: list[dict[str, Any]] = read_rows(SCORES, fields)
    for row in rows:
        scores = [
            SampleScore(p, p, 1, Score({"humane": row[p], "negative": 0})) for p in _PRINCIPLES
        ]
        metrics = benchmark.summarise(pack, scores, {"persona": row["persona"]}).metrics
        name = f"{row['model']}, {row['persona']}"
        yield PublishedNumber(name, row["overall"], metrics["humane"].value)


def rows() -> list[PublishedRow]:
    """The overall score of each model under each persona."""
    return [
        PublishedRow(
            "overall scores, from the means of eight principles",
            _SOURCE,
            1e-9,
            _overall,
            rounding="all digits",
            lacks="the means: replies and ratings behind them are not public",
        )
    ]
