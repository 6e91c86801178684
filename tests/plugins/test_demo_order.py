"""Demo models come in the order of their ability, whatever judges them."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

import eibench
from eibench import Pairwise

Bench = Callable[..., Any]
MODELS = [f"demo/{name}" for name in ("weak", "medium", "strong")]
JUDGED = {name: one for name, one in eibench.benchmarks().items() if one.judged}
LIMITS = {"confidant": 4, "emotionqueen": 20, "humanebench": 8, "creative-writing-v3": 4}
"""Items that are enough; of the others two are."""
MORE = {
    "confidant": ("--elo", "--exchanges", "4"),
    "mediation-live": ("--exchanges", "1"),
    "spiral-bench": ("--turns", "5"),
}


@pytest.mark.parametrize("name", JUDGED)
def test_demo_models_come_in_the_order_of_their_ability(bench: Bench, name: str) -> None:
    """Plainly so by the number that ranks and the judge's rubric, and by rating if compared."""
    models = [word for model in MODELS for word in ("--model", model)]
    limit = ("--limit", str(LIMITS.get(name, 2)), "--iterations", "1")
    run = ("run", name, "--dataset", "bundled", *models, *limit, *MORE.get(name, ()), "--json")
    runs = bench(*run).json["runs"]
    assert [one["model"] for one in runs] == MODELS
    metrics = [one["metrics"] for one in runs]
    ranked = JUDGED[name].ranked_by or next(iter(metrics[0]))
    for number in {ranked, "rubric_score"} & metrics[0].keys():
        values = [of[number]["value"] for of in metrics]
        assert all(one < 0.95 * other for one, other in pairwise(values)), (number, values)
    rated = [row["model"] for row in runs[-1]["ratings"]]
    assert rated == (MODELS[::-1] if isinstance(JUDGED[name], Pairwise) else [])
