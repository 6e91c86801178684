"""From options and bench.toml to the endpoint that is asked, and the question whether it may be.

An option goes before what the file says of an endpoint, and that before the
file's ``[run]``. Where the file had a say in which key goes where, the user
must have approved that on this machine; what the user says in the command
itself needs no approval.
"""

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from ..clients.approvals import Approvals, Sending, needs_approval, place_of
from ..clients.caller import Limits
from ..clients.keys import check_variable, process_environment
from ..clients.retry import RetryPolicy
from ..endpoints.parties import OF_JUDGE, OF_MODEL, PartyOptions
from ..endpoints.providers import ModelSpec, Provider
from ..errors import ConfigError, UsageError
from ..plugins import installed
from ..settings.run_config import Endpoint
from ..text import line
from .endpoints import EndpointSettings
from .settings import FILE, current, given_by_user


class Target(NamedTuple):
    """A model's or a judge's endpoint, and what the file says of it.

    Attributes:
        sending: What the user must have approved, as the file had a say in it.
        party: Whether it is the model's or the judge's.
    """

    endpoint: Endpoint
    settings: EndpointSettings | None = None
    sending: Sending | None = None
    party: PartyOptions = OF_MODEL

    @property
    def way_out(self) -> str:
        """What to do about a pair that is not approved."""
        if self.sending is None:
            return ""
        message = f"bench config --approve {self.sending.place} {self.sending.variable} allows it"
        if "://" in self.sending.place:
            return message
        return f"{message}, or name the key yourself with {self.party.api_key_env}"


def find_target(
    spec: ModelSpec, headers: Mapping[str, str] | None = None, *, judge: bool = False
) -> Target:
    """The endpoint that the options of the running command give a model.

    Args:
        spec: The model.
        headers: Extra HTTP headers for it.
        judge: It is the judge: the options are ``--judge-base-url`` and the like.

    Raises:
        UsageError: The options do not go with the model, or name no endpoint.
    """
    ctx = click.get_current_context()
    role, party = ("judge_", OF_JUDGE) if judge else ("", OF_MODEL)
    base_url, typed_key = ctx.params[f"{role}base_url"], ctx.params[f"{role}api_key_env"]
    provider = installed().provider(spec.provider)
    if provider.demo:
        given = {"base-url": base_url, "api-key-env": typed_key, "header": headers}
        _refuse(spec, given, "--judge-" if judge else "--")
        return Target(Endpoint(spec), party=party)
    if typed_key:
        check_variable(typed_key, process_environment(), party)
    known = current(ctx).endpoint(base_url, party)
    of_file = (known and known.api_key_env) or current(ctx).run.get(f"{role}api_key_env")
    where = known.base_url if known else base_url
    endpoint = Endpoint(
        spec, where, typed_key or of_file, headers or {}, known.name if known else None
    )
    sending = _sending(ctx, role, endpoint, provider)
    return Target(endpoint, known, sending, party)


def _refuse(spec: ModelSpec, given: Mapping[str, Any], prefix: str) -> None:
    """A model in this process has no address, no key and no headers."""
    for name in (name for name, value in given.items() if value):
        raise UsageError(
            f"{prefix}{name} does not go with {spec}, which is no server's; "
            "name a real model, such as openai/NAME"
        )


def _sending(
    ctx: click.Context, role: str, endpoint: Endpoint, provider: Provider
) -> Sending | None:
    """What needs approval: the file had a say in which key goes where, and it is no safe place."""
    variable, base_url = endpoint.api_key_env, endpoint.base_url
    if variable is None or not needs_approval(provider, base_url, variable):
        return None
    place = place_of(provider, endpoint.spec, base_url)
    if ctx.params[f"{role}api_key_env"] is None:
        return Sending(place, variable)
    if _place_by_user(ctx, role, base_url):
        return None
    typed = ctx.get_parameter_source(f"{role}api_key_env") is ParameterSource.COMMANDLINE
    # Typed for this very command is a yes, but not one to sending it unencrypted.
    return None if typed and "://" not in place else Sending(place, variable)


def _place_by_user(ctx: click.Context, role: str, base_url: str | None) -> bool:
    """Whether the user, and not the file, said where the requests go."""
    name = f"{role}base_url" if base_url else ("judge" if role else "models")
    if not given_by_user(name, ctx):
        return False
    return base_url is None or "://" in ctx.params[name]  # else it is a name of the file's


def limits_of(params: Mapping[str, Any], settings: EndpointSettings | None) -> Limits:
    """How fast requests to an endpoint may go: options, then the endpoint's, then defaults."""

    def chosen(name: str) -> Any:
        own = getattr(settings, name, None)
        return params[name] if own is None or given_by_user(name) else own

    retry = RetryPolicy(attempts=1 + params["max_retries"])
    return Limits(chosen("concurrency"), chosen("rpm"), chosen("tpm"), chosen("timeout"), retry)


def allow(target: Target) -> Endpoint:
    """The target's endpoint, once the user has approved what the file does with a key.

    Asks on a terminal; nothing but an answer there counts as a yes, ``--yes`` does not.

    Raises:
        ConfigError: It is not approved, or the approvals cannot be read.
    """
    sending = target.sending
    if sending is None or sending in (approvals := Approvals()):
        return target.endpoint
    message = f"{current().path or FILE} sends the key in {sending.variable} to {sending.place}"
    if "://" in sending.place:
        message += ", not encrypted, so that anyone on the way can read it"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ConfigError(f"{message}; that is not approved on this machine: {target.way_out}")
    if not click.confirm(line(f"{message}. Allow that on this machine?"), default=False, err=True):
        raise ConfigError(f"not approved: {sending.place} gets no key; {target.way_out}")
    approvals.add(sending)
    return target.endpoint
