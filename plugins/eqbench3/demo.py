"""The demo models' words and the demo judge's rules (docs/eqbench3.md declares both).

A demo model picks each sentence of a reply from one of two stocks: the abler it
is, the more often from the one that looks at what others may feel and why. The
demo judge counts those sentences by their wording, so that it can be fooled,
as it says of itself, but not by chance.
"""

import json
import re
from collections.abc import Sequence
from random import Random

from .scenarios import Scenario

SENTENCES = 6
"""In each section of a demo reply."""
NOISE = 0.05
"""Standard deviation of the demo judge's grade, as a share of the scale."""

_ATTENTIVE = (
    "I think the anger is standing in front of something smaller, perhaps a fear of not counting.",
    "I wonder what was said before I came in, because nobody gets this tired in one evening.",
    "I notice that my first wish is to be liked by both, so I might go slower than I want to.",
    "Perhaps the practical question is the only one they can ask each other without losing face.",
    "I would ask what they had hoped for, and then wait, because the answer may take a while.",
    "It might be that the joke was a way of finding out whether it is safe to be serious.",
    "I could be wrong about this, but the word that comes back seems to carry more than the rest.",
    "Because it was done in front of others, I think a private apology would not reach it.",
    "I wonder whether the silence is a refusal, or the best that can be done just now.",
    "I notice who has not been asked anything yet, and I would turn to them before I say more.",
    "Perhaps both of them are right about what happened and mistaken about what it meant.",
    "I might say what I can promise and what I cannot, because a kind blur would hurt later.",
)
_FLAT = (
    "They are upset and need to calm down.",
    "Communication is very important in this situation.",
    "Everyone should try to be more positive.",
    "My advice is to talk about it openly and move on.",
    "There are always two sides to every story.",
    "It is what it is, and time will help.",
    "They must learn to respect each other.",
    "I am sorry that you feel that way.",
    "This is a difficult situation for all involved.",
    "The best thing is to find a compromise.",
    "I understand completely how everyone feels.",
    "Things like this happen in every family.",
)
_LOOKS = re.compile(r"\b(wonder|perhaps|might|notice|because|could be wrong)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?]+[.!?]")
_ASSISTANT = re.compile(r"^Assistant:\n(.*?)(?=^---$|^\[/?[A-Z ]+\]$|\Z)", re.MULTILINE | re.DOTALL)
_FORM = re.compile(r'"(\w+)": 0-(\d+)')


def demo_answer(scenario: Scenario, ability: float, rng: Random, *, is_debrief: bool) -> str:
    """What a demo model of that ability, from 0 to 1, says in a turn or in the debrief."""
    headings = () if is_debrief else scenario.kind.headings
    if not headings:
        return _words(2 * SENTENCES, ability, rng)
    return "\n\n".join(f"# {heading}\n\n{_words(SENTENCES, ability, rng)}" for heading in headings)


def _words(n: int, ability: float, rng: Random) -> str:
    attentive, flat = (rng.sample(stock, len(stock)) for stock in (_ATTENTIVE, _FLAT))
    stocks: Sequence[list[str]] = [attentive if rng.random() < ability else flat for _ in range(n)]
    return " ".join(stock.pop() for stock in stocks)


def demo_verdict(prompt: str, rng: Random) -> str:
    """The demo judge's reply: the share of attentive sentences as a grade, with some noise."""
    said = " ".join(_ASSISTANT.findall(prompt))
    sentences = _SENTENCE.findall(said)
    share = sum(bool(_LOOKS.search(s)) for s in sentences) / max(1, len(sentences))
    grades: dict[str, object] = {
        "chain_of_thought_reasoning": f"DEMO: {share:.0%} of the sentences look at a reason."
    }
    for name, scale in _FORM.findall(prompt):
        grade = 0.15 + 0.75 * share + rng.gauss(0, NOISE)
        grades[name] = round(int(scale) * min(1.0, max(0.0, grade)), 1)
    return json.dumps(grades, indent=2)
