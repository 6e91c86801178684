"""Order flips and position bias: by hand, and planted in a simulated judge."""

from math import erf, exp, sqrt

import pytest

from eibench.core.ratings.auditing.orders import flips_by_noise, read_orders
from eibench.testing import Noise, Tournament

from .conftest import Table

EQUAL = [0.0] * 8
ALIKE = [8.0] * 8
"""Mean logarithm of lengths: all models write as much."""


def phi(x: float) -> float:
    """P(Z <= x) of a standard normal Z."""
    return 0.5 * (1 + erf(x / sqrt(2)))


def mean_margin(lean: float, sd: float) -> float:
    """What a judge that sees Y ~ N(lean, sd^2) writes on average.

    Its pluses are the sign of Y times 1 + the number of 1, 2, 3, 4 that |Y| exceeds, so the
    mean is the sum over k = 0..4 of P(Y > k) - P(Y < -k).
    """
    return sum(phi((lean - k) / sd) - phi((-k - lean) / sd) for k in range(5))


def spread(noise: Noise) -> float:
    """Standard deviation of what a judge sees of two equal models, length left out."""
    own = 2 * noise.family**2 + 2 * noise.transcript**2 + noise.pair**2
    return sqrt(own + noise.position_item**2 + noise.call**2 + noise.criterion**2)


def test_flips_are_pairs_whose_winner_changes(table: Table) -> None:
    """Of four pairs one flips, one has a tied call and is left out: a third."""
    table.both("x", "y", 2, item=1)
    table.both("x", "y", -1, item=2)
    table.add("x", "y", 1, item=3, first="a")
    table.add("x", "y", -3, item=3, first="b")
    table.add("x", "y", {"c": 2, "d": -2}, item=4, first="a")
    table.add("x", "y", 1, item=4, first="b")
    table.add("x", "y", 1, item=5)
    found = read_orders(table.read())
    assert (found.pairs, found.single, found.tied) == (4, 1, 1)
    assert found.flips.value == pytest.approx(1 / 3)
    # First place wins 1 of 2 calls in each pair without a flip, and both in the one with it.
    assert found.first_wins.value == pytest.approx(4 / 6)
    # Half differences: 0, 0, (1 + 3) / 2, (0 - 1) / 2.
    assert found.margin.value == pytest.approx((2 - 0.5) / 4)
    assert found.flips.reason == "an interval needs items with 8 different texts, here are 3"


def test_who_is_called_a_does_not_matter(table: Table) -> None:
    """The judge liked the first place each time; x is a in one pair and b in the other."""
    table.add("x", "y", 3, item=1, first="a")
    table.add("x", "y", -1, item=1, first="b")
    table.add("y", "x", 3, item=2, first="a")
    table.add("y", "x", -1, item=2, first="b")
    found = read_orders(table.read())
    assert (found.margin.value, found.first_wins.value, found.flips.value) == (2, 1, 1)


def test_one_order_says_nothing_of_flips(table: Table) -> None:
    """There is a reason instead of a value."""
    for item in range(9):
        table.add("x", "y", 1, item=item)
    found = read_orders(table.read())
    assert (found.pairs, found.single) == (0, 9)
    for estimate in (found.flips, found.beyond_noise, found.margin, found.first_wins):
        assert (estimate.value, estimate.reason) == (None, "no pair was read in both orders")


def test_pairs_that_are_all_tied_have_no_winner(table: Table) -> None:
    """The margin is known all the same."""
    for first in ("a", "b"):
        table.add("x", "y", {"c": 1, "d": -1}, first=first)
    found = read_orders(table.read())
    assert (found.flips.value, found.flips.reason) == (None, "every pair has a tie")
    assert found.first_wins.value is None
    assert found.margin.value == 0


def test_a_judge_that_never_flips_may_flip_unseen(table: Table) -> None:
    """0 of 8 families: flips up to 0.411, so the first may win 0.5 -+ half of that."""
    for item in range(8):
        table.both("x", "y", 1, item=item)
    found = read_orders(table.read())
    assert found.flips.ci95 == pytest.approx((0, 0.411395), abs=1e-6)
    assert found.first_wins.ci95 == pytest.approx((0.5 - 0.205697, 0.5 + 0.205697), abs=1e-6)


