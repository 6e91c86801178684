"""Rates of PASS and WIN: against plain calculations, and what must hold for any verdicts."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eibench.plugins.emotionqueen.scoring import Rates, SampleVerdict, rates
from eibench.statistics import mean_interval, share_interval

VERDICTS = st.lists(
    st.builds(
        lambda statement, bits: SampleVerdict(str(statement), float(bits[0]), float(bits[1])),
        st.integers(0, 12),
        st.sampled_from([(0, 0), (1, 0), (1, 1)]),
    ),
    max_size=40,
)


def verdicts(n: int, seed: int, iterations: int = 1) -> list[SampleVerdict]:
    """Verdicts on n statements, each with its own chance to pass."""
    rng = Random(seed)
    made = []
    for statement in range(n):
        chance = rng.random()
        for _ in range(iterations):
            passed = rng.random() < chance
            made.append(
                SampleVerdict(
                    f"s{statement:03}", float(passed), float(passed and rng.random() < 0.6)
                )
            )
    return made


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


@pytest.mark.parametrize("iterations", [1, 4])
def test_rates_have_the_interval_of_a_share_over_statements(iterations: int) -> None:
    """Each over the samples that it is a share of; the mean of both is no share."""
    made = sorted(verdicts(24, 5, iterations))
    found, statements = rates(made), [v.statement for v in made]
    passing = [v for v in made if v.passed]
    assert found.passed.ci95 == share_interval([v.passed for v in made], statements)
    assert found.won.ci95 == share_interval([v.won for v in made], statements)
    within = share_interval([v.won for v in passing], [v.statement for v in passing])
    assert found.given_pass.ci95 == within
    halves = [(v.passed + v.won) / 2 for v in made]
    drawn = mean_interval(halves, statements, rng=np.random.default_rng(0))
    assert found.both.ci95 == drawn


@pytest.mark.parametrize("iterations", [1, 4])
def test_where_all_agree_every_rate_has_an_interval(iterations: int) -> None:
    """A resample could say nothing else; statements count, however often they were asked."""
    made = [SampleVerdict(str(s), 1.0, 1.0) for s in range(20) for _ in range(iterations)]
    intervals = [estimate.ci95 for estimate in rates(made)[1:]]
    # Wilson's lower end of 20 of 20 with t of 19 degrees, 2.093: 1 / (1 + 2.093^2 / 20); the mean
    # of both is no share: up to 1 - .05^(1 / 20) of statements may be unlike.
    share, mean = ((end, 1) for end in (1 / (1 + 2.093**2 / 20), 0.05 ** (1 / 20)))
    assert intervals == [pytest.approx(ends, abs=1e-4) for ends in (share, share, mean, share)]


def test_asking_again_is_no_new_statement() -> None:
    """The same verdicts three times leave every number and interval as it is."""
    made = verdicts(30, 2)
    once, thrice = rates(made), rates([v for v in made for _ in range(3)])
    assert [e.value for e in once[1:]] == pytest.approx([e.value for e in thrice[1:]])
    for one, three in zip(once[1:], thrice[1:], strict=True):
        assert one.ci95 == pytest.approx(three.ci95)


def test_seven_statements_have_rates_without_intervals() -> None:
    """As often as they may be asked; and no statement has no rate."""
    found = rates([SampleVerdict(str(s), 1.0, 0.0) for s in range(7) for _ in range(5)])
    assert [e.ci95 for e in found[1:]] == [None] * 4
    assert found.passed.value == 1.0
    assert [e.value for e in rates([])[1:]] == [None] * 4


def test_without_a_pass_there_is_no_win_given_pass() -> None:
    """It is a share of nothing: None, not 0."""
    found = rates([SampleVerdict(str(i), 0.0, 0.0) for i in range(5)])
    assert found.given_pass.value is None
    assert found.given_pass.ci95 is None
    assert found.passed.value == 0.0


@settings(max_examples=40, deadline=None)
@given(VERDICTS, st.randoms(use_true_random=False))
def test_any_order_gives_the_same_numbers(made: list[SampleVerdict], random: Random) -> None:
    """Intervals too."""
    shuffled = random.sample(made, len(made))
    assert rates(made) == rates(shuffled)


@settings(max_examples=40, deadline=None)
@given(VERDICTS)
def test_numbers_lie_where_they_can(made: list[SampleVerdict]) -> None:
    """Shares in 0..1, WIN never over PASS, the mean between the two, no NaN."""
    found: Rates = rates(made)
    for estimate in found[1:]:
        parts = [estimate.value, *(estimate.ci95 or ())]
        assert all(part is None or 0 <= part <= 1 for part in parts)
    values = [e.value for e in (found.won, found.both, found.passed) if e.value is not None]
    assert values == sorted(values)
