"""What a board says, in one sentence."""

from ..compare.leaderboard import LeaderboardDocument
from ..text import plural
from .shapes import SiteMetric

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def sentence_of(board: LeaderboardDocument, metric: SiteMetric) -> str:
    """Who is first, how sure that is, and what is most worth knowing of the judge."""
    found = [_first(board, metric), _judge(board)]
    return f"{'; '.join(filter(None, found))}."


def _first(board: LeaderboardDocument, metric: SiteMetric) -> str:
    rows = [row for row in board["rows"] if row["rank"] is not None]
    if not rows:
        return f"{plural(len(board['rows']), 'model')}, none of which has a rank"
    if len(rows) == 1:
        return f"{rows[0]['model']} is alone on this board: a second model makes a ranking"
    shared = [row["model"] for row in rows if row["rank_ci95"] and row["rank_ci95"][0] == 1]
    if len(shared) > 1:
        return f"{_counted(len(shared))} models share first place"
    by = "" if rows[0]["rating"] is not None else f" by {metric['label']}"
    sure = " and told apart from all others" if not rows[0]["tied_with"] else ""
    return f"{rows[0]['model']} is first of {len(rows)}{by}{sure}"


def _counted(n: int) -> str:
    return _WORDS[n].capitalize() if n < len(_WORDS) else str(n)


def _judge(board: LeaderboardDocument) -> str:
    """The strongest that was found against the judge."""
    found = {c["verdict"]: c["text"] for c in reversed(board["conclusions"])}
    return next((found[v].rstrip(".") for v in ("strong", "weak") if v in found), "")
