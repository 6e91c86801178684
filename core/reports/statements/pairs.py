"""Statements about two runs: which is better, or that it cannot be told."""

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from ...statistics.few_families import FEWEST_FAMILIES
from ...text import interval, number, plural, signed
from .boards import better_end

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
    """Whether the first of two runs is better in the metric that ranks, as the paired test tells.

    Where they do not have the same samples, on how many that is; where they are not told apart,
    what would settle it.
    """
    a, b = names(document)
    main = document.main
    if failed := [side.name for side in (document.a, document.b) if side.status == "fail"]:
        why = ", ".join(f"the result of {name} failed" for name in failed)
        return PairStatement(PairVerdict.UNKNOWN, f"no claim: {why}")
    if main is None:
        reason = "the main metric is no mean over samples"
        return PairStatement(PairVerdict.UNKNOWN, f"{a} and {b}: {reason}, so no paired test")
    verdict = _verdict(main)
    sentence = _words(a, b, main, verdict)
    if main.row.ci95 and not document.whole:
        sentence += f", on the {plural(main.row.n, 'sample')} that both have"
    if verdict is PairVerdict.NEITHER and document.settle and document.settle.brief:
        sentence += f": {document.settle.brief}"
    board = on_board.text if on_board and verdict is not PairVerdict.UNKNOWN else ""
    demo = "DEMO: " if document.demo else ""
    return PairStatement(verdict, demo + "; ".join(filter(None, [sentence, board])))


def names(document: "RunComparison") -> tuple[str, str]:
    """What a sentence calls both: their names, with their runs where these are the same."""
    a, b = document.a, document.b
    return (
        (a.name, b.name)
        if a.name != b.name
        else (f"{a.name} ({a.run_id})", f"{b.name} ({b.run_id})")
    )


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
        return f"{few} that both have: too few to tell ({FEWEST_FAMILIES} different texts needed)"
    of = main.label + (f", where {end}" if (end := better_end(main.higher_is_better)) else "")
    if verdict is PairVerdict.NEITHER:
        gap = f"{signed(row.difference)}, {interval(row.ci95)}"
        return f"{a} is not told apart from {b} in {of} ({gap})"
    sign = -1 if row.difference < 0 else 1
    ends = interval(sorted(sign * end for end in row.ci95))
    by = f"{number(abs(row.difference))} ({ends})"
    if main.higher_is_better is None:
        less = "less" if sign < 0 else "more"
        return f"{a} has {by} {less} {main.label} than {b}; neither end is better"
    is_ = "better" if verdict is PairVerdict.A else "worse"
    return f"{a} is {is_} than {b} by {by} in {of}"
