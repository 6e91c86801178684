"""Runs through llama-cpp-python's server, with the tiny model."""

from collections.abc import Callable, Iterator

import pytest

from tests.conftest import Result
from tests.servers.conftest import need
from tests.servers.started import make, python_of, serving

pytestmark = pytest.mark.servers
MODEL = "plain.gguf"


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of llama-cpp-python's server."""
    need("llama-cpp-python")
    folder, python = tmp_path_factory.mktemp("llama"), python_of("llama-cpp-python")
    make(python, folder, "gguf", "plain")
    words = ["-m", "llama_cpp.server", "--model", MODEL, "--host", "127.0.0.1", "--n_ctx", "4096"]
    with serving([python, *words, "--port", "{port}"], folder, "/v1/models") as address:
        yield f"{address}/v1"


def test_answers_without_sense_are_unscored(invoke: Callable[..., Result], llama: str) -> None:
    """They are counted, with the reason, and none is a zero."""
    ended = invoke(
        "run", "eqbench-v1", "--model", f"openai/{MODEL}", "--base-url", llama, "--limit", 3,
        "--max-tokens", 40, "--json",
    )  # fmt: skip
    document = ended.json
    assert (ended.code, document["status"]) == (1, "fail")
    assert document["items"]["unscored"] == 3
    assert document["metrics"]["score"]["value"] is None
    assert document["tokens"]["output"] >= 40


def test_a_judge_that_takes_no_schema_is_asked_without(
    invoke: Callable[..., Result], llama: str
) -> None:
    """The server answers 500 to a JSON schema; it is asked again without, not for ever."""
    ended = invoke(
        "run", "emotionqueen", "--model", f"openai/{MODEL}", "--base-url", llama, "--limit", 1,
        "--max-tokens", 40, "--judge", f"openai/{MODEL}", "--judge-base-url", llama, "--json",
    )  # fmt: skip
    document = ended.json
    assert document["items"]["unscored"] == 1
    assert document["calls"]["judge"] == 3
    assert document["calls"]["retries"] == 0
