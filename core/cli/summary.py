"""The end of several runs: a row for each, in the order in which they were run."""

from collections.abc import Sequence
from typing import NamedTuple

from ..errors import BenchError
from ..reports.columns import FitColumn, FitTable, plus_minus
from ..reports.ending import dollars
from ..reports.statements import against_baselines, too_few
from ..result_document import MetricRow, ResultDocument
from ..text import duration, interval, plural


class FailedRun(NamedTuple):
    """A run that an error ended; without one, it was not begun."""

    benchmark: str
    name: str
    error: BenchError | None


def summary(documents: Sequence[ResultDocument], failed: Sequence[FailedRun]) -> FitTable:
    """The table; what may be left out goes first on a narrow terminal."""
    found = [_main(document) for document in documents]
    none = ["–"] * len(failed)
    metrics = [metric for _, metric in found]
    arms = [plus_minus(m["value"], m["ci95"], 2) or interval(m["ci95"]) for m in metrics]
    columns = [
        FitColumn("benchmark", [*_texts(documents, "benchmark"), *(f.benchmark for f in failed)]),
        FitColumn("model", [*map(_named, documents), *(f.name for f in failed)]),
        FitColumn("metric", [*(name for name, _ in found), *none], 3),
        FitColumn("value", [*(m["value"] for m in metrics), *(None for _ in failed)]),
        FitColumn("95 % interval", [*(interval(m["ci95"]) for m in metrics), *none], 8,
                  [*arms, *none], 5),
        FitColumn("chance", [*map(_chance, documents), *none], 2),
        FitColumn("cost", [*(dollars(d["cost_usd"]) for d in documents), *none], 6),
        FitColumn("time", [*(duration(d["elapsed_s"]) for d in documents), *none], 4),
        FitColumn("status", [*_texts(documents, "status"), *map(_why, failed)], 9),
        FitColumn("run", [*(d["run_id"] or "–" for d in documents), *none], 7),
    ]  # fmt: skip
    return FitTable(plural(len(documents) + len(failed), "run"), columns)


def _why(run: FailedRun) -> str:
    return "error" if run.error else "not begun"


def _texts(documents: Sequence[ResultDocument], name: str) -> list[str]:
    return [str(document.get(name)) for document in documents]


def _named(document: ResultDocument) -> str:
    return document["name"] + " DEMO" * document["demo"]


def _main(document: ResultDocument) -> tuple[str, MetricRow]:
    none: MetricRow = {"value": None, "ci95": None, "n": 0, "higher_is_better": None}
    name, metric = next(iter(document["metrics"].items()), ("–", none))
    return name.replace("_", " "), metric


def _chance(document: ResultDocument) -> str:
    """Above or below chance, in a word or two."""
    if too_few(document) and document["baselines"]:
        return "too few"
    found = (one.verb for one in against_baselines(document) if one.name == "random")
    return next(found, "–").removesuffix(" than")
