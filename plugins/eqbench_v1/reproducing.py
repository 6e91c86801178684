"""Published numbers of EQ-Bench v1, computed again."""

from collections.abc import Iterator
from typing import Any

import eibench
from eibench import PublishedData, PublishedNumber, PublishedRow, PublishedSource
from eibench.emotion_ratings import stored_row
from eibench.statistics import pearson

_PAPER = PublishedSource("Paech (2023), arXiv:2312.06281, tables 3 and 4", "figures")
_PRINTED = {"mmlu": 0.97, "arena_elo": 0.94, "hellaswag": 0.91, "mt_bench": 0.91, "arc": 0.85,
            "alpaca_eval": 0.91}  # fmt: skip
"""Pearson's r with EQ-Bench in sections 5.1 and 5.2."""
_SLIP = "table 3 gives .80: one model has its ARC score there too (docs/correlations.md)"


def _correlations(data: PublishedData) -> Iterator[PublishedNumber]:
    path = eibench.folder("eqbench_v1") / "published_other_benchmarks.csv"
    fields = dict.fromkeys(("eq_bench", *_PRINTED), float | None)
    rows: list[dict[str, Any]] = eibench.read_rows(path, {"model": str, **fields})
    for name, printed in _PRINTED.items():
        pairs = [(row["eq_bench"], row[name]) for row in rows]
        ours = pearson(*zip(*[pair for pair in pairs if None not in pair], strict=True)).value
        yield PublishedNumber(name, printed, ours, _SLIP if name == "alpaca_eval" else "")


def rows() -> list[PublishedRow]:
    """What was read in answers to the questions that v2 has too, and the paper's correlations."""
    compared = "each rating in answers to the 55 questions that v2 has too"
    lacks = "the scores of table 1: no answers of those runs are public"
    return [
        stored_row("eqbench-v1", compared, lacks=lacks),
        PublishedRow("Pearson's r with other benchmarks, from the paper's tables", _PAPER, 0.005,
                     _correlations, rounding="printed to .01"),
    ]  # fmt: skip
