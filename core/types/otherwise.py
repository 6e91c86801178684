"""What a request was sent with otherwise than it was meant: by field, how it differs.

`ChatResponse.sent` has what was sent. A server that does not take a field is asked without it, or
with another value; one whose chat template takes no system text, or no two turns of one role in a
row, is sent messages of another form.
"""

from collections.abc import Mapping

from . import SAMPLING, ChatRequest, Json, JsonObject, Sampling

NOT_SENT = "not sent"
ROOM, SCHEMA = "max_tokens", "json_schema"
FORMS = ("system", "turns")
"""Notes in `ChatResponse.sent` of messages that were sent in another form."""
_CALLED: Mapping[str, tuple[str, ...]] = {
    **{name: one.sent_as for name, one in SAMPLING.items()},
    ROOM: ("max_completion_tokens",),
    SCHEMA: ("response_format", "output_config.format"),
    "stop": ("stop_sequences",),
}
"""What else clients call a field that they send."""
_NO_EFFORT = {"type": "adaptive"}
"""Of Anthropic's ``thinking``, which says nothing of how much."""


def asked_otherwise(meant: Sampling, sent: JsonObject) -> dict[str, str]:
    """How each field differs that was not sent as it was meant; empty where none does.

    Fields of ``extra_body`` win over others of the same name, as in a request.
    """
    asked = meant.sent()
    if asked == sent:  # nearly always
        return {}
    body, went = meant.extra_body or {}, flat(sent)
    differing = {
        name: how
        for name, value in asked.items()
        if name not in ("extra_body", *body) and (how := _how(name, value, went))
    }
    if "extra_body" not in sent:
        differing |= {f"extra_body.{name}": NOT_SENT for name in body if name not in sent}
    forms = {name: sent[name] for name in FORMS if name in sent and name not in body}
    return differing | {name: how for name, how in forms.items() if isinstance(how, str)}


def could_differ(field: str, request: ChatRequest) -> bool:
    """Whether a field could have been sent otherwise; not where it was not meant to be sent."""
    if field == FORMS[0]:
        return any(message.role == "system" for message in request.messages)
    if field in FORMS:
        return True
    body, _, inner = field.partition(".")
    return bool(inner) or getattr(request.sampling, body, None) is not None


def flat(sent: JsonObject) -> JsonObject:
    """What was sent, with what stands in ``output_config`` under names of its own."""
    output = sent.get("output_config")
    inner = output if isinstance(output, Mapping) else {}
    return {**sent, **{f"output_config.{name}": value for name, value in inner.items()}}


def _how(name: str, value: Json, went: JsonObject) -> str | None:
    """How a field differs from what was meant; ``None`` where it does not."""
    word = next((w for w in (name, *_CALLED.get(name, ())) if w in went), None)
    if word is None or (word == "thinking" and went[word] == _NO_EFFORT):
        return NOT_SENT
    other = went[word]
    if name == ROOM:  # in words, as the number may be another one for each prompt
        return "smaller" if _number(other) < _number(value) else None
    if name not in SAMPLING or word == "thinking" or other == value:
        return None
    return "another" if SAMPLING[name].repeats else f"{_shown(other)} in place of {_shown(value)}"


def _shown(value: Json) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _number(value: Json) -> float:
    return value if isinstance(value, int | float) else 0.0
