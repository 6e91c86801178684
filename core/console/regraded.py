"""What scoring again changes, as a table of numbers before and after."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from ..text import line, number, plural
from .grid import Column, Grid


def regraded(checked: Sequence[Mapping[str, Any]], *, dry: bool) -> RenderableType:
    """Everything `bench rescore --all` prints.

    Args:
        checked: Each run that was looked at, as in the document.
        dry: Nothing was stored.
    """
    changed = [one for one in checked if one["changes"]]
    parts: list[RenderableType] = [_table(changed)] if changed else []
    parts += [
        Text(line(f"left as it is: {one['run_id']} ({one['model']}): {one['reason']}"))
        for one in checked
        if one["reason"]
    ]
    done = "would change" if dry else "changed"
    message = f"{plural(len(checked), 'result')} looked at, {len(changed)} {done}"
    more = "; bench rescore --all changes them" if dry and changed else ""
    return Group(*parts, Text(message + more))


def _table(changed: Sequence[Mapping[str, Any]]) -> Grid:
    columns = [Column(heading) for heading in ("run", "benchmark", "model", "metric")]
    made = Grid([*columns, *(Column(heading, right=True) for heading in ("old", "new"))])
    for one in changed:
        named = [line(one[name]) for name in ("run_id", "benchmark", "model")]
        for change in one["changes"]:
            cells = [_cell(change[side]) for side in ("old", "new")]
            made.add_row(*named, line(change["metric"]), *cells)
    return made


def _cell(found: Mapping[str, Any]) -> str:
    """A value with its interval."""
    if found["ci95"] is None:
        return number(found["value"])
    low, high = (number(end) for end in found["ci95"])
    return f"{number(found['value'])} ({low} … {high})"
