"""The three clients fail alike, score alike and count alike: one table for all."""

import asyncio
import json
import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.clients.anthropic import AnthropicClient
from eibench.core.clients.caller import Caller
from eibench.core.clients.limits import Limits
from eibench.core.clients.openai import OpenAIClient
from eibench.core.errors import ErrorKind, ProviderError
from eibench.core.parties.providers import CallContext, Client, ClientConfig, ModelSpec
from eibench.core.types import ChatRequest, ChatResponse, Finish, Item, Message, Sampling, Usage
from eibench.plugins.kit.faults import render_fault
from eibench.plugins.kit.replies import render_answer
from eibench.plugins.litellm.client import LiteLLMClient
from eibench.testing import Answer, Fault, LoopbackServer, ReceivedRequest, Reply, uniform_ratings
from tests import processes
from tests.processes import Done

pytestmark = pytest.mark.usefixtures("no_certificates")
KEY = "sk-fake-0123456789abcdef"
CALL = CallContext(cast(Benchmark, None), Item("1"), 1, "generate")
ASKED = ChatRequest((Message("system", "Be kind."), Message("user", "Hi")), Sampling(0.5))
MODELS = {
    "openai": "openai/m",
    "anthropic": "anthropic/m",
    "litellm-openai": "litellm/openai/m",
    "litellm-vllm": "litellm/hosted_vllm/m",
    "litellm-anthropic": "litellm/anthropic/m",
}
CLIENTS: Mapping[str, Callable[[ClientConfig], Client]] = {
    "openai": OpenAIClient,
    "anthropic": AnthropicClient,
    "litellm": LiteLLMClient,
}
every_client = pytest.mark.parametrize("name", MODELS)


def address(server: LoopbackServer, name: str) -> str:
    """The base URL that a client takes."""
    return server.root_url if name.endswith("anthropic") else server.base_url


@asynccontextmanager
async def connected(name: str, base_url: str) -> AsyncIterator[Client]:
    """A client that is closed in the end."""
    spec = ModelSpec.parse(MODELS[name])
    client = CLIENTS[spec.provider](ClientConfig(spec, base_url, KEY, "SOME_KEY"))
    try:
        yield client
    finally:
        await client.close()


async def answered(name: str, reply: Reply) -> ChatResponse:
    """What a client makes of a reply."""
    async with (
        LoopbackServer(lambda request: reply) as server,
        connected(name, address(server, name)) as client,
    ):
        return await client.complete(ASKED, CALL)


class Failed(NamedTuple):
    """What a fault has to mean."""

    kind: ErrorKind
    retryable: bool = False
    fatal: bool = False
    retry_after: float | None = None
    status: int | None = None


_LIMIT, _AUTH, _AGAIN = ErrorKind.RATE_LIMIT, ErrorKind.AUTH, {"retryable": True}
MATRIX: Mapping[str | Fault, Failed] = {
    "429": Failed(_LIMIT, True, status=429),
    Fault("429-retry-after", 2.0): Failed(_LIMIT, True, retry_after=2.0, status=429),
    Fault("429-retry-after-ms", 0.25): Failed(_LIMIT, True, retry_after=0.25, status=429),
    "quota": Failed(ErrorKind.QUOTA, fatal=True),
    "500": Failed(ErrorKind.SERVER, True, status=500),
    "502": Failed(ErrorKind.SERVER, True, status=502),
    "529": Failed(ErrorKind.SERVER, True, status=529),
    "401": Failed(_AUTH, fatal=True, status=401),
    "403": Failed(_AUTH, fatal=True, status=403),
    "404": Failed(ErrorKind.NOT_FOUND, fatal=True, status=404),
    "400": Failed(ErrorKind.INVALID_REQUEST, status=400),
    "context": Failed(ErrorKind.CONTEXT_TOO_LONG, status=400),
    "400-content-filter": Failed(ErrorKind.REFUSED, status=400),
    "drop": Failed(ErrorKind.CONNECTION, True),
    "drop-mid": Failed(ErrorKind.CONNECTION, True),
    "html": Failed(ErrorKind.MALFORMED, True),
    "truncated": Failed(ErrorKind.MALFORMED, True),
    "empty-object": Failed(ErrorKind.MALFORMED, True),
    "error-200": Failed(ErrorKind.SERVER, True, status=502),
}


