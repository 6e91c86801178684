"""What is found of judges whose likings and errors in common are planted.

    python -m benchmarks.judges [--worlds N]

Liking: judges grade models on 30 items, from 0 to 10. Models differ by a standard deviation of
1, items by 1, judges by 0.5 in strictness and by 0.3 in taste for single models; each verdict has
an error of 1. Each judge has three models of its family, and adds what it likes to them.
Votes: 10 models on 30 items, errors of 1 that judges share in several ways.
"""

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eibench.core.statistics.bootstrap import Floats
from eibench.core.statistics.estimate import Estimate
from eibench.core.statistics.judges import judge_effects
from eibench.core.statistics.kin import (
    Bools,
    liking_for_kin,
    scales_from_items,
    scales_from_models,
)
from eibench.core.statistics.votes import effective_votes, quality_elsewhere

from .measuring import table

MODELS, ITEMS, JUDGES, OWN = 12, 30, 3, 3
TASTE = 0.3


class Liking(NamedTuple):
    """What judges like, and how they use the scale.

    Attributes:
        name: In the table.
        likings: Of each judge, in points; what is estimated is the first.
        models: How many there are.
        span: How widely the first judge uses the scale; 1 of the others.
        taste: Its tastes for single models, standard deviation.
        best: The first judge's kin are the best models.
        equal: All models are equally good.
    """

    name: str
    likings: tuple[float, ...]
    models: int = MODELS
    span: float = 1.0
    taste: float = TASTE
    best: bool = False
    equal: bool = False

    def kin(self) -> Bools:
        """Whether a judge is of a model's family: three of each judge's, the rest of nobody's."""
        family = np.arange(self.models)[:, None] // OWN
        return np.asarray(family == np.arange(len(self.likings)))

    def graded(self, rng: np.random.Generator) -> Floats:
        """Verdicts, shape (models, items, judges)."""
        strengths = np.zeros(self.models) if self.equal else rng.normal(0, 1, self.models)
        strengths = -np.sort(-strengths) if self.best else strengths
        seen = strengths[:, None, None] + rng.normal(0, 1, (1, ITEMS, 1))
        judges = len(self.likings)
        tastes = np.where(np.arange(judges), TASTE, self.taste)
        seen = seen + tastes * rng.normal(0, 1, (self.models, 1, judges))
        seen = seen + rng.normal(0, 1, (self.models, ITEMS, judges))
        spans = np.where(np.arange(judges), 1.0, self.span)
        made = 5 + seen * spans + rng.normal(0, 0.5, judges)
        return np.asarray(made + self.kin()[:, None, :] * np.array(self.likings))


LIKINGS = (
    Liking("1, others 0", (1.0, 0.0, 0.0)),
    Liking("1, all 1", (1.0, 1.0, 1.0)),
    Liking("1, all 1, 9 models, all kin of somebody", (1.0, 1.0, 1.0), 9),
    Liking("1, all 1, two judges", (1.0, 1.0)),
    Liking("0", (0.0, 0.0, 0.0)),
    Liking("0, the other two 1", (0.0, 1.0, 1.0)),
    Liking("0, the other two 1, all models equal", (0.0, 1.0, 1.0), equal=True),
    Liking("0, three times the taste", (0.0, 0.0, 0.0), taste=3 * TASTE),
    Liking("0, 1.6 x the scale, kin are best", (0.0, 0.0, 0.0), span=1.6, best=True),
    Liking("0, 0.6 x the scale, kin are best", (0.0, 0.0, 0.0), span=0.6, best=True),
    Liking("0, 1.6 x the scale, all models equal", (0.0, 0.0, 0.0), span=1.6, equal=True),
    Liking("1, all 1, 1.6 x the scale, kin are best", (1.0, 1.0, 1.0), span=1.6, best=True),
)


class Case(NamedTuple):
    """Errors that judges share.

    Attributes:
        name: In the table.
        sharing: How many judges share a part of their errors.
        correlation: Of the errors of two of these.
        noise: Standard deviation of the last judge's error; 1 of the others.
        span: How widely the last judge uses the scale; 1 of the others.
        calibrated: Whether judges are set on one scale by other transcripts.
    """

    name: str
    sharing: int = 0
    correlation: float = 0.0
    noise: float = 1.0
    span: float = 1.0
    calibrated: bool = True

    @property
    def votes(self) -> float:
        """The variance of one judge's error over that of the mean's, in truth."""
        errors = np.eye(JUDGES)
        errors[: self.sharing, : self.sharing] += self.correlation * (1 - np.eye(self.sharing))
        sizes = np.array([1.0, 1.0, self.noise])
        errors *= sizes[:, None] * sizes
        return float(errors.diagonal().mean() / errors.mean())


CASES = (
    Case("independent"),
    Case("two of three share, correlation 0.8", 2, 0.8),
    Case("two of three share, correlation 0.3", 2, 0.3),
    Case("all share, correlation 0.5", 3, 0.5),
    Case("independent, one with three times the error", noise=3.0),
    Case("independent, one on half the range", span=0.5),
    Case("the same, not calibrated", span=0.5, calibrated=False),
)


