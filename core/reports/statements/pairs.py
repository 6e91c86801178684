"""Statements about two runs: which is better, or that it cannot be told."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from ...statistics.few_families import FEWEST_FAMILIES
from ...text import interval, number, plural, signed
from .boards import number_named

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
        """``on the board of 12 models, by rating, all pairs at once, they are told apart``.

        Empty of a board of these two alone.
        """
        if self.told_apart is None or self.models < 3:
            return ""
        not_ = "" if self.told_apart else "not "
        board = f"on the board of {self.models} models, by {self.by}, all pairs at once"
        return f"{board}, they are {not_}told apart"


def pair_sentences(higher_is_better: bool | None) -> Mapping[str, str]:
    """What can be said of ``{a}`` and ``{b}`` by their difference, the first less the second.

    It is surely ``more`` or ``less`` than 0, or ``neither``; it stands ``alone``, without an
    interval; or there is ``none``. Filled in are both names, ``{gap}``, its ``{interval}``, and
    ``{number}``, as `number_named` has it: here, and by pages for any two models of a board.
    """
    more, less = ("worse", "better") if higher_is_better is False else ("better", "worse")
    is_ = "{{a}} is {} than {{b}} by {{gap}} ({{interval}}) in {{number}}"
    if higher_is_better is None:
        more, less = "more", "less"
        is_ = "{{a}} has {{gap}} ({{interval}}) {} {{number}} than {{b}}; neither end is better"
    return {
        "more": is_.format(more),
        "less": is_.format(less),
        "neither": "{a} is not told apart from {b} in {number} ({gap}, {interval})",
        "alone": "{a} and {b} differ by {gap} in {number}, without an interval: too little to tell",
        "none": "{a} and {b} have no sample in common that both have scored",
    }


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
    sentence = _words(a, b, main)
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


def _words(a: str, b: str, main: "MainDifference") -> str:
    row, sentences = main.row, pair_sentences(main.higher_is_better)
    if row.difference is None:
        return sentences["none"].format(a=a, b=b)
    if row.ci95 is None:
        if row.families >= FEWEST_FAMILIES:
            return f"no claim of {a} and {b}: {row.reason}"
        few = plural(row.n, "sample")
        return f"{few} that both have: too few to tell ({FEWEST_FAMILIES} different texts needed)"
    of = number_named(main.label, main.higher_is_better)
    if row.ci95[0] <= 0 <= row.ci95[1]:
        gap, ends = signed(row.difference), row.ci95
        return sentences["neither"].format(a=a, b=b, number=of, gap=gap, interval=interval(ends))
    sign, which = (-1, "less") if row.difference < 0 else (1, "more")
    gap, ends = number(abs(row.difference)), sorted(sign * end for end in row.ci95)
    return sentences[which].format(a=a, b=b, number=of, gap=gap, interval=interval(ends))
