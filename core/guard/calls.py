"""Calls into plugins: who is called, what becomes of what they raise."""

import contextlib
import inspect
from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple, NoReturn, TypeVar

from ..errors import BenchError, PluginError
from ..types import Item
from .printing import Speaker

T = TypeVar("T")


class Called(NamedTuple):
    """A method of a plugin's object, as messages name it.

    Attributes:
        thing: The object; its name and distribution are looked up when a message needs them.
        method: Empty where it goes without saying.
        alias: What to call the object, if not by its name and distribution.
    """

    thing: object
    method: str
    alias: object = None

    def __str__(self) -> str:
        named = self.alias if self.alias is not None else named_with_origin(self.thing)
        return f"{self.method} of {named}" if self.method else str(named)

    def refuse(self, message: str) -> NoReturn:
        """Say what is wrong with what came back.

        Raises:
            PluginError: Always.
        """
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


def call(called: Called, function: Callable[..., T], *args: object) -> T:
    """What a plugin's function returns.

    Raises:
        PluginError: It raised anything that is not ours.
    """
    with Speaker(called):
        try:
            return function(*args)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
            raise_for(called, error)


async def call_async(called: Called, function: Callable[..., Awaitable[T]], *args: object) -> T:
    """What a plugin's coroutine function comes to.

    Raises:
        PluginError: It is none, or it raised anything that is not ours.
    """
    with Speaker(called):
        try:
            made = function(*args)
            if not inspect.isawaitable(made):
                called.refuse("is no coroutine function: write async def")
            return await made
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
            raise_for(called, error)


def raise_for(called: Called, error: BaseException) -> NoReturn:
    """Raise what a plugin's exception is to us: itself if it is ours, else a `PluginError`."""
    inner = innermost(error) if isinstance(error, Exception) else error
    if inner is error and isinstance(error, BenchError):
        raise error
    if isinstance(inner, BenchError):
        raise inner from error
    raise PluginError(f"{called} raised {described(inner)}") from error


@contextlib.contextmanager
def no_exit() -> Iterator[None]:
    """Turn a plugin's SystemExit in a task of its own, which ends the event loop, into an error.

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
