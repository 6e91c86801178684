"""Rates of PASS and WIN with their intervals, and the table of how the tasks did.

A rate is a share of samples; statements are kept with all their iterations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from eibench import ResultDocument, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    Interval = tuple[float, float]


SEED = 0
"""Of the bootstrap: the same data gives the same interval."""
LEAST = 20
"""Statements that a part of the pack needs before its rate is shown."""


class Verdict(NamedTuple):
    """What the judge said of one sample."""

    statement: str
    passed: float
    won: float


class Estimate(NamedTuple):
    """A number with its 95 % interval over statements.

    Attributes:
        value: ``None`` when there is nothing to make it of.
        ci95: ``None`` with fewer than eight statements.
        n: Samples it stands on.
        statements: That these samples are of.
    """

    value: float | None
    ci95: Interval | None
    n: int
    statements: int = 0


class Rates(NamedTuple):
    """The rates of some samples.

    Attributes:
        both: Mean of PASS and WIN rate, by which the paper ranks.
        given_pass: WIN rate among the samples that pass.
    """

    statements: int
    passed: Estimate
    won: Estimate
    both: Estimate
    given_pass: Estimate


def rates(verdicts: Sequence[Verdict]) -> Rates:
    """The rates of all these samples, in whatever order they come."""
    ordered = sorted(verdicts)
    passing = [v for v in ordered if v.passed]
    return Rates(
        len({v.statement for v in ordered}),
        _share(ordered, [v.passed for v in ordered]),
        _share(ordered, [v.won for v in ordered]),
        _mean_of_both(ordered),
        _share(passing, [v.won for v in passing]),
    )


def _share(verdicts: Sequence[Verdict], hits: Sequence[float]) -> Estimate:
    from eibench.statistics import share_interval

    if not hits:
        return Estimate(None, None, 0)
    statements = [v.statement for v in verdicts]
    ci95 = share_interval(hits, statements)
    return Estimate(sum(hits) / len(hits), ci95, len(hits), len(set(statements)))


def _mean_of_both(verdicts: Sequence[Verdict]) -> Estimate:
    """The mean of both rates; where all or none pass and win, its interval is that of a share."""
    import numpy as np

    from eibench.statistics import mean_interval

    halves = [(v.passed + v.won) / 2 for v in verdicts]
    found = _share(verdicts, halves)
    if found.value in (None, 0.0, 1.0):
        return found
    statements = [v.statement for v in verdicts]
    ci95 = mean_interval(halves, statements, rng=np.random.default_rng(SEED))
    return found._replace(ci95=ci95)


_KEYS = ("statements", "samples", "scored", "unscored", "pass_rate", "win_rate", "win_given_pass")


def tasks_table(document: ResultDocument) -> Table | None:
    """A row per task; nothing for a run without samples."""
    tasks = document["notes"].get("tasks")
    if not tasks:
        return None
    columns = (
        "task",
        "statements",
        "samples",
        "scored",
        "unscored",
        "PASS",
        "WIN",
        "WIN given PASS",
    )
    rows = [
        (
            name.replace("-", " "),
            *(row[key] for key in _KEYS),
        )
        for name, row in tasks.items()
    ]
    judge = document["notes"]["judge"]
    note = (
        f"No rate stands on fewer than {LEAST} statements. "
        f"judge: {judge['re_asked']} asked again, {judge['unread']} unread"
    )
    return Table("Tasks", columns, rows, note=note)
