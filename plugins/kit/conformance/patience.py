"""A limit of time around what a plugin does, also where it never gives control back."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

_AGAIN_S = 1.0
"""How soon the alarm comes again where the plugin caught it."""
_ASLEEP = 4
"""How many times as long may pass where little is computed, as on a busy machine."""
_OURS = ("eibench.core", "eibench.plugins.kit")


class TookTooLong(BaseException):
    """What a check does has not ended; the message is the file and line where it was.

    No `Exception`: a plugin that catches all of these must not go on.
    """


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """End what takes more processor time, or several times as much by the clock: `TookTooLong`.

    Where there are no alarms (Windows, or a thread other than the main one) there is no limit.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or not hasattr(signal, "setitimer"):
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise TookTooLong(_position(frame))

    timers = (
        (signal.SIGPROF, signal.ITIMER_PROF, seconds),
        (signal.SIGALRM, signal.ITIMER_REAL, _ASLEEP * seconds),
    )
    before = [(number, signal.signal(number, end)) for number, _, _ in timers]
    running = [(timer, signal.setitimer(timer, limit, _AGAIN_S)) for _, timer, limit in timers]
    try:
        yield
    finally:
        for timer, _ in running:
            signal.setitimer(timer, 0)
        for number, handler in before:
            signal.signal(number, handler)
        for timer, (left, interval) in running:  # such as that of a test's own limit
            signal.setitimer(timer, left, interval)


def _position(frame: FrameType | None) -> str:
    """The innermost place that is in no part of Python's or of eibench's."""
    inner = frame
    while frame is not None:
        name = str(frame.f_globals.get("__name__"))
        library = "/lib/python" in frame.f_code.co_filename or name.startswith(_OURS)
        if not library:
            return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
        frame = frame.f_back
    return f"{Path(inner.f_code.co_filename).name}:{inner.f_lineno}" if inner else "?"
