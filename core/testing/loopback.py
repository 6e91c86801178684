"""A provider on the loopback interface, in a thread of its own.

Raw asyncio streams and no framework, so that a benchmark of 20,000 calls
measures the client. Every chat request that is not cut by `close` ends in one
outcome. A good answer counts when the client was still there and the kernel
took all of it; the tally is made before the bytes leave and taken back if they
cannot, so a client that has its answer always finds it counted.
"""

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from threading import Event, Thread
from types import TracebackType
from typing import Self

from ..types import JsonObject
from .faults import Faults, fault_plan
from .provider import Decision, Latency, SimulatedProvider, answer_aside, parse_body, plain_error
from .responders import Responder
from .wire import (
    DIALECTS,
    Connection,
    Delivery,
    MalformedRequest,
    RawRequest,
    ReceivedRequest,
)

_LOOK_EVERY_S = 0.002
_LONGEST_S = 60.0


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
        self._models = models
        self._provider = SimulatedProvider(
            respond, latency, fault_plan(faults or {}, seed), accept_keys
        )
        self._record = record
        self._on_outcome = on_outcome
        self.requests: list[ReceivedRequest] = []
        self.answered: list[ReceivedRequest] = []
        self.counts: Counter[str] = Counter()
        self.peak_in_flight = 0
        self._in_flight = self._received = 0
        self._port = port
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

    @property
    def errors(self) -> list[Exception]:
        """What the responder, the fault function or the latency function raised."""
        return self._provider.errors

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

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(
        self, *_: type[BaseException] | BaseException | TracebackType | None
    ) -> None:
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
        await self._stop_accepting(server)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await _settle()  # their sockets close

    async def _stop_accepting(self, server: asyncio.Server) -> None:
        """Close the server when each connection that it accepted has become a task.

        `Server.close` alone loses those of the loop's last round: their
        transports fail to attach to it and are never closed.
        """
        with suppress(NotImplementedError):  # Windows
            for listening in server.sockets:
                self._loop.remove_reader(listening)
        await _settle()
        server.close()

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
                return await self._chat(self._take_down(raw), connection)
            outcome, response, _ = answer_aside(raw, self._models)
        except MalformedRequest as error:
            self.counts["malformed"] += 1
            await connection.send(plain_error(400, str(error)), keep_alive=False)
            return False
        self.counts[outcome] += 1
        await connection.send(response, keep_alive=raw.keep_alive, body=raw.method != "HEAD")
        return raw.keep_alive

    def _take_down(self, raw: RawRequest) -> ReceivedRequest:
        body, now = parse_body(raw), time.monotonic()
        request = ReceivedRequest(self._received, raw.path, raw.headers, body, now)
        self._received += 1
        if self._record:
            self.requests.append(request)
        return request

    async def _chat(self, request: ReceivedRequest, connection: Connection) -> bool:
        self._in_flight += 1
        self.peak_in_flight = max(self.peak_in_flight, self._in_flight)
        try:
            decision = await self._provider.decide(request)
            if decision.response.delivery is Delivery.WHOLE:
                return await self._deliver(request, decision, connection)
            self._count(request, decision.outcome)
            self._report(request, decision.outcome)
            await connection.misbehave(decision.response, decision.pause)
            return False
        finally:
            self._in_flight -= 1

    async def _deliver(
        self, request: ReceivedRequest, decision: Decision, connection: Connection
    ) -> bool:
        if connection.client_left:
            self._count(request, "client-gone")
            self._report(request, "client-gone")
            return False
        self._count(request, decision.outcome)
        try:
            await connection.send(decision.response, keep_alive=request.keep_alive)
        except BaseException:
            self._take_back(request, decision.outcome)
            self._report(request, "client-gone")
            raise
        self._report(request, decision.outcome)
        return request.keep_alive

    def _count(self, request: ReceivedRequest, outcome: str) -> None:
        self.counts[outcome] += 1
        if self._record and outcome == "ok":
            self.answered.append(request)

    def _take_back(self, request: ReceivedRequest, outcome: str) -> None:
        self.counts[outcome] -= 1
        self.counts["client-gone"] += 1
        if self._record and outcome == "ok":
            self.answered.remove(request)

    def _report(self, request: ReceivedRequest, outcome: str) -> None:
        if self._on_outcome is not None:
            self._on_outcome(request, outcome)


async def _settle() -> None:
    """Let callbacks run that the loop has queued, and those that they queue."""
    for _ in range(5):
        await asyncio.sleep(0)
