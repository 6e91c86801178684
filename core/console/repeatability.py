"""Reruns as tables: the spread of each model, and what changes between two metrics."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from ..text import line, number, plural
from ..types import JsonObject
from .correlations import quiet, ruled
from .tables import titled

if TYPE_CHECKING:
    from ..analysis.repeatability import (
        MetricChange,
        ModelChange,
        ModelSpread,
        OverallSpread,
        Repeatability,
    )


def repeatability(document: "Repeatability") -> RenderableType:
    """Everything `bench repeat` prints."""
    title = titled(f"Reruns, from {document.source}", demo=document.demo)
    parts: list[RenderableType] = [title, _spreads(document.models)]
    parts += [quiet("SD with n - 1; CV = SD / mean, for scores that cannot be below zero.")]
    parts += [quiet(f"judge: {document.judge}")] if document.judge else []
    parts += [Text(line(_overall(*entry))) for entry in document.overall.items()]
    parts += _left_out(document.models)
    parts += [quiet(f"left out: {message}") for message in document.left_out]
    return Group(*parts, *(_change(document.change) if document.change else []))


def _spreads(models: Sequence["ModelSpread"]) -> RenderableType:
    made = ruled("model", "metric", "reruns", "mean", "SD", "CV %", "min", "max", "range")
    made.columns[1].right = False
    for model in models:
        for metric, found in model.metrics.items():
            names = [_name(model), line(metric)]
            cells = [number(found.mean), number(found.sd_sample), percent(found.cv_sample)]
            cells += map(number, (found.low, found.high, found.range))
            made.add_row(*names, str(found.n), *cells)
    return made


def _name(row: "ModelSpread | ModelChange") -> str:
    return line(row.model + (" DEMO" if row.demo else ""))


def percent(share: float | None) -> str:
    """A share as a percentage, without the sign."""
    return number(None if share is None else 100 * share)


def _overall(metric: str, found: "OverallSpread") -> str:
    mean, middle = percent(found.mean_cv_sample), percent(found.median_cv_sample)
    over = plural(found.models, "model")
    return f"{metric}: over {over} the mean CV is {mean} %, the median {middle} %"


def _left_out(models: Sequence["ModelSpread"]) -> list[Text]:
    return [
        quiet(f"left out: {model.model}, {_source(rerun)}: {rerun['left_out']}")
        for model in models
        for rerun in model.reruns
        if rerun["left_out"]
    ]


def _source(rerun: JsonObject) -> str:
    if "line" in rerun:
        return f"line {rerun['line']}"
    return f"run {rerun['run_id']}, iteration {rerun['iteration']}"


def _change(change: "MetricChange") -> list[RenderableType]:
    before, after = line(change.before), line(change.after)
    made = ruled("model", "reruns", before, after, "change", "change %")
    for row in change.models:
        cells = map(number, (row.before, row.after, row.difference))
        made.add_row(_name(row), str(row.n), *cells, percent(row.relative))
    shares = {
        "mean over models": change.mean_over_models,
        "mean over reruns": change.mean_over_reruns,
        "of the means of all reruns": change.of_means,
    }
    averages = ", ".join(f"{name} {percent(share)} %" for name, share in shares.items())
    title = Text(f"From {before} to {after}", style="bold")
    return [Text(""), title, made, Text(line(f"average change: {averages}"))]
