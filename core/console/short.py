"""The short form of a result, for a terminal of 80 x 24: what matters, and what needs attention."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.text import Text

from ..ratings.auditing.grades import NOT_TESTED, STRONG, WEAK
from ..reports.columns import NAME
from ..reports.ending import others, result_line
from ..text import line, middle
from ..types.result_document import ResultDocument
from .fitted import bars
from .screen import ScreenPart
from .tables import conclusions, foot, head, missing, rating, samples, standing, with_command

_MISSING = 2
_PROFILE = "profile"
"""What the name of a group of metrics holds that are drawn as bars."""
_SCALE = re.compile(r"\(\d+[-–](\d+)\)")


def short(document: ResultDocument, another: str = "", later: str = "") -> list[ScreenPart]:
    """What matters of a result, but for its last line; as `details`."""
    parts = list(map(ScreenPart, head(document)))
    if also := others(document):
        parts += [ScreenPart(Text(line(f"also: {'  ·  '.join(also)}")), 4, "metric line")]
    parts += [ScreenPart(table, 2, "model") for table in standing(document, details=False)]
    parts += [ScreenPart(bars, 9, "profile") for bars in _profiles(document)]
    parts += [ScreenPart(Text(message), 1, "sample line") for message in _attention(document)]
    why = list(with_command(rating(document, later), another))
    parts += [ScreenPart(Group(*why), 3, "reason")] * bool(why)
    against = [row for row in document["conclusions"] if row["verdict"] in (WEAK, STRONG)]
    if robustness := document.get("robustness"):
        against += [row for row in robustness["conclusions"] if row["verdict"] != NOT_TESTED]
    parts += [ScreenPart(text, 7, "finding") for text in conclusions(against)]
    comparable, *warnings = foot(document)
    return [
        *parts,
        ScreenPart(comparable, 6, "note"),
        *(ScreenPart(text, 5, "warning") for text in warnings),
    ]


def bold(text: str) -> Text:
    """A line that a screen ends with."""
    return Text(line(text), style="bold")


def last(document: ResultDocument, *, now: bool = False, more: int = 0) -> Text:
    """The last line: the result; of one that was made now with where it is from.

    See `result_line`.
    """
    document = {**document, "name": middle(document["name"], NAME)}
    return bold(result_line(document, now=now, more=more))


def _attention(document: ResultDocument) -> list[str]:
    items = document["items"]
    if items["scored"] == items["total"] and not items["truncated"]:
        return []
    return [samples(document), *missing(document, _MISSING)]


class _Profile(NamedTuple):
    """The metrics of a group as bars."""

    group: str
    values: Sequence[tuple[str, float]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        scale = _SCALE.search(self.group)
        most = float(scale[1]) if scale else max(value for _, value in self.values)
        yield Text(line(self.group), style="bold")
        yield from bars(self.values, most or 1.0, options.max_width)


def _profiles(document: ResultDocument) -> Iterator[_Profile]:
    """Those groups of metrics that are called a profile and have numbers."""
    for group in dict.fromkeys(document["metric_groups"].values()):
        if _PROFILE in group and (values := list(_values(document, group))):
            yield _Profile(group, values)


def _values(document: ResultDocument, group: str) -> Iterator[tuple[str, float]]:
    for name, of in document["metric_groups"].items():
        value = document["metrics"][name]["value"]
        if of == group and value is not None:
            yield document["metric_labels"][name][0] or name, value
