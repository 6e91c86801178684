"""Parts without a drawing: what a terminal shows, and the numbers beside a plot on a page."""

from .formulas import computed, read_formula
from .parts import Controls, Drawing, Paragraph, Part, Plot, Table

MOST_POINTS = 40
"""Points of a plot that a terminal lists."""


def plain(part: Part) -> Table | Paragraph:
    """A part as a table or a text."""
    match part:
        case Plot():
            return plot_table(part, MOST_POINTS)
        case Drawing():
            return Paragraph(f"(a drawing, which reports and pages show) {part.note}", part.title)
        case Controls():
            return outputs_table(part)
    return part


def plot_table(plot: Plot, most: int | None = None) -> Table:
    """The points of a plot, so many of them; the note says how many more there are."""
    several = len(plot.series) > 1
    named = any(series.names for series in plot.series)
    rows: list[list[str | float | None]] = []
    for series in plot.series:
        names = [*series.names, *[""] * len(series.points)]
        for (x, y), name in zip(series.points, names, strict=False):
            rows.append([*[series.name] * several, *[name] * named, x, y])
    columns = ["series"] * several + [""] * named + [plot.x, plot.y]
    left = len(rows) - len(rows[:most])
    more = [f"{left} more points, which reports and pages show"] if left else []
    return Table(plot.title, columns, rows[:most], note="\n".join([*more, plot.note]).strip())


def outputs_of(part: Controls) -> list[float | None]:
    """What each output comes to with the controls as they are at first."""
    values = {control.name: float(control.default) for control in part.controls}
    formulas = (read_formula(output.formula, values, part.columns) for output in part.outputs)
    return [computed(steps, values, part.columns) for steps in formulas]


def outputs_table(part: Controls) -> Table:
    """The outputs with the controls as they are at first."""
    given = ", ".join(f"{control.label} {control.default:g}" for control in part.controls)
    rows = [
        (output.label, None if value is None else f"{value:.{output.digits}f}")
        for output, value in zip(part.outputs, outputs_of(part), strict=True)
    ]
    note = "\n".join(filter(None, [f"with {given}" if given else "", part.note]))
    return Table(part.title, ("", "value"), rows, note=note)
