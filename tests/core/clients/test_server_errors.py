"""A 5xx by its words: a context that is full, a server that starts, one that says nothing else.

Time here is the loop's own, or a clock that only waiting moves on.
"""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.clients.caller import Caller
from eibench.core.clients.error_bodies import HttpFailure
from eibench.core.clients.failures import provider_error
from eibench.core.clients.limits import Limits, Notices
from eibench.core.clients.openai import OpenAIClient
from eibench.core.clients.server_errors import may_pass
from eibench.core.errors import ErrorKind, ProviderError
from eibench.core.parties.providers import AskedParty, CallContext, ClientConfig, ModelSpec
from eibench.core.types import ChatRequest, ChatResponse, Item, Message, Sampling, Usage
from eibench.testing import Fault, LoopbackServer, fail_first
from eibench.testing import ReceivedRequest as Received
from tests.core.clients.test_caller import Script, Time, asking, calling
from tests.core.clients.test_waiting import timeless

CALL = CallContext(cast(Benchmark, None), Item("1"), 1, "generate")
HERE = AskedParty("openai/m at host.test")
FULL = "Context size has been exceeded."
DOWN = "litellm.InternalServerError: InternalServerError: OpenAIException - Connection error."


def failed(message: str, status: int = 500) -> ProviderError:
    """The error of such an answer."""
    return provider_error(HttpFailure(status, message), HERE)


def caller_of(
    reply: Callable[[int], ChatResponse | ProviderError], said: list[str] | None = None, **more: Any
) -> tuple[Caller, Script, Time]:
    """A caller of a script whose waits take no time."""
    time = Time()
    client = Script(reply, time)
    notices = Notices((said if said is not None else []).append)
    caller = Caller(
        client, Limits(**more), clock=time, sleep=time.sleep, notices=notices, asked=HERE
    )
    return caller, client, time


# What words mean


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (500, FULL, "context_too_long"),
        (500, "failed to find free space in the KV cache", "context_too_long"),
        (500, "This model's maximum context length is 4096 tokens.", "context_too_long"),
        (503, "No room left in the KV cache", "context_too_long"),
        (500, "context deadline exceeded", "server"),
        (500, "context canceled", "server"),
        (500, "Internal Server Error", "server"),
        (503, "Loading model", "server"),
        (502, "Bad Gateway", "server"),
        (504, "Gateway Time-out", "server"),
        (500, DOWN, "connection"),
        (502, "connect() failed (111: Connection refused) while connecting", "connection"),
        (503, "upstream connect error or disconnect/reset before headers", "connection"),
        (503, "no healthy upstream", "connection"),
        (500, "Cannot connect to host 127.0.0.1:8000 [Connect call failed]", "connection"),
        (502, "dial tcp 127.0.0.1:8080: connect: connection refused", "connection"),
        (400, "Connection error.", "invalid_request"),
        (500, "param: response_format of json_schema", "invalid_request"),
    ],
)
def test_what_an_error_of_the_server_means(status: int, message: str, kind: str) -> None:
    """Its words say more than its status; with those that say nothing, another attempt may help."""
    assert str(failed(message, status).kind) == kind


@pytest.mark.parametrize(
    ("status", "message", "passes"),
    [
        (503, "Loading model", True),
        (503, "", True),
        (502, "Bad Gateway", True),
        (504, "", True),
        (529, "Overloaded.", True),
        (500, "The model is loading, try again later", True),
        (500, "Internal Server Error", False),
        (501, "Not implemented", False),
        (503, "No available channel for model x under group default", False),
    ],
)
def test_which_are_waited_for(status: int, message: str, passes: bool) -> None:
    """A server that starts, and a proxy before one; not one that knows no such model."""
    assert may_pass(failed(message, status)) == passes


# A context that calls share


