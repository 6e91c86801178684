"""Who is asked in a run, and how: prices, clients, and the model, judges and roles connected."""

from dataclasses import dataclass, field, replace

from ..benchmark.roles import JUDGE, MODEL
from ..clients.caller import Caller
from ..clients.keys import Environment, choose_key, redact
from ..clients.limits import Line, Notices
from ..errors import ConfigError, PluginError, UsageError
from ..guard import make_client
from ..parties.providers import (
    OF_MODEL,
    ClientConfig,
    PartyOptions,
    Transfer,
    check_base_url,
    of_judge,
)
from ..parties.sites import is_local
from ..plugins import installed
from ..sample.context import ConnectedParty
from ..sample.progress import Progress
from ..sample.workers import Stop
from ..settings.run_config import Endpoint
from ..spending.book import PriceBook
from ..spending.budget import Budget, Meter
from ..spending.prices import Price, upper_bound
from ..types import ChatRequest, Sampling, digest
from .task import Task, TaskParty


@dataclass(frozen=True, slots=True)
class Pricing:
    """What calls cost, and what a command may spend.

    Attributes:
        book: All prices that are known.
        given: The price of ``--price``: for the model, not for the judge.
        budget: The limit of ``--max-cost``, shared by all runs of a command.
    """

    book: PriceBook = field(default_factory=PriceBook)
    given: Price | None = None
    budget: Budget | None = None

    def price(self, endpoint: Endpoint, phase: str) -> Price | None:
        """What a model's or a judge's tokens cost; ``None`` when that is unknown."""
        given = self.given if phase == "generate" else None
        return self.book.find(endpoint.spec, endpoint.base_url, given)

    def meter(self, endpoint: Endpoint, phase: str) -> Meter:
        """What counts the cost of a party's calls."""
        party = f"the {phase.replace(':', ' ')} "
        who = f"{'' if phase == 'generate' else party}{endpoint.label}"
        return Meter(self.price(endpoint, phase), self.budget, who)

    def check(self, endpoint: Endpoint, phase: str, sampling: Sampling) -> None:
        """Refuse a limit that cannot be kept.

        Raises:
            UsageError: A price is unknown, or nothing bounds the cost of a call.
        """
        if self.budget is None:
            return
        price = self.price(endpoint, phase)
        if price is None:
            message = "--price IN,OUT or " if phase == "generate" else ""
            raise UsageError(
                f"--max-cost needs the price of {endpoint.label}, which is not known: give "
                f'{message}[prices."{endpoint.spec}"] in bench.toml'
            )
        upper_bound(ChatRequest((), sampling), price)


def client_config(
    endpoint: Endpoint,
    concurrency: int,
    environment: Environment,
    transfer: Transfer | None = None,
    party: PartyOptions = OF_MODEL,
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
        concurrency=concurrency,
        transfer=transfer or Transfer(),
        party=party,
    )


def proof_of(judge: Endpoint, environment: Environment) -> str:
    """Names a judge's address, key and headers, from which none of them can be told.

    A judge that has answered there need not be tried again; another key makes another proof.
    """
    try:
        made = client_config(judge, 1, environment, party=of_judge(str(judge.spec)))
    except ConfigError:  # a plan needs no key
        return ""
    return digest([judge.address, made.key, dict(made.headers)])


@dataclass
class PartyConnector:
    """Connects a run with its model, its judge and its roles, each with limits of its own."""

    task: Task
    environment: Environment
    progress: Progress
    stop: Stop
    money: Pricing
    notices: Notices
    absent: set[str] = field(default_factory=set)
    """Hosts that refused every connection from the start; runs of a command share it."""
    _lines: dict[str, Line] = field(default_factory=dict)
    """By address: parties at a server of the user's own wait in one line."""

    def connect(self) -> list[ConnectedParty]:
        """Judges, the model, and who plays roles; those who are not asked have no caller."""
        first = sorted(self.task.parties, key=lambda one: one.phase != JUDGE)
        return [self._party(one) for one in first]

    async def close(self) -> None:
        """Close all connections."""
        for caller in self.progress.callers:
            try:
                await caller.close()
            except PluginError as error:
                self.notices.closing(error)

    def _party(self, asked: TaskParty) -> ConnectedParty:
        caller = self._caller(asked) if self.task.asks(asked.phase) else None
        endpoint, system = asked.endpoint, self.task.config.system
        return ConnectedParty(
            asked.phase,
            endpoint.stored_label,
            asked.sampling,
            caller,
            system if asked.phase == MODEL else None,
            endpoint.address,
        )

    def _caller(self, asked: TaskParty) -> Caller:
        endpoint, limits = asked.endpoint, self.task.limits(asked)
        provider = installed().provider(endpoint.spec.provider)
        meter = self.money.meter(endpoint, asked.phase)
        most, transfer = limits.concurrency, self.task.config.transfer
        made = client_config(endpoint, most, self.environment, transfer, asked.party)
        ramps = limits.ramps and is_local(endpoint.base_url)
        caller = Caller(
            make_client(provider, replace(made, needs_token_limit=meter.limited)),
            replace(limits, ramps=ramps),
            sleep=self.stop.sleep,
            before_sending=self.stop.check,
            meter=meter,
            notices=self.notices,
            asked=made.asked(provider.host),
            absent=self.absent,
            line=self._lines.get(endpoint.address or "") if ramps else None,
        )
        if ramps and endpoint.address:
            self._lines[endpoint.address] = caller.line
        self.progress.callers.append(caller)
        return caller
