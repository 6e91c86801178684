"""Who is asked in a run, and how: prices, clients, and the model, judges and roles connected."""

from dataclasses import dataclass, field, replace

from ..benchmark.roles import role_in
from ..clients.caller import Caller, Limits
from ..clients.keys import Environment, choose_key, redact
from ..clients.limits import Line, Notices
from ..errors import ConfigError, PluginError, UsageError
from ..guard import make_client
from ..parties.providers import (
    OF_JUDGE,
    OF_MODEL,
    ClientConfig,
    PartyOptions,
    Transfer,
    check_base_url,
    of_judge,
    of_role,
)
from ..parties.sites import is_local
from ..plugins import Catalogue
from ..sample.context import ConnectedParty, offline_roles
from ..sample.progress import Progress
from ..sample.workers import Stop
from ..settings.run_config import Endpoint, RunConfig, judges_of
from ..spending.book import PriceBook
from ..spending.budget import Budget, Meter
from ..spending.prices import Price, upper_bound
from ..types import ChatRequest, Sampling, digest


def asked_parties(config: RunConfig) -> list[tuple[PartyOptions, Endpoint]]:
    """Whom a command asks: of a run that is only judged again, the judge alone."""
    players = [(of_role(name), player) for name, player in config.roles.items()]
    generating = [] if config.run_id else [(OF_MODEL, config.model), *players]
    return generating + [(of_judge(str(j.spec)), j) for j in judges_of(config)]


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
    catalogue: Catalogue,
    environment: Environment,
    transfer: Transfer | None = None,
    party: PartyOptions = OF_MODEL,
) -> ClientConfig:
    """How an endpoint's client connects, and with which key, which is hidden from then on.

    Raises:
        UsageError: The provider or the address is none.
        ConfigError: A key is needed and missing.
    """
    provider = catalogue.provider(endpoint.spec.provider)
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


def proof_of(judge: Endpoint, catalogue: Catalogue, environment: Environment) -> str:
    """Names a judge's address, key and headers, from which none of them can be told.

    A judge that has answered there need not be tried again; another key makes another proof.
    """
    try:
        made = client_config(judge, 1, catalogue, environment, party=of_judge(str(judge.spec)))
    except ConfigError:  # a plan needs no key
        return ""
    return digest([judge.address, made.key, dict(made.headers)])


@dataclass
class PartyConnector:
    """Connects a run with its model, its judge and its roles, each with limits of its own."""

    config: RunConfig
    catalogue: Catalogue
    environment: Environment
    progress: Progress
    stop: Stop
    money: Pricing
    notices: Notices
    absent: set[str] = field(default_factory=set)
    """Hosts that refused every connection from the start; runs of a command share it."""
    _lines: dict[str, Line] = field(default_factory=dict)
    """By address: parties at a server of the user's own wait in one line."""

    def model(self) -> ConnectedParty:
        """The model of the run; without a caller when the run is only judged again."""
        config = self.config
        sampling = config.effective_sampling
        if config.run_id:
            return ConnectedParty(
                "generate", config.model.stored_label, sampling, None, config.system
            )
        return self._party("generate", config.model, config.limits, sampling, config.system)

    def roles(self) -> dict[str, ConnectedParty]:
        """Who plays the roles of the run."""
        config = self.config
        if config.run_id:
            return offline_roles(config)
        return {
            role.name: self._party(
                role.phase,
                config.roles[role.name],
                config.role_limits.get(role.name, config.limits),
                config.sampling_of(role),
                None,
            )
            for role in config.benchmark.roles
        }

    def judges(self) -> list[ConnectedParty]:
        """The judges of the run."""
        config, sampling = self.config, self.config.benchmark.judge_sampling
        limits = config.judge_limits
        return [
            self._party("judge", judge, limits.get(judge.label, config.limits), sampling, None)
            for judge in judges_of(config)
        ]

    async def close(self) -> None:
        """Close all connections."""
        for caller in self.progress.callers:
            try:
                await caller.close()
            except PluginError as error:
                self.notices.closing(error)

    def _party(
        self,
        phase: str,
        endpoint: Endpoint,
        limits: Limits,
        sampling: Sampling,
        system: str | None,
    ) -> ConnectedParty:
        role = role_in(phase)
        party = of_role(role) if role else OF_MODEL if phase == "generate" else OF_JUDGE
        meter = self.money.meter(endpoint, phase)
        caller = self._caller(endpoint, limits, meter, party)
        address, label = endpoint.address, endpoint.stored_label
        return ConnectedParty(phase, label, sampling, caller, system, address)

    def _caller(
        self, endpoint: Endpoint, limits: Limits, meter: Meter, party: PartyOptions
    ) -> Caller:
        provider = self.catalogue.provider(endpoint.spec.provider)
        most = limits.concurrency
        made = client_config(
            endpoint, most, self.catalogue, self.environment, self.config.transfer, party
        )
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
