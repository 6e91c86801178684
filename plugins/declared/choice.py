"""A choice among choices: how it is asked, read and scored, and what chance would get."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from math import prod
from random import Random
from typing import NamedTuple

from eibench import (
    Baseline,
    ChatRequest,
    ChatResponse,
    Message,
    Model,
    Option,
    Options,
    Score,
    Value,
    no_answer,
)
from eibench.judges import read_object, shuffled, vote

from .fields import Fields
from .reading import Declaration
from .rows import DataRow
from .templates import Values, shown

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
RIGHT = "right"
_LINE = "{letter}) {choice}"


class Part(NamedTuple):
    """One thing that is chosen for an item: its choices and which of them is right."""

    name: str
    column: str
    choices: tuple[str, ...]
    right: int


class OrderedReply(NamedTuple):
    """A reply, and the order of each part's choices in which it was asked."""

    orders: Mapping[str, tuple[int, ...]]
    response: ChatResponse


class Choice:
    """The kind `choice` of a declaration."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration, self.score = declaration, declaration.values["score"]

    @property
    def options(self) -> tuple[Option, ...]:
        """How often to ask."""
        help_, default = (
            "In how many random orders to ask (0: in the data's).",
            self.score["shuffles"],
        )
        return (Option("shuffles", default, help_, in_requests=True, min=0, max=99),)

    @property
    def identity(self) -> Values:
        """What of it the model is shown."""
        return {"line": _LINE, "parts": [[p["name"], p["choices"]] for p in self.score["parts"]]}

    def values(self, label: str, by: tuple[str, ...], over: str) -> tuple[Value, ...]:
        """Whether all parts are right, and each part where there are several."""
        parts = [part["name"] for part in self.score["parts"]]
        main = Value(RIGHT, label or "right", "share", by=by, over=over)
        if len(parts) == 1:
            return (main,)
        return main, *(Value(name, kind="share", group="parts", over=over) for name in parts)

    def parts(
        self, fields: Fields, row: DataRow | None = None, *, any_options: bool = False
    ) -> list[Part]:
        """The parts of an item; `DataError` for choices that cannot be.

        With `any_options` those that its columns have, whatever the options are.
        """
        fits = [
            part
            for part in self.score["parts"]
            if (part["right"] in fields.row if any_options else fields.fits(part["when"]))
        ]
        return [self._part(part, fields, row) for part in fits]

    def _part(self, part: Values, fields: Fields, row: DataRow | None) -> Part:
        columns = part["choices"]
        choices = (
            fields.row.get(columns[0])
            if len(columns) == 1
            else [fields.row.get(c) for c in columns]
        )
        right = fields.row.get(part["right"])
        texts = [shown(c) for c in choices] if isinstance(choices, list) else []
        row = row or DataRow(self.declaration.path, "", {})
        if not 2 <= len(set(texts)) == len(texts) <= len(LETTERS):
            raise row.refuse(
                f"{columns[0]!r} must be a list of 2 to 26 different texts, not {choices!r:.60}"
            )
        known = {"text": texts, "letter": list(LETTERS[: len(texts)])}.get(part["as"])
        known = known or [str(n) for n in range(len(texts))]
        answer = shown(right).strip().upper() if part["as"] == "letter" else shown(right)
        if answer not in known:
            what = {"text": "one of the choices", "letter": "a letter", "index": "a number from 0"}
            raise row.refuse(f"{part['right']!r} must be {what[part['as']]}, not {right!r:.60}")
        column = columns[0] if len(columns) == 1 else part["name"]
        return Part(part["name"], column, tuple(texts), known.index(answer))

    def check(self, row: DataRow, fields: Fields) -> None:
        """Refuse a row whose choices cannot be asked."""
        if not self.parts(fields, row):
            raise row.refuse("no part of [score] fits it: see their `when`")

    async def generate(
        self, fields: Fields, ask: Values, model: Model, options: Options
    ) -> list[OrderedReply]:
        """A reply to each order of the choices."""
        parts, number = self.parts(fields), options["shuffles"]
        orders = [
            [tuple(range(len(p.choices)))] if not number
            else shuffled(range(len(p.choices)), model, number, p.name)
            for p in parts
        ]  # fmt: skip
        asked = [
            dict(zip([p.name for p in parts], of, strict=True)) for of in zip(*orders, strict=True)
        ]
        replies = await asyncio.gather(
            *(model.chat(self._messages(fields, ask, parts, of)) for of in asked)
        )
        return [OrderedReply(of, reply) for of, reply in zip(asked, replies, strict=True)]

    def _messages(
        self,
        fields: Fields,
        ask: Values,
        parts: Sequence[Part],
        orders: Mapping[str, Sequence[int]],
    ) -> list[Message]:
        lists = {
            part.column: "\n".join(
                _LINE.format(letter=letter, choice=part.choices[n])
                for letter, n in zip(LETTERS, orders[part.name], strict=False)
            )
            for part in parts
        }
        form = json.dumps(dict.fromkeys((p.name for p in parts), "LETTER"), indent=2)
        return messages_of(fields.having(**lists, form=form), ask)

    def grade(self, fields: Fields, replies: Sequence[OrderedReply]) -> Score:
        """What the replies come to by the vote."""
        parts = self.parts(fields)
        answers = [read_choices(reply, parts) for reply in replies]
        right = {part.name: part.right for part in parts}
        score = vote(answers, right, self.score["vote"], RIGHT)
        if len(self.score["parts"]) > 1 or score.reason is not None:
            return score
        return Score({RIGHT: score.values[RIGHT]}, None, score.flags, score.detail)

    def baselines(self, fields: Sequence[Fields], options: Options) -> Mapping[str, Baseline]:
        """What random letters get."""
        shares = [self._chance([len(p.choices) for p in self.parts(of)], options) for of in fields]
        return {"chance": Baseline(sum(shares) / len(shares), "random letters")}

    def _chance(self, numbers: Sequence[int], options: Options) -> float:
        times, rule = max(1, options["shuffles"]), self.score["vote"]
        if rule == "each" or times == 1:
            return prod(1 / n for n in numbers)
        if rule == "all":
            return float(prod(1 / n for n in numbers) ** times)
        return prod((1 - tied(n, times)) / n for n in numbers)

    def demo_reply(self, fields: Fields, request: ChatRequest, ability: float, rng: Random) -> str:
        """The right letters as often as the ability says."""
        lines = request.messages[-1].content.splitlines()
        answers: Values = {}
        for part in self.parts(fields, any_options=True):
            choice = part.choices[part.right]
            right = next((line[0] for line in lines if line[1:] == f") {choice}"), "")
            letters = right if rng.random() < ability else LETTERS[: len(part.choices)]
            answers |= {part.name: rng.choice(letters)} if right else {}
        return json.dumps(answers)


def messages_of(fields: Fields, ask: Values) -> list[Message]:
    """What is asked: the system message, where there is one, and the user's."""
    system = [Message("system", fields.fill(ask["system"]))] if ask["system"] else []
    return [*system, Message("user", fields.fill(ask["user"]))]


