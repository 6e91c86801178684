"""What is imported when it is needed: parts of plugins, and packages that bring heavy libraries."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any


@dataclass(frozen=True, slots=True)
class OnDemand:
    """Something of a plugin that is imported when somebody asks for it.

    It can be registered in place of a benchmark, a rating engine or a command, and be the
    `create` of a provider or the `build` of a report section.

    Attributes:
        place: Where it is, as in an entry point: ``package.module:name``. What is registered
            may be a class there, which is then called without an argument.
        name: Where it is registered, the name that it has.
        title: Likewise, its line in `bench list`.
    """

    place: str
    name: str = ""
    title: str = ""

    def load(self) -> Any:
        """What is at the place."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)

    def make(self) -> Any:
        """What is registered: that, or one of it if it is a class.

        Raises:
            TypeError: It has another name or title than was declared.
        """
        found = self.load()
        made = found() if isinstance(found, type) else found
        for word, declared in (("name", self.name), ("title", self.title)):
            if (own := getattr(made, word, declared)) != declared:
                raise TypeError(f"its {word} is {own!r}, and was declared as {declared!r}")
        return made

    def __call__(self, *args: Any) -> Any:
        """What the function or class at the place gives back."""
        return self.load()(*args)


def submodules(package: str) -> Callable[[str], ModuleType]:
    """The `__getattr__` of a package whose modules are imported when they are first used."""

    def first_use(name: str) -> ModuleType:
        if name.startswith("__") or find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(f"{package}.{name}")

    return first_use
