"""A sweep at work: models side by side as far as there is room, their benchmarks one by one."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import BenchError, ConfigError, Interrupted
from ..reading.checkpoints import checkpoint_of
from ..run.on_server import run_on
from ..served.placing import Placer, ServerRoom
from ..served.server import ModelServer
from .cells import Cell, SweepRow, command_of

STARTS = 3
"""How often the server of a model is started at most: once, and again where it died."""


@dataclass
class Runner:
    """Works on rows until they are done or the user stops it.

    Attributes:
        placer: Where servers are started.
        say: Tells the user something.
        ended: Called with each cell that has ended.
    """

    placer: Placer
    runs_dir: Path
    say: Callable[[str], None]
    ended: Callable[[SweepRow, Cell], None] = lambda row, cell: None
    rows: list[SweepRow] = field(default_factory=list)
    stopped: bool = False
    _more: "asyncio.Task[None] | None" = None
    _tasks: "dict[asyncio.Task[None], SweepRow]" = field(default_factory=dict)

    def add(self, row: SweepRow) -> None:
        """Begin with a row, beside those that are under way."""
        self.rows.append(row)
        if row.cells and not self.stopped:
            task = asyncio.create_task(self._work(row))
            self._tasks[task] = row
            task.add_done_callback(self._tasks.pop)

    @property
    def busy(self) -> bool:
        """Whether anything is under way."""
        return bool(self._tasks)

    async def finish(self, more: Coroutine[Any, Any, None] | None = None) -> None:
        """Wait until all rows are done, and whatever may add some has ended."""
        if more is not None:
            self._more = asyncio.create_task(more)
            with contextlib.suppress(asyncio.CancelledError):
                await self._more
        while self._tasks:
            await asyncio.gather(*self._tasks)

    def interrupt(self) -> None:
        """End gently: what is in flight is waited for; a second time, nothing is."""
        again, self.stopped = self.stopped, True
        if self._more is not None:
            self._more.cancel()
        for task, row in list(self._tasks.items()):
            running = [cell for cell in row.cells if cell.state == "runs"]
            for cell in running:
                cell.session.stop.interrupt()
            if again or not running:
                task.cancel()

    async def _work(self, row: SweepRow) -> None:
        """Ask all that is left of a model; where it has a server, that is started for it."""
        with contextlib.suppress(asyncio.CancelledError):
            if row.model.serve is None or not any(cell.left for cell in row.cells):
                await self._ask(row, None)
                return
            try:
                async with self.placer.room(row.model.needs) as room:
                    await self._serve(row, room)
            except BenchError as error:
                self._fail(row, error)

    async def _serve(self, row: SweepRow, room: ServerRoom) -> None:
        """Start the model's server, again where it dies, until its cells have ended."""
        for start in range(1, STARTS + 1):
            for cell in _open(row):
                cell.state = "starts"
            server = await room.start(command_of(row.model, self.runs_dir))
            try:
                self._check_checkpoint(row)
                await self._ask(row, server, last=start == STARTS)
            finally:
                await asyncio.to_thread(server.close)
            if self.stopped or not _open(row):
                return

    def _check_checkpoint(self, row: SweepRow) -> None:
        """Refuse weights that were written over since the row was planned."""
        planned = row.cells[0].task.config.checkpoint
        if row.model.path and checkpoint_of(row.model.path) != planned:
            raise ConfigError(f"{row.name}: {row.model.path} was written to while its server began")

    async def _ask(self, row: SweepRow, server: ModelServer | None, *, last: bool = True) -> None:
        """Ask one benchmark after the other, until the server dies."""
        for cell in _open(row):
            if self.stopped:
                return
            cell.state = "runs"
            task = cell.at(server.base_url) if server else cell.task
            try:
                cell.result = await run_on(server, task, cell.session)
                cell.state = cell.result.status
            except BenchError as error:
                died = server is not None and await server.ended() is not None
                if died and not last and not self.stopped:
                    self.say(f"{row.name}: {error}; it is started again")
                    cell.session, cell.state = cell.session.for_next_run(), "starts"
                    return
                cell.error, cell.state = error, "error"
            self.ended(row, cell)

    def _fail(self, row: SweepRow, error: BenchError) -> None:
        """End the cells that are left with what stands in the way of all of them."""
        for cell in _open(row):
            cell.error, cell.state = error, "error"
        self.say(f"Error: {row.name} (line {row.model.line}): {error}")


def _open(row: SweepRow) -> list[Cell]:
    """The cells that have not ended."""
    return [cell for cell in row.cells if not cell.ended]


def exit_code(rows: "list[SweepRow]", *, stopped: bool) -> int:
    """0 where everything is complete; else that of the worst."""
    ends = {"complete": 0, "fail": 1, "incomplete": 1, "budget": 5, "waiting": 5}
    codes = [Interrupted.exit_code * stopped]
    for row in rows:
        codes += [row.error.exit_code] if row.error else []
        for cell in row.cells:
            codes.append(cell.error.exit_code if cell.error else ends.get(cell.state, 130))
    return max(codes)
