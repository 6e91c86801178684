"""Which ranks are sure, in words: over families of items, with length taken off, all at once."""

from collections.abc import Mapping, Sequence
from typing import Literal

from ..text import listed, plural
from ..types.result_document import Facts, RatingRow

_NAMED = 3
Ends = Mapping[str, Sequence[int] | None]


def sure_ranks(rows: Sequence[RatingRow], diagnostics: Facts) -> list[str]:
    """Which models have a rank that is one number (95 %), and who may be the first.

    Args:
        rows: Of a rating; nothing is said where none of them has an interval of its rank.
        diagnostics: Of the same rating.
    """
    if not any(row["rank_ci95"] for row in rows):
        return []
    own, board = _ends(rows, "rank_ci95"), _ends(rows, "rank_ci95_board")
    alone: Ends | None = diagnostics.get("rank_ci95_without_length")
    families = own if alone is None else {model: alone.get(model) for model in own}
    lines = [f"over families of items: {_sure(families)}"]
    if alone is None:
        lines.append("with length taken off: no such analysis was made")
    else:
        lines.append(f"with length taken off too: {_sure(own)}")
    lines.append(f"and for all models at once: {_sure(board)}")
    first = [model for model, ends in board.items() if ends and ends[0] == 1]
    said = [f"first place may be that of {listed(first, 5)}"] if first else []
    return [f"ranks that are sure (95 %), of {plural(len(rows), 'model')}:", *lines, *said]


def _ends(rows: Sequence[RatingRow], key: Literal["rank_ci95", "rank_ci95_board"]) -> Ends:
    return {row["model"]: row.get(key) for row in rows}


def _sure(ends: Ends) -> str:
    names = [model for model, found in ends.items() if found and found[0] == found[1]]
    return f"{len(names)} ({listed(names, _NAMED)})" if names else "none"