@every_client
@pytest.mark.parametrize("fault", MATRIX, ids=lambda f: f.kind if isinstance(f, Fault) else f)
async def test_the_failure_matrix(name: str, fault: str | Fault) -> None:
    """The same meaning through every client, no key and no foreign error in it.

    There is one request; but where a refusal names nothing, the same once more, one without the
    system message, one without temperature, and one without both.
    """
    async with (
        LoopbackServer(faults=lambda request: fault) as server,
        connected(name, address(server, name)) as client,
    ):
        with pytest.raises(ProviderError) as caught:
            await client.complete(ASKED, CALL)
    error, meant = caught.value, MATRIX[fault]
    assert (error.kind, error.retryable, error.fatal) == meant[:3]
    assert error.retry_after == meant.retry_after
    assert meant.status in (None, error.status)
    assert len(server.requests) == (5 if fault == "400" else 1)
    assert {request.api_key for request in server.requests} == {KEY}
    assert KEY not in str(error) and "\n" not in str(error) and "127.0.0.1" in str(error)
    assert error.__cause__ is None and error.__context__ is None


@every_client
async def test_nobody_there(name: str) -> None:
    """A refused connection is worth another attempt."""
    async with LoopbackServer() as server:
        url = address(server, name)
    async with connected(name, url) as client:
        with pytest.raises(ProviderError) as caught:
            await client.complete(ASKED, CALL)
    assert (caught.value.kind, caught.value.retryable) == (ErrorKind.CONNECTION, True)


@every_client
@pytest.mark.parametrize("fault", ["hang", "trickle"])
async def test_no_answer_in_time(name: str, fault: str) -> None:
    """The total time-out ends a call whose answer never comes, or never ends."""
    async with (
        LoopbackServer(faults=lambda request: fault) as server,
        connected(name, address(server, name)) as client,
    ):
        with pytest.raises(ProviderError) as caught:
            await Caller(client, Limits(timeout_s=0.3)).send(ASKED, CALL)
    assert caught.value.kind == ErrorKind.TIMEOUT and not caught.value.retryable
    assert len(server.requests) == 1


@every_client
@pytest.mark.parametrize(
    ("reply", "finish", "text"),
    [
        (Answer(""), Finish.EMPTY, ""),
        (Answer(None), Finish.EMPTY, ""),
        (Answer("\u200b\x00"), Finish.EMPTY, "\u200b\x00"),
        (Answer("An answer that", finish="length"), Finish.LENGTH, "An answer that"),
        (Answer(None, finish="refusal", refusal="No."), Finish.REFUSAL, "No."),
        (Answer("Ye", finish="something_new"), Finish.OTHER, "Ye"),
        (Answer("<think>Hm.</think>Yes."), Finish.STOP, "Yes."),
        (Answer("<think>Hm."), Finish.EMPTY, ""),
        (Answer("Yes.", reasoning="Hm."), Finish.STOP, "Yes."),
    ],
    ids=[
        "empty",
        "null",
        "invisible",
        "length",
        "refusal",
        "unknown",
        "think",
        "unclosed",
        "own-field",
    ],
)
async def test_replies(name: str, reply: Answer, finish: Finish, text: str) -> None:
    """What ended a reply, and what of it is the answer, is the same through every client."""
    response = await answered(name, reply)
    assert (response.finish, response.text) == (finish, text)
    thought = "Hm." in f"{reply.text} {reply.reasoning}"
    assert response.reasoning == ("Hm." if thought else "")


