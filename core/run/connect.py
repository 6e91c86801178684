"""Who is asked in a run, and how: with which key, and what sends requests to each."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from ..benchmark.model import JUDGE, MODEL
from ..clients.caller import Caller
from ..clients.concurrency import AdaptiveLimit, Crowd, Line, Ramp
from ..clients.keys import Environment, choose_key, redact
from ..clients.limits import Limits, Notices
from ..clients.pool import PooledServer, ServerPool
from ..errors import ConfigError, PluginError, UsageError
from ..guard import make_client
from ..journal import Journal, OpenBatch, RunRecord
from ..journal.file import now
from ..parties.party import Party, is_local
from ..parties.providers import (
    OF_MODEL,
    AskedParty,
    Client,
    ClientConfig,
    PartyOptions,
    Provider,
    check_base_url,
)
from ..plugins import installed
from ..sample.context import RunContext
from ..sample.model import ConnectedParty
from ..settings.run_config import Endpoint
from ..types import digest
from .session import Session
from .task import Task, TaskParty

if TYPE_CHECKING:
    from ..clients.batching import BatchDesk


def client_config(
    endpoint: Endpoint, environment: Environment, party: PartyOptions = OF_MODEL
) -> ClientConfig:
    """How an endpoint's client connects, and with which key, which is hidden from then on.

    Raises:
        UsageError: The provider or the address is none.
        ConfigError: A key is needed and missing.
    """
    provider = installed().provider(endpoint.spec.provider)
    base_url = check_base_url(endpoint.base_url, party) if endpoint.base_url else None
    key, key_name = choose_key(provider, base_url, endpoint.api_key_env, environment, party)
    for secret in (key, *endpoint.headers.values()):
        redact.add(secret)
    return ClientConfig(
        model=endpoint.spec,
        base_url=base_url,
        key=key,
        key_name=key_name,
        headers=endpoint.headers,
        concurrency=1,
        party=party,
    )


def untried(task: Task, session: Session) -> dict[Party, str]:
    """The judges that are first asked if they answer, each with its proof.

    No demo model is worth that.
    """
    if not task.asks(MODEL) or task.config.demo:
        return {}
    return {
        judge.endpoint.party: _proof_of(judge, session)
        for judge in task.asked
        if judge.phase == JUDGE
        and judge.endpoint.party not in session.answered
        and not installed().provider(judge.endpoint.spec.provider).demo
    }


def _proof_of(judge: TaskParty, session: Session) -> str:
    """Names a judge's address, key and headers, from which none of them can be told.

    A judge that has answered there need not be tried again; another key makes another proof.
    """
    try:
        config = client_config(judge.endpoint, session.environment, judge.options)
    except ConfigError:  # a plan needs no key
        return ""
    return digest([judge.endpoint.address, config.key, dict(config.headers)])


@dataclass
class RunBatches:
    """The batches of one run, kept in its journal. Implements `clients.batching.BatchNotes`."""

    journal: Journal
    run: RunRecord

    async def intend(self, batch: OpenBatch) -> None:
        """Before a submission."""
        await self.journal.intend_batch(self.run, batch)

    async def submitted(self, batch: OpenBatch, id: str) -> None:
        """After it."""
        await self.journal.submitted_batch(batch, id)

    def end(self, batch: OpenBatch) -> None:
        """When nothing more will come of it."""
        self.journal.end_batch(batch)

    def new(self, attempt: str, party: str, keys: Collection[str]) -> OpenBatch:
        """A batch that is not sent yet."""
        return OpenBatch(attempt, party, frozenset(keys), None, now())


@dataclass
class PartyConnector:
    """Connects those whom a task asks, each with limits of its own."""

    task: Task
    session: Session
    context: RunContext

    def __post_init__(self) -> None:
        self._notices = Notices(self.session.say, self.session.announced)
        self._lines: dict[str, Line] = {}
        self._crowds: dict[str, Crowd] = {}
        """By address, of servers of the user's own."""

    def _refuse_twice(self) -> None:
        """Refuse to ask live what was sent as a batch."""
        context = self.context
        if self.task.config.batching is None:
            for batch in context.journal.open_batches(context.run):
                raise UsageError(
                    f"run {context.run.run_id} waits for {batch.words}: the same command with "
                    "--batch reads its results, with --fresh it begins a new run"
                )

    def _batch_caller(self, client: Client, party: str) -> Callable[..., Caller]:
        """What makes a caller that sends batches.

        Raises:
            UsageError: Its provider has none, as far as is known here.
        """
        from ..clients.batching import BatchCaller

        if not hasattr(client, "batches"):
            raise UsageError(
                f"--batch: {party} has no batch API that is known here; openai/ and anthropic/ "
                "have one, and --batch judge sends the judge's calls alone"
            )
        return partial(BatchCaller, desk=self._desk, party=party)

    @cached_property
    def _desk(self) -> "BatchDesk":
        """What collects the requests that go to batches."""
        from ..clients.batching import BatchDesk

        context, session, batching = self.context, self.session, self.task.config.batching
        assert batching is not None
        notes = RunBatches(context.journal, context.run)
        return BatchDesk(
            batching,
            notes,
            context.under_way,
            context.journal.open_batches(context.run),
            session.say,
            session.stop.check,
            session.stop.sleep,
            lambda: session.stop.asked,
        )

    def connect(self) -> list[ConnectedParty]:
        """Judges, the model, and who plays roles; those who are not asked have no caller.

        Raises:
            UsageError: One of them has no batch API, or a batch is asked already.
        """
        self._refuse_twice()
        return [
            party.connected(self._caller(party) if self.task.asks(party.phase) else None)
            for party in sorted(self.task.parties, key=lambda party: party.phase != JUDGE)
        ]

    async def close(self) -> None:
        """Close all connections."""
        for caller in self.session.progress.callers:
            try:
                await caller.close()
            except PluginError as error:
                self._notices.closing(error)

    def _connected(
        self, provider: Provider, configs: Sequence[ClientConfig]
    ) -> tuple[Client, AskedParty]:
        """The client of one server, or of all of them, and what messages call who is asked."""
        clients = [make_client(provider, config) for config in configs]
        asked = configs[0].asked(provider.host)
        if len(clients) == 1:
            return clients[0], asked
        asked = asked._replace(name=f"{configs[0].party.title}{configs[0].model}", host=None)
        servers = [
            PooledServer(client, config.base_url or "")
            for client, config in zip(clients, configs, strict=True)
        ]
        return ServerPool(servers, asked), asked

    def _typed(self, party: TaskParty) -> frozenset[str]:
        """The sampling parameters of a party that a person has set."""
        drawn = self.task.config.sampling.sent() if party.phase == MODEL else {}
        return frozenset({*drawn, *party.endpoint.settings.values})

    def _line(self, endpoint: Endpoint, limits: Limits) -> Line | None:
        """That of parties at one server of the user's own, who see each other there.

        They share its places, too, unless the user said how many each may have.
        """
        if not (endpoint.address and is_local(endpoint.base_url)):
            return None
        clock, address = time.monotonic, endpoint.address
        crowd = self._crowds.setdefault(address, Crowd(clock))
        if not limits.ramps:
            return Line(AdaptiveLimit(limits.concurrency, clock), crowd)
        slots = AdaptiveLimit(limits.concurrency, clock, Ramp())
        return self._lines.setdefault(address, Line(slots, crowd))

    def _caller(self, party: TaskParty) -> Caller:
        endpoint, session, limits = party.endpoint, self.session, self.task.limits(party)
        limits = replace(limits, ramps=limits.ramps and is_local(endpoint.base_url))
        provider = installed().provider(endpoint.spec.provider)
        meter = session.pricing.meter(endpoint, party.phase)
        batching = self.task.config.batching
        is_batched = batching is not None and party.phase in batching.phases
        configs = [
            replace(
                client_config(one, session.environment, party.options),
                concurrency=limits.concurrency,
                max_reply=self.task.config.max_reply,
                needs_token_limit=meter.limited,
                template=self.task.config.template if party.phase == MODEL else None,
                typed=self._typed(party),
                say=self._notices.refused,
            )
            for one in endpoint.each
        ]
        client, asked = self._connected(provider, configs)
        make: Callable[..., Caller] = Caller
        if is_batched:
            halved = meter.price and meter.price.halved
            batch_meter = replace(meter, price=halved)
            make = partial(self._batch_caller(client, asked.name), batch_meter=batch_meter)
        caller = make(
            client,
            limits,
            sleep=session.stop.sleep,
            before_sending=session.stop.check,
            meter=meter,
            notices=self._notices,
            asked=asked,
            absent=session.absent,
            line=self._line(endpoint, limits),
        )
        session.progress.callers.append(caller)
        return caller
