"""Another day, other random numbers and no network, for as long as a plugin's code runs."""

import contextlib
import datetime
import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

_LATER_S = 400 * 86_400.0
_CONNECTING = ("connect", "connect_ex", "sendto", "bind")


@contextmanager
def no_network() -> Iterator[list[str]]:
    """Refuse each connection; gives the list of those that were tried, as texts."""
    tried: list[str] = []

    def refuse(what: object) -> None:
        tried.append(str(what))
        raise OSError("a benchmark may reach nothing but its models")

    with contextlib.ExitStack() as stack:
        for name in _CONNECTING:
            stack.enter_context(
                mock.patch.object(socket.socket, name, lambda self, *words: refuse(words[-1]))
            )
        for name in ("getaddrinfo", "create_connection"):
            stack.enter_context(
                mock.patch.object(socket, name, lambda *words, **more: refuse(words[0]))
            )
        yield tried


@contextmanager
def another_day(seed: int = 0) -> Iterator[None]:
    """Let the clock of `time` and `datetime` be on by more than a year, and draw other numbers."""

    def later(function: Callable[[], Any], add: Any) -> Callable[[], Any]:
        return lambda: function() + add

    class LaterDate(datetime.date):
        @classmethod
        def today(cls) -> Any:
            return _TODAY() + datetime.timedelta(seconds=_LATER_S)

    class LaterDatetime(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Any:
            return _NOW(tz) + datetime.timedelta(seconds=_LATER_S)

        @classmethod
        def today(cls) -> Any:
            return cls.now()

        @classmethod
        def utcnow(cls) -> Any:
            return cls.now(datetime.UTC).replace(tzinfo=None)

    state = random.getstate()
    random.seed(seed)
    try:
        with (
            mock.patch.object(time, "time", later(time.time, _LATER_S)),
            mock.patch.object(time, "time_ns", later(time.time_ns, int(_LATER_S * 1e9))),
            mock.patch.object(datetime, "date", LaterDate),
            mock.patch.object(datetime, "datetime", LaterDatetime),
        ):
            yield
    finally:
        random.setstate(state)


_TODAY, _NOW = datetime.date.today, datetime.datetime.now
