"""One statement asked for: the prompt, reading the draft, and what it must be like."""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from eibench import ChatResponse, JsonDict
from eibench.judges import fill, read_object

from .similarity import SimilarityIndex, words
from .slots import LIFE_SCENARIO_RULES, NOTE_RULES, POLARITY_RULES, TASK_RULES, Slot

SHORTEST, LONGEST = 12, 60
"""Words of a statement."""
NOTE_SHORTEST, NOTE_LONGEST = 5, 60

PROMPT = """\
Write a short statement, such as a person might send to somebody they trust. It will be used to see whether answers to it show understanding.

What it must be: {task}
What it is about: {life_scenario}.
Its mood: {polarity}.
Who writes it: {writer}.
Length: about {length} words.

It is in English and in the first person, in this person's own way of writing, about something particular that happened: no general talk, no moral, no address and no greeting.{already}

Write with it a note for the one who judges the answers, in one or two sentences: {note}.

Reply with this JSON object alone:

{form}{again}\
"""  # noqa: E501 - a line of a prompt is a paragraph
_ALREADY = """

These are there already. Tell of something else, in other words:
{texts}"""
_AGAIN = """

An earlier draft could not be used: {reason}. Write another one."""
_FORM = '{\n  "statement": "the statement",\n  "look_for": "the note"\n}'
_KEYS = ("statement", "look_for")
_FIRST_PERSON = re.compile(r"(i|we)('(m|ve|d|ll|re))?|me|my|mine|us|ours?")
#: Words for a feeling; a statement whose task is to leave one unnamed has none.
FEELINGS = re.compile(
    r"proud(ly)?|prides?|happ(y|i\w+)|joy(s|ful\w*|ous\w*)?|glad(ly|ness)?|delight\w*|jubila\w+"
    r"|exhilarat\w+|reliev\w+|relief|grateful\w*|gratitude|thankful\w*|content(ed\w*|ment)"
    r"|excite\w*|thrill\w*|tenderness|love[ds]?|sad(der|dest|dens?|dened|ly|ness)?|grie[fv]\w*"
    r"|mourn\w*|lonel\w+|afraid|fear(s|ed|ful\w*)?|scare[ds]?|dread\w*|terrif\w+|anxi\w+"
    r"|worr(y|i)\w*|nervous\w*|panic\w*|asham\w+|shame\w*|embarrass\w*|guilt\w*|regret\w*"
    r"|remorse\w*|env(y|ious\w*)|jealous\w*|ang(er|ry|rily)|fur(y|ious\w*)|rage[ds]?|bitter(ly|ness)?"
    r"|resent\w*|irritat\w+|hurts?|humiliat\w+|hopeless\w*|despair\w*|disappoint\w*|upset"
    r"|misera\w+|ecsta\w+|heartbr\w+"
)


class Draft(NamedTuple):
    """What a model wrote for a place."""

    statement: str
    look_for: str


class Refusal(NamedTuple):
    """Why a draft is not kept: a kind to count, and a message for the writer and the user.

    The message never has words of another statement.
    """

    kind: str
    message: str


def schema() -> JsonDict:
    """The form as a JSON schema, for providers that hold a reply to one."""
    return {
        "type": "object",
        "properties": {key: {"type": "string"} for key in _KEYS},
        "required": list(_KEYS),
        "additionalProperties": False,
    }


def writing_prompt(slot: Slot, already: Sequence[str], why: Refusal | None) -> str:
    """What the writer is sent; it must differ from statements of the same pair, `already` there.

    `why` says why an earlier draft was refused, if one was.
    """
    texts = "\n".join(f"- {json.dumps(text, ensure_ascii=False)}" for text in already)
    values = {
        "task": TASK_RULES[slot.task],
        "life_scenario": LIFE_SCENARIO_RULES[slot.life_scenario],
        "polarity": POLARITY_RULES[slot.polarity],
        "writer": slot.writer,
        "length": str(slot.length),
        "already": fill(_ALREADY, {"texts": texts}) if already else "",
        "note": NOTE_RULES[slot.task],
        "form": _FORM,
        "again": fill(_AGAIN, {"reason": why.message}) if why else "",
    }
    return fill(PROMPT, values)


def read_draft(response: ChatResponse) -> Draft | Refusal:
    """The draft in a reply, or why there is none."""
    reading = read_object(response, _KEYS)
    if reading.value is None:
        return Refusal("unreadable", str(reading.reason))
    texts = [reading.value.get(key) for key in _KEYS]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        return Refusal("unreadable", "it needs a text for statement and one for look_for")
    return Draft(*(" ".join(str(text).split()) for text in texts))


def check(draft: Draft, slot: Slot, index: SimilarityIndex) -> Refusal | None:
    """Why a draft does not fit its place, or says again what another statement says."""
    length, note = len(draft.statement.split()), len(draft.look_for.split())
    statement_words = words(draft.statement)
    if not SHORTEST <= length <= LONGEST:
        message = f"the statement has {length} words, not {SHORTEST} to {LONGEST}"
        return Refusal("length", message)
    if not NOTE_SHORTEST <= note <= NOTE_LONGEST:
        return Refusal(
            "length", f"the note has {note} words, not {NOTE_SHORTEST} to {NOTE_LONGEST}"
        )
    if not any(_FIRST_PERSON.fullmatch(word) for word in statement_words):
        return Refusal("not in the first person", "it is not in the first person")
    named = [word for word in statement_words if FEELINGS.fullmatch(word)]
    if slot.task == "implicit-emotion" and named:
        return Refusal("names a feeling", f"it names a feeling: {named[0]}")
    if index.same_as(draft.statement):
        return Refusal("duplicate", "the same statement is there already")
    if index.too_close_to(draft.statement):
        return Refusal("too close", "it has too many words in common with another statement")
    return None
