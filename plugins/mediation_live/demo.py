"""The demo models' words and the rules of the demo player and judge (docs/mediation-live.md).

All go by the wording of the mediator's sentences, so they can be fooled, as the page says.
"""

import json
import re
from random import Random

from eibench import ChatRequest
from eibench.judges import leant

from .disputes import Dispute

SENTENCES = 4
"""In each turn of a demo mediator."""
NOISE = 0.04
"""Standard deviation of the demo judge's grade, as a share of the scale."""
_ATTENTIVE = (
    "I wonder what that time was like for each of you, before anybody had a name for it.",
    "Perhaps there is something here that neither of you has been asked about yet.",
    "I could be wrong, but I hear something beneath the anger that has not been said.",
    "I notice that you both grew quiet just now, and I would rather wait than fill it.",
)
_FLAT = (
    "You should both try to look forward now, and to leave the past where it is.",
    "What a wonderful thing that two such remarkable people have come here to talk.",
    "Good communication is the key to everything, in my experience of many years.",
    "There are always two sides to every story, and both of them deserve to be heard.",
)
_LOOKS = re.compile(
    r"\b(wonder|perhaps|could be wrong|notice|might)\b|\bsomebody who\b", re.IGNORECASE
)
_PUSHES = re.compile(r"\b(should|must|have to|ought)\b", re.IGNORECASE)
_FLATTERS = re.compile(r"\b(wonderful|remarkable|admirable|brilliant)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_CONDITION = re.compile(r"^- ([\w-]+): (.*)$", re.MULTILINE)
_TURN = re.compile(r"\[(?:LATEST TURN|MEDIATOR)\]\n(.*?)\n\[/", re.DOTALL)
_GRADED = re.compile(r"^Mediator:\n((?:> .*\n?)+)", re.MULTILINE)
_FORM = re.compile(r'"(\w+)": 0-(\d+)')
_AT_FIRST, _MOST = 4.0, 10.0


def mediator(dispute: Dispute, request: ChatRequest, ability: float, rng: Random) -> str:
    """A turn of a demo model: the abler, the more sentences that look, or unlock a fact."""
    looks, flat = (rng.sample(stock, len(stock)) for stock in (_ATTENTIVE, _FLAT))
    turn = [(looks if rng.random() < ability else flat).pop() for _ in range(SENTENCES)]
    if rng.random() < ability:
        n = sum(message.role == "assistant" for message in request.messages)
        aim = dispute.facts[n % len(dispute.facts)].unlock.split("ediator ", 1)[-1]
        turn[-1] = f"Let me be somebody who {aim}"
    return " ".join(turn)


def disputants(dispute: Dispute, request: ChatRequest) -> str:
    """What the demo player says: as the gate, or as the two people."""
    asked = [message.content for message in request.messages if message.role == "user"]
    turns = [turn for content in asked for turn in _TURN.findall(content)]
    if conditions := _CONDITION.findall(asked[-1]):
        met = [entry for id, text in conditions for entry in _met(id, text, turns[-1])]
        return json.dumps({"met": met})
    return _answer(dispute, turns, "may tell this" in asked[-1])


def _met(id: str, condition: str, turn: str) -> list[dict[str, str]]:
    """A condition is met by a sentence with most of its longer words."""
    words = _long_words(condition)
    shared = {s: len(words & _long_words(s)) for s in _SENTENCE.split(turn)}
    best = max(shared, key=lambda s: shared[s])
    return [{"id": id, "quote": best}] if shared[best] > 0.6 * len(words) else []


def _long_words(text: str) -> set[str]:
    return set(re.findall(r"\w{5,}", text.casefold())) - {"mediator"}


def _answer(dispute: Dispute, turns: list[str], tells: bool) -> str:
    trust = round(min(_MOST, max(0.0, _AT_FIRST + 2 * sum(map(_worth, turns)))), 1)
    says = "All right. There is a thing that I have kept to myself." if tells else "So you say."
    thinks = f"DEMO: trust {trust}."
    lines = [{"speaker": name, "thinks": thinks, "says": says} for name in dispute.names]
    leaves = [dispute.names[0]] if trust == 0 else []
    state = {"trust": dict.fromkeys(dispute.names, trust), "leaves": leaves}
    return json.dumps({"lines": lines, **state, "settled": trust == _MOST})


def _worth(text: str) -> float:
    """The share of sentences that look, less those that push and half of those that flatter."""
    sentences = _SENTENCE.split(text)
    weights = ((_LOOKS, 1.0), (_PUSHES, -1.0), (_FLATTERS, -0.5))
    return sum(w for s in sentences for pattern, w in weights if pattern.search(s)) / len(sentences)


def verdict(prompt: str, rng: Random) -> str:
    """The demo judge's reply: a grade by what the mediator's sentences are worth, and noise."""
    text = " ".join(line[2:] for turn in _GRADED.findall(prompt) for line in turn.splitlines())
    worth = leant(_worth(text), text, rng)
    grades: dict[str, object] = {
        "chain_of_thought_reasoning": f"DEMO: sentences worth {worth:+.2f}."
    }
    for name, scale in _FORM.findall(prompt):
        grade = 0.3 + 0.55 * worth + rng.gauss(0, NOISE)
        grades[name] = round(int(scale) * min(1.0, max(0.0, grade)), 1)
    return json.dumps(grades, indent=2)
