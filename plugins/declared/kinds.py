"""What a key of a declaration may hold: how a value is checked, and the same as a JSON schema."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple, Protocol

from .templates import BrokenTemplate, Place, Prompt, Values


class Checker(Protocol):
    """Who is told what is wrong, and reads the files that a declaration names."""

    def report(self, where: Place, message: str) -> None:
        """Say what is wrong with a value, and what to do."""
        ...

    def text_of(self, where: Place, path: str) -> str:
        """The text of a file beside the declaration; empty where it cannot be had."""
        ...


class ValueKind(ABC):
    """What a value may be.

    Attributes:
        needed: In words.
        types: Of Python, as TOML is read.
    """

    needed: str
    types: tuple[type, ...]

    def check(self, value: Any, where: Place, checker: Checker) -> Any:
        """The value as it is used; what is wrong with it is reported."""
        if type(value) not in self.types:
            checker.report(where, f"must be {self.needed}, not {value!r:.40}")
            return value
        return self.looked_at(value, where, checker)

    @abstractmethod
    def looked_at(self, value: Any, where: Place, checker: Checker) -> Any:
        """The same for one of the right type."""

    @abstractmethod
    def schema(self) -> Values:
        """The same as a JSON schema."""


def near(name: object, known: Iterable[str]) -> str:
    """The nearest known name, or all of them, as the end of a message."""
    names = list(known)
    alike = get_close_matches(str(name), names, n=1, cutoff=0.6)
    return f"; did you mean {alike[0]}?" if alike else f"; there are: {', '.join(names)}"


@dataclass(frozen=True)
class TextKind(ValueKind):
    """A text that is not blank; one of some choices, or of a pattern, where there are any."""

    choices: tuple[str, ...] = ()
    pattern: str = ""
    needed: str = "a text"
    types = (str,)

    def looked_at(self, value: str, where: Place, checker: Checker) -> str:
        """The text."""
        if self.choices and value not in self.choices:
            checker.report(where, f"cannot be {value!r:.40}{near(value, self.choices)}")
        elif not value.strip() or (self.pattern and not re.fullmatch(self.pattern, value)):
            checker.report(where, f"must be {self.needed}, not {value!r:.40}")
        return value

    def schema(self) -> Values:
        """A string."""
        more: Values = {"enum": list(self.choices)} if self.choices else {}
        return (
            {"type": "string"} | more | ({"pattern": f"^{self.pattern}$"} if self.pattern else {})
        )


@dataclass(frozen=True)
class NumberKind(ValueKind):
    """A number in a range."""

    low: float = -math.inf
    high: float = math.inf
    whole: bool = False

    @property
    def types(self) -> tuple[type, ...]:  # type: ignore[override]
        """Of Python."""
        return (int,) if self.whole else (int, float)

    @property
    def needed(self) -> str:  # type: ignore[override]
        """In words."""
        if self.low == self.high:
            return f"{self.low:g}"
        ends = [f"from {self.low:g}"] * (self.low > -math.inf)
        ends += [f"to {self.high:g}"] * (self.high < math.inf)
        return " ".join(["a whole number" if self.whole else "a number", *ends])

    def looked_at(self, value: float, where: Place, checker: Checker) -> float:
        """The number."""
        if not self.low <= value <= self.high or math.isinf(value):
            checker.report(where, f"must be {self.needed}, not {value}")
        return value

    def schema(self) -> Values:
        """A number."""
        ends = {"minimum": self.low, "maximum": self.high}
        finite = {name: end for name, end in ends.items() if math.isfinite(end)}
        return {"type": "integer" if self.whole else "number", **finite}


@dataclass(frozen=True)
class SwitchKind(ValueKind):
    """True or false."""

    needed = "true or false"
    types = (bool,)

    def looked_at(self, value: bool, where: Place, checker: Checker) -> bool:
        """The switch."""
        return value

    def schema(self) -> Values:
        """A boolean."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class Words(ValueKind):
    """A template, or the file that holds it."""

    needed = 'a text, or a file such as { file = "judge.txt" }'
    types = (str, dict)

    def looked_at(self, value: Any, where: Place, checker: Checker) -> Prompt:
        """The template."""
        text = value
        if isinstance(value, dict):
            if list(value) != ["file"] or not isinstance(value["file"], str):
                checker.report(where, f"must be {self.needed}")
                return Prompt("", where, ())
            text = checker.text_of(where, value["file"])
        try:
            return Prompt.parse(text, where)
        except BrokenTemplate as error:
            checker.report(where, str(error))
            return Prompt("", where, ())

    def schema(self) -> Values:
        """A string, or an object with a file."""
        of_file = {"type": "object", "properties": {"file": {"type": "string"}}}
        one = {**of_file, "required": ["file"], "additionalProperties": False}
        return {"anyOf": [{"type": "string"}, one]}


