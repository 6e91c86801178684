"""Where a score would stand among the published ones."""

from eibench import ResultDocument, Table, folder
from eibench.emotion_ratings import PublishedScores

MAY_STAND = "may stand beside the published scores of 2023 and 2024, some of them with revision"
"""How the comparability line of a result ends that may."""

PUBLISHED = PublishedScores(
    folder("eqbench_v2") / "published_scores.csv",
    "published scores of EQ-Bench v2",
    note="Those models were run in 2023 and 2024, open ones often quantised, some with critique "
    "and revision and some without; intervals were not published, and at 171 questions "
    "half-widths of 2 to 7 points are usual.",
)


def standing(document: ResultDocument) -> Table | None:
    """The published scores around a result, where its comparability line allows it."""
    may = document["comparability"].endswith(MAY_STAND)
    return PUBLISHED.around(document) if may else None
