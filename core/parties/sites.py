"""Where a model is served, as far as it matters for which run is meant (docs/runs.md).

A site is the name that bench.toml gives an endpoint, else ``local`` for this machine and
private networks, else the host. So a server that comes back on another port or node is the same
site; a provider's own host is none.
"""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from .providers import host_of

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
        return _is_private(ip_address(host))
    except ValueError:
        return bool(host) and ("." not in host or host.endswith((".local", ".localhost")))


def _is_private(address: IPv4Address | IPv6Address) -> bool:
    mapped = getattr(address, "ipv4_mapped", None) or address
    near = mapped.is_loopback or mapped.is_link_local or mapped.is_unspecified
    return near or any(mapped in network for network in _PRIVATE)


def site_of(url: str | None, name: str | None = None) -> str | None:
    """The site of an endpoint; ``None`` for a provider's own host.

    Args:
        url: Its address, if it is not the provider's own.
        name: What bench.toml calls it, if it does.
    """
    if name is not None:
        return f"[endpoints.{name}]"
    if url is None:
        return None
    return LOCAL if is_local(url) else host_of(url).removesuffix(":443").removesuffix(":80")
