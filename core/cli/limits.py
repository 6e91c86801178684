"""`--fail-under`: results that are worse than a limit, for pipelines that stop on them."""

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import NamedTuple

from ..errors import UsageError
from ..reading.names import nearest
from ..text import number
from ..types.result_document import MetricRow, ResultDocument


class Limit(NamedTuple):
    """What a metric may not be worse than; ``None`` for the main metric."""

    metric: str | None
    value: float


def read_limit(text: str) -> Limit:
    """A limit from ``METRIC=N`` or ``N``.

    Raises:
        UsageError: It is neither.
    """
    name, _, value = text.rpartition("=")
    try:
        limit = float(value)
    except ValueError:
        limit = float("nan")
    if not isfinite(limit) or (not name and "=" in text):
        raise UsageError(f"--fail-under {text!r} is not METRIC=N, such as score=60, or N alone")
    return Limit(name or None, limit)


def shortfalls(document: ResultDocument, limits: Sequence[Limit]) -> Iterator[str]:
    """What a result is worse in than it may be, or has no number for: a line each."""
    for limit in limits:
        name = limit.metric or next(iter(document["metrics"]), None)
        metric = document["metrics"].get(name or "")
        if metric is None and limit.metric:
            continue  # `lacking` says so where no result has it
        who = f"{document['benchmark']} {document['name']}"
        if metric is None or metric["value"] is None:
            why = document["invalid"] or "nothing could be scored"
            yield f"{who}: {name or 'the main metric'} has no value: {why}"
        elif _is_worse(metric, limit.value):
            side = "above" if metric["higher_is_better"] is False else "under"
            yield f"{who}: {name} {number(metric['value'])} is {side} {limit.value:g}"


def _is_worse(metric: MetricRow, limit: float) -> bool:
    value = metric["value"] or 0.0
    return value > limit if metric["higher_is_better"] is False else value < limit


def lacking(documents: Sequence[ResultDocument], limits: Sequence[Limit]) -> list[str]:
    """The limits on metrics that no result has: a line each."""
    there = [*dict.fromkeys(name for document in documents for name in document["metrics"])]
    named = [limit.metric for limit in limits if limit.metric]
    return [
        f"no result has the metric {name}{nearest(name, there)}"
        for name in named
        if name not in there
    ]
