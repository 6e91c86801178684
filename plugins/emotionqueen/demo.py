"""The demo models' words and the demo judge's rules (docs/emotionqueen.md declares both).

A demo model draws twice: whether it recognises, and whether it says so with
empathy, each as often as its ability says. The demo judge looks for the words
of the pack's note and for a few warm phrases, so it can be fooled, as it says of
itself, but not by chance.
"""

import json
import re
from random import Random

from eibench.judges import leant

from .statements import Statement

_FLAT = (
    "Thank you for your message. I hope you have a good day.",
    "That is how it goes. Things will look different tomorrow.",
    "Interesting. There are two sides to everything.",
    "I have read this. Let me know if you need anything else.",
    "Well, such is life, and the weekend is near.",
    "OK. It is important to stay positive.",
)
_WARM = (
    "I'm glad you told me, and I am thinking of you.",
    "I'm with you in this, whatever comes next.",
    "I can see how much this means to you.",
)
_COLD = (
    "That is what I take from your message.",
    "So much for the facts.",
    "This seems to be the point.",
)
_IS_WARM = re.compile(r"I'm glad you told me|I'm with you|how much this means", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_REPLY = re.compile(r"\[REPLY\]\n(.*)\n\[/REPLY\]", re.DOTALL)
SHARE = 0.5
"""Of the longer words of the note's first sentence: so many make the demo judge say PASS."""


def demo_answer(statement: Statement, ability: float, rng: Random) -> str:
    """What a demo model of that ability, from 0 to 1, replies."""
    recognises, is_warm = rng.random() < ability, rng.random() < ability
    if not recognises:
        return rng.choice(_FLAT)
    note = _SENTENCE.split(statement.look_for)
    message = f"What stays with me: {note[0]}"
    if statement.task != "intention":
        return f"{message} {rng.choice(_WARM if is_warm else _COLD)}"
    return (
        f"{message} {note[-1]} {rng.choice(_WARM)}" if is_warm else f"{message} {rng.choice(_COLD)}"
    )


def demo_verdict(statement: Statement, prompt: str, rng: Random) -> str:
    """The demo judge's reply to its prompt."""
    match = _REPLY.search(prompt)
    reply = match[1] if match else ""
    words = _words(_SENTENCE.split(statement.look_for)[0])
    n_shared = len(words & _words(reply))
    passes = bool(words) and leant(n_shared / len(words), reply, rng) >= SHARE
    wins = passes and bool(_IS_WARM.search(reply))
    reason = f"DEMO: the reply has {n_shared} of the {len(words)} longer words looked for."
    return json.dumps({"reason": reason, "PASS": int(passes), "WIN": int(wins)})


def _words(text: str) -> set[str]:
    """The words of five letters and more."""
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 4}
