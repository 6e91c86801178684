"""Checks of rating engines, on a simulated tournament."""

from collections.abc import Iterator, Mapping
from math import isclose
from random import Random

from eibench import BenchError, Comparison, Comparisons, UsageError
from eibench.checking import Finding, NotChecked, Subject

from ..simulator import Tournament
from .checks import check

_TOURNAMENT = Tournament((0.0, 0.6, 1.1, 1.7), seed=5, family_sizes=(1,) * 10)


def _rows() -> list[Comparison]:
    return list(_TOURNAMENT.rows(_TOURNAMENT.random_calls(60)))


def _rated(subject: Subject, rows: list[Comparison]) -> Mapping[str, float]:
    """Ratings of models by name."""
    return subject.ratings(Comparisons.of(rows))


def _alike(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    return one.keys() == other.keys() and all(
        isclose(value, other[name], rel_tol=1e-6, abs_tol=1e-3) for name, value in one.items()
    )


@check("E1", "rate by the comparisons alone, or declare order_matters = True", "rating engine")
def order_does_not_matter(subject: Subject) -> Iterator[Finding]:
    """The same ratings again, and of the same comparisons in another order."""
    rows = _rows()
    first = _rated(subject, rows)
    if not _alike(first, _rated(subject, rows)):
        yield subject.finding("rate", "gives other ratings of the same comparisons each time")
    if getattr(subject.thing, "order_matters", False):
        return
    if not _alike(first, _rated(subject, Random(2).sample(rows, len(rows)))):
        yield subject.finding("rate", "gives other ratings in another order of the rows")


@check(
    "E2", "treat models alike whatever their names are, or declare names_matter", "rating engine"
)
def names_do_not_matter(subject: Subject) -> Iterator[Finding]:
    """Models that change their names keep their ratings."""
    if getattr(subject.thing, "names_matter", False):
        raise NotChecked("it declares names_matter")
    names = dict(zip(_TOURNAMENT.models, reversed(_TOURNAMENT.models), strict=True))
    rows = _rows()
    renamed = [row._replace(a=names[row.a], b=names[row.b]) for row in rows]
    again = {names[model]: rating for model, rating in _rated(subject, renamed).items()}
    if not _alike(_rated(subject, rows), again):
        yield subject.finding("rate", "gives other ratings when models change their names")


@check("E3", "raise eibench.UsageError that says which engine can", "rating engine")
def refuses_what_it_cannot_rate(subject: Subject) -> Iterator[Finding]:
    """Few, one-sided or unconnected comparisons are rated, or refused by a UsageError."""
    rows = _rows()
    one_sided = [row._replace(margins={n: abs(m) for n, m in row.margins.items()}) for row in rows]
    parts = [
        row for row in rows if {row.a, row.b} in ({"model-0", "model-1"}, {"model-2", "model-3"})
    ]
    unknown = [row._replace(len_a=None, len_b=None) for row in rows]
    cases = {"one comparison": rows[:1], "one-sided ones": one_sided, "two groups": parts}
    for what, some in {**cases, "ones of unknown length": unknown}.items():
        try:
            _rated(subject, some)
        except UsageError:
            continue
        except BenchError as error:
            finding = subject.fault(error, "rate").finding
            yield finding._replace(message=f"{error} (of {what})")
