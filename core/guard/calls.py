"""Calls into plugins: who is called, what becomes of what they raise.

Also whether a plugin changed the item it was given, and which one keeps the event loop from
everything else, as ``time.sleep`` does.
"""

import asyncio
import contextlib
import inspect
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import Any, NamedTuple, NoReturn, TypeVar

from ..errors import BenchError, PluginError
from ..types import Item
from .printing import StdoutCapture

T = TypeVar("T")


class PluginCall(NamedTuple):
    """A method of a plugin's object, as messages name it; empty where it goes without saying.

    An alias is what to call the object, if not by its name and distribution.
    """

    thing: object
    method: str
    alias: object = None

    def __str__(self) -> str:
        named = self.alias if self.alias is not None else named_with_origin(self.thing)
        return f"{self.method} of {named}" if self.method else str(named)

    def refuse(self, message: str) -> NoReturn:
        """Say what is wrong with what came back, by a `PluginError`."""
        raise PluginError(f"{self} {message}")


def _unknown(thing: object) -> str | None:
    return None


find_distribution: Callable[[object], str | None] = _unknown
"""Which distribution registered an object; set by whoever loads plugins."""


def named_with_origin(thing: object) -> str:
    """A plugin's object by name, with its distribution."""
    return f"{getattr(thing, 'name', type(thing).__name__)} ({origin(thing)})"


def origin(thing: object) -> str:
    """The distribution that registered an object, else the module that it is from."""
    return find_distribution(thing) or f"module {type(thing).__module__}"


def call(called: PluginCall, function: Callable[..., T], *args: object) -> T:
    """What a plugin's function returns; `PluginError` where it raised anything that is not ours."""
    with StdoutCapture(called):
        try:
            return function(*args)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
            raise_for(called, error)


async def call_async(called: PluginCall, function: Callable[..., Awaitable[T]], *args: object) -> T:
    """What a plugin's coroutine function comes to.

    Raises:
        PluginError: It is no coroutine function, or it raised anything that is not ours.
    """
    with StdoutCapture(called):
        try:
            coroutine = function(*args)
            if not inspect.isawaitable(coroutine):
                called.refuse("is no coroutine function: write async def")
            return await coroutine
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
            raise_for(called, error)


def raise_for(called: PluginCall, error: BaseException) -> NoReturn:
    """Raise what a plugin's exception is to us: itself if it is ours, else a `PluginError`."""
    inner = innermost(error) if isinstance(error, Exception) else error
    if inner is error and isinstance(error, BenchError):
        raise error
    if isinstance(inner, BenchError):
        raise inner from error
    raise PluginError(f"{called} raised {described(inner)}{_where(inner, called)}") from error


def _where(error: BaseException, called: PluginCall) -> str:
    """File and line of what a plugin raised, the last in its own file or folder."""
    function = getattr(called.thing, "callback", None)  # of a command
    name = getattr(function, "__module__", None) or type(called.thing).__module__
    home = Path(getattr(sys.modules.get(name), "__file__", None) or "/")
    home = home.parent if "." in name else home
    at = ""
    for frame, line in walk_tb(error.__traceback__):
        path = Path(frame.f_code.co_filename)
        if home in (path, *path.parents):
            at = f" ({path.name}:{line})"
    return at


@contextlib.contextmanager
def no_exit() -> Iterator[None]:
    """Turn a plugin's SystemExit in a task of its own, which would end the event loop.

    Raises:
        PluginError: There was one.
    """
    try:
        yield
    except SystemExit as error:
        raise PluginError(f"a plugin raised {described(error)} in a task of its own") from error


def at_item(error: PluginError, item: Item) -> PluginError:
    """A plugin's fault with the item that it happened at, where nothing else tells."""
    return PluginError(f"{error} (item {item.id!r})")


def innermost(error: Exception) -> Exception:
    """What a call raised, where a plugin's TaskGroup wraps it: ours, if any is, else the first."""
    leaves = list(_leaves(error))
    return next((leaf for leaf in leaves if isinstance(leaf, BenchError)), leaves[0])


def _leaves(error: Exception) -> Iterator[Exception]:
    if not isinstance(error, ExceptionGroup):
        yield error
        return
    for inner in error.exceptions:
        yield from _leaves(inner)


