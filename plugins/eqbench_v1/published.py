"""Where a score would stand among the published ones."""

from eibench import ResultDocument, Table, folder
from eibench.emotion_ratings import PublishedScores

PUBLISHED = PublishedScores(
    folder("eqbench_v1") / "published_scores.csv",
    "scores of table 1 in Paech (2023)",
    note="Those models were run in 2023 under a now historic protocol; their intervals were "
    "not published, and at 60 questions half-widths of 6 to 10 points are usual.",
)


MAY_STAND = "may stand beside table 1 of Paech (2023), a now historic protocol and set of models"
"""How the comparability line of a result ends that may."""


def standing(document: ResultDocument) -> Table | None:
    """The published scores around a result, where its comparability line allows it."""
    may = document["comparability"].endswith(MAY_STAND)
    return PUBLISHED.around(document) if may else None
