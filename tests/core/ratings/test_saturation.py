"""Open ends: where margins are full, an interval is a bound on one side."""

from types import ModuleType

import pytest

from eibench import Anchor, AnchorSet, Comparison, Comparisons, RatingSettings
from eibench.core.ratings import fractional_logit, glicko2
from eibench.core.reports.ratings import points

PLAIN = RatingSettings()
ENGINES = pytest.mark.parametrize("engine", [glicko2, fractional_logit])


def items(a: str, b: str, *margins: int, n: int = 45) -> list[Comparison]:
    """So many items in both orders; margins in turn."""
    return [
        Comparison(str(i), 1, a, b, first, {"c": margins[i % len(margins)]})
        for i in range(n)
        for first in ("a", "b")
    ]


def warned(found: object, message: str) -> bool:
    """Whether a warning says so."""
    return any(message in warning for warning in found.warnings)  # type: ignore[attr-defined]


@ENGINES
def test_two_models_of_whom_one_wins_everything_have_one_end_each(engine: ModuleType) -> None:
    """All +5 on 45 items: the winner has no upper end, the loser no lower one; both are bounds."""
    found = engine.rate(Comparisons.of(items("x", "y", 5)), PLAIN)
    (low, high), (bottom, top) = found["x"].ci95, found["y"].ci95
    assert (high, bottom) == (None, None)
    # Were a share of 0.05^(1/45) of all points the truth, the gap would be ln(0.9356 / 0.0644)
    # or 2.676: 465 points between the two bounds.
    assert low - top == pytest.approx(464.9, abs=1.0)
    assert low < found["x"].rating
    assert warned(found, "no upper end for x: ")
    assert warned(found, "no lower end for y: ")
    assert found["x"].half_width is None


@ENGINES
def test_a_model_that_wins_everything_leaves_the_others_closed(engine: ModuleType) -> None:
    """The board holds together without it."""
    rows = items("top", "p", 5) + items("top", "q", 5) + items("p", "q", 2, -1, 1)
    found = engine.rate(Comparisons.of(rows), PLAIN)
    assert found["top"].ci95[1] is None
    assert found["top"].ci95[0] < found["top"].rating
    assert all(found[name].half_width is not None for name in "pq")
    assert not warned(found, "no lower end")


@ENGINES
def test_one_family_that_alone_keeps_an_interval_closed_does_not_count(engine: ModuleType) -> None:
    """Of 45 items one is not won by all: without that family there is no end."""
    rows = items("x", "y", 5)
    rows[0] = rows[0]._replace(margins={"c": 4})
    found = engine.rate(Comparisons.of(rows), PLAIN)
    assert found["x"].ci95[1] is None
    rows[2] = rows[2]._replace(margins={"c": 4})
    assert None not in engine.rate(Comparisons.of(rows), PLAIN)["x"].ci95


def test_anchors_that_hold_each_other_are_the_reference() -> None:
    """A model that loses to them by all has no lower end, whatever else is below it."""
    rows = items("p", "q", 4, 2) + items("p", "low", 5) + items("q", "low", 5)
    rows += items("low", "lower", 1, -1)
    anchors = AnchorSet(Anchor("p", 1500), Anchor("q", 1000))
    found = glicko2.rate(Comparisons.of(rows), RatingSettings((anchors,)))
    assert found.anchors
    assert found["p"].ci95 is None
    ends = [found[name].ci95 or (0, 0) for name in ("low", "lower")]
    assert [(low is None, high is None) for low, high in ends] == [(True, False)] * 2


def test_both_ends_are_open_where_nothing_holds() -> None:
    """Each of three models beats the next by all: nothing says where the middle one is."""
    rows = items("x", "y", 5) + items("y", "z", 5)
    assert glicko2.rate(Comparisons.of(rows), PLAIN)["y"].ci95 == (None, None)


def test_the_length_adjusted_interval_is_open_too() -> None:
    """It stands on the same margins."""
    rows = [
        row._replace(len_a=100 + 10 * i % 70, len_b=100 + 13 * i % 50)
        for i, row in enumerate(items("x", "y", 5))
    ]
    found = glicko2.rate(Comparisons.of(rows), PLAIN)["x"]
    assert found.ci95_length_adjusted is not None
    assert found.ci95_length_adjusted[1] is None


@ENGINES
def test_nothing_is_said_of_the_ends_of_intervals_that_are_not_there(engine: ModuleType) -> None:
    """On one item nobody has an interval; without its family nothing holds anybody."""
    found = engine.rate(Comparisons.of(items("x", "y", 3, n=1)), PLAIN)
    assert found["x"].ci95 is None
    assert not warned(found, "end for")


@pytest.mark.parametrize(
    ("ci95", "message"),
    [
        ((1650.4, None), "≥ 1650"),
        ((None, 1349.6), "≤ 1350"),
        ((None, None), "open"),
        ((1.0, 2.0), "1 … 2"),
        (None, "–"),
    ],
)
def test_tables_show_an_open_interval_as_a_bound(
    ci95: tuple[float | None, float | None] | None, message: str
) -> None:
    """In every table of ratings."""
    assert points(ci95) == message
