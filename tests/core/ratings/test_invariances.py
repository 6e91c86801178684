"""What must not matter: the order of lines, the names of models, which of two is called a."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eibench import Anchor, AnchorSet, Comparison, Comparisons, Ratings, RatingSettings
from eibench.core.plugins import installed
from eibench.core.ratings import glicko2

MODELS = ("p", "q", "r", "s")
Engine = Callable[[Comparisons, RatingSettings], Ratings]
ALL = installed().rating_engines.things
ANY_ORDER: dict[str, Engine] = {n: e.rate for n, e in ALL.items() if not e.order_matters}  # type: ignore[attr-defined]
ENGINES: dict[str, Engine] = {n: r for n, r in ANY_ORDER.items() if not ALL[n].names_matter}  # type: ignore[attr-defined]
few = settings(max_examples=8, deadline=None)
"""Any example shows what does not cancel, and each takes two bootstraps."""
Margins = st.integers(-5, 5)


@st.composite
def comparisons(draw: st.DrawFn) -> list[Comparison]:
    """Both orders of some items, in any number of families."""
    rows = []
    for number in range(draw(st.integers(9, 24))):
        a, b = draw(st.permutations(MODELS))[:2]
        family = f"f{draw(st.integers(0, 11))}"
        for first in ("a", "b"):
            margins = {f"c{i}": m for i, m in enumerate(draw(st.lists(Margins, min_size=1)))}
            lengths = draw(st.tuples(st.integers(100, 9000), st.integers(100, 9000)))
            rows.append(
                Comparison(str(number), 1, a, b, first, margins, "j", *lengths, family=family)
            )
    return rows


def same(one: Ratings, other: Ratings, name: dict[str, str] | None = None) -> None:
    """Every number of the two is equal to 1e-9; `name` translates the models of the first."""
    name = name or {model: model for model in MODELS}
    assert {name[row.model] for row in one.rows} == {row.model for row in other.rows}
    for row in one.rows:
        twin = other[name[row.model]]
        assert twin.rating == pytest.approx(row.rating, abs=1e-9)
        assert twin.rd == pytest.approx(row.rd, abs=1e-9)
        assert twin.ci95 == (row.ci95 and pytest.approx(row.ci95, abs=1e-9, rel=1e-12))
        assert twin.rank == row.rank
        assert twin.rank_ci95 == row.rank_ci95


def swapped(row: Comparison) -> Comparison:
    """The same comparison with a and b changed round."""
    return row._replace(
        a=row.b,
        b=row.a,
        first="a" if row.first == "b" else "b",
        margins={criterion: -margin for criterion, margin in row.margins.items()},
        len_a=row.len_b,
        len_b=row.len_a,
    )


@pytest.mark.parametrize("engine", ANY_ORDER.values(), ids=ANY_ORDER)
@given(data=st.data(), rows=comparisons())
@few
def test_the_order_of_lines_does_not_matter(
    engine: Engine, data: st.DataObject, rows: list[Comparison]
) -> None:
    """Not by a bit: all is sorted before anything is summed."""
    shuffled = data.draw(st.permutations(rows))
    one, two = (engine(Comparisons.of(lines), RatingSettings()) for lines in (rows, shuffled))
    assert one.rows == two.rows


@pytest.mark.parametrize("engine", ANY_ORDER.values(), ids=ANY_ORDER)
@given(rows=comparisons(), which=st.integers(0, 2**24 - 1))
@few
def test_which_model_is_called_a_does_not_matter(
    engine: Engine, rows: list[Comparison], which: int
) -> None:
    """Any of the lines may be turned round."""
    turned = [swapped(row) if which >> (i % 24) & 1 else row for i, row in enumerate(rows)]
    one, two = (engine(Comparisons.of(lines), RatingSettings()) for lines in (rows, turned))
    assert one.rows == two.rows


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@given(rows=comparisons(), names=st.permutations(MODELS))
@few
def test_names_do_not_matter(engine: Engine, rows: list[Comparison], names: list[str]) -> None:
    """A permutation of names permutes the ratings."""
    name = dict(zip(MODELS, names, strict=True))
    renamed = [row._replace(a=name[row.a], b=name[row.b]) for row in rows]
    one, two = (engine(Comparisons.of(lines), RatingSettings()) for lines in (rows, renamed))
    same(one, two, name)


@given(rows=comparisons())
@few
def test_turning_all_orders_round_does_not_matter_to_the_default(rows: list[Comparison]) -> None:
    """Both orders are summed, so the judge's liking for a place cancels."""
    turned = [row._replace(first="a" if row.first == "b" else "b") for row in rows]
    one, two = (glicko2.rate(Comparisons.of(lines), RatingSettings()) for lines in (rows, turned))
    same(one, two)


def test_names_do_not_matter_on_an_anchored_round(
    round_of: Comparisons, anchored: RatingSettings
) -> None:
    """A whole round, its models named backwards: all within 1e-9, replicates too."""
    from dataclasses import replace

    import numpy as np

    n = len(round_of.models)
    flipped = replace(
        round_of,
        a=n - 1 - round_of.b,
        b=n - 1 - round_of.a,
        a_first=~round_of.a_first,
        margin=-round_of.margin,
        len_a=round_of.len_b,
        len_b=round_of.len_a,
    )
    keys = (flipped.a_first, flipped.iteration, flipped.item, flipped.b, flipped.a)
    flipped = flipped.only(np.lexsort(keys))
    name = dict(zip(round_of.models, reversed(round_of.models), strict=True))
    ((high, top), (low, bottom)) = anchored.anchor_sets[0]
    other = RatingSettings((AnchorSet(Anchor(name[high], top), Anchor(name[low], bottom)),))
    for engine in ENGINES.values():
        one, two = engine(round_of, anchored), engine(flipped, other)
        assert one.anchors
        same(one, two, name)


@pytest.mark.parametrize("engine", ANY_ORDER)
def test_a_draw_is_half_a_win(engine: str) -> None:
    """A margin of 0 alone; as two criteria of which either model wins one."""

    def rated(draw: dict[str, int]) -> list[float]:
        margins = [{"c": 3}] * 3 + [draw]
        rows = [Comparison(str(n), 1, "p", "q", "a", m, "j") for n, m in enumerate(margins)]
        done = ANY_ORDER[engine](Comparisons.of(rows), RatingSettings())
        return [row.rating for row in done.rows]

    assert rated({"c": 0}) == pytest.approx(rated({"c": 1, "d": -1}))
