"""The demo models' words and the rules of the demo actor and judge (docs/confidant.md).

`SHAMS` are models by hand-written rules, in the order that the leading number has to give.
"""

import json
import re
from collections.abc import Callable
from random import Random

from eibench import ChatRequest
from eibench.judges import leant, word_runs

from .cards import MOVES, ConfidantCard

_DOES = {
    "helped": re.compile(r"\bone way (would be|is)\b|\byou could\b", re.IGNORECASE),
    "warmed": re.compile(r"\b(wonderful|glad|good to|admire|fond)\b", re.IGNORECASE),
    "asked": re.compile(r"\?"),
    "stayed": re.compile(r"\b(no hurry|that sounds|I am listening|must have)\b", re.IGNORECASE),
    "allowed": re.compile(r"\byou (need not|don't have to)\b", re.IGNORECASE),
}
"""What shows that a turn does something; `heard` is to repeat two longer words of the person's."""
TELLS = 0.9
"""How often the demo actor tells, in a turn, what it may tell and has not told."""
_CONDITION = re.compile(r"^- ([\w-]+): ", re.MULTILINE)
_PART = re.compile(r"\[(BEFORE|LATEST TURN|PARTNER)\]\n(.*?)\n\[/", re.DOTALL)
_TOLD = re.compile(r"^From now on they may tell this: (.*)$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_FORM = re.compile(r'"(\w+)": 0-(\d+)')
_PEOPLE = re.compile(r"^(.+):\n((?:> .*\n?)+)", re.MULTILINE)


def _heard(request: ChatRequest) -> str:
    words = request.messages[-1].content.split()
    return " ".join(words[:8]).translate(str.maketrans("", "", "?!.,;"))


def silent(request: ChatRequest, rng: Random) -> str:
    """Says nothing that could be answered."""
    return "Mm."


def parrot(request: ChatRequest, rng: Random) -> str:
    """Says back what was said."""
    return f"You say: {_heard(request)}."


def lecturer(request: ChatRequest, rng: Random) -> str:
    """Tells people what is right."""
    return f"You say: {_heard(request)}. Everybody has to take charge. One way is to make a list."


def flatterer(request: ChatRequest, rng: Random) -> str:
    """Praises whatever comes."""
    return f"You say: {_heard(request)}. How wonderful of you, I admire that."


def interrogator(request: ChatRequest, rng: Random) -> str:
    """Asks for the core in every turn."""
    return f"You say: {_heard(request)}. What is really behind it? What do you not tell me?"


def listener(request: ChatRequest, rng: Random) -> str:
    """Takes up what was said, asks one thing, stays with it, and leaves room."""
    n = sum(message.role == "assistant" for message in request.messages)
    turns = (
        "I am glad that you came with it. How did it begin?",
        "That sounds like a lot for one evening. There is no hurry.",
        "You need not say more than you like.",
        "One way would be to leave it for tonight.",
    )
    return f"You say: {_heard(request)}. {turns[n % len(turns)]}"


Sham = Callable[[ChatRequest, Random], str]
SHAMS: dict[str, Sham] = {
    "silent": silent, "parrot": parrot, "lecturer": lecturer,
    "flatterer": flatterer, "interrogator": interrogator, "listener": listener,
}  # fmt: skip


def partner(request: ChatRequest, ability: float, rng: Random) -> str:
    """A turn of a demo model."""
    sham = listener if rng.random() < ability else rng.choice((lecturer, flatterer))
    return sham(request, rng)


def moves_of(turn: str, before: str) -> set[str]:
    """What a turn does, of `MOVES`."""
    shared = _long(turn) & _long(before)
    done = {name for name, pattern in _DOES.items() if pattern.search(turn)}
    return done | ({MOVES[0]} if len(shared) > 1 else set())


def _long(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}", text.casefold()))


def person(card: ConfidantCard, request: ChatRequest, rng: Random) -> str:
    """What the demo actor replies: as the gate, or as the person."""
    asked = request.messages[-1].content
    parts = dict(_PART.findall(asked))
    if "LATEST TURN" in parts:
        turn = parts["LATEST TURN"]
        done, waiting = moves_of(turn, parts["BEFORE"]), set(_CONDITION.findall(asked))
        met = [f for f in card.facts if f.id in waiting and f.move in done]
        return json.dumps({"met": [{"id": f.id, "quote": turn} for f in met]})
    tellable = [text for m in request.messages for text in _TOLD.findall(m.content)]
    spoken = "\n".join(m.content for m in request.messages if m.role == "assistant")
    untold = [text for text in tellable if text not in spoken]
    now = untold if rng.random() < TELLS else []
    trust = min(10.0, 3.0 + len(tellable))
    says = " ".join(f"It is so: {text}" for text in now) or "Well. So it goes with me these days."
    return json.dumps({"thinks": f"DEMO: {len(tellable)} told.", "says": says, "trust": trust,
                       "leaves": False})  # fmt: skip


def worth(talk: str) -> float:
    """What a talk is worth to the demo judge: how much of what helps its partner's turns do at all.

    Not turn by turn: one that lectures in every turn does as much in each as one that listens.
    """
    graded = [text for who, text in _PEOPLE.findall(talk) if who == "Partner"]
    compared = [text for text in talk.split("---\n") if text.startswith("Partner:\n")]
    done = {move for text in graded or compared for move in moves_of(text, talk)}
    return len(done) / len(MOVES)


def verdict(card: ConfidantCard, prompt: str, rng: Random) -> str:
    """What the demo judge replies to each of the judge's prompts."""
    if '"disclosed"' in prompt:
        mine = [text for who, text in _PEOPLE.findall(prompt) if who == card.person.name]
        lines = [line[2:] for text in mine for line in text.splitlines()]
        sentences = [s for line in lines for s in _SENTENCE.split(line) if len(s.split()) > 5]
        entries = [{"point": s, "quote": s} for s in sentences]
        return json.dumps({"disclosed": entries})
    if '"said"' in prompt:
        listed = re.findall(r"^(\d+)\. (.*)$", prompt, re.MULTILINE)
        pairs = [
            {"point": fact.id, "disclosure": int(n)}
            for n, text in listed
            for fact in card.facts
            if word_runs(text) & word_runs(fact.text)
        ]
        return json.dumps({"said": pairs})
    turns = [text for who, text in _PEOPLE.findall(prompt) if who == "Partner"]
    share = leant(worth(prompt), " ".join(turns), rng)
    reply: dict[str, object] = {"chain_of_thought_reasoning": f"DEMO: moves {share:.2f}."}
    for name, scale in _FORM.findall(prompt):
        grade = int(scale) * (0.1 + 0.8 * share) + rng.gauss(0, 0.3)
        reply[name] = round(min(float(scale), max(0.0, grade)), 1)
    return json.dumps(reply)
