"""What plugins print: to standard error, with their name; standard output is for results.

While a plugin is called, `sys.stdout` is a `_Divider`. It knows by a context variable
whether a plugin writes, so a plugin's own tasks count as the plugin, and others' prints in the
same loop do not.
"""

import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from contextvars import ContextVar
from functools import partial
from types import TracebackType
from typing import Any, TextIO

from ..text import harmless

losing: Callable[[], AbstractContextManager[None]] = partial(suppress, OSError)
"""Takes it that standard error may be closed; the console sets its own way."""


class StdoutCapture:
    """A plugin while it is called: what it prints goes to standard error, with its name."""

    __slots__ = ("_before", "_lines", "_name")

    def __init__(self, name: object) -> None:
        self._name = name
        self._lines: list[str] | None = None

    def __enter__(self) -> "StdoutCapture":
        self._before = _speaking.get()
        _speaking.set(self)
        _begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _speaking.set(self._before)  # no token: a coroutine may be closed in another context
        _end()
        if self._lines:
            self.say("\n")

    def say(self, text: str) -> None:
        """Print text, once its line is whole."""
        if sys.stderr is None:
            return
        if self._lines is None:
            self._lines = []
        self._lines.append(text)
        if "\n" not in text:
            return
        *whole, rest = "".join(self._lines).split("\n")
        self._lines = [rest] if rest else []
        with losing():  # nobody who listens is no fault of the plugin's
            for line in whole:
                sys.stderr.write(f"{self._name}: {harmless(line)}\n")
            sys.stderr.flush()


_speaking: ContextVar[StdoutCapture | None] = ContextVar("_speaking", default=None)


class _Divider:
    """Standard output for all but plugins."""

    def __init__(self, stdout: TextIO) -> None:
        self.stdout = stdout

    def write(self, text: str) -> int:
        """Write a text to where its writer's texts go."""
        speaker = _speaking.get()
        if speaker is None:
            return self.stdout.write(text)
        speaker.say(text)
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stdout, name)


class _Installed:
    """The divider while any plugin is called; kept for the next call, as calls are many."""

    lock = threading.Lock()
    calls = 0
    divider = _Divider(sys.stdout)


def _begin() -> None:
    with _Installed.lock:
        _Installed.calls += 1
        if sys.stdout is None or type(sys.stdout) is _Divider:
            return
        if _Installed.divider.stdout is not sys.stdout:
            _Installed.divider = _Divider(sys.stdout)
        sys.stdout = _Installed.divider


def _end() -> None:
    with _Installed.lock:
        _Installed.calls -= 1
        if not _Installed.calls and type(sys.stdout) is _Divider:
            sys.stdout = sys.stdout.stdout
