"""Verdicts written otherwise than asked: what is read is what the object says, or nothing."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench import ChatResponse, Message
from eibench.judges import (
    Codes,
    Questions,
    Reading,
    Rubric,
    ask_for_verdict,
    output_format,
    read_answers,
    read_margins,
    read_object,
    read_verdict,
)
from eibench.testing import ScriptedModel

RUBRIC = Rubric(("demonstrated_empathy", "warmth"), 20)
GRADES = {"demonstrated_empathy": 15.0, "warmth": 8.5}
SAID = {"chain_of_thought_reasoning": "It sees her.", **GRADES}
OBJECT = json.dumps(SAID)
FENCED = f"```json\n{json.dumps(SAID, indent=2)}\n```"
TITLED = {"Demonstrated Empathy": 15, "Warmth": 8.5}


def read(text: str, *prompt: Message) -> Reading[Any]:
    """What a reply is read as."""
    return read_verdict(ChatResponse(text), RUBRIC, prompt)


READ = [
    f"{FENCED}\n\nI hope this helps!",
    f"Here is my verdict:\n\n{FENCED}\n\nLet me know if you need anything else.",
    f"{FENCED}\nThis evaluation reflects the overall quality of the conversation.",
    f"{FENCED}\nThank you! Feel free to ask for details.",
    f"{FENCED}\nIch hoffe, das hilft.",
    f"{FENCED}\n希望对你有帮助。",
    f"{OBJECT}\n\nHope this helps!",
    f"{OBJECT}\n\nIs there anything else that I can help with?",
    json.dumps(TITLED),
    json.dumps({"Demonstrated-Empathy": 15, "WARMTH": 8.5}),
    json.dumps({"demonstratedEmpathy": 15, "warmth": 8.5}),
    json.dumps({"scores": GRADES}),
    json.dumps({"verdict": TITLED}),
    json.dumps({"Final Scores": GRADES, "chain_of_thought_reasoning": "It sees her."}),
    f"```json\n{json.dumps({'scores': TITLED})}\n```\nHope this helps!",
]


@pytest.mark.parametrize("reply", READ)
def test_what_leaves_no_doubt_is_read(reply: str) -> None:
    """With a flag, and with the reason why a strict reader would have asked again."""
    reading = read(reply)
    assert reading.value is not None, reading.reason
    assert reading.value.scores == GRADES
    assert reading.reason
    assert {"closing words", "other keys"} & set(reading.flags)


UNREAD = [
    f"{FENCED}\nOn reflection, that is too harsh.",
    f"{FENCED}\nActually, the warmth deserves more.",
    f"{FENCED}\nActually, make that five.",
    f"{FENCED}\nThat is what the text wants me to say.",
    f"{FENCED}\nThis is only an example of the form.",
    f"{FENCED}\nI decline to grade it.",
    f"{FENCED}\nDas ist zu streng.",
    f"{FENCED}\nRéflexion faite, c'est trop sévère.",
    f"{FENCED}\nI hope this helps, but I would go lower.",
    f"{FENCED}\nThe final grade is 12.",
    f"{FENCED}\nLet me know if the warmth should be higher.",
    f"{OBJECT}\nThis reflects the overall quality of the reply.",
    f"My grades are {OBJECT} and I hope this helps.",
    json.dumps({"draft": GRADES}),
    json.dumps({"draft": GRADES, "final": {**GRADES, "warmth": 3}}),
    json.dumps({"draft": GRADES, "scores": GRADES}),
    json.dumps({"example": GRADES}),
    json.dumps({"A": {"scores": GRADES}}),
    json.dumps({"scores": [GRADES]}),
    json.dumps({"Warmth": 8.5, "warmth ": 3, "demonstrated_empathy": 15}),
    json.dumps({"warmth": 8.5, "scores": {"demonstrated_empathy": 15}}),
    json.dumps({"demonstrated_empathy": 15, "warmth_": None}),
    json.dumps({"scores": GRADES}) + json.dumps({"scores": {**GRADES, "warmth": 3}}),
    f"{FENCED}\n{json.dumps({'scores': {**GRADES, 'warmth': 3}})}",
    json.dumps({"empathy": 15, "warmth": 8.5}),
]


@pytest.mark.parametrize("reply", UNREAD)
def test_what_leaves_a_doubt_is_not_read(reply: str) -> None:
    """Never a guess: what may be a draft, taken back, somebody else's, or two things at once."""
    assert read(reply).value is None


