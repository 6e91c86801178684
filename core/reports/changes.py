"""Which numbers of a stored result are others when it is computed again."""

from collections.abc import Iterator, Sequence
from math import isclose
from typing import NamedTuple

from ..types.result_document import ResultDocument


class Number(NamedTuple):
    """A metric's value and its 95 % interval; each ``None`` where there is none."""

    value: float | None = None
    ci95: Sequence[float | None] | None = None

    def is_like(self, other: "Number") -> bool:
        """Whether two are the same to a billionth."""
        one, two = ([number.value, *(number.ci95 or ())] for number in (self, other))
        return len(one) == len(two) and all(map(_are_close, one, two))


def _are_close(one: float | None, two: float | None) -> bool:
    if one is None or two is None:
        return one is two
    return isclose(one, two, rel_tol=1e-9, abs_tol=1e-9)


class Change(NamedTuple):
    """A number of a stored result that would be another one today."""

    metric: str
    old: Number
    new: Number


def changes_of(stored: ResultDocument, today: ResultDocument) -> Iterator[Change]:
    """The metrics, and last the run's own rating, that are not alike in two results of a run."""
    names = dict.fromkeys((*stored["metrics"], *today["metrics"]))
    changes = [Change(name, _metric(stored, name), _metric(today, name)) for name in names]
    changes.append(Change("rating", _rating(stored), _rating(today)))
    yield from (change for change in changes if not change.old.is_like(change.new))


def _metric(document: ResultDocument, name: str) -> Number:
    row = document["metrics"].get(name)
    return Number(row["value"], row["ci95"]) if row else Number()


def _rating(document: ResultDocument) -> Number:
    rows = (row for row in document["ratings"] if row["model"] == document["name"])
    return next((Number(row["rating"], row["ci95"]) for row in rows), Number())
