"""What a command is to do: one benchmark on one model."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

from ..benchmark import Pack
from ..benchmark.model import JUDGE, MODEL, is_generating
from ..clients.caller import Caller
from ..clients.limits import Limits
from ..clients.shapes import as_set
from ..datasets import find_pack, manifest_of
from ..datasets.fetching import fetch
from ..datasets.official import FetchState, OfficialPack, official_of
from ..errors import BenchError, DataError, JournalError, PluginError
from ..guard import guard
from ..guard.calls import named_with_origin
from ..journal import Journal, RunRecord
from ..parties.providers import OF_MODEL, PartyOptions, of_judge, of_role
from ..reading.names import check_name
from ..reports.evidence import Selection
from ..runs.finding import find_run
from ..runs.results import is_main
from ..runs.stored_run import StoredRun
from ..sample.model import ConnectedParty
from ..settings.run_config import Endpoint, RunConfig, judge_sampling
from ..types import ChatRequest, Item, Sampling, digest


class TaskParty(NamedTuple):
    """Who may be asked, in which phase, and how its replies are drawn."""

    options: PartyOptions
    endpoint: Endpoint
    phase: str
    sampling: Sampling
    system: str | None = None

    def connected(self, caller: Caller | None = None) -> ConnectedParty:
        """The party with who sends its requests; without, only what the journal holds is had."""
        endpoint = self.endpoint
        return ConnectedParty(
            self.phase,
            endpoint.party,
            self.sampling,
            self.system,
            caller,
            endpoint.base_url,
            settings=endpoint.settings,
        )

    @property
    def most_sent(self) -> Sampling:
        """How its replies are drawn in requests as they are sent, with the room that is set."""
        return as_set(ChatRequest((), self.sampling), self.endpoint.settings).sampling


@dataclass(frozen=True, eq=False)
class Task:
    """One benchmark on one model, which a command is about: asked, and what it says graded.

    Once the journal was looked into, `run` is the stored run that it goes on with; ``None`` for a
    new one.
    """

    config: RunConfig
    given_pack: Pack | None = None
    run: RunRecord | None = None

    @cached_property
    def pack(self) -> Pack:
        """The data, read when it is first wanted."""
        if self.given_pack is not None:
            return self.given_pack
        return read_pack(self.config)

    @cached_property
    def selection(self) -> Selection:
        """The samples that are asked for."""
        return Selection(choose_items(self.pack, self.config), self.config.iterations)

    @property
    def parties(self) -> Sequence[TaskParty]:
        """Everyone that may be asked: the model, who plays roles, and judges."""
        config = self.config
        return [
            TaskParty(OF_MODEL, config.model, MODEL, config.effective_sampling, config.system),
            *(
                TaskParty(
                    of_role(role.name)._replace(near=config.roles[role.name].near),
                    config.roles[role.name],
                    role.phase,
                    config.sampling_of(role),
                )
                for role in config.benchmark.roles
                if role.name in config.roles
            ),
            *(
                TaskParty(
                    of_judge(str(judge.spec))._replace(near=judge.near),
                    judge,
                    JUDGE,
                    judge_sampling(config.benchmark, judge.party),
                )
                for judge in config.judges
            ),
        ]

    @property
    def asked(self) -> Sequence[TaskParty]:
        """Those whom it asks."""
        return [party for party in self.parties if self.asks(party.phase)]

    def limits(self, party: TaskParty) -> Limits:
        """How fast a party may be asked."""
        is_model = party.phase == MODEL
        return self.config.limits if is_model else party.endpoint.limits or self.config.limits

    def planned_calls(self, item: Item, iteration: int = 1) -> Mapping[str, int]:
        """Calls of one sample by phase, when nothing is asked again."""
        calls = self.config.planned_calls(item, iteration)
        return {phase: n if self.asks(phase) else 0 for phase, n in calls.items()}

    def asks(self, phase: str) -> bool:
        """Whether anything is asked in a phase."""
        return True

    @property
    def known_requests(self) -> Sequence[ChatRequest]:
        """What its judge will be asked, if that is known before; a plan then rests on it."""
        return ()

    @property
    def asks_anew(self) -> bool:
        """Whether judges are asked anew what could not be read."""
        return False

    def may_do(self, item_id: str, iteration: int) -> bool:
        """Whether it may work on a sample."""
        return True

    @property
    def compares(self) -> bool:
        """Whether transcripts are compared with those of other models."""
        return guard(self.config.benchmark).compares(self.config.options)

    def find(self, journal: Journal) -> Self:
        """The task with the run that it means."""
        run = find_run(journal, self.config, self.pack)
        return replace(self, given_pack=self.pack, run=run)

    def is_main(self, journal: Journal, run: RunRecord) -> bool:
        """Whether its result is the run's own."""
        return is_main(StoredRun(journal, run), self.config, self.selection)

    def finishes(self, run: RunRecord, ended: BenchError | None) -> bool:
        """Whether the run is finished after it, which `ended` may have ended early."""
        return ended is None


