"""Comparisons as a file holds them: each with the weight that its pack gives the item."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..errors import BenchError
from ..guard import guard
from ..parties.graders import Judge
from ..runs.stored_run import StoredRun
from .comparison_pool import as_comparisons

if TYPE_CHECKING:
    from ..ratings.comparisons import Comparison


class Weighed(NamedTuple):
    """Comparisons that were read.

    Attributes:
        rows: Each with its weight.
        warnings: Of which runs no weights are known, and why.
    """

    rows: "list[Comparison]"
    warnings: list[str]


def weighed_comparisons(runs: Iterable[StoredRun]) -> Weighed:
    """The comparisons that runs have asked for.

    Where the benchmark or the data of a run is not there, all its comparisons weigh 1.
    """
    found = Weighed([], [])
    for run in runs:
        rows = list(run.comparisons())
        given = as_comparisons(rows)
        weights: Mapping[str, float] = {}
        try:
            weights = _item_weights(run, rows[0].judge) if given else {}
        except BenchError as error:
            message = f"run {run.id}: all comparisons weigh 1, as the pack's weights are not known"
            found.warnings.append(f"{message}: {error}")
        found.rows.extend(row._replace(weight=weights.get(row.item, 1.0)) for row in given)
    return found


def _item_weights(run: StoredRun, judge: Judge) -> Mapping[str, float]:
    config = run.config(judge=judge)
    return guard(config.benchmark).item_weights(run.pack_of(config), config.options)
