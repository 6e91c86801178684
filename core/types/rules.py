"""What a value that a person sets may be: stated once, for all the ways to give it.

A rule says in words what it wants. Who applies it adds where the value stands: an option, a
variable, a file and its key, or an argument in Python. A setting is declared at the field that
holds its value; all of these ways are made from that.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from numbers import Integral, Real
from sys import float_info
from types import MappingProxyType
from typing import Any, Protocol


class UnfitValue(ValueError):
    """A value that a rule refuses; its text is what the rule wants."""


class Rule(Protocol):
    """What a value may be."""

    @property
    def words(self) -> str:
        """What is wanted, such as ``a whole number from 1 on``."""
        ...

    def check(self, value: object) -> object:
        """The value as it is used, from one of Python or TOML; `UnfitValue` if it is refused."""
        ...

    def read(self, text: str) -> object:
        """The value of a text, as options and variables give it; `UnfitValue` likewise."""
        ...


@dataclass(frozen=True, slots=True)
class NumberRule:
    """A finite number in a range, whose lower end may itself be too low (`above`)."""

    low: float | None = None
    high: float | None = None
    above: bool = False
    whole: bool = False

    @property
    def words(self) -> str:
        """What is wanted."""
        kind = "a whole number" if self.whole else "a number"
        if self.low is None:
            return kind if self.high is None else f"{kind} up to {self.high:,.15g}"
        low = f"{'above' if self.above else 'from'} {self.low:,.15g}"
        if self.high is None:
            return f"{kind} {low}" if self.above else f"{kind} {low} on"
        return f"{kind} {low} to {self.high:,.15g}"

    def check(self, value: object) -> int | float:
        """The number; an int where it must be whole, else a float."""
        if isinstance(value, bool) or not isinstance(value, Integral if self.whole else Real):
            raise UnfitValue(self.words)
        number: Any = value
        # NaN, infinities, and whole numbers beyond what a float can hold
        if not self.whole and not -float_info.max <= number <= float_info.max:
            raise UnfitValue("a finite number")
        low = self.low is None or (number > self.low if self.above else number >= self.low)
        if not low or (self.high is not None and number > self.high):
            raise UnfitValue(self.words)
        return int(number) if self.whole else float(number)

    def read(self, text: str) -> int | float:
        """The number of a text."""
        try:
            return self.check(int(text) if self.whole else float(text))
        except UnfitValue:
            raise
        except ValueError:
            raise UnfitValue(self.words) from None


@dataclass(frozen=True, slots=True)
class TextRule:
    """A text, or one of a few."""

    choices: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What is wanted."""
        return f"one of {', '.join(self.choices)}" if self.choices else "a text"

    def check(self, value: object) -> str:
        """The text."""
        if not isinstance(value, str) or (self.choices and value not in self.choices):
            raise UnfitValue(self.words)
        return value

    def read(self, text: str) -> str:
        """The same, of a text."""
        return self.check(text)


@dataclass(frozen=True, slots=True)
class UnsettableRule:
    """What another rule allows, or a word for no value at all, by which a field is not sent."""

    rule: Rule
    unset: str

    @property
    def words(self) -> str:
        """What is wanted."""
        return f"{self.rule.words}, or {self.unset}"

    def check(self, value: object) -> object:
        """The value, or the word."""
        return value if value == self.unset else self._held_to(self.rule.check, value)

    def read(self, text: str) -> object:
        """The same, of a text."""
        return text if text == self.unset else self._held_to(self.rule.read, text)

    def _held_to(self, hold: Callable[[Any], object], value: object) -> object:
        try:
            return hold(value)
        except UnfitValue as error:
            raise UnfitValue(f"{error}, or {self.unset}") from None


class SwitchRule:
    """True or false."""

    words = "true or false"

    def check(self, value: object) -> bool:
        """Whether it is on."""
        if not isinstance(value, bool):
            raise UnfitValue(self.words)
        return value

    def read(self, text: str) -> bool:
        """Whether a text says on."""
        if text.lower() not in _SWITCH:
            raise UnfitValue(self.words)
        return _SWITCH[text.lower()]


_SWITCH = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
_UNITS = {
    "": 1, "b": 1,
    "kb": 10**3, "mb": 10**6, "gb": 10**9,
    "kib": 2**10, "mib": 2**20, "gib": 2**30,
}  # fmt: skip
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)", re.IGNORECASE | re.ASCII)


class SizeRule:
    """A number of bytes above 0: itself, or a text such as ``16MiB``."""

    words = "a size above 0, such as 16MiB or 1048576"

    def check(self, value: object) -> int:
        """The bytes of a number or a text."""
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(text, str):
            raise UnfitValue(self.words)
        return self.read(text)

    def read(self, text: str) -> int:
        """The bytes in a text such as ``16MiB``, ``500 kB`` or ``1048576``."""
        match = _SIZE.fullmatch(text.strip())
        unit = _UNITS.get(match[2].lower()) if match else None
        size = int(float(match[1]) * unit) if match and unit else 0
        if size < 1:
            raise UnfitValue(self.words)
        return size


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a person may set of a run.

    Attributes:
        help: One sentence.
        section: The heading above it in the help.
        metavar: What the help shows for a value.
        rule: What a value may be; ``None`` where its form alone says that.
        form: How it is given: ``one`` value; a ``switch``; a ``list``, as an option that may be
            repeated; ``pairs`` of a name and a value, likewise; ``ids`` with commas; ``json``.
        option: Its long name without dashes, where that is not the name of its field.
        argument: Its name in Python, likewise.
        shown: The default as the help has it, where that is not its value.
        names_key: It names a key's variable.
        may_hold_key: Somebody may put a key there, so messages do not show what is given.
        is_option: The command line has it; else only bench.toml, a variable and Python.
        in_file: bench.toml and a variable may have it; else it belongs to one command.
        in_python: Python has it; else it is about what the command line alone does.
        bare: The value of the option without one; where this is empty it needs one.
    """

    help: str
    section: str
    metavar: str | None = None
    rule: Rule | None = None
    form: str = "one"
    option: str = ""
    argument: str = ""
    shown: str = ""
    names_key: bool = False
    may_hold_key: bool = False
    is_option: bool = True
    in_file: bool = True
    in_python: bool = True
    bare: str = ""


SETTING = "setting"
"""Under which a dataclass's field keeps the setting that it holds the value of."""


def holding(setting: Setting, default: object = None) -> Any:
    """A dataclass's field that holds the value of a setting."""
    shown = setting.form != "pairs" or not setting.may_hold_key
    if isinstance(default, dict):
        return field(default_factory=dict, repr=shown, metadata={SETTING: setting})
    return field(default=default, repr=shown, metadata={SETTING: setting})


@cache
def settings_of(holder: type[Any]) -> Mapping[str, Any]:
    """The settings that a dataclass declares, by the names of its fields."""
    declared = {f.name: f.metadata[SETTING] for f in fields(holder) if SETTING in f.metadata}
    return MappingProxyType(declared)


def size_text(size: int) -> str:
    """A number of bytes in whole KiB, MiB or GiB where it is such a number."""
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size:,} bytes"
