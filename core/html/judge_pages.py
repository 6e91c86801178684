"""Pages of judges: what was found of each, how it uses its scale, with whom it agrees."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

from ..hooks.sections import Table
from ..reports.judges import JudgesDocument
from ..types.result_document import ConclusionRow, Grade
from .charts.rows import ChartRow, Mark, RowChart, ladder
from .gather import SiteBoard
from .rendering import Page, page_of
from .shapes import SiteBoardDocument
from .slugs import board_path, judge_path
from .words import ends, figure

_ORDER = {verdict: n for n, verdict in enumerate(get_args(Grade))}
MOST = 21
"""Whole scores that a histogram shows."""


class JudgeOnBoard(NamedTuple):
    """What a board says of its judge."""

    document: SiteBoardDocument
    conclusions: Sequence[ConclusionRow]
    used: RowChart | None
    agreement: Sequence[Table]


def judge_pages(boards: Mapping[str, tuple[SiteBoard, SiteBoardDocument]]) -> Iterator[Page]:
    """A page for each judge, or panel, of the boards."""
    found = dict[str, list[JudgeOnBoard]]()
    for board, document in boards.values():
        if document["judge"]:
            found.setdefault(document["judge"], []).append(_part(board, document))
    for judge, parts in found.items():
        demo = all(part.document["demo"] for part in parts)
        yield page_of("judge.html", judge_path(judge), title=judge, parts=parts, demo=demo,
                      board_path=board_path)  # fmt: skip


def _part(board: SiteBoard, document: SiteBoardDocument) -> JudgeOnBoard:
    order = sorted(document["conclusions"], key=lambda row: _ORDER.get(row["verdict"], len(_ORDER)))
    agreement = [
        table
        for study in board.board.robustness
        for table in [_agreement(study, board.public)]
        if table
    ]
    return JudgeOnBoard(document, order, _used(board, document), agreement)


def _used(board: SiteBoard, document: SiteBoardDocument) -> RowChart | None:
    """How often it gave which score, over all criteria, or all answers of yes and no."""
    found = dict[str, list[float]]()
    for run in board.runs.values():
        for name, value in (v for row in run.items.items for s in row.samples
                            for v in s.values.items()):  # fmt: skip
            if value is not None:
                found.setdefault(name, []).append(value)
    criteria = {criterion["name"] for criterion in document["criteria"]}
    values = [v for name, of in found.items() if name in criteria for v in of]
    values = values or [v for of in found.values() if set(of) <= {0.0, 1.0} for v in of]
    if not values or not 0 <= min(values) <= max(values) < MOST:
        return None
    counts = Counter(map(round, values))
    rows = [
        ChartRow(str(n), [Mark(float(count))], (f"{count:,}", f"{count / len(values):.0%}"))
        for n in range(max(counts) + 1)
        for count in [counts[n]]
    ]
    caption = f"How often each score was given: {len(values):,} values of {len(board.runs)} models"
    return ladder(caption, rows, ("score", "", "count", "share"), bars=True)


def _agreement(study: JudgesDocument, public: Mapping[str, str]) -> Table | None:
    """How far each two judges agree."""
    if not study.pairs:
        return None
    rows = [
        (
            public.get(pair.first, pair.first),
            public.get(pair.second, pair.second),
            figure(pair.rho.value),
            ends(pair.rho.ci95),
        )
        for pair in study.pairs
    ]
    columns = ("judge", "judge", "rank correlation", "95 % interval")
    return Table(f"Agreement of judges on {study.value.replace('_', ' ')}", columns, rows)
