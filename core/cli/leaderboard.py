"""`bench leaderboard`: the models of a benchmark, ranked, with intervals."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from .. import console
from ..analysis.csv_tables import csv_text
from ..benchmark import Benchmark
from ..compare.leaderboard import Leaderboard, LeaderboardDocument, read_leaderboard
from ..guard import guard
from ..journal import Journal
from ..plugins import installed
from ..reports.placing import BoardRow
from ..reports.ratings import note_of, points, ranks, rating_cell
from ..sections import Table
from ..text import as_text, interval, line, listed, plural
from ..types import JsonObject
from . import options
from .rate import anchor_sets
from .rating_options import RatingCommand, rating_options
from .settings import config_option
from .stored import as_given
from .values import pairs


@click.command("leaderboard", cls=RatingCommand)
@options.benchmark_argument
@click.option("--dataset", metavar="NAME|SHA", help="The pack, where runs are of several.")
@click.option("--judge", metavar="SPEC", help="The judge, where there are several.")
@options.option("--engine", metavar="NAME", help="The rating engine, if not the default.")
@options.option("--anchor", "anchors", multiple=True, metavar="MODEL=RATING",
                help="Fix a model's rating; two of them fix the scale.")  # fmt: skip
@options.option("--published", is_flag=True,
                help="Show the published board too, in a table of its own.")  # fmt: skip
@options.role_option
@options.without_option
@options.demo_option
@options.runs_dir_option
@options.json_option
@options.option("--csv", "csv_output", is_flag=True, help="Print comma-separated values.")
@config_option
def leaderboard_command(
    benchmark: Benchmark,
    dataset: str | None,
    judge: str | None,
    engine: str | None,
    anchors: tuple[str, ...],
    published: bool,
    roles: tuple[str, ...],
    without: tuple[str, ...],
    demo: bool,
    runs_dir: Path,
    json_output: bool,
    csv_output: bool,
    **own: Any,
) -> None:
    """Rank the models of a benchmark that the journal holds."""
    dataset, judge = as_given("dataset", dataset), as_given("judge", judge)
    catalogue = installed()
    chosen = catalogue.rating_engines.get(engine, tuple(catalogue.broken)).name if engine else None
    with Journal(runs_dir, create=False) as journal:
        board = read_leaderboard(
            journal,
            catalogue,
            benchmark,
            dataset=dataset,
            judge=judge,
            engine=chosen,
            anchors=anchor_sets(anchors),
            mixed=demo,
            without=without,
            roles=pairs(roles, "--role"),
            options=rating_options(benchmark, own),
        )
    beside = guard(board.benchmark).published(board.pack) if published else None
    document = board.as_json()
    if json_output:
        shown = {"published": _as_json(beside, board.beside_published)} if published else {}
        click.echo(as_text({**document, **shown}))
        return
    if csv_output:
        click.echo(csv_text(_csv_rows(document)), nl=False)
        return
    _show(board, document, beside, asked=published)


def _as_json(table: Table | None, comparable: Sequence[str]) -> JsonObject | None:
    if table is None:
        return None
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return {"title": table.title, "rows": rows, "note": table.note, "comparable": list(comparable)}


def _show(
    board: Leaderboard, document: LeaderboardDocument, beside: Table | None, *, asked: bool
) -> None:
    console.output.show(console.tables.table(_table(board, document)))
    for message in console.conclusions.conclusions(document["conclusions"], "\nThe judge"):
        console.output.show(message)
    if rated := _by_judge(board):
        console.output.show(console.tables.table(rated))
    for message in console.judge_report.judges_in_words(board.robustness):
        console.output.show(message)
    for warning in document["warnings"]:
        console.output.show(console.tables.warning(warning))
    if beside:
        note = f"{_comparable(board)}\n{beside.note}"
        console.output.show(console.tables.table(replace(beside, note=note)))
    elif asked:
        message = f"no published board may stand beside {board.benchmark.name} on this pack"
        console.output.show(console.tables.warning(message))


def _table(board: Leaderboard, document: LeaderboardDocument) -> Table:
    rated = bool(board.standing and board.standing.ratings)
    name = board.metric
    beside = any(row["rating_length_adjusted"] is not None for row in document["rows"])
    columns = ["rank", "model", *["rating", "95 % interval"] * rated]
    columns += ["length-adjusted"] * beside + ["ties"] * rated
    columns += [name.replace("_", " "), "95 % interval", "scored", "cost"]
    rows, n_items = [], document["dataset"]["n_items"]
    for row in document["rows"]:
        metric = row["metrics"].get(name, {"value": None, "ci95": None})
        rating = [_whole(row["rating"]), points(row["ci95"])] * rated
        rating += [_whole(row["rating_length_adjusted"])] * beside + [_ties(row)] * rated
        own = [metric["value"], interval(metric["ci95"]), _scored(row, n_items), _cost(row)]
        rows.append([_rank(row), _named(row), *rating, *own])
    pack = board.board
    anchors = ", ".join(f"{a['model']} = {a['rating']:g}" for a in document["anchors"])
    note = f"pack {pack.pack_name} ({pack.pack_sha256[:12]}); judge {pack.judge or 'none'}"
    note += "".join(f"; {role} played by {player}" for role, player in pack.roles)
    if rated:
        scale = f"anchored at {anchors}" if anchors else "not anchored"
        note += f"; engine {document['engine']}, {scale}; intervals over families of items"
        note += "; ties: models that cannot be told apart from this one"
    if any(row["rank_ci95"] for row in document["rows"]):
        note += "; in parentheses: " + (_RATED_RANK if rated else _SCORED_RANK)
    if rated:
        note = "\n".join([note, *note_of(document["rows"])[1:]])
    note = "\n".join([note, *_not_above(board, document), *_changed(document)])
    return Table(f"{board.benchmark.name}: {plural(len(rows), 'model')}", columns, rows, note=note)


def _by_judge(board: Leaderboard) -> Table | None:
    """The ratings by each judge of a panel beside each other; ``None`` where there are none."""
    if not (judges := board.by_judge):
        return None
    each = [{row["model"]: row for row in rows} for rows in judges.values()]
    models = [row["model"] for row in board.standing.ratings] if board.standing else []
    rows = [(model, *(rating_cell(own.get(model)) for own in each)) for model in models]
    return Table("Ratings by each judge alone", ("model", *judges), rows)


_LISTED = 8
_RATED_RANK = "the 95 % interval of the rank, of this model alone"
_SCORED_RANK = "the ranks that a model may have, as far as the intervals tell"


def _comparable(board: Leaderboard) -> str:
    """Which models of the board may be seen beside the published ones."""
    names = board.beside_published
    with_ = listed(names, _LISTED) or "no model above"
    return f"comparable with these: {with_} (bench show RUN says why)"


def _not_above(board: Leaderboard, document: LeaderboardDocument) -> list[str]:
    """Which models are not surely above a baseline: a line for each."""
    known = {n: b for d in board.documents.values() for n, b in d["baselines"].items()}
    messages = []
    for name, baseline in known.items():
        models = [row["model"] for row in document["rows"] if name in (row["not_above"] or ())]
        at = f"not surely above {baseline['label']} ({baseline['value']:.1f})"
        messages += [line(f"{at}: {listed(models, _LISTED)}")] if models else []
    return messages


def _changed(document: LeaderboardDocument) -> list[str]:
    """How models were asked otherwise than the pack says: a line for those that were alike."""
    changed = dict[str, list[str]]()
    for row in document["rows"]:
        if row["changed"]:
            changed.setdefault(row["changed"], []).append(row["model"])
    return [line(f"changed: {', '.join(models)}: {message}") for message, models in changed.items()]


def _rank(row: BoardRow) -> str:
    """A rank with its interval."""
    if row["rank"] is None:
        return "–"
    return f"{row['rank']}" + (f" ({ranks(row['rank_ci95'])})" if row["rank_ci95"] else "")


def _ties(row: BoardRow) -> str:
    """How many models it is tied with, marked where length decides one of these."""
    if row["tied_with"] is None:
        return "–"
    return f"{len(row['tied_with'])}" + "*" * bool(row["depends_on_length"])


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _named(row: BoardRow) -> str:
    marks = [" DEMO"] if row["demo"] else []
    marks += [" (partial)"] if row["partial"] else []
    marks += [" (changed)"] if row["changed"] else []
    return str(row["model"]) + "".join(marks)


def _scored(row: BoardRow, n_items: int) -> str:
    """Samples with a score, of those that the pack has in as many iterations."""
    items = row["items"]
    return f"{items['scored']}/{n_items * (row['iterations'] or 1)}" if items else "–"


def _cost(row: BoardRow) -> str:
    cost = row.get("cost_usd")
    return "–" if cost is None else f"${cost:.2f}"


def _csv_rows(document: LeaderboardDocument) -> list[list[str | float | None]]:
    names = list(dict.fromkeys(name for row in document["rows"] for name in row["metrics"]))
    heading: list[str | float | None] = ["rank", "model", "demo", "rating", "rating_low"]
    heading += ["rating_high", *_MORE, "comparisons", "status", "partial", "changed", "cost_usd"]
    for name in names:
        heading += [name, f"{name}_low", f"{name}_high"]
    return [heading, *[_csv_row(row, names) for row in document["rows"]]]


_MORE = ["rank_low", "rank_high", "rank_low_board", "rank_high_board", "rating_length_adjusted"]
_MORE += ["rating_length_adjusted_low", "rating_length_adjusted_high", "tied_with"]
_MORE += ["depends_on_length"]


def _more(row: BoardRow) -> list[str | float | None]:
    """The cells of `_MORE`; names are parted by semicolons."""
    ends = [*(row["rank_ci95"] or (None, None)), *(row["rank_ci95_board"] or (None, None))]
    adjusted = [row["rating_length_adjusted"], *(row["ci95_length_adjusted"] or (None, None))]
    named = [row["tied_with"], row["depends_on_length"]]
    return [*ends, *adjusted, *(None if n is None else "; ".join(n) for n in named)]


def _csv_row(row: BoardRow, names: list[str]) -> list[str | float | None]:
    low, high = row["ci95"] or (None, None)
    cells: list[str | float | None] = [row["rank"], row["model"], str(row["demo"]).lower()]
    cells += [row["rating"], low, high, *_more(row)]
    partial = None if row["partial"] is None else str(row["partial"]).lower()
    cells += [row["comparisons"], row.get("status"), partial, row["changed"], row.get("cost_usd")]
    for name in names:
        metric = row["metrics"].get(name, {"value": None, "ci95": None})
        cells += [metric["value"], *(metric["ci95"] or (None, None))]
    return cells
