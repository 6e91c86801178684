"""How many votes judges are worth, held against planted errors in common."""

import numpy as np
import pytest

from eibench.core.statistics.bootstrap import Floats
from eibench.core.statistics.votes import effective_votes, quality_elsewhere

MODELS, ITEMS = 10, 30


def planted(rng: np.random.Generator, shared: float = 0.0, judges: int = 0) -> Floats:
    """Three judges' verdicts: truth and errors, of which the first few share a part."""
    truth = rng.normal(0, 1, (MODELS, 1)) + rng.normal(0, 1, (1, ITEMS))
    errors, common = rng.normal(0, 1, (MODELS * ITEMS, 3)), rng.normal(0, 1, (MODELS * ITEMS, 1))
    errors[:, :judges] = shared * common + np.sqrt(1 - shared**2) * errors[:, :judges]
    return np.asarray(truth.reshape(-1, 1) + errors)


def votes(verdicts: Floats, *, calibrated: bool = True) -> tuple[float, float]:
    """The bound and its upper end."""
    items, models = np.tile(np.arange(ITEMS), MODELS), np.repeat(np.arange(MODELS), ITEMS)
    quality = quality_elsewhere(verdicts.mean(axis=1), models, items) if calibrated else None
    found = effective_votes(verdicts, items, quality, replicates=400)
    assert found.value is not None
    return found.value, found.ci95[1] if found.ci95 else found.value


def test_independent_judges_are_worth_all_their_votes() -> None:
    """In 19 of 20 worlds."""
    rng = np.random.default_rng(1)
    assert sum(votes(planted(rng))[0] == 3 for _ in range(40)) >= 38


def test_errors_that_two_of_three_share_are_found() -> None:
    """3 / (1 + 2 rho) with a mean correlation of 0.81 / 3; the upper end holds it."""
    rng, truth = np.random.default_rng(2), 3 / (1 + 2 * 0.81 / 3)
    found = [votes(planted(rng, 0.9, 2)) for _ in range(40)]
    assert np.mean([value for value, _ in found]) == pytest.approx(truth, abs=0.05)
    assert sum(high >= truth for _, high in found) >= 36


def test_errors_that_all_share_cannot_be_seen() -> None:
    """The bound stays above the truth, 1.5 votes: it is one, and no estimate."""
    rng = np.random.default_rng(3)
    assert np.mean([votes(planted(rng, np.sqrt(0.5), 3))[0] for _ in range(20)]) > 2.8


def test_a_judge_of_half_the_range_is_calibrated_by_other_transcripts() -> None:
    """Without that it looks as if the others shared errors."""
    rng, narrow = np.random.default_rng(4), np.array([1.0, 1.0, 0.5])
    worlds = [planted(rng) * narrow for _ in range(20)]
    assert np.mean([votes(world)[0] for world in worlds]) > 2.9
    assert np.mean([votes(world, calibrated=False)[0] for world in worlds]) < 2.2


def test_a_judge_with_more_noise_shares_none() -> None:
    """Three times the others' errors."""
    rng = np.random.default_rng(5)
    worlds = [planted(rng) for _ in range(20)]
    noise = [np.column_stack([w[:, :2], w[:, 2] + rng.normal(0, 3, len(w))]) for w in worlds]
    assert np.mean([votes(world)[0] for world in noise]) > 2.9


@pytest.mark.parametrize(
    ("shape", "reason"), [((30, 2), "needs 3 judges"), ((5, 3), "8 different texts")]
)
def test_too_few_judges_or_families_give_no_number(shape: tuple[int, int], reason: str) -> None:
    """With the reason."""
    found = effective_votes(np.random.default_rng(6).normal(size=shape))
    assert found.value is None
    assert reason in str(found.reason)


def test_quality_needs_three_models() -> None:
    """With two there is nothing to hold a judge's range against."""
    assert quality_elsewhere([1.0, 2.0], ["a", "b"], ["1", "1"]) is None
