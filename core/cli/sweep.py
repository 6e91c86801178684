"""`bench sweep`: models by benchmarks, each model served while it is asked."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, cast

import click

from .. import console
from ..errors import BenchError, UsageError
from ..guard import no_exit
from ..plugins import installed
from ..reports.ending import result_line, with_interval
from ..reports.suggestions import bench
from ..run.overall import Member, Overall
from ..run.plan import Plan, make_plan, refuse_too_little
from ..run.session import Session
from ..run.task import Task
from ..sample.workers import Stop, on_signals
from ..served.machine import Machine, Needs, this_machine
from ..served.placing import LocalPlacer, Placer
from ..settings.run_settings import RunSettings
from ..sweep.cells import Cell, Planner, SweepRow
from ..sweep.runner import Runner, exit_code
from ..sweep.sweep_file import Sweep, SweepModel, read_sweep, unfit
from ..sweep.watching import FolderWatch
from ..text import as_text, plural
from ..types import JsonDict
from . import options, plans, session
from .command import command
from .data import get_data
from .errors import error_of, kind_of
from .settings import current, given_by_user

ON = ("local", "ray")


@command(
    "sweep",
    "bench sweep sweep.toml --dry-run",
    "bench sweep sweep.toml --watch checkpoints --idle 3600",
)
@click.argument("file", type=click.Path(path_type=Path), metavar="SWEEP.toml")
@options.option("--on", type=click.Choice(ON), default="local", show_default=True,
                help="Where servers are started.")  # fmt: skip
@options.option("--watch", type=click.Path(path_type=Path, exists=True, file_okay=False),
                metavar="FOLDER",
                help="Run each checkpoint that appears in it, as [watch] says.")  # fmt: skip
@options.option("--idle", type=click.FloatRange(0, min_open=True), metavar="S",
                help="With --watch, end after so many seconds without a new one.")  # fmt: skip
@options.setting("max_cost")
@options.option("--yes", is_flag=True, help="Do not ask before spending.")
@options.dry_run_option
@options.place_options
@options.json_option
def sweep_command(
    file: Path,
    on: str,
    watch: Path | None,
    idle: float | None,
    max_cost: float | None,
    yes: bool,
    dry_run: bool,
    runs_dir: Path,
    json_output: bool,
) -> int:
    """Run benchmarks on many models, each served while it is asked.

    Models are endpoints, or have a command that starts their server.

    The same command again goes on with what is left. docs/scaling.md has the file's form.
    """
    catalogue = installed()
    sweep = read_sweep(file, catalogue.benchmark)
    if watch is not None and sweep.watch is None:
        raise UsageError(f"--watch needs [watch] in {file}: model and serve of each checkpoint")
    if idle is not None and watch is None:
        raise UsageError("--idle is for --watch")
    settings = RunSettings(max_cost=max_cost, prices=current().prices, runs_dir=runs_dir)
    planner = Planner(
        sweep,
        [catalogue.benchmark(name) for name in sweep.benchmarks],
        current(),
        runs_dir,
        session.begin(settings),
        session.allow,
        _planning(dry=dry_run),
    )
    machine, gpus = _machine(sweep)
    rows = list(_rows(sweep, planner, machine if on == "local" else None))
    if planned := _planned(rows):
        plans.tell_plans(planned)
    if dry_run:
        if json_output:
            total = plans.total_as_json(planned)
            models = list(map(_as_json, rows))
            click.echo(as_text({"dry_run": True, "models": models, "total": total}))
        return _exit_code([row for row in rows if row.error], sweep, stopped=False)
    refuse_too_little([cell.plan for row in rows for cell in row.cells], max_cost)
    more = ", and for each new checkpoint" * (watch is not None)
    plans.ask_to_spend(planned, sure=yes or given_by_user("max_cost"), more=more)
    placer: Placer = LocalPlacer(Machine(machine, gpus)) if on == "local" else _ray()
    try:
        runner = Runner(placer, runs_dir, session.tell, _tell_end)
        with no_exit():
            overall = Overall(lambda: _members(runner.rows), planner.shared.progresses)
            asyncio.run(_work(runner, rows, planner, overall, watch, idle))
    finally:
        placer.close()
    return _sum_up(runner, planner, overall, json_output=json_output)


def _planning(*, dry: bool) -> Callable[[Task, Session], Plan]:
    def plan(task: Task, shared: Session) -> Plan:
        session.check(task, shared, dry=dry)
        get_data(task.config)
        return make_plan(task, shared)

    return plan


def _machine(sweep: Sweep) -> tuple[Needs, list[str]]:
    """What servers may take together, and the names of the GPUs here."""
    has, gpus = this_machine(os.environ)
    return (sweep.machine or has), list(gpus)


def _rows(sweep: Sweep, planner: Planner, machine: Needs | None) -> Iterator[SweepRow]:
    """A row for each model; what is wrong with one is said, and the others go on."""
    for error in sweep.broken:
        session.tell(f"Error: {error}")
    for model in sweep.models:
        wrong = list(unfit(model, machine, sweep.path))
        row = SweepRow(model, error=wrong[0]) if wrong else planner.row(model)
        if row.error:
            session.tell(f"Error: {row.error}")
        yield row


def _planned(rows: list[SweepRow]) -> list[session.PlannedRun]:
    """All cells as runs with their plans."""
    return [
        session.PlannedRun(cell.task, cell.session, cell.plan) for row in rows for cell in row.cells
    ]


def _plan_line(row: SweepRow) -> str:
    left = sum(cell.left for cell in row.cells)
    total = sum(cell.task.selection.total for cell in row.cells)
    return f"{row.name}: {left:,} of {plural(total, 'sample')} left"


def _ray() -> Placer:
    from ..served.ray_placing import RayPlacer

    return RayPlacer()


def _members(rows: list[SweepRow]) -> list[Member]:
    """All cells as they are now."""
    return [
        Member(cell.plan, cell.session.progress, cell.ended) for row in rows for cell in row.cells
    ]


async def _work(
    runner: Runner,
    rows: list[SweepRow],
    planner: Planner,
    overall: Overall,
    watch: Path | None,
    idle: float | None,
) -> None:
    """All rows, and those of new checkpoints; a signal ends them gently."""
    stop, loop = _SweepStop(runner), asyncio.get_running_loop()
    err = console.output.err()
    names = [benchmark.name for benchmark in planner.benchmarks]
    display = console.sweep_table.sweep_display(
        lambda: _cells(runner.rows, len(names)), names, err, overall.describe
    )
    with (
        on_signals(stop, lambda: session.tell("stopping; press Ctrl-C again to stop at once")),
        err.watched(lambda: loop.call_soon_threadsafe(stop.interrupt)),
    ):
        async with display:
            for row in rows:
                runner.add(row)
            await runner.finish(_watching(runner, planner, watch, idle, loop) if watch else None)


def _watching(
    runner: Runner, planner: Planner, folder: Path, idle: float | None,
    loop: asyncio.AbstractEventLoop,
) -> Coroutine[Any, Any, None]:  # fmt: skip
    """What adds a row for each checkpoint that becomes whole."""
    rules = planner.sweep.watch
    assert rules is not None

    def take(model: SweepModel) -> None:  # on a thread: a plan has a loop of its own
        row = planner.row(model)
        session.tell(f"Error: {row.error}" if row.error else _plan_line(row))
        loop.call_soon_threadsafe(runner.add, row)

    return FolderWatch(folder, rules, take, lambda: runner.busy, session.tell, idle).go_on()


class _SweepStop(Stop):
    """What signals ask to stop: all that is under way."""

    def __init__(self, runner: Runner) -> None:
        super().__init__()
        self._runner = runner

    def ask(self, reason: BenchError) -> None:
        """Stop gently, and at once where the user asks a second time."""
        is_first = not self.asked
        super().ask(reason)
        if is_first or self.hurried:
            self._runner.interrupt()


def _cells(rows: list[SweepRow], count: int) -> list[tuple[str, list[tuple[str, str]]]]:
    """What the display shows: of each cell how far it is, or what came of it."""
    wrong = [("error", "red")] * count
    return [(row.name, [_shown(cell) for cell in row.cells] or wrong) for row in rows]


def _shown(cell: Cell) -> tuple[str, str]:
    if cell.state == "runs" and (progress := cell.session.progress).samples:
        return f"{progress.done / progress.samples:.0%}", "cyan"
    if cell.result is None:
        return cell.state, "red" if cell.error else "dim"
    metric = next(iter(cell.result.document["metrics"].values()), None)
    if metric is None or metric["value"] is None:
        return cell.state, "red"
    return with_interval(metric), "green" if cell.state == "complete" else "yellow"


def _tell_end(row: SweepRow, cell: Cell) -> None:
    """A line for each cell that has ended."""
    if cell.error:
        session.tell(f"Error: {row.name} {cell.benchmark}: {cell.error}")
    elif cell.result:
        session.tell(f"{cell.benchmark} {result_line(cell.result.document, now=True)}")


def _as_json(row: SweepRow) -> JsonDict:
    cells: list[JsonDict] = []
    for cell in row.cells:
        document = cell.result.document if cell.result else None
        one: JsonDict = {"benchmark": cell.benchmark, "left": cell.left, "state": cell.state}
        if document:
            metrics = cast("JsonDict", dict(document["metrics"]))
            one |= {"run_id": document["run_id"], "metrics": metrics}
        one |= {"error": _error(cell.error)} if cell.error else {}
        cells.append(one)
    named: JsonDict = {"name": row.name, "model": row.model.spec, "runs": cells}
    return named | ({"error": _error(row.error)} if row.error else {})


def _error(error: BenchError) -> JsonDict:
    return error_of(kind_of(error), str(error), error.exit_code)


def _exit_code(rows: list[SweepRow], sweep: Sweep, *, stopped: bool) -> int:
    """The worst, also of what is wrong in the file."""
    broken = (error.exit_code for error in sweep.broken)
    return max([exit_code(rows, stopped=stopped), *broken])


def _sum_up(runner: Runner, planner: Planner, overall: Overall, *, json_output: bool) -> int:
    """The table, or one document; the exit code."""
    code = _exit_code(runner.rows, planner.sweep, stopped=runner.stopped)
    if json_output:
        broken = [_error(error) for error in planner.sweep.broken]
        more: JsonDict = {"errors": broken} if broken else {}
        models = list(map(_as_json, runner.rows))
        click.echo(as_text({"models": models, "total": overall.as_json(), **more}))
        return code
    names = [benchmark.name for benchmark in planner.benchmarks]
    console.output.show(console.sweep_table.sweep_table(_cells(runner.rows, len(names)), names))
    demo = any(cell.task.config.demo for row in runner.rows for cell in row.cells)
    boards = "; ".join(bench("leaderboard", name, demo=demo) for name in names)
    site = bench("site", demo=demo)
    end = f"{overall.describe_end()}; {boards}; {site} has the curves"
    console.output.show_line(console.short.bold(end))
    return code
