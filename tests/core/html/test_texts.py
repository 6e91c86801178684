"""Texts that a page shows as they stand."""

from markupsafe import Markup

from eibench.core.hooks.sections import Table
from eibench.core.html.charts.svg import MOST, safe
from eibench.core.html.plugin_parts import plugin_page
from eibench.core.html.policy import Policy
from eibench.core.html.rendering import rendered
from eibench.core.reports.plugin_parts import BuiltPage


def test_a_text_that_no_browser_would_lay_out_is_cut_and_says_so() -> None:
    """The documents have all of it."""
    assert safe("A" * 1_000_000) == f"{'A' * MOST}… (1,000,000 characters)"
    assert safe("A" * MOST) == "A" * MOST


def test_markup_is_never_cut() -> None:
    """Such as what is packed, or a drawing."""
    assert safe(Markup("<b>") + "x" * MOST) == "<b>" + "x" * MOST


def test_the_heading_of_a_column_of_numbers_stands_over_them() -> None:
    """To the right, where one of its cells is a number; that of texts to the left."""
    table = Table("Scores", ("name", "score"), [("a", None), ("b", 2.5)])
    page = rendered(plugin_page(BuiltPage("x", "X", [table]), Policy())).content.decode()
    assert '<th scope="col">name</th><th scope="col" class="num">score</th>' in page
