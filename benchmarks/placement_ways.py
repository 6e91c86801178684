"""The ways to place a newcomer that are measured against each other, and the worlds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import cycle, islice
from typing import NamedTuple

import numpy as np

from benchmarks.simulated_logistic import LogisticTournament
from benchmarks.simulated_placements import pool_of
from benchmarks.simulated_rounds import World
from eibench import Comparisons, RatingSettings
from eibench.core.matchmaking.calls import FIRST, Call, Orders, Schedule
from eibench.core.matchmaking.goals import Batch, Goal, NoMoreCalls, TranscriptPool
from eibench.core.matchmaking.matchmaker import Matchmaker
from eibench.core.ratings import glicko2
from eibench.plugins.kit.simulator import NOISE, Noise
from eibench.testing import Tournament

from .placement_error import Ladder

SCORE_ERROR = 0.36
"""Standard deviation of a rubric score about what ability says, units of ability: on the published
board the rating given the score is off by a third of the board's standard deviation."""
KINDS = {"normal": Tournament, "logistic": LogisticTournament}


class Extent(NamedTuple):
    """How large a world is.

    Attributes:
        models: In all.
        newcomers: Of them; the others are on the ladder.
        calls: That the ladder is known from, if all models were on it.
    """

    models: int = 50
    newcomers: int = 10
    calls: int = 10_554


WHOLE, SMALL = Extent(), Extent(12, 2, 700)


def usual_world(kind: str, abilities: tuple[float, ...]) -> Tournament:
    """A simulation in which all models write the usual length."""
    return KINDS[kind](abilities, seed=77, log_length=[8.0] * len(abilities))


@dataclass(frozen=True)
class Place:
    """A world: a ladder, which is known from one random round, and newcomers.

    Args:
        kind: Of the simulation.
        number: Of the world.
        iterations: Of every model.
        noise: Of the judge.
        extent: How large it is.
    """

    kind: str
    number: int
    iterations: int = 1
    noise: Noise = NOISE
    extent: Extent = WHOLE

    @cached_property
    def world(self) -> World:
        """Its models."""
        return World.draw(100 + self.number, self.extent.models, noise=self.noise)

    @cached_property
    def played(self) -> Tournament:
        """Its simulation."""
        world = self.world
        return KINDS[self.kind](
            world.abilities,
            seed=500 + self.number,
            iterations=self.iterations,
            noise=world.noise,
            log_length=world.log_length,
        )

    @cached_property
    def newcomers(self) -> list[int]:
        """Indices of models, in a random order; no anchor is one."""
        models, newcomers, _ = self.extent
        others = [i for i in range(models) if i not in (self.world.high, self.world.low)]
        drawn = np.random.default_rng(self.number).choice(others, newcomers, replace=False)
        return [int(i) for i in drawn]

    @cached_property
    def ladder(self) -> Ladder:
        """What is known of those who are not new: a random round in one order."""
        names = {self.played.models[i] for i in self.newcomers}
        calls = self.played.random_calls(self.extent.calls, orders="one")
        calls = [call for call in calls if not {call.a, call.b} & names]
        return Ladder.of(self.played, calls, self.world.high, self.world.low)

    @property
    def settings(self) -> RatingSettings:
        """The two anchors."""
        return self.world.settings(self.played)

    def pool(self, model: str) -> TranscriptPool:
        """The ladder's transcripts, and one newcomer's."""
        there = {*self.ladder.known.models, model}
        pool = pool_of(self.played)
        return replace(pool, transcripts={m: s for m, s in pool.transcripts.items() if m in there})

    def scores(self) -> Mapping[str, float]:
        """Rubric scores of all models."""
        off = np.random.default_rng([self.number, 8]).normal(0, SCORE_ERROR, self.extent.models)
        found = np.asarray(self.world.abilities) + off
        return dict(zip(self.played.models, found.tolist(), strict=True))


def place_adaptively(
    place: Place, model: str, most: int, *, scored: bool
) -> tuple[list[Call], int]:
    """The calls of `adaptive`, going on to `most`, and after how many of them it stops by itself.

    Only the model's own comparisons are read: the ladder's are known to the matchmaker.
    """
    scores = place.scores() if scored else {}
    pool = replace(place.pool(model), scores=scores)
    goal = Goal(model, pool, glicko2.rate, place.settings, "mixed")
    maker = Matchmaker(goal, place.ladder.known, "adaptive")
    on = Matchmaker(replace(goal, enough=0.0, floor=0.0), place.ladder.known, "adaptive")
    history: list[Batch] = []
    calls: list[Call] = []
    stopped = 0
    while not stopped or len(calls) < most:
        known = place.played.judge(calls) if calls else Comparisons.of(())
        batch = (on if stopped else maker).next_batch(known, history)
        if isinstance(batch, NoMoreCalls):
            if stopped:
                break
            stopped = len(calls)
            continue
        history.append(batch)
        calls += batch.calls
    return calls, stopped


def place_by(place: Place, model: str, schedule: Schedule, orders: Orders) -> list[Call]:
    """All calls of a schedule that looks at the whole ladder."""
    goal = Goal(model, place.pool(model), glicko2.rate, place.settings, orders)
    maker = Matchmaker(goal, place.ladder.known, schedule)
    history: list[Batch] = []
    while True:
        calls = [call for batch in history for call in batch.calls]
        batch = maker.next_batch(place.ladder.with_calls(place.played, calls), history)
        if isinstance(batch, NoMoreCalls):
            return calls
        history.append(batch)


def balanced_calls(place: Place, model: str, n: int) -> list[Call]:
    """A schedule without any choice: all scenarios alike, opponents and orders at random."""
    played, opponents = place.played, place.ladder.known.models
    rng = np.random.default_rng([played.seed, played.models.index(model), 3])
    slots: Sequence[tuple[str, int]] = [
        played.slots[i] for i in rng.permutation(len(played.slots)).tolist()
    ]
    queues = {slot: iter(rng.permutation(len(opponents)).tolist()) for slot in slots}
    first = rng.permutation(np.arange(n) % 2).tolist()
    return [
        Call(slot[0], slot[1], model, opponents[next(queues[slot])], FIRST[order])
        for slot, order in zip(islice(cycle(slots), n), first, strict=True)
    ]
