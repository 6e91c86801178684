"""Checks of how replies and verdicts are read: nonsense never becomes a number."""

import json
from collections.abc import Iterator, Mapping

from eibench import Finish, Score, is_blank
from eibench.checking import Finding, NotChecked, Subject, Trace, says

from .checks import check

NONSENSE = (
    "",
    " \n\t ",
    "null",
    "{}",
    "[]",
    '{"',
    '{"answer": }',
    "```json\n```",
    "<html><body></body></html>",
    "Traceback (most recent call last):",
    "%s %(x)d {form} {reply}",
    "\x00\x07\ufffd\u202e",
    "lorem ipsum dolor sit amet",
    "\U0001f600" * 40,
)
"""Replies that answer nothing; none has a number, or a word that could be a choice."""
_ENDS = (Finish.STOP, Finish.LENGTH, Finish.REFUSAL, Finish.CONTENT_FILTER)
_REFUSED = (Finish.REFUSAL, Finish.CONTENT_FILTER)
_AGAIN = 3
"""How often a verdict is asked for at most, the first time among them."""


@check("K07", "give no_answer(response) as the reason of Score.unscored before you read or judge")
def nonsense_is_no_answer(subject: Subject) -> Iterator[Finding]:
    """Nonsense has no score unless a judge gives it, and no judge sees what is empty or refused.

    In a talk of several turns a refusal is a turn as others are, which a judge may read.
    """
    item = subject.items[0]
    for text in NONSENSE:
        for finish in _ENDS:
            trace = subject.trace(item, subject.saying(text, finish))
            label = f"{text!r:.40}, finish {finish.name}"
            refused = finish in _REFUSED and subject.benchmark.single_turn
            nothing = is_blank(text) or refused
            if nothing and trace.judged:
                yield subject.finding("grade", f"asks the judge about the reply {label}", item)
                break
            if _is_scored(trace) and (nothing or not trace.judged) and _is_keyed(subject):
                values = dict(trace.score.values) if trace.score else {}
                message = f"scores the reply {label} as {values}"
                yield subject.finding("grade", message, item)
                break


def _is_scored(trace: Trace) -> bool:
    return trace.score is not None and trace.score.reason is None


def _is_keyed(subject: Subject) -> bool:
    """Whether a sample is one answer; what others do in a talk may have a score of its own."""
    return not subject.benchmark.roles


@check("K08", "make what cannot be read Score.unscored(reason), and ask at most twice more")
def nonsense_is_no_verdict(subject: Subject) -> Iterator[Finding]:
    """A judge's nonsense is unscored with a reason, after at most two further questions."""
    trace = _judged(subject)
    for text in NONSENSE:
        for finish in (Finish.STOP, Finish.REFUSAL):
            speakers = subject.some_words()._replace(judge=says(text, finish))
            again = subject.trace(trace.item, speakers)
            if _is_scored(again):
                values = dict(again.score.values) if again.score else {}
                message = f"reads the verdict {text!r:.40}, finish {finish.name}, as {values}"
                yield subject.finding("grade", message, trace.item)
                break
            if len(again.judged) > _AGAIN * len(trace.judged):
                message = f"asks the judge {len(again.judged)} times for the verdict {text!r:.40}"
                yield subject.finding("grade", message, trace.item)
                break


def _judged(subject: Subject) -> Trace:
    """A sample that a judge grades."""
    for trace in subject.plain_traces:
        if trace.judged:
            return trace
    raise NotChecked("it asks no judge")


@check("K09", "put plain JSON into detail, and numbers that values declares into Score.values")
def scores_are_plain(subject: Subject) -> Iterator[Finding]:
    """Scores hold declared numbers in range, and are the same after they were written as JSON."""
    for trace in subject.plain_traces:
        score = trace.score or Score()
        for what, value in (("values", score.values), ("detail", score.detail)):
            try:
                again = json.loads(json.dumps(dict(value), allow_nan=False))
            except (TypeError, ValueError, RecursionError) as error:
                message = f"returned {what} that JSON cannot hold: {error}"
                yield subject.finding("grade", message, trace.item)
                return
            if again != _listed(value):
                message = f"returned {what} that JSON changes, such as a number as a key"
                yield subject.finding("grade", message, trace.item)
                return


def _listed(value: object) -> object:
    """The same with lists in place of tuples."""
    if isinstance(value, Mapping):
        return {key: _listed(one) for key, one in value.items()}
    return list(map(_listed, value)) if isinstance(value, list | tuple) else value
