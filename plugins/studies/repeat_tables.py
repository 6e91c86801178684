"""Reruns as tables: the spread of each model, and what changes between two metrics."""

from collections.abc import Sequence

import eibench
from eibench import JsonObject, Table
from eibench.text import line, number, plural

from .repeatability import MetricChange, ModelChange, ModelSpread, OverallSpread, Repeatability


def show_repeatability(document: Repeatability) -> None:
    """Everything `bench repeat` prints."""
    notes = ["SD with n - 1; CV = SD / mean, for scores that cannot be below zero."]
    notes += [f"judge: {document.judge}"] if document.judge else []
    notes += [_overall(*entry) for entry in document.overall.items()]
    notes += [
        f"left out: {model.model}, {_source(rerun)}: {rerun['left_out']}"
        for model in document.models
        for rerun in model.reruns
        if rerun["left_out"]
    ]
    notes += [f"left out: {message}" for message in document.left_out]
    title = f"Reruns, from {document.source}" + "  DEMO" * document.demo
    spreads = _spreads(title, document.models, "\n".join(map(line, notes)))
    eibench.show(spreads, *([_change(document.change)] if document.change else []))


def _spreads(title: str, models: Sequence[ModelSpread], note: str) -> Table:
    columns = ("model", "metric", "reruns", "mean", "SD", "CV %", "min", "max", "range")
    rows = [
        (_name(model), metric, found.n, found.mean, found.sd_sample,
         _percent(found.cv_sample), found.low, found.high, found.range)
        for model in models
        for metric, found in model.metrics.items()
    ]  # fmt: skip
    return Table(title, columns, rows, note=note)


def _name(row: ModelSpread | ModelChange) -> str:
    return row.model + " DEMO" * row.demo


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _overall(metric: str, found: OverallSpread) -> str:
    mean, median = (number(_percent(cv)) for cv in (found.mean_cv_sample, found.median_cv_sample))
    over = plural(found.models, "model")
    return f"{metric}: over {over} the mean CV is {mean} %, the median {median} %"


def _source(rerun: JsonObject) -> str:
    if "line" in rerun:
        return f"line {rerun['line']}"
    return f"run {rerun['run_id']}, iteration {rerun['iteration']}"


def _change(change: MetricChange) -> Table:
    columns = ("model", "reruns", change.before, change.after, "change", "change %")
    rows = [
        (_name(row), row.n, row.before, row.after, row.difference, _percent(row.relative))
        for row in change.models
    ]
    shares = {
        "mean over models": change.mean_over_models,
        "mean over reruns": change.mean_over_reruns,
        "of the means of all reruns": change.of_means,
    }
    averages = ", ".join(f"{name} {number(_percent(share))} %" for name, share in shares.items())
    title = f"From {line(change.before)} to {line(change.after)}"
    return Table(title, columns, rows, note=f"average change: {averages}")
