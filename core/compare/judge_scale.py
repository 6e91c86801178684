"""A board's scores on the scale of a judge that is gone, by texts whose published scores it knows.

`bench exam JUDGE --against FILE` has texts with published verdicts graded, and keeps what was
published of each writer under the id of the run that holds the writer's texts. A board that has
these runs fits the line by its own scores, so that it cannot differ from them.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

from ..errors import DataError
from ..journal import RunRecord
from ..journal.archives import write_lines
from ..reading.formats import read_json
from ..text import line, number
from ..types import digest
from ..types.result_document import MetricRow

FOLDER = "scales"
"""In a runs folder: a file for each judge that is gone, by benchmark and runs."""


class ModelOnScale(TypedDict):
    """What a model's score is on the scale, with its 95 % interval."""

    value: float
    ci95: tuple[float, float]


class ScalePart(TypedDict):
    """A scale of a board: whose it is, a line of text, and the models that are no writers of it."""

    judge: str
    line: str
    models: Mapping[str, ModelOnScale]


def keep_scale(runs_dir: Path, benchmark: str, judge: str, published: Mapping[str, float]) -> None:
    """Keep published scores for the boards of a runs folder.

    Args:
        runs_dir: The runs folder.
        benchmark: Whose pack the texts answer.
        judge: The judge that published.
        published: By the id of the run that holds a writer's texts, the mean of their verdicts.

    Raises:
        DataError: The file cannot be written.
    """
    folder = runs_dir / FOLDER
    folder.mkdir(exist_ok=True)
    document = {"benchmark": benchmark, "judge": judge, "published": dict(published)}
    name = f"{benchmark}-{digest(document)[:12]}.json"
    write_lines(folder / name, [json.dumps(document, ensure_ascii=False).encode() + b"\n"])


def judge_scales(
    runs_dir: Path,
    benchmark: str,
    runs: Mapping[str, RunRecord],
    metrics: Mapping[str, MetricRow],
) -> list[ScalePart]:
    """The scales that a board's models can be read on.

    Args:
        runs_dir: The runs folder.
        benchmark: The board's.
        runs: Of the board, by model.
        metrics: The metric that ranks, by model.

    Raises:
        DataError: A file of the folder is broken.
    """
    models = {run.run_id: name for name, run in runs.items()}
    scores = {name: row["value"] for name, row in metrics.items() if row["value"] is not None}
    parts = []
    for path in sorted((runs_dir / FOLDER).glob(f"{benchmark}-*.json")):
        of, judge, published = _read(path)
        known = {models[run]: y for run, y in published.items() if run in models}
        if of == benchmark and any(name in scores for name in known):
            parts.append(_part(judge, scores, known))
    return [part for part in parts if part["line"]]


def _read(path: Path) -> tuple[str, str, Mapping[str, float]]:
    """The benchmark, the judge, and what was published by run."""
    match read_json(path):
        case {"benchmark": str(benchmark), "judge": str(judge), "published": dict(published)} if (
            all(isinstance(y, int | float) for y in published.values())
        ):
            return benchmark, judge, published
    raise DataError(path, "is no scale of a judge; bench exam --against writes it anew")


def _part(judge: str, scores: Mapping[str, float], published: Mapping[str, float]) -> ScalePart:
    from ..statistics.judge_scale import fit_scale  # brings numpy

    try:
        scale = fit_scale(scores, published)
    except ValueError as error:
        return {"judge": judge, "line": line(f"no scale of {judge}: {error}"), "models": {}}
    models: dict[str, ModelOnScale] = {}
    for name, score in scores.items():
        if name not in published:
            value, low, high = scale.published(score)
            models[name] = {"value": value, "ci95": (low, high)}
    words = [
        f"{name} about {number(on['value'])} (95 %: {number(on['ci95'][0])} to "
        f"{number(on['ci95'][1])})"
        for name, on in models.items()
    ]
    text = f"on the scale of {judge}, by {len(scale.writers)} writers: {', '.join(words)}"
    return {"judge": judge, "line": line(text if models else ""), "models": models}
