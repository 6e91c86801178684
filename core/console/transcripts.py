"""One item of a run as a conversation, readable in a terminal.

A call's messages repeat those of the calls before it, so only what is new is
shown. A judge's prompt is the transcript once more, so only its length is told.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.text import Text

from ..benchmark.model import role_in
from ..hooks.sections import TranscriptView, Turn
from ..reading.repetition import repeated_tail
from ..reports.transcripts import comparisons_table, score_facts
from ..sample.progress import COMPARE
from ..text import harmless, line, number, plural
from ..types import Finish
from .fitted import Fitted
from .tables import part

if TYPE_CHECKING:
    from ..reports.transcripts import ItemCall, ItemDocument, IterationRow

_IN_A_LINE = 4
"""Values that a score may have to be shown in a line; more have a line each."""
_AROUND_TITLE = 6
"""Characters of a line of a box that its title cannot have."""


def both(
    records: Sequence["ItemDocument"],
    *,
    full: bool = False,
    views: Sequence[Mapping[int, TranscriptView]],
) -> RenderableType:
    """The same item of several runs, one below the other; what was shown once is not repeated."""
    shown: set[_Message] = set()
    parts = [
        item(record, full=full, views=its_views, shown=shown)
        for record, its_views in zip(records, views, strict=True)
    ]
    return Group(*chain.from_iterable((Text(""), part) for part in parts))


def item(
    record: "ItemDocument",
    *,
    full: bool = False,
    views: Mapping[int, TranscriptView] = {},
    shown: set["_Message"] | None = None,
) -> RenderableType:
    """Every call of an item, its score, and the comparisons that its transcript is in.

    `full` shows messages as they were sent, those to judges too; `views` by iteration, how the
    benchmark shows it; messages that were `shown` already are only named.
    """
    demo = "  DEMO" if record["demo"] else ""
    title = f"{record['benchmark']}  {record['name']}  item {record['item_id']}{demo}"
    iterations = record["iterations"]
    parts: list[RenderableType] = [Text(line(title), style="bold")]
    if len(iterations) > 1:
        for one in iterations:  # of many values the first, which is the main one
            parts.append(Text.assemble(f"iteration {one['iteration']}: ", next(_result(one))))
    shown = set() if shown is None else shown
    for iteration in iterations:
        if len(iterations) > 1:
            parts.append(Text(f"iteration {iteration['iteration']}", style="bold"))
        view, calls = views.get(iteration["iteration"], TranscriptView()), iteration["calls"]
        if view.turns and not full:
            parts += chain.from_iterable(map(_own_turn, view.turns))
            calls = [call for call in calls if call["phase"] == "judge"]
        parts += _calls(calls, shown, full=full)
        parts += map(part, view.alongside)
        parts += _score(iteration)
    if rows := record["comparisons"]:
        parts += [Text(""), Fitted(comparisons_table(rows, record["model"]))]
    return Group(*parts)


_STYLES = {"model": "green", "user": "blue", "system": "dim"}


def _own_turn(turn: Turn) -> Iterator[RenderableType]:
    """A turn of a benchmark's own view, its notes below it."""
    if turn.thinks:
        who = f"{turn.who} thinks (no judge sees this)"
        yield _Said(who, turn.thinks, "dim")
    yield _Said(turn.who, turn.text, _STYLES[turn.kind], [quote.text for quote in turn.quotes])
    for quote in turn.quotes:
        if quote.note:
            yield Text(line(f"“{quote.text}”: {quote.note}"), style="dim")
    yield from (Text(line(note), style="dim") for note in turn.notes)


_Message = tuple[str, str]
_Conversation = Sequence[Sequence[str]]


def _calls(
    calls: Sequence["ItemCall"], shown: set[_Message], *, full: bool
) -> Iterator[RenderableType]:
    """The calls in their order, each without the messages that were shown already."""
    conversations: dict[str, list[_Conversation]] = {}  # each party has conversations of its own
    for call in calls:
        messages = call["messages"]
        if call["phase"] == COMPARE and not full:
            continue
        if messages is None:
            messages = []
            yield Text("asked the judge; what it was shown is not recorded", style="dim")
        elif call["phase"] == "judge" and not full:
            length = sum(len(content) for _, content in messages)
            message = f"asked the judge, {length:,} characters (--full shows them)"
            yield Text(message, style="dim")
        else:
            yield from _asked(call, conversations.get(call["phase"], []), shown)
        if call["phase"] != "judge":
            text = call["text"].strip()
            shown.add(("user", text))  # the one who talks with it is shown it so
            reply = ["assistant", text]
            conversations.setdefault(call["phase"], []).append([*messages, reply])
        yield from _reply(call)


