"""What a model's page says in words: what is special, how far the result goes, other runs."""

from collections.abc import Iterator, Sequence
from typing import cast

from ..journal import RunRecord
from ..reports.statements import placed_among
from ..types.result_document import ConclusionRow, ResultDocument
from .board_document import conclusions_of
from .gather import SiteBoard, SiteRun
from .shapes import SiteBoardDocument, SiteRow
from .words import signed, verdict

NAMED = 3
"""Criteria that are named as furthest above and below."""


def row_of(document: SiteBoardDocument, run: SiteRun) -> SiteRow | None:
    """The row of a run."""
    return next((row for row in document["rows"] if row["id"] == run.run.run_id), None)


def on_board(board: SiteBoard, run: SiteRun) -> ResultDocument:
    """A run's result with the ratings and what was found of its judge that its board has now.

    Those that the run ended with are of the models that were there then.
    """
    rated, conclusions = board.board.standing, conclusions_of(board)
    document = {**run.document, "ratings": list(rated.ratings) if rated else []}
    document |= {"conclusions": conclusions} if conclusions else {}
    return cast("ResultDocument", document)


def findings(board: SiteBoard | None, document: ResultDocument) -> list[ConclusionRow]:
    """What was found of the judge: on the board, and how several agree on this run."""
    found = conclusions_of(board) if board else []
    found = found or list(document["conclusions"])
    robustness = document.get("robustness")
    return [*found, *(robustness["conclusions"] if robustness else ())]


def verdict_on(board: SiteBoard | None, run: SiteRun) -> str:
    """What came out, in sentences; on a board of scores with the rank there."""
    said = verdict(run.document)
    place = placed_among(board.document["rows"], run.run.name) if board else None
    if run.document["ratings"] or place is None or place.of < 2:
        return said
    facts = ", ".join(filter(None, [place.text, place.apart]))
    return f"{said} On this board: {facts}."


def special_of(document: SiteBoardDocument, row: SiteRow | None) -> list[str]:
    """What is furthest above and below what the model's main number foretells, a sentence each."""
    residual = row["residual"] if row else {}
    labels = {c["name"]: c["label"] for c in document["criteria"]}
    known = [(value, labels[name]) for name, value in residual.items() if value is not None]
    known.sort(reverse=True)
    above = [pair for pair in known if pair[0] > 0][:NAMED]
    below = [pair for pair in known[::-1] if pair[0] < 0][:NAMED]
    found = (("Above", above), ("Below", below))
    return [f"{side} what its place foretells: {_in_words(of)}." for side, of in found if of]


def _in_words(found: Sequence[tuple[float, str]]) -> str:
    return ", ".join(f"{label} {signed(value)}" for value, label in found)


def limits_of(document: SiteBoardDocument | None, run: SiteRun, row: SiteRow | None) -> list[str]:
    """What a reader of the result has to know, a sentence each."""
    return [_sentence(text) for text in dict.fromkeys(_limits(document, run, row))]


def _limits(document: SiteBoardDocument | None, run: SiteRun, row: SiteRow | None) -> Iterator[str]:
    if document and document["demo"]:
        yield "a demo model is on the board, so no number on it says anything of real models"
    if row and row["changed"]:
        yield f"asked otherwise than the pack says: {row['changed']}"
    if document:
        yield document["comparability"]
    yield from run.document["warnings"]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def other_runs(run: SiteRun, runs: Sequence[RunRecord]) -> list[str]:
    """The other runs of the same model and benchmark."""
    own = run.run
    return [
        f"{other.run_id}: {other.status}, {other.created_at[:10]}, {other.pack_name} pack"
        for other in runs
        if other.run_id != own.run_id and (other.name, other.benchmark) == (own.name, own.benchmark)
    ]
