"""What of an address matters for which run is meant."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.parties.party import LOCAL, endpoint_at, is_local
from eibench.core.parties.providers import ModelSpec
from eibench.core.settings.run_config import Endpoint

NEAR = [
    *("127.0.0.1", "127.9.9.9", "localhost", "a.localhost", "[::1]", "0.0.0.0"),
    *("10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.7.7", "169.254.1.1"),
    *("[fe80::1]", "[fe80::1%eth0]", "[fc00::1]", "[fdab::1]", "[::ffff:10.0.0.1]"),
    *("gpu.local", "gpu.local.", "node17", "NODE17"),
]
FAR = ["api.openai.com", "172.32.0.1", "11.0.0.1", "8.8.8.8", "[2001:db8::1]", "gpu.example.org"]


def endpoint_of(*urls: str, name: str | None = None) -> str | None:
    """The endpoint of a model at these addresses."""
    base_url, more = urls[0] if urls else None, urls[1:]
    model = Endpoint(ModelSpec("openai", "a/b at c"), base_url, name=name, more=more)
    return model.party.endpoint


@pytest.mark.parametrize("host", NEAR)
@pytest.mark.parametrize("rest", ["", ":8000", ":8001/v1", "/x/v1"])
def test_this_machine_and_private_networks_are_one_endpoint(host: str, rest: str) -> None:
    """Whatever the port, the node and the path."""
    assert is_local(f"http://{host}{rest}")
    assert endpoint_at(f"http://{host}{rest}") == LOCAL


@pytest.mark.parametrize("host", FAR)
def test_other_hosts_are_endpoints_of_their_own(host: str) -> None:
    """The host counts, in any spelling; scheme and path do not, nor the default port."""
    assert not is_local(f"https://{host}/v1")
    for url in (f"https://{host}/v1", f"http://{host}", f"https://{host.upper()}:443"):
        assert endpoint_at(url) == host
    assert endpoint_at(f"https://{host}:8443/v1") == f"{host}:8443"


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("https://gpu.example.org./v1", "gpu.example.org"),
        ("https://[2001:DB8:0:0::1]:8000/v1", "[2001:db8::1]:8000"),
        ("https://someone:secret@gpu.example.org/v1", "gpu.example.org"),
    ],
)
def test_spellings_of_a_host_are_one(url: str, endpoint: str) -> None:
    """A dot at its end, the zeros of an IPv6 address; and no user is part of it."""
    assert endpoint_at(url) == endpoint


def test_a_name_counts_for_any_address() -> None:
    """What bench.toml calls a server is its endpoint, wherever it is."""
    assert endpoint_of("http://10.0.0.1:8000/v1", name="gpu") == "gpu"
    assert endpoint_of("https://gpu.example.org/v1", name="gpu") == "gpu"


def test_a_provider_s_own_host_is_no_endpoint() -> None:
    """It needs none: nothing is given that could change."""
    assert endpoint_of() is None
    assert str(Endpoint(ModelSpec("openai", "gpt-4.1")).party) == "openai/gpt-4.1"


def test_several_servers_are_one_endpoint_in_any_order() -> None:
    """Those of this machine are `local`; public hosts are named together, each once."""
    near = ("http://127.0.0.1:8000/v1", "http://10.0.0.2:8001/v1", "http://gpu:8000/v1")
    far = ("https://b.example.org/v1", "https://a.example.org/v1", "https://a.example.org/x/v1")
    assert {endpoint_of(*urls) for urls in permutations(near)} == {LOCAL}
    assert {endpoint_of(*urls) for urls in permutations(far)} == {"a.example.org,b.example.org"}
    assert endpoint_of(near[0], far[0]) == "b.example.org,local"


@given(st.sampled_from([*NEAR, *FAR]), st.sampled_from(["", ":8000", ":443", ":80"]), st.booleans())
def test_a_party_is_found_again_by_what_the_journal_keeps(host: str, port: str, tls: bool) -> None:
    """The endpoint that is stored is that of the party it was stored of."""
    endpoint = Endpoint(ModelSpec("openai", "a/b at c"), f"http{'s' * tls}://{host}{port}/v1")
    assert Endpoint.of(endpoint.party).party == endpoint.party
