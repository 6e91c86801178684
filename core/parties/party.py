"""A model, a judge or a player of a role as a value: its spec and its endpoint.

Parties are compared, stored and looked up by value. `Party.label` is for people to read, and
nothing reads it back: a name may hold a space, a comma, `` at `` or a bracket.

Here is also what endpoint an address is (`endpoint_at`), and whether another program asked a
party (`is_imported`).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import total_ordering
from ipaddress import ip_address, ip_network
from typing import cast
from urllib.parse import urlsplit

from ..types import JsonDict, JsonObject, canonical
from .party_settings import identity_words
from .providers import ModelSpec

LOCAL = "local"
_PRIVATE = tuple(
    map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"))
)  # RFC 1918 and RFC 4193


def is_local(url: str | None) -> bool:
    """Whether a URL points at this machine or into a private network.

    That is loopback, RFC 1918, link-local, fc00::/7, names in ``.local`` and names without a dot.
    """
    host = (urlsplit(url or "").hostname or "").rstrip(".")
    try:
        address = ip_address(host)
    except ValueError:
        return bool(host) and ("." not in host or host.endswith((".local", ".localhost")))
    address = getattr(address, "ipv4_mapped", None) or address
    near = address.is_loopback or address.is_link_local or address.is_unspecified
    return near or any(address in network for network in _PRIVATE)


def endpoint_at(url: str) -> str:
    """The endpoint of an address that has no name in bench.toml.

    ``local`` for this machine and private networks, where a server may come back on another port
    or node; else the host, with the port where that is not the usual one.
    """
    if is_local(url):
        return LOCAL
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    if ":" in host:
        host = f"[{ip_address(host).compressed}]"
    return host if parts.port in (None, 80, 443) else f"{host}:{parts.port}"


PROVIDER = "imported"
MARK = " (imported)"
"""What the name of every such model ends in."""
NOT_RECORDED = "what was sent beside the conversation is not recorded"


def is_imported(spec: object) -> bool:
    """Whether a model or a judge, by its spec or label, is one that another program asked."""
    return str(spec).startswith(f"{PROVIDER}/")


def origin_of(model: str, settings: JsonObject) -> Mapping[str, str] | None:
    """Where a run was imported from, as its settings say; ``None`` where it is our own."""
    origin = settings.get("imported")
    known = {k: str(v) for k, v in origin.items()} if isinstance(origin, dict) else {}
    return known if is_imported(model) else None


def plain_name(name: str) -> str:
    """A model's name without the mark."""
    return name.removesuffix(MARK)


@total_ordering
@dataclass(frozen=True, slots=True)
class Party:
    """Who is asked; sorted by label.

    Its `endpoint` is a name in bench.toml, else that of its address (`endpoint_at`); ``None`` for
    the provider's own host. A judge that is asked otherwise than its benchmark says is another
    judge: `settings` is the `identity` of its `PartySettings`.
    """

    spec: ModelSpec
    endpoint: str | None = None
    settings: str = ""

    @classmethod
    def of(cls, spec: str, endpoint: str | None = None) -> "Party":
        """That of a spec as people write it.

        Raises:
            UsageError: It is none.
        """
        return cls(ModelSpec.parse(spec), endpoint)

    @property
    def label(self) -> str:
        """The spec, with its endpoint where that is not the provider's own, and its settings."""
        at = f" at {self.endpoint}" if self.endpoint else ""
        return self._with_settings(f"{self.spec}{at}")

    def _with_settings(self, name: str) -> str:
        return f"{name} ({identity_words(self.settings)})" if self.settings else name

    def __str__(self) -> str:
        return self.label

    def __lt__(self, other: "Party") -> bool:
        return (self.label, self.spec) < (other.label, other.spec)

    @property
    def short(self) -> str:
        """The spec, with its settings if it has some."""
        return self._with_settings(str(self.spec))

    brief = short

    @property
    def public(self) -> "Party":
        """The same without the endpoint, which may be nobody else's business."""
        return replace(self, endpoint=None)

    @property
    def judges(self) -> tuple["Party", ...]:
        """Itself: whose verdicts a judge's score is made of."""
        return (self,)

    @property
    def names(self) -> tuple[str, str]:
        """What a person may write who means it: its label, or the same without an endpoint."""
        return self.label, self.short

    def as_json(self) -> JsonDict:
        """The value as the journal keeps it."""
        spec = self.spec
        who: JsonDict = {"provider": spec.provider, "name": spec.name, "endpoint": self.endpoint}
        return who | ({"settings": json.loads(self.settings)} if self.settings else {})


def party_of(facts: JsonObject) -> Party:
    """The party that `Party.as_json` gave."""
    spec = ModelSpec(str(facts["provider"]), str(facts["name"]))
    settings = canonical(facts["settings"]) if "settings" in facts else ""
    return Party(spec, cast("str | None", facts["endpoint"]), settings)
