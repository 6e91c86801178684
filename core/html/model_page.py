"""The page of a model: what came out on each board, its neighbours, and the items by a rule."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..journal import RunRecord
from ..reports.items import ItemRow, flags_of, status_of
from ..reports.ratings import ranks
from ..types.result_document import Facts
from .board_document import shown_name
from .charts.plots import Figure
from .charts.rows import ChartRow, Mark, RowChart, ladder
from .gather import SiteBoard, SiteRun
from .index_page import number_name
from .item_pages import item_paths
from .model_facts import limits_of, on_board, other_runs, row_of, special_of, verdict_on
from .one_run import cost, how_it_was_run, items_plot, standing, tally
from .policy import Policy
from .profiles import profiles
from .rendering import Page, page_of
from .run_facts import input_of
from .run_files import graded_name, text_name
from .shapes import SiteBoardDocument, SiteRow
from .slugs import Address, model_path, slug
from .words import ends, figure

NEIGHBOURS = 3
"""Models above and below that are shown."""


class Shown(NamedTuple):
    """A board as model pages show it; `texts` says whether its transcripts are there."""

    board: SiteBoard
    document: SiteBoardDocument
    item_paths: Mapping[str, Address]
    texts: bool


def shown_on(board: SiteBoard, document: SiteBoardDocument, policy: Policy) -> Shown:
    """A board as model pages show it."""
    texts = policy.shows(board.board.pack.source.facts)
    return Shown(board, document, item_paths(board), texts)


class NamedItem(NamedTuple):
    """An item that stands for others, by a rule."""

    rule: str
    item: ItemRow
    shown: str
    page: str


class ModelOnBoard(NamedTuple):
    """What a model's page says about one board."""

    document: SiteBoardDocument
    run: SiteRun
    name: str
    verdict: str
    what: str
    short: str
    mark: str
    tally: str
    standing: Sequence[RowChart]
    neighbours: RowChart | None
    profiles: Sequence[RowChart]
    items_plot: Figure | None
    named: Sequence[NamedItem]
    lines: Sequence[tuple[ItemRow, str, str]]
    special: Sequence[str]
    limits: Sequence[str]
    others: Sequence[str]
    conclusions: Sequence[Facts]
    cost: Sequence[tuple[str, str]]
    settings: Sequence[tuple[str, str]]
    command: str
    texts: Mapping[str, str]


def model_page(
    name: str,
    found: Sequence[Shown],
    policy: Policy,
    runs: Sequence[RunRecord] = (),
) -> Page:
    """The page of a model.

    Args:
        name: Its name on boards.
        found: The boards it is on.
        policy: What becomes public.
        runs: All of the journal: those of this model that no board counts are named.
    """
    parts = [_part(shown, name, policy, runs) for shown in found]
    parts.sort(key=lambda part: (not part.short, bool(part.mark)))
    alike = _alike([part.settings for part in parts])
    parts = [p._replace(settings=[fact for fact in p.settings if fact not in alike]) for p in parts]
    return page_of(
        "model.html",
        model_path(name),
        title=shown_name(name),
        parts=parts,
        alike=alike,
        slug=slug,
        demo=any(part.run.run.demo for part in parts),
    )


def _alike(settings: Sequence[Sequence[tuple[str, str]]]) -> list[tuple[str, str]]:
    """What several runs were made with alike; nothing of one run."""
    first, *others = settings
    return [fact for fact in first if all(fact in other for other in others)] if others else []


def _what(document: SiteBoardDocument) -> str:
    """Of what a board is, in words."""
    judge = [f"judge {document['judge']}"] if document["judge"] else []
    return ", ".join([f"{document['pack']} pack", *judge, *document["options"]])


def _short(document: SiteBoardDocument, row: SiteRow | None) -> str:
    """A model's number on a board, and the ranks it may have; nothing where it has none."""
    if row is None or (row["rating"] is None and row["score"] is None):
        return ""
    number = figure(row["score"]) if row["rating"] is None else figure(row["rating"], 0)
    ranked = sum(one["rank"] is not None for one in document["rows"])
    rank = f", rank {ranks(row['rank'])} of {ranked}" if row["rank"] else ""
    return f"{number_name(document)} {number}{rank}"


def _part(
    shown: Shown, name: str, policy: Policy, runs: Sequence[RunRecord]
) -> ModelOnBoard:  # fmt: skip
    board, document, texts = shown.board, shown.document, shown.texts
    run = board.runs[name]
    row, result = row_of(document, run), on_board(board, run)
    given = input_of(run, result, policy)
    return ModelOnBoard(
        document=document,
        run=run,
        name=graded_name(run),
        verdict=verdict_on(board, run, given.document),
        what=_what(document),
        short=_short(document, row),
        mark=row["completeness"] if row else "",
        tally=tally(given.document),
        standing=[chart for chart in standing(given) if not chart.ranked and len(chart.rows) > 1],
        neighbours=_neighbours(document, row),
        profiles=profiles([given.document]),
        items_plot=items_plot(given) if len(given.items.items) > 1 else None,
        named=_named(run, shown.item_paths),
        lines=[(row, figure(row.value), _remarks(row)) for row in run.items.items],
        special=special_of(document, row),
        limits=limits_of(document, run, row),
        others=other_runs(board, run, runs),
        conclusions=document["conclusions"],
        cost=cost(given.document),
        settings=how_it_was_run(given),
        command=given.command,
        texts={row.item_id: text_name(run, row.item_id) for row in run.items.items}
        if texts
        else {},
    )


def _neighbours(document: SiteBoardDocument, own: SiteRow | None) -> RowChart | None:
    """The models next to one, with intervals."""
    rows = document["rows"]
    if own is None or len(rows) < 2:
        return None
    place = rows.index(own)
    near = rows[max(0, place - NEIGHBOURS) : place + NEIGHBOURS + 1]
    rated = document["rated"]
    chart = [
        ChartRow(
            row["model"],
            [Mark(row["rating"], row["rating_ci95"]) if rated
             else Mark(row["score"], row["score_ci95"])],
            (figure(row["rating"], 0) if rated else figure(row["score"]),
             ends(row["rating_ci95"], 0) if rated else ends(row["score_ci95"])),
            "own" if row is own else "other",
            ranks(row["rank"]),
            "" if row is own or not row["href"] else Address(f"../{row['href']}"),
        )
        for row in near
    ]  # fmt: skip
    what = number_name(document)
    caption = (
        f"Its neighbours on the board, with 95 % intervals and the ranks they may have ({what})"
    )
    return ladder(caption, chart, ("", "", what, "95 % interval"))


def _named(run: SiteRun, paths: Mapping[str, Address]) -> list[NamedItem]:
    """The worst, the one in the middle and the best; of equal ones the first by id."""
    rows = [row for row in run.items.items if row.value is not None]
    if not rows:
        return []
    chosen = {"Worst": rows[0], "Median": rows[(len(rows) - 1) // 2], "Best": rows[-1]}
    return [
        NamedItem(rule, row, figure(row.value), paths[row.item_id]) for rule, row in chosen.items()
    ]


def _remarks(row: ItemRow) -> str:
    """What is odd about an item's samples."""
    return "; ".join(filter(None, [status_of(row), flags_of(row)]))
