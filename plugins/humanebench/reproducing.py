"""Published numbers of HumaneBench, computed again."""

from collections.abc import Iterator, Sequence
from typing import Any

from eibench import (
    Benchmark,
    Item,
    Pack,
    PackSource,
    PublishedNumber,
    PublishedRow,
    PublishedSource,
    SampleScore,
    Score,
    folder,
    read_rows,
)

_SOURCE = PublishedSource("buildinghumanetech/humanebench", "Apache-2.0",
                          "73e341c01dd55557a6afa778f72b696ac5c6af6d")  # fmt: skip
Bench = Benchmark[Any, Any]


def _overall(benchmark: Bench, principles: Sequence[str]) -> Iterator[PublishedNumber]:
    """From a sample of each principle with its published mean."""
    items: list[Item[Any]] = [Item(name, {}, tags={"principle": name}) for name in principles]
    pack = Pack(PackSource("official", "0", {}), items, "")
    fields = {"persona": str, "model": str, **dict.fromkeys(("overall", *principles), float)}
    path = folder("humanebench") / "published_scores.csv"
    rows: list[dict[str, Any]] = read_rows(path, fields)
    for row in rows:
        scores = [
            SampleScore(p, p, 1, Score({"humane": row[p], "negative": 0})) for p in principles
        ]
        metrics = benchmark.summarise(pack, scores, {"persona": row["persona"]}).metrics
        name = f"{row['model']}, {row['persona']}"
        yield PublishedNumber(name, row["overall"], metrics["humane"].value)


def rows(benchmark: Bench, principles: Sequence[str]) -> list[PublishedRow]:
    """The overall score of each model under each persona."""
    return [
        PublishedRow("overall scores, from the means of eight principles", _SOURCE, 1e-9,
                     lambda data: _overall(benchmark, principles), rounding="all digits",
                     lacks="the means: replies and ratings behind them are not public"),
    ]  # fmt: skip
