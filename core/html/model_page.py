"""The page of a model: what came out on each board, its neighbours, and its items."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from ..hooks.sections import Part
from ..journal import RunRecord
from ..reports.comparability import judge_in
from ..reports.ratings import ranks
from ..types import JsonObject
from .board_document import shown_name
from .board_files import graded_name, text_name
from .board_numbers import in_chart, number_name, number_of
from .charts.rows import ChartRow, RowChart, ladder
from .charts.svg import ends, figure
from .checkpoints import History
from .gather import SiteBoard, SiteRun
from .item_pages import item_paths
from .one_run import (
    cost,
    findings,
    gains_of,
    how_it_was_run,
    items_plot,
    limits_of,
    named_items,
    on_board,
    other_runs,
    place_and_meaning,
    sample_lines,
    special_of,
    tally,
    verdict_on,
)
from .plugin_parts import shown_part
from .policy import Policy
from .rendering import Page, page_of
from .result_charts import (
    among_published,
    among_rated,
    baseline_rows,
    is_charted,
    profiles,
    standing,
)
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
        means: Of each item over its models.
        near: How many models above and below are shown; ``None`` for all.
        reads_runs: Whether the sections of plugins that read runs are there.
        histories: By model, those of checkpoints.
    """

    board: SiteBoard
    document: SiteBoardDocument
    item_paths: Mapping[str, Address]
    texts: bool
    means: Mapping[str, float]
    near: int | None = NEIGHBOURS
    reads_runs: bool = True
    histories: Mapping[str, History] = {}


def shown_on(board: SiteBoard, document: SiteBoardDocument, policy: Policy) -> Shown:
    """A board as model pages show it, without histories."""
    texts = policy.shows(board.board.pack.source.facts)
    values = dict[str, list[float]]()
    for run in board.runs.values():
        for row in run.items.items:
            if row.value is not None:
                values.setdefault(row.item_id, []).append(row.value)
    means = {item_id: fmean(of) for item_id, of in values.items()}
    return Shown(board, document, item_paths(board), texts, means)


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
    parts.sort(key=lambda part: (part["glance"].value == "–", bool(part["mark"])))
    past = [(shown.document, shown.histories[name]) for shown in boards if name in shown.histories]
    other, around = _first_other(boards, name), alike_in(parts)
    return page_of("model.html", model_path(name), title=shown_name(name), parts=parts,
                   past=past, other=other, script=Address("model"), **around)  # fmt: skip


def alike_in(parts: Sequence[ShownRun]) -> Mapping[str, Sequence[object]]:
    """The settings and limits that all of several parts have, taken out of each."""
    alike = dict[str, Sequence[object]]()
    for key in ("settings", "limits"):
        first, *others = (part[key] for part in parts)
        same = [fact for fact in first if others and all(fact in other for other in others)]
        for part in parts:
            part[key] = [fact for fact in part[key] if fact not in same]
        alike[f"all_{key}"] = same
    names = dict.fromkeys(name for part in parts for name, _ in part["cost"])
    return {**alike, "cost_names": list(names)}


def _first_other(boards: Sequence[Shown], name: str) -> Address | None:
    """The page of the model that one is set beside at first.

    Its checkpoint before, else the next above it on a board, else the next below.
    """
    listed = [[one.path for one in shown.histories[name].rows]
              for shown in boards if name in shown.histories]  # fmt: skip
    listed += [[Address(row["href"]) for row in shown.document["rows"] if row["href"]]
               for shown in boards]  # fmt: skip
    for paths in listed:
        if len(paths) > 1:
            n = paths.index(model_path(name))
            return paths[n - 1 if n else 1]
    return None


def _on_site(shown: Shown, name: str, policy: Policy, runs: Sequence[RunRecord]) -> ShownRun:
    """A run of a site: its transcripts are in files of their own, where they are published."""
    run = shown.board.runs[name]
    part = run_part(run, shown, policy, runs)
    if not shown.texts:
        return part | {"without_texts": "The texts of this pack are not published here."}
    lines = [
        line._replace(file=text_name(shown.board, run, line.item_id)) for line in item_lines(run)
    ]
    return part | {"texts": lines}


