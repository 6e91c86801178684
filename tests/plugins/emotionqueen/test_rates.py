"""Rates of PASS and WIN: against plain calculations, and what must hold for any verdicts."""

from itertools import accumulate
from math import comb
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eibench.plugins.emotionqueen.rates import Rates, Verdict, rates, wilson

VERDICTS = st.lists(
    st.builds(
        lambda statement, bits: Verdict(str(statement), float(bits[0]), float(bits[1])),
        st.integers(0, 12),
        st.sampled_from([(0, 0), (1, 0), (1, 1)]),
    ),
    max_size=40,
)


def verdicts(n: int, seed: int, iterations: int = 1) -> list[Verdict]:
    """Verdicts on n statements, each with its own chance to pass."""
    rng = Random(seed)
    made = []
    for statement in range(n):
        chance = rng.random()
        for _ in range(iterations):
            passed = rng.random() < chance
            made.append(
                Verdict(f"s{statement:03}", float(passed), float(passed and rng.random() < 0.6))
            )
    return made


def plain_interval(values: dict[str, tuple[float, float]]) -> tuple[float, float]:
    """Percentile interval of a ratio, each resample summed by itself.

    Args:
        values: For each statement what it adds to the numerator and to the denominator.
    """
    pairs = [values[name] for name in sorted(values)]
    rng, k, found = np.random.default_rng(0), len(values), []
    rows = max(1, 100_000 // k)
    for start in range(0, 10_000, rows):
        for draw in rng.integers(0, k, size=(min(rows, 10_000 - start), k)):
            above, below = (sum(pairs[i][side] for i in draw) for side in (0, 1))
            if below:
                found.append(above / below)
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


@pytest.mark.parametrize(("n", "iterations"), [(24, 1), (12, 3)])
def test_rates_and_intervals_equal_a_plain_calculation(n: int, iterations: int) -> None:
    """Sums and resamples made one by one, statements drawn with all their iterations."""
    made = verdicts(n, 5, iterations)
    sums: dict[str, tuple[float, float, int]] = {}
    for verdict in made:
        passed, won, count = sums.get(verdict.statement, (0.0, 0.0, 0))
        sums[verdict.statement] = (passed + verdict.passed, won + verdict.won, count + 1)
    found = rates(made)
    total = len(made)
    n_passed = sum(v.passed for v in made)
    n_won = sum(v.won for v in made)
    assert found.passed.value == n_passed / total
    assert found.won.value == n_won / total
    assert found.both.value == pytest.approx((n_passed + n_won) / 2 / total, abs=1e-12)
    assert found.given_pass.value == n_won / n_passed
    assert found.given_pass.n == n_passed
    for estimate, values in (
        (found.passed, {s: (p, float(c)) for s, (p, _, c) in sums.items()}),
        (found.won, {s: (w, float(c)) for s, (_, w, c) in sums.items()}),
        (found.both, {s: ((p + w) / 2, float(c)) for s, (p, w, c) in sums.items()}),
        (found.given_pass, {s: (w, p) for s, (p, w, _) in sums.items()}),
    ):
        assert estimate.ci95 == pytest.approx(plain_interval(values), abs=1e-12)


def binomial_quantile(n: int, p: float, level: float) -> int:
    """The smallest number of successes that the level does not exceed."""
    sums = accumulate(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1))
    return next(k for k, total in enumerate(sums) if total >= level)


@pytest.mark.parametrize("n_passed", [3, 20, 37])
def test_a_single_rate_resamples_to_a_binomial(n_passed: int) -> None:
    """With one sample per statement a resample has Binomial(n, p) passes: exact to one pass."""
    made = [Verdict(f"{i:02}", float(i < n_passed), 0.0) for i in range(40)]
    found = rates(made).passed
    exact = [binomial_quantile(40, n_passed / 40, level) / 40 for level in (0.025, 0.975)]
    assert found.ci95 == pytest.approx(exact, abs=1 / 40 + 1e-9)
    assert not found.wilson


# Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3.
@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_is_as_published(successes: int, n: int, low: float, high: float) -> None:
    """To the four digits that are printed; mirrored for failures."""
    assert wilson(successes / n, n) == pytest.approx((low, high), abs=5e-5)
    assert wilson(1 - successes / n, n) == pytest.approx((1 - high, 1 - low), abs=5e-5)


def test_wilson_of_nothing_is_an_error() -> None:
    """A share of no trials is no share."""
    with pytest.raises(ValueError, match="no trials"):
        wilson(0.0, 0)


@pytest.mark.parametrize("iterations", [1, 4])
def test_where_all_agree_a_plain_rate_has_wilson_s_interval(iterations: int) -> None:
    """A resample could say nothing else; statements count, however often they were asked."""
    made = [Verdict(str(s), 1.0, 0.0) for s in range(20) for _ in range(iterations)]
    found = rates(made)
    assert found.passed.wilson and found.won.wilson
    assert found.passed.ci95 == pytest.approx((1 - 0.1611, 1), abs=5e-5)  # as 0 of 20 above
    assert found.won.ci95 == pytest.approx((0, 0.1611), abs=5e-5)
    assert not found.both.wilson


def test_asking_again_is_no_new_statement() -> None:
    """The same verdicts three times leave every number and interval as it is."""
    made = verdicts(30, 2)
    once, thrice = rates(made), rates([v for v in made for _ in range(3)])
    assert [e.value for e in once[1:]] == pytest.approx([e.value for e in thrice[1:]])
    for one, three in zip(once[1:], thrice[1:], strict=True):
        assert one.ci95 == pytest.approx(three.ci95)


@pytest.mark.parametrize("made", [[], [Verdict("a", 1.0, 1.0)], [Verdict("a", 1.0, 0.0)] * 5])
def test_one_statement_has_no_interval(made: list[Verdict]) -> None:
    """And none has no value either."""
    found = rates(made)
    assert [e.ci95 for e in found[1:]] == [None] * 4
    assert (found.passed.value is None) == (not made)


def test_without_a_pass_there_is_no_win_given_pass() -> None:
    """It is a share of nothing: None, not 0."""
    found = rates([Verdict(str(i), 0.0, 0.0) for i in range(5)])
    assert found.given_pass.value is None
    assert found.given_pass.ci95 is None
    assert found.passed.value == 0.0


@settings(max_examples=40, deadline=None)
@given(VERDICTS, st.randoms(use_true_random=False))
def test_any_order_gives_the_same_numbers(made: list[Verdict], random: Random) -> None:
    """Intervals too."""
    shuffled = random.sample(made, len(made))
    assert rates(made) == rates(shuffled)


@settings(max_examples=40, deadline=None)
@given(VERDICTS)
def test_numbers_lie_where_they_can(made: list[Verdict]) -> None:
    """Shares in 0..1, WIN never over PASS, the mean between the two, no NaN."""
    found: Rates = rates(made)
    for estimate in found[1:]:
        parts = [estimate.value, *(estimate.ci95 or ())]
        assert all(part is None or 0 <= part <= 1 for part in parts)
    values = [e.value for e in (found.won, found.both, found.passed) if e.value is not None]
    assert values == sorted(values)
