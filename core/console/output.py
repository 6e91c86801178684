"""Where things are printed: results to standard output, everything else to standard error.

Who reads may go away. What would be said on standard error is dropped then, and whoever works
is told, so that nothing is paid for that nobody waits for. A result that nobody reads is a
`BrokenPipeError`.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from ..guard import printing
from ..text import line
from .streams import silence

PLAIN_WIDTH = 110
"""Of prose and plots where there is no terminal; tables have their own width there.

Where ``COLUMNS`` is exported, that is the width of all of it.
"""


class _Console(Console):
    """Standard error or standard output, whose reader may go away."""

    is_closed = False
    fits = False
    """Whether tables are made to fit although it is no terminal."""
    _when_closed: Callable[[], object] = staticmethod(lambda: None)

    @property
    def options(self) -> ConsoleOptions:
        """What is printed may be as wide as these say."""
        options = super().options
        return replace(options, is_terminal=True) if self.fits else options

    def on_broken_pipe(self) -> None:
        """Drop what is said on standard error."""
        if not self.stderr:
            raise BrokenPipeError
        self.drop()
        self.is_closed = True
        self._when_closed()

    def drop(self) -> None:
        """Say nothing any more."""
        self.quiet = True
        silence(self.file)

    @contextlib.contextmanager
    def watched(self, when_closed: Callable[[], object]) -> Iterator[None]:
        """Call something when the reader goes away while the block runs, or has gone before."""
        self._when_closed = when_closed
        if self.is_closed:
            when_closed()
        try:
            yield
        finally:
            del self._when_closed


@contextlib.contextmanager
def dropping() -> Iterator[None]:
    """Take it that what the block says on standard error may be lost, as with a full disk."""
    try:
        yield
    except BrokenPipeError:  # of older versions of rich, which have no `on_broken_pipe`
        err().on_broken_pipe()
    except OSError:
        err().drop()


def _console(stderr: bool) -> _Console:
    console = _Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)
    if not console.is_terminal:
        columns = os.environ.get("COLUMNS", "")
        fits = columns.isascii() and columns.isdigit() and int(columns) > 0
        width = int(columns) if fits else PLAIN_WIDTH
        console = _Console(stderr=stderr, highlight=False, markup=False, emoji=False, width=width)
        console.fits = fits
    return console


printing.losing = dropping


@cache
def err() -> _Console:
    """Standard error."""
    return _console(stderr=True)


def tell(text: str, indent: int = 0) -> None:
    """Say something on standard error, on one line; a live display goes on below it."""
    with dropping():
        err().print(line(text, indent=indent), soft_wrap=True)


def tell_wrapped(text: str) -> None:
    """Say a sentence on standard error; a terminal shows it with no word broken."""
    with dropping():
        err().print(line(text), soft_wrap=not err().is_terminal)


def tell_table(table: RenderableType) -> None:
    """Say something on standard error that has rows; where there is no terminal, it may be wide."""
    with dropping():
        err().print(table, crop=False)


def out() -> _Console:
    """Standard output as it is now."""
    return _console(stderr=False)


def show_line(text: Text) -> None:
    """Print a result's line; where there is no terminal, it stays one."""
    console = out()
    console.print(text, soft_wrap=not console.is_terminal)


def show(renderable: RenderableType) -> None:
    """Print a result; where there is no terminal, a table may be wider than the rest.

    Raises:
        TypeError: One is no part, or cannot be shown as it is.
    """
    out().print(renderable, crop=False)
