"""Conclusions about a judge as lines: what about, the grade, the sentence."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from ..result_document import ConclusionRow
from ..text import line

_STYLES = {"none": "green", "weak": "yellow", "strong": "bold red", "not tested": "bold yellow"}
_SHOWN = {"strong": "STRONG", "not tested": "NOT TESTED"}


def conclusions(found: Sequence[ConclusionRow], title: str = "") -> list[RenderableType]:
    """A line for each, below a title if one is given; nothing where there are none."""
    heading = [Text(title, style="bold")] if title and found else []
    return [*heading, *map(_line, found)]


def _line(conclusion: ConclusionRow) -> Text:
    verdict = str(conclusion["verdict"])
    sentence = Text(f"{line(conclusion['about'])}: ")
    sentence.append(_SHOWN.get(verdict, line(verdict)), style=_STYLES.get(verdict, ""))
    return sentence.append(f"  {line(conclusion['text'])}")
