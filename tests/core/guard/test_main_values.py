"""What `main_values` of a benchmark may return: a number or None for each score."""

from typing import Any

import pytest

from eibench import Pack, PackSource, PluginError, SampleScore, Score
from eibench.core.guard import guard
from tests.core.conftest import Talk

SCORES = [SampleScore(str(n), str(n), 1, Score({"v": float(n)})) for n in range(3)]
PACK = Pack(PackSource("custom", "0" * 64, {}), [], "")


class Own(Talk):
    """Returns what a test sets."""

    returned: Any = None

    def main_values(self, *args: Any) -> Any:
        """That."""
        return self.returned


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([1.0], "returned list, not a list of 3 numbers, one a score"),
        (None, "returned NoneType, not a list of 3 numbers"),
        ([1.0, float("nan"), 2.0], "returned nan, not a finite number or None"),
        ([1.0, "2", 2.0], "returned '2', not a finite number or None"),
    ],
)
def test_what_is_no_number_for_each_score_is_refused(returned: Any, message: str) -> None:
    """With the method's name."""
    benchmark = Own()
    benchmark.returned = returned
    with pytest.raises(PluginError, match="main_values of .*" + message):
        guard(benchmark).main_values(PACK, SCORES, {})


def test_the_first_value_is_meant_where_nothing_else_is_said() -> None:
    """On its scale; a sample without a score has none."""
    benchmark = Talk()
    unscored = SampleScore("x", "x", 1, Score.unscored("no answer"))
    found = guard(benchmark).main_values(PACK, [*SCORES, unscored], {})
    assert found == [0.0, 1.0, 2.0, None]
    benchmark.value_scales = {"v": 10.0}
    assert guard(benchmark).main_values(PACK, SCORES, {}) == [0.0, 10.0, 20.0]
