"""Tells which plugin keeps the event loop from everything else, as ``time.sleep`` does."""

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from .calls import call, call_async

BLOCKED_S = 30.0
"""How long a plugin may keep the loop before that is told."""
_GUARDS = (call.__code__, call_async.__code__)


@contextmanager
def watched(say: Callable[[str], None], after_s: float = BLOCKED_S) -> Iterator[None]:
    """Watch the running loop while the block runs.

    Args:
        say: Told of each blocking call once, in another thread.
        after_s: How long a call may block.
    """
    loop, stuck, done = asyncio.get_running_loop(), threading.get_ident(), threading.Event()
    watcher = threading.Thread(
        target=_watch, args=(loop, stuck, done, say, after_s), name="watchdog", daemon=True
    )
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(
    loop: asyncio.AbstractEventLoop,
    stuck: int,
    done: threading.Event,
    say: Callable[[str], None],
    after_s: float,
) -> None:
    """Ask the loop for a sign of life now and then, and look what it does when there is none.

    It ends with the loop, too, which may be closed before it is asked.
    """
    alive, said = threading.Event(), set[str]()
    while _ask(loop, alive) and not done.wait(after_s):
        if not alive.is_set():
            frame = sys._current_frames().get(stuck)
            text = _described(frame, after_s) if frame else ""
            if text and text not in said:
                said.add(text)
                say(text)
            continue
        alive.clear()


def _ask(loop: asyncio.AbstractEventLoop, alive: threading.Event) -> bool:
    """Ask the loop for a sign of life; False when it is closed and will give none."""
    try:
        loop.call_soon_threadsafe(alive.set)
    except RuntimeError:
        return False
    return True


def _described(top: FrameType, after_s: float) -> str:
    """Who blocks, and where."""
    inner, frame = top, top.f_back
    while frame is not None and frame.f_code not in _GUARDS:
        inner, frame = frame, frame.f_back
    where = inner if frame is not None else top
    place = f"{Path(where.f_code.co_filename).name}:{where.f_lineno}"
    who = str(frame.f_locals["called"]) if frame else f"something ({top.f_code.co_name})"
    return (
        f"{who} has kept everything else waiting for {after_s:g} s, at {place}: "
        "what takes long must be awaited (Ctrl-C three times ends the run)"
    )
