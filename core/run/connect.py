"""Who is asked in a run, and how: with which key, and what sends requests to each."""

from dataclasses import dataclass, replace

from ..benchmark.roles import JUDGE, MODEL
from ..clients.caller import Caller
from ..clients.keys import Environment, choose_key, redact
from ..clients.limits import Line, Notices
from ..errors import ConfigError, PluginError
from ..guard import make_client
from ..parties.party import Party
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
from ..settings.run_config import Endpoint
from ..types import digest
from .session import Session
from .task import Task, TaskParty


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


def untried(task: Task, session: Session) -> dict[Party, str]:
    """The judges that are first asked if they answer, each with its proof.

    No demo model is worth that.
    """
    config = task.config
    if not task.asks(MODEL) or _is_demo(config.model):
        return {}
    judges = [judge for judge in config.judges if judge.party not in session.answered]
    return {
        judge.party: proof_of(judge, session.environment) for judge in judges if not _is_demo(judge)
    }


def _is_demo(endpoint: Endpoint) -> bool:
    return installed().provider(endpoint.spec.provider).demo


def unconnected(task: Task) -> list[ConnectedParty]:
    """Everyone that may be asked, of whom only what the journal holds can be had."""
    return [_party(task, one, None) for one in task.parties]


def _party(task: Task, one: TaskParty, caller: Caller | None) -> ConnectedParty:
    system, endpoint = task.config.system if one.phase == MODEL else None, one.endpoint
    return ConnectedParty(one.phase, endpoint.party, one.sampling, caller, system, endpoint.address)


@dataclass
class PartyConnector:
    """Connects those whom a task asks, each with limits of its own."""

    task: Task
    session: Session

    def __post_init__(self) -> None:
        self._notices = Notices(self.session.say)
        self._lines: dict[str, Line] = {}
        """By address: parties at a server of the user's own wait in one line."""

    def connect(self) -> list[ConnectedParty]:
        """Judges, the model, and who plays roles; those who are not asked have no caller."""
        first = sorted(self.task.parties, key=lambda one: one.phase != JUDGE)
        asks = self.task.asks
        return [_party(self.task, o, self._caller(o) if asks(o.phase) else None) for o in first]

    async def close(self) -> None:
        """Close all connections."""
        for caller in self.session.progress.callers:
            try:
                await caller.close()
            except PluginError as error:
                self._notices.closing(error)

    def _caller(self, one: TaskParty) -> Caller:
        endpoint, limits, session = one.endpoint, self.task.limits(one), self.session
        provider = installed().provider(endpoint.spec.provider)
        meter = session.money.meter(endpoint, one.phase)
        transfer = self.task.config.transfer
        config = client_config(
            endpoint, limits.concurrency, session.environment, transfer, one.party
        )
        ramps = limits.ramps and is_local(endpoint.base_url)
        caller = Caller(
            make_client(provider, replace(config, needs_token_limit=meter.limited)),
            replace(limits, ramps=ramps),
            sleep=session.stop.sleep,
            before_sending=session.stop.check,
            meter=meter,
            notices=self._notices,
            asked=config.asked(provider.host),
            absent=session.absent,
            line=self._lines.get(endpoint.address or "") if ramps else None,
        )
        if ramps and endpoint.address:
            self._lines[endpoint.address] = caller.line
        session.progress.callers.append(caller)
        return caller
