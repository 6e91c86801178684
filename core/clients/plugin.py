"""Providers that come with eibench, registered through the hooks of anyone's."""

from collections.abc import Callable

from ..errors import UsageError
from ..hooks.on_demand import OnDemand
from ..hooks.specs import hookimpl
from ..parties.party import PROVIDER
from ..parties.providers import Client, ClientConfig, Provider


def _imported(config: ClientConfig) -> Client:
    raise UsageError(f"{config.model} was asked by another program and cannot be asked here")


@hookimpl
def register_providers(register: Callable[[Provider], None]) -> None:
    """The built-in ways to reach models."""
    for provider in (
        Provider(
            name="openai",
            title="OpenAI and every OpenAI-compatible server (vLLM, llama.cpp, Ollama, ...)",
            create=OnDemand("eibench.core.clients.openai:OpenAIClient"),
            host="api.openai.com",
            key_env="OPENAI_API_KEY",
        ),
        Provider(
            name="anthropic",
            title="Claude, and servers that speak Anthropic's messages API",
            create=OnDemand("eibench.core.clients.anthropic:AnthropicClient"),
            host="api.anthropic.com",
            key_env="ANTHROPIC_API_KEY",
        ),
        Provider(
            name="demo",
            title="models of known ability in this process, free: for trying things out",
            create=OnDemand("eibench.core.clients.demo:DemoClient"),
            demo=True,
        ),
        Provider(
            name=PROVIDER,
            title="models that another program asked, of runs that were imported: not to be asked",
            create=_imported,
            host="",
        ),
    ):
        register(provider)
