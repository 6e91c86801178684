"""Who is asked in a run: the model and the judge, checked and connected."""

from dataclasses import dataclass, field, replace

from ..clients.caller import Caller, Limits
from ..clients.demo import JUDGE
from ..clients.keys import Environment
from ..clients.limits import Notices
from ..endpoints.providers import OF_JUDGE, OF_MODEL, PartyOptions, of_judge, of_role
from ..errors import PluginError, UsageError
from ..guard import guard, make_client
from ..hints import bench
from ..imported import MARK, is_imported
from ..plugins import Catalogue
from ..roles import role_in
from ..sample.context import ConnectedParty, offline_roles
from ..sample.progress import Progress
from ..sample.workers import Stop
from ..settings.run_config import Endpoint, RunConfig, judges_of
from ..spending.book import PriceBook
from ..spending.budget import Budget, Meter
from ..spending.prices import Price, upper_bound
from ..types import ChatRequest, Sampling
from .connect import client_config
from .stored_texts import check_stored


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


def check_parties(
    config: RunConfig, catalogue: Catalogue, environment: Environment, money: Pricing
) -> None:
    """Refuse a model or a judge that cannot be, before anything is made or sent.

    Raises:
        UsageError: The settings contradict each other.
        ConfigError: A key is missing.
    """
    _refuse_imported(config)
    _check_roles(config, catalogue)
    if not config.run_id:
        money.check(config.model, "generate", config.effective_sampling)
        for role in config.benchmark.roles:
            money.check(config.roles[role.name], role.phase, role.sampling)
    for judge in judges_of(config):
        money.check(judge, "judge", config.benchmark.judge_sampling)
    for party, endpoint in asked_parties(config):
        most = config.limits.concurrency
        made = client_config(endpoint, most, catalogue, environment, party=party)
        provider = catalogue.provider(endpoint.spec.provider)
        if provider.demo and not party.role:
            make_client(provider, made)  # costs nothing, and refuses a name that does not exist
    check_stored(config)


def asked_parties(config: RunConfig) -> list[tuple[PartyOptions, Endpoint]]:
    """Whom a command asks: of a run that is only judged again, the judge alone."""
    players = [(of_role(name), player) for name, player in config.roles.items()]
    generating = [] if config.run_id else [(OF_MODEL, config.model), *players]
    return generating + [(of_judge(str(j.spec)), j) for j in judges_of(config)]


def _refuse_imported(config: RunConfig) -> None:
    """Refuse to ask those that another program has asked: nobody knows how to reach them.

    Raises:
        UsageError: One would be asked, or a run of ours would be called like theirs.
    """
    if (config.name or "").endswith(MARK) and not config.run_id:
        message = f"--name: names that end in{MARK} are those of imported runs"
        raise UsageError(f"{message}; choose another")
    if not config.run_id and is_imported(config.model.spec):
        raise UsageError(
            f"{config.model.spec} is the model of a run that was imported, and cannot be asked; "
            f"{bench('rejudge', 'RUN', '--judge', 'SPEC')} judges what it said"
        )
    for name, player in config.roles.items():
        if is_imported(player.spec):
            raise UsageError(f"--role {name}: {player.spec} is of an imported run; name another")
    for judge in judges_of(config):
        if is_imported(judge.spec):
            raise UsageError(
                f"{judge.spec} gave the verdicts of a run that was imported, and cannot be "
                f"asked; {bench('show', 'RUN', '--judge', judge.spec)} shows them"
            )


def _without_judge(config: RunConfig) -> str:
    """The switches that would do without a judge, beside those that are off already."""
    benchmark, options = config.benchmark, config.options
    on = [o.name for o in benchmark.options if o.default is True and options[o.name]]
    off = {**options, **dict.fromkeys(on, False)}
    needed = [name for name in on if guard(benchmark).needs_judge({**off, name: True})]
    if not needed or guard(benchmark).needs_judge({**options, **dict.fromkeys(needed, False)}):
        return ""
    return f", or only generate with {' '.join(f'--no-{name}' for name in needed)}"


def _check_roles(config: RunConfig, catalogue: Catalogue) -> None:
    name, model, judges = config.benchmark.name, config.model.spec, judges_of(config)
    demo_model = catalogue.provider(model.provider).demo
    if demo_model and model.name == JUDGE:
        raise UsageError(f"{model} is a judge; a demo model is demo/medium")
    if demo_model and not config.benchmark.has_demo:
        raise UsageError(f"{name} has no words for demo models; name a real one with --model")
    _check_players(config, catalogue, demo_model=demo_model)
    if not guard(config.benchmark).needs_judge(config.options):
        if judges:
            raise UsageError(f"{name} asks no judge; leave --judge out")
        return
    if not judges:
        without = _without_judge(config)
        raise UsageError(f"{name} needs a judge; name one, such as --judge openai/gpt-4.1{without}")
    _check_votes(config)
    for judge in judges:
        _check_demo_judge(config, catalogue, judge, demo_model=demo_model)


