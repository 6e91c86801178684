"""Which run a configuration means, and as whom the journal knows whom it asks.

Looked up first by the exact identity, so that a run is found as long as nothing changed; then
by what the identity comes to when only the address is another one of the same site. Nothing that
is stored is rewritten: whoever is asked keeps the label that was asked first (docs/runs.md).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from ..benchmark import Pack
from ..journal import AskedParties, Journal, RunRecord
from ..parties.graders import Judge
from ..parties.party import site_of
from ..parties.party_settings import AS_JUDGE, NO_SYSTEM
from ..settings.run_config import Endpoint, RunConfig, identity, stored_roles, with_judges
from ..types import Json, JsonDict, JsonObject, digest

MODEL, JUDGE = "model", "judge"
SERVERS = "servers"
"""The setting of a run with all addresses of its model, where there were several."""


def asked_as_first(config: RunConfig, run: RunRecord) -> RunConfig:
    """A configuration with the model and the players as a run asked them first."""
    first = stored_roles(run.settings)
    roles = {
        name: replace(player, first=first[name].party if name in first else None)
        for name, player in config.roles.items()
    }
    return replace(config, model=replace(config.model, first=run.party), roles=roles)


def asked_by_known(journal: Journal, config: RunConfig, run: RunRecord | None) -> RunConfig:
    """A configuration with the judges as they were asked first: by this run, else by any."""
    asked = [*(journal.asked(run, JUDGE) if run else ()), *journal.asked(role=JUDGE)]
    judges = [_as_asked_first(judge, asked) for judge in config.judges]
    return with_judges(config, judges)


def find_run(journal: Journal, config: RunConfig, pack: Pack) -> RunRecord | None:
    """The run that a configuration means; ``None`` where there is none, or a fresh one is meant."""
    if config.fresh:
        return None
    name, spec = config.benchmark.name, str(config.model.spec)
    runs = journal.runs_of(name, spec, config.display_name, pack.source.sha256)
    names = {a.run_id: a.endpoint for a in journal.asked(role=MODEL)} if runs else {}
    meant = identity(config, pack)
    name_here = config.model.name
    digests = {digest({**meant, "endpoint": url}) for url in config.model.base_urls or (None,)}
    exact = [r for r in runs if r.identity in digests and _agree(name_here, names.get(r.run_id))]
    if exact:
        return max(exact, key=lambda run: run.ordinal)
    alike = (
        run
        for run in runs
        if config.model.sites & _sites(run, names.get(run.run_id))
        and _is_alike(run.settings, meant)
    )
    return next(alike, None)


def _sites(run: RunRecord, name: str | None) -> set[str | None]:
    """Where the servers of a run are, those that joined it later included."""
    joined = (site_of(url) for url in run.settings.get(SERVERS, ()))
    return {site_of(run.settings.get("endpoint"), name), *joined}


def _agree(one: str | None, other: str | None) -> bool:
    """Whether two names may be of one endpoint: two that bench.toml tells apart are not."""
    return one is None or other is None or one == other


_ASKED = ("benchmark", "version", "pack", "prompts", "options")


_ALIKE = (
    *("model", "sampling", "system", "name", "template", "checkpoint"),
    *(AS_JUDGE, NO_SYSTEM),
)


def _is_alike(stored: JsonObject, meant: JsonObject) -> bool:
    """Whether the identity of a run, from its settings, differs from one in the address alone."""
    same = all(stored.get(name) == meant.get(name) for name in _ALIKE)
    return same and "imported" not in stored and is_asked_alike(stored, meant)


def is_asked_alike(one: JsonObject, other: JsonObject) -> bool:
    """Whether two ask the same: benchmark, version, pack, prompts, options, players of roles."""
    return not asked_unlike(one, other)


def asked_unlike(one: JsonObject, other: JsonObject) -> list[str]:
    """What of these two do not ask alike, in words."""
    names = [name for name in _ASKED[:-1] if one.get(name) != other.get(name)]
    first, second = _object(one, "options"), _object(other, "options")
    options = [n for n in {**first, **second} if first.get(n) != second.get(n)]
    names += [f"--{name.replace('_', '-')}" for name in options]
    return names + ["roles"] * (players_of(one) != players_of(other))


def players_of(identity: JsonObject) -> JsonDict:
    """Who plays the roles, where that matters: local servers are one site."""
    players = _object(identity, "roles")
    return {name: _player(_object(players, name)) for name in players}


def _player(player: JsonObject) -> Json:
    site = site_of(cast("str | None", player["endpoint"]))
    return (player["model"], site, player["sampling"], player.get(NO_SYSTEM))


def _object(owner: JsonObject, name: str) -> JsonObject:
    value = owner.get(name)
    return value if isinstance(value, Mapping) else {}


# Judges


def _as_asked_first(judge: Endpoint, asked: Iterable[AskedParties]) -> Endpoint:
    """A judge as the first of those asked who is that judge."""
    now = replace(judge, first=None).party
    matches = (
        a.party
        for a in asked
        if a.party.spec == judge.spec
        and a.party.settings == now.settings
        and (
            judge.site == a.party.site(a.endpoint)
            or (a.party == now and _agree(judge.name, a.endpoint))
        )
    )
    return replace(judge, first=party) if (party := next(matches, None)) else judge


class JudgeNames:
    """Which parties of a journal are one judge that has moved.

    Args:
        asked: All judges that were asked, the first asked first.
    """

    def __init__(self, asked: Sequence[AskedParties]) -> None:
        names = {a.party: a.endpoint for a in reversed(asked) if a.endpoint}
        self._parties: dict[object, list[Judge]] = {}
        self._kinds: dict[Judge, object] = {}
        for party in dict.fromkeys(a.party for a in asked):
            kind = party.spec, party.settings, party.site(names.get(party))
            self._kinds[party] = kind
            self._parties.setdefault(kind, []).append(party)

    def all_of(self, judge: Judge) -> list[Judge]:
        """All parties that are a judge, the one asked first first; a panel alone."""
        return self._parties.get(self._kinds.get(judge), [judge])

    def first(self, judge: Judge | None) -> Judge | None:
        """A judge as it was asked first; ``None`` for no judge."""
        return judge and self.all_of(judge)[0]

    def named(self, word: str) -> set[Judge]:
        """The parties that are a judge which goes by a word."""
        return {one for judge in self._kinds if judge.goes_by(word) for one in self.all_of(judge)}
