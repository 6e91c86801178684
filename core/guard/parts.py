"""Parts of a plugin's section, page or command, looked at before they are shown."""

import re
from typing import Any, get_args

from ..hooks.sections import (
    Control,
    Controls,
    Drawing,
    Paragraph,
    Part,
    Plot,
    Table,
    TranscriptView,
    Turn,
)
from ..hooks.sections.drawings import UnfitDrawing, checked_svg
from ..hooks.sections.formulas import UnfitFormula, read_formula
from ..text import plural
from .calls import PluginCall
from .values import an, are_texts, is_finite

MOST_ROWS, MOST_SERIES = 10_000, 6
_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)
_KINDS = get_args(Part)
_NAMES = ", ".join(kind.__name__ for kind in _KINDS)


def parts(called: PluginCall, value: object) -> list[Part]:
    """What was returned as a list of parts; none for ``None``."""
    if value is None:
        return []
    is_list = isinstance(value, list | tuple) and not isinstance(value, _KINDS)
    several: list[Any] = list(value) if is_list else [value]  # type: ignore[call-overload]  # so
    for one in several:
        if not isinstance(one, _KINDS):
            called.refuse(f"returned {type(one).__name__}, not one of {_NAMES}")
        try:
            _part(called, one)
        except (TypeError, ValueError, AttributeError) as error:
            called.refuse(f"returned a {type(one).__name__} that cannot be shown: {error}")
    return several


def _part(called: PluginCall, value: object) -> None:
    if not are_texts([getattr(value, name, "") for name in ("title", "note", "text", "svg")]):
        kind = type(value).__name__
        called.refuse(f"returned a {kind} with a title, note or text that is no text")
    match value:
        case Table():
            _table(called, value)
        case Plot():
            _plot(called, value)
        case Drawing():
            try:
                checked_svg(value.svg, value.title)
            except UnfitDrawing as error:
                called.refuse(f"returned the Drawing {value.title!r}: {error}")
        case Controls():
            _controls(called, value)
        case Paragraph():
            pass


def transcript_view(called: PluginCall, value: object) -> None:
    """Refuse what is neither ``None`` nor a view whose quotes are in their turns."""
    if value is None:
        return
    if not isinstance(value, TranscriptView):
        called.refuse(f"returned {type(value).__name__}, not an eibench.TranscriptView")
    try:
        for n, turn in enumerate(value.turns, 1):
            _turn(called, turn, n)
        parts(called, list(value.alongside))
    except (TypeError, ValueError, AttributeError) as error:
        called.refuse(f"returned a TranscriptView that cannot be shown: {error}")


def _turn(called: PluginCall, turn: Turn, n: int) -> None:
    message = f"returned a TranscriptView in which turn {n}"
    quotes = [text for quote in turn.quotes for text in quote]
    if not are_texts([turn.who, turn.text, turn.thinks, *turn.notes, *quotes]):
        called.refuse(f"{message} has something else than texts")
    if turn.kind not in ("model", "user", "system"):
        called.refuse(f"{message} is of kind {turn.kind!r}: model, user or system")
    for quote in turn.quotes:
        if not quote.text.strip() or quote.text not in turn.text:
            called.refuse(f"{message} does not have the words {quote.text!r:.60} that it marks")


_is_table, _is_view = an(Table), an(TranscriptView)


def table(called: PluginCall, value: object) -> None:
    """Refuse what is neither ``None`` nor a table of texts and numbers."""
    if value is not None:
        _is_table(called, value)
        parts(called, value)


def _table(called: PluginCall, value: Table) -> None:
    for cell in (*value.columns, *(cell for row in value.rows for cell in row)):
        if cell is not None and type(cell) not in (str, int, float):
            called.refuse(f"returned a Table in which {cell!r:.40} is neither a text nor a number")
    if wrong := [row for row in value.rows if len(row) != len(value.columns)]:
        called.refuse(
            f"returned a Table with a row of {len(wrong[0])} cells under "
            f"{plural(len(value.columns), 'column')}"
        )
    for what, indices in (("set right", value.right), ("linked", value.item_columns)):
        for n in indices:
            if n not in range(len(value.columns)):
                called.refuse(f"returned a Table whose columns have no index {n!r} to be {what}")


def _plot(called: PluginCall, value: Plot) -> None:
    message = f"returned the Plot {value.title!r}"
    if value.kind not in ("lines", "points"):
        called.refuse(f"{message} of kind {value.kind!r}: lines or points")
    if not 1 <= len(value.series) <= MOST_SERIES:
        called.refuse(f"{message} with {len(value.series)} series: 1 to {MOST_SERIES}")
    for series in value.series:
        if not series.points or len(series.points) > MOST_ROWS:
            called.refuse(f"{message} in which {series.name!r} has {len(series.points)} points")
        for point in series.points:
            if [*map(is_finite, point)] != [True, True]:
                called.refuse(f"{message} in which {point!r:.40} is no pair of finite numbers")


def _controls(called: PluginCall, value: Controls) -> None:
    message = f"returned the Controls {value.title!r}"
    names = [control.name for control in value.controls]
    for name in (*names, *value.columns):
        if not _NAME.fullmatch(str(name)) or [*names, *value.columns].count(name) > 1:
            called.refuse(f"{message} in which {name!r} is no name, or stands twice")
    for control in value.controls:
        if wrong := _wrong_control(control):
            called.refuse(f"{message} in which {control.name!r} {wrong}")
    lengths = {len(column) for column in value.columns.values()}
    for name, column in value.columns.items():
        if not 1 <= len(column) <= MOST_ROWS or len(lengths) > 1:
            called.refuse(f"{message} in which column {name!r} has {len(column)} numbers")
        for number in column:
            if not is_finite(number):
                called.refuse(f"{message} in which {number!r:.40} of column {name!r} is no number")
    for output in value.outputs:
        if output.digits not in range(10):
            called.refuse(
                f"{message} in which {output.label!r} has {output.digits!r} digits: 0 to 9"
            )
        try:
            read_formula(str(output.formula), names, value.columns)
        except UnfitFormula as error:
            called.refuse(f"{message} in which {output.formula!r}: {error}")


def _wrong_control(control: Control) -> str | None:
    _, _, default, low, high, step = control
    if not all(map(is_finite, (default, low, high, step))):
        return "has a number that is not finite"
    if not low <= default <= high:
        return f"has the default {default:g}, not from {low:g} to {high:g}"
    if not 0 < step <= high - low:
        return f"has the step {step:g}, not above 0 and up to {high - low:g}"
    return None
