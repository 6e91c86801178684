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
    about = {"benchmark": "b", "model": "m", "item_id": "1", "demo": False}
    return {**about, "iterations": [iteration]}


def printed(shown: dict[str, Any], width: int) -> list[str]:
    """The lines in a terminal of that width."""
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=True, color_system=None).print(item(shown))
    return out.getvalue().splitlines()


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
