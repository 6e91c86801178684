"""What a reader sees of a text, and what of it can be stored."""

import json
from typing import Any

import pytest

from eibench import is_blank
from eibench.core.text import as_text, checkpoint, listed, plural
from eibench.core.types import Finish, Message


@pytest.mark.parametrize(
    "text",
    ["", " \n\t", "\x00\x00\x00", "\u200b\u200d", "\ufeff", "\u3164", "\u2800", "\u202e \u2066",
     "\U000e0041", "\u00a0\u2003\u2028", "\x1b", "\ud800", "\u0301"],
)  # fmt: skip
def test_nothing_to_see_is_blank(text: str) -> None:
    """Blanks, controls, invisible characters, letters that look like blanks."""
    assert is_blank(text)


@pytest.mark.parametrize("text", [".", "\x00a", "\u200b我", "🙂", "é", "-", "0", "\U0001f1e9"])
def test_whatever_can_be_seen_is_not(text: str) -> None:
    """A single sign is enough."""
    assert not is_blank(text)


@pytest.mark.parametrize(
    ("n", "noun", "shown"),
    [
        (0, "call", "0 calls"),
        (1, "call", "1 call"),
        (2, "call", "2 calls"),
        (1, "family", "1 family"),
        (2, "family", "2 families"),
        (2, "reply", "2 replies"),
        (2, "story", "2 stories"),
        (2, "survey", "2 surveys"),
        (2, "other result", "2 other results"),
        (12345, "item", "12,345 items"),
    ],
)
def test_a_count_stands_with_its_noun(n: int, noun: str, shown: str) -> None:
    """Only 1 is singular."""
    assert plural(n, noun) == shown


def test_a_count_may_have_a_verb() -> None:
    """That of one or that of several."""
    assert [plural(n, "answer", "is", "are") for n in (1, 2)] == ["1 answer is", "2 answers are"]


def test_a_long_list_ends_in_how_many_more_there_are() -> None:
    """And one that is not long is whole."""
    assert [listed("abc"[:n], 2) for n in range(4)] == ["", "a", "a, b", "a, b and 1 more"]


@pytest.mark.parametrize(
    "value",
    [
        None, 7, -0.5, 1e300, "a \"b\" \\ \n\t\x00 é 我", [], {}, [[]], [{}], ["a", "é"], ["a", 1],
        (1, (2, "b")), {"a": {"b": [1, {"c": None}]}, "d": [True, False]},
        Finish.STOP, [Finish.STOP], {1: "a", None: 2, 0.5: {}}, {True: [3]},
    ],
)  # fmt: skip
def test_a_document_is_the_json_of_the_standard_library(value: Any) -> None:
    """With the same blanks, lines and order."""
    assert as_text(value) == json.dumps(value, indent=2, ensure_ascii=False)


@pytest.mark.parametrize("value", ["{}", ["{}"], {"a": "{}"}, {"{}": 1}, [1, "{}"]])
def test_what_a_terminal_obeys_is_escaped_in_a_document(value: Any) -> None:
    """Wherever it stands, and it is read back as it was."""
    bad = json.loads(json.dumps(value).replace("{}", "\\u009b\\u202e\\u007f\\ud800"))
    text = as_text(bad)
    assert text.isascii()
    assert json.loads(text) == bad


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": {1, 2}}, {(1,): 2}])
def test_what_is_no_json_is_refused(value: Any) -> None:
    """As ever."""
    with pytest.raises((ValueError, TypeError)):
        as_text(value)


def test_a_named_tuple_is_an_object() -> None:
    """Whose fields keep their order."""
    assert as_text([Message("user", "x")]) == as_text([{"role": "user", "content": "x"}])


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("llama-ft@1200", ("llama-ft", "step", 1200)), ("a@1@2", ("a@1", "step", 2)),
        ("openai/out/checkpoint-40", ("openai/out", "step", 40)), ("ft-step-7", ("ft", "step", 7)),
        ("ft.ckpt0300", ("ft", "step", 300)), ("ft_epoch-3", ("ft", "epoch", 3)),
        ("checkpoint-500", ("", "step", 500)), ("openai/ckpt-200", ("openai", "step", 200)),
    ],
)  # fmt: skip
def test_a_checkpoint_is_a_step_of_what_its_name_begins_with(name: str, found: Any) -> None:
    """By an at sign, or as folders of checkpoints are called."""
    assert checkpoint(name) == found


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4", "llama-3-8b", "qwen2.5", "model-1200", "v2", "footstep-12", "a@12b", "@5", "a@",
        "a-ckpt", "a-ckpt-", "steps-3", "a@-3", "a@1.5", "a@\u0663", "a@1200\n", "epoch3",
        "a@" + "9" * 16, "",
    ],
)  # fmt: skip
def test_other_names_are_no_checkpoints(name: str) -> None:
    """Whatever number they end with."""
    assert checkpoint(name) is None
