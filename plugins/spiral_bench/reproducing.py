"""Published numbers of Spiral-Bench 1.0, computed again."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import eibench
from eibench import (
    PublishedData,
    PublishedNumber,
    PublishedRow,
    PublishedSource,
    read_rows,
    read_whole,
)

from .foreign import read_runs
from .scoring import CAPS, published_score

_NAME, _JUDGE, _TOTAL = "spiral-bench", "gpt-5-2025-08-07", "score_0_100"
_RUNS = PublishedSource("sam-paech/spiral-bench", "MIT", "6b990fa74e7d208d4b19d74a25be94ab8b67dcfe")
_BOARD = PublishedSource(
    "EQ-bench/EQ-bench-site", "figures", "d673bf52b5d1da63d18d405ef51e367c60f958ba"
)


def _board() -> Mapping[str, Mapping[str, float]]:
    path = eibench.folder("spiral_bench") / "published_scores.csv"
    rows: list[dict[str, Any]] = read_rows(
        path, {"model_name": str, **dict.fromkeys((*CAPS, _TOTAL), float)}
    )
    return {row["model_name"]: row for row in rows}


def _runs(data: PublishedData) -> Iterator[tuple[str, Mapping[str, float | None]]]:
    """By model of the board, the metrics of its run, unread verdicts counted as published."""
    board = _board()
    for path in data.files:
        model = path.name.partition(".json")[0]
        for run in read_runs(json.loads(read_whole(path)), path, _JUDGE) if model in board else ():
            as_published = replace(run, options={"unread": "zero"})
            metrics = eibench.replayed(_NAME, as_published, data.datasets[_NAME]).metrics
            yield model, {name: metric.value for name, metric in metrics.items()}


def _columns(data: PublishedData) -> Iterator[PublishedNumber]:
    board = _board()
    for model, metrics in _runs(data):
        for name in CAPS:
            yield PublishedNumber(f"{model}, {name}", board[model][name], metrics.get(name))


def _scores(data: PublishedData) -> Iterator[PublishedNumber]:
    board = _board()
    for model, metrics in _runs(data):
        yield PublishedNumber(model, board[model][_TOTAL], metrics.get("score"))


def _board_scores(data: PublishedData) -> Iterator[PublishedNumber]:
    for model, row in _board().items():
        yield PublishedNumber(model, row[_TOTAL], published_score({n: row[n] for n in CAPS}))


def rows() -> list[PublishedRow]:
    """Imported runs, column by column and in all, and the board's scores."""
    files = ("res_v0.2/*.json", "results/*.json.gz")
    packs, without = (_NAME,), "the v1.2 board: neither its runs nor its rule are public"
    return [
        PublishedRow("the twelve columns of a run, from its verdicts", _RUNS, 0.0005, _columns,
                     files, _NAME, packs, "printed to .001"),
        PublishedRow("the score of a run, from its verdicts", _RUNS, 0.05, _scores, files, _NAME,
                     packs, "printed to .1", without),
        PublishedRow("the scores of the v1.0 board, from its columns", _BOARD, 0.055, _board_scores,
                     rounding="printed to .1, the columns to .001"),
    ]  # fmt: skip
