"""A choice among choices: how it is asked and scored, and what chance would get."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from math import prod
from random import Random
from string import ascii_uppercase
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
)
from eibench.judges import chance, lettered, read_choices, shuffled, vote

from .fields import Fields
from .reading import Declaration
from .rows import DataRow
from .templates import Values, shown

RIGHT = "right"


class Part(NamedTuple):
    """One thing that is chosen for an item: its choices and which of them is right."""

    name: str
    column: str
    choices: tuple[str, ...]
    right: str


class OrderedReply(NamedTuple):
    """A reply, and each part's choices in the order in which it was asked."""

    shown: Mapping[str, Sequence[str]]
    response: ChatResponse


class Choice:
    """The kind `choice` of a declaration."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration, self.score = declaration, declaration.values["score"]

    @property
    def options(self) -> tuple[Option, ...]:
        """How often to ask."""
        times, help_ = self.score["shuffles"], "How often to ask, in another order (0: the data's)."
        return (Option("shuffles", times, help_, in_requests=True, min=0, max=99),)

    @property
    def identity(self) -> Values:
        """What of it the model is shown."""
        parts = [[part["name"], part["choices"]] for part in self.score["parts"]]
        return {"line": lettered(["{choice}"]), "parts": parts}

    def values(self, label: str, by: tuple[str, ...], over: str) -> tuple[Value, ...]:
        """Whether all parts are right, and each part where there are several."""
        parts = self.score["parts"]
        main = Value(RIGHT, label or "right answers", "share", by=by, over=over)
        each = parts if len(parts) > 1 else ()
        texts = {n for n, of in self.declaration.values["options"].items() if of["choices"]}
        whens = [part["when"] if part["when"].keys() <= texts else {} for part in each]
        return main, *(
            Value(
                part["name"],
                kind="share",
                group="parts",
                over=over,
                when={option: tuple(some) for option, some in when.items()},
            )
            for part, when in zip(each, whens, strict=True)
        )

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
        columns, right = part["choices"], fields.row.get(part["right"])
        single = len(columns) == 1
        choices = fields.row.get(columns[0]) if single else [fields.row.get(c) for c in columns]
        texts = [shown(c) for c in choices] if isinstance(choices, list) else []
        row = row or DataRow(self.declaration.path, "", {})
        if not 2 <= len(set(texts)) == len(texts) <= len(ascii_uppercase):
            needed = "must be a list of 2 to 26 different texts"
            raise row.refuse(f"{columns[0]!r} {needed}, not {choices!r:.60}")
        names = {"text": texts, "letter": ascii_uppercase, "index": map(str, range(len(texts)))}
        by_name = dict(zip(names[part["as"]], texts, strict=False))
        name = shown(right).strip()
        name = name.upper() if part["as"] == "letter" else name
        if name not in by_name:
            last = len(texts) - 1
            letters, numbers = f"a letter from A to {ascii_uppercase[last]}", f"from 0 to {last}"
            what = {"text": "one of the choices", "letter": letters, "index": f"a number {numbers}"}
            raise row.refuse(f"{part['right']!r} must be {what[part['as']]}, not {right!r:.60}")
        column = columns[0] if single else part["name"]
        return Part(part["name"], column, tuple(texts), by_name[name])

    def check(self, row: DataRow, fields: Fields) -> None:
        """Refuse a row whose choices cannot be asked."""
        if not self.parts(fields, row):
            raise row.refuse("no part of [score] fits it: see their `when`")

    async def generate(
        self, fields: Fields, ask: Values, model: Model, options: Options
    ) -> list[OrderedReply]:
        """A reply to each order of the choices."""
        parts, times = self.parts(fields), options["shuffles"]
        by_part = [shuffled(part.choices, model, times, part.name) for part in parts]
        names = [part.name for part in parts]
        orders = [dict(zip(names, of, strict=True)) for of in zip(*by_part, strict=True)]
        replies = (model.chat(self._messages(fields, ask, parts, of)) for of in orders)
        return list(map(OrderedReply, orders, await asyncio.gather(*replies)))

    def _messages(
        self,
        fields: Fields,
        ask: Values,
        parts: Sequence[Part],
        order: Mapping[str, Sequence[str]],
    ) -> list[Message]:
        lists = {part.column: lettered(order[part.name]) for part in parts}
        form = json.dumps(dict.fromkeys(order, "LETTER"))
        return messages_of(fields.having(**lists, form=form), ask)

    def grade(self, fields: Fields, replies: Sequence[OrderedReply]) -> Score:
        """What the replies come to by the vote."""
        answers = [read_choices(reply.response, reply.shown) for reply in replies]
        right = {part.name: part.right for part in self.parts(fields)}
        return vote(answers, right, self.score["vote"], RIGHT)

    def baselines(self, fields: Sequence[Fields], options: Options) -> Mapping[str, Baseline]:
        """What random letters get, put to the same vote."""
        way = max(1, options["shuffles"]), self.score["vote"]
        shares = [prod(chance(len(p.choices), *way) for p in self.parts(of)) for of in fields]
        return {"random": Baseline(sum(shares) / len(shares), "random letters")}

    def demo_reply(self, fields: Fields, request: ChatRequest, ability: float, rng: Random) -> str:
        """The right choices as often as the ability says, else any."""
        asked = request.messages[-1].content
        parts = self.parts(fields, any_options=True)
        picks = {
            part.name: part.right if rng.random() < ability else rng.choice(part.choices)
            for part in parts
            if f") {part.right}" in asked
        }
        return json.dumps(picks, ensure_ascii=False)


def messages_of(fields: Fields, ask: Values) -> list[Message]:
    """What is asked: the system message, where there is one, and the user's."""
    system = [Message("system", fields.fill(ask["system"]))] if ask["system"] else []
    return [*system, Message("user", fields.fill(ask["user"]))]
