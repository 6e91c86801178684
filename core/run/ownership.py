"""A run that is ours while we work on it, and whom it asks: where, and what the servers say.

Servers on this machine and in private networks are one endpoint, whatever their ports. What keeps
two models apart there is what the servers say themselves, in their own list of models.
"""

import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from ..benchmark.model import MODEL as GENERATE
from ..clients.model_list import Listing, read_listing, same_build, same_model
from ..errors import BenchError, UsageError
from ..journal import AskedParties, Journal, RunLock, RunRecord
from ..parties.party import Party, is_local
from ..parties.providers import PartyOptions
from ..plugins.stored import KEPT, packed
from ..runs.finding import JUDGE, MODEL
from ..settings.run_config import Endpoint, RunConfig, identity
from ..types import JsonDict, JsonObject, digest
from .connect import client_config
from .session import Session
from .task import Task, TaskParty

_LISTING = "openai"
"""The provider whose servers have such a list."""


@dataclass(frozen=True, slots=True)
class Servers:
    """What the servers of a run say of their models, by party; ``None`` where one says nothing.

    `unlisted` are warnings of those that list others than the model that is to be asked.
    """

    entries: Mapping[PartyOptions, JsonObject | None]
    unlisted: Sequence[str] = ()

    @classmethod
    async def ask(cls, task: Task, session: Session) -> "Servers":
        """Ask those that are local, each once; none of them has to answer."""
        entries, unlisted = {}, list[str]()
        for party in task.asked:
            endpoint = party.endpoint
            if endpoint.spec.provider == _LISTING and is_local(endpoint.base_url):
                listing = await _listing(party, session)
                entries[party.options] = listing and listing.entry
                unlisted += [_why_doubtful(party, listing)] * bool(listing and listing.is_doubtful)
        return cls(entries, unlisted)

    def check(self, journal: Journal, task: Task, session: Session) -> None:
        """Refuse a server that says itself that it has another model than the one asked before.

        One that was pulled or made again since may be the same, so that is said only.

        Raises:
            UsageError: It says so itself.
        """
        for warning in [one for one in self.unlisted if one not in session.announced]:
            session.announced.add(warning)
            session.say(warning)
        for party in task.asked:
            endpoint, role = party.endpoint, _role_of(party)
            if before := _before_its_name(journal, role, endpoint):
                session.say(
                    f"warning: {endpoint.party}, as bench.toml names its server now, is another "
                    f"than {before}, and is asked anew"
                )
            now = self.entries.get(party.options)
            then = _known(journal, task.run, role, endpoint.party)
            if now and then and not same_model(then, now):
                raise UsageError(_why_another(role, endpoint, task.run, then, now))
            if now and then and not same_build(then, now):
                what = f"{endpoint.spec} was pulled or made again at {endpoint.address}"
                session.say(
                    f"warning: {what} since it was asked first; where its weights are new, "
                    "--name NAME or --fresh starts another run"
                )

    async def changed(self, task: Task, session: Session) -> BenchError | None:
        """What is wrong where a server has another model now than when the run began."""
        try:
            now = await Servers.ask(task, session)
        except UsageError as error:  # two of its servers have different models now
            return error
        for party in task.asked:
            then, entry = self.entries.get(party.options), now.entries.get(party.options)
            if then and entry and not same_model(then, entry):
                where, differs = party.endpoint.address, _differing(then, entry)
                return UsageError(
                    f"{where} has another model now than when the run began ({differs}): answers "
                    "of both are in this run; --fresh starts another"
                )
        return None

    def keep(self, journal: Journal, run: RunRecord, task: Task, session: Session) -> None:
        """Store whom a run asks, where, and what the servers say; say where an address changed."""
        for party in task.asked:
            endpoint, role = party.endpoint, _role_of(party)
            if before := asked_elsewhere(journal, run, party):
                now = ", ".join(endpoint.base_urls)
                session.say(f"{endpoint.spec} was asked at {before} before, now at {now}")
            entry = self.entries.get(party.options)
            asked = AskedParties(run.run_id, role, endpoint.party, endpoint.base_urls, entry)
            journal.add_asked(run, asked)


def asked_elsewhere(journal: Journal, run: RunRecord, party: TaskParty) -> str | None:
    """Where a run asked a party last; ``None`` where that is one of today's addresses."""
    endpoint = party.endpoint
    asked = (one for one in journal.asked(run, _role_of(party)) if one.party == endpoint.party)
    last = next((one.addresses[-1] for one in asked if one.addresses), None)
    return None if last in endpoint.base_urls else last


def _why_doubtful(party: TaskParty, listing: Listing | None) -> str:
    endpoint, close = party.endpoint, listing.closest if listing else []
    todo = f"; {close[0]!r} is closest" if close else ""
    return (
        f"warning: {endpoint.address} may not know {endpoint.spec}: {listing}{todo}; some servers "
        f"answer to any name, else check {party.options.spec}"
    )


