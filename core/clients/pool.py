"""Several servers of one model behind one client: who is asked next, and who is left out for now.

The server with the fewest requests under way is asked, of equals the one that was asked least. One
whose connection fails, that answers with what is no reply, refuses a request or lets it time out,
is set aside, and tried again with one request after `FIRST_WAIT_S`, then after twice as long each
time, and after as long as it let a request wait. What it did not answer is asked of another at
once, as long as there is one that is not set aside.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..errors import ErrorKind, ProviderError
from ..parties.providers import AskedParty, CallContext, Client, host_of, make_ready
from ..types import ChatRequest, ChatResponse
from .model_list import Listing, listing_of

FIRST_WAIT_S = 0.5
"""Seconds until a server that was set aside is tried again."""
LONGEST_WAIT_S = 15.0
_NO_REPLY = {ErrorKind.CONNECTION, ErrorKind.MALFORMED, ErrorKind.TOO_LARGE}
_REFUSALS = {ErrorKind.AUTH, ErrorKind.QUOTA, ErrorKind.NOT_FOUND, ErrorKind.INVALID_REQUEST}
"""What may be the fault of one server alone, where it comes with a status."""


@dataclass(eq=False)
class PooledServer:
    """One of the servers, and how it fares.

    Attributes:
        address: Its URL.
        under_way: Requests that wait for its answer.
        asked: Requests sent to it so far.
        wait: Seconds that it is set aside for; 0 for one that answers.
        retry_at: When it may be tried again.
    """

    client: Client
    address: str
    under_way: int = 0
    asked: int = 0
    wait: float = 0.0
    retry_at: float = 0.0

    def answered(self) -> None:
        """It is there."""
        self.wait = 0.0

    def set_aside(self, now: float, hung_s: float = 0.0) -> None:
        """It failed, so it is left out for a while; failures of one moment count once."""
        if not self.wait or now >= self.retry_at:
            self.wait = max(min(2 * self.wait or FIRST_WAIT_S, LONGEST_WAIT_S), hung_s)
            self.retry_at = now + self.wait


class ServerPool:
    """Sends each request to one of several servers. Implements `parties.providers.Client`."""

    def __init__(
        self,
        servers: Sequence[PooledServer],
        asked: AskedParty,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.servers, self._asked, self._clock = servers, asked, clock
        self._answered_by: dict[str, str] = {}

    async def prepare(self) -> None:
        """Get all clients ready; see `Client`."""
        for server in self.servers:
            await make_ready(server.client)

    async def listing(self) -> Listing | None:
        """What models the first of the servers lists."""
        return await listing_of(self.servers[0].client)

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The reply of a server; one that no connection was made to is followed by another at once.

        Raises:
            ProviderError: There was no usable reply; of kind CONNECTION and not `elsewhere` where
                no server can be reached.
        """
        left = list(self.servers)
        while True:
            server = self._next(left)
            left.remove(server)
            try:
                response = await self._send(server, request, call)
            except ProviderError as error:
                error.elsewhere = _is_of_server(error) and self.has_healthy
                error.fatal = error.fatal and not error.elsewhere
                if not left and error.unsent:
                    raise self._all_down(error) from None
                if not error.unsent:
                    raise
            else:
                self._answered_by[call.key] = server.address
                return response

    def answered_by(self, call: CallContext) -> str | None:
        """The address of the server that answered a call, told once."""
        return self._answered_by.pop(call.key, None)

    @property
    def has_healthy(self) -> bool:
        """Whether a server is not set aside."""
        return not all(server.wait for server in self.servers)

    def _next(self, left: Sequence[PooledServer]) -> PooledServer:
        """Who is asked: one that is due for a trial, else one that answers, else the first due."""
        now = self._clock()
        for server in left:
            if server.wait and now >= server.retry_at and not server.under_way:
                return server
        answering = [server for server in left if not server.wait]
        if answering:
            return min(answering, key=lambda server: (server.under_way, server.asked))
        return min(left, key=lambda server: server.retry_at)

    async def _send(
        self, server: PooledServer, request: ChatRequest, call: CallContext
    ) -> ChatResponse:
        server.under_way += 1
        server.asked += 1
        began = self._clock()
        try:
            response = await server.client.complete(request, call)
        except ProviderError as error:
            if _is_of_server(error) or (error.status or 0) >= 500:
                server.set_aside(self._clock())
            raise
        except asyncio.CancelledError:  # as a rule the caller's time limit
            server.set_aside(self._clock(), self._clock() - began)
            raise
        finally:
            server.under_way -= 1
        server.answered()
        return response

    def _all_down(self, last: ProviderError) -> ProviderError:
        listed = ", ".join(host_of(server.address) for server in self.servers)
        error = ProviderError(
            ErrorKind.CONNECTION,
            f"cannot reach {self._asked.name} at any of {listed} ({last}); "
            f"check each {self._asked.options.base_url}",
        )
        error.unsent = True
        return error

    async def close(self) -> None:
        """Close connections."""
        for server in self.servers:
            await server.client.close()


def _is_of_server(error: ProviderError) -> bool:
    """Whether another server of the model may answer what this one did not."""
    return error.kind in _NO_REPLY or (error.status is not None and error.kind in _REFUSALS)
