"""What a model says, and its form in both dialects.

An `Answer` is written in neutral words; `render_answer` puts it into an OpenAI
chat completion or an Anthropic message, by the path that was called. Whatever
the answer leaves open is filled in from the request, so that equal requests
get equal answers.
"""

import json
from dataclasses import dataclass

from eibench import JsonDict, JsonObject

from .wire import ReceivedRequest, Response, content_text

#: Neutral finish reason to each dialect's own; any other word is sent as it is.
OPENAI_FINISH = {"refusal": "stop"}
ANTHROPIC_FINISH = {
    "stop": "end_turn",
    "length": "max_tokens",
    "content_filter": "refusal",
}
CREATED = 1_750_000_000
MODEL = "loopback-model"
"""The one model that `GET /v1/models` lists (any other name is answered too)."""
MODELS = {  # both dialects at once: their fields do not collide
    "object": "list",
    "data": [
        {
            "id": MODEL,
            "object": "model",
            "created": CREATED,
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


@dataclass(frozen=True)
class Answer:
    """One good answer of a model.

    Attributes:
        text: What it says; None gives a null content (Anthropic: no block).
        reasoning: Its thinking: `reasoning_content`, or a thinking block.
        finish: "stop", "length", "content_filter", "refusal", or a provider's own word.
        refusal: Words of a refusal (OpenAI's field; Anthropic: `stop_details`).
        input_tokens: All input, cached included; default a quarter of the characters.
        cached_tokens: How many of them came from a cache.
        output_tokens: All output, reasoning included; default as for input.
        reasoning_tokens: How many of them were reasoning.
        model: Id of the model that answered; default the one asked for.
        fingerprint: OpenAI's `system_fingerprint`.
        provider: The host that a broker says has answered.
    """

    text: str | None = "OK"
    reasoning: str | None = None
    finish: str = "stop"
    refusal: str | None = None
    input_tokens: int | None = None
    cached_tokens: int = 0
    output_tokens: int | None = None
    reasoning_tokens: int = 0
    model: str | None = None
    fingerprint: str = "fp_loopback"
    provider: str | None = None

    def input_of(self, request: ReceivedRequest) -> int:
        """Input tokens of the request: as given, else estimated."""
        if self.input_tokens is not None:
            return self.input_tokens
        texts = [content_text(message.get("content")) for message in request.messages]
        texts.append(str(request.body.get("prompt", "")))
        return _tokens(content_text(request.body.get("system")), *texts)

    @property
    def output(self) -> int:
        """Output tokens: as given, else estimated from text and reasoning."""
        if self.output_tokens is not None:
            return self.output_tokens
        return _tokens(self.text or "", self.reasoning or "", self.refusal or "")


def _tokens(*texts: str) -> int:
    return max(1, sum(map(len, texts)) // 4)


def render_answer(answer: Answer, request: ReceivedRequest) -> Response:
    """The answer as status 200 in the dialect of the request."""
    openai = request.dialect == "openai"
    body = _openai_body(answer, request) if openai else _anthropic_body(answer, request)
    return render_json(body, request)


def render_json(body: JsonObject, request: ReceivedRequest, status: int = 200) -> Response:
    """Any JSON object under the request-id header of the dialect."""
    name = "x-request-id" if request.dialect == "openai" else "request-id"
    return Response(status, json.dumps(body).encode(), ((name, f"req_{request.n}"),))


def _openai_body(answer: Answer, request: ReceivedRequest) -> JsonDict:
    message: JsonDict = {"role": "assistant", "content": answer.text}
    message["refusal"] = answer.refusal
    if answer.reasoning is not None:
        message["reasoning_content"] = answer.reasoning
    finish = OPENAI_FINISH.get(answer.finish, answer.finish)
    choice: JsonDict = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    if request.path == "/v1/completions":
        choice = {"index": 0, "text": answer.text, "finish_reason": finish, "logprobs": None}
    return {
        "id": f"chatcmpl-{request.n}",
        "object": "chat.completion",
        "created": CREATED,
        "model": answer.model or request.model,
        "system_fingerprint": answer.fingerprint,
        "choices": [choice],
        "usage": _openai_usage(answer, answer.input_of(request)),
        **({"provider": answer.provider} if answer.provider else {}),
    }


def _openai_usage(answer: Answer, taken: int) -> JsonDict:
    return {
        "prompt_tokens": taken,
        "completion_tokens": answer.output,
        "total_tokens": taken + answer.output,
        "prompt_tokens_details": {"cached_tokens": answer.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": answer.reasoning_tokens},
    }


def _anthropic_body(answer: Answer, request: ReceivedRequest) -> JsonDict:
    blocks: list[JsonObject] = []
    if answer.reasoning is not None:
        block = {"type": "thinking", "thinking": answer.reasoning, "signature": "loopback"}
        blocks.append(block)
    if answer.text:
        blocks.append({"type": "text", "text": answer.text})
    body: JsonDict = {
        "id": f"msg_{request.n}",
        "type": "message",
        "role": "assistant",
        "model": answer.model or request.model,
        "content": blocks,
        "stop_reason": ANTHROPIC_FINISH.get(answer.finish, answer.finish),
        "stop_sequence": None,
        "usage": _anthropic_usage(answer, answer.input_of(request)),
    }
    if answer.refusal is not None:
        body["stop_details"] = {"type": "refusal", "explanation": answer.refusal}
    return body


def _anthropic_usage(answer: Answer, taken: int) -> JsonDict:
    return {
        "input_tokens": taken - answer.cached_tokens,  # there, input excludes the cache
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": answer.cached_tokens,
        "output_tokens": answer.output,
        "output_tokens_details": {"thinking_tokens": answer.reasoning_tokens},
        "service_tier": "standard",
    }


def plain_error(status: int, message: str) -> Response:
    """An error outside of both dialects, which either SDK can read."""
    fields = {"type": "invalid_request_error", "message": message, "param": None, "code": None}
    return Response(status, json.dumps({"type": "error", "error": fields}).encode())
