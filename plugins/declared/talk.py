"""A talk with somebody who is played by a further model, whose state nobody is shown."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from eibench import (
    ChatRequest,
    ChatResponse,
    Message,
    Model,
    Option,
    Options,
    Role,
    Sampling,
    Score,
    Value,
    no_answer,
)
from eibench.judges import read_object

from .fields import Fields
from .reading import Declaration
from .templates import Values

_PLAYERS = Sampling(temperature=0.7, max_tokens=1000)
_BEGINNING = "(The talk begins.)"
_TAKEN: Mapping[str, Callable[[list[float]], float]] = {
    "last": lambda numbers: numbers[-1],
    "first": lambda numbers: numbers[0],
    "mean": lambda numbers: sum(numbers) / len(numbers),
    "max": max,
    "min": min,
}


class Talked(NamedTuple):
    """What was said aloud, the state after each turn, and why it cannot be graded."""

    turns: tuple[tuple[str, str], ...]
    states: tuple[Values, ...]
    problem: str | None = None


class TalkPart:
    """The part [talk] of a declaration."""

    def __init__(self, declaration: Declaration) -> None:
        self.talk: Values = declaration.values["talk"]
        self.states: list[Values] = declaration.values["score"]["states"]
        sampling = Sampling(**self.talk["sampling"]) if self.talk["sampling"] else _PLAYERS
        self.role = Role(self.talk["role"], self.talk["help"], sampling)

    @property
    def options(self) -> tuple[Option, ...]:
        """How long it is."""
        turns, help_ = self.talk["turns"], "Most turns of the model."
        return (Option("turns", turns, help_, in_requests=True, min=1, max=100),)

    @property
    def form(self) -> str:
        """The JSON that each turn is answered with."""
        shown = {"thinks": '"what goes on in you"', self.talk["says"]: '"what you say aloud"'}
        for name, of in self.talk["state"].items():
            plain = {"bool": "true or false", "text": '"in a few words"'}
            shown[name] = f"{of['from']}-{of['to']}" if isinstance(of, dict) else plain[of]
        return "{" + ", ".join(f'"{name}": {what}' for name, what in shown.items()) + "}"

    def values(self, over: str) -> tuple[Value, ...]:
        """What is taken of the state, which is not judged."""
        return tuple(self._value(of, over) for of in self.states)

    def _value(self, of: Values, over: str) -> Value:
        state: object = self.talk["state"][of["state"]]
        more: Values = {"judged": False, "group": "how the talks went, not judged", "over": over}
        label = of["label"] or of["name"]
        if of["at_least"] is not None or not isinstance(state, dict):
            return Value(of["name"], label, "share", **more)
        return Value(of["name"], label, range=(float(state["from"]), float(state["to"])), **more)

    def check(self, fields: Fields) -> None:
        """Refuse a row that lacks what the talk needs."""
        events = self.talk["events"]["add_to_persona"] if self.talk["events"] else []
        for template in (self.talk["persona"], self.talk["opens"], *events):
            fields.having(form=self.form).fill(template)

    async def generate(self, fields: Fields, ask: Values, model: Model, options: Options) -> Talked:
        """Turns until the role ends the talk, or there is none left."""
        opening = fields.fill(self.talk["opens"])
        persona = fields.having(form=self.form).fill(self.talk["persona"])
        role, system = model.role(self.role.name), ask["system"] and fields.fill(ask["system"])
        turns, states = [("User", opening)], list[Values]()
        heard = [Message("user", opening)]
        played_to = [
            Message("user", _BEGINNING),
            Message("assistant", json.dumps({self.talk["says"]: opening}, ensure_ascii=False)),
        ]
        for turn in range(options["turns"]):
            reply = await model.chat([*([Message("system", system)] if system else []), *heard])
            if reason := no_answer(reply):
                return Talked(tuple(turns), tuple(states), reason)
            turns.append(("Assistant", reply.text.strip()))
            heard.append(Message("assistant", reply.text))
            played_to.append(Message("user", reply.text))
            added = self._event(fields, model, turn)
            played, state = await self._play(role, [Message("system", persona + added), *played_to])
            if isinstance(state, str):
                message = f"the {self.role.name} could not be read in turn {turn + 1}: {state}"
                return Talked(tuple(turns), tuple(states), message)
            states.append(state)
            words = state[self.talk["says"]]
            if words.strip():
                turns.append(("User", words))
            if state.get(self.talk["stop_when"]) or not words.strip():
                break
            heard.append(Message("user", words))
            played_to.append(Message("assistant", played.text))
        return Talked(tuple(turns), tuple(states))

    def _event(self, fields: Fields, model: Model, turn: int) -> str:
        """What is added to the persona in a turn; mostly nothing."""
        events = self.talk["events"]
        if not events:
            return ""
        rng = model.draw(f"event {turn + 1}")
        happens, event = rng.random() < events["chance"], rng.choice(events["add_to_persona"])
        return f"\n\n{fields.fill(event)}" if happens else ""

    async def _play(
        self, role: Model, messages: list[Message], times: int = 1
    ) -> tuple[ChatResponse, Values | str]:
        """A turn of the role, drawn again while it is broken; or why the last one is."""
        played = await role.chat(messages)
        state = self.read(played)
        if isinstance(state, str) and times < self.talk["tries"]:
            return await self._play(role, messages, times + 1)
        return played, state

    def read(self, played: ChatResponse) -> Values | str:
        """What a turn of the role says and holds, or why it is broken."""
        says = self.talk["says"]
        reading = read_object(played, (says,))
        if reading.value is None:
            return reading.reason or "it holds no JSON"
        state = reading.value
        if not isinstance(state.get(says), str):
            return f"{says} is no text"
        for name, of in self.talk["state"].items():
            value = state.get(name)
            if isinstance(of, dict):
                if isinstance(value, bool) or not isinstance(value, int | float):
                    return f"{name} is no number"
                if not of["from"] <= value <= of["to"]:
                    return f"{name} is not from {of['from']} to {of['to']}"
            elif not isinstance(value, bool if of == "bool" else str):
                return f"{name} is {'not true or false' if of == 'bool' else 'no text'}"
        return state

    def with_states(self, score: Score, talked: Talked) -> Score:
        """A score with what is taken of the state of all turns."""
        values: dict[str, float | None] = {}
        for of in self.states:
            number = _TAKEN[of["take"]]([float(state[of["state"]]) for state in talked.states])
            values[of["name"]] = (
                number if of["at_least"] is None else float(number >= of["at_least"])
            )
        states = [{k: v for k, v in s.items() if k in self.talk["state"]} for s in talked.states]
        detail = {**score.detail, "states": states}
        return replace(score, values={**score.values, **values}, detail=detail)

    def demo_turn(self, request: ChatRequest, worth: Callable[[str], float]) -> str:
        """A turn whose numbers are as high as what the model has said so far is worth."""
        heard = [m.content for m in request.messages if m.role == "user"][1:]
        share = sum(map(worth, heard)) / max(1, len(heard))
        turn: Values = {"thinks": "DEMO", self.talk["says"]: "Well. Go on."}
        for name, of in self.talk["state"].items():
            plain: Values = {"bool": False, "text": "DEMO"}
            is_number = isinstance(of, dict)
            turn[name] = _between(of, share) if is_number else plain[of]
        return json.dumps(turn)


def _between(ends: Values, share: float) -> float:
    low, high = float(ends["from"]), float(ends["to"])
    return round(low + share * (high - low), 1)
