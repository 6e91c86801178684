"""A benchmark as a third party would write it, and sessions that run it on a loopback server."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from eibench import (
    Benchmark,
    Item,
    Metric,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    SampleScore,
    Sampling,
    Score,
    Summary,
)
from eibench.core.clients.keys import Environment
from eibench.core.clients.limits import Limits
from eibench.core.journal import Journal
from eibench.core.parties.party import Party
from eibench.core.parties.providers import ModelSpec
from eibench.core.run.run_work import run_task
from eibench.core.run.session import Session
from eibench.core.run.task import Task
from eibench.core.settings.run_config import Endpoint, RunConfig
from eibench.testing import LoopbackServer
from tests.processes import Done, Process, run

BENCH = (sys.executable, "-c", "from eibench.core.cli import main; main()")


class Talk(Benchmark):
    """Several turns, calls at the same time with the same words, and a judge."""

    name = "talk"
    version = "1"
    title = "A benchmark of the tests"
    sampling = Sampling(temperature=0.5)
    options: tuple[Option, ...] = (
        Option("tone", "warm", "How to ask.", in_requests=True),
        Option("reader", "plain", "How to read.", in_grades=True),
        Option("colour", "blue", "Changes nothing."),
    )
    judged = True
    single_turn = False
    broken: Callable[[str, Item], None] = staticmethod(lambda phase, item: None)
    """Called at the start of each phase; may raise."""

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """Is given packs ready-made."""
        raise NotImplementedError

    async def generate(self, item: Item, model: Model, options: Options) -> list[str]:
        """Three replies to one request, and one to what each said."""
        self.broken("generate", item)
        first = await asyncio.gather(*(model.chat(f"{item.id} {options['tone']}") for _ in "abc"))
        then = await asyncio.gather(*(model.chat(f"{item.id} then {r.text}") for r in first))
        return [reply.text for reply in (*first, *then)]

    async def grade(
        self, item: Item, transcript: list[str], judge: Model | None, options: Options
    ) -> Score:
        """The transcript itself, as numbers; the judge says two more."""
        self.broken("grade", item)
        said = list(transcript)
        if judge is not None:
            asked = f"judge {item.id} {' '.join(transcript)}"
            said += [r.text for r in await asyncio.gather(judge.chat(asked), judge.chat(asked))]
        return Score({f"v{i}": float(text) for i, text in enumerate(said)})

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """The mean of all numbers."""
        values = sorted(v for s in scores for v in s.score.values.values() if v is not None)
        mean = sum(values) / len(values) if values else None
        return Summary({"mean": Metric(mean, n=len(values))})


def make_pack(items: int = 4, sha256: str = "a" * 64) -> Pack:
    """A pack of so many items."""
    source = PackSource("custom", sha256, {"items": Path("items.jsonl")})
    return Pack(source, [Item(str(n)) for n in range(1, items + 1)], "beside nothing")


@dataclass(kw_only=True)
class LabSession(Session):
    """A session, and what is to be done with it."""

    task: Task

    async def run(self) -> Any:
        """The result document."""
        return (await run_task(self.task, self)).document


@dataclass
class Lab:
    """Runs `Talk` as `bench run` does, with one server as model and judge.

    Attributes:
        sessions: All so far, the last one last.
        answered: Judges that are not tried before the model is asked, as they have answered.
    """

    runs_dir: Path
    url: str
    benchmark: Benchmark = field(default_factory=Talk)
    pack: Pack = field(default_factory=make_pack)
    sessions: list[LabSession] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    answered: set[Party] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.answered |= {self.endpoint(name).party for name in ("judge", "other-judge")}

    def session(self, **changes: Any) -> LabSession:
        """A new session; `changes` are fields of its configuration."""
        options = {option.name: option.default for option in self.benchmark.options}
        options |= changes.pop("options", {})
        judge = changes.pop("judge", self.endpoint("judge") if self.benchmark.judged else None)
        given = {"judges": (judge,) if judge else (), "limits": Limits(concurrency=16), **changes}
        config = RunConfig(
            benchmark=self.benchmark,
            model=given.pop("model", self.endpoint("model")),
            options=options,
            runs_dir=self.runs_dir,
            **given,
        )
        task = Task(config, self.pack)
        session = LabSession(environment=Environment({}), say=self.said.append, task=task)
        session.answered = set(self.answered)
        self.sessions.append(session)
        return self.sessions[-1]

    def endpoint(self, name: str) -> Endpoint:
        """A model of that name at the server."""
        return Endpoint(ModelSpec("openai", name), self.url)

    def take_items(self, count: int) -> None:
        """Use a pack of so many items."""
        self.pack = make_pack(count)

    async def run(self, **changes: Any) -> Any:
        """The result document of a run."""
        return await self.session(**changes).run()

    def rows(self) -> dict[str, Any]:
        """All grades of the journal, by run, grader and sample."""
        clusters = {item.id: item.cluster for item in self.pack.items}
        with Journal(self.runs_dir) as journal:
            return {
                f"{run.run_id} {by.digest} {s.item_id} {s.iteration}": s.score
                for run in journal.runs()
                for by, _ in journal.graders(run)
                for s in journal.grades(run, by, clusters)
            }


@pytest.fixture
def lab(tmp_path: Path, counting_server: LoopbackServer) -> Lab:
    """A lab with a server whose every reply is another number."""
    return Lab(tmp_path / "runs", counting_server.base_url)


@pytest.fixture
def counting_server() -> Any:
    """Replies with the serial number of the request, later requests sometimes sooner."""
    with LoopbackServer(lambda r: str(r.n), latency=lambda r: 0.002 * (r.n * 7 % 5)) as server:
        yield server


@dataclass
class Bench:
    """The `bench` command as a process of its own, in a folder of its own."""

    folder: Path

    def start(self, *arguments: str) -> Process:
        """Start a command."""
        return Process(arguments, self.folder)

    def __call__(self, *arguments: str) -> Done:
        """Run a command to its end."""
        return run(arguments, self.folder)

    def anew(self, *arguments: str) -> Done:
        """The same in a process that imports everything itself, and hashes in its own way."""
        return subprocess.run(
            [*BENCH, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60
        )


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """The command, in an empty folder."""
    return Bench(tmp_path)
