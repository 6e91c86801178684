"""What a benchmark says of the values that its scores hold, and of what is made of their means."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Literal, NamedTuple

from ..types import Item, Score
from .options import Options

KINDS = ("number", "share")
Means = Mapping[str, float]
"""Means of values by name."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number that each score of a benchmark holds, and the metric over all samples.

    Attributes:
        name: As in `Score.values`, and of the metric.
        label: What a table calls it; the name if empty.
        kind: One of `KINDS`; a ``share`` is from 0 to 1, mostly 0 or 1, with Wilson's interval.
        range: The smallest and the largest it can be, which every score is held to.
        higher_is_better: ``None`` where neither end is better.
        judged: Whether the judge gives it; ``False`` for one such as a length.
        by: Keys of `Item.tags`: a metric for each tag beside the one over all.
        group: The heading that a table puts it under; empty for the main ones.
        over: What the interval is over, such as ``messages``.
        mean_of: Names of the values that it is the mean of, in each sample; then no score holds it.
        macro: A key of `Item.tags`: the metric is the mean of the mean in each tag, so that each
            tag counts alike however many items it has. Every item has that tag.
        when: Options of the benchmark with the value, or the values, that they have where this one
            exists, such as ``{"task": "EU"}``; with others no score holds it.
    """

    name: str
    label: str = ""
    kind: Literal["number", "share"] = "number"
    range: tuple[float, float] | None = None
    higher_is_better: bool | None = True
    judged: bool = True
    by: tuple[str, ...] = ()
    group: str = ""
    over: str = "items"
    mean_of: tuple[str, ...] = ()
    macro: str = ""
    when: Mapping[str, object] = field(default_factory=dict)

    def in_score(self, score: Score) -> float | None:
        """What a score says of it; ``None`` where it says nothing."""
        if not self.mean_of:
            return score.values.get(self.name)
        known = [v for name in self.mean_of if (v := score.values.get(name)) is not None]
        return sum(known) / len(known) if known else None

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest that it can be."""
        return self.range or ((0.0, 1.0) if self.kind == "share" else (-inf, inf))

    def exists(self, options: Options) -> bool:
        """Whether scores hold it, or it is made, with these options."""
        chosen = ((options.get(name), some) for name, some in self.when.items())
        return all(v in some if isinstance(some, tuple) else v == some for v, some in chosen)


@dataclass(frozen=True, slots=True)
class Derived(Value):
    """A metric that is computed from the means of other values; no score holds it.

    Its interval is a bootstrap over families, of all these means at once. Where models are ranked
    by it, they are told apart by what each sample adds to first order (the delta method).

    Attributes:
        of: Names of the values, which are none of this kind.
        formula: From the means, by name. Where it divides by zero, or gives NaN or ``None``, there
            is no value. It is called for each resample.
        judged: It is none of what a judge gives.
    """

    judged: bool = False
    of: tuple[str, ...] = field(kw_only=True)
    formula: Callable[[Means], float | None] = field(kw_only=True)

    def from_means(self, means: Sequence[float]) -> float | None:
        """What the formula says of the means, in the order of `of`; ``None`` where it has none."""
        try:
            number = self.formula(dict(zip(self.of, means, strict=True)))
        except ZeroDivisionError:
            return None
        return float(number) if number is not None and isfinite(number) else None


class Weighing(NamedTuple):
    """What samples count in a mean: items that are not there weigh 1.

    Attributes:
        groups: The group of each item, all of which count alike; empty where there is one.
        weights: What an item counts within its group.
    """

    groups: Mapping[str, str]
    weights: Mapping[str, float]

    @property
    def words(self) -> str:
        """How samples count, in words that follow `texts`."""
        return "in groups" if self.groups else "of unequal weight"

    def of(self, items: Collection[str]) -> tuple[list[str], list[float] | None]:
        """Group and weight of each sample, by its item; ``None`` where all weigh 1."""
        weights = [self.weights.get(n, 1.0) for n in items] if self.weights else None
        return [self.groups.get(n, "") for n in items], weights


def weighing(items: Sequence[Item], values: Sequence[Value], name: str) -> Weighing | None:
    """How samples count in the metric of that name; ``None`` where all count alike."""
    value = next((value for value in values if value.name == name), Value(name))
    key, weights = value.macro, {item.id: item.weight for item in items if item.weight != 1}
    if isinstance(value, Derived) or not (key or weights):
        return None
    return Weighing({item.id: item.tags[key] for item in items} if key else {}, weights)
