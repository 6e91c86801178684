"""The history of a model over its checkpoints, on a board that has two of them or more."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from ..errors import UsageError
from ..reports.comparing import compare
from ..reports.graded import GradedSamples
from ..reports.pairing import Compared
from ..reports.statements import OnBoard, pair_statement
from ..text import Checkpoint, checkpoint
from .board_numbers import in_chart, number_name, number_of
from .charts.plots import Step, over_steps
from .gather import SiteBoard, SiteRun
from .shapes import SiteBoardDocument, SiteRow
from .slugs import Address, model_path
from .words import sentence


class CheckpointRow(NamedTuple):
    """A checkpoint on a board, and the cells of its number and interval."""

    step: int
    path: Address
    row: SiteRow
    cells: Sequence[str]


class History(NamedTuple):
    """Checkpoints on a board, the first step first, and what the last is beside the first.

    `unit` is ``step`` or ``epoch``, `metric` what they are ranked by.
    """

    unit: str
    metric: str
    statement: str
    drawing: Markup
    rows: Sequence[CheckpointRow]


def histories(board: SiteBoard, document: SiteBoardDocument) -> Mapping[str, History]:
    """Of each model that is a checkpoint of a history its history."""
    groups = dict[tuple[str, str], list[tuple[Checkpoint, str]]]()
    numbered = {row["id"]: row for row in document["rows"] if number_of(row) is not None}
    for name, run in board.runs.items():
        if (step := checkpoint(name)) and run.run.run_id in numbered:
            groups.setdefault((step.of, step.unit), []).append((step, name))
    return {
        name: history
        for group in groups.values()
        if len(group) > 1
        for history in [_history(board, document, numbered, sorted(group))]
        for _, name in group
    }


def _history(
    board: SiteBoard,
    document: SiteBoardDocument,
    rows: Mapping[str, SiteRow],
    steps: Sequence[tuple[Checkpoint, str]],
) -> History:
    shown = list[CheckpointRow]()
    for step, name in steps:
        row = rows[board.runs[name].run.run_id]
        shown.append(CheckpointRow(step.step, model_path(name), row, in_chart(row).cells))
    key, unit = number_name(document), steps[0][0].unit
    levels = [] if document["rated"] else [(b["label"], b["value"]) for b in document["baselines"]]
    drawing = over_steps(
        f"{document['title']}: {key} by {unit}, with 95 % intervals",
        [
            Step(one.step, number, mark.ci95, f"{one.row['model']}: {' '.join(one.cells)}",
                 one.path.rpartition("/")[2])
            for one in shown
            for mark in in_chart(one.row).marks
            if (number := mark.value) is not None
        ],
        levels,
    )  # fmt: skip
    return History(unit, key, _statement(board, steps[-1][1], steps[0][1]), drawing, shown)


def _statement(board: SiteBoard, last: str, first: str) -> str:
    """Whether the last is better than the first; empty where they share no sample."""
    read = board.board
    two = [_graded(board, board.runs[name]) for name in (last, first)]
    a, b = two
    if a is None or b is None:
        return ""
    try:
        compared = compare(Compared(read.benchmark, read.pack, a, b))
    except UsageError:
        return ""
    by = "rating" if read.standing and read.standing.rated else board.document["metric"]["label"]
    on_board = OnBoard(len(board.document["rows"]), by, read.told_apart(last, first))
    return sentence(pair_statement(compared, on_board).text)


def _graded(board: SiteBoard, run: SiteRun) -> GradedSamples | None:
    digest, stored = run.document["grader"], run.stored
    by = next((grader for grader in stored.graders() if grader.digest == digest), None)
    return stored.graded(by, board.board.pack.clusters) if by else None
