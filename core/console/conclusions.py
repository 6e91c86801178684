"""Conclusions about a judge as lines: what about, the grade, the sentence."""

from collections.abc import Mapping, Sequence

from rich.console import RenderableType
from rich.text import Text

from ..text import line
from ..types.result_document import ConclusionRow, Grade

_STYLES: Mapping[Grade, str] = {
    "none": "green",
    "not shown": "",
    "weak": "yellow",
    "strong": "bold red",
    "not tested": "bold yellow",
}
_LOUD = ("strong", "not tested")


def conclusions(found: Sequence[ConclusionRow], title: str = "") -> list[RenderableType]:
    """A line for each, below a title if one is given; nothing where there are none."""
    heading = [Text(title, style="bold")] if title and found else []
    return [*heading, *map(_line, found)]


def strong(found: Sequence[ConclusionRow]) -> list[ConclusionRow]:
    """Those that were found strongly."""
    return [row for row in found if row["verdict"] == "strong"]


def _line(conclusion: ConclusionRow) -> Text:
    verdict = conclusion["verdict"]
    shown = verdict.upper() if verdict in _LOUD else verdict
    sentence = Text(f"{line(conclusion['about'])}: ")
    sentence.append(line(shown), style=_STYLES.get(verdict, ""))
    return sentence.append(f"  {line(conclusion['text'])}")
