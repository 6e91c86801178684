"""Signals that ask a program to end."""

import contextlib
import signal
from collections.abc import Callable, Iterable, Iterator


def ending_signals() -> list[signal.Signals]:
    """SIGTERM, and SIGHUP unless it is ignored, as by ``nohup``."""
    numbers = [signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    return numbers


@contextlib.contextmanager
def handling(
    numbers: Iterable[signal.Signals], handle: Callable[[int, object], object]
) -> Iterator[None]:
    """Handle signals while the block runs; not outside the main thread, where there are none."""
    before = {}
    try:
        for number in numbers:
            with contextlib.suppress(ValueError):  # not in the main thread
                before[number] = signal.signal(number, handle)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
