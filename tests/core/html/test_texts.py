"""Texts that a page shows as they stand."""

from markupsafe import Markup

from eibench.core.html.charts.svg import MOST, safe


def test_a_text_that_no_browser_would_lay_out_is_cut_and_says_so() -> None:
    """The documents have all of it."""
    assert safe("A" * 1_000_000) == f"{'A' * MOST}… (1,000,000 characters)"
    assert safe("A" * MOST) == "A" * MOST


def test_markup_is_never_cut() -> None:
    """Such as what is packed, or a drawing."""
    assert safe(Markup("<b>") + "x" * MOST) == "<b>" + "x" * MOST
