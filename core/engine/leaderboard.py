"""A benchmark's models beside each other: a view of the journal, computed, never stored.

One board is about one pack and one judge. Of several runs of a model one counts, for rating
and scores alike: the one whose comparisons are rated, else the newest whole one, else the
newest. Partial runs, and those asked otherwise than the pack says, are there and say so.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..benchmark import Benchmark, Pack
from ..errors import BenchError, DataError, UsageError
from ..journal import Journal, RunRecord
from ..plugins import Catalogue
from ..ratings.settings import AnchorSet
from ..reports.comparability import not_sent, told_changes
from ..reports.document import build_document
from ..reports.evidence import Evidence, read_evidence
from ..reports.run_tables import is_partial
from ..types import digest
from .config import RunConfig, grader
from .pools import newest_runs, pool_of
from .rescoring import begun_by, config_of, judge_endpoint, pack_of
from .standing import Standing, read_standing

NO_JUDGE = "none"


class Board(NamedTuple):
    """Whose results may stand beside each other."""

    pack_name: str
    pack_sha256: str
    judge: str | None
    """Label; ``None`` where no judge is asked."""

    @property
    def told(self) -> str:
        """The options that choose it, ready to be pasted, with the pack's name beside them."""
        judge = f" --judge {shlex.quote(self.judge)}" if self.judge else ""
        return f"--dataset {self.pack_sha256[:12]}{judge} ({self.pack_name})"


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
    board = _choose(benchmark, list(_boards(journal, benchmark, runs)), dataset, judge)
    made = _Reader(journal, catalogue, benchmark, board)
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


def _boards(journal: Journal, benchmark: Benchmark, runs: Sequence[RunRecord]) -> Iterator[Board]:
    seen = set()
    for run in runs:
        judges = {g.graded_by.get("judge") for g in journal.graders(run)}
        for judge in sorted(judges, key=str):
            board = Board(run.pack_name, run.pack_sha256, judge)
            if (benchmark.judged and judge is None) or board[1:] in seen:
                continue
            seen.add(board[1:])
            yield board


def _choose(
    benchmark: Benchmark, boards: Sequence[Board], dataset: str | None, judge: str | None
) -> Board:
    if not boards:
        raise UsageError(
            f"no scored run of {benchmark.name} yet; start one: bench run {benchmark.name}"
        )
    fitting = [
        board
        for board in boards
        if _is_pack(board, dataset)
        and (judge is None or judge in (board.judge, (board.judge or "").partition(" at ")[0]))
    ]
    if len(fitting) == 1:
        return fitting[0]
    there = "; ".join(board.told for board in fitting or boards)
    problem = "several boards, which never mix; choose one" if fitting else "no such board"
    raise UsageError(f"{benchmark.name} has {problem}; there are: {there}")


def _changed(config: RunConfig, evidence: Evidence) -> str | None:
    """How a run was asked otherwise than its pack says."""
    spent = evidence.spent
    return told_changes(config, not_sent(config, spent), cut_off=bool(spent.truncated))


def _is_pack(board: Board, wanted: str | None) -> bool:
    if wanted is None or wanted == board.pack_name:
        return True
    return len(wanted) >= 6 and board.pack_sha256.startswith(wanted)


@dataclass
class _Reader:
    """Reads the results of one board's runs: of each model that of the run that counts."""

    journal: Journal
    catalogue: Catalogue
    benchmark: Benchmark
    board: Board
    pack: Pack | None = None
    config: RunConfig | None = None
    documents: dict[str, dict[str, Any]] = field(default_factory=dict)
    runs: dict[str, RunRecord] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    error: BenchError | None = None
    _candidates: dict[str, list[RunRecord]] = field(default_factory=dict)

    def add(self, run: RunRecord) -> None:
        """Consider a run, if it was graded as this board's are."""
        if run.benchmark_version != self.benchmark.version:
            self.warnings.append(
                f"run {run.run_id} ({run.name}) is of version {run.benchmark_version} of the "
                f"benchmark and left out; this is version {self.benchmark.version}"
            )
            return
        graders = self.journal.graders(run)
        if self.board.judge not in {g.graded_by.get("judge") for g in graders}:
            return
        config = self._config(run)
        try:
            self.pack = self.pack or pack_of(run, config)
        except DataError as error:
            self.error = error
            return
        self.config = config
        self._candidates.setdefault(run.name, []).append(run)

    def read(self, pack: Pack, compared: Mapping[str, str]) -> None:
        """Read for each model the run that counts.

        Args:
            pack: The board's.
            compared: The runs whose comparisons are rated, by the model's name. One that is not
                here leaves its model without a score: that of another run is not its own.
        """
        for run_id in compared.values():
            if run := self.journal.find_run(run_id):
                self._take(pack, run)
        for name, runs in self._candidates.items():
            if name not in compared:
                self._take_newest(pack, runs)

    def _take_newest(self, pack: Pack, runs: Sequence[RunRecord]) -> None:
        """Take the newest whole run that this board's grader has scored, else the newest."""
        latest_first = runs[::-1]
        for run in latest_first:
            self._take(pack, run)
            document = self.documents.get(run.name)
            if document and _is_asked(document):
                return
            self._forget(run.name)
        scored = (run for run in latest_first if self._is_scored(run))
        self._take(pack, next(scored, latest_first[0]))

    def _take(self, pack: Pack, run: RunRecord) -> None:
        config = self._config(run)
        known_as, selection = digest(grader(config)), begun_by(self.journal, run, pack)
        evidence = read_evidence(self.journal, run, known_as, selection, judge=self.board.judge)
        self.runs[run.name] = run
        if changed := _changed(config, evidence):
            self.changed[run.name] = changed
        if self._is_scored(run):
            self.documents[run.name] = build_document(run, config, pack, selection, evidence)

    def _forget(self, name: str) -> None:
        for of_runs in (self.runs, self.changed, self.documents):
            of_runs.pop(name, None)

    def _is_scored(self, run: RunRecord) -> bool:
        """Whether this board's grader has graded it; it may only have been compared."""
        return digest(grader(self._config(run))) in {g.digest for g in self.journal.graders(run)}

    def _config(self, run: RunRecord) -> RunConfig:
        """The run's configuration with this board's judge and the default reader options."""
        judge = judge_endpoint(self.board.judge) if self.board.judge else None
        defaults = {o.name: str(o.default).lower() for o in self.benchmark.options if o.in_grades}
        return config_of(self.journal, run, self.catalogue, defaults, None, judge=judge)


def _is_asked(document: Mapping[str, Any]) -> bool:
    """Whether each item of the pack was asked in each iteration, and none is to do."""
    items = document["items"]
    total = document["dataset"]["n_items"] * document["iterations"]
    return bool(items["total"] == total and not items["pending"])
