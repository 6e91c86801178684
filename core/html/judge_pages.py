"""Pages of judges: what was found of each, how it uses its scale, with whom it agrees."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

from ..hooks.sections import Table
from ..reports.judges import JudgesDocument
from ..types.result_document import Grade
from .charts.rows import ChartRow, Mark, RowChart, ladder
from .charts.svg import ends, figure
from .gather import SiteBoard
from .rendering import Page, page_of
from .shapes import SiteBoardDocument
from .slugs import board_path, judge_path

MOST = 21
"""Whole scores that a histogram shows."""


def judge_pages(boards: Sequence[tuple[SiteBoard, SiteBoardDocument]]) -> Iterator[Page]:
    """A page for each judge, or panel, of the boards."""
    of_judges = dict[str, list[Mapping[str, object]]]()
    for board, document in boards:
        if document["judge"]:
            of_judges.setdefault(document["judge"], []).append(_part(board, document))
    for judge, parts in of_judges.items():
        yield page_of("judge.html", judge_path(judge), title=judge, parts=parts,
                      board_path=board_path)  # fmt: skip


def _part(board: SiteBoard, document: SiteBoardDocument) -> Mapping[str, object]:
    """What a board says of its judge."""
    order = get_args(Grade)
    return {
        "document": document,
        "conclusions": sorted(document["conclusions"], key=lambda row: order.index(row["verdict"])),
        "used": _used(board, document),
        "agreement": [*filter(None, (_agreement(s, board.public) for s in board.board.robustness))],
    }


def _used(board: SiteBoard, document: SiteBoardDocument) -> RowChart | None:
    """How often it gave which score, over all criteria, or all answers of yes and no."""
    values = dict[str, list[float]]()
    for run in board.runs.values():
        for sample in (sample for row in run.items.items for sample in row.samples):
            for name, value in sample.values.items():
                if value is not None:
                    values.setdefault(name, []).append(value)
    criteria = {criterion["name"] for criterion in document["criteria"]}
    scores = [v for name, of in values.items() if name in criteria for v in of]
    scores = scores or [v for of in values.values() if set(of) <= {0.0, 1.0} for v in of]
    if not scores or not 0 <= min(scores) <= max(scores) < MOST:
        return None
    counts = Counter(map(round, scores))
    shown = ((n, counts[n]) for n in range(max(counts) + 1))
    rows = [
        ChartRow(str(n), [Mark(float(count))], (f"{count:,}", f"{count / len(scores):.0%}"))
        for n, count in shown
    ]
    caption = f"How often each score was given: {len(scores):,} values of {len(board.runs)} models"
    return ladder(caption, rows, ("count", "share"), names="score", bars=True)


def _agreement(study: JudgesDocument, public: Mapping[str, str]) -> Table | None:
    """How far each two judges agree."""
    if not study.pairs:
        return None
    rows = [
        (*(public.get(one, one) for one in (pair.first, pair.second)),
         figure(pair.rho.value), ends(pair.rho.ci95))
        for pair in study.pairs
    ]  # fmt: skip
    columns = ("judge", "judge", "rank correlation", "95 % interval")
    return Table(f"Agreement of judges on {study.value.replace('_', ' ')}", columns, rows)
