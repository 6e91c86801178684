"""Where a result would stand among the published ones, and which stories it is furthest off on."""

from collections.abc import Mapping, Sequence
from typing import Any

from eibench import ResultDocument, Table, folder, read_rows

from .reading import MAY

NEIGHBOURS = 3
FURTHEST = 5
FILE = folder("seceu") / "published_scores.csv"
PROMPTING = {"direct": "asked directly", "prompted": "best of several, selected"}


def published_scores() -> list[dict[str, Any]]:
    """The models of table 1 in Wang et al. (2023) that have scores, the best first.

    ``seceu_score`` is the mean distance; ``prompted`` is the best of several promptings.
    """
    return sorted((row for row in _rows() if row["eq"]), key=lambda row: row["seceu_score"])


def failed_models() -> list[str]:
    """The models that the paper marks FAILED."""
    return [row["model"] for row in _rows() if row["prompting"] == "failed"]


def _rows() -> list[dict[str, Any]]:
    """A row for each model of the file, with and without scores."""
    numbers = ("seceu_score", "eq", "pattern_r")
    return read_rows(FILE, {"model": str, "prompting": str, **dict.fromkeys(numbers, float | None)})


def standing(document: ResultDocument) -> Table | None:
    """The published scores around a result, where its comparability line lets it stand there."""
    metrics = document["metrics"]
    # Both as the paper counts them: an unread answer is the null vector there.
    names = ("eq_unread_null", "seceu_score_unread_null", "pattern_r")
    # The comparability line knows the pack, the settings and the status.
    if "eq_unread_null" not in metrics or f"; {MAY}" not in document["comparability"]:
        return None
    eq, score, r = (metrics[name]["value"] for name in names)
    if score is None:
        return None
    table = published_scores()
    position = sum(row["seceu_score"] < score for row in table)
    ranked = [(str(n), *_cells(row)) for n, row in enumerate(table, start=1)]
    above, below = (
        ranked[max(0, position - NEIGHBOURS) : position],
        ranked[position : position + NEIGHBOURS],
    )
    prompting = document["options"]["prompting"]
    this_run = ("→", f"{document['name']} (this run)", eq, score, r, prompting)
    return Table(
        title=f"Among the {len(table)} models of table 1 in Wang et al. (2023)",
        columns=("rank", "model", "EQ", "SECEU score", "pattern r", "prompting"),
        rows=[*above, this_run, *below],
        marked=len(above),
        note=_note(),
    )


def published_board() -> Table:
    """All models of the paper's table that have scores, as a table of its own."""
    rows = [(n, *_cells(row)) for n, row in enumerate(published_scores(), start=1)]
    return Table(
        title=f"The {len(rows)} models of table 1 in Wang et al. (2023)",
        columns=("rank", "model", "EQ there", "SECEU score there", "pattern r", "prompting"),
        rows=rows,
        note=_note(),
    )


def _cells(row: Mapping[str, Any]) -> tuple[str, float, float, float, str]:
    return (
        row["model"],
        row["eq"],
        row["seceu_score"],
        row["pattern_r"],
        PROMPTING[row["prompting"]],
    )


def _note() -> str:
    return (
        "Those models are of 2023; no intervals were published, and with 40 stories they are "
        "wide. A selected score is the best of several promptings, so it flatters. "
        f"FAILED there: {', '.join(failed_models())}."
    )


def furthest(document: ResultDocument) -> Table | None:
    """The stories on which a result is furthest from the reference."""
    rows = document["notes"]["items"]
    off = [item_id for item_id, row in rows.items() if row["distance"] > 0]
    worst = sorted(off, key=lambda item_id: -rows[item_id]["distance"])[:FURTHEST]
    if not worst:
        return None
    people = any(rows[i]["human_distance"] is not None for i in worst)
    stories = "story" if len(worst) == 1 else f"{len(worst)} stories"
    table = [
        (
            item_id,
            rows[item_id]["distance"],
            *([rows[item_id]["human_distance"]] if people else []),
            *(_points(rows[item_id][name]) for name in ("answer", "reference")),
        )
        for item_id in worst
    ]
    columns = ("story", "distance", *(["people's"] if people else []), "answer", "reference")
    return Table(
        title=f"The {stories} furthest from the reference",
        columns=columns,
        rows=table,
        note=f"bench show {document['run_id']} STORY prints what was said."
        if document["run_id"]
        else "",
    )


def _points(values: Sequence[float]) -> str:
    return "  ".join(f"{round(value, 2):g}" for value in values)
