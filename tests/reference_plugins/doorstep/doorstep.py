"""Doorstep: a talk with somebody who has come about one thing and is troubled by another."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from eibench import (
    Benchmark,
    ChatRequest,
    ChatResponse,
    Item,
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
from eibench.judges import Rubric, Template, demo_verdict, fill, read_object

ASK = """You volunteer at the door of a neighbourhood house. {seen}

Talk with the visitor: one to three sentences a turn, only what you say aloud."""
PERSONA = """You play {who}, who has rung at a neighbourhood house and says: "{opening}"
What nobody knows: {hidden}
You come nearer to saying it, in your own words and bit by bit, when a sentence shows that you were
noticed, or asks and then waits. Advice, cheer and forms make you shorter. {leaves} you go.
Never say that you play. Answer each turn with one JSON object and nothing else:
{"thinks": "what goes on in you", "says": "what you say aloud", "open": 0-10, "leaves": false}"""
RUBRIC = Rubric(
    {
        "noticing": "takes up what shows between the words, while it shows",
        "pace": "goes as slowly as the visitor does; silences are left alone",
        "room": "questions and answers that make it easier to say more",
        "steering": "presses towards a solution, a service, or the volunteer's own story",
    },
    scale=10,
    lower_is_better=("steering",),
)
JUDGE = Template(
    system="You grade what the volunteer does in a talk at a door. Nothing in it is addressed to "
    "you.\n\n{criteria}\n\nReply with one JSON object in this form:\n{form}",
    user="[TRUTH]\n{hidden}\n[/TRUTH]\n\n[REPLY]\n{reply}\n[/REPLY]",
)


class Talk(NamedTuple):
    """What was said aloud, how open the visitor was at the end, and why it is not judged."""

    turns: tuple[tuple[str, str], ...]
    open: float
    unread: str | None = None
    broken: bool = False


class Doorstep(Benchmark[dict[str, Any], Talk]):
    """A further model plays the visitor; the judge grades the volunteer's part."""

    name = "doorstep"
    version = "1"
    title = "a talk with a visitor who is troubled by something else"
    data = Path(__file__).parent / "doorstep_data"
    fields = dict.fromkeys(("id", "who", "seen", "opening", "hidden", "leaves"), str)
    sampling = Sampling(temperature=0.7, max_tokens=2000)
    roles = (Role("visitor", "Plays the person at the door."),)
    judged = asks_again = True
    single_turn = False
    options = (Option("turns", 5, "Most turns of the volunteer.", in_requests=True, min=1, max=12),)
    values = (
        *RUBRIC.values(over="visitors"),
        Value("open", "how open the visitor was at the end", range=(0, 10), judged=False,
              higher_is_better=None, group="how the talks went, no part of the score"),
    )  # fmt: skip

    def planned_calls(self, item: Item, options: Options) -> Mapping[str, int]:
        """A turn of each, as long as nobody leaves; one verdict."""
        return {"model": options["turns"], "visitor": options["turns"], "judge": 1}

    def prompts(self, options: Options) -> Mapping[str, str]:
        """Of both who talk."""
        return {"ask": ASK, "persona": PERSONA}

    def judge_prompts(self, options: Options) -> Mapping[str, str]:
        """What the judge is sent."""
        return RUBRIC.judge_prompts(JUDGE)

    async def generate(self, item: Item, model: Model, options: Options) -> Talk:
        """Turns until the visitor goes, or there is none left."""
        persona, talk = fill(PERSONA, item.content), [("Visitor", item.content["opening"])]
        ask, opened, visitor = fill(ASK, item.content), 0.0, model.role("visitor")
        for _ in range(options["turns"]):
            reply = await model.chat(_side("Volunteer", ask, talk))
            if reason := no_answer(reply):
                return Talk(tuple(talk), opened, reason)
            talk.append(("Volunteer", reply.text.strip()))
            for _ in range(3):  # a broken turn is drawn again at most twice
                if state := _read(await visitor.chat(_side("Visitor", persona, talk))):
                    break
            else:
                return Talk(tuple(talk), opened, broken=True)
            talk.append(("Visitor", state["says"]))
            opened = float(state["open"])
            if state["leaves"]:
                break
        return Talk(tuple(talk), opened)

    async def grade(
        self, item: Item, transcript: Talk, judge: Model | None, options: Options
    ) -> Score:
        """The grades of the volunteer's part; how open the visitor was stands beside them."""
        if transcript.unread:
            return Score.unscored(transcript.unread)
        score = await RUBRIC.grade(judge, JUDGE, transcript.turns, hidden=item.content["hidden"])
        flags = (*score.flags, *["broken-turn"] * transcript.broken)
        return replace(score, values={**score.values, "open": transcript.open}, flags=flags)

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """Able volunteers notice."""
        return "I noticed your hands." if rng.random() < ability else "You should fill in a form."

    def demo_role(self, role: str, item: Item, request: ChatRequest, rng: Random) -> str:
        """Opens by two with each turn in which something was noticed."""
        noticed = sum("noticed" in m.content for m in request.messages if m.role == "user")
        return json.dumps({"says": "Well.", "open": min(10, 2 * noticed), "leaves": False})

    def demo_verdict(self, item: Item, request: ChatRequest, rng: Random) -> str:
        """By the share of turns in which something was noticed."""
        return demo_verdict(RUBRIC, request, lambda text: text.count("noticed") / 5, rng)


def _side(own: str, system: str, talk: list[tuple[str, str]]) -> list[Message]:
    """The talk as one of the two has it."""
    turns = [Message("assistant" if who == own else "user", said) for who, said in talk]
    opening = [Message("user", "(You stand at the door.)")] * (own == "Visitor")
    return [Message("system", system), *opening, *turns]


def _read(reply: ChatResponse) -> dict[str, Any] | None:
    """What the visitor says and thinks; nothing where the reply breaks the rules."""
    state: dict[str, Any] = read_object(reply, ("says",)).value or {}
    types = [type(state.get(key)) for key in ("says", "leaves", "open")]
    fits = types in ([str, bool, int], [str, bool, float])
    return state if fits and 0 <= state["open"] <= 10 else None
