"""The package glicko2 game after game, and what engines declare of themselves."""

import glicko2 as peer  # type: ignore[import-untyped]  # it has no types
import pytest

from eibench import Comparison, Comparisons, RatingSettings
from eibench.core.plugins import installed
from eibench.core.ratings.sequential import rate

PLAIN = RatingSettings()
ROWS = [
    Comparison("1", 1, "x", "y", "a", {"c": 5}),
    Comparison("2", 1, "z", "x", "b", {"c": -2, "d": 1}),
    Comparison("3", 1, "y", "z", "a", {"c": -3}),
]


def test_the_ratings_are_the_packages_game_after_game() -> None:
    """Worked out with the package here: each game moves both against what the other was."""
    players = {name: peer.Player() for name in "xyz"}
    for a, b, score in (("x", "y", 1.0), ("z", "x", 0.45), ("y", "z", 0.2)):
        one, other = players[a], players[b]
        was = one.rating, one.rd
        one.update_player([other.rating], [other.rd], [score])
        other.update_player([was[0]], [was[1]], [1 - score])
    found = rate(Comparisons.of(ROWS), PLAIN)
    for name, player in players.items():
        assert found[name].rating == pytest.approx(player.rating, abs=1e-9)
        assert found[name].rd == pytest.approx(player.rd, abs=1e-9)
    assert found.engine == "glicko2-sequential"


def test_the_order_of_the_lines_matters_and_that_is_said() -> None:
    """As they came, not as they are sorted."""
    one, other = (rate(Comparisons.of(rows), PLAIN) for rows in (ROWS, ROWS[::-1]))
    assert abs(one["x"].rating - other["x"].rating) > 1
    assert any("depends on the order of the comparisons" in message for message in one.warnings)


def test_each_engine_declares_what_matters_to_it() -> None:
    """What is not declared does not matter."""
    engines = installed().rating_engines.things.values()
    declared = {e.name: (e.order_matters, e.names_matter) for e in engines}  # type: ignore[attr-defined]
    assert declared == {
        "glicko2": (False, False),
        "fractional-logit": (False, False),
        "glicko2-sequential": (True, False),
        "trueskill": (False, True),
    }
