"""What of a request was sent otherwise than it was meant."""

from typing import Any

import pytest

from eibench import Sampling
from eibench.core.types.otherwise import asked_otherwise

MEANT: dict[str, Any] = {
    "temperature": 0.0, "max_tokens": 8000, "json_schema": {"type": "object"}, "seed": 3,
    "stop": ("END",), "reasoning_effort": "low",
}  # fmt: skip
OPENAI: dict[str, Any] = {
    "temperature": 0, "max_completion_tokens": 8000, "response_format": {"type": "json_schema"},
    "seed": 3, "stop": ["END"], "reasoning_effort": "low",
}  # fmt: skip
ANTHROPIC: dict[str, Any] = {
    "temperature": 0.0, "max_tokens": 8000, "stop_sequences": ["END"],
    "thinking": {"type": "adaptive"},
    "output_config": {"effort": "low", "format": {"type": "json_schema"}},
}  # fmt: skip


@pytest.mark.parametrize("sent", [OPENAI, ANTHROPIC | {"seed": 3}, MEANT])
def test_a_request_that_went_as_meant_has_nothing(sent: dict[str, Any]) -> None:
    """Whatever the provider calls its fields."""
    assert asked_otherwise(Sampling(**MEANT), sent) == {}


@pytest.mark.parametrize(
    ("gone", "field"),
    [
        ("temperature", "temperature"), ("max_completion_tokens", "max_tokens"),
        ("response_format", "json_schema"), ("seed", "seed"), ("stop", "stop"),
        ("reasoning_effort", "reasoning_effort"),
    ],
)  # fmt: skip
def test_each_field_may_be_missing(gone: str, field: str) -> None:
    """It is named as people know it."""
    sent = {name: value for name, value in OPENAI.items() if name != gone}
    assert asked_otherwise(Sampling(**MEANT), sent) == {field: "not sent"}


@pytest.mark.parametrize(
    ("output", "thinking", "missing"),
    [
        ({"effort": "low"}, None, {"json_schema"}),
        ({"format": {}}, {"type": "adaptive"}, {"reasoning_effort"}),
        ({"format": {}}, None, {"reasoning_effort"}),
        ({"format": {}}, {"type": "enabled", "budget_tokens": 1024}, set()),
    ],
)
def test_a_field_within_another_is_looked_for_there(
    output: dict[str, Any], thinking: dict[str, Any] | None, missing: set[str]
) -> None:
    """Effort and schema of Anthropic's; thinking that says nothing of how much is no effort."""
    sent = {**ANTHROPIC, "seed": 3, "output_config": output, "thinking": thinking}
    sent = {name: value for name, value in sent.items() if value is not None}
    assert asked_otherwise(Sampling(**MEANT), sent) == dict.fromkeys(missing, "not sent")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"temperature": 0.01}, {"temperature": "0.01 in place of 0"}),
        ({"max_completion_tokens": 4096}, {"max_tokens": "smaller"}),
        ({"max_completion_tokens": 9000}, {}),
        ({"seed": 4}, {"seed": "another"}),
        ({"reasoning_effort": "high"}, {"reasoning_effort": "high in place of low"}),
        ({"system": "in the first user message"}, {"system": "in the first user message"}),
        ({"turns": "joined"}, {"turns": "joined"}),
        ({"service_tier": "flex"}, {}),
    ],
)
def test_a_value_that_changed_is_told(change: dict[str, Any], told: dict[str, str]) -> None:
    """With both values; room without, as it may be another for each prompt."""
    assert asked_otherwise(Sampling(**MEANT), OPENAI | change) == told


def test_fields_of_extra_body_are_the_ones_that_are_meant() -> None:
    """They win over a parameter of their name, and each may be missing by itself."""
    body: dict[str, Any] = {"temperature": 1, "system": "mine", "top_n": 3}
    meant = Sampling(temperature=0.0, extra_body=body)
    assert asked_otherwise(meant, {"temperature": 1, "system": "mine", "top_n": 3}) == {}
    assert asked_otherwise(meant, {"temperature": 1, "system": "mine"}) == {
        "extra_body.top_n": "not sent"
    }
    assert asked_otherwise(meant, {"temperature": 0.0, "extra_body": body}) == {}