class SharedContext:
    """A server whose slots share one context: when it is full, all that are there fail.

    Args:
        tokens: That the context holds.
        seconds: That an answer takes, by its prompt.
    """

    def __init__(self, tokens: int, seconds: Callable[[str], float] = lambda _: 1.0) -> None:
        self._tokens, self._seconds = tokens, seconds
        self._here: dict[asyncio.Future[None], int] = {}
        self.sent = self.wasted = 0

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """An answer, unless the context is full meanwhile."""
        self.sent += 1
        over = asyncio.get_running_loop().create_future()
        self._here[over] = request.sampling.max_tokens or 0
        await asyncio.sleep(0)
        if sum(self._here.values()) > self._tokens:
            for one in self._here:
                one.set_result(None)
            self._here.clear()
        else:
            await asyncio.wait([over], timeout=self._seconds(request.messages[0].content))
        self._here.pop(over, None)
        if over.done():
            self.wasted += 1
            raise failed(FULL)
        return ChatResponse("OK", usage=Usage(input=10, output=90), sent={"max_tokens": 335})

    async def close(self) -> None:
        """Nothing to close."""


def ask_shared(
    calls: int, server: SharedContext, said: list[str], tokens: int = 335, **limits: Any
) -> tuple[int, list[ProviderError]]:
    """How many of so many calls were answered, and how the others failed."""

    async def main() -> tuple[int, list[ProviderError]]:
        loop = asyncio.get_running_loop()
        caller = Caller(
            server, Limits(**limits), clock=loop.time, notices=Notices(said.append), asked=HERE
        )
        request = ChatRequest((Message("user", "Hi"),), Sampling(max_tokens=tokens))
        made = await asyncio.gather(
            *(caller.send(request, CALL) for _ in range(calls)), return_exceptions=True
        )
        wrong = [one for one in made if isinstance(one, ProviderError)]
        assert all(isinstance(one, ProviderError | ChatResponse) for one in made)
        return calls - len(wrong), wrong

    return timeless(main())


@pytest.mark.parametrize(
    ("places", "wasted"), [(1, 8 + 4 + 2 + 3 * 2), (2, 8 + 4 + 3 * 3), (4, 8 + 3 * 5), (8, 0)]
)
def test_a_context_that_is_shared_loses_no_sample(places: int, wasted: int) -> None:
    """Eight at a time where fewer fit: 300 calls are answered, and few are computed in vain."""
    said: list[str] = []
    server = SharedContext(335 * places)
    answered, _ = ask_shared(300, server, said, concurrency=8)
    assert answered == 300 and server.wasted <= wasted and server.sent == 300 + server.wasted
    assert len(said) == (places < 8)
    assert all("context is shared by its slots" in s and "--concurrency 1" in s for s in said)


@pytest.mark.parametrize("places", [1, 3])
def test_a_shared_context_with_no_concurrency_stated(places: int) -> None:
    """The ramp goes back to fewer, and tries more again only after many answers."""
    server = SharedContext(335 * places)
    answered, _ = ask_shared(300, server, [], ramps=True)
    assert answered == 300 and server.wasted <= 8


def test_replies_of_any_length_in_one_context() -> None:
    """Where only some fit together, the concurrency settles and never swings for ever."""
    lengths = iter(range(10_000))
    server = SharedContext(900, lambda _: 0.5 + next(lengths) % 7)
    answered, _ = ask_shared(1000, server, [], concurrency=8, tokens=300)
    assert answered == 1000 and server.wasted <= 60


def test_a_prompt_that_does_not_fit_alone_is_final() -> None:
    """With nobody beside it the call fails at once, and says why."""
    server = SharedContext(100)
    answered, wrong = ask_shared(3, server, [], concurrency=1)
    assert answered == 0 and server.sent == 3 and not any(error.fatal for error in wrong)
    assert {str(error.kind) for error in wrong} == {"context_too_long"}
    assert all("the prompt and the room for its reply do not fit" in str(e) for e in wrong)


async def test_llama_cpp_s_words_over_http() -> None:
    """All in flight fail when the slots' tokens are more than the context holds; all are scored."""
    here: dict[int, asyncio.Event] = {}

    async def respond(request: Received) -> str | Fault:
        here[request.n] = over = asyncio.Event()
        if len(here) > 2:
            for one in here.values():
                one.set()
            here.clear()
        try:
            await asyncio.wait_for(over.wait(), 0.01)
        except TimeoutError:
            here.pop(request.n, None)
            return "Yes"
        return Fault("500", message=FULL)

    async with LoopbackServer(respond) as server, calling(server, concurrency=8) as (caller, _):
        made = await asyncio.gather(*(caller.send(asking(str(n)), CALL) for n in range(40)))
    assert [one.text for one in made] == ["Yes"] * 40 and not server.errors
    assert caller.slots.limit <= 4


