"""The caller: retries, waits, time limits, rates, and endpoints that are down."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from os import environ
from random import Random
from typing import Any, cast

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.clients.caller import Caller
from eibench.core.clients.limits import Limits
from eibench.core.clients.openai import OpenAIClient
from eibench.core.errors import ErrorKind, Interrupted, ProviderError
from eibench.core.parties.providers import (
    OF_JUDGE,
    AskedParty,
    CallContext,
    ClientConfig,
    ModelSpec,
)
from eibench.core.types import ChatRequest, ChatResponse, Item, Message, Sampling, Usage
from eibench.plugins.kit.faults import FaultPlan
from eibench.testing import Fault, Gate, LoopbackServer, fail_first, uniform_ratings
from tests.core.clients.conftest import Here

KEY = "sk-fake-0123456789abcdef"
CALL = CallContext(cast(Benchmark, None), Item("1"), 1, "generate")


class Time:
    """A clock that only waiting moves on."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        """The time."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Let time pass at once."""
        self.waits.append(seconds)
        until = self.now + seconds
        await asyncio.sleep(0)
        self.now = max(self.now, until)


class Script:
    """A client that answers, or fails, as a function of how often it was asked, says."""

    host = "host.test"

    def __init__(self, reply: Callable[[int], ChatResponse | ProviderError], time: Time) -> None:
        self._reply = reply
        self._time = time
        self.asked_at: list[float] = []

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The next reply."""
        self.asked_at.append(self._time.now)
        await asyncio.sleep(0)
        reply = self._reply(len(self.asked_at))
        if isinstance(reply, ProviderError):
            raise reply
        return reply

    async def close(self) -> None:
        """Nothing to close."""


def scripted(
    reply: Callable[[int], ChatResponse | ProviderError], **limits: Any
) -> tuple[Caller, Script, Time]:
    """A caller of a script whose waits take no time."""
    time = Time()
    client = Script(reply, time)
    caller = Caller(client, Limits(**limits), clock=time, sleep=time.sleep, draw=lambda: 0.5)
    return caller, client, time


def asking(prompt: str = "Hi", **sampling: Any) -> ChatRequest:
    """A request of one message."""
    return ChatRequest((Message("user", prompt),), Sampling(**sampling))


def error(kind: str, retry_after: float | None = None) -> ProviderError:
    """An error of that kind."""
    return ProviderError(ErrorKind(kind), "no", retry_after=retry_after)


@asynccontextmanager
async def calling(server: LoopbackServer, **limits: Any) -> AsyncIterator[tuple[Caller, Time]]:
    """A caller of a real server whose waits take no time."""
    time = Time()
    concurrency = limits.get("concurrency", 32)
    config = ClientConfig(ModelSpec("openai", "m"), server.base_url, KEY, concurrency=concurrency)
    about = config.asked()
    caller = Caller(
        OpenAIClient(config), Limits(**limits), clock=time, sleep=time.sleep, asked=about
    )
    try:
        yield caller, time
    finally:
        await caller.close()


# Retries


@pytest.mark.parametrize(
    "fault", ["429", "502", "529", "drop", "drop-mid", "html", "truncated", "empty-object"]
)
async def test_retried_until_it_succeeds(fault: str) -> None:
    """A call that fails nine times in a row is answered, and says that it took ten attempts."""
    async with (
        LoopbackServer("Yes", faults=fail_first(fault, 9)) as server,
        calling(server) as (caller, _),
    ):
        made = await caller.send(asking(), CALL)
    assert (made.text, made.attempts, caller.retries) == ("Yes", 10, 9)
    assert server.counts == {fault: 9, "ok": 1}


@pytest.mark.parametrize("fault", ["401", "403", "404", "quota", "400", "context"])
async def test_final_at_once(fault: str) -> None:
    """What another attempt cannot mend is asked once."""
    async with (
        LoopbackServer(faults=lambda request: fault) as server,
        calling(server) as (caller, _),
    ):
        with pytest.raises(ProviderError) as caught:
            await caller.send(asking(), CALL)
    assert caught.value.fatal == (fault in ("401", "403", "404", "quota"))
    assert caught.value.attempts == len(server.requests) == 1


async def test_the_last_error_is_the_reason() -> None:
    """When attempts run out the call fails with the last error and their number."""
    caller, client, _ = scripted(lambda n: error("server" if n < 16 else "malformed"))
    with pytest.raises(ProviderError) as caught:
        await caller.send(asking(), CALL)
    assert (caught.value.kind, caught.value.attempts) == ("malformed", 16)
    assert len(client.asked_at) == 16


@pytest.mark.parametrize("seconds", [0.0, 0.5, 7.0, 100.0])
async def test_retry_after_is_honoured(seconds: float) -> None:
    """The next attempt is never before the server's time, and soon after it."""
    plan = fail_first(Fault("429-retry-after", seconds))
    async with LoopbackServer(faults=plan) as server, calling(server) as (caller, time):
        await caller.send(asking(), CALL)
    assert len(time.waits) == 1 and seconds <= time.waits[0] <= seconds + 0.5


