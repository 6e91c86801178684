"""What trivial respondents get on a pack, exactly: by going through all whole allocations."""

import itertools
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from eibench import Baseline, Item, Table
from eibench.emotion_ratings import without_reading

from .norms import EQ_SD, Norm
from .stories import N_OPTIONS, POINTS

Floats = npt.NDArray[np.float64]


def baselines(items: Sequence[Item], norm: Norm | None) -> dict[str, Baseline]:
    """Random, uniform and the best constant answer: as EQ, or as distance without a norm.

    Random is any of the 286 ways to give ten whole points to four options, all alike. The
    constant gives the same points to the same places of each prompt, so the order there counts.
    """
    answers = allocations()
    shown = np.array([[i.content.reference[o] for o in i.content.order] for i in items])
    distances = _distances(answers, shown)
    means = distances.mean(axis=1)
    best = int(np.argmin(means))
    even = _distances(np.full((1, N_OPTIONS), POINTS / N_OPTIONS), shown)
    sd = float(np.sqrt(distances.var(axis=0).sum())) / len(items)
    whole = {
        "random": Baseline(float(means.mean()), "random", sd=sd),
        "uniform": Baseline(float(even.mean()), "all equal"),
        "best_constant": Baseline(
            float(means[best]), "best constant", answer=tuple(answers[best].tolist())
        ),
    }
    return {name: _on_scale(baseline, norm) for name, baseline in whole.items()}


def rules(items: Sequence[Item], title: str) -> Table:
    """What rules get that never read a story, as distance: the lower the better."""
    words = [item.content.shown for item in items]
    shown = [[i.content.reference[o] for o in i.content.order] for i in items]
    return without_reading(words, shown, _nearness, title, unit="distance", scale=-1.0)


def _nearness(answers: "Floats", references: Sequence[Sequence[float]]) -> Iterator["Floats"]:
    """Minus the distance of answers, scaled to ten points, to each reference."""
    shares = answers / answers.sum(axis=1, keepdims=True) * POINTS
    for reference in references:
        yield -_distances(shares, np.array([reference]))[:, 0]


@cache
def allocations() -> "Floats":
    """All ways to give ten whole points to four options, shape (286, 4)."""
    whole = range(int(POINTS) + 1)
    ways = [w for w in itertools.product(whole, repeat=N_OPTIONS) if sum(w) == POINTS]
    return np.array(ways, dtype=np.float64)


def _distances(answers: "Floats", references: "Floats") -> "Floats":
    """Of each answer to each reference, shape (n_answers, n_references)."""
    return np.asarray(np.linalg.norm(answers[:, None] - references[None], axis=2))


def _on_scale(baseline: Baseline, norm: Norm | None) -> Baseline:
    if norm is None:
        return Baseline(baseline.value, f"distance: {baseline.label}", baseline.sd, baseline.answer)
    sd = None if baseline.sd is None else baseline.sd * EQ_SD / norm.sd
    return Baseline(norm.eq(baseline.value), baseline.label, sd, baseline.answer)
