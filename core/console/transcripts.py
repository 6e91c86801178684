"""One item of a run as a conversation, readable in a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from .safe import harmless, line, number


def item(record: Mapping[str, Any]) -> RenderableType:
    """Every call of an item, and its score."""
    demo = "  DEMO" if record["demo"] else ""
    title = f"{record['benchmark']}  {record['model']}  item {record['item_id']}{demo}"
    parts: list[RenderableType] = [Text(line(title), style="bold")]
    for iteration in record["iterations"]:
        if len(record["iterations"]) > 1:
            parts.append(Text(f"iteration {iteration['iteration']}", style="bold"))
        for call in iteration["calls"]:
            parts += _call(call)
        parts.append(_score(iteration))
    return Group(*parts)


def _call(call: Mapping[str, Any]) -> Sequence[RenderableType]:
    shown = [_panel(role, content, "blue") for role, content in call["messages"]]
    if call["reasoning"]:
        shown.append(_panel(f"{call['model']} (thinking)", call["reasoning"], "dim"))
    sent = ", ".join(f"{k} {v}" for k, v in call["sent"].items())
    tokens = call["usage"]
    facts = f"finish {call['finish']} · {tokens['input']} in, {tokens['output']} out"
    tries = f"{call['attempts']} attempt{'s' * (call['attempts'] != 1)}"
    facts += f" · {call['latency_s']:.2f} s · {tries} · sent with: {sent or 'nothing'}"
    return [*shown, _panel(call["model"], call["text"], "green"), Text(line(facts), style="dim")]


def _panel(title: str, content: str, style: str) -> Panel:
    body = Text(harmless(content) or "(empty)")
    return Panel(body, title=Text(line(title)), title_align="left", border_style=style)


def _score(iteration: Mapping[str, Any]) -> Text:
    score = iteration["score"]
    if iteration["failed"]:
        return Text(f"failed: {line(iteration['failed'])}", style="red")
    if score is None:
        return Text("not graded yet", style="yellow")
    if score["reason"]:
        return Text(f"unscored: {line(score['reason'])}", style="yellow")
    values = "  ".join(f"{name} {number(value)}" for name, value in score["values"].items())
    flags = f"  ({', '.join(score['flags'])})" if score["flags"] else ""
    return Text(line(f"score: {values}{flags}"), style="bold")