def read_choices(reply: OrderedReply, parts: Sequence[Part]) -> dict[str, int] | str:
    """The choice of each part that a reply names, by its number in the data; or why it is unclear.

    A JSON object with the parts' names, or else lines such as ``answer: B``, the last of each
    counting, or of a single part the letter or the choice alone.
    """
    response = reply.response
    if reason := no_answer(response):
        return reason
    names = [part.name for part in parts]
    stated: Values = read_object(response, names).value or _lines(response.text, names)
    if not stated and len(parts) == 1:
        stated = {names[0]: response.text}
    picks = {}
    for part in parts:
        pick = _pick(stated.get(part.name), part, reply.orders[part.name])
        if pick is None:
            return f"names no choice for {part.name}: {response.text[-60:]!r}"
        picks[part.name] = pick
    return picks


def _lines(text: str, names: Sequence[str]) -> Values:
    lines: Values = {}
    for name in names:
        if answer := re.findall(rf"^\W*{re.escape(name)}\W*[:=]\s*(.+)$", text, re.I | re.M):
            lines[name] = answer[-1]
    return lines


def _pick(answer: object, part: Part, order: Sequence[int]) -> int | None:
    """The choice that is meant by a letter, by its text, or by both where they agree."""
    if not isinstance(answer, str):
        return None
    texts = {
        " ".join(choice.split()).casefold().rstrip("."): n for n, choice in enumerate(part.choices)
    }
    words = " ".join(answer.split()).casefold().strip("\"'*_`").rstrip(".")
    match = re.fullmatch(r"\W*([a-z])(?:\W*|\W*[).:]\W*(?P<text>.+))", words)
    if words in texts or match is None:
        return texts.get(words)
    position = LETTERS.index(match[1].upper())
    pick = order[position] if position < len(order) else None
    return pick if not match["text"] or texts.get(match["text"]) == pick else None


def tied(choices: int, votes: int) -> float:
    """The probability that random votes leave two choices or more at the top."""
    ways: dict[tuple[int, ...], float] = {(0,) * choices: 1.0}
    for _ in range(votes):
        after: dict[tuple[int, ...], float] = {}
        for counts, chance in ways.items():
            for n in range(choices):
                more = tuple(sorted((*counts[:n], counts[n] + 1, *counts[n + 1 :])))
                after[more] = after.get(more, 0.0) + chance / choices
        ways = after
    return sum(chance for counts, chance in ways.items() if counts[-1] == counts[-2])
