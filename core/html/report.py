"""`bench report`: the site's pages of a run in one file, or several runs side by side."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..journal import RunRecord
from ..reports.comparability import judge_in
from ..reports.comparing import RunComparison
from ..reports.statements import pair_statement
from . import result_charts
from .board_document import board_document
from .charts.rows import SHAPES, legend_mark
from .gather import SiteBoard, SiteRun
from .item_pages import item_pages, items_on
from .judge_pages import judge_pages
from .model_page import alike_in, item_lines, run_part, shown_on
from .one_run import how_it_was_run
from .policy import Policy
from .rendering import Head, Page, in_one_file, page_of
from .slugs import model_path
from .transcripts import ItemText, contents, packed

OPEN = Policy("all", public=False)
"""Nothing is left out: for the reader whose runs they are."""


class RunInput(NamedTuple):
    """One run, the board that counts it, all that was said where that is shown, and all runs."""

    run: SiteRun
    board: SiteBoard | None = None
    texts: Sequence[ItemText] = ()
    runs: Sequence[RunRecord] = ()


def run_report(report: RunInput, policy: Policy = OPEN) -> str:
    """One file of one run: the pages that a site has of it, its judge and its items."""
    return in_one_file(list(_pages(report, policy)), _head([report.run], policy), policy.masked)


def _pages(report: RunInput, policy: Policy) -> Iterator[Page]:
    run, board = report.run, report.board
    document: Any = policy.masked(board_document(board)) if board else None
    shown = shown_on(board, document, policy)._replace(near=None) if board else None
    part = run_part(run, shown, policy, report.runs)
    if board:
        part["judge"] = ""  # what was found of it stands on its own page
    packs = {text.record["item_id"]: packed(contents(policy.published(text)))
             for text in report.texts}  # fmt: skip
    part["texts"] = [line._replace(packed=packs[line.item_id]) for line in item_lines(run)
                     if line.item_id in packs]  # fmt: skip
    yield page_of("model.html", model_path(run.run.name), parts=[part], past=(),
                  other=None, **alike_in([part]))  # fmt: skip
    if board:
        yield from judge_pages([(board, document)])
    if board and len(board.runs) > 1:
        pages = item_pages(board, document, items_on(board, document))
        yield from pages if packs else (page for page in pages if page.template == "items.html")


def runs_report(
    runs: Sequence[SiteRun],
    comparisons: Sequence[RunComparison],
    policy: Policy = OPEN,
) -> str:
    """One file of several runs of one benchmark and pack, each compared with the first."""
    documents = [policy.document(run.document) for run in runs]
    warnings = [w for document in documents for w in document["warnings"]]
    warnings += [warning for comparison in comparisons for warning in comparison.warnings]
    page = page_of(
        "several_runs.html",
        "compare.html",
        verdicts=[f"{pair_statement(comparison).text}." for comparison in comparisons],
        side_by_side=result_charts.side_by_side(documents),
        paired=result_charts.paired(comparisons),
        deltas=[result_charts.deltas(c, n) for n, c in enumerate(comparisons, 1)],
        method=comparisons[0].method if comparisons else None,
        profiles=result_charts.profiles(documents),
        keys=[(legend_mark(SHAPES[n % 4], n), d["name"]) for n, d in enumerate(documents)],
        runs=[
            (document["name"], how_it_was_run(run._replace(document=document)),
             policy.command(run.run, document, run.addresses))
            for run, document in zip(runs, documents, strict=True)
        ],
        warnings=list(dict.fromkeys(warnings)),
    )  # fmt: skip
    return in_one_file([page], _head(runs, policy), policy.masked)


def _head(runs: Sequence[SiteRun], policy: Policy) -> Head:
    """What stands above a report."""
    documents = [policy.document(run.document) for run in runs]
    *others, last = (document["name"] for document in documents)
    title = f"{', '.join(others)} and {last}" if others else last
    judges = dict.fromkeys(filter(None, map(judge_in, documents)))
    chips = [f"{documents[0]['dataset']['name']} pack", *(f"judge {judge}" for judge in judges),
             *dict.fromkeys(run.run.created_at[:10] for run in runs)]  # fmt: skip
    demo = any(document["demo"] for document in documents)
    return Head(documents[0]["benchmark"], title, demo, chips)
