"""A provider on the loopback interface, in a thread of its own.

Raw asyncio streams and no framework, so that a benchmark of 20,000 calls measures the client, and
a request is seen although its client left at once. It is decided on in order of arrival: is the
key accepted, is there a fault for it, and only then what the responder says.

Every chat request that is not cut by `close` ends in one outcome. A good answer counts when the
client was still there and the kernel took all of it; the tally is made before the bytes leave and
taken back if they cannot, so a client that has its answer always finds it counted.
"""

import asyncio
import json
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from threading import Event, Thread
from typing import NamedTuple, Self

from eibench import JsonObject

from .faults import Fault, Faults, as_fault, fault_plan, render_fault
from .replies import MODELS, Answer, plain_error, render_answer, render_json
from .responders import Reply, Responder
from .wire import (
    DIALECTS,
    Connection,
    Delivery,
    MalformedRequest,
    RawRequest,
    ReceivedRequest,
    Response,
    keeps_alive,
)

Latency = float | Callable[[ReceivedRequest], float | Awaitable[None]]
_LOOK_EVERY_S = 0.002
_LONGEST_S = 60.0


class _Decision(NamedTuple):
    """The response to send and the word to count it under; `pause` is a trickle's."""

    outcome: str
    response: Response
    pause: float = 0.0


