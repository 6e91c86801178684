"""Where things are printed: results to standard output, everything else to standard error."""

import os
from functools import cache

from rich.console import Console, RenderableType

from .safe import line

PLAIN_WIDTH = 110


def _console(stderr: bool) -> Console:
    made = Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made = Console(stderr=stderr, highlight=False, markup=False, emoji=False, width=PLAIN_WIDTH)
    return made


@cache
def err() -> Console:
    """Standard error."""
    return _console(stderr=True)


def tell(text: str) -> None:
    """Say something on standard error, on one line; a live display goes on below it."""
    err().print(line(text), soft_wrap=True)


def show(renderable: RenderableType) -> None:
    """Print a result."""
    _console(stderr=False).print(renderable)
