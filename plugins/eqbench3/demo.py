"""The demo models' words and the demo judge's rules (docs/eqbench3.md declares both).

A demo model picks each sentence of a reply from one of two stocks: the abler it
is, the more often from the one that looks at what others may feel and why. The
sentences of both are about as long, so that length tells nothing. The
demo judge counts those sentences by their wording, so that it can be fooled,
as it says of itself, but not by chance.
"""

import json
import re
from random import Random

from eibench import JsonDict
from eibench.judges import MOST_PLUSES, criteria_of, leant, leant_lead

from .scenarios import ScenarioContent

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
    "They are clearly upset with each other, and what they need most of all is to calm down.",
    "Good communication is very important here, as it is in every situation of this kind.",
    "Everyone in the room should try to be more positive and to look forward instead of back.",
    "My advice would be to talk about it openly, clear the air, and then move on from there.",
    "There are always two sides to every story, and in the end both of them deserve respect.",
    "It is what it is, and with a bit of time these things have a way of sorting themselves out.",
    "They must learn to respect each other and to work together as a team for the common good.",
    "I am sorry that you feel that way, and I hope that we can find a way to put it behind us.",
    "This is a difficult and challenging situation for all involved, and feelings run high.",
    "The best thing to do in such a case is to find a compromise that everybody can live with.",
    "I understand completely how everyone feels, and I want you to know that I hear you both.",
    "Things like this happen in every family, in every team and in every group of friends.",
)
_LOOKS = re.compile(r"\b(wonder|perhaps|might|notice|because|could be wrong)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?]")
_ASSISTANT = re.compile(r"^Assistant:\n(.*?)(?=^---$|^\[/?[A-Z ]+\]$|\Z)", re.MULTILINE | re.DOTALL)
_RESPONDENT = re.compile(r"^\[(/?)RESPONDENT (A\d+)(?: ANALYSIS)?\]$", re.MULTILINE)
_FORM = re.compile(r'"(\w+)": 0-(\d+)')


def demo_answer(scenario: ScenarioContent, ability: float, rng: Random, *, is_debrief: bool) -> str:
    """What a demo model of that ability, from 0 to 1, says in a turn or in the debrief."""
    headings = () if is_debrief else scenario.kind.headings
    if not headings:
        return _words(2 * SENTENCES, ability, rng)
    return "\n\n".join(f"# {heading}\n\n{_words(SENTENCES, ability, rng)}" for heading in headings)


def _words(n: int, ability: float, rng: Random) -> str:
    attentive, flat = (rng.sample(list(stock), len(stock)) for stock in (_ATTENTIVE, _FLAT))
    stocks = [attentive if rng.random() < ability else flat for _ in range(n)]
    return " ".join(stock.pop() for stock in stocks)


def demo_verdict(prompt: str, rng: Random) -> str:
    """The demo judge's reply: the share of attentive sentences as a grade, with some noise."""
    reply = " ".join(_ASSISTANT.findall(prompt))
    share = _share(reply)
    grades: JsonDict = {
        "chain_of_thought_reasoning": f"DEMO: {share:.0%} of the sentences look at a reason."
    }
    for name, scale in _FORM.findall(prompt):
        grade = 0.15 + 0.75 * leant(share, reply, rng) + rng.gauss(0, NOISE)
        grades[name] = round(int(scale) * min(1.0, max(0.0, grade)), 1)
    return json.dumps(grades, indent=2)


def _share(text: str) -> float:
    """The share of sentences that look at a reason, 0 where there are none."""
    sentences = list(filter(None, _SENTENCE_END.split(text)[:-1]))
    return sum(bool(_LOOKS.search(s)) for s in sentences) / max(1, len(sentences))


def respondents(prompt: str) -> dict[str, str]:
    """What each respondent of a comparison said, by code; empty for another prompt."""
    texts: dict[str, str] = {}
    begun: dict[str, int] = {}
    for marker in _RESPONDENT.finditer(prompt):
        closes, code = marker.groups()
        if not closes:
            begun.setdefault(code, marker.end())
        elif code in begun:
            texts.setdefault(code, prompt[begun[code] : marker.start()])
    return texts


def demo_margins(prompt: str, texts: dict[str, str], rng: Random) -> str:
    """The demo judge's comparison: for each criterion the larger share, with some noise."""
    first, second = texts
    lead = _share(texts[first]) - _share(texts[second])
    lead = leant_lead(lead, texts[first], texts[second], rng)
    reply: JsonDict = {"chain_of_thought_reasoning": f"DEMO: a lead of {lead:+.0%}."}
    for name in criteria_of(prompt):
        felt = lead + rng.gauss(0, 2 * NOISE)
        pluses = min(MOST_PLUSES, 1 + int(abs(felt) * 8))
        reply[name] = (first if felt > 0 else second) + "+" * pluses
    return json.dumps(reply, indent=2)
