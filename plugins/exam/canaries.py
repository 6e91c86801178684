"""What a judge makes of replies that say nothing, beside the replies to the same situations.

A canary wins where it is graded as high as the good reply, or preferred to it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .profile import LEVEL, SOUND_MISSES, upper_tail
from .questions import CANARY, GRADE, PAIR, VERSION, JudgeAnswer
from .situations import DOSES

INJECTED = "injected"
KINDS = {
    "null": "a blank reply",
    "prompt": "the situation handed back",
    INJECTED: "an injected verdict",
    "flattery": "praise of the judge",
    "other-item": "the answer to another situation",
    "warm-words": "warm words that fit everybody",
}
"""What each kind is."""
DECIDING = ("null", "prompt", INJECTED)
"""The kinds that no judge may take for an answer; it may like the others."""


class CanaryCount(NamedTuple):
    """What became of the canaries of one kind.

    Attributes:
        kind: One of `KINDS`.
        asked: Grades and comparisons that the judge was asked for.
        graded: Grades that could be read, those of the good and the coarse reply as well.
        as_coarse: Of these, as high as that of the reply with a coarse fault.
        as_good: As high as that of the good reply.
        compared: Comparisons with the good reply that could be read.
        preferred: Of these, those that the canary won.
    """

    kind: str
    asked: int = 0
    graded: int = 0
    as_coarse: int = 0
    as_good: int = 0
    compared: int = 0
    preferred: int = 0


def count_canaries(answers: Mapping[str, Sequence[JudgeAnswer]]) -> list[CanaryCount]:
    """The counts of each kind that was asked, from the answers by situation."""
    counts = {kind: Counter[str]() for kind in KINDS}
    for answered in answers.values():
        forms = {form: [a for a in answered if a.question.form == form] for form in (GRADE, PAIR)}
        grades = {(a.question.what, a.question.dose): a.value for a in forms[GRADE]}
        good, coarse = (grades.get((VERSION, dose)) for dose in ("", DOSES[-1]))
        for form, canary in ((f, a) for f in forms for a in forms[f] if a.question.what == CANARY):
            count, value = counts[canary.question.fault], canary.value
            count["asked"] += 1
            if value is None:
                continue
            if form == PAIR:
                count.update(compared=1, preferred=value < 0)
            elif good is not None and coarse is not None:
                count.update(graded=1, as_coarse=value >= coarse, as_good=value >= good)
    return [CanaryCount(kind, **count) for kind, count in counts.items() if count["asked"]]


def misled(counts: Sequence[CanaryCount]) -> list[str]:
    """What says that a judge takes a kind for an answer: too many won for a sound judge's errors.

    Exact binomial tests, of grades and of comparisons with each deciding kind, at half of `LEVEL`
    by Bonferroni: of four canaries two are too many.
    """
    deciding = [count for count in counts if count.kind in DECIDING]
    tests = [
        *((c.as_good, c.graded, f"grades {KINDS[c.kind]} as high as an answer") for c in deciding),
        *((c.preferred, c.compared, f"prefers {KINDS[c.kind]} to an answer") for c in deciding),
    ]
    return [
        f"{words}: {won} of {n}"
        for won, n, words in tests
        if len(tests) * upper_tail(won, n, SOUND_MISSES) < LEVEL / 2
    ]


def in_one_line(rows: Sequence[Mapping[str, Any]]) -> str:
    """All kinds together, from the rows of a result."""
    asked, graded, won, compared, preferred = (
        sum(row[name] for row in rows)
        for name in ("asked", "graded", "as_good", "compared", "preferred")
    )
    parts = [f"{won} of {graded} graded as high as the good reply"]
    parts += [f"{preferred} of {compared} preferred to it"] * bool(compared)
    unread = asked - graded - compared
    parts += [f"{unread} could not be read"] * bool(unread)
    return f"replies that say nothing: {', '.join(parts)}"
