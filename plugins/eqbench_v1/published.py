"""Where a score would stand among the published ones."""

import csv
from collections.abc import Mapping
from typing import Any

from eibench import ReportSection, Table, folder

NEIGHBOURS = 3
FILE = folder("eqbench_v1") / "published_scores.csv"


def published_scores() -> list[tuple[str, float]]:
    """Models and scores of Paech (2023), table 1, the best first."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = [(row["model"], float(row["score"])) for row in csv.DictReader(file)]
    return sorted(rows, key=lambda row: -row[1])


def standing(document: Mapping[str, Any]) -> Table | None:
    """The published scores around a result, where it may stand beside them."""
    score = document["metrics"]["score"]["value"]
    if score is None or not _may_stand_there(document):
        return None
    table = published_scores()
    place = sum(published > score for _, published in table)
    ranked = [(str(n), model, value) for n, (model, value) in enumerate(table, start=1)]
    above, below = ranked[max(0, place - NEIGHBOURS) : place], ranked[place : place + NEIGHBOURS]
    return Table(
        title=f"Among the {len(table)} scores of table 1 in Paech (2023)",
        columns=("rank", "model", "score"),
        rows=[*above, ("→", f"{document['name']} (this run)", score), *below],
        marked=len(above),
        note="Those models were run in 2023 under a now historic protocol; their intervals were "
        "not published, and at 60 questions half-widths of 6 to 10 points are usual.",
    )


def _may_stand_there(document: Mapping[str, Any]) -> bool:
    """Whether this is a whole, valid run of the published protocol on the published questions."""
    dataset = document["dataset"]
    whole = document["items"]["total"] == dataset["n_items"] * document["iterations"]
    own = dataset["name"] == "official" and document["options"]["revise"]
    return own and whole and document["status"] == "complete" and not document["demo"]


SECTION = ReportSection("eqbench-v1-published", "eqbench-v1", standing)
