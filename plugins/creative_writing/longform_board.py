"""The published board of Longform Writing, and how chapters decline."""

from collections.abc import Sequence
from typing import Any

from eibench import Table, folder, read_rows

from .stories import CHAPTERS

_CHAPTERS = tuple(f"chapter{number}_avg" for number in range(1, CHAPTERS + 1))
_OVERALL, _WHOLE = "overall_score_100", "final_judgement_avg"
_SHOWN = (_CHAPTERS[0], _CHAPTERS[-1], _WHOLE)


def decline(chapters: Sequence[float]) -> float:
    """What is lost from one chapter to the next, by the least-squares line through all."""
    distances = [number - (len(chapters) - 1) / 2 for number in range(len(chapters))]
    rise = sum(far * score for far, score in zip(distances, chapters, strict=True))
    return -rise / sum(far**2 for far in distances)


def published_board() -> Table:
    """The published board as a table of its own, with the decline over its chapters."""
    path = folder("longform_writing") / "published_leaderboard.csv"
    fields = {"model_name": str, **dict.fromkeys((_OVERALL, *_CHAPTERS, _WHOLE), float)}
    rows: list[dict[str, Any]] = read_rows(path, fields)
    rows.sort(key=lambda row: -row[_OVERALL])
    return Table(
        "Published leaderboard of Longform Writing (eqbench.com, mid-2026): another scale",
        ("rank", "model", "overall", "first", "last", "whole", "decline"),
        [
            (rank, row["model_name"], row[_OVERALL], *(round(5 * row[n], 2) for n in _SHOWN),
             round(5 * decline([row[name] for name in _CHAPTERS]), 2))
            for rank, row in enumerate(rows, start=1)
        ],
        note="all from 0 to 100: the overall score, the first and the last chapter, the whole, and "
        "the points lost from one chapter to the next, computed here from the eight columns. The "
        "overall score does not follow from these columns; no intervals are published. Do not read "
        "a score of yours into this table.",
    )  # fmt: skip
