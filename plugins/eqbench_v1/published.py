"""Where a score would stand among the published ones."""

from collections.abc import Mapping
from typing import Any

from eibench import ReportSection, Table, folder
from eibench.emotion_ratings import PublishedScores

PUBLISHED = PublishedScores(
    folder("eqbench_v1") / "published_scores.csv",
    "scores of table 1 in Paech (2023)",
    note="Those models were run in 2023 under a now historic protocol; their intervals were "
    "not published, and at 60 questions half-widths of 6 to 10 points are usual.",
)


def standing(document: Mapping[str, Any]) -> Table | None:
    """The published scores around a result, where it may stand beside them."""
    return PUBLISHED.around(document) if _may_stand_there(document) else None


def _may_stand_there(document: Mapping[str, Any]) -> bool:
    """Whether this is a whole, valid run of the published protocol on the published questions."""
    dataset = document["dataset"]
    whole = document["items"]["total"] == dataset["n_items"] * document["iterations"]
    own = dataset["name"] == "official" and document["options"]["revise"]
    return own and whole and document["status"] == "complete" and not document["demo"]


SECTION = ReportSection("eqbench-v1-published", "eqbench-v1", standing)
