"""A panel's judges: who is asked about a sample, and when one has answered enough."""

import pytest

from eibench.core.parties.graders import Panel, Replies
from eibench.core.parties.party import Party

JUDGES = tuple(map(Party.of, ("openai/one", "openai/two", "openai/three")))


def test_a_tenth_of_a_rotation_is_judged_by_all() -> None:
    """Of 3,000 samples, within two standard errors of .0055; each other has one judge."""
    panel = Panel(JUDGES, "rotate")
    asked = [len(panel.assigned(str(item), 1)) for item in range(3000)]
    assert set(asked) == {1, 3}
    assert asked.count(3) / 3000 == pytest.approx(0.1, abs=0.011)


@pytest.mark.parametrize(("unread", "whole"), [(5, True), (6, False)])
def test_a_judge_of_whom_five_in_a_hundred_cannot_be_read_is_whole(
    unread: int, whole: bool
) -> None:
    """One more, or a question without an answer, and it is not."""
    assert Replies(100, 100, unread).whole is whole
    assert not Replies(100, 99, unread).whole
