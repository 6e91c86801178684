"""What a run's numbers vary by, and how its person was played."""

from collections.abc import Mapping, Sequence
from statistics import fmean, variance

from eibench import JsonDict, SampleScore

LIMITS = {
    "early": (0.05, "the actor tells points before they are unlocked"),
    "withheld": (0.5, "the actor keeps what it may tell"),
    "praised": (0.5, "the actor praises whatever is said"),
    "broken": (0.1, "the actor breaks the rules of its replies"),
}
"""By value: the share above which the actor is named, and in which words."""


def study(scores: Sequence[SampleScore]) -> JsonDict:
    """The parts of the variance of `voiced`, and what the actor did."""
    return {"variance": _parts(scores), "fidelity": _fidelity(scores)}


def _parts(scores: Sequence[SampleScore]) -> JsonDict | None:
    """Variance between cards and between iterations of a card (one-way, by moments).

    ``None`` with fewer than two cards, or where no card was asked twice. What differs between
    iterations is the draw of the actor, of the model and of the judge together; between two judges
    of a panel see its agreement.
    """
    groups: dict[str, list[float]] = {}
    for one in scores:
        value = one.score.values.get("voiced") if one.score.reason is None else None
        if value is not None:
            groups.setdefault(one.item_id, []).append(value)
    repeated = [values for values in groups.values() if len(values) > 1]
    if len(groups) < 2 or not repeated:
        return None
    freedom = sum(len(values) - 1 for values in repeated)
    within = sum(variance(values) * (len(values) - 1) for values in repeated) / freedom
    each = len(groups) / sum(1 / len(values) for values in groups.values())  # harmonic mean
    between = variance(map(fmean, groups.values())) - within / each
    return {"cards": max(0.0, between), "draws": within, "iterations": each}


def _fidelity(scores: Sequence[SampleScore]) -> JsonDict:
    """Mean shares, and what the actor is named for."""
    shares: dict[str, float] = {}
    for name in (*LIMITS, "trust_first", "left"):
        values = [v for one in scores if (v := one.score.values.get(name)) is not None]
        if values:
            shares[name] = fmean(values)
    named = [text for name, (most, text) in LIMITS.items() if shares.get(name, 0.0) > most]
    return {"shares": shares, "named": named}


def order_by_actor(
    voiced: Mapping[str, Mapping[str, float]],
) -> list[tuple[str, str, int, float | None]]:
    """For each two actors: how many models both talked with, and Spearman's correlation of them.

    Args:
        voiced: By actor, the score of each model.
    """
    from eibench.statistics import spearman

    rows = []
    actors = sorted(voiced)
    for n, one in enumerate(actors):
        for other in actors[n + 1 :]:
            both = sorted(voiced[one].keys() & voiced[other].keys())
            xs, ys = ([voiced[actor][model] for model in both] for actor in (one, other))
            rho = spearman(xs, ys).value if len(both) > 2 else None
            rows.append((one, other, len(both), rho))
    return rows
