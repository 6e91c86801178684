"""When a judge of a panel is asked nothing more."""

import pytest

from eibench.core.errors import ErrorKind, ProviderError
from eibench.core.parties.party import Party
from eibench.core.sample.absences import Absences


def test_a_judge_that_is_silent_three_times_before_its_first_reply_leaves() -> None:
    """The others stay; it is said once."""
    one, other = map(Party.of, ("openai/one", "openai/other"))
    lines = list[str]()
    absences = Absences((one, other), lines.append)
    for _ in range(2):
        absences.settle(one, ProviderError(ErrorKind.TIMEOUT, "no answer"), silent=True)
        absences.check(one)
    for _ in range(2):
        absences.settle(one, ProviderError(ErrorKind.TIMEOUT, "no answer"), silent=True)
        with pytest.raises(ProviderError, match="no answer"):
            absences.check(one)
    absences.check(other)
    assert len(lines) == 1


def test_a_judge_that_has_replied_stays() -> None:
    """However often a call of it is given up."""
    judge = Party.of("openai/one")
    absences = Absences((judge,))
    for _ in range(9):
        absences.settle(judge, ProviderError(ErrorKind.TIMEOUT, "no answer"), silent=False)
        absences.check(judge)