@pytest.mark.parametrize("form", [TITLED, {"scores": GRADES}, {"Verdict": TITLED}, GRADES])
@pytest.mark.parametrize("reply", [r for r in READ if "Ich" not in r])
def test_nothing_is_tolerated_where_the_prompt_holds_a_form(
    reply: str, form: Mapping[str, object]
) -> None:
    """However the form in it is written: the reply may be a quotation."""
    text = f"[REPLY]\nCalm down. {json.dumps(form)}\n[/REPLY]\n\n{output_format(RUBRIC)}"
    assert read(reply, Message("user", text)).value is None


def test_the_empty_form_of_the_prompt_is_no_such_form() -> None:
    """It is in every prompt."""
    assert read(READ[0], Message("user", output_format(RUBRIC))).value is not None


_NAMES = st.sampled_from(["scores", "Verdict", "ratings", "draft", "example", "evaluation", "x"])
_CLOSINGS = st.sampled_from(
    [
        "",
        "Hope this helps!",
        "Let me know.",
        "On reflection no.",
        "The grades are fair.",
        "12",
        "{}",
    ]
)
_SPELLINGS = st.sampled_from([str, str.title, str.upper, lambda key: key.replace("_", " ")])


@given(
    grades=st.tuples(st.integers(0, 20), st.integers(0, 20)),
    spelled=st.tuples(_SPELLINGS, _SPELLINGS),
    wraps=st.lists(_NAMES, max_size=2),
    fenced=st.booleans(),
    before=st.sampled_from(["", "Here it is:\n", "I thought of 3 and 4 first.\n"]),
    after=_CLOSINGS,
)
def test_whatever_the_wrapping_the_object_s_own_values_are_read(
    grades: tuple[int, int],
    spelled: tuple[Any, Any],
    wraps: list[str],
    fenced: bool,
    before: str,
    after: str,
) -> None:
    """Or nothing."""
    form: Any = {
        spell(name): grade for spell, name, grade in zip(spelled, GRADES, grades, strict=True)
    }
    for name in wraps:
        form = {name: form}
    text = json.dumps(form)
    text = f"```json\n{text}\n```" if fenced else text
    reading = read(f"{before}{text}\n{after}")
    if reading.value is not None:
        assert tuple(reading.value.scores.values()) == grades


def test_comparisons_and_answers_are_read_alike() -> None:
    """All forms go through one reader."""
    codes, said = Codes("A4711", "A2001"), {"Insight": "A4711++", "Tact": "A2001+"}
    margins = read_margins(
        ChatResponse(json.dumps({"comparison": said})), ("insight", "tact"), codes
    )
    assert margins.value is not None and margins.value.margins == {"insight": 2, "tact": -1}
    questions = Questions(("PASS", "WIN"))
    fenced = '```json\n{"answers": {"PASS": 1, "WIN": 0}}\n```\nHope this helps!'
    answers = read_answers(ChatResponse(fenced), questions)
    assert answers.value is not None and answers.value.values == {"PASS": 1, "WIN": 0}
    lines = read_answers(ChatResponse("PASS: 1\nWIN: 0\n\nHope this helps!"), questions)
    assert lines.value is not None and lines.flags == ("lines", "closing words")
    told = Rubric(("Tact", "Warmth"), 10, form="lines")
    reading = read_verdict(ChatResponse("Tact: 7\nWarmth: 3\n\nI hope this helps."), told)
    assert reading.value is not None and reading.value.scores == {"Tact": 7, "Warmth": 3}


def test_other_readers_stay_strict() -> None:
    """What a player says decides what is asked next: a stored talk is to be found again."""
    assert read_object(ChatResponse('{"Says": "No."}'), ("says",)).value == {"Says": "No."}
    assert read_object(ChatResponse(f"{FENCED}\nHope this helps!"), ("warmth",)).value is None


async def test_a_tolerated_reply_is_not_asked_for_again() -> None:
    """It is paid for once."""
    judge = ScriptedModel(READ[0])
    outcome = await ask_for_verdict(judge, [Message("user", "Grade it.")], RUBRIC)
    assert outcome.value is not None and outcome.value.scores == GRADES
    assert (outcome.reason, len(judge.requests), judge.problems) == (None, 1, [None])
