"""The litellm client: what litellm is kept from doing, and what it is seen to do."""

import json
import subprocess
import sys
import warnings
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any, cast

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.clients.keys import HIDDEN, redact
from eibench.core.errors import ConfigError, ErrorKind, ProviderError, UsageError
from eibench.core.parties.providers import CallContext, ClientConfig, ModelSpec
from eibench.core.spending.billing import may_be_billed
from eibench.core.types import ChatRequest, ChatResponse, Finish, Item, Message, Sampling, Usage
from eibench.plugins.litellm.client import LiteLLMClient
from eibench.testing import Answer, Fault, LoopbackServer, ReceivedRequest, Reply

KEY = "sk-fake-0123456789abcdef"
CALL = CallContext(cast(Benchmark, None), Item("1"), 1, "generate")
PROVIDERS = ("openai", "hosted_vllm", "anthropic")


def address(server: LoopbackServer, model: str) -> str:
    """The base URL that litellm takes for a model's provider."""
    return server.root_url if model.startswith("anthropic/") else server.base_url


@asynccontextmanager
async def connected(base_url: str | None, model: str, **config: Any) -> AsyncIterator[Any]:
    """A client that is closed in the end."""
    spec = ModelSpec("litellm", model)
    client = LiteLLMClient(ClientConfig(spec, base_url, **({"key": KEY} | config)))
    try:
        yield client
    finally:
        await client.close()


def asking(**sampling: Any) -> ChatRequest:
    """A request of one message."""
    return ChatRequest((Message("user", "Hi"),), Sampling(**sampling))


async def answered(
    reply: Reply, model: str = "openai/the-model", **sampling: Any
) -> tuple[ChatResponse, LoopbackServer]:
    """What the client makes of a reply, and the server that gave it."""
    async with (
        LoopbackServer(lambda request: reply) as server,
        connected(address(server, model), model) as client,
    ):
        response: ChatResponse = await client.complete(asking(**sampling), CALL)
    return response, server


