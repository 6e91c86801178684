"""`bench report`: the site's pages of a run in one file, or several runs side by side."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..journal import RunRecord
from ..reports.comparability import judge_in
from ..reports.comparing import RunComparison
from ..reports.statements import pair_statement
from . import result_charts
from .board_document import board_document
from .charts.rows import SHAPES, legend_mark
from .gather import SiteBoard, SiteRun
from .item_pages import item_pages
from .judge_pages import judge_pages
from .model_page import ShownRun, item_lines, run_part, shown_on
from .one_run import how_it_was_run
from .policy import Policy
from .rendering import Head, Page, in_one_file, page_of
from .result_charts import profiles
from .slugs import model_path
from .transcripts import ItemText, packed

OPEN = Policy("all", public=False)
"""Nothing is left out: for the reader whose runs they are."""


class RunInput(NamedTuple):
    """One run.

    Attributes:
        run: Its result with its items.
        board: The board that counts it, if there is one.
        texts: All that was said, where that is wanted.
        runs: All of the journal.
    """

    run: SiteRun
    board: SiteBoard | None = None
    texts: Sequence[ItemText] = ()
    runs: Sequence[RunRecord] = ()


def run_report(given: RunInput, policy: Policy = OPEN) -> str:
    """One file of one run: the pages that a site has of it, its judge and its items."""
    return in_one_file(list(_pages(given, policy)), _head([given.run], policy), policy.masked)


def _pages(given: RunInput, policy: Policy) -> Iterator[Page]:
    run, board = given.run, given.board
    if board is None:
        part = run_part(run, None, policy, given.runs)
        yield _page(run, _with_texts(part, given, policy))
        return
    document = policy.masked(board_document(board))
    shown = shown_on(board, document, policy)._replace(near=None)
    # What was found of the judge stands on its own page.
    part = run_part(run, shown, policy, given.runs) | {"judge": ""}
    yield _page(run, _with_texts(part, given, policy))
    yield from judge_pages([(board, document)])
    if len(board.runs) > 1:
        pages = item_pages(board, document)
        yield from pages if given.texts else (p for p in pages if p.template == "items.html")


def _page(run: SiteRun, part: ShownRun) -> Page:
    return page_of("model.html", model_path(run.run.name), parts=[part], alike=())


def _with_texts(part: ShownRun, given: RunInput, policy: Policy) -> ShownRun:
    texts = {text.record["item_id"]: packed(policy.published(text)) for text in given.texts}
    lines = [line._replace(packed=texts[line.item_id]) for line in item_lines(given.run)
             if line.item_id in texts]  # fmt: skip
    return part | {"texts": lines}


def runs_report(
    runs: Sequence[SiteRun],
    comparisons: Sequence[RunComparison],
    policy: Policy = OPEN,
) -> str:
    """One file of several runs of one benchmark and pack, each compared with the first."""
    shown = [run._replace(document=policy.document(run.document)) for run in runs]
    page = page_of("several_runs.html", "compare.html", **_several(shown, comparisons, policy))
    return in_one_file([page], _head(shown, policy), policy.masked)


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


def _several(
    runs: Sequence[SiteRun], found: Sequence[RunComparison], policy: Policy
) -> Mapping[str, object]:
    documents = [run.document for run in runs]
    warnings = [w for document in documents for w in document["warnings"]]
    warnings += [warning for comparison in found for warning in comparison.warnings]
    return {
        "verdicts": [f"{pair_statement(c).text}." for c in found],
        "side_by_side": result_charts.side_by_side(documents),
        "paired": result_charts.paired(found),
        "deltas": [result_charts.deltas(c, n) for n, c in enumerate(found, 1)],
        "method": found[0].method if found else None,
        "profiles": profiles(documents),
        "keys": [(legend_mark(SHAPES[n % 4], n), d["name"]) for n, d in enumerate(documents)],
        "runs": [(run.document["name"], how_it_was_run(run), policy.command(run.run, run.document))
                 for run in runs],
        "warnings": list(dict.fromkeys(warnings)),
    }  # fmt: skip