def _asked(
    call: "ItemCall", conversations: Sequence[_Conversation], shown: set[_Message]
) -> Iterator[RenderableType]:
    """What a call asks beyond the conversation it goes on; a message shown before in one line.

    What a role is asked is called so, as the model under test never sees it.
    """
    messages: _Conversation = call["messages"] or []
    asked = f" (to {call['model']})" if role_in(call["phase"]) else ""
    known = max((_in_common(messages, one) for one in conversations), default=0)
    if known == len(messages):
        yield Text("asked the same once more", style="dim")
    for role, content in messages[known:]:
        if (role, content) in shown:
            message = f"{role}{asked}: the same {len(content):,} characters as above"
            yield Text(line(message), style="dim")
        else:
            shown.add((role, content))
            yield _Said(f"{role}{asked}", content, "blue")


def _in_common(messages: _Conversation, other: _Conversation) -> int:
    """How many messages two conversations begin with alike."""
    pairs = enumerate(zip(messages, other, strict=False))
    return next((n for n, (one, two) in pairs if one != two), min(len(messages), len(other)))


def _reply(call: "ItemCall") -> Iterator[RenderableType]:
    if call["reasoning"]:
        yield _Said(f"{call['model']} (thinking)", call["reasoning"], "dim")
    role = role_in(call["phase"]) or ("judge" if call["phase"] == "judge" else "")
    style = "magenta" if role == "judge" else "yellow" if role else "green"
    yield _Said(f"{call['model']} ({role})" if role else call["model"], call["text"], style)
    if call["usage"] is None:
        yield Text("imported: what was sent, tokens and time are not recorded", style="dim")
        return
    tokens = call["usage"]
    is_cut = call["finish"] == Finish.LENGTH
    repeats = is_cut and repeated_tail(call["text"] or call["reasoning"] or "")
    finish = f"{call['finish']}, repeating itself" if repeats else call["finish"]
    facts = f"finish {finish} · {tokens['input']} in, {tokens['output']} out"
    if call["sent"] is None:
        yield Text(f"{facts} · imported: what was sent and time are not recorded", style="dim")
        return
    sent = ", ".join(
        f"{k} {'{…}' if isinstance(v, Mapping) else v}" for k, v in call["sent"].items()
    )
    tries = plural(call["attempts"] or 1, "attempt")
    facts += f" · {call['latency_s']:.2f} s · {tries} · sent with: {sent or 'nothing'}"
    yield Text(line(facts), style="dim")


class _Said(NamedTuple):
    """What somebody said, in a box whose title says who.

    A title that does not fit into its line of the box stands above it.
    """

    who: str
    content: str
    style: str
    quotes: Sequence[str] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        title = Text(line(self.who))
        body = Text(harmless(self.content) or "(empty)")
        body.highlight_words(map(harmless, self.quotes), "reverse")
        if title.cell_len <= options.max_width - _AROUND_TITLE:
            yield Panel(body, title=title, title_align="left", border_style=self.style)
        else:
            title.stylize(self.style)
            yield title
            yield Panel(body, border_style=self.style)


def _score(iteration: "IterationRow") -> Iterator[Text]:
    """Who graded and how the answer was read, and last what came of it."""
    score = iteration["score"]
    if score and score.get("judge"):
        yield Text(line(f"judge: {score['judge']}"), style="dim")
    for name, text in (score_facts(score) if score else {}).items():
        yield Text(line(f"{name}: {text}"), style="dim")
    yield from _result(iteration)


def _result(iteration: "IterationRow") -> Iterator[Text]:
    score = iteration["score"]
    if iteration["failed"]:
        yield Text(f"failed: {line(iteration['failed'])}", style="red")
    elif score is None:
        yield Text("not graded yet", style="yellow")
    elif score["reason"]:
        yield Text(f"unscored: {line(score['reason'])}", style="yellow")
    else:
        yield from _values(score["values"])


def _values(values: Mapping[str, float | None]) -> Iterator[Text]:
    if len(values) <= _IN_A_LINE:
        message = "  ".join(f"{name} {number(value)}" for name, value in values.items())
        yield Text(line(f"score: {message}" if message else "no score was asked for"), style="bold")
        return
    shown = {line(name): number(value) for name, value in values.items()}
    widest = max(map(len, shown))
    for position, (name, value) in enumerate(shown.items()):
        yield Text(f" {name:<{widest}}  {value}", style="" if position else "bold")
