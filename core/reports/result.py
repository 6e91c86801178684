"""A result as Python code sees it: the result document, with what is asked for most by name."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import BenchError, BudgetReached, Interrupted, Waiting
from ..spending.prices import dollars
from ..text import as_text, plural
from ..types import Metric
from ..types.result_document import MetricRow, ResultDocument


class Counts(NamedTuple):
    """How many samples ended how; total = scored + unscored + failed + pending."""

    total: int
    scored: int
    unscored: int
    failed: int
    truncated: int | None
    """A reply was cut off by the token limit; these are among the others.

    ``None`` where that is not known, as the run was imported from another program.
    """
    pending: int
    """Not done yet, as the run ended early."""
    absent: int = 0
    """Left out of the answers that were given; these are among the unscored."""


def as_result(document: ResultDocument, path: Path | None = None) -> "Result":
    """The result of a document, which comes out as plain as it would from its file."""
    return Result(json.loads(as_text(document)), path)


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """What came out of a run, or of answers that were given.

    Attributes:
        document: Everything that is known, as plain values; docs/results.md has each field.
        path: The file that holds the document; ``None`` for answers that were given.
    """

    document: ResultDocument
    path: Path | None = None

    @property
    def status(self) -> str:
        """``complete``, ``fail``, ``incomplete``, ``budget`` or ``interrupted``."""
        return self.document["status"]

    @property
    def complete(self) -> bool:
        """Whether every sample has an answer and the benchmark's validity rule is met."""
        return self.status == "complete"

    @property
    def demo(self) -> bool:
        """Whether a demo model answered: then this is no result of a real model."""
        return self.document["demo"]

    @property
    def run_id(self) -> str | None:
        """What `bench show` takes; ``None`` for answers that were given."""
        return self.document["run_id"]

    @property
    def value(self) -> float | None:
        """The main metric's value; ``None`` when it does not exist."""
        return next((metric.value for metric in self.metrics.values()), None)

    @property
    def metrics(self) -> dict[str, Metric]:
        """All metrics by name, the main one first."""
        labels = self.document["metric_labels"]
        return {name: _metric(row, *labels[name]) for name, row in self.document["metrics"].items()}

    @property
    def items(self) -> Counts:
        """How many samples were scored, and how many were not."""
        return Counts(**self.document["items"])

    @property
    def cost_usd(self) -> float | None:
        """Dollars that its calls cost; ``None`` when the price of one is not known."""
        return self.document["cost_usd"]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the result should know, one line each."""
        return tuple(self.document["warnings"])

    @property
    def scores(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """For answers that were given: by item id, a row of numbers per iteration."""
        return self.document.get("scores", {})

    def raise_for_status(self) -> "Result":
        """The result itself, if it is complete.

        Raises:
            BudgetReached: The spending limit ended the run.
            Interrupted: The run was stopped.
            BenchError: Samples have no usable answer, or the validity rule is not met.
        """
        if self.complete:
            return self
        raise _ERRORS.get(self.status, BenchError)(f"{self._head}: {self._shortcoming()}")

    def _shortcoming(self) -> str:
        if self.status == "fail":
            return str(self.document["invalid"])
        counts = self.items
        message = f"{counts.failed} failed, {counts.pending} not done, {counts.unscored} unscored"
        failed = self.document["failed"]
        message += f" ({counts.absent} absent)" if counts.absent else ""
        message += f" of {plural(counts.total, 'sample')}"
        return f"{message}; first: {failed[0]['reason']}" if failed else message

    @property
    def _head(self) -> str:
        mark = ", DEMO" if self.demo else ""
        return f"{self.document['benchmark']}, {self.document['name']}{mark}, {self.status}"

    def __repr__(self) -> str:
        counts = self.items
        parts = [f"{self._head}: {self._main()}", f"{counts.scored}/{counts.total} scored"]
        parts += [f"{counts.failed} failed"] if counts.failed else []
        if self.run_id is not None:
            parts += ["cost unknown" if self.cost_usd is None else dollars(self.cost_usd)]
        return f"<Result {', '.join(parts)}>"

    def _main(self) -> str:
        for name, metric in self.metrics.items():
            if metric.value is None:
                return f"no {name}"
            interval = metric.ci95 and f" [{metric.ci95[0]:.4g}, {metric.ci95[1]:.4g}]"
            return f"{name} {metric.value:.4g}{interval or ''}"
        return "no metric"


_ERRORS: Mapping[str, type[BenchError]] = {
    "budget": BudgetReached,
    "interrupted": Interrupted,
    "waiting": Waiting,
}


def _metric(row: MetricRow, label: str, over: str) -> Metric:
    interval = row["ci95"]
    ci95 = None if interval is None else (interval[0], interval[1])
    ends = row.get("ci95_chosen")
    return Metric(
        row["value"],
        ci95,
        row["n"],
        row["higher_is_better"],
        over,
        label,
        chosen=row.get("chosen", ""),
        ci95_chosen=None if ends is None else (ends[0], ends[1]),
    )
