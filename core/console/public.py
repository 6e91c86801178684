"""What commands of plugins print with, so that it looks and ends as what ours print."""

from collections.abc import Sequence

from rich.console import Group

from ..errors import PluginError
from ..guard import PluginCall
from ..guard.parts import parts as checked
from ..hooks.sections import Part
from ..text import as_text
from ..types.result_document import ConclusionRow
from . import output, tables


def show(*parts: Part, warnings: Sequence[str] = ()) -> None:
    """Print parts on standard output, a blank line between two of them.

    A terminal's width, its colours and a reader who goes away are taken care of. ``DEMO`` at the
    end of a title, behind two blanks, has the colour that marks demo models.

    Args:
        *parts: Tables, texts, plots, drawings or controls; the last three as in `bench show`.
        warnings: What a reader must know of them, a line each below them.

    Raises:
        TypeError: One is no part, or cannot be shown as it is.
    """
    try:
        checked(PluginCall(None, "", "eibench.show"), parts)
    except PluginError as error:
        raise TypeError(str(error).replace(" returned ", " was given ", 1)) from None
    for n, one in enumerate(parts):
        output.show(Group(*[""] * bool(n), tables.part(one)))
    for message in warnings:
        output.show(tables.warning(message))


def show_conclusions(rows: Sequence[ConclusionRow], title: str = "") -> None:
    """Print what is concluded of a judge, a line for each, below the title if there is any.

    Args:
        rows: As of a result document or of a `JudgeAudit`.
        title: The line above them.
    """
    for message in tables.conclusions(rows, title):
        output.show(message)


def show_json(document: object) -> None:
    """Print one JSON document on standard output; a named tuple in it is an object.

    Raises:
        TypeError: It holds something else than JSON can.
        ValueError: It holds a number that is not finite.
    """
    print(as_text(document))


def tell(message: str) -> None:
    """Say something on standard error, on one line, such as where a file was written."""
    output.tell(message)


def warn(message: str) -> None:
    """Say a warning on standard error, on one line."""
    output.tell(f"warning: {message}")
