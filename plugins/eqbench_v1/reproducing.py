"""Published numbers of EQ-Bench v1, computed again."""

from collections.abc import Iterator
from typing import Any

import eibench
from eibench import Item, PublishedData, PublishedNumber, PublishedRow, PublishedSource
from eibench.emotion_ratings import rating_numbers, read_answers, stored_row
from eibench.statistics import pearson

_NAME, _OTHER = "eqbench-v1", "eqbench-v2"
_END = "[End dialogue]"
_PAPER = PublishedSource("Paech (2023), arXiv:2312.06281, tables 3 and 4", "figures")
_PRINTED = {"mmlu": 0.97, "arena_elo": 0.94, "hellaswag": 0.91, "mt_bench": 0.91, "arc": 0.85,
            "alpaca_eval": 0.91}  # fmt: skip
"""Pearson's r with EQ-Bench in sections 5.1 and 5.2."""
_SLIP = "table 3 gives .80: one model has its ARC score there too (docs/correlations.md)"


def _items(name: str, data: PublishedData) -> list[Item]:
    benchmark = eibench.benchmarks()[name]
    options = {option.name: option.default for option in benchmark.options} | {"revise": True}
    source = eibench.find_pack(benchmark, data.datasets[name], options)
    return list(benchmark.read_pack(source, options).items)


def _key(item: Item) -> tuple[str, tuple[str, ...]]:
    return item.content.prompt.partition(_END)[0], item.content.emotions


def _ratings(data: PublishedData) -> Iterator[PublishedNumber]:
    items = _items(_NAME, data)
    others = {_key(item): item.id for item in _items(_OTHER, data)}
    ids = {item.id: others[_key(item)] for item in items if _key(item) in others}
    for answers in map(read_answers, data.files):
        run = eibench.replayed(_NAME, answers.run(ids), data.datasets[_NAME])
        yield from rating_numbers(answers, items, ids, run.scores)


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
    return [
        stored_row(
            "each rating in answers to the 55 questions that v2 has too",
            _ratings,
            (_NAME, _OTHER),
            lacks="the scores of table 1: no answers of those runs are public",
        ),
        PublishedRow(
            "Pearson's r with other benchmarks, from the paper's tables",
            _PAPER,
            0.005,
            _correlations,
            rounding="printed to .01",
        ),
    ]
