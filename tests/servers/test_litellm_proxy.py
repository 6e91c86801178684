"""Runs through a server that others wrote: the LiteLLM proxy, on loopback.

Opt-in, as the proxy is 700 MB: `EIBENCH_LITELLM_PROXY` names its command, such as the
`bin/litellm` of an environment in which `pip install 'litellm[proxy]'` was run.
"""

import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from eibench.testing import LoopbackServer, uniform_ratings
from tests.conftest import Result

pytestmark = [pytest.mark.servers, pytest.mark.slow]
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
    command = os.environ.get("EIBENCH_LITELLM_PROXY")
    if not command:
        pytest.skip("EIBENCH_LITELLM_PROXY does not name the command of a LiteLLM proxy")
    folder = tmp_path_factory.mktemp("proxy")
    (folder / "proxy.yaml").write_text(json.dumps(_settings(upstream)))
    port = _free_port()
    # Without the first variable it asks the network for prices, thrice, before it starts.
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [command, "--config", "proxy.yaml", "--host", "127.0.0.1", "--port", str(port)],
            cwd=folder, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    try:
        _wait_for(f"http://127.0.0.1:{port}/health/liveliness", process, folder / "log")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)


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


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _wait_for(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(240):
        assert process.poll() is None, log.read_text()[-2000:]
        try:
            with urlopen(url):
                return
        except (URLError, OSError):
            time.sleep(0.5)
    raise AssertionError(f"the proxy did not start: {log.read_text()[-2000:]}")


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
