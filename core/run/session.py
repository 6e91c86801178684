"""A run from the user's wish to its result: settings, pack, what is left to do, result."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ..benchmark import Pack
from ..clients.keys import Environment
from ..clients.limits import Notices
from ..compare.opponents import check_opponents
from ..datasets import find_pack
from ..errors import DataError
from ..guard import guard
from ..guard.calls import named_with_origin, watched
from ..journal import Journal, network_file_system
from ..plugins import Catalogue
from ..reading.names import check_name
from ..reports.evidence import Selection
from ..runs.finding import find_run
from ..sample.progress import Progress
from ..sample.workers import Stop
from ..settings.run_config import Endpoint, RunConfig, identity, judges_of
from ..types import Item
from ..types.result_document import ResultDocument
from .checks import check_parties
from .connect import PartyConnector, Pricing, proof_of
from .outcome import OwnedRun
from .ownership import Servers, keep_names, own_run
from .run_work import RunWork


@dataclass
class Session:
    """One `bench run` on one model: what it needs from outside, and its counters."""

    config: RunConfig
    catalogue: Catalogue
    environment: Environment
    progress: Progress = field(default_factory=Progress)
    stop: Stop = field(default_factory=Stop)
    cache: Path | None = None
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
        config = self.config
        if config.run_id or self._is_demo(config.model):
            return []
        judges = [j for j in judges_of(config) if j.stored_label not in self.answered]
        return [judge for judge in judges if not self._is_demo(judge)]

    def proof(self, judge: Endpoint) -> str:
        """What a judge's answer to a trial is remembered by, beside its label."""
        return proof_of(judge, self.catalogue, self.environment)

    def _is_demo(self, endpoint: Endpoint) -> bool:
        return self.catalogue.provider(endpoint.spec.provider).demo

    def read_pack(self) -> Pack:
        """The pack of this run."""
        config = self.config
        source = find_pack(config.benchmark, config.dataset, config.options, cache=self.cache)
        return guard(config.benchmark).read_pack(source, config.options)

    def check(self) -> None:
        """Refuse what cannot be, before anything is made or sent.

        Raises:
            UsageError: The settings contradict each other.
            ConfigError: A key is missing.
        """
        check_parties(self.config, self.catalogue, self.environment, self.money)
        if hasattr(self.config.benchmark, "placement"):
            guard(self.config.benchmark).placement(self.config.options)

    async def run(self, pack: Pack) -> ResultDocument:
        """Do what is left of the run, and sum it up.

        Returns:
            The result document (docs/results.md); its status tells how the run ended.

        Raises:
            BenchError: The run ended early for another reason than the user's wish.
        """
        self.check()
        config = self.config
        selection = Selection(choose_items(pack, config), config.iterations)
        with Journal(config.runs_dir) as journal:
            journal.writer.say, journal.writer.gave_up = self.say, lambda: self.stop.hurried
            journal.keep_comparisons()
            self._warn_of_network()
            if guard(config.benchmark).compares(config.options) and not config.run_id:
                check_opponents(journal, config, pack, identity(config, pack), config.display_name)
            servers = await Servers.ask(config, self.catalogue, self.environment)
            found = find_run(journal, config, pack)
            servers.check(journal, found, self.say)
            self.config = found.config
            demo = self._is_demo(config.model)
            with own_run(journal, found, pack, demo=demo) as run, watched(self.say):
                keep_names(journal, run, self.config)
                owned = OwnedRun(journal, run, self.config, pack, selection)
                return await self._work_on(owned, servers).do()

    def _work_on(self, owned: OwnedRun, servers: Servers) -> RunWork:
        connector = PartyConnector(
            owned.config,
            self.catalogue,
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
        if kind := network_file_system(self.config.runs_dir):
            self.say(
                f"{self.config.runs_dir} is on a network file system ({kind}), where SQLite and "
                "locks may fail; a local --runs-dir is safer"
            )


def choose_items(pack: Pack, config: RunConfig) -> list[Item]:
    """The pack's items that the configuration asks for, in pack order.

    Raises:
        UsageError: An item is named that the pack does not have.
        DataError: The pack is empty.
    """
    items = list(pack.items)
    if not items:
        message = f"holds no items, as read_pack of {named_with_origin(config.benchmark)} reads it"
        raise DataError(next(iter(pack.source.files.values())), message)
    if config.items:
        there = [item.id for item in items]
        for name in config.items:
            check_name(name, there, f"--items {name}: the pack has no such item", "it has")
        items = [item for item in items if item.id in config.items]
    return items[: config.limit] if config.limit else items
