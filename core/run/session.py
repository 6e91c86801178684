"""A run from the user's wish to its result: settings, pack, what is left to do, result."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ..benchmark.roles import MODEL
from ..clients.keys import Environment
from ..clients.limits import Notices
from ..compare.opponents import check_opponents
from ..guard import guard
from ..guard.calls import watched
from ..journal import Journal, network_file_system
from ..plugins import installed
from ..sample.progress import Progress
from ..sample.workers import Stop
from ..settings.run_config import Endpoint, identity, judges_of
from ..types.result_document import ResultDocument
from .checks import check_parties
from .connect import PartyConnector, Pricing, proof_of
from .outcome import OwnedRun
from .ownership import Servers, keep_names, own_run
from .run_work import RunWork
from .task import Task


@dataclass
class Session:
    """One `bench run` on one model: what it needs from outside, and its counters."""

    task: Task
    environment: Environment
    progress: Progress = field(default_factory=Progress)
    stop: Stop = field(default_factory=Stop)
    say: Callable[[str], None] = lambda line: None
    """Tells the user something while the run goes on."""
    money: Pricing = field(default_factory=Pricing)
    answered: set[str] = field(default_factory=set)
    """Labels of the judges that have answered in this command; its runs may share it."""
    absent: set[str] = field(default_factory=set)
    """Hosts that refused every connection from the start of this command, likewise."""

    @property
    def untried(self) -> list[Endpoint]:
        """The judges that are first asked if they answer; no demo model is worth that."""
        config = self.task.config
        if not self.task.asks(MODEL) or _is_demo(config.model):
            return []
        judges = [j for j in judges_of(config) if j.stored_label not in self.answered]
        return [judge for judge in judges if not _is_demo(judge)]

    def proof(self, judge: Endpoint) -> str:
        """What a judge's answer to a trial is remembered by, beside its label."""
        return proof_of(judge, self.environment)

    def check(self) -> None:
        """Refuse what cannot be, before anything is made or sent.

        Raises:
            UsageError: The settings contradict each other.
            ConfigError: A key is missing.
        """
        config = self.task.config
        check_parties(self.task, self.environment, self.money)
        if hasattr(config.benchmark, "placement"):
            guard(config.benchmark).placement(config.options)

    async def run(self) -> ResultDocument:
        """Do what is left of the run, and sum it up.

        Returns:
            The result document (docs/results.md); its status tells how the run ended.

        Raises:
            BenchError: The run ended early for another reason than the user's wish.
        """
        self.check()
        task, config = self.task, self.task.config
        self.progress.samples = task.selection.total  # items that are not there make no journal
        with Journal(config.runs_dir) as journal:
            journal.writer.say, journal.writer.gave_up = self.say, lambda: self.stop.hurried
            journal.keep_comparisons()
            self._warn_of_network()
            if task.compares:
                about = (task.pack, identity(config, task.pack), config.display_name)
                check_opponents(journal, config, *about)
            servers = await Servers.ask(task, self.environment)
            self.task = task = task.find(journal)
            servers.check(journal, task, self.say)
            with own_run(journal, task, demo=_is_demo(config.model)) as run, watched(self.say):
                keep_names(journal, run, task)
                return await self._work_on(OwnedRun(journal, run, task), servers).do()

    def _work_on(self, owned: OwnedRun, servers: Servers) -> RunWork:
        connector = PartyConnector(
            owned.task,
            self.environment,
            self.progress,
            self.stop,
            self.money,
            Notices(self.say),
            self.absent,
        )
        untried = {judge.stored_label: self.proof(judge) for judge in self.untried}
        return RunWork(owned, connector, servers, self.say, self.answered, untried)

    def _warn_of_network(self) -> None:
        folder = self.task.config.runs_dir
        if kind := network_file_system(folder):
            self.say(
                f"{folder} is on a network file system ({kind}), where SQLite and "
                "locks may fail; a local --runs-dir is safer"
            )


def _is_demo(endpoint: Endpoint) -> bool:
    return installed().provider(endpoint.spec.provider).demo
