"""The yes/no judge: which replies are read, and which are asked for again."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench import ChatResponse, Finish, Message
from eibench.judges import Answers, Outcome, Questions, answer_form, ask_yes_no, read_answers
from eibench.judges.yes_no import schema
from eibench.testing import ScriptedModel

BOTH = Questions(("PASS", "WIN"), needs={"WIN": "PASS"})
ONE = Questions(("KIND",))
PROMPT = [Message("system", "Judge."), Message("user", "The reply.")]


def answers(text: str, questions: Questions = BOTH) -> Mapping[str, int] | None:
    """What a reply is read as."""
    found = read_answers(ChatResponse(text), questions).value
    return None if found is None else found.values


def why(text: str, questions: Questions = BOTH, **rest: Any) -> str | None:
    """Why a reply is not read."""
    return read_answers(ChatResponse(text, **rest), questions).reason


async def asked(*replies: str) -> tuple[Outcome[Answers], ScriptedModel]:
    """What comes of asking a judge that replies so, and the judge."""
    judge = ScriptedModel(*replies)
    return await ask_yes_no(judge, PROMPT, BOTH, cache_prefix=1), judge


@pytest.mark.parametrize(
    ("text", "wanted", "flags"),
    [
        ('{"PASS": 1, "WIN": 0}', (1, 0), ()),
        ('{"reason": "It sees both.", "PASS": 1, "WIN": 1}', (1, 1), ()),
        ('{"PASS": true, "WIN": false}', (1, 0), ()),
        ('{"PASS": 1.0, "WIN": 0.0}', (1, 0), ()),
        ('{"PASS": "1", "WIN": "no"}', (1, 0), ("answer as text",)),
        ('{"pass": 1, "Win": 0}', (1, 0), ()),
        ('```json\n{"PASS": 0, "WIN": 0}\n```', (0, 0), ("fenced",)),
        ('My verdict is {"PASS": 1, "WIN": 1}', (1, 1), ("embedded",)),
        ("PASS: 1 WIN: 0", (1, 0), ("lines",)),
        ("PASS: 1\nWIN: 0", (1, 0), ("lines",)),
        ("PASS=1, WIN=1", (1, 1), ("lines",)),
        ("WIN: 0\nPASS: 0", (0, 0), ("lines",)),
        ("PAſS: 1\nWıN: 0", (1, 0), ("lines",)),
        ("**PASS**: 1\n**WIN:** **0**", (1, 0), ("lines",)),
        ("- PASS: 1\n- WIN: 0", (1, 0), ("lines",)),
        ("1. PASS: 1\n2. WIN: 0", (1, 0), ("lines",)),
        ("PASS -> 1; WIN → 1", (1, 1), ("lines",)),
        ("PASS - 1\nWIN - 0", (1, 0), ("lines",)),
        ("| PASS: 1 | WIN: 0 |", (1, 0), ("lines",)),
        ("PASS: Yes.\nWIN: No.", (1, 0), ("lines", "answer as text")),
        ("pass: TRUE win: false", (1, 0), ("lines", "answer as text")),
        ("It sees the loss.\n\nPASS: 1\nWIN: 1", (1, 1), ("lines",)),
        ("PASS: 1 (both events)\nWIN: 0 - a lecture", (1, 0), ("lines", "comment")),
        ("PASS: 1. There is no doubt.\nWIN: 0", (1, 0), ("lines", "comment")),
        ("PASS: 1\nWIN: 0\nPASS: 1", (1, 0), ("lines",)),
        ('PASS: 1\nWIN: 0\n{"PASS": 1, "WIN": 0}', (1, 0), ("embedded", "lines")),
        ('PASS: it sees the loss\n{"PASS": 1, "WIN": 0}', (1, 0), ("embedded", "lines")),
    ],
)
def test_read(text: str, wanted: tuple[int, int], flags: tuple[str, ...]) -> None:
    """The form that is asked for, and lines that leave no doubt; what is unusual is flagged."""
    reading = read_answers(ChatResponse(text), BOTH)
    assert reading.value is not None, reading.reason
    assert reading.value.values == dict(zip(BOTH.names, wanted, strict=True))
    assert reading.flags == flags


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the reply is empty"),
        ("Yes.", "neither JSON nor a line for each question"),
        ("No", "neither JSON nor a line for each question"),
        ("Yes. No.", "neither JSON nor a line for each question"),
        ("1 0", "neither JSON nor a line for each question"),
        ("The reply recognises it and is warm.", "neither JSON nor a line for each question"),
        ("PASS: 1", "it lacks WIN"),
        ("PASS: 0", "it lacks WIN"),
        ('{"PASS": 1}', "it lacks WIN"),
        ("BYPASS: 1 WIN: 0", "it lacks PASS"),
        ("I would say PASS: 1 and WIN: 0", "PASS: not 1 or 0"),
        ("PASS: 1/2\nWIN: 0", "PASS: not 1 or 0"),
        ("PASS: 10\nWIN: 0", "PASS: not 1 or 0"),
        ("PASS: 0.5\nWIN: 0", "PASS: not 1 or 0"),
        ("PASS: 1,5\nWIN: 0", "PASS: not 1 or 0"),
        ("PASS: 1 or 0\nWIN: 0", "PASS: not 1 or 0"),
        ("PASS: 1?\nWIN: 0", "PASS: not 1 or 0"),
        ("PASS: 1 - or rather 0\nWIN: 0", "PASS: not 1 or 0"),
        ("PASS: yes, and no\nWIN: no", "PASS: not 1 or 0"),
        ("PASS: not 1\nWIN: 0", "PASS: not 1 or 0"),
        ("PASS: 50%\nWIN: 0", "PASS: not 1 or 0"),
        ("PASS: 1\nWIN: -1", "WIN: not 1 or 0"),
        ("PASS: 1\nWIN: maybe", "WIN: not 1 or 0"),
        ('{"PASS": 1, "WIN": 2}', "WIN: not 1 or 0"),
        ('{"PASS": 1, "WIN": 0.5}', "WIN: not 1 or 0"),
        ('{"PASS": 1, "WIN": null}', "WIN: not 1 or 0"),
        ('{"PASS": 1, "WIN": [1]}', "WIN: not 1 or 0"),
        ('{"PASS": 1, "WIN": "yes and no"}', "WIN: not 1 or 0"),
        ('{"PASS": 1, "pass": 0, "WIN": 0}', "PASS: not 1 or 0"),
        ('{"PASS": 1, "PASS": 0, "WIN": 0}', "gives a key twice, with different values"),
        ("PASS: 1\nWIN: 1\nPASS: 0", "PASS is answered in two ways"),
        ('PASS: 1\nWIN: 1\n{"PASS": 1, "WIN": 0}', "WIN is answered in two ways"),
        ('{"PASS": 1, "WIN": 0}\nPASS: 1\nWIN: 1', "more text follows the verdict"),
        ("PASS: 1\nWIN: 0\nThat is not my verdict.", "more text follows the verdict"),
        ("PASS: 0 WIN: 1", "WIN is 1 although PASS is 0"),
        ('{"PASS": 0, "WIN": 1}', "WIN is 1 although PASS is 0"),
        ('{"PASS": false, "WIN": true}', "WIN is 1 although PASS is 0"),
    ],
)
def test_refused(text: str, reason: str) -> None:
    """What leaves a doubt, lacks an answer or contradicts itself, each with its reason."""
    assert answers(text) is None
    assert why(text) == reason


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("Yes.", 1), ("**No**", 0), ("1", 1), (" yes!\n", 1), ("KIND: no", 0), ('{"KIND": 1}', 1)],
)
def test_a_bare_word_answers_a_single_question(text: str, wanted: int) -> None:
    """Where one thing was asked, "Yes." leaves no doubt."""
    assert answers(text, ONE) == {"KIND": wanted}


@pytest.mark.parametrize("text", ["Yes and no", "Yes, it is kind.", "Hardly.", "yes no", "2"])
def test_more_than_a_bare_word_is_prose(text: str) -> None:
    """Nothing is taken from running text, even where one thing was asked."""
    assert answers(text, ONE) is None


@pytest.mark.parametrize("finish", [Finish.REFUSAL, Finish.CONTENT_FILTER])
def test_a_refusal_is_no_verdict(finish: Finish) -> None:
    """Whatever it says."""
    assert why("PASS: 0\nWIN: 0", finish=finish) == "the judge refused"
    assert why('{"PASS": 0, "WIN": 0}', finish=finish) == "the judge refused"


def test_lines_that_were_cut_off_are_not_read() -> None:
    """Of ``WIN: 0`` the rest may be missing; an object that is whole is whole."""
    assert why("PASS: 1\nWIN: 0", finish=Finish.LENGTH) == "cut off by the token limit"
    assert why("Yes", ONE, finish=Finish.LENGTH) == "cut off by the token limit"
    assert why('{"PASS": 1, "WIN": 0}', finish=Finish.LENGTH) is None
    assert why('{"PASS": 1, "WI', finish=Finish.LENGTH) == "cut off by the token limit"


@given(st.text(max_size=80))
def test_no_text_raises_or_gives_half_an_answer(text: str) -> None:
    """Any text is read in full or refused with a reason."""
    reading = read_answers(ChatResponse(text), BOTH)
    assert (reading.value is None) == (reading.reason is not None)
    if reading.value is not None:
        assert set(reading.value.values) == {"PASS", "WIN"}


@given(st.sampled_from([(0, 0), (1, 0), (1, 1)]), st.text(max_size=200))
def test_what_is_written_in_the_form_comes_out(bits: tuple[int, int], reason: str) -> None:
    """The answers of an object, whatever its reason says, `PASS: 0` in it included."""
    text = json.dumps({"reason": f"{reason} PASS: 0", "PASS": bits[0], "WIN": bits[1]})
    reading = read_answers(ChatResponse(text), BOTH)
    assert reading.value is not None
    assert reading.value.values == {"PASS": bits[0], "WIN": bits[1]}


def test_the_reason_is_kept() -> None:
    """What the judge says of its answers."""
    text = '{"reason": "It names the loss.", "PASS": 1, "WIN": 0}'
    reading = read_answers(ChatResponse(text), BOTH)
    assert reading.value is not None
    assert reading.value.reason == "It names the loss."


async def test_a_readable_reply_is_asked_for_once() -> None:
    """One request, with the form as a schema."""
    outcome, judge = await asked("PASS: 1 WIN: 0")
    assert outcome.value is not None
    assert outcome.replies == ("PASS: 1 WIN: 0",)
    (request,) = judge.requests
    assert request.messages == tuple(PROMPT)
    assert request.cache_prefix == 1
    assert request.sampling.json_schema == schema(BOTH)


async def test_win_without_pass_is_asked_again_with_the_reason() -> None:
    """The second request says what was wrong; the flag says that there was one."""
    outcome, judge = await asked('{"PASS": 0, "WIN": 1}', '{"PASS": 0, "WIN": 0}')
    assert outcome.value is not None
    assert outcome.value.values == {"PASS": 0, "WIN": 0}
    assert outcome.flags == ("re-asked",)
    again = judge.requests[1].messages[-1].content
    assert again.startswith("The reply.")
    assert "WIN is 1 although PASS is 0" in again


async def test_after_two_re_asks_it_stays_unread() -> None:
    """Three requests at most; the last reason and every raw reply are kept."""
    replies = ["Yes.", "PASS: 0 WIN: 1", "PASS: 1", "PASS: 1 WIN: 1"]
    outcome, judge = await asked(*replies)
    assert outcome.value is None
    assert outcome.reason == "it lacks WIN"
    assert outcome.replies == tuple(replies[:3])
    assert outcome.flags == ("re-asked twice",)
    assert len(judge.requests) == 3


def test_the_form_shows_every_question_once() -> None:
    """In the order they are asked, after the reason."""
    assert answer_form(BOTH, "why") == (
        '{\n  "reason": "why",\n  "PASS": 0 or 1,\n  "WIN": 0 or 1\n}'
    )


def test_the_schema_allows_one_and_zero_alone() -> None:
    """And wants every key."""
    made = schema(BOTH)
    assert made["required"] == ["reason", "PASS", "WIN"]
    assert made["properties"]["WIN"]["enum"] == [0, 1]
    assert made["additionalProperties"] is False
