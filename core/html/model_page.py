"""The page of a model: what came out on each board, its neighbours, and its items."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..journal import RunRecord
from ..reports.comparability import judge_in
from ..reports.ratings import ranks
from ..types import JsonObject
from .board_document import shown_name
from .board_files import graded_name, text_name
from .board_numbers import in_chart, number_name, number_of
from .charts.rows import RowChart, ladder
from .charts.svg import figure
from .gather import SiteBoard, SiteRun
from .item_pages import item_paths
from .one_run import (
    cost,
    findings,
    how_it_was_run,
    items_plot,
    limits_of,
    named_items,
    on_board,
    other_runs,
    sample_lines,
    special_of,
    tally,
    verdict_on,
)
from .plugin_parts import shown_part
from .policy import Policy
from .rendering import Page, page_of
from .result_charts import among_rated, is_charted, profiles, standing
from .shapes import SiteBoardDocument, SiteRow
from .slugs import Address, board_path, model_path, slug
from .words import plain_name

NEIGHBOURS = 3
"""Models above and below that are shown."""


class Shown(NamedTuple):
    """A board as model pages show it.

    Attributes:
        item_paths: Where each item has its page.
        texts: Whether its transcripts are there.
        near: How many models above and below are shown; ``None`` for all.
    """

    board: SiteBoard
    document: SiteBoardDocument
    item_paths: Mapping[str, Address]
    texts: bool
    near: int | None = NEIGHBOURS


def shown_on(board: SiteBoard, document: SiteBoardDocument, policy: Policy) -> Shown:
    """A board as model pages show it."""
    texts = policy.shows(board.board.pack.source.facts)
    return Shown(board, document, item_paths(board), texts)


class ItemLine(NamedTuple):
    """An item with its transcripts: their file, or they themselves."""

    item_id: str
    shown: str
    notes: Sequence[str]
    anchor: str
    file: str = ""
    packed: Sequence[JsonObject] = ()


ShownRun = dict[str, Any]
"""What the template `run` shows of one run, as one board shows it or, on none, by itself."""


def model_page(
    name: str, boards: Sequence[Shown], policy: Policy, runs: Sequence[RunRecord]
) -> Page:
    """The page of a model; its runs among these that no board counts are named."""
    parts = [_on_site(shown, name, policy, runs) for shown in boards]
    parts.sort(key=lambda part: (not part["short"], bool(part["mark"])))
    first, *others = (part["settings"] for part in parts)
    alike = [fact for fact in first if others and all(fact in other for other in others)]
    for part in parts:
        part["settings"] = [fact for fact in part["settings"] if fact not in alike]
    demo = any(shown.board.runs[name].run.demo for shown in boards)
    return page_of("model.html", model_path(name), title=shown_name(name), parts=parts,
                   alike=alike, demo=demo)  # fmt: skip


def _on_site(shown: Shown, name: str, policy: Policy, runs: Sequence[RunRecord]) -> ShownRun:
    """A run of a site: its transcripts are in files of their own, where they are published."""
    run = shown.board.runs[name]
    part = run_part(run, shown, policy, runs)
    if not shown.texts:
        return part | {"without_texts": "The texts of this pack are not published here."}
    lines = [line._replace(file=text_name(run, line.item_id)) for line in item_lines(run)]
    return part | {"texts": lines}


def run_part(
    stored: SiteRun, shown: Shown | None, policy: Policy, runs: Sequence[RunRecord] = ()
) -> ShownRun:
    """What a page says of a run, without its transcripts; on the board that counts it, if any."""
    board, document = (shown.board, shown.document) if shown else (None, None)
    rows = document["rows"] if document else ()
    row = next((row for row in rows if row["id"] == stored.run.run_id), None)
    result = policy.document(on_board(board, stored) if board else stored.document)
    masked = {"items": policy.masked(stored.items), "sections": policy.masked(stored.sections)}
    run = stored._replace(document=result, **masked)
    return {
        "key": document["key"] if document else "result",
        "board": board_path(document["key"]) if document else "",
        "title": document["title"] if document else run.run.benchmark,
        "what": _what(document) if document else f"{result['dataset']['name']} pack",
        "short": _short(document, row) if document else "",
        "mark": row["completeness"] if row else "",
        "judge": str(judge_in(result) or ""),
        "run_id": run.run.run_id,
        "verdict": verdict_on(board, run),
        "tally": tally(result),
        "charts": [*standing(run), *_ranked(run, shown, row)],
        "special": special_of(document, row) if document else [],
        "profiles": profiles([result]),
        "parts": [shown_part(part) for part in run.sections if not is_charted(part)],
        "items_plot": items_plot(run),
        "named": named_items(run),
        "item_paths": shown.item_paths if shown else {},
        "value": plain_name(run.items.value or "score"),
        "samples": list(sample_lines(run)),
        "anchors": {row.item_id: anchor(run, row.item_id) for row in stored.items.items},
        "texts": (),
        "without_texts": "",
        "conclusions": findings(board, result),
        "cost": cost(result),
        "settings": how_it_was_run(run),
        "command": policy.command(run.run, stored.document),
        "others": other_runs(run.run, runs),
        "limits": limits_of(document, run, row),
    }


def anchor(run: SiteRun, item_id: str) -> Address:
    """The place of an item of a run on its page."""
    return Address(f"{graded_name(run)}-{slug(item_id)}")


def item_lines(run: SiteRun) -> Iterator[ItemLine]:
    """The items of a run, each to be opened."""
    notes = dict[str, dict[str, None]]()
    for line in sample_lines(run):
        notes.setdefault(line.item_id, {}).update(dict.fromkeys(line.notes))
    return (
        ItemLine(row.item_id, figure(row.value), [*notes.get(row.item_id, ())],
                 anchor(run, row.item_id))
        for row in run.items.items
    )  # fmt: skip


def _what(document: SiteBoardDocument) -> str:
    """Of what a board is, in words."""
    judge = [f"judge {document['judge']}"] if document["judge"] else []
    return ", ".join([f"{document['pack']} pack", *judge, *document["options"]])


def _short(document: SiteBoardDocument, row: SiteRow | None) -> str:
    """A model's number on a board, and the ranks it may have; nothing where it has none."""
    if row is None or number_of(row) is None:
        return ""
    ranked = sum(one["rank"] is not None for one in document["rows"])
    rank = f", rank {ranks(row['rank'])} of {ranked}" if row["rank"] else ""
    return f"{number_name(document)} {in_chart(row).cells[0]}{rank}"


def _ranked(run: SiteRun, shown: Shown | None, row: SiteRow | None) -> list[RowChart]:
    """The models next to one on its board, else those that its own result rates."""
    if shown and row:
        return [_neighbours(shown, row)] if len(shown.document["rows"]) > 1 else []
    chart = among_rated(run.document)
    return [chart] if chart else []


def _neighbours(shown: Shown, of: SiteRow) -> RowChart:
    """The models next to one, with intervals."""
    document, rows = shown.document, shown.document["rows"]
    n, near = rows.index(of), len(rows) if shown.near is None else shown.near
    chart = [
        in_chart(row)._replace(
            name=row["model"] + (" DEMO" if row["demo"] else ""),
            kind="own" if row is of else "other",
            rank=ranks(row["rank"]),
            href="" if row is of or not row["href"] else Address(row["href"]),
        )
        for row in rows[max(0, n - near) : n + near + 1]
    ]
    what = number_name(document)
    engine = f", by {document['engine']}" if document["rated"] and document["engine"] else ""
    caption = (
        f"Its neighbours on the board, with 95 % intervals and the ranks they may have ({what}"
        f"{engine})"
    )
    return ladder(caption, chart, (what, "95 % interval"))
