"""From settings to the endpoint that is asked, and what of it the user must have approved.

A setting of the user goes before what a file says of an endpoint, and that before the
file's ``[run]``. Where the file had a say in which key goes where, the user must have
approved that on this machine; what the user says in the command itself needs no approval.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..clients.approvals import WITHOUT_KEY, Sending, needs_approval, place_of
from ..clients.keys import check_extra_body, check_variable, process_environment
from ..clients.limits import Limits, RetryPolicy
from ..errors import UsageError
from ..parties.party import endpoint_at
from ..parties.party_settings import SCHEMA, SYSTEM, PartySettings
from ..parties.providers import OF_MODEL, ModelSpec, PartyOptions, Provider, check_base_url
from ..plugins import installed
from ..types import SAMPLING, SamplingChanges
from .run_config import Endpoint
from .run_settings import RunSettings, flag_of
from .set_options import JUDGE_SET, ROLE_SET, read_sets, texts_about, values_of
from .tables import EndpointSettings


class Target(NamedTuple):
    """A party's endpoint, what the file says of it, and what of that needs an approval.

    Attributes:
        sendings: What the user must have approved, as the file had a say in it; nothing is to be
            sent before whoever takes this has seen to that.
        party: Whose the endpoint is.
    """

    endpoint: Endpoint
    server: EndpointSettings | None = None
    sendings: tuple[Sending, ...] = ()
    party: PartyOptions = OF_MODEL

    def way_out(self, sending: Sending) -> str:
        """What to do about a pair that is not approved."""
        message = f"bench config --approve {sending.place} {sending.variable} allows it"
        if _is_unencrypted(sending.place):
            return message
        if sending.variable == WITHOUT_KEY:
            return f"{message}, or name the address yourself with {self.party.base_url}"
        return f"{message}, or name the key yourself with {self.party.api_key_env}"


def find_target(settings: RunSettings, spec: ModelSpec, party: PartyOptions = OF_MODEL) -> Target:
    """The endpoint that settings give a model, a judge or who plays a role.

    Raises:
        UsageError: The settings do not go with it, or name no endpoint.
    """
    if settings.base_urls_of(party) and spec.provider not in installed().providers.things:
        name = f"{spec} at an address of your own is openai/{spec}"
        raise UsageError(f"unknown provider {spec.provider!r} of {party.spec}; the model {name}")
    provider = installed().provider(spec.provider)
    base_urls, variable = settings.base_urls_of(party), settings.api_key_env_of(party)
    if provider.demo:
        headers = settings.headers if party is OF_MODEL else {}
        options = {
            party.base_url: base_urls,
            party.api_key_env: variable,
            flag_of("headers"): headers,
        }
        _refuse_first(spec, [option for option, value in options.items() if value])
        endpoint = Endpoint(
            spec,
            limits=limits_of(settings, None),
            settings=asked_with(settings, party, None),
            is_judge=bool(party.judge),
        )
        return Target(endpoint, party=party)
    role = settings.filed_roles.get(party.role)
    if not base_urls and role and role.base_url:
        base_urls = (role.base_url,)
    near = "" if base_urls else _server_of_model(settings, provider, party)
    shared = bool(near) and not _has_key(settings, provider, party)
    if shared:
        base_urls = (near,)
    if variable:
        check_variable(variable, process_environment(), party)
    servers = [settings.file.endpoint(u, party) if settings.file else None for u in base_urls]
    named = zip(base_urls, servers, strict=True)
    addresses = sorted(s.base_url if s else check_base_url(u, party) for u, s in named)
    if twice := next((url for url in addresses if addresses.count(url) > 1), None):
        raise UsageError(f"{party.base_url} {twice} is given twice")
    if len({server and server.api_key_env for server in servers}) > 1 and not variable:
        raise UsageError(
            f"the servers of {spec} have several keys in bench.toml; name one with "
            f"{party.api_key_env}"
        )
    server = servers[0] if servers else None
    variable = variable or (server.api_key_env if server else None)
    if settings.file:
        variable = variable or (role.api_key_env if role else None)
        variable = variable or settings.file.run.get(_name(party.api_key_env))
    endpoint = Endpoint(
        spec,
        addresses[0] if addresses else None,
        variable,
        settings.headers if party is OF_MODEL else {},
        _name_of(base_urls, servers),
        limits=limits_of(settings, server),
        more=tuple(addresses[1:]),
        settings=asked_with(settings, party, server),
        is_judge=bool(party.judge),
        shared=shared,
        near="" if shared else near,
    )
    sendings = (_sending(settings, one, provider, party) for one in endpoint.each)
    return Target(endpoint, server, tuple(dict.fromkeys(filter(None, sendings))), party)


def asked_with(
    settings: RunSettings, party: PartyOptions, server: EndpointSettings | None
) -> PartySettings:
    """How a judge, or who plays a role, is asked otherwise than the benchmark says.

    Of a model it is only what its sampling does not say, see `model_changes`.

    Raises:
        UsageError: A setting is none, or is for a judge that there is not.
    """
    filed = dict(server.settings) if server else {}
    if party.role:
        texts = texts_about(settings.role_set, [party.role])
        by_option = values_of(read_sets(texts, ROLE_SET, [party.role]), party.role)
        player = settings.filed_roles.get(party.role)
        filed |= player.settings if player else {}
        return _checked({**filed, **by_option}, ROLE_SET)
    if not party.judge:
        return PartySettings.of({n: v for n, v in filed.items() if n in (SYSTEM, SCHEMA)})
    sets = read_sets(settings.judge_set, JUDGE_SET, [*settings.judges, party.judge])
    by_option = values_of(sets, party.judge)
    filed |= settings.file.judges.get(party.judge, {}) if settings.file else {}
    by_user = settings.by_user("judge_set")
    return _checked({**filed, **by_option} if by_user else {**by_option, **filed}, JUDGE_SET)


def model_changes(settings: RunSettings, server: EndpointSettings | None) -> SamplingChanges:
    """What is changed of a model's sampling: by the user, then by the file of its server."""
    by_option = {**settings.sampling.sent(), **{n: SAMPLING[n].unset for n in settings.unset}}
    filed = {n: v for n, v in (server.settings if server else {}).items() if n in SAMPLING}
    user = {n: v for n, v in by_option.items() if n not in filed or settings.by_user(n)}
    changes = SamplingChanges.of({**by_option, **filed, **user})
    check_extra_body(changes.values)
    return changes