def described(error: BaseException) -> str:
    """An exception on one line: its type and, if it says anything, its text."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - a plugin's exception may not even have a text
        text = ""
    return type(error).__name__ + (f": {text}" if text else "")


_PLAIN = frozenset({str, int, float, bool, bytes, type(None)})


def frozen(item: Item) -> Any:
    """An item's parts, as nested tuples that are equal while nothing in it changes.

    Texts are shared and not copied, so it is quick whatever they hold. What is neither a
    container nor a dataclass is taken for one thing.
    """
    return _frozen(item.content if type(item) is Item else item)


def _frozen(value: object) -> object:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, dict):
        return kind, tuple(value), _all(value.values())
    if isinstance(value, list | tuple):
        return kind, _all(value)
    if isinstance(value, set):
        return kind, frozenset(value)
    if names := field_names(kind):  # type: ignore[arg-type]  # mypy: some classes have no hash
        return kind, _all([getattr(value, name, None) for name in names])
    return kind, id(value)


def _all(values: Any) -> tuple[object, ...]:
    if _PLAIN.issuperset(map(type, values)):
        return tuple(values)
    return tuple(map(_frozen, values))


@cache
def field_names(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass; none of any other type."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


BLOCKED_S = 30.0
"""How long a plugin may keep the loop before that is told."""
_GUARDS = (call.__code__, call_async.__code__)


def _position(frame: FrameType) -> str:
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


def _is_asyncio(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == "asyncio"


def waiting(task: "asyncio.Task[Any]") -> str | None:
    """Which method of a plugin a task waits in, and where; ``None`` where in none.

    What waits in a task of the plugin's own is told with the place where that task is awaited.
    """
    awaited: Any = task.get_coro()
    called, position = None, ""
    while awaited is not None:
        frame = getattr(awaited, "cr_frame", None)
        if frame is not None and frame.f_code is call_async.__code__:
            called = frame.f_locals["called"]
        elif frame is not None and called and not _is_asyncio(frame):
            position = _position(frame)
        awaited = getattr(awaited, "cr_await", None)
    if not called or not position:
        return None
    return f"{called} waits for something that is no call, at {position}"


@contextmanager
def overseen(called: PluginCall, after_s: float = BLOCKED_S) -> Iterator[None]:
    """Say on standard error, in another thread, that a call takes long, and where it is."""
    thread, over = threading.get_ident(), threading.Event()

    def look() -> None:
        if not over.wait(after_s) and (frame := sys._current_frames().get(thread)):
            position = _position(frame)
            StdoutCapture(called).say(
                f"not done after {after_s:g} s, at {position}; Ctrl-C ends it\n"
            )

    threading.Thread(target=look, name="overseer", daemon=True).start()
    try:
        yield
    finally:
        over.set()


@contextmanager
def watched(say: Callable[[str], None], after_s: float = BLOCKED_S) -> Iterator[None]:
    """Watch the running loop while the block runs; of each blocking call it is said once."""
    loop, thread, done = asyncio.get_running_loop(), threading.get_ident(), threading.Event()

    def watch() -> None:
        """Ask the loop for a sign of life now and then, until it ends, or is closed before."""
        alive, reported = threading.Event(), set[str]()
        while _ask(loop, alive) and not done.wait(after_s):
            if alive.is_set():
                alive.clear()
                continue
            frame = sys._current_frames().get(thread)
            text = "" if frame is None or _imports(frame) else _described(frame, after_s)
            if text and text not in reported:
                reported.add(text)
                say(text)

    watcher = threading.Thread(target=watch, name="watchdog", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _ask(loop: asyncio.AbstractEventLoop, alive: threading.Event) -> bool:
    """Ask the loop for a sign of life; False when it is closed and will give none."""
    try:
        loop.call_soon_threadsafe(alive.set)
    except RuntimeError:
        return False
    return True


def _imports(frame: FrameType | None) -> bool:
    """Whether the loop waits for an import: it ends, and whoever imports cannot await it."""
    while frame is not None and frame.f_code.co_name != "_run_once":
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _described(top: FrameType, after_s: float) -> str:
    """Who blocks, and where."""
    inner, frame = top, top.f_back
    while frame is not None and frame.f_code not in _GUARDS:
        inner, frame = frame, frame.f_back
    where = inner if frame is not None else top
    position = _position(where)
    who = str(frame.f_locals["called"]) if frame else f"something ({top.f_code.co_name})"
    return (
        f"{who} has kept everything else waiting for {after_s:g} s, at {position}: "
        "what takes long must be awaited (Ctrl-C three times ends the run)"
    )
