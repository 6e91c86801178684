"""The published leaderboard, to be seen beside ratings on the official pack."""

import csv
from typing import Any

from eibench import Table, folder

FILE = folder("eqbench3") / "published_leaderboard.csv"


def published_rows() -> list[dict[str, Any]]:
    """The board's rows, the best first; numbers as numbers."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = [
            {k: v if k == "model_name" else float(v) for k, v in row.items()}
            for row in csv.DictReader(file)
        ]
    return sorted(rows, key=lambda row: -row["elo_norm"])


def published_board() -> Table:
    """The board as a table of its own."""
    columns = ("rank", "model", "rating there", "printed interval", "rubric (0-100)")
    rows = [
        (
            n,
            row["model_name"],
            row["elo_norm"],
            f"{row['ci_low_norm']:.1f} … {row['ci_high_norm']:.1f}",
            row["rubric_0_100"],
        )
        for n, row in enumerate(published_rows(), start=1)
    ]
    return Table(
        "Published leaderboard of EQ-Bench 3 (eqbench.com, mid-2026): another scale",
        columns,
        rows,
        note="anchored at o3 = 1500 and llama-3.2-1b-instruct = 200, by that site's judge; its "
        "printed intervals leave out that models share scenarios and are too narrow. Do not read "
        "a rating of yours into this column.",
    )
