"""Runs through a server that others wrote: the LiteLLM proxy, on loopback.

Opt-in, as the proxy is 700 MB: `EIBENCH_LITELLM_PROXY` names its command, such as the
`bin/litellm` of an environment in which `pip install 'litellm[proxy]'` was run.
"""

import json
from collections.abc import Callable, Iterator

import pytest

from eibench.testing import LoopbackServer, uniform_ratings
from tests.conftest import Result
from tests.servers.conftest import program, serving

pytestmark = pytest.mark.servers
KEY = "sk-not-a-real-key"
VERDICT = json.dumps({"reason": "It names the worry.", "PASS": 1, "WIN": 0})
MOCKS = {
    "kind": "That sounds hard. I am here with you.",
    "judge": VERDICT,
    "too-long": "litellm.ContextWindowExceededError",
}


@pytest.fixture(scope="module")
def upstream() -> Iterator[LoopbackServer]:
    """What the proxy's model `echo` is: fills in the forms of EQ-Bench."""
    with LoopbackServer(uniform_ratings()) as server:
        yield server


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory, upstream: LoopbackServer) -> Iterator[str]:
    """The base URL of a LiteLLM proxy with four models."""
    command = program("EIBENCH_LITELLM_PROXY")
    folder = tmp_path_factory.mktemp("proxy")
    (folder / "proxy.yaml").write_text(json.dumps(_settings(upstream)))
    words = [command, "--config", "proxy.yaml", "--host", "127.0.0.1", "--port", "{port}"]
    # Without this variable it asks the network for prices, thrice, before it starts.
    env = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with serving(words, folder, "/health/liveliness", env) as address:
        yield f"{address}/v1"


def _settings(upstream: LoopbackServer) -> object:
    models = {"echo": {"api_base": upstream.base_url}} | {
        name: {"mock_response": text} for name, text in MOCKS.items()
    }
    return {
        "model_list": [
            {
                "model_name": name,
                "litellm_params": {"model": f"openai/{name}", "api_key": "not-a-key", **more},
            }
            for name, more in models.items()
        ],
        "general_settings": {"master_key": KEY},
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
    }


@pytest.fixture
def through(invoke: Callable[..., Result], proxy: str) -> Callable[..., Result]:
    """Runs `bench run` with a model of the proxy, and its key."""

    def run(benchmark: str, model: str, *more: object, key: str = KEY) -> Result:
        address = ("--model", f"openai/{model}", "--base-url", proxy)
        return invoke("run", benchmark, *address, *more, "--json", env={"OPENAI_API_KEY": key})

    return run


def test_eqbench_v1(through: Callable[..., Result]) -> None:
    """Every question is answered and read; the same command asks nothing again."""
    first, again = (through("eqbench-v1", "echo").json for _ in range(2))
    assert first["status"] == "complete"
    assert first["items"]["scored"] == first["items"]["total"] == first["calls"]["model"]
    assert first["tokens"]["output"] > 0
    assert again["calls"]["replayed"] == first["calls"]["model"]
    assert again["metrics"] == first["metrics"]


def test_a_judged_benchmark(through: Callable[..., Result], proxy: str) -> None:
    """The proxy's mock judge says PASS and not WIN of every reply."""
    judge = ("--judge", "openai/judge", "--judge-base-url", proxy)
    document = through("emotionqueen", "kind", *judge, "--limit", 40).json
    assert document["status"] == "complete"
    assert document["calls"] == {"model": 40, "judge": 40, "replayed": 0, "retries": 0}
    rates = [document["metrics"][name]["value"] for name in ("pass_rate", "win_rate")]
    assert rates == [1, 0]


def test_what_does_not_fit_fails_its_samples(through: Callable[..., Result]) -> None:
    """The proxy's own words for a context that is too long reach the reason."""
    document = through("eqbench-v1", "too-long", "--limit", 2).json
    assert document["items"]["failed"] == 2
    assert "context" in json.dumps(document["failed"]).lower()


@pytest.mark.parametrize(
    ("model", "key", "hint"),
    [
        ("absent", KEY, "check --model and --base-url"),
        ("echo", "sk-another-fake", "OPENAI_API_KEY"),
    ],
)
def test_what_ends_a_run_says_what_to_do(
    through: Callable[..., Result], model: str, key: str, hint: str
) -> None:
    """A model that the proxy has not, and a key that it refuses."""
    ended = through("eqbench-v1", model, key=key)
    assert ended.code == 4
    assert hint in ended.out + ended.err
