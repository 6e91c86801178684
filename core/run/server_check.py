"""Whether a local server is still the one that a run asked: by its own list of models.

Servers on this machine and in private networks count as one site, so that one which moved is
found again. What keeps two models apart there is what the servers say themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..clients.keys import Environment
from ..clients.model_list import read_entry, same_model
from ..endpoints.providers import OF_JUDGE, PartyOptions
from ..endpoints.sites import is_local
from ..errors import UsageError
from ..journal import AskedParties, Journal, RunRecord
from ..lookup.runs import JUDGE, MODEL, FoundRun
from ..plugins import Catalogue
from ..roles import phase_of
from ..settings.run_config import Endpoint, RunConfig
from ..types import JsonObject
from .connect import client_config
from .parties import asked_parties

_LISTING = "openai"
"""The provider whose servers have such a list."""


@dataclass(frozen=True, slots=True)
class Servers:
    """What the servers of a run say of their models.

    Attributes:
        entries: By party; ``None`` where a server says nothing.
    """

    entries: Mapping[PartyOptions, JsonObject | None]

    @classmethod
    async def ask(
        cls, config: RunConfig, catalogue: Catalogue, environment: Environment
    ) -> "Servers":
        """Ask those that are local, each once; none of them has to answer."""
        entries = {}
        for party, endpoint in asked_parties(config):
            if endpoint.spec.provider == _LISTING and is_local(endpoint.base_url):
                made = client_config(endpoint, 1, catalogue, environment, party=party)
                entries[party] = await read_entry(made)
        return cls(entries)

    def check(self, journal: Journal, found: FoundRun) -> None:
        """Refuse a server that has another model than the one that was asked before.

        Raises:
            UsageError: It says so itself.
        """
        for party, endpoint in asked_parties(found.config):
            now, name = self.entries.get(party), party_name(party)
            then = _known(journal, found.run, name, endpoint.stored_label)
            if now and then and not same_model(then, now):
                raise UsageError(_why_another(name, endpoint, found.run, then, now))

    def keep(self, journal: Journal, run: RunRecord, config: RunConfig) -> None:
        """Store whom a run asks, and what the servers say, where nothing is known yet."""
        for party, endpoint in asked_parties(config):
            about = (endpoint.stored_label, endpoint.name, self.entries.get(party))
            journal.add_asked(run, AskedParties(run.run_id, party_name(party), *about))


def keep_names(journal: Journal, run: RunRecord, config: RunConfig) -> None:
    """Store the names that endpoints have in bench.toml now, where a run asked them without."""
    for party, endpoint in asked_parties(config):
        if endpoint.name:
            about = (party_name(party), endpoint.stored_label, endpoint.name)
            asked = AskedParties(run.run_id, *about)
            journal.name_asked(run, asked)


def party_name(party: PartyOptions) -> str:
    """What the journal calls a party."""
    if party.role:
        return phase_of(party.role)
    return JUDGE if party.spec == OF_JUDGE.spec else MODEL


def _known(journal: Journal, run: RunRecord | None, party: str, label: str) -> JsonObject | None:
    """What was said when a label was asked first: by this run, a judge's by any run."""
    if run is None and party != JUDGE:
        return None
    asked = journal.asked(None if party == JUDGE else run, party)
    return next((a.entry for a in asked if a.label == label and a.entry), None)


def _why_another(
    party: str,
    endpoint: Endpoint,
    run: RunRecord | None,
    then: JsonObject,
    now: JsonObject,
) -> str:
    differs = next(n for n in then if n in now and not same_model({n: then[n]}, {n: now[n]}))
    message = f"{endpoint.address} has another model than the one that"
    what = f"{differs} {_shown(now[differs])}, not {_shown(then[differs])}"
    if party != JUDGE:
        assert run is not None
        return f"{message} run {run.run_id} asked ({what}); --name NAME starts a run of its own"
    way_out = "give it a name in bench.toml, [endpoints.NAME], and --judge-base-url NAME"
    return f"{message} judged as {endpoint.stored_label} ({what}); {way_out}"


def _shown(value: Any) -> str:
    return f"{value!r:.80}"
