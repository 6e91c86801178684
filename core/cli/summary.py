"""The end of several runs: a table with a row for each, and what `--fail-under` says of them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import NamedTuple

from ..errors import BenchError, UsageError
from ..reading.names import nearest
from ..reports.columns import NAME, Cell, FitColumn, FitTable
from ..reports.ending import dollars
from ..reports.ratings import ranks, rating_cell
from ..reports.statements import (
    Side,
    against_baselines,
    better_end,
    joint_rank,
    leader,
    origin,
    too_few,
)
from ..reports.suggestions import bench
from ..run.against import Base
from ..run.task import Task
from ..text import duration, interval, middle, number, plural, signed
from ..types.result_document import AgainstRow, MetricRow, RatingRow, ResultDocument
from .session import PlannedRun


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
    names = dict.fromkeys(name for document in documents for name in document["metrics"])
    return [
        f"no result has the metric {limit.metric}{nearest(limit.metric, names)}"
        for limit in limits
        if limit.metric and limit.metric not in names
    ]


class Ending(NamedTuple):
    """What results are held to at the end of a command.

    Attributes:
        limits: What they may not be worse than.
        bases: What they are set against.
        fail_if_worse: Whether they may be worse than that.
    """

    limits: Sequence[Limit] = ()
    bases: Mapping[Task, Base] = {}
    fail_if_worse: bool = False

    def shortcomings(self, documents: Sequence[ResultDocument]) -> list[str]:
        """What is not as it shall be: a line each."""
        short = [message for one in documents for message in shortfalls(one, self.limits)]
        short += lacking(documents, self.limits)
        rows = [row for one in documents if (row := one.get("against"))] * self.fail_if_worse
        return short + [row["statement"] for row in rows if row["verdict"] == "worse"]


NO_ENDING = Ending()


class FailedRun(NamedTuple):
    """A run that an error ended; without an error, one that was not begun."""

    run: PlannedRun
    error: BenchError | None


def summary(documents: Sequence[ResultDocument], failed: Sequence[FailedRun]) -> FitTable:
    """The table; what may be left out goes first on a narrow terminal."""
    mains = list(map(_main, documents))
    names, metrics = [name for name, _ in mains], [metric for _, metric in mains]
    rated, kept = _rated(documents), [_kept(document) for document in documents]

    def column(
        heading: str,
        cells: Sequence[Cell],
        drop: int = 0,
        brief: Sequence[Cell] | None = None,
        shorten: int = 0,
        *,
        of_failed: Sequence[Cell] | None = None,
    ) -> FitColumn:
        end = of_failed or ["–"] * len(failed)
        shorter = None if brief is None else [*brief, *end]
        return FitColumn(heading, [*cells, *end], drop, shorter, shorten)

    benchmarks, statuses = ([str(d[key]) for d in documents] for key in ("benchmark", "status"))
    models = [document["name"] for document in documents]
    models += [f.run.names["name"] for f in failed]
    chances = list(map(_chance, documents))
    alike = not failed and set(statuses) == {"complete"}
    ratings = [
        column("rank", [ranks(row and joint_rank(row)) for row in rated]),
        column("rating", [rating_cell(row) for row in rated], 0,
               [f"{row['rating']:.0f}" if row else "–" for row in rated], 3),
    ]  # fmt: skip
    columns = [
        column("benchmark", benchmarks, of_failed=[f.run.names["benchmark"] for f in failed]),
        FitColumn("model", models, 0, [middle(name, NAME) for name in models], 6),
        column("metric", names, 3),
        column("value", [m["value"] for m in metrics], of_failed=[None for _ in failed]),
        column("95 % interval", [interval(m["ci95"]) for m in metrics], 8),
        *ratings * any(rated),
        column("chance", [long for long, _ in chances], 7, [brief for _, brief in chances], 1),
        *_against(documents, column),
        *[column("from the journal of", kept, 6)] * any(cell != "–" for cell in kept),
        column("cost", [dollars(d["cost_usd"]) for d in documents], 5),
        column("time", [duration(d["elapsed_s"]) for d in documents], 3),
        column("status", statuses, 4 if alike else 9,
               of_failed=["error" if f.error else "not begun" for f in failed]),
        column("run", [d["run_id"] or "–" for d in documents], 4),
    ]  # fmt: skip
    worse = dict.fromkeys(name for name, m in mains if better_end(m["higher_is_better"]))
    note = f"{', '.join(worse)}: {better_end(False)}" if worse else ""
    demo = any(document["demo"] for document in documents)
    title = plural(len(documents) + len(failed), "run") + "  DEMO" * demo
    return FitTable(title, columns, note=note)


def _against(
    documents: Sequence[ResultDocument], column: Callable[[str, Sequence[Cell]], FitColumn]
) -> Iterator[FitColumn]:
    """A column for each name that results are set against."""
    rows = [document.get("against") for document in documents]
    for name in dict.fromkeys(row["name"] for row in rows if row):
        mine = [row if row and row["name"] == name else None for row in rows]
        yield column(f"against {name}", [_difference(row) for row in mine])


def _difference(row: AgainstRow | None) -> str:
    if row is None:
        return "–"
    words = {"neither": "not told apart", "unknown": "no claim"}.get(row["verdict"], row["verdict"])
    gap = row["difference"]
    return words if gap is None else f"{signed(gap)}, {words}"


def comes_to(documents: Sequence[ResultDocument], failed: Sequence[FailedRun]) -> str:
    """What several runs come to: how they ended, and who is first of those that were rated."""
    ends = Counter(str(document["status"]) for document in documents)
    ends.update("error" if run.error else "not begun" for run in failed)
    newest = {d["benchmark"]: d["ratings"] for d in documents if d["ratings"]}
    first = [f"{benchmark}: {leader(rows).text}" for benchmark, rows in newest.items()]
    others = dict.fromkeys(d["benchmark"] for d in documents if d["benchmark"] not in newest)
    whole = Counter(d["benchmark"] for d in documents if d["status"] == "complete")
    compared = [
        f"{bench('leaderboard', name, demo=documents[0]['demo'])} "
        f"{'ranks' if whole[name] > 1 else 'shows'} them"
        for name in others
    ]
    stopped = ends.keys() & {"interrupted", "budget", "waiting", "not begun"}
    goes_on = ["the same command goes on"] * bool(stopped)
    counts = ", ".join(f"{n} {end}" for end, n in ends.items())
    return "; ".join([counts, *goes_on, *first, *compared])


def _rated(documents: Sequence[ResultDocument]) -> list[RatingRow | None]:
    """The rating of each model by all comparisons: those that the last run of its benchmark has."""
    newest = {d["benchmark"]: d["ratings"] for d in documents if d["ratings"]}
    return [
        next((r for r in newest.get(d["benchmark"], ()) if r["model"] == d["name"]), None)
        for d in documents
    ]


def _kept(document: ResultDocument) -> str:
    """When the replies came of a run that asked nothing now."""
    replies = origin(document)
    return replies.date if replies and replies.kept else "–"


def _main(document: ResultDocument) -> tuple[str, MetricRow]:
    none: MetricRow = {"value": None, "ci95": None, "n": 0, "higher_is_better": None}
    name, metric = next(iter(document["metrics"].items()), ("–", none))
    return name.replace("_", " "), metric


def _chance(document: ResultDocument) -> tuple[str, str]:
    """Above or below chance, and the best constant answer where it is not above that too.

    In full, and in two or three words.
    """
    if too_few(document) and document["baselines"]:
        return "too few", "too few"
    baselines = {one.name: one for one in against_baselines(document)}
    if (random := baselines.get("random")) is None:
        return "–", "–"
    constant = baselines.get("best_constant")
    verb = random.verb.removesuffix(" than")
    if constant and random.side is Side.BETTER is not constant.side:
        return f"{verb}; {constant.verb} the best constant", "not past constant"
    return verb, verb
