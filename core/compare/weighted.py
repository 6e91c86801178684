"""Comparisons as a file holds them: each with the weight that its pack gives the item."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import BenchError
from ..guard import guard
from ..journal import Journal, RunRecord
from ..plugins import Catalogue
from ..runs.stored_config import config_of, pack_of
from ..settings.run_config import judge_endpoint
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


def weighed_comparisons(
    journal: Journal, catalogue: Catalogue, runs: Sequence[RunRecord]
) -> Weighed:
    """The comparisons that runs have asked for.

    Where the benchmark or the data of a run is not there, all its comparisons weigh 1.
    """
    found = Weighed([], [])
    for run in runs:
        given = as_comparisons(journal.comparisons(run=run))
        weights: Mapping[str, float] = {}
        try:
            weights = _item_weights(journal, catalogue, run, given[0].judge) if given else {}
        except BenchError as error:
            message = (
                f"run {run.run_id}: all comparisons weigh 1, as the pack's weights are not known"
            )
            found.warnings.append(f"{message}: {error}")
        found.rows.extend(row._replace(weight=weights.get(row.item, 1.0)) for row in given)
    return found


def _item_weights(
    journal: Journal, catalogue: Catalogue, run: RunRecord, judge: str
) -> Mapping[str, float]:
    config = config_of(journal, run, catalogue, {}, None, judge=judge_endpoint(judge))
    return guard(config.benchmark).item_weights(pack_of(run, config), config.options)
