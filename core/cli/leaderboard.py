"""`bench leaderboard`: the models of a benchmark, ranked, with intervals."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import console
from ..benchmark import Benchmark
from ..compare.board_reader import read_leaderboard
from ..compare.boards import Boards
from ..compare.leaderboard import Leaderboard, LeaderboardDocument
from ..compare.which_board import boards_beside
from ..guard import guard
from ..hooks.sections import Table
from ..parties.graders import Panel
from ..plugins import installed
from ..reports.columns import NAME, FitColumn, FitTable, Span
from ..reports.ratings import BoardRow, note_of, rating_cell, rating_columns, spans
from ..reports.statements import baseline_notes, better_end, whole_judges
from ..reports.suggestions import with_options
from ..text import as_text, by_player, csv_text, interval, line, listed, middle, number, plural
from ..types import Json, JsonObject
from ..types.result_document import MetricRow
from . import options
from .command import command
from .rate import anchor_sets
from .selectors import BoardCommand, board_options, given_board, open_runs, rating_options

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..statistics.steadiness import SteadinessRow


@command(
    "leaderboard",
    "bench leaderboard eqbench3 --dataset official --judge anthropic/NAME --published",
    "bench leaderboard eqbench-v1 --csv > board.csv",
    cls=BoardCommand,
)
@options.benchmark_argument
@board_options
@options.option("--engine", metavar="NAME", help="The rating engine, if not the default.")
@options.option("--anchor", "anchors", multiple=True, metavar="MODEL=RATING",
                help="Fix a model's rating; two of them fix the scale.")  # fmt: skip
@options.option("--published", is_flag=True,
                help="Show the published board too, in a table of its own.")  # fmt: skip
@options.kin_option
@options.demo_option
@options.place_options
@options.output_options
@options.option(
    "--csv", "csv_output", is_flag=True, help="Print comma-separated values: all metrics."
)
def leaderboard_command(
    benchmark: Benchmark,
    engine: str | None,
    anchors: tuple[str, ...],
    published: bool,
    exclude_kin: bool,
    runs_dir: Path,
    json_output: bool,
    csv_output: bool,
    **benchmark_options: Json,
) -> None:
    """Rank the models of a benchmark that the journal holds.

    By ratings where models were compared, else by the main metric. A board is about one pack, one
    judge and one protocol: of several the newest with a whole run is shown, and the others are
    named with the options that choose them, the benchmark's own among them.
    """
    chosen = installed().rating_engines.get(engine).name if engine else None
    with open_runs(runs_dir) as stored:
        boards = Boards(stored.journal, stored.catalogue, benchmark)
        board = read_leaderboard(
            boards,
            given_board().choice(benchmark, benchmark_options),
            engine=chosen,
            anchors=anchor_sets(anchors),
            options=rating_options(benchmark, benchmark_options),
            exclude_kin=exclude_kin,
            by_judge=json_output or options.wants_details(),
        )
        steady = _steadiness(boards, board) if json_output else []
    alongside = guard(board.benchmark).published(board.pack) if published else None
    document = board.as_json()
    if json_output:
        shown = {"published": _as_json(alongside, board)} if published else {}
        more = {"steadiness": steady} if steady else {}
        click.echo(as_text({**document, **shown, **more}))
        return
    if csv_output:
        click.echo(csv_text(_csv_rows(document)), nl=False)
        return
    _show(board, document, alongside, asked=published)


def _steadiness(boards: Boards, board: Leaderboard) -> "list[SteadinessRow]":
    """Of each model that was asked more than once, the rows of the metric that ranks."""
    rows: list[SteadinessRow] = []
    for name, run in board.runs.items():
        if name in board.documents and board.documents[name]["iterations"] > 1:
            each = boards.stored(run).steadiness(judge=board.board.judge)
            rows += [row for row in each if row.metric == each[0].metric]
    return rows


def _as_json(table: Table | None, board: Leaderboard) -> JsonObject | None:
    if table is None:
        return None
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return {
        "title": table.title, "rows": rows, "note": table.note,
        "comparable": board.beside_published, "differs": board.off_published,
    }  # fmt: skip


def _show(
    board: Leaderboard,
    document: LeaderboardDocument,
    alongside: Table | None,
    *,
    asked: bool,
) -> None:
    details, part = options.wants_details(), console.screen.ScreenPart
    if details:
        shown = [part(one) for one in _in_full(board, document)]
    else:
        shown = [part(console.fitted.Fitted(_table(board, document)), 2, "model")]
        shown += [console.screen.sentence(text, 3, "note") for text in _notes(board, document)]
        strong = console.tables.strong(document["conclusions"])
        findings = console.tables.conclusions(strong)
        findings += console.tables.judges_in_words(board.robustness, details=False)
        shown += [part(one, 6, "finding") for one in findings]
    warnings = map(console.tables.warning, document["warnings"])
    shown += [part(one, 5, "warning") for one in warnings]
    if alongside:
        models = listed(board.beside_published, 8) or "no model above"
        note = f"comparable with these: {models} (bench show RUN says why)\n{alongside.note}"
        note = f"{board.off_published}\n{note}" if board.off_published else note
        shown.append(part(console.tables.table(alongside._replace(note=note))))
    elif asked:
        shown += [part(console.tables.warning(t)) for t in filter(None, [board.off_published])]
        message = f"no published board is comparable with {board.benchmark.name} on this pack"
        shown.append(part(console.tables.warning(message)))
    if others := boards_beside(board.others):
        shown.append(console.screen.sentence(others, 3, "list of other boards"))
    statement, more = document["statement"], with_options("--details")
    for row in document["rows"]:
        statement = statement.replace(row["model"], middle(row["model"], NAME))
    console.screen.show(shown, console.short.bold(statement), "" if details else more)


def _in_full(board: Leaderboard, document: LeaderboardDocument) -> "Iterator[RenderableType]":
    """The table with all columns, and all that is said of judges."""
    yield console.fitted.Fitted(_table(board, document, details=True))
    yield from console.tables.conclusions(document["conclusions"], "\nThe judge")
    if by_judge := _by_judge(board):
        yield console.tables.table(by_judge)
    yield from console.tables.judges_in_words(board.robustness)


def _table(board: Leaderboard, document: LeaderboardDocument, details: bool = False) -> FitTable:
    rows = document["rows"]
    columns = rating_columns(rows, list(map(_named, rows)), details=details)
    columns = [column for column in columns if column.heading != "comparisons"]
    columns += _scores(board.metric, document)
    title, where = f"{board.benchmark.name}: {plural(len(rows), 'model')}", board.board
    if not details:
        title += f"; {where.in_words}"
    drawn = spans(rows) or [Span(m["value"], m["ci95"]) for m in _metrics(board.metric, rows)]
    note = "\n".join(_facts(board, document)) if details else ""
    newest = max(board.runs.values(), key=lambda run: run.created_at, default=None)
    names = [row["model"] for row in rows]
    marked = names.index(newest.name) if newest and newest.name in names else None
    title += "  DEMO" * document["demo"]
    return FitTable(title, columns, marked, note, drawn, "95 % interval")


def _facts(board: Leaderboard, document: LeaderboardDocument) -> Iterator[str]:
    """What is said below the table with all columns."""
    pack = board.board
    note = f"pack {pack.pack_name} ({pack.pack_sha256[:12]}); judge {pack.judge_name or 'none'}"
    players = by_player(pack.role_names).items()
    note += "".join(f"; {role} played by {player}" for role, player in players)
    note += f"; {' '.join(pack.protocol_words)}" if pack.protocol else ""
    if board.standing and board.standing.ratings:
        anchors = ", ".join(f"{a['model']} = {a['rating']:g}" for a in document["anchors"])
        scale = f"anchored at {anchors} (exact, no interval)" if anchors else "not anchored"
        note += f"; engine {document['engine']}, {scale}; intervals over families of items"
    yield note
    yield from note_of(document["rows"])
    yield from _notes(board, document)


def _notes(board: Leaderboard, document: LeaderboardDocument) -> Iterator[str]:
    """What is said below any table."""
    metric = document["metric"]
    if end := better_end(metric["higher_is_better"]):
        yield f"{metric['label']}: {end}"
    if board.kin:
        yield f"scores {board.kin.text}"
    yield from (line(baseline.text) for baseline in baseline_notes(document))
    yield from _changed(document)
    yield from map(line, board.judge_exams)


def _metrics(name: str, rows: Sequence[BoardRow]) -> list[MetricRow]:
    none: MetricRow = {"value": None, "ci95": None, "n": 0, "higher_is_better": None}
    return [row["metrics"].get(name, none) for row in rows]


def _scores(name: str, document: LeaderboardDocument) -> list[FitColumn]:
    """The main metric, of how many samples, and what it cost."""
    rows, n_items = document["rows"], document["dataset"]["n_items"]
    metrics = _metrics(name, rows)
    scored = [
        f"{row['items']['scored']}/{n_items * (row['iterations'] or 1)}" if row["items"] else "–"
        for row in rows
    ]
    costs = list(map(_cost, rows))
    full = all(len(set(cell.split("/"))) == 1 for cell in scored)
    chosen = [m.get("chosen", "").replace("_", " ") or "–" for m in metrics]
    return [
        FitColumn(name.replace("_", " "), [m["value"] for m in metrics]),
        FitColumn("95 % interval", [interval(m["ci95"]) for m in metrics], 10),
        *[FitColumn("chosen", chosen, 8)] * any(m.get("chosen") for m in metrics),
        FitColumn("scored", scored, 4 if full else 9),
        FitColumn("cost", costs, 4 if set(costs) <= {"free", "–"} else 7),
    ]


def _by_judge(board: Leaderboard) -> Table | None:
    """The ratings by each judge of a panel beside each other; ``None`` where there are none."""
    if board.judge_scores:
        return _scores_by_judge(board)
    if not (judges := board.by_judge):
        return None
    each = [{row["model"]: row for row in rows} for rows in judges.values()]
    models = [row["model"] for row in board.standing.ratings] if board.standing else []
    rows = [(model, *(rating_cell(rated.get(model)) for rated in each)) for model in models]
    return Table("Ratings by each judge alone", ("model", *judges), rows, note=_confounded(board))


def _scores_by_judge(board: Leaderboard) -> Table:
    """The metric that ranks by a panel and by each of its judges, beside each other."""
    panel = {
        name: document["metrics"].get(board.metric) for name, document in board.documents.items()
    }
    each = [panel, *board.judge_scores.values()]
    ranked = [row["model"] for row in board.rows()]
    rows = [(model, *(_measured(metrics.get(model)) for metrics in each)) for model in ranked]
    columns = ("model", "the panel", *board.judge_scores)
    return Table("Scores by each judge alone", columns, rows, note=_confounded(board))


def _measured(metric: MetricRow | None) -> str:
    """A metric with its interval; a dash where there is none."""
    if metric is None or metric["value"] is None:
        return "–"
    return f"{number(metric['value'])} ({interval(metric['ci95'])})"


def _confounded(board: Leaderboard) -> str:
    """What is wrong with numbers of judges that had samples of their own."""
    panel = board.board.judge
    note = "each judge had scenarios of its own, so its numbers are confounded with these"
    return note if isinstance(panel, Panel) and panel.rule == "rotate" else ""


def _changed(document: LeaderboardDocument) -> list[str]:
    """How models were asked otherwise than the pack says: a line for those that were alike."""
    changed = dict[str, list[str]]()
    for row in document["rows"]:
        if row["changed"]:
            changed.setdefault(row["changed"], []).append(row["model"])
    return [line(f"changed: {', '.join(models)}: {message}") for message, models in changed.items()]


def _named(row: BoardRow) -> str:
    short = whole_judges(row.get("short_panel"))
    marks = [f" ({short or 'partial'})"] if row["partial"] else []
    if row["partial"] is None and row["status"] not in (None, "complete"):
        marks.append(f" ({row['status']})")  # it was compared, and has no score here
    marks += [" (changed)"] if row["changed"] else []
    return str(row["model"]) + "".join(marks)


def _cost(row: BoardRow) -> str:
    cost = row.get("cost_usd")
    return "–" if cost is None else f"${cost:.2f}" if cost else "free"


def _csv_rows(document: LeaderboardDocument) -> list[list[str | float | None]]:
    names = list(dict.fromkeys(name for row in document["rows"] for name in row["metrics"]))
    rows = [_csv_row(row, names, demo=document["demo"]) for row in document["rows"]]
    headings: list[list[str | float | None]] = [[name for name, _ in row] for row in rows[:1]]
    return headings + [[cell for _, cell in row] for row in rows]


def _csv_row(
    row: BoardRow, names: Sequence[str], *, demo: bool
) -> list[tuple[str, str | float | None]]:
    """Headings with cells, in which names are parted by semicolons."""

    def ends(name: str, pair: Sequence[float | None] | None, after: str = "") -> Iterator[Any]:
        low, high = pair or (None, None)
        yield from ((f"{name}_low{after}", low), (f"{name}_high{after}", high))

    tied, long = row["tied_with"], row["depends_on_length"]
    cells = [
        ("rank", row["rank"]),
        ("model", row["model"]),
        ("demo", str(demo).lower()),
        ("rating", row["rating"]),
        *ends("rating", row["ci95"]),
        *ends("rank", row["rank_ci95"]),
        *ends("rank", row["rank_ci95_board"], "_board"),
        ("rating_length_adjusted", row["rating_length_adjusted"]),
        *ends("rating_length_adjusted", row["ci95_length_adjusted"]),
        ("tied_with", None if tied is None else "; ".join(tied)),
        ("depends_on_length", None if long is None else "; ".join(long)),
        ("comparisons", row["comparisons"]),
        ("status", row.get("status")),
        ("partial", None if row["partial"] is None else str(row["partial"]).lower()),
        ("changed", row["changed"]),
        ("cost_usd", row.get("cost_usd")),
    ]
    for name in names:
        metric = row["metrics"].get(name, {"value": None, "ci95": None})
        cells += [(name, metric["value"]), *ends(name, metric["ci95"])]
    return cells