@dataclass(frozen=True)
class ListOf(ValueKind):
    """Several of a kind; one of them may stand without brackets where `single` says so."""

    kind: ValueKind
    least: int = 1
    single: bool = False
    types = (list,)

    @property
    def needed(self) -> str:  # type: ignore[override]
        """In words."""
        return f"a list, each {self.kind.needed}"

    def check(self, value: Any, where: Place, checker: Checker) -> Any:
        """The list."""
        if self.single and type(value) in self.kind.types:
            return [self.kind.check(value, where, checker)]
        return super().check(value, where, checker)

    def looked_at(self, value: list[Any], where: Place, checker: Checker) -> list[Any]:
        """The list."""
        if len(value) < self.least:
            checker.report(where, f"needs {self.least} at least, and has {len(value)}")
        return [self.kind.check(one, (*where, n), checker) for n, one in enumerate(value)]

    def schema(self) -> Values:
        """An array."""
        several = {"type": "array", "items": self.kind.schema(), "minItems": self.least}
        return {"anyOf": [self.kind.schema(), several]} if self.single else several


@dataclass(frozen=True)
class MapOf(ValueKind):
    """A table whose keys are free names."""

    kind: ValueKind
    name: TextKind | None = None
    needed = "a table"
    types = (dict,)

    def looked_at(self, value: Mapping[str, Any], where: Place, checker: Checker) -> Values:
        """The table."""
        if not value:
            checker.report(where, "is empty; leave it out")
        for name in value if self.name else ():
            assert self.name is not None
            self.name.check(name, (*where, name), checker)
        return {name: self.kind.check(one, (*where, name), checker) for name, one in value.items()}

    def schema(self) -> Values:
        """An object."""
        names: Values = {"propertyNames": self.name.schema()} if self.name else {}
        more = self.kind.schema()
        return {"type": "object", "additionalProperties": more, "minProperties": 1, **names}


REQUIRED = object()
"""Stands for a default: the key must be there."""


class Key(NamedTuple):
    """A key: what it holds, what that means, and what it is where it is left out."""

    kind: ValueKind
    help: str
    default: Any = REQUIRED


@dataclass(frozen=True)
class TableOf(ValueKind):
    """A table of known keys."""

    keys: Mapping[str, Key]
    needed = "a table"
    types = (dict,)

    def looked_at(self, value: Mapping[str, Any], where: Place, checker: Checker) -> Values:
        """The table, with the defaults of what is left out."""
        meant: set[str] = set()
        for name in value:
            if name not in self.keys:
                checker.report((*where, name), f"no such key{near(name, self.keys)}")
                meant.update(get_close_matches(name, self.keys, n=1))
        checked: Values = {}
        for name, key in self.keys.items():
            if name in value:
                checked[name] = key.kind.check(value[name], (*where, name), checker)
            elif key.default is REQUIRED and name not in meant:
                checker.report((*where, name), f"is missing: {key.help}")
            elif key.default is not REQUIRED:
                checked[name] = key.default
        return checked

    def schema(self) -> Values:
        """An object."""
        properties = {
            name: {"description": key.help, **key.kind.schema()} for name, key in self.keys.items()
        }
        required = [name for name, key in self.keys.items() if key.default is REQUIRED]
        whole: Values = {"type": "object", "properties": properties}
        return {**whole, "required": required, "additionalProperties": False}


@dataclass(frozen=True)
class Either(ValueKind):
    """One of several kinds that differ in their types."""

    kinds: Sequence[ValueKind]

    @property
    def types(self) -> tuple[type, ...]:  # type: ignore[override]
        """Of Python."""
        return tuple(one for kind in self.kinds for one in kind.types)

    @property
    def needed(self) -> str:  # type: ignore[override]
        """In words."""
        return " or ".join(kind.needed for kind in self.kinds)

    def looked_at(self, value: Any, where: Place, checker: Checker) -> Any:
        """The value of the kind that it is of."""
        kind = next(kind for kind in self.kinds if type(value) in kind.types)
        return kind.check(value, where, checker)

    def schema(self) -> Values:
        """Any of the kinds."""
        return {"anyOf": [kind.schema() for kind in self.kinds]}


@dataclass(frozen=True)
class ByKind(ValueKind):
    """A table whose keys depend on the one that is called ``kind``."""

    tables: Mapping[str, TableOf]
    needed = "a table"
    types = (dict,)

    def looked_at(self, value: Mapping[str, Any], where: Place, checker: Checker) -> Values:
        """The table of its kind."""
        at, kind = (*where, "kind"), value.get("kind")
        if "kind" not in value:
            checker.report(at, f"is missing: one of {', '.join(self.tables)}")
        if kind not in self.tables:
            TextKind(tuple(self.tables)).check(kind, at, checker) if "kind" in value else None
            return {"kind": ""}
        return self.tables[str(kind)].check(value, where, checker)  # type: ignore[no-any-return]

    def schema(self) -> Values:
        """One object for each kind."""
        return {"oneOf": [table.schema() for table in self.tables.values()]}
