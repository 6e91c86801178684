"""What items say of models: difficulty, discrimination, reliability, and smaller selections.

All numbers are of a table with a row for each model and a column for each item.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eibench import UsageError
from eibench.statistics import fisher_interval, pearson, spearman, student_quantile

Floats = npt.NDArray[np.float64]
FEWEST_MODELS = 8
"""A board's reliability, and intervals and correlations over models, need so many: of fewer, they
reach from one end of what is possible to the other."""
FEWEST_FOR_CHOICE = 12
"""A choice by discrimination needs so many models."""
RANDOM_PACKS = 200
BY_DIFFICULTY, BY_DISCRIMINATION = "difficulty", "discrimination"


@dataclass(frozen=True)
class ItemMatrix:
    """What each model got on each item.

    Attributes:
        models: Their names.
        items: Their ids.
        scores: Shape (models, items).
        higher_is_better: Whether greater ones are better.
        ends: The smallest and the largest that a score can be.
    """

    models: tuple[str, ...]
    items: tuple[str, ...]
    scores: Floats
    higher_is_better: bool = True
    ends: tuple[float, float] = (-inf, inf)

    def only(self, kept: Sequence[int]) -> "ItemMatrix":
        """Some of the models."""
        models = tuple(self.models[n] for n in kept)
        return replace(self, models=models, scores=self.scores[list(kept)])

    def without(self, model: int) -> "ItemMatrix":
        """All models but one."""
        return self.only([n for n in range(len(self.models)) if n != model])


class ItemStudy(NamedTuple):
    """An item.

    Attributes:
        difficulty: The mean over models.
        ci95: Its interval over models (Student's t), no further than a score can be; ``None`` of
            fewer than eight models, and where all score alike.
        discrimination: The correlation with the mean of the other items (item-rest), with
            Fisher's interval; ``None`` of fewer than eight, and where either does not vary.
        wrong_way: Whether that interval lies below 0.
    """

    item_id: str
    difficulty: float
    ci95: tuple[float, float] | None
    discrimination: float | None
    discrimination_ci95: tuple[float, float] | None
    wrong_way: bool


def study_items(table: ItemMatrix) -> list[ItemStudy]:
    """Each item, in the order of the table."""
    scores, n, (low, high) = table.scores, len(table.models), table.ends
    total = scores.sum(axis=1)
    rows = []
    for k, item in enumerate(table.items):
        column = scores[:, k]
        mean, ends = float(column.mean()), None
        if n >= FEWEST_MODELS and np.ptp(column):
            half = float(student_quantile(0.975, np.array(n - 1.0))) * column.std(ddof=1) / sqrt(n)
            ends = (max(low, mean - half), min(high, mean + half))
        r = _correlation(column, total - column)
        span = None if r is None else fisher_interval(r, n)
        rows.append(ItemStudy(item, mean, ends, r, span, bool(span and span[1] < 0)))
    return rows


def _correlation(one: Floats, other: Floats) -> float | None:
    if one.size < FEWEST_MODELS or not np.ptp(one) or not np.ptp(other):
        return None
    return pearson(one.tolist(), other.tolist()).value


class Reliability(NamedTuple):
    """How far the order of models would come out again with other items; or why there is none."""

    value: float | None
    ci95: tuple[float, float] | None
    reason: str | None


def reliability(table: ItemMatrix) -> Reliability:
    """1 - s^2(residual) / (I var(model means)): Hoyt's, which is Cronbach's alpha of the items.

    The interval is that of Hakstian and Whalen (1976), Psychometrika 41, 219-231.
    """
    n, k = table.scores.shape
    if n < FEWEST_MODELS:
        return Reliability(None, None, f"needs at least {FEWEST_MODELS} models, and there are {n}")
    if k < 2:
        return Reliability(None, None, "needs two items, and there is one")
    means = table.scores.mean(axis=1)
    spread = float(means.var(ddof=1))
    if not spread:
        return Reliability(None, None, "none, as all models score alike")
    residual = table.scores - means[:, None] - table.scores.mean(axis=0) + table.scores.mean()
    error = float((residual**2).sum()) / ((n - 1) * (k - 1))
    alpha = 1 - error / k / spread
    root = (1 - alpha) ** (1 / 3)
    deviation = sqrt(18 * k * (n - 1) / (k - 1)) * root / (9 * n - 11)
    low, high = (1 - (root + sign * 1.96 * deviation) ** 3 for sign in (1, -1))
    return Reliability(alpha, (low, min(1.0, high)), None)


Choice = Callable[[ItemMatrix, int], list[int]]


def evenly(table: ItemMatrix, count: int) -> list[int]:
    """Items at even steps of difficulty."""
    order = np.argsort(table.scores.mean(axis=0), kind="stable")
    steps = (np.arange(count) + 0.5) * len(order) / count
    return sorted(int(order[int(step)]) for step in steps)


def most_discriminating(table: ItemMatrix, count: int) -> list[int]:
    """The items whose correlation with the others is highest."""
    studied = study_items(table)
    ranked = sorted(range(len(studied)), key=lambda k: -(studied[k].discrimination or -2.0))
    return sorted(ranked[:count])


CHOICES: Mapping[str, Choice] = {BY_DIFFICULTY: evenly, BY_DISCRIMINATION: most_discriminating}


class LeftOutModels(NamedTuple):
    """How well a selection does for models that were left out of the choice, one by one.

    Attributes:
        rms: Root mean square of its score less the full one.
        rho: Spearman's correlation over models of how many others each one is above, by the
            selection made without it and by all items: these selections are not equally hard.
        bias: The mean of its score less the full one.
    """

    rms: float
    rho: float | None
    bias: float


def left_out(table: ItemMatrix, count: int, choice: Choice) -> LeftOutModels:
    """The selection made anew without each model, and what that model scores on it."""
    models = range(len(table.models))
    chosen = np.array([table.scores[:, choice(table.without(m), count)].mean(axis=1)
                       for m in models])  # fmt: skip
    return _agreement(chosen, table.scores.mean(axis=1))


def random_packs(table: ItemMatrix, count: int, seed: int = 0) -> list[LeftOutModels]:
    """The same of random selections, which are one for all models."""
    rng, full = Random(seed), table.scores.mean(axis=1)
    drawn = (rng.sample(range(len(table.items)), count) for _ in range(RANDOM_PACKS))
    each = (np.tile(table.scores[:, some].mean(axis=1), (full.size, 1)) for some in drawn)
    return [_agreement(chosen, full) for chosen in each]


def _agreement(chosen: Floats, full: Floats) -> LeftOutModels:
    """By what all models score on the items that are chosen without each, shape (left out, all)."""
    gap = np.diagonal(chosen) - full
    both = _above(chosen), _above(np.tile(full, (full.size, 1)))
    rho = spearman(*both).value if full.size > 2 else None
    return LeftOutModels(float(np.sqrt((gap**2).mean())), rho, float(gap.mean()))


def _above(scores: Floats) -> list[float]:
    """How many models each is above by its own row, shape (models, models); half of a tie."""
    of_each = np.diagonal(scores)[:, None]
    return list(((scores < of_each) + 0.5 * (scores == of_each)).sum(axis=1).tolist())


class SmallerPack(NamedTuple):
    """A smaller pack.

    Attributes:
        items: Their ids.
        by: ``difficulty`` or ``discrimination``.
        measured: For models left out of the choice.
        random: The medians of random packs of that size; and of their rho the 95th percentile.
        accepted: Why it may be used, or why not.
    """

    items: tuple[str, ...]
    by: str
    measured: LeftOutModels
    random: LeftOutModels
    random_high: float | None
    accepted: bool
    reason: str


def select(table: ItemMatrix, count: int, by: str) -> SmallerPack:
    """So many items, and what they are worth for models that nobody chose them by.

    Raises:
        UsageError: The number does not fit, or there are too few models.
    """
    if not 2 <= count < len(table.items):
        raise UsageError(f"--select {count}: there are {len(table.items)} items")
    fewest = FEWEST_FOR_CHOICE if by == BY_DISCRIMINATION else 4
    if len(table.models) < fewest:
        what = f"choosing by {by} needs {fewest} models"
        raise UsageError(f"{what}, and there are {len(table.models)}")
    choice = CHOICES[by]
    measured, packs = left_out(table, count, choice), random_packs(table, count)
    rhos = sorted(pack.rho for pack in packs if pack.rho is not None)
    high = rhos[int(0.95 * len(rhos))] if rhos else None
    middle = LeftOutModels(
        float(np.median([pack.rms for pack in packs])),
        float(np.median(rhos)) if rhos else None,
        float(np.median([pack.bias for pack in packs])),
    )
    items = tuple(table.items[k] for k in choice(table, count))
    if by == BY_DIFFICULTY:
        return SmallerPack(items, by, measured, middle, high, True, "it keeps the score")
    beats = measured.rho is not None and high is not None and measured.rho > high
    reason = (
        "models left out of the choice are ranked better than by 95 % of random packs"
        if beats
        else "models left out of the choice are ranked no better than by random packs"
    )
    return SmallerPack(items, by, measured, middle, high, beats, reason)
