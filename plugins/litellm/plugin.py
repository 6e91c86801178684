"""Registers litellm, imported with the first model that is asked through it."""

from collections.abc import Callable

from eibench import OnDemand, Provider, hookimpl


@hookimpl
def register_providers(register: Callable[[Provider], None]) -> None:
    """Models of all providers that litellm knows."""
    register(
        Provider(
            name="litellm",
            title="every other provider, as litellm/PROVIDER/NAME (Bedrock, Vertex, Gemini, ...)",
            create=OnDemand("eibench.plugins.litellm.client:LiteLLMClient"),
            host="",
            list_price=OnDemand("eibench.plugins.litellm.prices:listed_price"),
        )
    )
