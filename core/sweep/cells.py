"""The cells of a sweep: one benchmark on one model each, ready to be worked on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..benchmark import Benchmark
from ..errors import BenchError, ConfigError
from ..parties.providers import ModelSpec
from ..reports.result import Result
from ..run.plan import Plan
from ..run.session import Session
from ..run.task import Task
from ..runs.results import plain_file_name
from ..served.server import ServerCommand
from ..settings.file import SettingsFile
from ..settings.python import from_python
from ..settings.resolve import run_configs
from ..settings.run_config import Endpoint
from ..settings.run_settings import SETTINGS, RunSettings, SettingSource, argument_of, option_of
from ..settings.targets import Target
from .sweep_file import Sweep, SweepModel

NOWHERE = "http://127.0.0.1:9/v1"
"""The address of a model while it has no server: nobody answers there."""
_ARGUMENTS = {option_of(name): argument_of(name) for name in SETTINGS}
"""What bench.toml calls a setting, where Python has another word."""


@dataclass
class Cell:
    """A benchmark on a model.

    Attributes:
        state: ``waits``, ``starts`` (its server does), ``runs``, the status of its result, or
            ``error``.
        error: What ended it, if anything but the user did.
    """

    task: Task
    session: Session
    plan: Plan
    state: str = "waits"
    result: Result | None = None
    error: BenchError | None = None

    @property
    def left(self) -> int:
        """Samples that were left to be asked."""
        return self.plan.left

    @property
    def ended(self) -> bool:
        """Whether nothing of it is to be asked any more."""
        return self.state not in ("waits", "starts", "runs")

    @property
    def benchmark(self) -> str:
        """Its name."""
        return self.task.config.benchmark.name

    def at(self, base_url: str) -> Task:
        """Its task with the model at an address."""
        config = self.task.config
        return replace(
            self.task, config=replace(config, model=replace(config.model, base_url=base_url))
        )


@dataclass
class SweepRow:
    """A model with its cells; `error` is why none of them could be planned."""

    model: SweepModel
    cells: Sequence[Cell] = ()
    error: BenchError | None = None

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name


@dataclass(frozen=True)
class Planner:
    """Makes rows of models.

    Attributes:
        allow: The endpoint of a target, once the user has approved what a file sends there.
        plan: What a task leaves to be asked; it refuses what cannot be.
    """

    sweep: Sweep
    benchmarks: Sequence[Benchmark]
    file: SettingsFile
    runs_dir: Path
    shared: Session
    allow: Callable[[Target], Endpoint]
    plan: Callable[[Task, Session], Plan]

    def row(self, model: SweepModel) -> SweepRow:
        """A model's row; what is wrong with it is in the row, so that the others go on."""
        try:
            return SweepRow(model, [self._cell(model, benchmark) for benchmark in self.benchmarks])
        except BenchError as error:
            where = f"{self.sweep.path}: line {model.line}: {model.name}"
            return SweepRow(model, error=ConfigError(f"{where}: {error}"))

    def _cell(self, model: SweepModel, benchmark: Benchmark) -> Cell:
        settings = self._settings(model, benchmark.name)
        (config,) = run_configs(benchmark, settings, self.allow)
        task, session = Task(config), self.shared.for_next_run()
        plan = self.plan(task, session)
        if model.serve and not plan.left:  # nobody is asked, so that it does not matter where it is
            session = replace(session, say=lambda text: None)
        return Cell(task, session, plan)

    def _settings(self, model: SweepModel, benchmark: str) -> RunSettings:
        """What the file says, as a file says it: no key goes where nobody has approved it."""
        run = {_ARGUMENTS.get(name, name): value for name, value in self.sweep.run.items()}
        values: dict[str, Any] = {
            **run,
            "model": model.spec,
            "name": model.name if model.name != model.spec else None,
            "base_url": NOWHERE if model.serve else model.base_url,
            "api_key_env": model.api_key_env,
            "checkpoint": model.path,
            "options": self.sweep.options.get(benchmark, {}),
            "runs_dir": self.runs_dir,
        }
        settings = from_python(values)
        sources = dict.fromkeys(settings.sources, SettingSource.FILE)
        return replace(
            settings,
            file=self.file,
            prices=self.file.prices,
            sources=sources,
            shares_server=False,
        )


def command_of(model: SweepModel, runs_dir: Path) -> ServerCommand:
    """How a model's server is started."""
    assert model.serve is not None
    name = ModelSpec.parse(model.spec).name
    words: Mapping[str, str] = {
        "model": name, "name": model.name, "path": model.path or name,
    }  # fmt: skip
    return ServerCommand(
        model.serve,
        runs_dir / "servers" / f"{plain_file_name(model.name)}.log",
        words,
        model.health,
        model.ready_s,
        model.port,
    )
