"""What the loopback server makes of a chat request, without a socket in sight.

A request is decided on in order of arrival: is the key accepted, is there a
fault for it, and only then what the responder says.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import NamedTuple

from ..types import JsonDict, JsonObject
from .faults import Fault, FaultPlan, as_fault, render_fault
from .replies import Answer, render_answer, render_json
from .responders import Reply, Responder
from .wire import MalformedRequest, RawRequest, ReceivedRequest, Response

#: The one model that `GET /v1/models` lists (any other name is answered too).
MODEL = "loopback-model"
_MODELS = {  # both dialects at once: their fields do not collide
    "object": "list",
    "data": [
        {
            "id": MODEL,
            "object": "model",
            "created": 1_750_000_000,
            "owned_by": "loopback",
            "type": "model",
            "display_name": MODEL,
            "created_at": "2025-06-15T15:06:40Z",
        }
    ],
    "has_more": False,
    "first_id": MODEL,
    "last_id": MODEL,
}
Latency = float | Callable[[ReceivedRequest], float | Awaitable[None]]


class Decision(NamedTuple):
    """The response to send and the word to count it under; `pause` is a trickle's."""

    outcome: str
    response: Response
    pause: float = 0.0


class SimulatedProvider:
    """Decides on chat requests; its arguments are those of `LoopbackServer`."""

    def __init__(
        self,
        respond: Responder | str,
        latency: Latency,
        fault_of: FaultPlan,
        accept_keys: Collection[str] | None,
    ) -> None:
        self._respond = respond
        self._latency = latency
        self._fault_of = fault_of
        self._accept_keys = accept_keys
        self.errors: list[Exception] = []

    async def decide(self, request: ReceivedRequest) -> Decision:
        """What to answer, given after the latency."""
        try:
            reply = self._refuse(request) or await self._ask(request)
            decision = _render(reply, request)
            await self._wait(request)
        except Exception as error:  # noqa: BLE001 - the test's own code: kept, and shown to the client
            self.errors.append(error)
            fault = Fault("400", message=f"the loopback server's responder raised {error!r}")
            return Decision("responder-error", render_fault(fault, request))
        return decision

    def _refuse(self, request: ReceivedRequest) -> Fault | None:
        if self._accept_keys is not None and request.api_key not in self._accept_keys:
            return Fault("401")
        fault = self._fault_of(request)
        return None if fault is None else as_fault(fault)

    async def _ask(self, request: ReceivedRequest) -> Reply:
        if isinstance(self._respond, str):
            return self._respond
        reply = self._respond(request)
        return await reply if isinstance(reply, Awaitable) else reply

    async def _wait(self, request: ReceivedRequest) -> None:
        latency = self._latency(request) if callable(self._latency) else self._latency
        if isinstance(latency, Awaitable):
            await latency
        elif latency > 0:
            await asyncio.sleep(latency)


def _render(reply: Reply, request: ReceivedRequest) -> Decision:
    if isinstance(reply, Fault):
        return Decision(reply.kind, render_fault(reply, request), reply.pause)
    if isinstance(reply, str):
        reply = Answer(reply)
    if isinstance(reply, Answer):
        return Decision("ok", render_answer(reply, request))
    if isinstance(reply, Response):
        return Decision("ok", reply)
    return Decision("ok", render_json(reply, request))


def parse_body(raw: RawRequest) -> JsonDict:
    """The JSON object in the body.

    Raises:
        MalformedRequest: It is not one, or it asks for a stream.
    """
    try:
        body = json.loads(raw.body)
    except ValueError as error:
        raise MalformedRequest(f"the body is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise MalformedRequest("the body is not a JSON object")
    if body.get("stream"):
        raise MalformedRequest("the loopback server does not stream")
    return body


def answer_aside(raw: RawRequest, models: Sequence[JsonObject] | None = None) -> Decision:
    """The answer to what is no chat request: the models, by default a list of one, or 404."""
    if raw.method == "GET" and raw.path == "/v1/models":
        listed = _MODELS if models is None else {"object": "list", "data": list(models)}
        return Decision("models", Response(200, json.dumps(listed).encode()))
    message = f"Unknown request URL: {raw.method} {raw.path}"
    return Decision("unknown-path", plain_error(404, message))


def plain_error(status: int, message: str) -> Response:
    """An error outside of both dialects, which either SDK can read."""
    fields = {"type": "invalid_request_error", "message": message, "param": None, "code": None}
    return Response(status, json.dumps({"type": "error", "error": fields}).encode())
