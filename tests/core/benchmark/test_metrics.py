"""Values that a benchmark declares, and the metrics that are made of them."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench import Item, Metric, SampleScore, Score, Value, summarise_values
from eibench.statistics import share_interval

ITEMS = [Item(str(n), tags={"task": "key event" if n % 2 else "mixed"}) for n in range(20)]
RIGHT = Value("right", "right answers", kind="share", over="messages", by=("task",))
WORDS = Value("words", higher_is_better=None, judged=False)


def scores(right: Sequence[float | None]) -> list[SampleScore]:
    """A sample of each item; those without a number are unscored."""
    return [
        SampleScore(str(n), str(n), 1, Score.unscored("no") if r is None else Score({"right": r}))
        for n, r in enumerate(right)
    ]


def metrics(right: Sequence[float | None], *values: Value) -> dict[str, Metric]:
    """The metrics of such samples."""
    return dict(summarise_values(ITEMS, scores(right), values).metrics)


def test_a_share_has_its_interval_where_all_are_right_too() -> None:
    """Wilson's, of as many trials as there are families."""
    found = metrics([1.0] * 20, RIGHT)["right"]
    assert (found.value, found.n, found.over, found.label) == (1.0, 20, "messages", "right answers")
    assert found.ci95 == share_interval([1.0] * 20)
    assert found.ci95 is not None and found.ci95[0] < 0.9


def test_each_tag_has_a_metric_of_its_own() -> None:
    """Named after the tag, under a heading of its own."""
    found = metrics([float(n % 2) for n in range(20)], RIGHT)
    assert list(found) == ["right", "right_key_event", "right_mixed"]
    assert [found[name].value for name in found] == [0.5, 1.0, 0.0]
    assert (found["right_mixed"].label, found["right_mixed"].n) == ("mixed", 10)
    assert found["right_mixed"].group == "right answers by task"


@pytest.mark.parametrize(
    "values",
    [
        (RIGHT, Value("right_mixed")),
        (Value("right", by=("task", "kind")),),
    ],
)
def test_two_metrics_never_share_a_name(values: tuple[Value, ...]) -> None:
    """One would take the other's place."""
    items = [Item("1", tags={"task": "mixed", "kind": "mixed"})]
    with pytest.raises(ValueError, match="two metrics would be called 'right_mixed'"):
        summarise_values(items, scores([1.0])[:0], values)


def test_a_tag_that_no_item_has_is_warned_of() -> None:
    """It may be a slip of the pen."""
    found = summarise_values(ITEMS, scores([1.0]), [Value("right", by=("taks",))])
    assert found.warnings == ("no item has the tag 'taks'",)


def test_what_is_missing_is_in_no_mean() -> None:
    """Neither an unscored sample nor a value that a score does not hold."""
    found = metrics([1.0] * 9 + [None] * 9, RIGHT, WORDS)
    assert (found["right"].value, found["right"].n) == (1.0, 9)
    assert (found["words"].value, found["words"].n, found["words"].ci95) == (None, 0, None)


def test_few_families_make_no_interval() -> None:
    """As everywhere: eight are needed."""
    assert metrics([1.0, 0.0] * 3, RIGHT)["right"].ci95 is None


@pytest.mark.parametrize(("unscored", "valid"), [(10, True), (11, False)])
def test_a_result_with_fewer_than_half_scored_is_not_valid(unscored: int, valid: bool) -> None:
    """And says so."""
    found = summarise_values(ITEMS, scores([1.0] * (20 - unscored) + [None] * unscored), [RIGHT])
    assert (found.invalid is None) is valid


@given(st.permutations(range(20)))
def test_the_order_of_samples_does_not_matter(order: list[int]) -> None:
    """To the last digit, intervals too."""
    number = Value("right")
    given_ = scores([n / 7 for n in range(20)])
    shuffled = summarise_values(ITEMS, [given_[n] for n in order], [number])
    assert shuffled == summarise_values(ITEMS, given_, [number])
