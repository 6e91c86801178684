"""What can be told apart on boards of scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eibench.core.statistics.score_order import ItemTable, ScoreOrder, order_scores
from eibench.core.statistics.wild import wild_bootstrap, wild_tests
from eibench.statistics import mean_interval, paired_difference


def board(values: np.ndarray, sizes: tuple[int, ...] = ()) -> ItemTable:
    """One sample of each item that a model has; NaN where it has none."""
    families = np.repeat(np.arange(len(sizes)), sizes) if sizes else np.arange(values.shape[1])
    return ItemTable(np.nan_to_num(values), (~np.isnan(values)).astype(float), families)


def drawn(seed: int, n: int, items: int, apart: float = 0.0, common: float = 0.5) -> np.ndarray:
    """Models `apart` from each other, on items that share a part of their variance."""
    rng = np.random.default_rng(seed)
    hard, own = rng.normal(size=items), rng.normal(size=(n, items))
    values = common**0.5 * hard + (1 - common) ** 0.5 * own
    return np.asarray(values - apart * np.arange(n)[:, None])


def told_apart(found: ScoreOrder) -> np.ndarray:
    """Pairs that are, each once."""
    return np.triu(~found.tied, 1)


def test_models_far_apart_have_ranks_of_their_own() -> None:
    """Nobody is tied."""
    found = order_scores(board(drawn(0, 3, 30, apart=3)))
    assert found.of_row.tolist() == found.board.tolist() == [[1, 1], [2, 2], [3, 3]]
    assert not found.tied.any()


@pytest.mark.parametrize("reach", [np.inf, 1.0])
def test_a_difference_that_is_all_alike_shows_as_much_as_its_families_do(reach: float) -> None:
    """Of 12 families at the largest difference p is 2^-11; where none is the largest nothing is."""
    values = np.stack([np.ones(12), np.zeros(12)])
    found = order_scores(board(values)._replace(reach=reach))
    assert told_apart(found)[0, 1] == (reach == 1)


@pytest.mark.parametrize(("wins", "apart"), [(5, False), (6, True)])
@pytest.mark.parametrize("items", [16, 20])
def test_a_board_is_no_surer_than_signs(wins: int, apart: bool, items: int) -> None:
    """One model right where the other is wrong, all else alike: P of five is 0.06, of six 0.03."""
    values = np.ones((2, items))
    values[1, :wins] = 0
    assert told_apart(order_scores(board(values)._replace(reach=1)))[0, 1] == apart


def test_families_that_say_as_much_as_fewer_tell_less_apart() -> None:
    """16 of which 9 would say as much: 2.2 errors are over the limit of 15 df, not of 8."""
    gaps = np.linspace(-1, 1, 16)
    gaps += 2.2 * gaps.std(ddof=1) / 4
    whole = board(np.stack([gaps, np.zeros(16)]))
    assert told_apart(order_scores(whole))[0, 1]
    assert not told_apart(order_scores(whole._replace(equal=9)))[0, 1]


def test_equal_models_are_tied() -> None:
    """Two with the same scores differ by nothing, with an error of nothing."""
    one = drawn(0, 1, 30)
    found = order_scores(board(np.concatenate([one, one, one - 5])))
    assert found.board.tolist() == [[1, 2], [1, 2], [3, 3]]
    assert found.tied[0].tolist() == [False, True, False]


def test_what_makes_an_item_hard_for_both_falls_out() -> None:
    """Their intervals overlap by far, and yet one is better on nearly every item."""
    rng = np.random.default_rng(0)
    hard = 10 * rng.normal(size=40)
    values = np.stack([hard + 1, hard]) + 0.5 * rng.normal(size=(2, 40))
    one, other = (mean_interval(v, rng=rng) for v in values)
    assert one
    assert other
    assert other[1] > one[0] + 3
    assert told_apart(order_scores(board(values)))[0, 1]


@pytest.mark.parametrize("kept", [7, 8])
def test_models_need_eight_families_in_common(kept: int) -> None:
    """One that shares fewer with all others has no ranks; they have."""
    values = drawn(1, 3, 20, apart=4)
    values[2, kept:] = np.nan
    found = order_scores(board(values))
    assert found.known[2, 0] == (kept == 8)
    assert found.of_row[2].any() == (kept == 8)
    assert found.board[0].tolist() == [1, 1 if kept == 8 else 2]


def test_a_model_alone_is_first_of_one() -> None:
    """With as many families as an interval needs."""
    assert order_scores(board(drawn(0, 1, 8))).of_row.tolist() == [[1, 1]]
    assert order_scores(board(drawn(0, 1, 7))).of_row.tolist() == [[0, 0]]


@given(st.integers(0, 10_000), st.integers(2, 7), st.sampled_from([(), (5, 4, 3, *(1,) * 8)]))
@settings(max_examples=25, deadline=None)
def test_a_board_tells_apart_only_what_the_pair_alone_does(
    seed: int, n: int, sizes: tuple[int, ...]
) -> None:
    """Also with items missing; ranks, joint ranks and ties agree with each other."""
    rng = np.random.default_rng(seed)
    values = drawn(seed, n, sum(sizes) or 20, apart=0.15)
    values[rng.random(values.shape) < 0.1] = np.nan
    table = board(values, sizes)
    found = order_scores(table)
    for a, b in np.argwhere(told_apart(found)):
        alone = paired_difference(values[a], values[b], table.families)
        assert alone.p is not None
        assert alone.mean is not None
        assert alone.p < 0.05
        gap = np.nanmean(values[a]) - np.nanmean(values[b])
        assert (alone.mean > 0) == (gap > 0)
    means = np.nanmean(values, axis=1)
    for n, (own, joint) in enumerate(zip(found.of_row, found.board, strict=True)):
        if own.any():
            rank = 1 + (means > means[n]).sum()
            assert joint[0] <= own[0] <= rank <= own[1] <= joint[1]
            assert joint[1] - joint[0] == found.tied[n].sum()


def test_the_order_of_models_and_of_items_is_nothing() -> None:
    """Rows and columns shuffled give the same."""
    values = drawn(4, 6, 25, apart=0.2)
    rows, columns = (np.random.default_rng(1).permutation(n) for n in values.shape)
    found, again = order_scores(board(values)), order_scores(board(values[rows][:, columns]))
    assert (found.tied[np.ix_(rows, rows)] == again.tied).all()


def test_equals_are_rarely_told_apart() -> None:
    """In about 5 % of boards of eight equal models, and not in 60 % as pair by pair."""
    wrong = [told_apart(order_scores(board(drawn(seed, 8, 26)))).any() for seed in range(120)]
    assert np.mean(wrong) < 0.12


def test_many_tests_at_once_are_those_of_each() -> None:
    """The same p-values, to the last digit."""
    values = np.random.default_rng(0).normal(0.3, size=(20, 45))
    families = np.repeat(np.arange(15), 3)
    sums = np.add.reduceat(values, np.arange(0, 45, 3), axis=1)
    many = wild_tests(sums.T, np.full((15, 20), 3.0), rng=np.random.default_rng(0))
    each = [wild_bootstrap(v, families, rng=np.random.default_rng(0)).p for v in values]
    assert many.tolist() == pytest.approx(each, abs=1e-12)
