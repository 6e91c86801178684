"""Comparisons in memory: one row per judge call, as index arrays in a canonical order.

A comparison is one call of a judge on two transcripts of the same item and iteration. It gives
each criterion to one of the two models, with a margin of 1 to 5, or to neither. Rows are sorted
by models, item, iteration and order, and the model whose name sorts first is always `a`. So the
same comparisons give the same arrays, to the last bit, whatever order they came in and whichever
of the two models was called a.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from ..statistics.joint import effective_clusters
from ..types import JsonDict
from .arrays import Bools, Floats, Ints, Small, present
from .columns import Columns

_COLUMNS = ["a", "b", "item", "iteration", "family", "a_first"]
_COLUMNS += ["margin", "criteria", "len_a", "len_b"]
_OPTIONAL = ["weight", "arrival", "margins"]
UNREAD = 127
"""In the margins of criteria: there is none."""


class Comparison(NamedTuple):
    """One comparison, as a line of the file form.

    Attributes:
        item: The item both models answered.
        iteration: From 1.
        a: A model.
        b: Another model.
        first: Whose transcript the judge read first.
        margins: By criterion, -5 to 5, positive where `a` wins, 0 for a draw.
        judge: The judge's name; empty where it is not told.
        len_a: Length of a's transcript as the judge read it; None where it is not known.
        len_b: The same of b's.
        family: Items that share a text; empty stands for the item itself.
        weight: How much it counts in ratings, above 0.
    """

    item: str
    iteration: int
    a: str
    b: str
    first: Literal["a", "b"]
    margins: Mapping[str, int]
    judge: str = ""
    len_a: float | None = None
    len_b: float | None = None
    family: str = ""
    weight: float = 1.0

    def as_json(self) -> JsonDict:
        """The line of the file form; what is not known is left out."""
        line: JsonDict = {
            "item": self.item,
            "iteration": self.iteration,
            "a": self.a,
            "b": self.b,
            "first": self.first,
            "margins": dict(self.margins),
        }
        optional = {"judge": self.judge, "family": self.family}
        line |= {key: text for key, text in optional.items() if text}
        lengths = {"len_a": self.len_a, "len_b": self.len_b}
        line |= {key: length for key, length in lengths.items() if length is not None}
        return line if self.weight == 1 else line | {"weight": self.weight}


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Comparisons by one judge, canonical. Make them by `of` or `read_comparisons`.

    Attributes:
        models: Names, sorted. Columns `a` and `b` index them.
        items: Ids, sorted.
        families: Names, sorted.
        judge: Who judged; empty where it is not told.
        a: The model whose name sorts first, shape (n,).
        b: The other model, shape (n,).
        item: Shape (n,).
        iteration: From 1, shape (n,).
        family: Shape (n,).
        a_first: Whether a's transcript was read first, shape (n,).
        margin: Sum of the criteria's margins, positive where `a` wins, shape (n,).
        criteria: How many criteria the sum is over, at least 1, shape (n,).
        len_a: Length of a's transcript, NaN where it is not known, shape (n,).
        len_b: The same of b's.
        warnings: What was odd about where they came from, one line each.
        criterion_names: Sorted; none where margins are kept as sums alone.
        margins: Of each criterion, positive where `a` wins, beyond 5 where it was not read, shape
            (n, n_criteria); None where margins are kept as sums alone.
        weight: How much each counts in ratings, shape (n,); None where all count 1.
        arrival: Place of each in the order that they came in, shape (n,); None where that is the
            canonical one.
    """

    models: tuple[str, ...]
    items: tuple[str, ...]
    families: tuple[str, ...]
    judge: str
    a: Ints
    b: Ints
    item: Ints
    iteration: Ints
    family: Ints
    a_first: Bools
    margin: Ints
    criteria: Ints
    len_a: Floats
    len_b: Floats
    warnings: tuple[str, ...] = ()
    criterion_names: tuple[str, ...] = ()
    margins: Small | None = None
    weight: Floats | None = None
    arrival: Ints | None = None

    def __len__(self) -> int:
        return len(self.a)

    @classmethod
    def of(cls, rows: Iterable[Comparison], *, by_criterion: bool = False) -> "Comparisons":
        """The container of given comparisons.

        Args:
            rows: By one judge.
            by_criterion: Keep each criterion's margin beside their sum.

        Raises:
            DataError: One is not of the form, or is there twice.
        """
        columns = Columns("comparisons", "row", by_criterion=by_criterion)
        for number, row in enumerate(rows, start=1):
            columns.add(row.as_json(), number)
        return cls.canonical(columns)

    @classmethod
    def canonical(cls, columns: Columns) -> "Comparisons":
        """The container of comparisons as they came.

        Raises:
            DataError: A comparison is there twice.
            UsageError: There is more than one judge, or not the one that was asked for.
        """
        judge = columns.one_judge()
        table = np.frombuffer(columns.numbers, dtype=np.int32).reshape(-1, 9).astype(np.int64)
        lengths = np.frombuffer(columns.lengths, dtype=np.float64).reshape(-1, 2)
        (models, rank_model), (items, rank_item), (families, rank_family) = (
            _sorted_names(names) for names in (columns.models, columns.items, columns.families)
        )
        a, b = rank_model[table[:, 0]], rank_model[table[:, 1]]
        swap = a > b
        criteria, margins = _criteria(columns, swap)
        family_of = rank_family[np.frombuffer(columns.family_of, dtype=np.int32)]
        unsorted = cls(
            models,
            items,
            families,
            judge,
            a=np.where(swap, b, a),
            b=np.where(swap, a, b),
            item=rank_item[table[:, 2]],
            iteration=table[:, 3],
            family=family_of[table[:, 2]] if len(table) else table[:, 2],
            a_first=(table[:, 5] == 1) ^ swap,
            margin=np.where(swap, -table[:, 6], table[:, 6]),
            criteria=table[:, 7],
            len_a=np.where(swap, lengths[:, 1], lengths[:, 0]),
            len_b=np.where(swap, lengths[:, 0], lengths[:, 1]),
            warnings=columns.warnings(),
            criterion_names=criteria,
            margins=margins,
            weight=_weight(columns),
            arrival=np.arange(len(table)),
        )
        return _sorted_rows(columns, unsorted, table[:, 8])

    @property
    def has_lengths(self) -> bool:
        """Whether every comparison has both lengths, and there is one."""
        unknown = np.isnan(self.len_a) | np.isnan(self.len_b)
        return len(self) > 0 and not bool(unknown.any())

    @property
    def has_some_lengths(self) -> bool:
        """Whether one length at least is known."""
        return not bool((np.isnan(self.len_a) & np.isnan(self.len_b)).all())

    def only(self, rows: Bools | Ints) -> "Comparisons":
        """The chosen rows, with all names kept."""
        columns = {name: getattr(self, name)[rows] for name in _COLUMNS}
        optional = [name for name in _OPTIONAL if getattr(self, name) is not None]
        return replace(self, **columns, **{name: getattr(self, name)[rows] for name in optional})

    def compact(self) -> "Comparisons":
        """The same rows without names that none of them has."""
        models = np.flatnonzero(self.counts())
        items, families = (
            present(self.item, len(self.items)),
            present(self.family, len(self.families)),
        )
        return replace(
            self,
            models=tuple(self.models[i] for i in models),
            items=tuple(self.items[i] for i in items),
            families=tuple(self.families[i] for i in families),
            a=np.searchsorted(models, self.a),
            b=np.searchsorted(models, self.b),
            item=np.searchsorted(items, self.item),
            family=np.searchsorted(families, self.family),
        )

    def counts(self) -> Ints:
        """In how many comparisons each model is, shape (n_models,)."""
        n = len(self.models)
        return np.bincount(self.a, minlength=n) + np.bincount(self.b, minlength=n)

    def effective_families_of_models(self) -> Floats:
        """How many families of equal size would say as much of each model, shape (n_models,).

        By the items that it was compared on, which weigh alike.
        """
        n_families, n_models, n_items = len(self.families), len(self.models), len(self.items)
        family_of = np.zeros(n_items, dtype=np.int64)
        family_of[self.item] = self.family
        met = [present(m * n_items + self.item, n_models * n_items) for m in (self.a, self.b)]
        model, item = np.divmod(np.union1d(*met), max(n_items, 1))
        cell = model * n_families + family_of[item]
        sizes = np.bincount(cell, minlength=n_models * n_families)
        return effective_clusters(sizes.reshape(n_models, n_families))

    def families_of_models(self) -> Ints:
        """In how many families each model was compared, shape (n_models,)."""
        n_families, n_models = len(self.families), len(self.models)
        met = [
            present(model * n_families + self.family, n_models * n_families)
            for model in (self.a, self.b)
        ]
        return np.bincount(np.union1d(*met) // max(n_families, 1), minlength=n_models)


def _weight(columns: Columns) -> Floats | None:
    weight = np.frombuffer(columns.weights, dtype=np.float64)
    return None if (weight == 1).all() else weight


def _criteria(columns: Columns, swap: Bools) -> tuple[tuple[str, ...], Small | None]:
    """The criteria sorted, and their margins for the model that is a after swapping."""
    if not columns.by_criterion:
        return (), None
    names, rank = _sorted_names(columns.criteria)
    entries = np.frombuffer(columns.margins, dtype=np.int32).reshape(-1, 3)
    table = np.full((len(swap), len(names)), UNREAD, dtype=np.int8)
    table[entries[:, 0], rank[entries[:, 1]]] = entries[:, 2]
    return names, np.where(swap[:, None] & (table != UNREAD), -table, table)


def _sorted_rows(columns: Columns, rows: Comparisons, number: Ints) -> Comparisons:
    """The rows in order; the same comparison a second time is refused."""
    keys = (rows.a_first, rows.iteration, rows.item, rows.b, rows.a)
    order = np.lexsort((number, *keys))
    rows, number = rows.only(order), number[order]
    same = np.zeros(len(rows), dtype=np.bool_)
    same[1:] = True
    for column in (rows.a, rows.b, rows.item, rows.iteration, rows.a_first):
        same[1:] &= column[1:] == column[:-1]
    if same.any():
        repeat = int(np.flatnonzero(same)[np.argmin(number[same])])
        message = "the same comparison (item, iteration, models, order, judge) as in"
        message += f" {columns.row_name} {number[repeat - 1]}; take one of the two out"
        columns.refuse(message, int(number[repeat]))
    return rows


def _sorted_names(names: Mapping[str, int]) -> tuple[tuple[str, ...], Ints]:
    """The names sorted, and the place that each number gets, shape (n,)."""
    ordered = sorted(names)
    ranks = np.zeros(len(names), dtype=np.int64)
    for rank, name in enumerate(ordered):
        ranks[names[name]] = rank
    return tuple(ordered), ranks
