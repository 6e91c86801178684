"""The same tournament played again and again: whether intervals are what they say.

A repetition draws everything anew but the models: how scenarios suit them, transcripts, the
judge. An interval is good when, of many repetitions, it holds the engine's own mean in 95 %.
Holding the truth is more: a judge's liking for length moves the mean itself.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from eibench.core.ratings.arrays import Floats, Ints
from eibench.core.ratings.comparisons import Comparisons
from eibench.core.ratings.result import Ratings
from eibench.core.ratings.settings import Anchor, AnchorSet, RatingSettings
from eibench.plugins.kit.simulator import NOISE, Noise, Tournament

Rate = Callable[[Comparisons, RatingSettings], Ratings]


class World(NamedTuple):
    """Models that many tournaments are played by, with rising abilities.

    `high` and `low` are the indices of the anchors with 1500 and 200.
    """

    abilities: tuple[float, ...]
    log_length: tuple[float, ...]
    high: int
    low: int
    noise: Noise = NOISE

    @classmethod
    def draw(cls, seed: int, n_models: int = 40, *, noise: Noise = NOISE) -> "World":
        """Abilities between -2 and 2; anchors an eighth of the way from either end."""
        rng = np.random.default_rng([seed, 40])
        abilities = np.sort(rng.uniform(-2, 2, n_models))
        lengths = 8 + 0.3 * rng.normal(size=n_models)
        eighth = n_models // 8
        ends = (n_models - 1 - eighth, eighth)
        return cls(tuple(abilities.tolist()), tuple(lengths.tolist()), *ends, noise)

    def tournament(self, seed: int, iterations: int = 1) -> Tournament:
        """One repetition."""
        return Tournament(
            self.abilities,
            seed=seed,
            iterations=iterations,
            noise=self.noise,
            log_length=self.log_length,
        )

    def settings(self, tournament: Tournament) -> RatingSettings:
        """The two anchors."""
        models = tournament.models
        anchors = AnchorSet(Anchor(models[self.high], 1500), Anchor(models[self.low], 200))
        return RatingSettings((anchors,))


class Repetitions(NamedTuple):
    """What an engine said in each repetition, anchors left out of ratings.

    Attributes:
        ratings: Shape (n_repetitions, n_models - 2).
        half_widths: Of the 95 % intervals, the same shape.
        truth: Shape (n_models - 2,).
        ranks: Of all models, the best 1, shape (n_repetitions, n_models).
        ranks_held: Whether the interval of each rank holds the true one, the same shape.
    """

    ratings: Floats
    half_widths: Floats
    truth: Floats
    ranks: Ints
    ranks_held: Floats

    def coverage(self) -> float:
        """Share of intervals that hold the engine's own expectation.

        The mean of n repetitions stands for it. It holds each of them too, so distances to
        it are sqrt((n - 1) / n) of what they should be, and are stretched back.
        """
        n = len(self.ratings)
        distances = np.abs(self.ratings - self.ratings.mean(axis=0)) * (n / (n - 1)) ** 0.5
        return float((distances <= self.half_widths).mean())

    def coverage_of_truth(self) -> float:
        """Share of intervals that hold the true rating."""
        return float((np.abs(self.ratings - self.truth) <= self.half_widths).mean())

    def coverage_of_ranks(self) -> float:
        """Share of rank intervals that hold the true rank."""
        return float(self.ranks_held.mean())

    def error_ratio(self, t: float) -> float:
        """Mean standard error over the spread of the ratings; `t` is what intervals use."""
        return float((self.half_widths / t).mean() / self.ratings.std(axis=0, ddof=1).mean())

    def rmse(self) -> float:
        """Root of the mean squared distance to the truth."""
        return float(np.sqrt(((self.ratings - self.truth) ** 2).mean()))

    def spearman(self) -> Floats:
        """Rank correlation with the truth in each repetition, shape (n_repetitions,)."""
        n = self.ranks.shape[1]
        squares = ((self.ranks - np.arange(n, 0, -1)) ** 2).sum(axis=1)
        return np.asarray(1 - 6 * squares / (n**3 - n))


def play_rounds(
    rate: Rate,
    world: World,
    seeds: Sequence[int],
    *,
    n_calls: int,
    orders: Literal["one", "both"],
) -> Repetitions:
    """Play a random round of so many calls once for each seed, and rate it.

    Raises:
        ValueError: An engine did not anchor its ratings or gave no intervals.
    """
    n_items = n_calls // (2 if orders == "both" else 1)
    rows = []
    for seed in seeds:
        played = world.tournament(seed)
        ratings = rate(
            played.judge(played.random_calls(n_items, orders=orders)), world.settings(played)
        )
        rows.append([ratings[model] for model in played.models])
        if not ratings.anchors or any(row.tied_with is None for row in rows[-1]):
            raise ValueError(f"no anchored intervals: {ratings.warnings}")
    n = len(world.abilities)
    others = [i for i in range(n) if i not in (world.high, world.low)]
    half_widths = np.array(
        [[row.half_width for row in ratings] for ratings in rows], dtype=np.float64
    )
    held = [[_holds(row.rank_ci95, n - i) for i, row in enumerate(ratings)] for ratings in rows]
    return Repetitions(
        ratings=np.array([[ratings[i].rating for i in others] for ratings in rows]),
        half_widths=half_widths[:, others],
        truth=world.tournament(0).truth(world.high, world.low)[others],
        ranks=np.array([[row.rank for row in ratings] for ratings in rows]),
        ranks_held=np.array(held, dtype=np.float64),
    )


def _holds(interval: tuple[int, int] | None, rank: int) -> bool:
    return interval is not None and interval[0] <= rank <= interval[1]
