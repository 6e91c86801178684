"""A result on half a terminal: what matters most of it, and in a line what was left out."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console, RenderableType
from rich.text import Text

from ..text import line, plural
from . import output
from .fitted import Fitted

LEAST = 12
"""Lines: half of the 24 that a terminal has at least."""
_LINES = 3
"""Of what stands on each screen, such as the title, at most."""


class ScreenPart(NamedTuple):
    """Something to show, and what one of it is called where it is left out.

    The higher its `weight`, the sooner it is left out; what weighs nothing never is.
    """

    shown: RenderableType
    weight: int = 0
    noun: str = ""


def sentence(text: str, weight: int = 0, noun: str = "") -> ScreenPart:
    """A part that is a line."""
    return ScreenPart(Text(line(text)), weight, noun)


def show(
    parts: Sequence[ScreenPart], last: Text, more: str = "", *, messages: Sequence[str] = ()
) -> None:
    """Print parts, what was left out with the command for `more`, and the last line.

    Above the last line come messages, on standard error; there is no line for `more` without it.
    A file gets all parts. Without a command for `more` nothing is left out.
    """
    out = output.out()
    kept: Sequence[RenderableType] = [part.shown for part in parts]
    if more and out.is_terminal:
        room = max(LEAST, out.height // 2)
        room -= sum(_height(out, Text(line(text))) for text in (*messages, last.plain))
        kept, end = _fitting(out, parts, room, more)
        if "not shown" in end:  # a box is worth less than what it takes the place of
            bare = [part._replace(shown=_bare(part.shown)) for part in parts]
            kept, end = _fitting(out, bare, room, more)
        kept = [*kept, Text(end, style="dim")]
    elif more and messages:
        messages = [f"{messages[0]}; all: {more}", *messages[1:]]
    for shown in kept:
        if isinstance(shown, Text) and "bench " in shown.plain:
            output.show_line(shown)  # a command is pasted as it is
        else:
            output.show(shown)
    for message in messages:
        output.tell(message)
    output.show_line(last)


def _fitting(
    console: Console, parts: Sequence[ScreenPart], room: int, more: str
) -> tuple[list[RenderableType], str]:
    """What fits above the line that says what does not and how to see it; and that line."""
    spared = 1
    kept, end = _kept(console, parts, room - spared, more)
    while spared < _height(console, Text(end)) and spared < LEAST:
        spared += 1
        kept, end = _kept(console, parts, room - spared, more)
    return kept, end


def _kept(
    console: Console, parts: Sequence[ScreenPart], room: int, more: str
) -> tuple[list[RenderableType], str]:
    """What fits into so many lines, in the order of the parts, and the line about the rest."""
    kept, without = dict[int, RenderableType](), Counter[str]()
    for n, part in sorted(enumerate(parts), key=lambda pair: pair[1].weight):
        shown, left = part.shown, 1
        if isinstance(shown, Fitted):
            shown, left = _of_rows(console, shown, room)
        elif isinstance(shown, Text) and not part.weight:
            shown.truncate(_LINES * console.width, overflow="ellipsis")
        height = _height(console, shown)
        if not part.weight or height <= room:
            kept[n], room = shown, room - height
            left = left if isinstance(shown, Fitted) else 0
        without += Counter({part.noun: left})
    rest = ", ".join(plural(n, noun) for noun, n in without.items())
    end = line(f"not shown: {rest}; all: {more}" if rest else f"all: {more}")
    return [kept[n] for n in sorted(kept)], end


def _of_rows(console: Console, table: Fitted, room: int) -> tuple[Fitted, int]:
    """A table of as many rows as fit, and how many do not."""
    rows = most = len(table.table.columns[0].cells)
    while (over := _height(console, table) - room) > 0 and most > 1:
        most = max(1, most - over)
        table = table.of(most)
    return table, rows - most


def _bare(shown: RenderableType) -> RenderableType:
    return shown.bare() if isinstance(shown, Fitted) else shown


def _height(console: Console, shown: RenderableType) -> int:
    return len(console.render_lines(shown, pad=False))
