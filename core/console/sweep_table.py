"""A sweep while it runs: models as rows, benchmarks as columns."""

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from ..text import line
from .live import keep_live, keep_plain, until_done

Cells = Sequence[tuple[str, Sequence[tuple[str, str]]]]
"""By model, a cell for each benchmark, and its style."""


@contextlib.asynccontextmanager
async def sweep_display(
    cells: Callable[[], Cells],
    benchmarks: Sequence[str],
    console: Console,
    overall: Callable[[], str],
) -> AsyncIterator[None]:
    """Show the cells while the block runs, on a terminal alone, and how far all are together."""
    most = console.height - 5

    def render() -> Group:
        return Group(sweep_table(cells(), benchmarks, most), Text(overall()))

    is_live = console.is_terminal and not console.is_dumb_terminal
    async with until_done(
        keep_live(render, console) if is_live else keep_plain([overall], console)
    ):
        yield


def sweep_table(rows: Cells, benchmarks: Sequence[str], most: int = 10**6) -> Table:
    """The table, of the last `most` models that are not waiting, where there are more."""
    table = Table(title_justify="left")
    for heading in ("model", *benchmarks):
        table.add_column(heading, overflow="fold")
    under_way = [row for row in rows if any(text != "waits" for text, _ in row[1])]
    shown = rows if len(rows) <= most else under_way[-most:]
    for name, cells in shown:
        table.add_row(line(name), *(Text(line(text), style) for text, style in cells))
    if left := len(rows) - len(shown):
        table.caption = f"and {left} more"
    return table