OWN_CONNECTIONS = [name for name in MODELS if name != "litellm-vllm"]
"""Those whose connections are made here; litellm makes its own for the others."""


@pytest.mark.parametrize("name", OWN_CONNECTIONS)
@pytest.mark.parametrize("charset", ["rot13", "base64", "undefined", "idna", "utf-16", "none-such"])
async def test_whatever_charset_a_server_names(name: str, charset: str) -> None:
    """A reply is read, and an error understood, although the charset named is none of texts."""
    kind, broken = f"application/json; charset={charset}", iter([False, True])

    def respond(request: ReceivedRequest) -> Reply:
        if next(broken):
            return render_fault(Fault("500"), request)._replace(content_type=kind)
        return render_answer(Answer("Ja, schön."), request)._replace(content_type=kind)

    async with (
        LoopbackServer(respond) as server,
        connected(name, address(server, name)) as client,
    ):
        assert (await client.complete(ASKED, CALL)).text == "Ja, schön."
        with pytest.raises(ProviderError, match="Internal error") as caught:
            await client.complete(ASKED, CALL)
    assert (caught.value.kind, caught.value.status) == (ErrorKind.SERVER, 500)


@pytest.mark.parametrize("charset", ["rot13", "undefined", "utf-16"])
async def test_a_charset_that_litellm_cannot_read(charset: str) -> None:
    """It is an error of the server's, worth another attempt, and no other exception."""

    def respond(request: ReceivedRequest) -> Reply:
        good = render_answer(Answer("Yes."), request)
        return good._replace(content_type=f"application/json; charset={charset}")

    async with (
        LoopbackServer(respond) as server,
        connected("litellm-vllm", server.base_url) as client,
    ):
        with pytest.raises(ProviderError) as caught:
            await client.complete(ASKED, CALL)
    assert (caught.value.kind, caught.value.retryable) == (ErrorKind.MALFORMED, True)


@every_client
@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("Wed, 21 Oct 99999999999999999999 07:28:00 GMT", None),
        ("nan", None),
        ("1e400", None),
        ("-3", 0.0),
    ],
)
async def test_an_odd_retry_after(name: str, value: str, seconds: float | None) -> None:
    """A time to wait that cannot be read is passed over, and the request tried again."""

    def respond(request: ReceivedRequest) -> Reply:
        limited = render_fault(Fault("429"), request)
        return limited._replace(headers=(*limited.headers, ("Retry-After", value)))

    async with (
        LoopbackServer(respond) as server,
        connected(name, address(server, name)) as client,
    ):
        with pytest.raises(ProviderError) as caught:
            await client.complete(ASKED, CALL)
    assert (caught.value.kind, caught.value.retryable) == (ErrorKind.RATE_LIMIT, True)
    assert caught.value.retry_after == seconds


@every_client
async def test_a_reply_that_is_too_large(name: str) -> None:
    """It fails and is not asked for again, whether that is seen while reading or afterwards."""
    async with LoopbackServer("x" * 2000) as server:
        for most, found in ((10_000, "ok"), (2000, "too_large")):
            spec = ModelSpec.parse(MODELS[name])
            config = ClientConfig(spec, address(server, name), KEY, max_reply=most)
            client = CLIENTS[spec.provider](config)
            try:
                assert (await client.complete(ASKED, CALL)).text and found == "ok"
            except ProviderError as error:
                assert (str(error.kind), error.retryable) == (found, False)
            finally:
                await client.close()


@every_client
async def test_a_byte_order_mark(name: str) -> None:
    """One before the reply is no part of it."""

    def respond(request: ReceivedRequest) -> Reply:
        good = render_answer(Answer("Yes."), request)
        return good._replace(body=b"\xef\xbb\xbf" + good.body)

    async with (
        LoopbackServer(respond) as server,
        connected(name, address(server, name)) as client,
    ):
        assert (await client.complete(ASKED, CALL)).text == "Yes."


