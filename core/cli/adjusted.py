"""`bench leaderboard --adjust`: scores by a benchmark's controls, beside those of the board."""

from collections.abc import Sequence
from typing import TypedDict

from ..compare.adjusting import Adjusting
from ..compare.leaderboard import Leaderboard
from ..errors import UsageError
from ..hooks.sections import Table
from ..text import interval, number
from .settings import pairs


class AdjustedRow(TypedDict):
    """A model by the controls, beside its score without them."""

    model: str
    value: float
    ci95: Sequence[float] | None
    rank_ci95_board: Sequence[int] | None
    unadjusted: float | None


class AdjustedBoard(TypedDict):
    """What `--adjust` adds to the document: `percent` of each control, and what is absent."""

    percent: dict[str, float]
    rows: Sequence[AdjustedRow]
    absent: Sequence[str]


def adjusted_board(
    board: Leaderboard, adjusting: Adjusting | None, controls: tuple[str, ...]
) -> AdjustedBoard:
    """The scores with controls of `NAME=PERCENT`, highest first, beside those without.

    Raises:
        UsageError: The board cannot be adjusted, or not so.
    """
    if adjusting is None:
        message = f"no model of this board of {board.benchmark.name} can be adjusted"
        raise UsageError(f"{message}: it has no controls, is rated, or no whole result has a score")
    percent = {}
    for name, text in pairs(controls, "--adjust").items():
        try:
            percent[name] = float(text)
        except ValueError:
            raise UsageError(f"--adjust {name}={text}: give a number from 0 to 100") from None
    as_it_stands = {row["model"]: row["metrics"][board.metric]["value"] for row in board.rows()
                    if board.metric in row["metrics"]}  # fmt: skip
    rows: list[AdjustedRow] = [
        {"model": name, "value": one.value, "ci95": one.ci95, "rank_ci95_board": one.rank,
         "unadjusted": as_it_stands[name]}
        for name, one in adjusting.at(percent).items()
    ]  # fmt: skip
    absent = [f"{control.label}: {control.missing}" for control in adjusting.absent]
    rows.sort(key=lambda row: -row["value"])
    return {"percent": percent, "rows": rows, "absent": absent}


def adjusted_table(adjusted: AdjustedBoard) -> Table:
    """The same as a table."""
    columns = ("rank", "model", "adjusted", "95 % interval", "unadjusted")
    rows = [
        ("–".join(map(str, dict.fromkeys(row["rank_ci95_board"] or ()))) or "–", row["model"],
         number(row["value"]), interval(row["ci95"]), number(row["unadjusted"]))
        for row in adjusted["rows"]
    ]  # fmt: skip
    title = ", ".join(f"{name} {value:g} %" for name, value in adjusted["percent"].items())
    note = "\n".join(f"there is no {text}" for text in adjusted["absent"])
    return Table(f"Adjusted: {title}", columns, rows, note=note, right=(0, 2, 3, 4))