def run_part(
    stored: SiteRun, shown: Shown | None, policy: Policy, runs: Sequence[RunRecord] = ()
) -> ShownRun:
    """What a page says of a run, without its transcripts; on the board that counts it, if any."""
    board, document = (shown.board, shown.document) if shown else (None, None)
    rows = document["rows"] if document else ()
    row = next((row for row in rows if row["id"] == stored.run.run_id), None)
    result = policy.document(on_board(board, stored) if board else stored.document)
    sections = [*stored.sections, *_read_sections(stored, shown)]
    masked = {"items": policy.masked(stored.items), "sections": policy.masked(sections)}
    run = stored._replace(document=result, **masked)
    return {
        "key": document["key"] if document else "result",
        "board": board_path(document["key"]) if document else "",
        "title": document["title"] if document else run.run.benchmark,
        "what": _what(document) if document else f"{result['dataset']['name']} pack",
        "glance": _glance(document, row, *place_and_meaning(board, run))
        if board and document
        else None,
        "mark": row["completeness"] if row else "",
        "judge": str(judge_in(result) or ""),
        "run_id": run.run.run_id,
        "verdict": verdict_on(board, run),
        "tally": tally(result) + (_beside_rating(document, row) if document else ""),
        "charts": [*_placed(run, shown, row), *among_published(run)],
        "special": special_of(document, row) if document else [],
        "profiles": profiles([result]),
        "parts": [shown_part(part) for part in run.sections if not is_charted(part)],
        "graded": graded_name(run),
        "less_is_better": document and document["metric"]["higher_is_better"] is False,
        "gains": _gains(run, shown),
        "items_plot": items_plot(run),
        "named": named_items(run),
        "cells": {
            item: path if "#" in path else Address(f"{path}#{graded_name(run)}")
            for item, path in (shown.item_paths if shown else {}).items()
        },
        "value": plain_name(run.items.value or "score"),
        "samples": list(sample_lines(run)),
        "anchors": {row.item_id: anchor(run, row.item_id) for row in stored.items.items},
        "texts": (),
        "without_texts": "",
        "conclusions": findings(board, result),
        "cost": cost(result),
        "settings": how_it_was_run(run),
        "command": policy.command(run.run, stored.document, run.addresses),
        "others": other_runs(run.run, runs),
        "limits": limits_of(document, run, row),
    }


def _read_sections(run: SiteRun, shown: Shown | None) -> Sequence[Part]:
    """The sections that read runs; none where texts are not published, or are too many."""
    if shown and not (shown.texts and shown.reads_runs):
        return ()
    members = shown.board.runs.values() if shown else ()
    others = [other.stored for other in members if other.run.run_id != run.run.run_id]
    return run.read_sections(run.document, [run.stored, *others])


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


class Glance(NamedTuple):
    """A line of the table that a model's page begins with."""

    rank: str
    meaning: str
    metric: str = ""
    value: str = "–"
    interval: str = "–"


def _glance(document: SiteBoardDocument, row: SiteRow | None, rank: str, meaning: str) -> Glance:
    """A model's place on a board, its number with its interval, and what that says."""
    if row is None or number_of(row) is None:
        return Glance(rank, meaning)
    chosen = f" ({row['chosen']})" if row["chosen"] and not document["rated"] else ""
    value, interval = in_chart(row).cells[:2]
    return Glance(rank, meaning, number_name(document) + chosen, value, interval)


def _beside_rating(document: SiteBoardDocument, row: SiteRow | None) -> str:
    """The score of a model that is ranked by its rating."""
    if row is None or row["score"] is None or row["rating"] is None:
        return ""
    return f"; {document['metric']['label']} {figure(row['score'])} {ends(row['score_ci95'])}"


def _gains(run: SiteRun, shown: Shown | None) -> Sequence[object]:
    """Where a run is furthest from what its board's models got on an item; nothing of one alone."""
    if (
        shown is None
        or len(shown.board.runs) < 2
        or not any(r.value is not None for r in run.items.items)
    ):
        return ()
    less = shown.document["metric"]["higher_is_better"] is False
    return gains_of(run, shown.means, less_is_better=less)


def _placed(run: SiteRun, shown: Shown | None, row: SiteRow | None) -> list[RowChart]:
    """The models next to one on its board and its baselines, else those that its result rates."""
    if shown is None or row is None:
        chart = among_rated(run.document)
        return [*standing(run), *([chart] if chart else [])]
    if number_of(row) is None:
        return []
    if len(shown.document["rows"]) < 2:
        return standing(run)
    if shown.document["rated"]:
        return [*standing(run), _neighbours(shown, row)]
    return [_neighbours(shown, row, baseline_rows(run.document))]


def _neighbours(shown: Shown, of: SiteRow, baselines: Sequence[ChartRow] = ()) -> RowChart:
    """The models next to one, with intervals, and among them the baselines."""
    document, rows = shown.document, shown.document["rows"]
    n, near = rows.index(of), len(rows) if shown.near is None else shown.near
    chart = [
        in_chart(row)._replace(
            name=row["model"],
            kind="own" if row is of else "other",
            rank=ranks(row["rank"]),
            href="" if row is of or not row["href"] else Address(row["href"]),
        )
        for row in rows[max(0, n - near) : n + near + 1]
        if number_of(row) is not None
    ]
    if baselines:
        up = -1 if document["metric"]["higher_is_better"] is False else 1
        chart = sorted([*chart, *baselines], key=lambda one: -up * (one.marks[0].value or 0.0))
    what = number_name(document)
    engine = f", by {document['engine']}" if document["rated"] and document["engine"] else ""
    caption = (
        f"Its neighbours on the board, with 95 % intervals and the ranks they may have ({what}"
        f"{engine})"
    )
    return ladder(caption, chart, (what, "95 % interval"))
