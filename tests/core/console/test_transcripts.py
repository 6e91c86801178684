"""An item as a conversation, in a terminal of any width."""

import io
from typing import Any

import pytest
from rich.console import Console

from eibench.core.console.transcripts import item

MODEL = "openai/a-vendor/a-model-with-a-long-name"


def record(**score: Any) -> dict[str, Any]:
    """An item of one call, with its score."""
    call: dict[str, Any] = {
        "phase": "generate",
        "messages": [["user", "Hello."]],
        "text": "Hi.",
        "reasoning": "",
    }
    call |= {"model": MODEL, "sent": {}, "usage": {"input": 1, "output": 1}, "finish": "stop"}
    call |= {"attempts": 1, "latency_s": 0.1}
    graded: dict[str, Any] = {"reason": None, "values": score, "flags": []}
    iteration = {"iteration": 1, "calls": [call], "score": graded, "failed": None}
    about = {"benchmark": "b", "model": "m", "name": "m", "item_id": "1", "demo": False}
    return {**about, "iterations": [iteration], "comparisons": []}


def printed(shown: Any, width: int) -> list[str]:
    """The lines in a terminal of that width."""
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=True, color_system=None).print(item(shown))
    return out.getvalue().splitlines()


PROMPT = "How does Ann feel? " * 20


def asked_again(iterations: int, attempts: int) -> dict[str, Any]:
    """An item whose answer could not be read, whatever was tried."""
    shown = record()
    (first,) = shown["iterations"]
    (call,) = first["calls"]
    calls = [{**call, "messages": [["user", PROMPT]], "text": f"No. {n}"} for n in range(attempts)]
    graded = {"reason": "no ratings", "values": {}, "flags": ["asked_again"]}
    shown["iterations"] = [
        {**first, "iteration": n + 1, "calls": calls, "score": graded} for n in range(iterations)
    ]
    return shown


def test_two_conversations_with_a_role_are_each_gone_on_with() -> None:
    """Where calls of both alternate, nothing of either is shown again."""
    shown = record()
    (first,) = shown["iterations"]
    (call,) = first["calls"]
    asked: list[list[str]] = [["system", "rules"], ["user", "one"]]
    longer = [*asked, ["assistant", "yes"], ["user", "two"]]
    talks = [asked, [["system", "gate"], ["user", "one?"]], longer]
    calls = [{**call, "phase": "role:visitor", "messages": m, "text": "yes"} for m in talks]
    shown["iterations"] = [{**first, "calls": calls}]
    text = "\n".join(printed(shown, 80))
    assert "as above" not in text
    titles = (f"─ {who} (to {MODEL}) ─" for who in ("system", "user", "assistant"))
    assert [text.count(title) for title in titles] == [2, 3, 0]


def test_what_a_role_is_told_of_the_model_is_in_one_line() -> None:
    """The model's words were shown as its own just before."""
    shown = record()
    (first,) = shown["iterations"]
    (call,) = first["calls"]
    played = {**call, "phase": "role:visitor", "messages": [["user", "Hi."]], "text": "Yes?"}
    shown["iterations"] = [{**first, "calls": [call, played]}]
    lines = printed(shown, 100)
    assert f"user (to {MODEL}): the same 3 characters as above" in lines


def test_a_prompt_that_calls_repeat_is_shown_once() -> None:
    """However often it was asked, in one iteration or in several; each reply is there."""
    lines = printed(asked_again(3, 5), 80)
    text = " ".join(" ".join(lines).replace("│", " ").split())
    assert text.count("─ user ─") == 1
    assert lines.count("asked the same once more") == 3 * 4
    assert lines.count(f"user: the same {len(PROMPT)} characters as above") == 2
    assert sum("No. 4" in line for line in lines) == 3


def test_why_an_answer_has_no_score_is_seen_first_and_last() -> None:
    """Of several iterations above all that was said, and at the end of each."""
    lines = printed(asked_again(3, 5), 80)
    assert lines[1:4] == [f"iteration {n}: unscored: no ratings" for n in (1, 2, 3)]
    assert lines[-1] == "unscored: no ratings"
    assert printed(asked_again(1, 1), 80)[-2:] == ["flags: asked_again", "unscored: no ratings"]


def test_a_conversation_is_shown_as_it_went() -> None:
    """Each turn's new message, and none that was said before."""
    shown = record()
    (iteration,) = shown["iterations"]
    (first,) = iteration["calls"]
    turns = [["user", "Hello."], ["assistant", "Hi."], ["user", "And you?"]]
    iteration["calls"] = [first, {**first, "messages": turns, "text": "Well."}]
    lines = printed(shown, 80)
    words = ("Hello.", "Hi.", "And you?", "Well.")
    assert [sum(word in line for line in lines) for word in words] == [1, 1, 1, 1]


@pytest.mark.parametrize(("width", "place"), [(80, "╭─ {} ─"), (44, "{}")])
def test_who_spoke_is_never_cut(width: int, place: str) -> None:
    """The name stands in the line of the box, or above the box where it is too long for it."""
    assert any(line.startswith(place.format(MODEL)) for line in printed(record(), width))


def test_many_values_have_a_line_each() -> None:
    """Names and numbers whole, in two columns."""
    values = {f"criterion_number_{n}": float(n) for n in range(9, 14)}
    lines = printed(record(**values), 30)
    assert " criterion_number_9   9.00" in lines
    assert " criterion_number_13  13.00" in lines
