"""What may come back from a rating engine."""

from collections.abc import Collection
from math import isfinite, isnan
from typing import Any

from .. import ratings
from .calls import Called


def check_ratings(called: Called, value: object, models: Collection[str]) -> None:
    """Refuse what are no ratings of these models, or of some of them."""
    if not isinstance(value, ratings.result.Ratings):
        called.refuse(f"returned {type(value).__name__}, not eibench.Ratings")
    rows: list[Any] = list(value.rows)
    rated = [row.model if isinstance(row, ratings.result.ModelRating) else None for row in rows]
    if len(set(rated)) < len(rated) or not set(models).issuperset(rated):
        called.refuse(f"rated {rated!r:.200}, not each of {sorted(models)!r:.200} at most once")
    for row in rows:
        if not _is_number(row.rating) or not isfinite(row.rating):
            called.refuse(f"returned {row.rating!r} as the rating of {row.model!r}")
        if row.ci95 is not None and not _is_interval(row.ci95):
            called.refuse(f"returned {row.ci95!r} as the interval of {row.model!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isnan(value)


def _is_interval(value: Any) -> bool:
    """Two numbers in order; an end may be open."""
    is_pair = isinstance(value, tuple | list) and len(value) == 2
    if not is_pair or not all(end is None or _is_number(end) for end in value):
        return False
    return None in value or bool(value[0] <= value[1])
