"""What of an address matters for which run is meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.parties.party import LOCAL, Party, is_local, site_of
from eibench.core.parties.providers import ModelSpec
from eibench.core.settings.run_config import Endpoint

NEAR = [
    *("127.0.0.1", "127.9.9.9", "localhost", "a.localhost", "[::1]", "0.0.0.0"),
    *("10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.7.7", "169.254.1.1"),
    *("[fe80::1]", "[fc00::1]", "[fdab::1]", "[::ffff:10.0.0.1]"),
    *("gpu.local", "gpu.local.", "node17", "NODE17"),
]
FAR = ["api.openai.com", "172.32.0.1", "11.0.0.1", "8.8.8.8", "[2001:db8::1]", "gpu.example.org"]


@pytest.mark.parametrize("host", NEAR)
@pytest.mark.parametrize("rest", ["", ":8000", ":8001/v1", "/x/v1"])
def test_this_machine_and_private_networks_are_one_site(host: str, rest: str) -> None:
    """Whatever the port, the node and the path."""
    assert is_local(f"http://{host}{rest}")
    assert site_of(f"http://{host}{rest}") == LOCAL


@pytest.mark.parametrize("host", FAR)
def test_other_hosts_are_sites_of_their_own(host: str) -> None:
    """The host counts, in any spelling; the path does not, nor the default port."""
    assert not is_local(f"https://{host}/v1")
    assert site_of(f"https://{host}/v1") == host
    assert site_of(f"https://{host.upper()}:443") == host
    assert site_of(f"https://{host}:8443/v1") == f"{host}:8443"


def test_a_name_counts_for_any_address() -> None:
    """And is no host, not even one that looks like it."""
    named = site_of("http://10.0.0.1:8000/v1", "gpu")
    assert named == site_of("https://gpu.example.org/v1", "gpu") == "[endpoints.gpu]"
    assert site_of("https://gpu.example.org", "gpu.example.org") != site_of(
        "https://gpu.example.org"
    )


def test_a_provider_s_own_host_is_no_site() -> None:
    """It needs none: nothing is given that could change."""
    assert site_of(None) is None
    assert Party.of("openai/gpt-4.1").site() is None


@given(st.sampled_from([*NEAR, *FAR]), st.sampled_from(["", ":8000", ":443", ":80"]), st.booleans())
def test_a_party_is_at_the_site_of_its_endpoint(host: str, port: str, tls: bool) -> None:
    """What the journal keeps is enough to find a judge again."""
    url = f"http{'s' * tls}://{host}{port}/v1"
    endpoint = Endpoint(ModelSpec("openai", "a/b at c"), url)
    assert endpoint.party.site() == endpoint.site
