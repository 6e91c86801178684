"""Stories and packs as data: what is read from files, and what an item holds.

And how an answer's points are prepared and its distance taken (Wang et al. 2023, "The SECEU
test for LLMs").
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .norms import Norm

N_OPTIONS = 4
POINTS = 10.0
POINT_NAMES = tuple(f"points_{n}" for n in range(1, N_OPTIONS + 1))
"""What a score calls the points of each option, in the order of the pack."""
ROUNDING = 0.02
"""Four numbers rounded to two decimals may miss their sum by that much."""


class Story(NamedTuple):
    """A story with four emotions, as its file has it; it ends with words such as "She would feel:".

    Attributes:
        options: The emotions, in the order of the file.
        reference: Points of each emotion: the standard scores of people, or what the authors
            decided; ``None`` in a file that is still to be normed.
    """

    id: str
    text: str
    options: tuple[str, ...]
    reference: tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class Contents:
    """What the files of a pack hold.

    Attributes:
        norm: ``None`` where no people were asked: then there are distances, and no EQ.
        prompts: Templates by prompting that the pack brings; others are eibench's own.
    """

    stories: tuple[Story, ...]
    lang: str
    norm: Norm | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)


class AskedStory(NamedTuple):
    """What an item of SECEU holds: a story as it is asked, options and reference in pack order.

    `order` says which option stands at each position of the prompt; `human` is the mean distance of
    the norm's people on this item; `story` is what people are asked.
    """

    prompt: str
    options: tuple[str, ...]
    reference: tuple[float, ...]
    order: tuple[int, ...]
    prompting: str
    human: float | None = None
    story: str = ""

    @property
    def shown(self) -> tuple[str, ...]:
        """The emotions in the order of the prompt."""
        return tuple(self.options[i] for i in self.order)

    def in_pack_order(self, values: tuple[float, ...]) -> tuple[float, ...]:
        """Numbers given in the order of the prompt, put into the order of the pack."""
        placed = dict(zip(self.order, values, strict=True))
        return tuple(placed[i] for i in range(len(values)))


def sums_to_ten(values: Sequence[float]) -> bool:
    """Whether numbers are an allocation of ten points, but for their rounding."""
    return abs(math.fsum(values) - POINTS) <= ROUNDING + 1e-9


def prepared(values: Sequence[float]) -> tuple[float, ...] | None:
    """An answer as it is scored; ``None`` when all are one negative number, which has no direction.

    Four zeros stay; then |minimum| is added to each number if one is negative; then the
    numbers are scaled to sum to 10, unless they do but for rounding.
    """
    if not any(values):
        return tuple(0.0 for _ in values)
    lift = max(0.0, -min(values))
    lifted = [value + lift for value in values]
    total = math.fsum(lifted)
    if total <= 0:
        return None
    if sums_to_ten(lifted):
        return tuple(lifted)
    return tuple(value / total * POINTS for value in lifted)


def distance(answer: Sequence[float], reference: Sequence[float]) -> float:
    """The Euclidean distance of an answer to the standard scores, used as printed."""
    return math.dist(answer, reference)
