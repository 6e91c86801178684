"""The tokens in a server's ``usage``, as they are counted and paid."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.clients.anthropic import read_message
from eibench.core.clients.openai import read_completion
from eibench.core.clients.replies import count, read_usage
from eibench.core.parties.providers import SOMEBODY
from eibench.core.types import Usage


def usage(
    prompt: Any = None, completion: Any = None, total: Any = None, reasoning: Any = None
) -> dict[str, Any]:
    """A ``usage`` with the fields that are given."""
    counts = {"prompt": prompt, "completion": completion, "total": total}
    made = {f"{name}_tokens": n for name, n in counts.items() if n is not None}
    details = {"completion_tokens_details": {"reasoning_tokens": reasoning}}
    return made | (details if reasoning is not None else {})


@pytest.mark.parametrize(
    ("message", "taken", "output", "reasoning"),
    [
        (usage(100, 50, 150), 100, 50, 0),
        (usage(100, 50, 150, reasoning=30), 100, 50, 30),
        (usage(100, 20, 620, reasoning=500), 100, 520, 500),
        (usage(100, 200, 350, reasoning=50), 100, 250, 50),
        (usage(100, 20, reasoning=500), 100, 520, 500),
        (usage(100, 20, 620), 100, 520, 0),
        (usage(100, None, 620), 100, 520, 0),
        (usage(100, None, None, reasoning=500), 100, 500, 500),
        (usage(None, 50, 150), 100, 50, 0),
        (usage(0, 50, 150), 100, 50, 0),
        (usage(None, 20, 620, reasoning=500), 100, 520, 500),
        (usage(None, None, 620), 0, 620, 0),
        (usage(100, 50, 0), 100, 50, 0),
        (usage(100, 50, 120), 100, 50, 0),
        (usage(100, 50), 100, 50, 0),
        (usage(100, 20) | {"reasoning_tokens": 500}, 100, 520, 500),
        ({}, 0, 0, 0),
    ],
)
def test_output_is_all_that_the_totals_say(
    message: Mapping[str, Any], taken: int, output: int, reasoning: int
) -> None:
    """Reasoning beside the completion is counted, whether its own field or the total tells it."""
    assert read_usage(message) == Usage(input=taken, output=output, reasoning=reasoning)


@pytest.mark.parametrize(
    ("cached", "written", "kept"),
    [(60, 10, (60, 10)), (10**6, 0, (100, 0)), (60, 60, (60, 40)), (None, "x", (0, 0))],
)
def test_what_came_from_a_cache_is_part_of_the_input(
    cached: Any, written: Any, kept: tuple[int, int]
) -> None:
    """A cache count that exceeds the prompt is cut to it."""
    details = {"cached_tokens": cached, "cache_write_tokens": written}
    made = read_usage(usage(100, 50, 150) | {"prompt_tokens_details": details})
    assert (made.cached, made.cache_write) == kept


@pytest.mark.parametrize(
    ("value", "tokens"),
    [
        (7, 7),
        (7.0, 7),
        ("7", 7),
        ("7.5", 0),
        ("many", 0),
        ("-7", 0),
        ("9" * 5000, 0),
        ("\u0667", 0),
        (-7, 0),
        (float("nan"), 0),
        (float("inf"), 0),
        (10**400, 0),
        (True, 0),
        (None, 0),
        ([7], 0),
        ({"n": 7}, 0),
    ],
)
def test_a_count_of_any_type(value: Any, tokens: int) -> None:
    """Whatever is no number of tokens counts as if it were not there."""
    assert count(value) == tokens


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=3,
)
_NAMES = ("prompt_tokens", "completion_tokens", "total_tokens", "reasoning_tokens")
_DETAILS = ("cached_tokens", "cache_write_tokens", "reasoning_tokens")
_COUNTS = st.integers(0, 1000) | _JSON


@given(
    st.dictionaries(st.sampled_from(_NAMES), _COUNTS)
    | _JSON
    | st.fixed_dictionaries(
        dict.fromkeys(_NAMES, _COUNTS)
        | {
            f"{of}_tokens_details": st.dictionaries(st.sampled_from(_DETAILS), _COUNTS) | _JSON
            for of in ("prompt", "completion")
        }
    )
)
def test_parts_never_exceed_the_whole(message: Any) -> None:
    """No usage raises; nothing told is left out; thinking and cache are parts of the others."""
    made = read_usage(message)
    raw = message if isinstance(message, dict) else {}
    assert made.cached + made.cache_write <= made.input
    assert made.reasoning <= made.output
    assert made.output >= count(raw.get("completion_tokens"))
    assert made.input + made.output >= count(raw.get("total_tokens"))


def test_a_huge_number_spoils_no_reply() -> None:
    """A count with more digits than Python reads is none, and the paid answer counts."""
    body = json.dumps({"choices": [{"message": {"content": "A"}}], "usage": usage(5, 12345)})
    text = body.replace("12345", "9" * 5000)
    made = read_completion(text, {}, {}, SOMEBODY)
    assert (made.text, made.usage) == ("A", Usage(input=5))


def test_thinking_beside_the_output_of_a_message() -> None:
    """In Anthropic's form, too, thinking that cannot be part of the output is added to it."""
    counts = {"input_tokens": 9, "output_tokens": 5}
    message = counts | {"output_tokens_details": {"thinking_tokens": 50}}
    body = {"content": [{"type": "text", "text": "A"}], "usage": message}
    made = read_message(json.dumps(body), {}, {}, SOMEBODY)
    assert made.usage == Usage(input=9, output=55, reasoning=50)