async def test_retry_after_in_milliseconds() -> None:
    """Milliseconds are no seconds."""
    plan = fail_first(Fault("429-retry-after-ms", 0.25))
    async with LoopbackServer(faults=plan) as server, calling(server) as (caller, time):
        await caller.send(asking(), CALL)
    assert 0.25 <= time.waits[0] <= 0.5


async def test_retry_after_a_date() -> None:
    """A server may name the hour."""
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    answers = iter([("429 Slow", f"Retry-After: {then}"), ("400 No", "X-A: b")])
    status = {"n": 0}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        status["n"] += 1
        line, header = next(answers)
        writer.write(f"HTTP/1.1 {line}\r\n{header}\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        time = Time()
        client = OpenAIClient(ClientConfig(ModelSpec("openai", "m"), url))
        caller = Caller(client, Limits(), clock=time, sleep=time.sleep)
        with pytest.raises(ProviderError):
            await caller.send(asking(), CALL)
        await caller.close()
    assert status["n"] == 2 and 55 < time.waits[0] < 61


@pytest.mark.parametrize("seconds", [1900.0, 1e300])
async def test_retry_after_beyond_the_time_limit(seconds: float) -> None:
    """A wait that is longer than the call may take costs no sample: it is tried as without."""
    caller, client, time = scripted(
        lambda n: error("rate_limit", seconds) if n < 9 else ChatResponse("OK"), timeout_s=600.0
    )
    assert (await caller.send(asking(), CALL)).attempts == len(client.asked_at) == 9
    assert max(time.waits) <= caller.limits.retry.cap_s


async def test_retry_after_beyond_the_time_of_an_attempt() -> None:
    """A wait is no part of an attempt, so a long one that the server asks for is kept."""
    caller, _, time = scripted(
        lambda n: error("rate_limit", 700.0) if n == 1 else ChatResponse("OK"), timeout_s=10.0
    )
    assert (await caller.send(asking(), CALL)).attempts == 2
    assert len(time.waits) == 1 and time.waits[0] >= 700.0


# The time limit


async def test_waits_count_towards_the_time_limit() -> None:
    """Attempts and waits together stay within the limit; the server's error is the reason."""
    caller, client, time = scripted(lambda n: error("server", 500.0), timeout_s=20.0)
    with pytest.raises(ProviderError) as caught:
        await caller.send(asking(), CALL)
    assert caught.value.kind == ErrorKind.SERVER
    assert [wait >= 500.0 for wait in time.waits[:4]] == [True, True, True, False]
    assert len(client.asked_at) == 16 and time.now - 1000.0 < 1800.0


@pytest.mark.parametrize("fault", ["hang", "trickle"])
async def test_never_answered(fault: str) -> None:
    """A server that never finishes an answer is left at the time limit, and named."""
    async with (
        LoopbackServer(faults=lambda request: fault) as server,
        calling(server, timeout_s=0.5) as (caller, _),
    ):
        with pytest.raises(ProviderError, match=f"127.0.0.1:{server.port}") as caught:
            await caller.send(asking(), CALL)
    assert (caught.value.kind, caught.value.attempts) == ("timeout", 1)
    assert "within 0.5 s" in str(caught.value) and "--timeout" in str(caught.value)


async def test_an_error_of_a_plugin_names_who_was_asked() -> None:
    """A client that knows nothing of parties raises its own words; the caller adds whose."""
    judge = AskedParty("the judge mine/j", OF_JUDGE)
    client = Script(lambda n: error("auth"), Time())
    with pytest.raises(ProviderError, match=r"^the judge mine/j: no$"):
        await Caller(client, Limits(), asked=judge).send(asking(), CALL)


async def test_waiting_for_a_place_does_not_count() -> None:
    """A call's time begins with its first attempt, not in the queue."""
    time = Time()

    def slowly(n: int) -> ChatResponse:
        time.now += 700.0
        return ChatResponse("OK")

    client = Script(slowly, time)
    caller = Caller(client, Limits(concurrency=1), clock=time, sleep=time.sleep)
    made = await asyncio.gather(*(caller.send(asking(), CALL) for _ in range(6)))
    assert len(made) == 6 and time.now - 1000.0 > caller.limits.call_s


# Concurrency and rates


async def test_never_more_in_flight_than_configured() -> None:
    """Whatever is asked at once, and however much fails, the server sees no more."""
    faults = {"429": 0.2, "500": 0.1, "drop": 0.1}
    async with (
        LoopbackServer(latency=0.005, faults=faults) as server,
        calling(server, concurrency=5) as (caller, _),
    ):
        made = await asyncio.gather(*(caller.send(asking(str(n)), CALL) for n in range(60)))
    assert len(made) == 60 and server.peak_in_flight <= 5
    assert caller.slots.in_flight == 0


async def test_shrinks_on_rate_limits_and_recovers() -> None:
    """429 makes the caller ask less at a time; good answers bring it back."""
    caller, _, _ = scripted(
        lambda n: error("rate_limit") if n <= 5 else ChatResponse("OK"), concurrency=9
    )
    await caller.send(asking(), CALL)
    low = caller.slots.limit
    for _ in range(100):
        await caller.send(asking(), CALL)
    assert low < 6.2 and caller.slots.limit == 9.0


async def test_cancelled_calls_leave_nothing_behind() -> None:
    """A cancelled call frees its place, wherever it was."""
    gate = Gate()
    async with (
        LoopbackServer(latency=gate) as server,
        calling(server, concurrency=2) as (caller, _),
    ):
        tasks = [asyncio.create_task(caller.send(asking(), CALL)) for _ in range(6)]
        await asyncio.to_thread(gate.wait_for, 2)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert caller.slots.in_flight == 0
        gate.open()
        assert (await caller.send(asking(), CALL)).text == "OK"


async def test_requests_per_minute() -> None:
    """Attempts, retries among them, keep to the rate, evenly."""
    caller, client, _ = scripted(
        lambda n: error("malformed") if n % 5 == 0 else ChatResponse("OK"), rpm=120, concurrency=8
    )
    await asyncio.gather(*(caller.send(asking(), CALL) for _ in range(24)))
    gaps = [b - a for a, b in pairwise(client.asked_at)]
    assert min(gaps) >= 0.5 - 1e-9


async def test_tokens_per_minute() -> None:
    """What requests use, as the server counts it, keeps to the rate."""
    used = ChatResponse("OK", usage=Usage(input=50, output=50))
    caller, _, time = scripted(lambda n: used, tpm=6000, concurrency=1)
    for _ in range(60):
        await caller.send(asking("x" * 80, max_tokens=1000), CALL)
    assert 58 <= time.now - 1000.0 <= 62  # 60 x 100 tokens, though 1020 were reserved each


@pytest.mark.parametrize("kind", ["server", "timeout"])
async def test_tokens_of_failed_attempts_come_back(kind: str) -> None:
    """An attempt that failed has used nothing."""
    caller, _, time = scripted(lambda n: error(kind), tpm=60)
    for _ in range(3):
        with pytest.raises(ProviderError):
            await caller.send(asking(max_tokens=1000), CALL)
    assert kind != "timeout" or time.now == 1000.0
    assert time.now - 1000.0 < 3 * 300


async def test_what_is_given_back_helps_those_who_wait() -> None:
    """Who waits for tokens goes on as soon as others turn out not to need theirs."""
    used = ChatResponse("OK", usage=Usage(input=5, output=5))
    caller, _, time = scripted(lambda n: used, tpm=6000, concurrency=8)
    await asyncio.gather(*(caller.send(asking(max_tokens=6000), CALL) for _ in range(8)))
    assert time.now - 1000.0 < 20


async def test_nothing_is_sent_after_a_stop() -> None:
    """Before each attempt the caller asks whether to go on, also after a wait."""
    time = Time()
    client = Script(lambda n: error("server"), time)

    def stop_after_three() -> None:
        if len(client.asked_at) == 3:
            raise Interrupted("stopped")

    caller = Caller(
        client, Limits(rpm=60), clock=time, sleep=time.sleep, before_sending=stop_after_three
    )
    with pytest.raises(Interrupted):
        await caller.send(asking(), CALL)
    assert len(client.asked_at) == 3


# Endpoints that are down


@pytest.mark.parametrize("limits", [{}, {"rpm": 6}, {"timeout_s": 5.0}])
@pytest.mark.parametrize("concurrency", [1, 32])
async def test_an_endpoint_that_is_down(concurrency: int, limits: dict[str, Any]) -> None:
    """When every connection fails, a fatal error comes within a minute, after several attempts."""
    caller, client, time = scripted(
        lambda n: error("connection"), concurrency=concurrency, **limits
    )
    ended: list[float] = []

    async def worker() -> None:
        while not ended:
            try:
                await caller.send(asking(), CALL)
            except ProviderError as failed:
                if failed.fatal:
                    ended.append(time.now)

    await asyncio.wait_for(asyncio.gather(*(worker() for _ in range(concurrency))), 30)
    assert 40 <= ended[0] - 1000.0 <= 60
    assert len(client.asked_at) >= 3


def refused(kind: str = "connection") -> ProviderError:
    """An error of a connection that was never made."""
    made = error(kind)
    made.unsent = kind == "connection"
    return made


@pytest.mark.parametrize("concurrency", [1, 32])
async def test_an_address_where_nothing_listens(concurrency: int) -> None:
    """Refused from the start, it is known to be down within 10 s; other runs try it once."""
    absent: set[str] = set()
    caller, client, time = scripted(lambda n: refused(), concurrency=concurrency)
    caller._health._absent = absent
    sent = [asyncio.create_task(caller.send(asking(), CALL)) for _ in range(concurrency)]
    done, left = await asyncio.wait(sent, return_when=asyncio.FIRST_COMPLETED)
    (ended,) = {str(task.exception()) for task in done}
    assert all(cast(ProviderError, task.exception()).fatal for task in done) and "no" in ended
    assert time.now - 1000.0 <= 10 and len(client.asked_at) >= 3
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    next_client = Script(lambda n: refused(), time)
    with pytest.raises(ProviderError) as caught:
        await Caller(next_client, Limits(), absent=absent).send(asking(), CALL)
    assert caught.value.fatal and len(next_client.asked_at) == 1


@pytest.mark.parametrize("first", ["server", "dropped", "answer"])
async def test_one_that_was_there_is_waited_for(first: str) -> None:
    """A server that restarts is given the time for it; a connection that it drops tells as much."""
    begun: dict[str, ChatResponse | ProviderError] = {
        "server": error("server"),
        "dropped": error("connection"),
        "answer": ChatResponse("A"),
    }
    caller, _, time = scripted(lambda n: begun[first] if n == 1 else refused())
    if first == "answer":
        await caller.send(asking(), CALL)
    with pytest.raises(ProviderError) as caught:
        await caller.send(asking(), CALL)
    assert caught.value.fatal and 40 <= time.now - 1000.0 <= 60


async def test_a_server_that_has_come_up_is_no_longer_absent() -> None:
    """Runs after one that was answered there wait as usual."""
    absent = {"the endpoint"}
    client = Script(lambda n: ChatResponse("Yes"), Time())
    await Caller(client, Limits(), absent=absent).send(asking(), CALL)
    assert not absent


@pytest.mark.parametrize("fault", ["drop", "drop-mid"])
async def test_a_server_that_drops_every_connection_is_down(fault: str) -> None:
    """A server that accepts and drops is as down as one that is not there."""
    async with (
        LoopbackServer(faults=lambda request: fault) as server,
        calling(server) as (caller, time),
    ):
        with pytest.raises(ProviderError) as caught:
            await caller.send(asking(), CALL)
    assert caught.value.fatal and time.now - 1000.0 <= 60


async def test_a_slow_server_with_drops_is_not_down() -> None:
    """While others wait for slow answers, some drops are no outage."""
    caller, _, time = scripted(lambda n: error("connection"), concurrency=4)
    answer = asyncio.Event()
    quick = caller.client.complete

    async def complete(request: ChatRequest, call: CallContext) -> ChatResponse:
        if request.messages[0].content == "slow":
            await answer.wait()
            return ChatResponse("OK")
        return await quick(request, call)

    caller.client.complete = complete  # type: ignore[method-assign]
    slow = [asyncio.create_task(caller.send(asking("slow"), CALL)) for _ in range(31)]
    caller.slots.limit = caller.slots.configured = 40
    caller.slots._wake()
    await asyncio.sleep(0)
    with pytest.raises(ProviderError) as caught:
        await caller.send(asking("dropped"), CALL)
    answer.set()
    assert not caught.value.fatal and time.now - 1000.0 > 60
    assert len(await asyncio.gather(*slow)) == 31


@pytest.mark.parametrize("kind", ["rate_limit", "server", "malformed", "refused"])
async def test_any_answer_shows_that_it_is_up(kind: str) -> None:
    """Drops with an answer now and then, be it an error, are no outage."""
    caller, _, time = scripted(lambda n: error("connection" if n % 4 else kind))
    for _ in range(20):
        with pytest.raises(ProviderError) as caught:
            await caller.send(asking(), CALL)
        assert not caught.value.fatal
    assert time.now - 1000.0 > 45


# Whole runs


@pytest.fixture(autouse=True, scope="module")
def _meanwhile(request: pytest.FixtureRequest) -> None:
    """Start what takes longest, if test_key_leaks is going to look at it."""
    if any(item.name == "test_a_closed_port" for item in request.session.items):
        request.getfixturevalue("closed_port")


@pytest.mark.parametrize(
    ("key", "options", "message"),
    [
        (KEY, (), "set OPENAI_API_KEY"),
        (None, (), "set OPENAI_API_KEY"),
        (KEY, ("--api-key-env", "MINE"), "set MINE"),
    ],
)
def test_a_run_with_a_wrong_key(
    here: Here, key: str | None, options: tuple[str, ...], message: str
) -> None:
    """Nothing but 401: the run ends at once, exit 4, with one line that names the variable."""
    variables = {"MINE": "sk-fake-mine-0123456789"} | ({"OPENAI_API_KEY": key} if key else {})
    with LoopbackServer(accept_keys=["another"]) as server:
        done = here(server.base_url, *options, **variables)
    shown = done.err
    errors = [line for line in shown.splitlines() if line.startswith("Error: ")]
    assert done.code == 4, shown
    assert len(errors) == 1 and message in errors[0] and "Traceback" not in shown
    assert len(server.requests) <= 32


def shaky(seed: int) -> FaultPlan:
    """Every request's first two attempts meet a fault with the probabilities of the promise."""
    kinds = {"429": 0.2, "500": 0.1, "drop": 0.05, "html": 0.02, "truncated": 0.02}
    kinds["empty-object"] = 0.01
    seen: Counter[str] = Counter()

    def plan(request: Any) -> str | None:
        seen[request.prompt] += 1
        if seen[request.prompt] > 2:
            return None
        drawn = Random(f"{seed}:{seen[request.prompt]}:{request.prompt}").random()
        for kind, p in kinds.items():
            if (drawn := drawn - p) < 0:
                return kind
        return None

    return plan


def test_a_run_on_a_shaky_server(here: Here) -> None:
    """With two in five requests failing, all are scored and every metric is as without faults."""
    official = environ.get("EIBENCH_OFFICIAL_DATA")
    pack = f"{official}/eqbench-v1/eq_bench_v1_questions_60.json" if official else "bundled"
    documents = []
    for faults in (None, shaky(1)):
        with LoopbackServer(uniform_ratings(1), faults=faults) as server:
            done = here(server.base_url, "--dataset", pack, "--json", "--fresh")
        assert done.code == 0, done.err
        documents.append(done.json)
    good, bad = documents
    assert bad["items"] == good["items"] and good["items"]["scored"] == good["items"]["total"]
    assert bad["metrics"] == good["metrics"]
    assert good["calls"]["retries"] == 0 < bad["calls"]["retries"]
    assert server.counts["429"] and server.counts["500"] and server.counts["drop"]