@every_client
async def test_usage(name: str) -> None:
    """Input includes what was cached, output what was thought."""
    counts = Answer(input_tokens=100, cached_tokens=60, output_tokens=40, reasoning_tokens=25)
    response = await answered(name, replace(counts, text="Yes.", reasoning="Hm."))
    assert response.usage == Usage(input=100, cached=60, output=40, reasoning=25)


@every_client
async def test_a_model_that_refuses_temperature(name: str) -> None:
    """It is asked again without, once for all calls, and the record shows what went."""

    def plan(request: ReceivedRequest) -> str | None:
        return "400-temperature" if "temperature" in request.body else None

    async with (
        LoopbackServer(faults=plan) as server,
        connected(name, address(server, name)) as client,
    ):
        first = await client.complete(ASKED, CALL)
        second = await client.complete(ASKED, CALL)
    assert first.text == second.text == "OK"
    assert not {"temperature"} & {*first.sent, *second.sent}
    assert len(server.requests) == 3 and len(server.answered) == 2


@every_client
async def test_one_connection_each_is_kept(name: str) -> None:
    """Many calls at once are all answered, and none is sent twice."""
    async with (
        LoopbackServer(lambda request: request.prompt, latency=0.02) as server,
        connected(name, address(server, name)) as client,
    ):
        asked = [ChatRequest((Message("user", f"n{n}"),)) for n in range(40)]
        replies = await asyncio.gather(*(client.complete(one, CALL) for one in asked))
    assert [reply.text for reply in replies] == [f"n{n}" for n in range(40)]
    assert len(server.requests) == 40


# Whole runs. litellm takes seconds to import: as few processes as there are questions.

ITEMS = 6
PER_CALL = {"input": 1000, "cached": 600, "output": 300, "reasoning": 200}
_rate = uniform_ratings(5)


def rate(request: ReceivedRequest) -> Reply:
    """Uniform ratings from a model that thinks, and a server that counts and caches."""
    counts = {f"{name}_tokens": count for name, count in PER_CALL.items()}
    return Answer(cast(str, _rate(request)), reasoning="Calm: 10? No.", **counts)  # type: ignore[arg-type]


def rate_after_thinking(request: ReceivedRequest) -> Reply:
    """The same ratings after thinking, in one text, that would read as ratings itself."""
    wrong = cast(str, uniform_ratings(6)(request))
    return f"<think>{wrong}</think>\n{_rate(request)}"


def refuse_temperature(request: ReceivedRequest) -> str | None:
    """A model that takes no temperature."""
    return "400-temperature" if "temperature" in request.body else None


class Run(NamedTuple):
    """A run as a process, and what it left."""

    done: Done
    server: LoopbackServer
    folder: Path

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document on standard output."""
        assert self.done.stdout, self.done.stderr
        found: dict[str, Any] = json.loads(self.done.stdout)
        return found

    def calls(self, column: str) -> list[str]:
        """A column of the journal's calls."""
        with sqlite3.connect(self.folder / "runs" / "bench.sqlite") as journal:
            found = [str(row[0]) for row in journal.execute(f"SELECT {column} FROM calls")]
        journal.close()
        return found


