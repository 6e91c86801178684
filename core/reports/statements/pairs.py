"""Statements about two runs: which is better, or that it cannot be told."""

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from ...statistics.few_families import FEWEST_FAMILIES
from ...text import number, p_value, plural

if TYPE_CHECKING:
    from ..comparing import RunComparison
    from ..pairing import MainDifference


class PairVerdict(Enum):
    """What the paired test of two runs says."""

    A = "a"
    """A is better."""
    B = "b"
    """B is better."""
    NEITHER = "neither"
    """They cannot be told apart."""
    UNKNOWN = "unknown"
    """Too few items that both have, a result that failed, or neither end is better."""


class OnBoard(NamedTuple):
    """What a board says of two of its models, all pairs at once; ``None`` where that is not known.

    Models are ranked `by` ``rating``, or a metric's label.
    """

    models: int
    by: str
    told_apart: bool | None

    @property
    def text(self) -> str:
        """``on the board of 12 models, by rating, all pairs at once, they are told apart``."""
        if self.told_apart is None:
            return ""
        not_ = "" if self.told_apart else "not "
        board = f"on the board of {self.models} models, by {self.by}, all pairs at once"
        return f"{board}, they are {not_}told apart"


class PairStatement(NamedTuple):
    """What two runs come to, by the test of this pair alone at 5 %, also in a sentence."""

    verdict: PairVerdict
    text: str


def pair_statement(document: "RunComparison", on_board: OnBoard | None = None) -> PairStatement:
    """Which of two runs is better in the metric that ranks, as far as the paired test tells."""
    a, b, main = document.a.name, document.b.name, document.main
    if failed := [side.name for side in (document.a, document.b) if side.status == "fail"]:
        why = ", ".join(f"the result of {name} failed" for name in failed)
        return PairStatement(PairVerdict.UNKNOWN, f"no claim: {why}")
    if main is None:
        reason = "the main metric is no mean over samples"
        return PairStatement(PairVerdict.UNKNOWN, f"{a} and {b}: {reason}, so no paired test")
    verdict = _verdict(main)
    sentence = _words(a, b, main, verdict)
    board = on_board.text if on_board and verdict is not PairVerdict.UNKNOWN else ""
    demo = "DEMO: " if document.demo else ""
    return PairStatement(verdict, demo + "; ".join(filter(None, [sentence, board])))


def _verdict(main: "MainDifference") -> PairVerdict:
    ends: Sequence[float] | None = main.row.ci95
    if ends is None or main.higher_is_better is None:
        return PairVerdict.UNKNOWN
    if ends[0] <= 0 <= ends[1]:
        return PairVerdict.NEITHER
    return PairVerdict.A if (ends[0] > 0) is main.higher_is_better else PairVerdict.B


def _words(a: str, b: str, main: "MainDifference", verdict: PairVerdict) -> str:
    row = main.row
    if row.difference is None:
        return f"{a} and {b} have no sample in common that both have scored"
    if row.ci95 is None:
        few = plural(row.n, "sample")
        return f"{few} that both have: too few to tell ({FEWEST_FAMILIES} families of items needed)"
    low, high = row.ci95
    sign = -1 if row.difference < 0 else 1
    ends = sorted((sign * low, sign * high))
    by = f"{number(abs(row.difference))} ({number(ends[0])} to {number(ends[1])})"
    less = "less" if sign < 0 else "more"
    if main.higher_is_better is None:
        return f"{a} has {by} {less} {main.label} than {b}; neither end is better"
    better = "" if main.higher_is_better else ", where less is better"
    if verdict is PairVerdict.NEITHER:
        return (
            f"{a} and {b} cannot be told apart by {main.label}{better}: A − B "
            f"{number(row.difference)} ({number(low)} to {number(high)}), p {p_value(row.p)}"
        )
    first, second = (a, b) if verdict is PairVerdict.A else (b, a)
    sentence = f"{first} is better than {second} by {by} in {main.label}{better}"
    return f"{sentence}, p {p_value(row.p)}"