# Errors that name nothing, beside others


def test_too_many_at_a_time_for_a_server_that_does_not_say_so() -> None:
    """The second error among those in flight halves their number; all are answered."""

    class Crowded(SharedContext):
        async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
            try:
                return await super().complete(request, call)
            except ProviderError:
                raise failed("Internal Server Error") from None

    server = Crowded(335 * 2)
    answered, _ = ask_shared(300, server, [], concurrency=8)
    assert answered == 300 and server.wasted <= 40


async def test_one_error_among_many_is_an_accident() -> None:
    """One call in fifty that fails takes no place away."""
    caller, _, _ = caller_of(
        lambda n: failed("Oops") if n % 50 == 7 else ChatResponse("OK"), concurrency=16
    )
    await asyncio.gather(*(caller.send(asking(str(n)), CALL) for n in range(300)))
    assert caller.slots.limit == 16.0


async def test_an_outage_takes_no_places_away() -> None:
    """When calls fail alone as they did together, as many go at a time afterwards as before."""
    caller, _, _ = caller_of(
        lambda n: failed("Oops") if 9 <= n < 40 else ChatResponse("OK"), concurrency=8
    )
    await asyncio.gather(*(caller.send(asking(str(n)), CALL) for n in range(60)))
    assert caller.slots.limit == 8.0


# A server that says nothing else


async def test_a_wrong_name_ends_the_run_soon() -> None:
    """Five tries, then what the server lists; not sixteen."""
    listed: Any = [{"id": "smol"}, {"id": "qwen"}, {"id": "mm"}]
    fault = Fault("500", message="Internal Server Error")
    async with (
        LoopbackServer(models=listed, faults=lambda request: fault) as server,
        calling(server) as (caller, time),
    ):
        with pytest.raises(ProviderError) as caught:
            await caller.send(asking(), CALL)
    assert caught.value.fatal and len(server.requests) == 5 and time.now - 1000.0 < 10
    message = str(caught.value)
    assert "answered 500: Internal Server Error, 5 times, and nothing else so far" in message
    assert "has 'mm', 'qwen', 'smol', not 'm'" in message and "check --model" in message


async def test_many_at_a_time_end_as_soon() -> None:
    """Of 32 calls none is asked so often that the server is flooded."""
    async with (
        LoopbackServer(faults=lambda request: "500") as server,
        calling(server, concurrency=32) as (caller, _),
    ):
        sent = [asyncio.create_task(caller.send(asking(str(n)), CALL)) for n in range(32)]
        done, left = await asyncio.wait(sent, return_when=asyncio.FIRST_COMPLETED)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
    assert all(cast(ProviderError, task.exception()).fatal for task in done)
    assert len(server.requests) <= 32 * 5


@pytest.mark.parametrize("models", [[], [{"id": "m"}]], ids=["empty", "listed"])
async def test_a_name_that_is_listed_is_not_blamed(models: Any) -> None:
    """It ends as soon, and sends the reader to the server's log."""
    async with (
        LoopbackServer(models=models, faults=lambda request: "500") as server,
        calling(server) as (caller, _),
    ):
        with pytest.raises(ProviderError, match="its own log may say why") as caught:
            await caller.send(asking(), CALL)
    assert "check --model" not in str(caught.value) and len(server.requests) == 5


@pytest.mark.parametrize(
    "error",
    [failed("Loading model", 503), failed("Bad Gateway", 502), failed("Overloaded.", 529)],
    ids=["loading", "proxy", "overloaded"],
)
async def test_a_server_that_starts_is_waited_for(error: ProviderError) -> None:
    """Eight calls, each refused eleven times: all are answered, and eight go at a time."""

    def reply(n: int) -> ChatResponse | ProviderError:
        return failed(error.words, error.status or 0) if n <= 88 else ChatResponse("OK")

    caller, _, _ = caller_of(reply, concurrency=8)
    made = await asyncio.gather(*(caller.send(asking(str(n)), CALL) for n in range(16)))
    assert [one.text for one in made] == ["OK"] * 16 and caller.slots.limit == 8.0


