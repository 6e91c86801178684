"""A demo judge for forms: it looks at nothing but what a rule makes of a text.

It reads what its prompt shows between ``[REPLY]`` and ``[/REPLY]``, or in a comparison
between ``[REPLY A1]`` and ``[/REPLY A1]``, so templates that mark replies so need no more.
"""

import json
import re
from collections.abc import Callable
from random import Random

from eibench import ChatRequest, JsonDict

from .asking import REASONING
from .checklist import Checklist
from .pairwise import MOST_PLUSES
from .rubric import Rubric
from .yes_no import REASON

NOISE = 0.05
"""Standard deviation of what it makes of a text, from 0 to 1."""
_REPLY = re.compile(
    r"^\[REPLY(?: (A\d+))?\]\n(.*?)\n\[/REPLY(?: A\d+)?\]$", re.MULTILINE | re.DOTALL
)


def demo_verdict(
    form: Rubric | Checklist, request: ChatRequest, worth: Callable[[str], float], rng: Random
) -> str:
    """The demo judge's reply, by what a text is worth from 0 to 1, with some noise.

    Raises:
        ValueError: The prompt marks no reply: every text would be worth nothing.
    """
    replies = _REPLY.findall(request.messages[-1].content)
    if not replies:
        raise ValueError(
            "the judge's prompt shows no reply between lines [REPLY] and [/REPLY], so the demo "
            "judge cannot read it"
        )
    worths = [min(1.0, max(0.0, worth(text) + rng.gauss(0, NOISE))) for _, text in replies]
    if len(replies) == 2 and isinstance(form, Rubric):
        return _compared(form, (replies[0][0], replies[1][0]), worths[0] - worths[1])
    share = worths[0]
    if isinstance(form, Checklist):
        answers = {name: int(rng.random() < share) for name in form.questions}
        kept = {n: int(a and answers.get(form.needs.get(n, n), 1)) for n, a in answers.items()}
        return json.dumps({REASON: "DEMO", **kept})
    return _graded(form, share)


def _graded(rubric: Rubric, share: float) -> str:
    ends = {name: 1 - share if name in rubric.lower_is_better else share for name in rubric.names}
    grades: JsonDict = {name: round(rubric.scale * end, 1) for name, end in ends.items()}
    if rubric.form == "lines":
        return "\n".join(["DEMO.", *(f"{name}: {grade}" for name, grade in grades.items())])
    return json.dumps({REASONING: "DEMO", **grades})


def _compared(rubric: Rubric, codes: tuple[str, str], lead: float) -> str:
    pluses = "+" * min(MOST_PLUSES, 1 + int(abs(lead) * 8))
    more = {True: codes[lead < 0] + pluses, False: codes[lead > 0] + pluses}
    picks = {name: more[name not in rubric.lower_is_better] for name in rubric.counted}
    return json.dumps({REASONING: "DEMO", **picks})
