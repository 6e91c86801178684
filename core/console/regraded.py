"""What scoring again changes, as a table of numbers before and after."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from ..text import line, number, plural
from .grid import Column, Grid

if TYPE_CHECKING:
    from ..run.rescore_all import CheckedRun, Number


def regraded(checked: Sequence["CheckedRun"], *, dry: bool) -> RenderableType:
    """Everything `bench rescore --all` prints.

    Args:
        checked: Each run that was looked at.
        dry: Nothing was stored.
    """
    changed = [one for one in checked if one.changes]
    parts: list[RenderableType] = [_table(changed)] if changed else []
    parts += [
        Text(line(f"left as it is: {one.run.run_id} ({one.run.name}): {one.reason}"))
        for one in checked
        if one.reason
    ]
    done = "would change" if dry else "changed"
    message = f"{plural(len(checked), 'result')} looked at, {len(changed)} {done}"
    more = "; bench rescore --all changes them" if dry and changed else ""
    return Group(*parts, Text(message + more))


def _table(changed: Sequence["CheckedRun"]) -> Grid:
    columns = [Column(heading) for heading in ("run", "benchmark", "model", "metric")]
    made = Grid([*columns, *(Column(heading, right=True) for heading in ("old", "new"))])
    for one in changed:
        named = [line(name) for name in (one.run.run_id, one.run.benchmark, one.run.name)]
        for change in one.changes:
            made.add_row(*named, line(change.metric), _cell(change.old), _cell(change.new))
    return made


def _cell(found: "Number") -> str:
    """A value with its interval."""
    if found.ci95 is None:
        return number(found.value)
    low, high = map(number, found.ci95)
    return f"{number(found.value)} ({low} … {high})"
