"""Where things are printed: results to standard output, everything else to standard error."""

from functools import cache

from rich.console import Console, RenderableType

from .safe import line

PLAIN_WIDTH = 110
"""Of prose and plots where there is no terminal; tables have their own width there."""


def _console(stderr: bool) -> Console:
    made = Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)
    if not made.is_terminal:  # nobody's COLUMNS: the same file whatever terminal it was made in
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
    """Print a result; where there is no terminal, a table may be wider than the rest."""
    _console(stderr=False).print(renderable, crop=False)
