"""The providers that come with eibench, registered through the same hook as anyone's."""

from collections.abc import Callable

from ..endpoints.providers import Client, ClientConfig, Provider
from ..errors import UsageError
from ..hookspecs import hookimpl
from ..imported import PROVIDER


def _openai(config: ClientConfig) -> Client:
    from .openai import OpenAIClient

    return OpenAIClient(config)


def _anthropic(config: ClientConfig) -> Client:
    from .anthropic import AnthropicClient

    return AnthropicClient(config)


def _litellm(config: ClientConfig) -> Client:
    from .litellm import LiteLLMClient

    return LiteLLMClient(config)


def _demo(config: ClientConfig) -> Client:
    from .demo import DemoClient

    return DemoClient(config)


def _imported(config: ClientConfig) -> Client:
    raise UsageError(f"{config.model} was asked by another program and cannot be asked here")


@hookimpl
def register_providers(register: Callable[[Provider], None]) -> None:
    """The built-in ways to reach models."""
    register(
        Provider(
            name="openai",
            title="OpenAI and every OpenAI-compatible server (vLLM, llama.cpp, Ollama, ...)",
            create=_openai,
            host="api.openai.com",
            key_env="OPENAI_API_KEY",
        )
    )
    register(
        Provider(
            name="anthropic",
            title="Claude, and servers that speak Anthropic's messages API",
            create=_anthropic,
            host="api.anthropic.com",
            key_env="ANTHROPIC_API_KEY",
        )
    )
    register(
        Provider(
            name="litellm",
            title="every other provider, as litellm/PROVIDER/NAME (Bedrock, Vertex, Gemini, ...)",
            create=_litellm,
            host="",
        )
    )
    register(
        Provider(
            name="demo",
            title="models of known ability in this process, free: for trying things out",
            create=_demo,
            demo=True,
        )
    )
    register(
        Provider(
            name=PROVIDER,
            title="models that another program asked, of runs that were imported: not to be asked",
            create=_imported,
            host="",
        )
    )