def _checked(values: Mapping[str, Any], where: str) -> PartySettings:
    asked = PartySettings.of(values)
    check_extra_body(asked.changes.values, f"{where} extra_body")
    return asked


def _server_of_model(settings: RunSettings, provider: Provider, party: PartyOptions) -> str:
    """The model's address, where a judge or a role of its provider may be meant to be there too."""
    alike = all(text.startswith(f"{provider.name}/") for text in settings.models)
    if party is OF_MODEL or not (settings.shares_server and settings.models and alike):
        return ""
    return settings.base_url[0] if settings.base_url else ""


def _has_key(settings: RunSettings, provider: Provider, party: PartyOptions) -> bool:
    """Whether a judge or a role can be asked at its provider's own host."""
    role, file = settings.filed_roles.get(party.role), settings.file
    named = (
        settings.api_key_env_of(party),
        role and role.api_key_env,
        file and file.run.get(_name(party.api_key_env)),
    )
    standard = provider.key_env and process_environment().get(provider.key_env)
    return any(named) or not provider.key_env or standard is not None


def _refuse_first(spec: ModelSpec, options: Sequence[str]) -> None:
    """Refuse the first option, if any: a model in this process has no address, key or headers."""
    if options:
        raise UsageError(
            f"{options[0]} does not go with {spec}, which is no server's; "
            "name a real model, such as openai/NAME"
        )


def _name_of(base_urls: Sequence[str], servers: Sequence[EndpointSettings | None]) -> str | None:
    """The endpoint of servers of which bench.toml names any; ``None`` where it names none."""
    if not any(servers):
        return None
    each = zip(base_urls, servers, strict=True)
    return ",".join(sorted({s.name if s else endpoint_at(url) for url, s in each}))


def _name(option: str) -> str:
    """The name of a setting, from that of its option: ``base_url`` of ``--base-url``."""
    return option.removeprefix("--").replace("-", "_")


def _sending(
    settings: RunSettings, endpoint: Endpoint, provider: Provider, party: PartyOptions
) -> Sending | None:
    """What needs approval: the file had a say in what goes where, and it is no safe place."""
    variable, base_url = endpoint.api_key_env or WITHOUT_KEY, endpoint.base_url
    if not needs_approval(provider, base_url, variable):
        return None
    address = place_of(provider, endpoint.spec, base_url)
    if endpoint.api_key_env and settings.api_key_env_of(party) is None:
        return Sending(address, variable)
    if _place_by_user(settings, endpoint, party):
        return None
    # Given for this very command is a yes, but not one to sending it unencrypted.
    allowed = settings.is_given(_name(party.api_key_env)) and not _is_unencrypted(address)
    return None if allowed else Sending(address, variable)


def _is_unencrypted(destination: str) -> bool:
    """Whether requests go there without TLS: only such a one has a scheme, see `place_of`."""
    return "://" in destination


def _place_by_user(settings: RunSettings, endpoint: Endpoint, party: PartyOptions) -> bool:
    """Whether the user, and not the file, said where the requests go."""
    party = OF_MODEL if endpoint.shared else party
    base_urls, role = settings.base_urls_of(party), settings.filed_roles.get(party.role)
    if role and role.base_url and not base_urls:
        return False
    if not settings.by_user(_name(party.base_url if base_urls else party.spec)):
        return False
    return all("://" in url for url in base_urls)  # without it, the name of an endpoint of the file


def limits_of(settings: RunSettings, server: EndpointSettings | None) -> Limits:
    """How fast requests may go: by the user, then by the file of that server, then by default."""

    def chosen(name: str) -> Any:
        limit = getattr(server, name, None)
        return getattr(settings, name) if limit is None or settings.by_user(name) else limit

    is_stated = "concurrency" in settings.sources or bool(server and server.concurrency)
    return Limits(
        chosen("concurrency"),
        not is_stated,
        chosen("rpm"),
        chosen("tpm"),
        chosen("timeout"),
        RetryPolicy(attempts=1 + settings.max_retries),
    )