class LoopbackServer:
    """Speaks OpenAI chat completions and Anthropic messages on 127.0.0.1.

    A context manager, also with `async with`; it serves from its own thread
    either way, so the code under test may use any event loop or none.

    Args:
        respond: What to say: a text, or a function of the request. What it
            raises is kept in `errors` and answered with status 400.
        latency: Seconds before each answer, faults included, or a function that gives
            them, or that is awaited, as a `Gate` is.
        faults: Probability by kind (drawn once per request), or a function
            that names the fault of a request, None for none.
        seed: Of the draws.
        accept_keys: Any other key gets the fault "401"; None accepts all.
        port: 0 takes a free one.
        record: Whether to keep requests (counts are kept always).
        on_outcome: Called in the server's thread with each chat request and
            its outcome; for a connection that misbehaves, before it does.
        models: Entries of its list of models; by default one of an own name.

    Attributes:
        requests: Chat requests in order of arrival.
        answered: Those that got a full good answer.
        errors: What the responder, the fault function or the latency function raised.
        counts: Requests by outcome: "ok", the kind of a fault, "client-gone",
            "responder-error"; and those that were no chat request: "models",
            "unknown-path", "malformed".
        peak_in_flight: Most chat requests ever open at once.
    """

    def __init__(
        self,
        respond: Responder | str = "OK",
        *,
        latency: Latency = 0.0,
        faults: Faults | None = None,
        seed: int = 0,
        accept_keys: Collection[str] | None = None,
        port: int = 0,
        record: bool = True,
        on_outcome: Callable[[ReceivedRequest, str], None] | None = None,
        models: Sequence[JsonObject] | None = None,
    ) -> None:
        self._respond = respond
        self._latency = latency
        self._fault_of = fault_plan(faults or {}, seed)
        self._accept_keys = accept_keys
        self._port = port
        self._record = record
        self._on_outcome = on_outcome or (lambda request, outcome: None)
        self._models = models
        self.requests: list[ReceivedRequest] = []
        self.answered: list[ReceivedRequest] = []
        self.errors: list[Exception] = []
        self.counts: Counter[str] = Counter()
        self.peak_in_flight = 0
        self._in_flight = self._received = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread: Thread | None = None
        self._ready = Event()
        self._failure: OSError | None = None
        self._loop: asyncio.AbstractEventLoop
        self._stop: asyncio.Event

    @property
    def root_url(self) -> str:
        """What the Anthropic SDK takes as its base URL; valid once started."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        """What the OpenAI SDK takes as its base URL: ends in /v1; valid once started."""
        return f"{self.root_url}/v1"

    @property
    def port(self) -> int:
        """The port served; before the start, the one asked for."""
        return self._port

    def start(self) -> None:
        """Returns when connections are accepted.

        Raises:
            OSError: The port is taken.
            RuntimeError: It was started before.
        """
        if self._thread is not None:
            raise RuntimeError("a loopback server starts once; make another")
        self._thread = Thread(target=self._run, name="loopback-server", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure

    def settle(self) -> None:
        """Return when all clients have left, and what they had sent was dealt with.

        Raises:
            TimeoutError: One stays for more than a minute.
        """
        end = time.monotonic() + _LONGEST_S
        # Connections are accepted in order: those from before this one are known when it is.
        with socket.create_connection(("127.0.0.1", self._port), timeout=_LONGEST_S) as probe:
            probe.shutdown(socket.SHUT_WR)
            with suppress(ConnectionError):
                probe.recv(1)
        while self._tasks:
            if time.monotonic() > end:
                raise TimeoutError(f"{len(self._tasks)} connections are still open")
            time.sleep(_LOOK_EVERY_S)

    def close(self) -> None:
        """Cut every connection and end the thread; the records stay. Idempotent."""
        if self._thread is not None and self._thread.is_alive():
            with suppress(RuntimeError):  # the loop has just closed
                self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except OSError as error:
            self._failure = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(
            self._accept, "127.0.0.1", self._port, backlog=1024, limit=2**20
        )
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        # `Server.close` alone loses connections of the loop's last round, which have not begun.
        with suppress(NotImplementedError):  # Windows
            for listening in server.sockets:
                self._loop.remove_reader(listening)
        await _settle()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await _settle()  # their sockets close

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(reader, writer)
        task = self._loop.create_task(self._converse(connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: connection.cut())  # even if it never began

    async def _converse(self, connection: Connection) -> None:
        # A client that leaves ends it; whatever it was owed has been counted.
        with suppress(OSError, asyncio.IncompleteReadError):
            while await self._exchange(connection):
                pass

    async def _exchange(self, connection: Connection) -> bool:
        """Serve one request; False when the connection has to end."""
        try:
            raw = await connection.read()
            if raw is None:
                return False
            if raw.method == "POST" and raw.path in DIALECTS:
                return await self._chat(self._receive(raw), connection)
        except MalformedRequest as error:
            self.counts["malformed"] += 1
            await connection.send(plain_error(400, str(error)), keep_alive=False)
            return False
        response = await self._other(raw)
        if response.delivery is not Delivery.WHOLE:
            await connection.misbehave(response, 0.0)
            return False
        keep_alive = keeps_alive(raw.headers)
        await connection.send(response, keep_alive=keep_alive, body=raw.method != "HEAD")
        return keep_alive

    async def _other(self, raw: RawRequest) -> Response:
        """The answer to what is no chat request."""
        if raw.method == "GET" and raw.path == "/v1/models":
            self.counts["models"] += 1
            listed = {"object": "list", "data": self._models}
            return Response(200, json.dumps(MODELS if self._models is None else listed).encode())
        self.counts["unknown-path"] += 1
        return plain_error(404, f"Unknown request URL: {raw.method} {raw.path}")

    def _receive(self, raw: RawRequest) -> ReceivedRequest:
        body = raw.json()
        request = ReceivedRequest(self._received, raw.path, raw.headers, body, time.monotonic())
        self._received += 1
        if self._record:
            self.requests.append(request)
        return request

    async def _chat(self, request: ReceivedRequest, connection: Connection) -> bool:
        """Answer; whether the connection can be used further."""
        self._in_flight += 1
        self.peak_in_flight = max(self.peak_in_flight, self._in_flight)
        try:
            decision = await self._decide(request)
            if decision.response.delivery is Delivery.WHOLE:
                return await self._deliver(request, decision, connection)
            self._count(request, decision.outcome)
            self._on_outcome(request, decision.outcome)
            await connection.misbehave(decision.response, decision.pause)
            return False
        finally:
            self._in_flight -= 1

    async def _decide(self, request: ReceivedRequest) -> _Decision:
        """What to answer, given after the latency."""
        try:
            decision = _render(self._refuse(request) or await self._ask(request), request)
            latency = self._latency(request) if callable(self._latency) else self._latency
            if isinstance(latency, Awaitable):
                await latency
            elif latency > 0:
                await asyncio.sleep(latency)
        except Exception as error:  # noqa: BLE001 - the test's own code: kept, and shown to the client
            self.errors.append(error)
            fault = Fault("400", message=f"the loopback server's responder raised {error!r}")
            return _Decision("responder-error", render_fault(fault, request))
        return decision

    def _refuse(self, request: ReceivedRequest) -> Fault | None:
        if self._accept_keys is not None and request.api_key not in self._accept_keys:
            return Fault("401")
        fault = self._fault_of(request)
        return None if fault is None else as_fault(fault)

    async def _ask(self, request: ReceivedRequest) -> Reply:
        reply = self._respond(request) if callable(self._respond) else self._respond
        return await reply if isinstance(reply, Awaitable) else reply

    async def _deliver(
        self, request: ReceivedRequest, decision: _Decision, connection: Connection
    ) -> bool:
        outcome = "client-gone" if connection.client_left else decision.outcome
        self._count(request, outcome)
        try:
            if outcome != "client-gone":
                await connection.send(decision.response, keep_alive=request.keep_alive)
        except BaseException:
            self.counts[outcome] -= 1
            if self._record and outcome == "ok":
                self.answered.remove(request)
            outcome = "client-gone"
            self.counts[outcome] += 1
            raise
        finally:
            self._on_outcome(request, outcome)
        return outcome != "client-gone" and request.keep_alive

    def _count(self, request: ReceivedRequest, outcome: str) -> None:
        self.counts[outcome] += 1
        if self._record and outcome == "ok":
            self.answered.append(request)


def _render(reply: Reply, request: ReceivedRequest) -> _Decision:
    if isinstance(reply, Fault):
        return _Decision(reply.kind, render_fault(reply, request), reply.pause)
    if isinstance(reply, str):
        reply = Answer(reply)
    if isinstance(reply, Answer):
        return _Decision("ok", render_answer(reply, request))
    if isinstance(reply, Response):
        return _Decision("ok", reply)
    return _Decision("ok", render_json(reply, request))


def render(reply: Reply, request: ReceivedRequest) -> Response:
    """The response that a responder's reply to a request becomes."""
    return _render(reply, request).response


async def _settle() -> None:
    """Let callbacks run that the loop has queued, and those that they queue."""
    for _ in range(5):
        await asyncio.sleep(0)