SETTINGS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "openai": ("openai", {"respond": rate, "faults": refuse_temperature}),
    "anthropic": ("anthropic", {"respond": rate, "faults": refuse_temperature}),
    "litellm": ("litellm-openai", {"respond": rate, "faults": refuse_temperature}),
    "litellm-anthropic": ("litellm-anthropic", {"respond": rate_after_thinking}),
    "anthropic-think": ("anthropic", {"respond": rate_after_thinking}),
    "anthropic-401": ("anthropic", {"accept_keys": ["another"]}),
    "litellm-401": ("litellm-openai", {"accept_keys": ["another"]}),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator["dict[str, Future[Run]]"]:
    """A run of the bundled pack's first items through each client, two at a time."""
    base = tmp_path_factory.mktemp("three")
    hidden = ("OPENAI_", "ANTHROPIC_", "BENCH_")
    env = {k: v for k, v in os.environ.items() if not k.startswith(hidden)} | {"MY_KEY": KEY}

    def run(label: str) -> Run:
        name, server_settings = SETTINGS[label]
        folder = base / label
        folder.mkdir()
        command = ["run", "eqbench-v1"]
        command += ["--model", MODELS[name], "--dataset", "bundled", "--limit", str(ITEMS)]
        command += ["--api-key-env", "MY_KEY", "--json", "--debug", "--concurrency", "1"]
        with LoopbackServer(**server_settings) as server:
            command += ["--base-url", address(server, name)]
            done = processes.run(command, folder, env)
        return Run(done, server, folder)

    with ThreadPoolExecutor(2) as pool:
        yield {label: pool.submit(run, label) for label in SETTINGS}


def scores(run: Run) -> tuple[Any, ...]:
    """All that a run says of the model."""
    assert run.done.returncode in (0, 1), run.done.stderr
    found = run.document
    return found["metrics"], found["items"], found["status"]


@pytest.mark.parametrize("label", ["anthropic", "litellm", "litellm-anthropic", "anthropic-think"])
def test_the_same_scores(label: str, runs: "dict[str, Future[Run]]") -> None:
    """The same answers score the same, whatever they came through and however they thought."""
    first = runs["openai"].result()
    assert first.document["items"]["scored"] == ITEMS
    assert scores(runs[label].result()) == scores(first)


@pytest.mark.parametrize("label", ["openai", "anthropic", "litellm"])
def test_the_same_tokens(label: str, runs: "dict[str, Future[Run]]") -> None:
    """What the server counted is what the result says, cached and reasoning tokens included."""
    run = runs[label].result()
    assert len(run.server.answered) == ITEMS
    assert run.document["tokens"] == {name: n * ITEMS for name, n in PER_CALL.items()}
    assert set(run.calls("reasoning")) == {"Calm: 10? No."}


@pytest.mark.parametrize("label", ["openai", "anthropic", "litellm"])
def test_a_run_without_temperature(label: str, runs: "dict[str, Future[Run]]") -> None:
    """A model that refuses temperature costs one request more, and the journal says what went."""
    run = runs[label].result()
    assert len(run.server.requests) == ITEMS + 1
    assert all("temperature" not in json.loads(sent) for sent in run.calls("sent"))


@pytest.mark.parametrize("label", ["litellm-anthropic", "anthropic-think"])
def test_a_run_with_temperature(label: str, runs: "dict[str, Future[Run]]") -> None:
    """Where it is taken, it is sent and recorded."""
    sent = [json.loads(one) for one in runs[label].result().calls("sent")]
    assert len(sent) == ITEMS and all(one["temperature"] == 0.01 for one in sent)


@pytest.mark.parametrize("label", ["anthropic-401", "litellm-401"])
def test_a_key_that_a_server_repeats(label: str, runs: "dict[str, Future[Run]]") -> None:
    """A refused key ends the run with one request; it is printed and stored nowhere."""
    run = runs[label].result()
    assert run.done.returncode == 4 and len(run.server.requests) == 1
    assert "MY_KEY" in run.done.stderr
    left = {str(p): p.read_bytes() for p in run.folder.rglob("*") if p.is_file()}
    assert any("bench.sqlite" in name for name in left)
    for name, data in (left | {"out": (run.done.stdout + run.done.stderr).encode()}).items():
        assert KEY.encode() not in data, name


def test_standard_error_is_ours(runs: "dict[str, Future[Run]]") -> None:
    """No banner, warning or log line of litellm's is added to what a run says."""
    lines = runs["litellm"].result().done.stderr
    assert "litellm" not in lines.lower().replace("litellm/openai/m", "")
    assert "Warning" not in lines
