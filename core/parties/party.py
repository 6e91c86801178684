"""A model, a judge or a player of a role as a value: what it is called and where it was asked.

Parties are compared, stored and looked up by value. `Party.label` is for people to read, and
nothing reads it back: a name may hold a space, a comma, `` at `` or a bracket.

Here is also what a party tells by its address, the site that it is at (`site_of`), and by its
name, whether another program asked it (`is_imported`).
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
from .providers import ModelSpec, host_of

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


def site_of(url: str | None, name: str | None = None) -> str | None:
    """The site of an endpoint; ``None`` for a provider's own host.

    That is the name that bench.toml gives it, else ``local`` for this machine and private networks,
    else the host: a server that comes back on another port or node is the same site.
    """
    if name is not None:
        return f"[endpoints.{name}]"
    if url is None:
        return None
    return LOCAL if is_local(url) else host_of(url).removesuffix(":443").removesuffix(":80")


PROVIDER = "imported"
MARK = " (imported)"
"""What the name of every such model ends in."""
NOT_RECORDED = "sampling and system prompt are not recorded"


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
    """Who is asked, and where it was asked first; sorted by label.

    A `host` of ``None`` is the provider's own. A judge that is asked otherwise than its benchmark
    says is another judge: `settings` is the `identity` of its `PartySettings`.
    """

    spec: ModelSpec
    host: str | None = None
    settings: str = ""

    @classmethod
    def of(cls, spec: str, host: str | None = None) -> "Party":
        """That of a spec as people write it.

        Raises:
            UsageError: It is none.
        """
        return cls(ModelSpec.parse(spec), host)

    @property
    def label(self) -> str:
        """The spec, with the host where that is not the provider's own, and its settings."""
        return self._with_settings(f"{self.spec} at {self.host}" if self.host else str(self.spec))

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
        """The same without the host, which may be nobody else's business."""
        return replace(self, host=None)

    @property
    def judges(self) -> tuple["Party", ...]:
        """Itself: whose verdicts a judge's score is made of."""
        return (self,)

    def goes_by(self, word: str) -> bool:
        """Whether a person who writes this means it: its label, or the same without a host."""
        return word in (self.label, self.short)

    def site(self, name: str | None = None) -> str | None:
        """Where it is, as `site_of` says it, under a name that bench.toml has for it."""
        return site_of(self.host and f"https://{self.host}", name)

    def as_json(self) -> JsonDict:
        """The value as the journal keeps it."""
        who: JsonDict = {
            "provider": self.spec.provider, "name": self.spec.name, "host": self.host
        }  # fmt: skip
        return who | ({"settings": json.loads(self.settings)} if self.settings else {})


def party_of(facts: JsonObject) -> Party:
    """The party that `Party.as_json` gave."""
    spec = ModelSpec(str(facts["provider"]), str(facts["name"]))
    settings = canonical(facts["settings"]) if "settings" in facts else ""
    return Party(spec, cast("str | None", facts["host"]), settings)
