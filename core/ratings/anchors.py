"""Two models that fix the scale: which they are, and whether they are far enough apart."""

from collections.abc import Sequence
from typing import NamedTuple

from ..errors import UsageError
from ..imported import MARK, plain_name
from .settings import Anchor, AnchorSet

Q = 173.71779276130073
"""Points in a natural unit: 400 / ln 10."""
CENTRE = 1500.0
MIN_GAP = 3.0
"""Fewest standard errors between the anchors; with fewer the scale would be noise."""


class Scale(NamedTuple):
    """How natural units become points: ``rating = place + unit * theta``.

    Attributes:
        unit: Points in a natural unit.
        place: The rating of a model at 0.
        first: Index of the first anchor; None where the scale is not anchored.
        second: Index of the second.
        used: The anchors under the names that the models have.
    """

    unit: float = Q
    place: float = CENTRE
    first: int | None = None
    second: int | None = None
    used: tuple[Anchor, ...] = ()


class FoundAnchors(NamedTuple):
    """Two anchors that are there.

    Attributes:
        first: Index of the model, and its rating.
        second: The same.
    """

    first: tuple[int, float]
    second: tuple[int, float]


def check_anchors(anchors: Sequence[Anchor]) -> tuple[AnchorSet, ...]:
    """One set of the two anchors that a user gave; none if there were none.

    Raises:
        UsageError: There are not two, or they do not make a scale.
    """
    if not anchors:
        return ()
    if len(anchors) != 2:
        raise UsageError(f"a scale has two anchors, not {len(anchors)}: give --anchor twice")
    first, second = anchors
    if first.model == second.model:
        raise UsageError(f"both anchors are {first.model!r}; give two models")
    if first.rating == second.rating:
        raise UsageError(f"both anchors are fixed to {first.rating:g}; give two ratings")
    return (AnchorSet(first, second),)


def find_anchors(models: Sequence[str], sets: Sequence[AnchorSet]) -> FoundAnchors | str:
    """The first set whose models are both there, else why there is none.

    A model matches by its name, else by the last part of its spec, where one alone does. One that
    was imported matches without its mark, where no other does.
    """
    if not sets:
        return "no anchors are given"
    reasons = []
    for anchors in sets:
        places = [_find(models, anchor.model) for anchor in anchors]
        missing = [place for place in places if isinstance(place, str)]
        first, second = places
        if isinstance(first, int) and isinstance(second, int):
            if first != second:
                return FoundAnchors((first, anchors.first.rating), (second, anchors.second.rating))
            missing = [f"both anchors are {models[first]!r}"]
        reasons += missing
    return "; ".join(dict.fromkeys(reasons))


def _find(models: Sequence[str], name: str) -> int | str:
    if name in models:
        return models.index(name)
    last = [i for i, m in enumerate(models) if _last_part(m) == _last_part(name)]
    last = [i for i in last if not models[i].endswith(MARK)] or last
    if len(last) == 1:
        return last[0]
    if not last:
        return f"the anchor {name!r} was not compared"
    could = " or ".join(repr(models[i]) for i in last)
    return f"the anchor {name!r} could be {could}"


def _last_part(spec: str) -> str:
    return plain_name(spec).rsplit("/", 1)[-1].lower()
