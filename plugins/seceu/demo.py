"""Answers of demo models: the reference mixed with chance, in the form that is asked for."""

import json
from collections.abc import Sequence
from random import Random

from .stories import POINTS, AskedStory

CLUMSY = 0.4
"""Below this ability a model at times gives other sums, or prose."""


def demo_answer(asked: AskedStory, ability: float, rng: Random) -> str:
    """A reply of a model of that ability: from 0, chance alone, to 1, the reference rounded."""
    if ability < CLUMSY and rng.random() < 0.06:
        return "It is hard to put such feelings into numbers."
    chance = _allocation(len(asked.options), rng)
    target = [asked.reference[i] for i in asked.order]
    mixed = [ability * t + (1 - ability) * c for t, c in zip(target, chance, strict=True)]
    points = _whole(mixed)
    if ability < CLUMSY and rng.random() < 0.15:
        points[rng.randrange(len(points))] += rng.choice((1, 2, 5))
    return _written(asked, points)


def _allocation(n: int, rng: Random) -> list[int]:
    """Ten whole points for n options, each way alike: n - 1 bars among the points."""
    n_slots = int(POINTS) + n - 1
    bars = sorted(rng.sample(range(n_slots), n - 1))
    return [after - before - 1 for before, after in zip([-1, *bars], [*bars, n_slots], strict=True)]


def _whole(points: Sequence[float]) -> list[int]:
    """Rounded to whole points that sum to 10: the largest remainders are rounded up."""
    floors = [int(p) for p in points]
    by_remainder = sorted(range(len(points)), key=lambda i: floors[i] - points[i])
    for i in by_remainder[: int(POINTS) - sum(floors)]:
        floors[i] += 1
    return floors


def _written(asked: AskedStory, points: Sequence[int]) -> str:
    if asked.prompting == "direct":
        return "; ".join(f"({n}) {p}" for n, p in enumerate(points, start=1))
    named = zip(asked.shown, points, strict=True)
    answer = {"Emotion": [{"name": name, "score": p} for name, p in named]}
    steps = [f'"{name}" takes a score of {p}' for name, p in zip(asked.shown, points, strict=True)]
    message = "; ".join(steps) + ".\n" if asked.prompting != "zero-shot" else ""
    return message + json.dumps(answer, ensure_ascii=False)