def graded(rng: np.random.Generator, liking: float) -> Floats:
    """Verdicts, shape (models, items, judges)."""
    truth = rng.normal(5, 1, (MODELS, 1, 1)) + rng.normal(0, 1, (1, ITEMS, 1))
    strict, taste = rng.normal(0, 0.5, JUDGES), rng.normal(0, TASTE, (MODELS, 1, JUDGES))
    made = truth + strict + taste + rng.normal(0, 1, (MODELS, ITEMS, JUDGES))
    made[:OWN, :, 0] += liking
    return np.asarray(made)


def kin() -> Bools:
    """The first models are the first judge's family, the next the second's."""
    own = np.zeros((MODELS, JUDGES), dtype=bool)
    own[:OWN, 0] = own[OWN : 2 * OWN, 1] = True
    return own


def lift(verdicts: Floats, own: Bools, way: str) -> float:
    """How much more the first judge's family gets, beside the others, than without a liking."""
    if way == "all judges":
        scores = verdicts.mean(axis=(1, 2))
    elif way == "judges that are kin of no model":
        scores = verdicts[:, :, ~own.any(axis=0)].mean(axis=(1, 2))
    else:
        valid = np.where(own[:, None, :], np.nan, verdicts).reshape(-1, JUDGES)
        scores = (
            np.nanmean(valid - judge_effects(valid), axis=1).reshape(MODELS, ITEMS).mean(axis=1)
        )
    return float(scores[:OWN].mean() - scores[OWN:].mean())


WAYS = ("all judges", "judges that are kin of no model", "judges' strictness taken out")


def likings(worlds: int) -> list[list[str]]:
    """A row for each truth: the mean estimate, how often the interval holds it and leaves out 0."""
    rows = []
    for case in LIKINGS:
        by_items, by_models = zip(
            *(_estimates(case, world) for world in range(worlds)), strict=True
        )
        cells = [_told(by_items, case.likings[0]), _told(by_models, case.likings[0])]
        rows.append([case.name, *(cell for of in cells for cell in of)])
    return rows


def _estimates(case: Liking, world: int) -> tuple[Estimate, Estimate]:
    """The first judge's liking, its scale told by items and by models."""
    given, own = case.graded(np.random.default_rng([world, case.models])), case.kin()
    models, items = np.repeat(np.arange(case.models), ITEMS), np.tile(np.arange(ITEMS), case.models)
    scales = scales_from_items(given.reshape(len(items), -1), models, items, items)
    means = given.mean(axis=1)
    return (
        liking_for_kin(means, own, 0, scales),
        liking_for_kin(means, own, 0, scales_from_models(means, own)),
    )


def _told(found: Sequence[Estimate], truth: float) -> list[str]:
    ends = np.array([one.ci95 for one in found if one.ci95])
    middle = float(np.median([one.value for one in found if one.value is not None]))
    covers, zero = ((ends[:, 0] <= at) & (at <= ends[:, 1]) for at in (truth, 0.0))
    return [f"{middle:.2f}", f"{covers.mean():.1%}", f"{1 - zero.mean():.1%}"]


def lifts(worlds: int) -> list[list[str]]:
    """A row per planted liking: what it gives the family on the board."""
    rows, own = [], kin()
    for liking in (0.5, 1.0):
        gained = dict.fromkeys(WAYS, 0.0)
        for world in range(worlds):
            with_it = graded(np.random.default_rng(world), liking)
            without = graded(np.random.default_rng(world), 0.0)
            for way in WAYS:
                gained[way] += (lift(with_it, own, way) - lift(without, own, way)) / worlds
        rows.append([f"{liking:g}", *(f"{gained[way]:.2f}" for way in WAYS)])
    return rows


def votes(worlds: int) -> list[list[str]]:
    """A row per way of sharing errors."""
    rows = []
    items, models = np.tile(np.arange(ITEMS), 10), np.repeat(np.arange(10), ITEMS)
    for case in CASES:
        rng, values, held = np.random.default_rng(1), [], 0
        for _ in range(worlds):
            verdicts = _verdicts(rng, case, len(items))
            quality = quality_elsewhere(verdicts.mean(axis=1), models, items)
            made = effective_votes(verdicts, items, quality if case.calibrated else None)
            assert made.value is not None
            values.append(made.value)
            held += (made.ci95[1] if made.ci95 else made.value) >= case.votes - 1e-9
        mean = f"{np.mean(values):.2f}"
        rows.append([case.name, f"{case.votes:.2f}", mean, f"{held / worlds:.1%}"])
    return rows


def _verdicts(rng: np.random.Generator, case: Case, n: int) -> Floats:
    truth = (rng.normal(0, 1, (10, 1)) + rng.normal(0, 1, (1, ITEMS))).reshape(-1, 1)
    errors, common = rng.normal(0, 1, (n, JUDGES)), rng.normal(0, 1, (n, 1))
    part = np.sqrt(case.correlation), np.sqrt(1 - case.correlation)
    errors[:, : case.sharing] = part[0] * common + part[1] * errors[:, : case.sharing]
    spans = np.array([1.0, 1.0, case.span])
    return np.asarray((truth + errors * np.array([1.0, 1.0, case.noise])) * spans)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=600)
    worlds = parser.parse_args(arguments).worlds
    told = ("median", "covered", "0 left out")
    print(table(("truth", *told, *(f"{name}, by models" for name in told)), likings(worlds)))
    print()
    print(table(("planted", *WAYS), lifts(worlds)))
    print()
    print(table(("errors", "votes", "bound, mean", "upper end holds"), votes(worlds)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