@dataclass(frozen=True, eq=False)
class Regrade(Task):
    """Have a stored run's transcripts judged again; its model is not asked for anything.

    What its judge was asked before and could not be read is asked `anew`. `finished` are the
    samples with a transcript; ``None`` where all that are asked for have one.
    """

    finished: frozenset[tuple[str, int]] | None = None
    anew: bool = True

    def asks(self, phase: str) -> bool:
        """Judges alone are asked."""
        return not is_generating(phase)

    @property
    def asks_anew(self) -> bool:
        """As it says."""
        return self.anew

    def may_do(self, item_id: str, iteration: int) -> bool:
        """Where there is a transcript to judge."""
        return self.finished is None or (item_id, iteration) in self.finished

    @property
    def compares(self) -> bool:
        """Never."""
        return False

    def find(self, journal: Journal) -> Self:
        """The task with the run as it is now.

        Raises:
            JournalError: It was deleted since.
        """
        assert self.run is not None
        run = journal.find_run(self.run.run_id)
        if run is None:
            raise JournalError(f"run {self.run.run_id} was deleted while it was to be judged again")
        return replace(self, given_pack=self.pack, run=run)

    def is_main(self, journal: Journal, run: RunRecord) -> bool:
        """The same; all transcripts that are finished are the whole run."""
        return is_main(StoredRun(journal, run), self.config, self.selection, whole=True)

    def finishes(self, run: RunRecord, ended: BenchError | None) -> bool:
        """The run stays what it was."""
        return run.finished_at is not None


def read_pack(config: RunConfig) -> Pack:
    """The data that a configuration asks for."""
    source = find_pack(config.benchmark, config.dataset, config.options)
    return guard(config.benchmark).read_pack(source, config.options)


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
        ids = [item.id for item in items]
        for name in config.items:
            check_name(name, ids, f"--items {name}: the pack has no such item", "it has")
        items = [item for item in items if item.id in config.items]
    if not config.limit:
        return items
    if not (tag := config.benchmark.limit_over):
        return items[: config.limit]
    if not any(tag in item.tags for item in items):
        message = f"limit_over of {named_with_origin(config.benchmark)} is {tag!r}"
        raise PluginError(f"{message}, and no item has such a tag")
    drawn = set(_drawn_over(tag, items)[: config.limit])
    return [item for item in items if item.id in drawn]


def _drawn_over(tag: str, items: Sequence[Item]) -> list[str]:
    """The ids, drawn one after the other from each of a tag's values in turn; ids alone decide."""
    ranked: list[tuple[int, str, str]] = []
    counts = Counter[str]()
    for item in sorted(items, key=lambda item: digest(item.id)):
        value = item.tags.get(tag, "")
        ranked.append((counts[value], digest(value), item.id))
        counts[value] += 1
    return [item_id for _, _, item_id in sorted(ranked)]


def _fetch(pack: OfficialPack, lang: str | None) -> None:
    fetch(pack, lang=lang)


def have_data(
    config: RunConfig, get: Callable[[OfficialPack, str | None], object] = _fetch
) -> None:
    """Download what is needed of the official pack if it is asked for and not in the cache.

    Raises:
        DataError: What came is not the pack, or the cache cannot be written.
        ProviderError: The network or the server failed.
    """
    benchmark, lang = config.benchmark, config.options.get("lang")
    if config.dataset != "official" or benchmark.data is None:
        return
    if "official" in manifest_of(benchmark):
        pack = official_of(benchmark)
        if any(pack.state(file) is FetchState.ABSENT for file in pack.needed(lang)):
            get(pack, lang if pack.languages else None)