def _check_votes(config: RunConfig) -> None:
    """Refuse a vote on what is no question of yes or no."""
    values = [value for value in config.benchmark.values if value.judged]
    if config.panel is None or config.panel.rule != "majority":
        return
    if not values or any(value.kind != "share" for value in values):
        name = config.benchmark.name
        message = f"--panel majority is for verdicts of yes or no, and those of {name} are numbers"
        raise UsageError(f"{message}; take mean or median")


def _check_demo_judge(
    config: RunConfig, catalogue: Catalogue, judge: Endpoint, *, demo_model: bool
) -> None:
    """Refuse a demo judge that cannot judge this."""
    if not catalogue.provider(judge.spec.provider).demo:
        return
    if judge.spec.name != JUDGE:
        raise UsageError(f"{judge.spec} is no judge; the demo judge is demo/{JUDGE}")
    if not demo_model:
        model = config.model.spec
        raise UsageError(f"the demo judge cannot judge {model}; name a real one with --judge")
    if not config.benchmark.has_demo_judge:
        name = config.benchmark.name
        raise UsageError(f"{name} has no rules for the demo judge; name a real one with --judge")


def _check_players(config: RunConfig, catalogue: Catalogue, *, demo_model: bool) -> None:
    """Refuse demo players of roles that cannot be."""
    for name, player in config.roles.items():
        if not catalogue.provider(player.spec.provider).demo:
            continue
        real = f"name a real one with --role {name}=SPEC"
        if player.spec.name != name:
            message = f"{player.spec} does not play the role {name}; demo/{name} does"
            raise UsageError(message)
        if not demo_model:
            raise UsageError(f"the demo {name} does not play with {config.model.spec}; {real}")
        if not config.benchmark.has_demo_roles:
            raise UsageError(f"{config.benchmark.name} has no rules for the demo {name}; {real}")


class PartyConnector:
    """Connects a run with its model, its judge and its roles, each with limits of its own."""

    def __init__(
        self,
        config: RunConfig,
        catalogue: Catalogue,
        environment: Environment,
        progress: Progress,
        stop: Stop,
        money: "Pricing",
        notices: Notices,
    ) -> None:
        self._notices = notices
        self._config = config
        self._catalogue = catalogue
        self._environment = environment
        self._progress = progress
        self._stop = stop
        self._money = money

    def model(self) -> ConnectedParty:
        """The model of the run; without a caller when the run is only judged again."""
        config = self._config
        sampling = config.effective_sampling
        if config.run_id:
            return ConnectedParty(
                "generate", config.model.stored_label, sampling, None, config.system
            )
        return self._party("generate", config.model, config.limits, sampling, config.system)

    def roles(self) -> dict[str, ConnectedParty]:
        """Who plays the roles of the run."""
        config = self._config
        if config.run_id:
            return offline_roles(config)
        return {
            role.name: self._party(
                role.phase,
                config.roles[role.name],
                config.role_limits.get(role.name, config.limits),
                role.sampling,
                None,
            )
            for role in config.benchmark.roles
        }

    def judges(self) -> list[ConnectedParty]:
        """The judges of the run."""
        config, sampling = self._config, self._config.benchmark.judge_sampling
        limits = config.judge_limits
        return [
            self._party("judge", judge, limits.get(judge.label, config.limits), sampling, None)
            for judge in judges_of(config)
        ]

    async def close(self) -> None:
        """Close all connections."""
        for caller in self._progress.callers:
            try:
                await caller.close()
            except PluginError as error:
                self._notices.closing(error)

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
        meter = self._money.meter(endpoint, phase)
        caller = self._caller(endpoint, limits, meter, party)
        address, label = endpoint.address, endpoint.stored_label
        return ConnectedParty(phase, label, sampling, caller, system, address)

    def _caller(
        self, endpoint: Endpoint, limits: Limits, meter: Meter, party: PartyOptions
    ) -> Caller:
        provider = self._catalogue.provider(endpoint.spec.provider)
        most = limits.concurrency
        made = client_config(
            endpoint, most, self._catalogue, self._environment, self._config.transfer, party
        )
        caller = Caller(
            make_client(provider, replace(made, needs_token_limit=meter.limited)),
            limits,
            sleep=self._stop.sleep,
            before_sending=self._stop.check,
            meter=meter,
            notices=self._notices,
            asked=made.asked(provider.host),
        )
        self._progress.callers.append(caller)
        return caller
