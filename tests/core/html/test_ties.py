"""Bands of models that cannot be told apart."""

from typing import cast

from eibench.core.html.board_numbers import LISTED, band_classes, bands, ties_in_words
from eibench.core.html.shapes import SiteRow


def row(model: str, *tied: str) -> SiteRow:
    """As much of a row as ties are made of."""
    return cast("SiteRow", {"model": model, "tied_with": list(tied)})


def test_a_band_goes_as_far_as_its_first_model_is_tied() -> None:
    """Of a ~ b ~ c with a above c the band is a, b; c begins the next one with d."""
    rows = [row("a", "b"), row("b", "a", "c"), row("c", "b", "d"), row("d", "c"), row("e")]
    assert bands(rows) == [1, 1, 2, 2, 0]


def test_models_that_are_all_told_apart_have_no_band() -> None:
    """So nothing is shaded."""
    assert bands([row("a"), row("b")]) == [0, 0]
    assert bands([]) == []


def test_neighbouring_bands_are_drawn_otherwise() -> None:
    """Each band says where it begins, and has another class than the one above it."""
    rows = [row("a", "b"), row("b", "a"), row("c", "d"), row("d", "c"), row("e")]
    assert band_classes(rows) == ["tied t1 start", "tied t1", "tied t0 start", "tied t0", ""]


def test_of_many_tied_models_the_first_are_named() -> None:
    """And the others are counted, so that a board of a hundred stays readable."""
    others = [f"m{n}" for n in range(LISTED + 3)]
    ((model, said),) = ties_in_words([row("a", *others)])
    assert model == "a"
    assert said == ", ".join(others[:LISTED]) + " and 3 more"
