"""Runs through a server that others wrote: the LiteLLM proxy, with models that it plays itself."""

import json
from collections.abc import Callable, Iterator

import pytest

from eibench.testing import LoopbackServer, uniform_ratings
from tests.conftest import Result
from tests.servers.conftest import need
from tests.servers.started import KEY, Model, litellm_proxy

pytestmark = pytest.mark.servers
VERDICT = json.dumps({"reason": "It names the worry.", "PASS": 1, "WIN": 0})
MOCKS = {
    "kind": "That sounds hard. I am here with you.",
    "judge": VERDICT,
    "too-long": "litellm.ContextWindowExceededError",
}


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a proxy with four models; `echo` fills in the forms of EQ-Bench."""
    need("litellm")
    with LoopbackServer(uniform_ratings()) as behind:
        models = {"echo": Model(behind.base_url, "echo")}
        with litellm_proxy(tmp_path_factory.mktemp("proxy"), models, MOCKS) as base_url:
            yield base_url


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
