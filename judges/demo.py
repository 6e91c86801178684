"""A demo judge for forms: it looks at nothing but what a rule makes of a text.

It reads what its prompt shows between ``[REPLY]`` and ``[/REPLY]``, or in a comparison
between ``[REPLY A1]`` and ``[/REPLY A1]``, so templates that mark replies so need no more;
of others it reads the places ``{reply}``, or ``{first}`` and ``{second}``.
"""

import json
import re
from collections.abc import Callable
from random import Random

from eibench import ChatRequest, JsonDict
from eibench.core.clients.demo import JudgeRandom, Leaning

from .asking import REASONING
from .checklist import Checklist
from .pairwise import MOST_PLUSES
from .prompts import places_in
from .rubric import Rubric
from .yes_no import REASON

NOISE = 0.05
"""Standard deviation of what it makes of a text, from 0 to 1."""
_REPLY = re.compile(
    r"^\[REPLY(?: (A\d+))?\]\n(.*?)\n\[/REPLY(?: A\d+)?\]$", re.MULTILINE | re.DOTALL
)


def leant(worth: float, text: str, rng: Random) -> float:
    """What the demo judge that `rng` was made for takes a text to be worth.

    Args:
        worth: By the benchmark's own rule, from 0 to 1; `demo/judge` takes it as it is.
        text: What is judged: `demo/judge-length` counts its words.
        rng: As `demo_verdict` of a benchmark gets it.
    """
    leaning = _leaning(rng)
    return leaning.worth(worth, text, rng) if leaning else worth


def leant_lead(lead: float, first: str, second: str, rng: Random) -> float:
    """By how much that judge takes the first of two texts to be ahead, from -1 to 1."""
    leaning = _leaning(rng)
    return leaning.lead(lead, first, second, rng) if leaning else lead


def less_able(rng: Random, ability: float) -> Random:
    """What a demo judge of an ability from 0 to 1 is given in place of `rng`: at 1 it errs no more.

    Its own error is added to what it takes a text to be worth (`leant`, `leant_lead`).
    """
    less = JudgeRandom(rng.random())
    less.leaning = Leaning(noise=1 - ability)
    return less


def _leaning(rng: Random) -> Leaning | None:
    return rng.leaning if isinstance(rng, JudgeRandom) else None


def demo_verdict(
    form: Rubric | Checklist,
    request: ChatRequest,
    worth: Callable[[str], float],
    rng: Random,
    template: str = "",
) -> str:
    """A demo judge's reply, by what a text is worth from 0 to 1, its leaning and some noise.

    Args:
        form: What it fills in.
        request: What it was sent.
        worth: The rule.
        rng: Where the noise comes from.
        template: Of the prompt, where that does not mark replies.

    Raises:
        ValueError: The prompt marks no reply: every text would be worth nothing.
    """
    prompt = request.messages[-1].content
    replies = _at_places(template, prompt) if template else _REPLY.findall(prompt)
    if not replies:
        raise ValueError(
            "the judge's prompt shows no reply between lines [REPLY] and [/REPLY], so the demo "
            "judge cannot read it"
        )
    if len(replies) == 2 and isinstance(form, Rubric):
        (one, first), (other, second) = replies
        felt = [_within(worth(text) + rng.gauss(0, NOISE)) for text in (first, second)]
        return _compared(form, (one, other), leant_lead(felt[0] - felt[1], first, second, rng))
    text = replies[0][1]
    share = _within(leant(worth(text), text, rng) + rng.gauss(0, NOISE))
    if isinstance(form, Checklist):
        answers = {name: int(rng.random() < share) for name in form.questions}
        kept = {n: int(a and answers.get(form.needs.get(n, n), 1)) for n, a in answers.items()}
        return json.dumps({REASON: "DEMO", **kept})
    return _graded(form, share)


def _within(worth: float) -> float:
    return min(1.0, max(0.0, worth))


def _at_places(template: str, prompt: str) -> list[tuple[str, str]]:
    texts = places_in(template, prompt)
    names = (("", "reply"), ("one", "first"), ("other", "second"))
    return [(texts.get(code, ""), texts[slot]) for code, slot in names if slot in texts]


def _graded(rubric: Rubric, share: float) -> str:
    ends = {name: 1 - share if name in rubric.lower_is_better else share for name in rubric.names}
    low, high = rubric.ends
    grades: JsonDict = {n: round(low + (high - low) * end, 1) for n, end in ends.items()}
    if rubric.steps:
        by_share = sorted(rubric.steps)
        last = len(by_share) - 1
        grades = {name: by_share[min(last, int(end * (last + 1)))] for name, end in ends.items()}
    if rubric.form == "lines":
        return "\n".join(["DEMO.", *(f"{name}: {grade}" for name, grade in grades.items())])
    return json.dumps({REASONING: "DEMO", **grades})


def _compared(rubric: Rubric, codes: tuple[str, str], lead: float) -> str:
    pluses = "+" * min(MOST_PLUSES, 1 + int(abs(lead) * 8))
    more = {True: codes[lead < 0] + pluses, False: codes[lead > 0] + pluses}
    picks = {name: more[name not in rubric.lower_is_better] for name in rubric.counted}
    return json.dumps({REASONING: "DEMO", **picks})
