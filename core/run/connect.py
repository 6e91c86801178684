"""From an endpoint to what its client is made with."""

from ..clients.keys import Environment, choose_key, redact
from ..endpoints.providers import OF_MODEL, ClientConfig, PartyOptions, Transfer, check_base_url
from ..plugins import Catalogue
from ..settings.run_config import Endpoint


def client_config(
    endpoint: Endpoint,
    concurrency: int,
    catalogue: Catalogue,
    environment: Environment,
    transfer: Transfer | None = None,
    party: PartyOptions = OF_MODEL,
) -> ClientConfig:
    """How an endpoint's client connects, and with which key, which is hidden from then on.

    Raises:
        UsageError: The provider or the address is none.
        ConfigError: A key is needed and missing.
    """
    provider = catalogue.provider(endpoint.spec.provider)
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