async def test_errors_that_differ_are_accidents() -> None:
    """Other words each time are tried as often as any error."""
    caller, client, _ = caller_of(
        lambda n: failed(f"Oops {'abcdefghijklmnop'[n]}") if n < 12 else ChatResponse("OK")
    )
    assert (await caller.send(asking(), CALL)).text == "OK" and len(client.asked_at) == 12


async def test_ids_make_no_difference() -> None:
    """The same words with another request's id are the same error."""
    caller, client, _ = caller_of(lambda n: failed(f"Failed (request id 7f3a9c1{n:02x}d, {n} ms)"))
    with pytest.raises(ProviderError, match="5 times") as caught:
        await caller.send(asking(), CALL)
    assert caught.value.fatal and len(client.asked_at) == 5


async def test_after_an_answer_errors_are_tried_as_ever() -> None:
    """A server that has answered and fails for a while costs no sample."""
    caller, client, _ = caller_of(
        lambda n: failed("Oops") if 1 < n < 12 else ChatResponse("OK"), concurrency=1
    )
    assert [(await caller.send(asking(), CALL)).text for _ in range(2)] == ["OK", "OK"]
    assert len(client.asked_at) == 12


async def test_an_unknown_model_lists_what_there_is() -> None:
    """A 404 is followed by the names, the closest first, and asked for once."""
    listed: Any = [{"id": name} for name in ("a", "b", "c", "gpt-oss-20b", "gpt-oss-120b")]
    async with LoopbackServer(models=listed, faults=lambda request: "404") as server:
        config = ClientConfig(ModelSpec("openai", "gpt-oss-20"), server.base_url)
        caller = Caller(OpenAIClient(config), Limits(), asked=config.asked())
        sent = (caller.send(asking(str(n)), CALL) for n in range(4))
        made = await asyncio.gather(*sent, return_exceptions=True)
        await caller.close()
    assert server.counts["models"] == 1
    assert all(
        "has 'gpt-oss-20b', 'a', 'b' and 2 more, not 'gpt-oss-20'" in str(one) for one in made
    )


# A server behind the server


@pytest.mark.parametrize("status", [500, 502, 503])
async def test_a_proxy_whose_server_is_down(status: int) -> None:
    """It is known within a minute, with the proxy's words, and ends the run."""
    said: list[str] = []
    caller, _, time = caller_of(lambda n: failed(DOWN, status), said, concurrency=4)
    sent = [asyncio.create_task(caller.send(asking(str(n)), CALL)) for n in range(4)]
    done, left = await asyncio.wait(sent, return_when=asyncio.FIRST_COMPLETED)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    error = cast(ProviderError, done.pop().exception())
    assert error.fatal and error.exit_code == 4 and 40 <= time.now - 1000.0 <= 60
    assert "Connection error" in str(error) and "the server behind it" in str(error)
    assert caller.is_down and len(said) == 1 and "before the run ends" in said[0]


async def test_a_proxy_that_answers_others_is_not_down() -> None:
    """One of its servers may be down while another answers."""
    caller, _, time = caller_of(lambda n: failed(DOWN) if n % 3 else ChatResponse("OK"))
    made = [await caller.send(asking(), CALL) for _ in range(60)]
    assert [one.text for one in made] == ["OK"] * 60 and time.now - 1000.0 > 60


async def test_a_server_that_comes_back_behind_its_proxy() -> None:
    """Half a minute without it costs nothing."""
    async with (
        LoopbackServer("Yes", faults=fail_first(Fault("502", message=DOWN), 6)) as server,
        calling(server) as (caller, _),
    ):
        made = await caller.send(asking(), CALL)
    assert (made.text, made.attempts) == ("Yes", 7)


def test_kinds_are_as_before_below_500() -> None:
    """A 4xx that names the context is the request's, whoever is beside it."""
    assert failed(FULL, 400).kind == ErrorKind.CONTEXT_TOO_LONG
