"""Which plugins are installed, without importing any; and what is imported when it is needed.

That are parts of plugins, and packages that bring heavy libraries.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from .. import __version__

GROUP = "eibench"
_UNKNOWN = "an unknown distribution"


def _is_ours(entry: EntryPoint) -> bool:
    return entry.value.startswith("eibench.")


def distribution_of(entry: EntryPoint) -> str:
    """The distribution that a plugin is from, with its version."""
    if _is_ours(entry):
        return f"eibench {__version__}"  # without reading a file: every command comes by here
    try:
        return f"{entry.dist.name} {entry.dist.version}" if entry.dist else _UNKNOWN
    except Exception:  # noqa: BLE001 - its metadata are damaged; that is no reason to stop
        return _UNKNOWN


@cache
def entries() -> tuple[EntryPoint, ...]:
    """All plugins, ours first, so that in a clash it is the newcomer that is refused."""
    installed = entry_points(group=GROUP)
    return tuple(sorted(installed, key=lambda e: (not _is_ours(e), e.name, e.value)))


def others() -> bool:
    """Whether there is any plugin that is not ours; imports none."""
    return not all(_is_ours(entry) for entry in entries())


@dataclass(frozen=True, slots=True)
class OnDemand:
    """Something of a plugin that is imported when somebody asks for it.

    It can be registered in place of a benchmark, a rating engine or a command, and be the
    `create` of a provider or the `build` of a report section.

    Attributes:
        target: Where it is, as in an entry point: ``package.module:name``. What is registered
            may be a class there, which is then called without an argument.
        name: Where it is registered, the name that it has.
        title: Likewise, its line in `bench list`.
        kind: Likewise, of a benchmark.
    """

    target: str
    name: str = ""
    title: str = ""
    kind: str = ""

    def load(self) -> Any:
        """What is at the target."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)

    def make(self) -> Any:
        """What is registered: that, or one of it if it is a class.

        Raises:
            TypeError: It has another name, title or kind than was declared.
        """
        thing = self.load()
        one = thing() if isinstance(thing, type) else thing
        for word in ("name", "title", *["kind"] * bool(self.kind)):
            declared = getattr(self, word)
            if (actual := getattr(one, word, declared)) != declared:
                raise TypeError(f"its {word} is {actual!r}, and was declared as {declared!r}")
        return one

    def __call__(self, *args: object) -> Any:
        """What the function or class at the place gives back."""
        return self.load()(*args)


def submodules(package: str) -> Callable[[str], ModuleType]:
    """The `__getattr__` of a package whose modules are imported when they are first used."""

    def first_use(name: str) -> ModuleType:
        if name.startswith("__") or find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(f"{package}.{name}")

    return first_use