async def _listing(party: TaskParty, session: Session) -> Listing | None:
    """What the servers of a party list; what they say of its model has to be the same.

    Raises:
        UsageError: Two of them have different models.
    """
    first: Listing | None = None
    for endpoint in party.endpoint.each:
        config = client_config(endpoint, session.environment, party.options)
        listing = await read_listing(config)
        then, entry = first and first.entry, listing and listing.entry
        if then and entry and not same_model(then, entry):
            message = f"{endpoint.address} has another model than the other servers of"
            raise UsageError(
                f"{message} {endpoint.spec}; leave it out, or give it a run of its own"
            )
        first = first if then else listing or first
    return first


def _role_of(party: TaskParty) -> str:
    """What the journal calls the role of a party."""
    return MODEL if party.phase == GENERATE else party.phase


def _before_its_name(journal: Journal, role: str, endpoint: Endpoint) -> Party | None:
    """Who was asked at a server before bench.toml named it; ``None`` where nobody was."""
    if endpoint.name is None:
        return None
    unnamed, known = replace(endpoint, name=None).party, {a.party for a in journal.asked(role=role)}
    return unnamed if unnamed in known and endpoint.party not in known else None


def _known(journal: Journal, run: RunRecord | None, role: str, party: Party) -> JsonObject | None:
    """What was said when a party was asked first: by this run, a judge's by any run."""
    if run is None and role != JUDGE:
        return None
    asked = journal.asked(None if role == JUDGE else run, role)
    return next((a.entry for a in asked if a.party == party and a.entry), None)


def _why_another(
    role: str, endpoint: Endpoint, run: RunRecord | None, then: JsonObject, now: JsonObject
) -> str:
    message = f"{endpoint.address} has another model than the one that"
    what = _differing(then, now)
    if role != JUDGE:
        assert run is not None
        return f"{message} run {run.run_id} asked ({what}); --name NAME starts a run of its own"
    way_out = "give it a name in bench.toml, [endpoints.NAME], and --judge-base-url NAME"
    return f"{message} judged as {endpoint.party} ({what}); {way_out}"


def _differing(then: JsonObject, now: JsonObject) -> str:
    differs = next(n for n in then if n in now and not same_model({n: then[n]}, {n: now[n]}))
    return f"{differs} {now[differs]!r:.80}, not {then[differs]!r:.80}"


_installed = cache(version)
PACKAGES = ("eibench", "aiohttp", "openai", "litellm", "numpy")


def package_versions() -> dict[str, str]:
    """Versions by name: Python's, and those of the packages that are installed."""
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = _installed(name)
        except PackageNotFoundError:
            continue
    return versions


ID_LENGTHS = (8, 16, 32)
"""Of the identity's digits in a run's id: as few as tell it from other runs."""


@contextmanager
def own_run(journal: Journal, task: Task, session: Session) -> Iterator[RunRecord]:
    """The run that a task goes on with, or a new one, owned while the block runs.

    The batches of one that is not gone on with are named, as they are billed all the same.

    Raises:
        JournalError: Another process owns it.
    """
    config, meant = task.config, identity(task.config, task.pack)
    run_identity, ordinal = digest(meant), 1
    if task.run is not None:
        run_id = task.run.run_id
    else:
        newest = journal.newest_run(run_identity)
        ordinal = newest.ordinal + 1 if newest else 1
        run_id = _run_id(journal, run_identity, ordinal)
        if newest:
            for left in journal.open_batches(newest):
                goes_on = f"run {newest.run_id} waits for {left.words}, which is billed"
                session.say(f"warning: {goes_on}, and nobody reads its results; cancel it there")
    with RunLock(journal.folder, run_id).acquire():
        files = config.benchmark.files
        kept = {KEPT: packed(files)} if files else {}
        if (run := journal.find_run(run_id)) and kept and run.settings.get(KEPT) != kept[KEPT]:
            journal.keep_setting(run, KEPT, kept[KEPT])  # how it is graded may have changed
            run = journal.find_run(run_id)
        yield run or journal.add_run(
            run_id=run_id,
            identity=run_identity,
            ordinal=ordinal,
            demo=config.demo,
            settings={**run_settings(config, meant), **kept},
            benchmark=config.benchmark.name,
            benchmark_version=config.benchmark.version,
            model=str(config.model.spec),
            name=config.display_name,
            pack_name=task.pack.source.name,
            pack_sha256=task.pack.source.sha256,
            endpoint=config.model.party.endpoint,
        )


def _run_id(journal: Journal, run_identity: str, ordinal: int) -> str:
    suffix = f"-{ordinal}" if ordinal > 1 else ""
    ids = [run_identity[:length] + suffix for length in ID_LENGTHS]
    runs = {run_id: journal.find_run(run_id) for run_id in ids}
    return next(i for i, run in runs.items() if run is None or run.identity == run_identity)


def run_settings(config: RunConfig, meant: JsonDict) -> JsonDict:
    """What the journal keeps of how a run was asked."""
    return {
        **meant,
        "all_options": dict(config.options),
        "dataset": config.dataset,
        "notes": dict(config.notes),
        "versions": package_versions(),
    }
