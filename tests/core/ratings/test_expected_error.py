"""How far off a rating is expected to be: what `adaptive` chooses by."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.matchmaking.expected_error import Known, Pairings, Sums, shared_variance

SCENARIO = np.array([0, 0, 1, 2, 3, 4])  # the first has two iterations
FAMILY = np.array([0, 1, 2, 2, 2])
SHARE = np.array([1.0, 1.0, 0.1, 1.0, 1.0])
SLOTS = len(SCENARIO)
MODELS = 5


def draw(seed: int, n: int = 8) -> tuple[Known, Pairings]:
    """What is known of six slots of five scenarios in three families, and items that differ."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(MODELS, MODELS))
    known = Known(
        luck=rng.normal(size=(SLOTS, MODELS)),
        doubt=rng.uniform(0.1, 1, (SLOTS, MODELS)),
        strengths=root @ root.T,
        per_slot=0.3,
        shared=0.2,
        family=FAMILY,
        scenario=SCENARIO,
        share=SHARE,
    )
    place = rng.choice(SLOTS * MODELS, n, replace=False)
    slot, opponent = place // MODELS, place % MODELS
    return known, Pairings(opponent, slot, rng.uniform(0.2, 1, n), rng.uniform(0.3, 2, n))


@given(st.integers(0, 10**6))
def test_it_is_the_variance_of_the_weighted_mean(seed: int) -> None:
    """Written out with every unknown as a column: slots, families, transcripts, calls, ratings."""
    known, items = draw(seed)
    o, s, w, v = items
    level = (SHARE / np.maximum(np.bincount(SCENARIO[s], minlength=5), 1))[SCENARIO[s]]
    columns = [
        np.eye(SLOTS)[s] * known.per_slot**0.5,
        np.eye(3)[FAMILY[SCENARIO[s]]] * known.shared**0.5,
        np.diag(known.doubt[s, o] ** 0.5),
        np.diag(v**0.5 / w),  # the score's noise is the same at every weight
        np.eye(MODELS)[o] @ np.linalg.cholesky(known.strengths + 1e-12 * np.eye(MODELS)),
    ]
    mean = level * w / (level * w).sum()
    variance = sum(float(((mean @ column) ** 2).sum()) for column in columns)
    bias = float(mean @ known.luck[s, o])
    sums = Sums(known)
    sums.add(items)
    assert sums.error() == pytest.approx(variance + bias**2, rel=1e-9)


@given(st.integers(0, 10**6))
def test_what_one_more_would_leave_is_what_it_leaves(seed: int) -> None:
    """For every candidate: by counting it in."""
    known, items = draw(seed, 12)
    first, rest = items.only(np.arange(7)), items.only(np.arange(7, 12))
    before = Sums(known)
    before.add(first)
    errors = before.errors_with(rest)
    for k in range(5):
        after = Sums(known)
        after.add(first)
        after.add(rest.only(np.array([k])))
        assert errors[k] == pytest.approx(after.error(), rel=1e-12)


def test_without_items_nothing_is_known() -> None:
    """The error is infinite, and finite after the first."""
    known, items = draw(1)
    sums = Sums(known)
    assert sums.error() == float("inf")
    assert np.isfinite(sums.errors_with(items)).all()


def test_going_on_with_a_copy_leaves_the_sums_as_they_are() -> None:
    """What is tried out does not count."""
    known, items = draw(2)
    sums = Sums(known)
    sums.add(items.only(np.arange(4)))
    before, copy = sums.error(), sums.copy()
    copy.add(items.only(np.arange(4, 8)))
    assert sums.error() == before
    assert copy.error() != before


def test_the_floor_is_the_error_of_the_models_own_luck() -> None:
    """Scenarios by what they weigh, their iterations alike; by hand."""
    known, _ = draw(3)
    weight = np.array([0.5, 0.5, 1, 0.1, 1, 1])
    families = np.array([1, 1, 2.1])
    by_hand = (0.3 * weight @ weight + 0.2 * families @ families) / 4.1**2
    assert known.floor(range(SLOTS)) == pytest.approx(by_hand, rel=1e-12)


def test_more_iterations_lower_the_floor() -> None:
    """By what each transcript has of its own, not by what its family shares."""
    known, _ = draw(4)
    twice = known._replace(scenario=np.tile(SCENARIO, 2))
    shared = known._replace(per_slot=0.0).floor(range(SLOTS))
    own = known.floor(range(SLOTS)) - shared
    assert twice.floor(range(2 * SLOTS)) == pytest.approx(shared + own / 2, rel=1e-12)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_share_of_a_family_is_recovered(share: float) -> None:
    """From lucks of 60 models on 20 families of two, each seen through noise and shrunk."""
    rng = np.random.default_rng(4)
    tau2, noise, n = 0.4, 0.2, 60
    family = np.repeat(np.arange(20), 2)
    own = rng.normal(0, (tau2 * (1 - share)) ** 0.5, (40, n))
    common = rng.normal(0, (tau2 * share) ** 0.5, (20, n))[family]
    reliability = tau2 / (tau2 + noise)
    luck = reliability * (own + common + rng.normal(0, noise**0.5, (40, n)))
    doubt = np.full((40, n), tau2 * (1 - reliability))
    assert shared_variance(luck, doubt, tau2, family) / tau2 == pytest.approx(share, abs=0.1)


def test_a_third_is_shared_where_nothing_is_known() -> None:
    """No comparisons: every luck is 0, in doubt by all of its variance."""
    luck, doubt = np.zeros((SLOTS, MODELS)), np.full((SLOTS, MODELS), 0.4)
    assert shared_variance(luck, doubt, 0.4, FAMILY[SCENARIO]) == pytest.approx(0.4 / 3)
