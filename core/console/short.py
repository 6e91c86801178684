"""The short form of a result, for a terminal of 80 x 24: what matters, and what needs attention."""

import re
from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from ..ratings.auditing.grades import NOT_TESTED, STRONG, WEAK
from ..reports.ending import others, result_line
from ..text import line
from ..types.result_document import ConclusionRow, ResultDocument
from .fitted import bars
from .tables import conclusions, foot, head, missing, rating, samples, standing, with_command

_ROWS = 5
"""Models of the table of ratings."""
_MISSING = 2
_PROFILE = "profile"
"""What the name of a group of metrics holds that are drawn as bars."""
_SCALE = re.compile(r"\(\d+[-–](\d+)\)")


def short(document: ResultDocument, another: str = "", later: str = "") -> RenderableType:
    """What matters of a result, but for its last line; as `details`."""
    parts: list[RenderableType] = head(document)
    if also := others(document):
        parts.append(Text(line(f"also: {'  ·  '.join(also)}")))
    parts += [*standing(document, _ROWS), _Profile(document)]
    parts += [Text(message) for message in _attention(document)]
    parts += with_command(rating(document, later), another)
    parts += conclusions(against(document["conclusions"]))
    if robustness := document.get("robustness"):
        parts += conclusions([r for r in robustness["conclusions"] if r["verdict"] != NOT_TESTED])
    return Group(*parts, *foot(document))


def bold(text: str) -> Text:
    """A line that a screen ends with."""
    return Text(line(text), style="bold")


def last(document: ResultDocument, *, now: bool = False) -> Text:
    """The last line: the result; of one that was made now with where it is from."""
    return bold(result_line(document, now=now))


def _attention(document: ResultDocument) -> list[str]:
    items = document["items"]
    if items["scored"] == items["total"] and not items["truncated"]:
        return []
    return [samples(document), *missing(document, _MISSING)]


def against(rows: Sequence[ConclusionRow]) -> list[ConclusionRow]:
    """The conclusions that were found against the judge."""
    return [row for row in rows if row["verdict"] in (WEAK, STRONG)]


class _Profile:
    """The metrics of a profile as bars."""

    def __init__(self, document: ResultDocument) -> None:
        self.document = document

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        groups = self.document["metric_groups"]
        for group in dict.fromkeys(groups.values()):
            values = list(_values(self.document, group)) if _PROFILE in group else []
            if values:
                scale = _SCALE.search(group)
                most = float(scale[1]) if scale else max(value for _, value in values)
                yield Text(line(group), style="bold")
                yield from bars(values, most or 1.0, options.max_width)


def _values(document: ResultDocument, group: str) -> Iterator[tuple[str, float]]:
    for name, of in document["metric_groups"].items():
        value = document["metrics"][name]["value"]
        if of == group and value is not None:
            yield document["metric_labels"][name][0] or name, value
