"""Comparisons for the tests of ratings: a simulated round, made once."""

import pytest

from eibench import Anchor, AnchorSet, Comparisons, RatingSettings
from eibench.testing import Tournament


@pytest.fixture(scope="session")
def tournament() -> Tournament:
    """Twelve models, one unit of ability from the third to the second-last and back."""
    return Tournament([-1.5 + 0.27 * i for i in range(12)], seed=3)


@pytest.fixture(scope="session")
def round_of(tournament: Tournament) -> Comparisons:
    """600 items in both orders, some replies unread."""
    return tournament.judge(tournament.random_calls(600))


@pytest.fixture(scope="session")
def anchored(tournament: Tournament) -> RatingSettings:
    """Two anchors far apart."""
    high, low = tournament.models[10], tournament.models[1]
    return RatingSettings((AnchorSet(Anchor(high, 1500), Anchor(low, 200)),))
