"""What a user or a pack wishes of a rating: anchors, a published scheme, weights of items."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..benchmark.published import PublishedScheme


class Anchor(NamedTuple):
    """A model whose rating is fixed.

    Attributes:
        model: A model's name, or the last part of its spec.
        rating: What it is fixed to.
    """

    model: str
    rating: float


class AnchorSet(NamedTuple):
    """Two models that fix a scale: its place and its unit."""

    first: Anchor
    second: Anchor


@dataclass(frozen=True, slots=True)
class RatingSettings:
    """Settings that every engine gets.

    Attributes:
        anchor_sets: The first whose two models are both there is used.
        scheme: How `trueskill` counts, and `staged` picks.
        item_weights: By item, what a comparison on it weighs in the other engines; 1 for an item
            that is not there.
    """

    anchor_sets: tuple[AnchorSet, ...] = ()
    scheme: PublishedScheme = PublishedScheme()  # noqa: RUF009 - a tuple, so shared by right
    item_weights: Mapping[str, float] = field(default_factory=dict)