IMPORT = """
import json, os, sys
seen = {"sockets": [], "connects": [], "env_files": []}
def note(event, args):
    if event in ("socket.connect", "socket.getaddrinfo"):
        seen["connects"].append(str(args[1] if event == "socket.connect" else args[:2]))
    elif event == "socket.__new__":
        seen["sockets"].append(event)
    elif event == "open" and str(args[0]).endswith(".env"):
        seen["env_files"].append(str(args[0]))
import requests  # litellm's; it asks the kernel for IPv6 with a socket that connects to nothing
before = dict(os.environ)
sys.addaudithook(note)
from eibench.plugins.litellm.client import load
litellm = load()
seen["file"] = litellm.__file__
seen["changed"] = [k for k in os.environ if before.get(k) != os.environ[k]]
seen["gone"] = [k for k in before if k not in os.environ]
seen["sockets_at_import"] = len(seen.pop("sockets"))
seen["connects_at_import"] = list(seen["connects"])
seen["callbacks"] = litellm.callbacks + litellm.success_callback + litellm.failure_callback
seen["sockets"] = []
import asyncio
from eibench.core.parties.providers import ClientConfig, ModelSpec
from eibench.plugins.litellm.client import LiteLLMClient
from eibench.core.types import ChatRequest, Message
async def ask():
    for model, url in (("anthropic/x", sys.argv[1]), ("openai/x", sys.argv[1] + "/v1")):
        client = LiteLLMClient(ClientConfig(ModelSpec("litellm", model), url, "sk-fake-0123456789"))
        await client.complete(ChatRequest((Message("user", "Hi"),)), None)
        await client.close()
asyncio.run(ask())
from litellm.anthropic_beta_headers_manager import filter_and_transform_beta_headers
filter_and_transform_beta_headers(["context-1m-2025-08-07"], "bedrock")  # reads the list of them
seen["changed_by_calls"] = [k for k in os.environ if before.get(k) != os.environ[k]]
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, Any], str, str]]:
    """What a process sees of litellm's import and first calls, where ``.env`` files lie about."""
    project = tmp_path_factory.mktemp("project")
    site = project / "venv" / "site-packages"
    site.mkdir(parents=True)
    found = find_spec("litellm")
    assert found is not None and found.origin is not None
    # litellm looks for .env in the folders above its own, hence a link to it below one.
    (site / "litellm").symlink_to(Path(found.origin).parent)
    for folder in (project, project / "venv", site):
        (folder / ".env").write_text("LEAKED_API_KEY=sk-fake-dotenv-0123\nHTTP_PROXY=http://x:1\n")
    program = f"import sys; sys.path.insert(0, {str(site)!r})\n{IMPORT}"
    with LoopbackServer() as server:
        done = subprocess.run(
            [sys.executable, "-c", program, server.root_url],
            cwd=project,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        yield json.loads(done.stdout), done.stderr, str(server.port)


def test_the_import_does_nothing_else(imported: tuple[dict[str, Any], str, str]) -> None:
    """No socket, no ``.env``, no variable, no callback, not a word on standard error."""
    seen, message, _ = imported
    assert "venv/site-packages/litellm" in seen["file"]
    assert seen["sockets_at_import"] == 0 and seen["connects_at_import"] == []
    assert seen["env_files"] == [] and seen["changed"] == [] and seen["gone"] == []
    assert seen["callbacks"] == [] and message == ""


def test_the_first_calls_reach_the_server_alone(
    imported: tuple[dict[str, Any], str, str],
) -> None:
    """Nothing is fetched later either; the one variable keeps tiktoken from the network."""
    seen, _, port = imported
    assert seen["connects"] and all("127.0.0.1" in c and port in c for c in seen["connects"])
    assert set(seen["changed_by_calls"]) <= {"TIKTOKEN_CACHE_DIR"}


@pytest.mark.parametrize("model", ["no-such-model", "nobody/x"])
def test_an_unknown_provider_is_a_usage_error(model: str) -> None:
    """Said before anything is sent, with an example."""
    with pytest.raises(UsageError, match="litellm/PROVIDER/NAME"):
        LiteLLMClient(ClientConfig(ModelSpec("litellm", model), None, KEY))


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_no_key_without_one_named_for_the_host(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an address of its own, no key, address or header comes from the environment."""
    for name in ("OPENAI_API_KEY", "HOSTED_VLLM_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "sk-fake-environment-0123")
    for name in ("OPENAI_ORG_ID", "OPENAI_ORGANIZATION", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "fake-secret-name")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-leak: fake-secret-name")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-leak: fake-secret-name")
    model = f"{provider}/the-model"
    async with (
        LoopbackServer() as server,
        connected(address(server, model), model, key=None) as client,
    ):
        await client.complete(asking(), CALL)
    sent = str(dict(server.requests[0].headers))
    assert server.requests[0].api_key == "no-key"
    assert "fake-secret" not in sent and "sk-fake" not in sent


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_headers_are_sent(provider: str) -> None:
    """A header reaches every provider."""
    model = f"{provider}/the-model"
    async with LoopbackServer() as server:
        given = {"X-Team": "seven"}
        async with connected(address(server, model), model, headers=given) as client:
            await client.complete(asking(), CALL)
    assert server.requests[0].headers["x-team"] == "seven"


async def test_keys_that_litellm_finds_itself_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an address or a key litellm reads its providers' variables; none is ever shown."""
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-fake-0123456789-gemini")
    async with connected(None, "gemini/gemini-2.5-pro", key=None):
        assert redact("it is AIza-fake-0123456789-gemini") == f"it is {HIDDEN}"


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_proxy_does_not_see_loopback(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is meant for this machine goes to it directly, or not at all."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigError, match=r"NO_PROXY=127\.0\.0\.1"):
        await answered("Hello", f"{provider}/proxied")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    response, _ = await answered("Hello", f"{provider}/proxied")
    assert response.text == "Hello"


@pytest.mark.parametrize(
    ("model", "sampling", "sent"),
    [
        ("anthropic/the-model", {"seed": 7}, {"max_tokens": 4096}),
        ("openai/gpt-5", {"temperature": 0.5, "max_tokens": 9}, {"max_tokens": 9}),
        ("openai/the-model", {"seed": 7, "min_p": 0.1}, {"seed": 7, "min_p": 0.1}),
        ("hosted_vllm/the-model", {"seed": 7, "min_p": 0.1}, {"seed": 7, "min_p": 0.1}),
        ("openai/the-model", {"stop": ("END",)}, {"stop": ["END"]}),
        ("hosted_vllm/the-model", {"top_k": 4}, {"top_k": 4}),
        ("anthropic/the-model", {"top_k": 4, "max_tokens": 9}, {"top_k": 4, "max_tokens": 9}),
        ("hosted_vllm/the-model", {"extra_body": {"top_k": 4}}, {"top_k": 4}),
        ("openai/the-model", {"temperature": 1.0, "extra_body": {"top_k": 4}}, None),
    ],
)
async def test_what_is_recorded_as_sent(
    model: str, sampling: Mapping[str, Any], sent: Mapping[str, Any] | None
) -> None:
    """What litellm refuses to send costs no request, and the record shows what went."""
    response, server = await answered("OK", model, **sampling)
    assert len(server.requests) == 1
    if sent is None:
        sent = {"temperature": 1.0, "top_k": 4}
    assert response.sent == sent
    body = server.requests[0].body
    if model != "openai/gpt-5":  # there max_tokens goes under its newer name
        assert {k: body[k] for k in sent} == sent
    else:
        assert body["max_completion_tokens"] == 9 and "temperature" not in body


async def test_extra_body_cannot_replace_the_conversation() -> None:
    """The fields that the program fills are refused before anything is sent."""
    with pytest.raises(UsageError, match="messages"):
        await answered("OK", extra_body={"messages": []})


async def test_a_limit_under_its_newer_name() -> None:
    """A model that refuses max_tokens gets max_completion_tokens."""

    def plan(request: ReceivedRequest) -> Fault | None:
        words = "Unsupported parameter: 'max_tokens' is not supported with this model."
        return Fault("400", message=words) if "max_tokens" in request.body else None

    async with (
        LoopbackServer(faults=plan) as server,
        connected(server.base_url, "hosted_vllm/the-model") as client,
    ):
        response = await client.complete(asking(max_tokens=9), CALL)
    assert response.sent == {"max_completion_tokens": 9} and len(server.requests) == 2


async def test_a_schema_goes_out() -> None:
    """A JSON schema is sent where the provider has it."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    _, server = await answered("{}", "hosted_vllm/the-model", json_schema=schema)
    assert server.requests[0].body["response_format"]["json_schema"]["schema"] == schema


@contextmanager
def serving(
    status: int, reply: Mapping[str, Any], **headers: str
) -> Iterator[tuple[str, list[Any]]]:
    """A server that always gives the same answer; its address, and the bodies it got."""
    bodies: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(status)
            data = json.dumps(reply).encode()
            every = {"content-type": "application/json", "content-length": str(len(data))}
            for name, value in (every | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            """Not a word."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", bodies
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


GEMINI = {
    "candidates": [
        {"content": {"parts": [{"text": "Hello"}], "role": "model"}, "finishReason": "LANGUAGE"}
    ],
    "usageMetadata": {
        "promptTokenCount": 40,
        "cachedContentTokenCount": 30,
        "candidatesTokenCount": 2,
        "thoughtsTokenCount": 5,
        "totalTokenCount": 47,
    },
    "modelVersion": "gemini-2.5-pro-001",
}


async def test_what_gemini_is_not_sent() -> None:
    """min_p, which litellm drops there in silence, is not recorded; usage and finish are."""
    with serving(200, GEMINI) as (url, bodies):
        async with connected(url, "gemini/gemini-2.5-pro") as client:
            response = await client.complete(asking(temperature=0.5, min_p=0.1), CALL)
    assert "min_p" not in str(bodies) and "minP" not in str(bodies)
    assert response.sent == {"temperature": 0.5}
    assert response.usage == Usage(input=40, cached=30, output=7, reasoning=5)
    assert (response.finish, response.finish_raw) == (Finish.CONTENT_FILTER, "LANGUAGE")
    assert (response.text, response.model) == ("Hello", "gemini-2.5-pro-001")


@pytest.mark.parametrize("model", ["openai/the-model", "anthropic/the-model"])
async def test_redirects_are_not_followed(model: str) -> None:
    """A key does not go where a server points to."""
    async with LoopbackServer() as elsewhere:
        target = f"{elsewhere.root_url}/v1/messages"
        with serving(307, {}, location=target) as (url, _):
            async with connected(url, model) as client:
                with pytest.raises(ProviderError):
                    await client.complete(asking(), CALL)
    assert elsewhere.requests == []


@pytest.mark.parametrize(
    ("provider", "finish", "text", "meant", "raw"),
    [
        ("openai", "stop", "Yes.", Finish.STOP, "stop"),
        ("openai", "strange", "Yes.", Finish.OTHER, "strange"),
        ("openai", "content_filter", "Ye", Finish.CONTENT_FILTER, "content_filter"),
        ("hosted_vllm", "length", "Ye", Finish.LENGTH, "length"),
        ("hosted_vllm", "strange", "Yes.", Finish.OTHER, "strange"),
        ("hosted_vllm", "eos_token", "Yes.", Finish.STOP, "eos_token"),
        ("hosted_vllm", "eos_token", " ", Finish.EMPTY, "eos_token"),
        ("anthropic", "stop_sequence", "Yes.", Finish.STOP, "stop_sequence"),
        ("anthropic", "max_tokens", "Ye", Finish.LENGTH, "max_tokens"),
        ("anthropic", "refusal", "", Finish.REFUSAL, "refusal"),
        ("anthropic", "pause_turn", "Ye", Finish.OTHER, "pause_turn"),
        (
            "anthropic",
            "model_context_window_exceeded",
            "Ye",
            Finish.LENGTH,
            "model_context_window_exceeded",
        ),
        ("anthropic", "strange", "Yes.", Finish.OTHER, "strange"),
    ],
)
async def test_finish(provider: str, finish: str, text: str, meant: Finish, raw: str) -> None:
    """A finish reason that litellm does not know is no "stop", and is kept as it came."""
    response, _ = await answered(Answer(text, finish=finish), f"{provider}/the-model")
    assert (response.finish, response.finish_raw) == (meant, raw)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_the_words_of_a_refusal_are_the_text(provider: str) -> None:
    """A refusal says so, and its explanation stands where the answer would."""
    reply = Answer(None, finish="refusal", refusal="I will not.")
    response, _ = await answered(reply, f"{provider}/the-model")
    assert (response.finish, response.text) == (Finish.REFUSAL, "I will not.")


async def test_cache_writes_are_counted() -> None:
    """Tokens written to a cache are part of the input, and told apart."""
    usage = {
        "input_tokens": 7,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 100,
        "output_tokens": 50,
        "output_tokens_details": {"thinking_tokens": 30},
    }
    common = {"id": "m", "type": "message", "role": "assistant", "model": "x"}
    block = {"type": "text", "text": "Hello"}
    reply = {**common, "content": [block], "stop_reason": "end_turn", "usage": usage}
    response, _ = await answered(reply, "anthropic/the-model")
    assert response.usage == Usage(input=127, cached=100, cache_write=20, output=50, reasoning=30)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_who_answered(provider: str) -> None:
    """Model and request id are those that the server gave."""
    response, _ = await answered(Answer("x", model="the-model-2026"), f"{provider}/the-model")
    assert (response.model, response.request_id) == ("the-model-2026", "req_0")


async def test_closing_one_client_leaves_the_others() -> None:
    """Model and judge may use the same connections of litellm's; the last one closes them."""
    model = "hosted_vllm/the-model"
    async with (
        LoopbackServer() as server,
        connected(server.base_url, model) as judge,
    ):
        async with connected(server.base_url, model) as other:
            await other.complete(asking(), CALL)
        response = await judge.complete(asking(), CALL)
    assert response.text == "OK"


async def test_an_error_before_any_answer_is_malformed_or_named() -> None:
    """An error that is neither HTTP nor network says what litellm said, without its prefixes."""
    async with (
        LoopbackServer(lambda request: {"choices": "none"}) as server,
        connected(server.base_url, "openai/the-model") as client,
    ):
        with pytest.raises(ProviderError) as caught:
            await client.complete(asking(), CALL)
    assert caught.value.kind == ErrorKind.MALFORMED
    assert "Traceback" not in str(caught.value) and "\n" not in str(caught.value)


# What litellm cannot read

COUNTED = {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}
ODD = {
    "missing": {},
    "null": {"usage": None},
    "list": {"usage": [1, 2]},
    "text": {"usage": "many"},
    "texts": {"usage": {"prompt_tokens": "few", "completion_tokens": "many"}},
    "floats": {"usage": {**COUNTED, "completion_tokens": 3.5}},
    "nan": {"usage": {**COUNTED, "prompt_tokens": float("nan")}},
    "huge": {"usage": {**COUNTED, "completion_tokens": 10**400}},
    "details": {"usage": {**COUNTED, "prompt_tokens_details": "x"}},
}


def completion(**fields: Any) -> dict[str, Any]:
    """A body of OpenAI's form."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "Yes."}}
    choice["finish_reason"] = fields.pop("finish_reason", "stop")
    return {"id": "x", "object": "chat.completion", "model": "m", "choices": [choice], **fields}


def message(**fields: Any) -> dict[str, Any]:
    """A body of Anthropic's form."""
    about = {"id": "x", "type": "message", "role": "assistant", "model": "m"}
    said = {"content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn"}
    return {**about, **said, **fields}


@pytest.mark.parametrize("fields", ODD.values(), ids=ODD)
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_paid_answer_is_read_whatever_its_usage(
    provider: str, fields: Mapping[str, Any]
) -> None:
    """The answer is read from the raw reply, once, without a word on stderr."""
    body = message(**fields) if provider == "anthropic" else completion(**fields)
    with warnings.catch_warnings(record=True) as warned:
        response, server = await answered(body, f"{provider}/the-model", max_tokens=50)
    assert (response.text, len(server.requests), warned) == ("Yes.", 1, [])
    known = fields.get("usage") and isinstance(fields["usage"], dict)
    assert known or response.usage == Usage()


async def test_anthropic_s_counts_may_be_odd_too() -> None:
    """A count that is none is as if it were not there; the others hold."""
    usage = {"input_tokens": 5, "output_tokens": 3, "cache_read_input_tokens": "x"}
    response, _ = await answered(message(usage=usage), "anthropic/the-model")
    assert response.usage == Usage(input=5, output=3)


@pytest.mark.parametrize(
    ("provider", "body"),
    [
        ("openai", completion(finish_reason=["stop"])),
        ("anthropic", message(stop_reason=["end_turn"])),
        ("anthropic", message(stop_details="told")),
        ("anthropic", message(stop_reason="refusal", stop_details=["a"])),
    ],
)
async def test_why_it_ended_may_be_odd(provider: str, body: dict[str, Any]) -> None:
    """A finish reason, or its details, of a wrong type is as if it were not there."""
    response, server = await answered(body, f"{provider}/the-model")
    assert (response.text, len(server.requests)) == ("Yes.", 1)
    assert response.finish in (Finish.STOP, Finish.REFUSAL)


async def test_cached_tokens_are_part_of_the_input() -> None:
    """A server that tells more of them than there is input is not believed."""
    usage = {**COUNTED, "prompt_tokens_details": {"cached_tokens": 10**6}}
    response, _ = await answered(completion(usage=usage))
    assert response.usage == Usage(input=5, cached=5, output=3)


async def test_reasoning_beside_the_completion() -> None:
    """What stands in the total alone is output."""
    usage = {**COUNTED, "total_tokens": 108}
    response, _ = await answered(completion(usage=usage))
    assert (response.usage.input, response.usage.output) == (5, 103)


@pytest.mark.parametrize("usage", ["many", [1], None, {"promptTokenCount": "x"}])
async def test_an_answer_in_another_form_fails_once(usage: Any) -> None:
    """What only litellm can read and cannot is not asked again, and counts as billed."""
    with serving(200, {**GEMINI, "usageMetadata": usage}) as (url, bodies):
        async with connected(url, "gemini/gemini-2.5-pro") as client:
            with pytest.raises(ProviderError, match="litellm cannot read the reply") as caught:
                await client.complete(asking(), CALL)
    assert (caught.value.kind, len(bodies)) == (ErrorKind.MALFORMED, 1)
    assert not caught.value.retryable and may_be_billed(caught.value)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_large_reply_is_refused_afterwards(provider: str) -> None:
    """`max_reply` holds, though litellm has read the whole."""
    model = f"{provider}/the-model"
    async with (
        LoopbackServer("x" * 6000) as server,
        connected(address(server, model), model, max_reply=5000) as client,
    ):
        with pytest.raises(ProviderError, match="max_reply") as caught:
            await client.complete(asking(), CALL)
    assert caught.value.kind == ErrorKind.TOO_LARGE and not caught.value.retryable


async def test_no_token_limit_no_answer() -> None:
    """Where cost has to be bounded, a model that takes no limit is not asked without one."""

    def plan(request: ReceivedRequest) -> Fault | None:
        named = [n for n in ("max_tokens", "max_completion_tokens") if n in request.body]
        message = f"Unsupported parameter: '{named[0]}'" if named else ""
        return Fault("400", message=message) if named else None

    async with LoopbackServer(faults=plan) as server:
        async with connected(server.base_url, "openai/m", needs_token_limit=True) as client:
            with pytest.raises(ProviderError, match="refuses max_tokens and") as caught:
                await client.complete(asking(max_tokens=50), CALL)
        assert caught.value.fatal and server.answered == []
        async with connected(server.base_url, "openai/m") as client:
            assert "max_tokens" not in (await client.complete(asking(max_tokens=50), CALL)).sent
