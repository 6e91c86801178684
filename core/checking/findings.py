"""What a check of a plugin finds, and where that stands."""

import inspect
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import BenchError


class Finding(NamedTuple):
    """A fault of a plugin.

    Attributes:
        message: What is wrong.
        method: Of the plugin; empty where it is no method's fault.
        item: Id of the item that it shows at; empty where it is no item's.
        todo: What to do; empty for what the check says.
        where: File and line; empty where the message has them.
    """

    message: str
    method: str = ""
    item: str = ""
    todo: str = ""
    where: str = ""

    def __str__(self) -> str:
        item = f" (item {self.item!r})" if self.item and repr(self.item) not in self.message else ""
        where = f" [{self.where}]" if self.where and ".py:" not in self.message else ""
        return f"{self.message}{item}{where}; {self.todo}"


class NotChecked(BenchError):
    """A check does not apply; the message says why. Of ours, so that it passes a plugin."""


class PluginFault(Exception):
    """A finding that ends its check."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


def method_in(message: str, thing: object) -> str:
    """The method of a plugin's object that a message of the guard begins with; else empty."""
    match = re.match(r"(\w+) of ", message)
    return match[1] if match and hasattr(thing, match[1]) else ""


def place_of(thing: object, method: str = "") -> str:
    """File and line of a method of a plugin's object, else of its class, else the file alone.

    Of one that a file declares, that file.
    """
    kind = type(thing)
    if files := getattr(thing, "files", None):
        return Path(next(iter(files))).name
    for part in (getattr(kind, method, None), kind):
        try:
            source: Any = inspect.unwrap(part)  # type: ignore[arg-type]
            file = inspect.getsourcefile(source) or ""
            return f"{Path(file).name}:{inspect.getsourcelines(source)[1]}"
        except (TypeError, OSError, ValueError):
            continue
    return Path(getattr(sys.modules.get(kind.__module__), "__file__", None) or "").name