def test_the_planted_flip_rate_is_in_its_interval() -> None:
    """Only pairs and place disturb this judge: winners change where |X| < 0.25, X ~ N(0, 0.5^2).

    That is 2 Phi(1/2) - 1 = 0.3829 of pairs.
    """
    quiet = Noise(family=0, transcript=0, pair=0.5, call=0, criterion=0, position=0.25,
                  position_item=0, length=0, unread=0)  # fmt: skip
    played = Tournament(EQUAL, seed=4, noise=quiet, criteria=1)
    found = read_orders(played.judge(played.random_calls(1000)))
    truth = 2 * phi(0.5) - 1
    assert truth == pytest.approx(0.3829, abs=1e-4)
    assert found.flips.ci95 is not None
    assert found.flips.ci95[0] < truth < found.flips.ci95[1]
    assert found.flips.ci95[1] - found.flips.ci95[0] < 0.1
    # It flips towards the first place only, so that wins 1/2 + half of the flips.
    assert found.first_wins.value == pytest.approx(0.5 + (found.flips.value or 0) / 2)


@pytest.mark.parametrize(
    ("flips", "one_way", "noise"),
    [
        (0.4, 0.0, 0.4),  # as many to the first as to the second: noise
        (0.2, 0.2, 0.0),  # all to the first: none of it
        (0.2, -0.2, 0.0),
        # Equals, of which the first wins 80 %: .64 to the first, .04 to the second. Without the
        # leaning each wins every second call, so half of the pairs flip.
        (0.68, 0.6, 0.5),
        # Odds of no flip, .375, to flips of .5 and .125: their geometric mean is .25 each way.
        (0.625, 0.375, 0.5 / (0.5 + 0.375)),
        (0.0, 0.0, 0.0),
        (1.0, 0.0, 1.0),
    ],
)
def test_flips_by_noise_are_as_many_to_either_place(
    flips: float, one_way: float, noise: float
) -> None:
    """Their odds are the geometric mean of the odds of both kinds."""
    assert flips_by_noise(flips, one_way) == pytest.approx(noise)


@pytest.mark.parametrize(("closeness", "lean"), [(0.0, 0.5), (0.7, 0.3), (2.0, -1.0)])
def test_flips_by_noise_are_those_of_the_same_pairs_without_a_leaning(
    closeness: float, lean: float
) -> None:
    """A logistic judge: the first wins at odds e^(closeness + lean) and e^(lean - closeness)."""
    won = [1 / (1 + exp(-(lean + side * closeness))) for side in (1, -1)]
    first, second = won[0] * won[1], (1 - won[0]) * (1 - won[1])
    fair = 1 / (1 + exp(-closeness))
    assert flips_by_noise(first + second, first - second) == pytest.approx(2 * fair * (1 - fair))


def test_flips_beyond_noise_end_where_the_leaning_may(table: Table) -> None:
    """8 families of 5 pairs; in one pair of each the first text wins both calls: .2 of pairs.

    The first wins .6 of calls in each family, so it is known without error, and so is the rest.
    """
    for family in range(8):
        for item in range(4):
            table.both("x", "y", 1, item=f"{family}{item}", family=f"f{family}")
        table.add("x", "y", 1, item=f"{family}4", family=f"f{family}", first="a")
        table.add("x", "y", -1, item=f"{family}4", family=f"f{family}", first="b")
    found = read_orders(table.read()).beyond_noise
    assert found.value == pytest.approx(0.2)
    assert found.ci95 == pytest.approx((0.2, 0.2))


def test_a_judge_that_never_flips_may_lean_unseen(table: Table) -> None:
    """As far as unseen flips may go, all to one place."""
    for item in range(8):
        table.both("x", "y", 1, item=item)
    found = read_orders(table.read()).beyond_noise
    assert found.value == 0
    assert found.ci95 == pytest.approx((0, 0.411395), abs=1e-6)


@pytest.mark.parametrize("planted", [0.0, 0.25, -0.6])
def test_the_planted_position_bias_is_in_its_interval(planted: float) -> None:
    """In pluses per criterion; without one the intervals hold no leaning, with one they do not."""
    noise = Noise(position=planted, length=0)
    played = Tournament(EQUAL, seed=11, noise=noise, log_length=ALIKE)
    found = read_orders(played.judge(played.random_calls(1000)))
    truth = mean_margin(planted, spread(noise))
    assert found.margin.ci95 is not None and found.first_wins.ci95 is not None
    assert found.margin.ci95[0] < truth < found.margin.ci95[1]
    for ends, even in ((found.margin.ci95, 0.0), (found.first_wins.ci95, 0.5)):
        assert (ends[0] < even < ends[1]) == (planted == 0)


def test_intervals_of_position_bias_hold_it() -> None:
    """In 91 to 99 % of 100 tournaments."""
    noise, held = Noise(length=0), 0
    truth = mean_margin(noise.position, spread(noise))
    for seed in range(100):
        played = Tournament(EQUAL, seed=seed, noise=noise, log_length=ALIKE)
        ends = read_orders(played.judge(played.random_calls(400))).margin.ci95
        assert ends is not None
        held += ends[0] <= truth <= ends[1]
    assert 0.91 <= held / 100 <= 0.99
