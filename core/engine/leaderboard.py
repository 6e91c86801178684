"""A benchmark's models beside each other: a view of the journal, computed, never stored.

One board is about one pack and one judge. Partial runs, and those asked otherwise than the
pack says, are there and say so.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..benchmark import Benchmark, Pack
from ..errors import UsageError
from ..journal import Journal, RunRecord
from ..plugins import Catalogue
from ..ratings.settings import AnchorSet
from ..reports.run_tables import is_partial
from .boards import Board, boards_of, choose_board
from .counted_runs import CountedRuns
from .pools import newest_runs, pool_of
from .standing import Standing, read_standing


@dataclass
class Leaderboard:
    """One board, read.

    Attributes:
        documents: The result of each model by its name.
        runs: The run of each model; some were only compared and have no scored result.
        standing: The ratings, where models were compared.
        pool: Which comparisons the ratings stand on; ``None`` where models are not compared.
        changed: How the run of a model was asked otherwise than the pack says, by its name.
        warnings: One line each.
    """

    board: Board
    benchmark: Benchmark
    pack: Pack
    documents: dict[str, dict[str, Any]]
    runs: Mapping[str, RunRecord]
    standing: Standing | None
    warnings: list[str] = field(default_factory=list)
    pool: str | None = None
    changed: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The document of `bench leaderboard --json`."""
        standing = self.standing
        return {
            "benchmark": self.benchmark.name,
            "dataset": {
                "name": self.board.pack_name,
                "sha256": self.board.pack_sha256,
                "n_items": len(self.pack.items),
            },
            "judge": self.board.judge,
            "engine": standing.details.get("engine") if standing else None,
            "anchors": standing.details.get("anchors", []) if standing else [],
            "rows": list(self.rows()),
            "warnings": [*self.warnings, *(standing.warnings if standing else [])],
        }

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row per model: the rated ones by rank, then the others by their main metric.

        Of the others the whole ones come first.
        """
        rated = {row["model"]: row for row in self.standing.ratings} if self.standing else {}
        others = [name for name in self.documents if name not in rated]
        for name in (*rated, *sorted(others, key=self._by_metric)):
            yield self._row(name, rated.get(name))

    def _by_metric(self, name: str) -> tuple[bool, bool, float, str]:
        metric = _main(self.documents[name], self.benchmark.ranked_by)
        value = metric["value"] if metric else None
        better = -1 if metric and metric["higher_is_better"] else 1
        partial = is_partial(self.documents[name])
        return partial, value is None, better * (value or 0.0), name

    def _row(self, name: str, rating: Mapping[str, Any] | None) -> dict[str, Any]:
        document = self.documents.get(name)
        empty = dict.fromkeys(("rating", "rd", "ci95", "rank", "rank_ci95", "tied_with"))
        row: dict[str, Any] = {"model": name, **empty, "comparisons": 0, **(rating or {})}
        row["changed"] = self.changed.get(name)
        if document is None:
            return {**row, **_unscored(self.runs.get(name))}
        return {
            **row,
            "run_id": document["run_id"],
            "demo": document["demo"],
            "status": document["status"],
            "partial": is_partial(document),
            "iterations": document["iterations"],
            "metrics": document["metrics"],
            "items": document["items"],
            "cost_usd": document["cost_usd"],
        }


def _unscored(run: RunRecord | None) -> dict[str, Any]:
    """The rest of a row without a scored result; the run may be on another machine."""
    known = {"run_id": run.run_id, "demo": run.demo, "status": run.status} if run else {}
    empty = dict.fromkeys(
        ("run_id", "demo", "status", "partial", "iterations", "items", "cost_usd")
    )
    return {**empty, "metrics": {}, **known}


def _main(document: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    metrics: Mapping[str, Any] = document["metrics"]
    return metrics.get(name) or next(iter(metrics.values()), None)


def read_leaderboard(
    journal: Journal,
    catalogue: Catalogue,
    benchmark: Benchmark,
    *,
    dataset: str | None = None,
    judge: str | None = None,
    engine: str | None = None,
    anchors: tuple[AnchorSet, ...] = (),
) -> Leaderboard:
    """The board of a benchmark.

    Args:
        journal: Holds the runs.
        catalogue: Knows all benchmarks.
        benchmark: Whose models are ranked.
        dataset: A pack's name, or the beginning of its SHA-256, where there are several.
        judge: A judge's label or spec, likewise.
        engine: The rating engine, if not the default.
        anchors: The user's, before the pack's.

    Raises:
        UsageError: There is no such board, or more than one.
        DataError: The data of the runs is not where it was.
    """
    runs = [run for run in journal.runs() if run.benchmark == benchmark.name]
    board = choose_board(benchmark, list(boards_of(journal, benchmark, runs)), dataset, judge)
    made = CountedRuns(journal, catalogue, benchmark, board)
    for run in runs:
        if run.pack_sha256 == board.pack_sha256:
            made.add(run)
    if made.pack is None or made.config is None:
        raise made.error or UsageError(f"{benchmark.name} has no scored run on {board.told}")
    standing, pool, compared = None, None, dict[str, str]()
    if benchmark.compares({o.name: o.default for o in benchmark.options}):
        pool = pool_of(made.config, made.pack)
        standing = read_standing(
            journal, benchmark, made.pack, pool, anchors=anchors, engine=engine
        )
        compared = newest_runs(journal, journal.comparisons(pool), made.pack)
    made.read(made.pack, compared)
    known = (made.pack, made.documents, made.runs, standing, made.warnings, pool, made.changed)
    return Leaderboard(board, benchmark, *known)
