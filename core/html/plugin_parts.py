"""What plugins show, as a page sets it: tables, texts, plots, checked drawings, controls."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from ..hooks.sections import Controls, Drawing, Paragraph, Part, Plot, Table
from ..hooks.sections.drawings import UnfitDrawing, checked_svg
from ..hooks.sections.formulas import outputs_of, read_formula
from ..reports.plugin_parts import BuiltPage
from .charts.plots import Figure, lines, scatter
from .policy import Policy
from .rendering import Page, page_of


class ShownControls(NamedTuple):
    """Controls, what their outputs are at first, and what the page's script computes with."""

    controls: Controls
    outputs: Sequence[tuple[str, str]]
    packed: Markup


class ShownPart(NamedTuple):
    """A part as a template sets it: one of the fields after the note is there, or a table."""

    title: str
    note: str
    texts: Sequence[str] = ()
    figure: Figure | None = None
    drawing: Markup | None = None
    controls: ShownControls | None = None
    table: Table | None = None


def shown_part(part: Part) -> ShownPart:
    """A part for a page."""
    match part:
        case Table():
            return ShownPart("", "", table=part)
        case Paragraph(text, title, note):
            return ShownPart(title, note, texts=text.split("\n\n") if text else ())
        case Plot():
            return ShownPart(part.title, part.note, figure=_figure(part))
        case Drawing(title, svg, note):
            return ShownPart(title, note, drawing=_drawn(svg, title))
        case Controls():
            return ShownPart(part.title, part.note, controls=_controls(part))


def _figure(plot: Plot) -> Figure:
    columns = ("series", plot.x, plot.y)
    if plot.kind == "lines":
        return lines(plot.title, plot.series, columns, whole=False)
    return scatter(plot.title, plot.series, columns, from_nothing=False)


def _drawn(svg: str, title: str) -> Markup:
    try:
        return Markup(checked_svg(svg, title))
    except UnfitDrawing:  # of what was taken out of it since, such as the name of a host
        return Markup("<p>Not shown: it names what is not published.</p>")


def _controls(part: Controls) -> ShownControls:
    names = [control.name for control in part.controls]
    data: Mapping[str, object] = {
        "columns": part.columns,
        "outputs": [
            {"digits": one.digits, "steps": read_formula(one.formula, names, part.columns)}
            for one in part.outputs
        ],
    }
    values = zip(part.outputs, outputs_of(part), strict=True)
    outputs = [(o.label, "–" if v is None else f"{v:.{o.digits}f}") for o, v in values]
    return ShownControls(part, outputs, Markup(json.dumps(data).replace("<", "\\u003c")))


def plugin_page(page: BuiltPage, policy: Policy) -> Page:
    """A plugin's page of a site."""
    parts = [shown_part(part) for part in policy.masked(page.parts)]
    return page_of("plugin.html", plugin_path(page), title=page.title, parts=parts)


def plugin_path(page: BuiltPage) -> str:
    """Where a plugin's page stands."""
    return f"pages/{page.name}.html"
