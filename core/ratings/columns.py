"""Comparisons as they come, checked one by one.

They are kept in compact columns, so that a million of them fit, and names are numbered as they
appear. `comparisons` sorts the columns, and finds what is there twice.
"""

from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from sys import float_info
from typing import NoReturn, TypeGuard

from ..errors import DataError, UsageError
from ..types import JsonObject

_TEXTS = ("item", "a", "b", "first", "judge", "family")
KEYS = frozenset({*_TEXTS, "iteration", "margins", "len_a", "len_b", "weight"})
MAX_MARGIN = 5
"""Most pluses that a criterion can be won by."""
MOST_CRITERIA = 200
"""Of one file, where each criterion's margins are kept."""
_LONG = 2**31 - 1


class _Bad(ValueError):
    pass


@dataclass
class Columns:
    """Comparisons in the order they come, for `Comparisons.canonical`.

    A row is called `row_name` there, such as ``line``. Where a judge is named only its rows are
    kept. `by_criterion` keeps each criterion's margin beside their sum.
    """

    origin: object
    row_name: str
    judge: str | None = None
    by_criterion: bool = False
    models: dict[str, int] = field(default_factory=dict)
    items: dict[str, int] = field(default_factory=dict)
    families: dict[str, int] = field(default_factory=dict)
    judges: dict[str, int] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)
    numbers: "array[int]" = field(default_factory=lambda: array("i"))
    lengths: "array[float]" = field(default_factory=lambda: array("d"))
    weights: "array[float]" = field(default_factory=lambda: array("d"))
    family_of: "array[int]" = field(default_factory=lambda: array("i"))
    told_in: "array[int]" = field(default_factory=lambda: array("i"))
    criteria: dict[str, int] = field(default_factory=dict)
    margins: "array[int]" = field(default_factory=lambda: array("i"))

    def add(self, row: object, number: int) -> None:
        """Take one row in, or refuse it; the message has its place."""
        try:
            self._add(row, number)
        except _Bad as error:
            self.refuse(str(error), number)

    def refuse(self, message: str, number: int) -> NoReturn:
        """Refuse a row; the message has its place."""
        raise DataError(self.origin, message, f"{self.row_name} {number}") from None

    def _add(self, row: object, number: int) -> None:
        if not isinstance(row, Mapping):
            raise _Bad("not a JSON object")
        names, first = (_text(row, "a"), _text(row, "b")), row.get("first")
        if names[0] == names[1]:
            raise _Bad(f"compares {names[0]!r} with itself")
        if first != "a" and first != "b":
            raise _Bad('"first" must be "a" or "b": whose transcript was read first')
        item = _id(row)
        margin, criteria = _margins(row.get("margins"))
        iteration = _iteration(row.get("iteration", 1))
        family, by = _optional_text(row, "family") or item, _optional_text(row, "judge")
        lengths, weight = (_length(row, "len_a"), _length(row, "len_b")), _weight(row)
        if not row.keys() <= KEYS:
            self.unknown.update(str(key) for key in row.keys() - KEYS)
        judge = self.judges.setdefault(by, len(self.judges))
        if self.judge is not None and by != self.judge:
            return
        self._keep_family(item, family, number)
        if self.by_criterion:
            self._keep_margins(row["margins"])
        a, b = (self.models.setdefault(name, len(self.models)) for name in names)
        item_number = self.items[item]
        self.numbers.extend(
            (a, b, item_number, iteration, judge, first == "a", margin, criteria, number)
        )
        self.lengths.extend(lengths)
        self.weights.append(weight)

    def _keep_family(self, item: str, family: str, number: int) -> None:
        index = self.families.setdefault(family, len(self.families))
        position = self.items.setdefault(item, len(self.items))
        if position == len(self.family_of):
            self.family_of.append(index)
            self.told_in.append(number)
        elif self.family_of[position] != index:
            before = list(self.families)[self.family_of[position]]
            where = f"{self.row_name} {self.told_in[position]}"
            raise _Bad(f"item {item!r} is of family {family!r} here and of {before!r} in {where}")

    def _keep_margins(self, margins: Mapping[str, int]) -> None:
        row = len(self.lengths) // 2
        for criterion, margin in margins.items():
            column = self.criteria.setdefault(criterion, len(self.criteria))
            self.margins.extend((row, column, margin))
        if len(self.criteria) > MOST_CRITERIA:
            raise _Bad(f"names criterion number {MOST_CRITERIA + 1}; so many are no rubric")

    def one_judge(self) -> str:
        """The judge of all rows, who has to be one, and the one that was asked for."""
        if self.judge is not None:
            if self.judges and self.judge not in self.judges:
                names = ", ".join(_judge_name(name) for name in sorted(self.judges))
                raise UsageError(f"no comparison by judge {self.judge!r}; there are: {names}")
            return self.judge
        if len(self.judges) > 1:
            names = ", ".join(_judge_name(name) for name in sorted(self.judges))
            raise UsageError(
                f"{self.origin}: comparisons by {len(self.judges)} judges never meet in one "
                f"rating; choose with --judge: {names}"
            )
        return next(iter(self.judges), "")

    def warnings(self) -> tuple[str, ...]:
        """What was odd about the rows, one line each."""
        if not self.unknown:
            return ()
        named = ", ".join(f"{key!r} ({n})" for key, n in sorted(self.unknown.items()))
        return (f"keys that mean nothing here were passed over: {named}",)


def _judge_name(name: str) -> str:
    return repr(name) if name else "'' (not told)"


def _text(row: JsonObject, key: str) -> str:
    value = row.get(key)
    if type(value) is str and value:
        return value
    raise _Bad(f'needs "{key}", the name of a model')


def _id(row: JsonObject) -> str:
    value = row.get("item")
    if type(value) is int:
        return str(value)
    if type(value) is str and value:
        return value
    raise _Bad('needs "item", a text')


def _optional_text(row: JsonObject, key: str) -> str:
    value = row.get(key)
    if value is None:
        return ""
    if type(value) is str:
        return value
    raise _Bad(f'"{key}" must be a text')


def _iteration(value: object) -> int:
    if type(value) is int and 1 <= value <= _LONG:
        return value
    raise _Bad('"iteration" must be a whole number from 1')


def _length(row: JsonObject, key: str) -> float:
    value = row.get(key)
    if value is None:
        return nan
    if _is_finite(value) and value >= 0:
        return float(value)
    raise _Bad(f'"{key}" must be a number from 0')


def _weight(row: JsonObject) -> float:
    value = row.get("weight", 1)
    if _is_finite(value) and value > 0:
        return float(value)
    raise _Bad('"weight" must be a number above 0')


def _is_finite(value: object) -> TypeGuard[float]:
    """Whether it is a number, and no flag, that a float can be."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= float_info.max


def _margins(margins: object) -> tuple[int, int]:
    """Sum and count."""
    if type(margins) is not dict or not margins:
        raise _Bad('needs "margins", an object with one number per criterion')
    total = 0
    for criterion, margin in margins.items():
        if type(margin) is not int or not -MAX_MARGIN <= margin <= MAX_MARGIN:
            raise _Bad(f"the margin of {criterion!r} must be a whole number from -5 to 5")
        total += margin
    return total, len(margins)
