"""What a judge replies, read without guessing: a table of replies, and what must hold for all."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench import ChatResponse
from eibench.core.types import Finish
from eibench.judges import Rubric, read_object, read_verdict

RUBRIC = Rubric(("empathy", "insight"), 20)
GRADES = {"empathy": 15.0, "insight": 8.5}
STRICT = '{"chain_of_thought_reasoning": "She saw it.", "empathy": 15, "insight": 8.5}'
INDENTED = json.dumps(json.loads(STRICT), indent=2)


def read(text: str, finish: Finish = Finish.STOP) -> Any:
    """What a reply is read as."""
    return read_verdict(ChatResponse(text, finish=finish), RUBRIC)


def test_a_plain_reply_is_a_verdict() -> None:
    """Numbers, the judge's reasoning, nothing unusual."""
    reading = read(STRICT)
    assert reading.value.scores == GRADES
    assert reading.value.reasoning == "She saw it."
    assert (reading.reason, reading.flags, reading.value.unknown) == (None, (), ())


@pytest.mark.parametrize(
    ("reply", "flags"),
    [
        (INDENTED, ()),
        (f"\n\n  {STRICT}\n", ()),
        ('{"empathy": 15, "insight": 8.5}', ()),
        ('{"insight": 8.5e0, "empathy": 15.0}', ()),
        ('{"empathy": 15, "empathy": 15.0, "insight": 8.5}', ()),
        (f"```json\n{INDENTED}\n```", ("fenced",)),
        (f"```\n{STRICT}\n```", ("fenced",)),
        (f"Here it is:\n```JSON\n{STRICT}\n```\n", ("fenced",)),
        (f"```json\n{STRICT}", ("embedded",)),
        (f"My grades, as {{agreed}}, are {STRICT}.", ("embedded",)),
        (f"A smile :{{ and then {STRICT}", ("embedded",)),
        (f"[{STRICT}]", ("embedded",)),
        (f"{STRICT}\n\n{STRICT}", ("embedded",)),
        (f'{{"note": "first"}} {STRICT}', ("embedded",)),
        (f'In the form {{"empathy": 0-20, "insight": 0-20}}:\n{STRICT}', ("embedded",)),
        ('{"empathy": "15", "insight": "8.5"}', ("number as text",)),
        ('{"empathy": " 15/20 ", "insight": 8.5}', ("number as text",)),
        ('{"empathy": "15 out of 20", "insight": 8.5}', ("number as text",)),
        ('{"empathy": 15, "insight": 8.5, "overall": 12}', ("unknown key",)),
        ('{"empathy": 15, "insight": 8.5, "why": {"empathy": 3}}', ("unknown key",)),
        ('{"empathy": 15, "insight": 8.5,}', ("repaired",)),
        ('{"empathy": 15, // she waits\n "insight": 8.5}', ("repaired",)),
        ('{"empathy": 15, # she waits\n "insight": 8.5}', ("repaired",)),
        ('{"empathy": 15 /* she waits */, "insight": 8.5}', ("repaired",)),
        ('{"empathy": 15 // or 3, or 4\n, "insight": 8.5 // or 12\n}', ("repaired",)),
        ('{"empathy": 15\n "insight": 8.5}', ("repaired",)),
        ("{'empathy': 15, 'insight': 8.5}", ("repaired",)),
        ("{empathy: 15, insight: 8.5}", ("repaired",)),
        ('{"empathy": 15/20, "insight": 8.5}', ("repaired", "number as text")),
        ('{"empathy": "15/20", "insight": 8.5,}', ("repaired", "number as text")),
        (
            '{"chain_of_thought_reasoning": "he said "go" twice", "empathy": 15, "insight": 8.5}',
            ("repaired",),
        ),
        (f"```json\n{STRICT[:-1]}, // done\n}}\n```", ("repaired",)),
        (
            '{"chain_of_thought_reasoning": "empathy: a lot, insight: little", "empathy": 15,'
            ' "insight": 8.5,}',
            ("repaired",),
        ),
    ],
)
def test_replies_that_are_read(reply: str, flags: tuple[str, ...]) -> None:
    """The same two grades each time; what was unusual is flagged."""
    reading = read(reply)
    assert reading.value is not None, reading.reason
    assert reading.value.scores == GRADES
    assert reading.flags == flags


TOO_BIG, TOO_LONG = "1" + "0" * 400, "1" * 5_000


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "the reply is empty"),
        ("  \n\t ", "the reply is empty"),
        ("I cannot grade this conversation.", "no JSON"),
        ("15", "no JSON"),
        ("null", "no JSON"),
        ("[15, 8.5]", "no JSON"),
        ("Empathy: 15, insight: 8.5", "no JSON"),
        ("{}", "lacks empathy, insight"),
        ('{"empathy": 15}', "lacks insight"),
        ('{"Empathy score": 15, "insight": 8.5}', "lacks empathy"),
        ('{"draft": {"empathy": 15, "insight": 8.5}}', "lacks empathy, insight"),
        ('{"error": "I cannot help with that"}', "lacks empathy, insight"),
        ('{"empathy": 21, "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": -1, "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": 20.01, "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": "21", "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": NaN, "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": Infinity, "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": 1e999, "insight": 8.5}', "empathy: not a number from 0 to 20"),
        (f'{{"empathy": {TOO_BIG}, "insight": 8.5}}', "empathy: not a number from 0 to 20"),
        (f'{{"empathy": "1/{TOO_LONG}", "insight": 8.5}}', "empathy: not a number from 0 to 20"),
        ('{"empathy": true, "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": null, "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": [15], "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": {"score": 15}, "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": "7/10", "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": "high", "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": "15-16", "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": "about 15", "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": "١٥", "insight": 8.5}', "empathy: not a number from 0 to 20"),
        ('{"empathy": 15, "empathy": 16, "insight": 8.5}', "gives a key twice"),
        (f'{STRICT} or rather {{"empathy": 3, "insight": 8.5}}', "more than one JSON object"),
        (f'[{STRICT}, {{"empathy": 3, "insight": 8.5}}]', "more than one JSON object"),
        (f'{{"empathy": 3}}\n```json\n{STRICT}\n```', "more than one JSON object"),
        (f'{{"empathy": 3, "insight": 4,}} no: {STRICT}', "more than one JSON object"),
        (f'{STRICT} or rather {{"empathy": 3, "insi', "more than one JSON object"),
        ('{"x": 1} ' * 200, "too many JSON objects"),
        (f"Here it is:\n```JSON\n{STRICT}\n```\nI decline to say so.", "more text follows"),
        (f"My grades are {STRICT}, as {{agreed}}.", "more text follows"),
        (f"{STRICT[:-1]},}}, but I am not sure", "more text follows"),
    ],
)
def test_replies_that_are_not_read(reply: str, reason: str) -> None:
    """No verdict, and the reason why."""
    reading = read(reply)
    assert reading.value is None
    assert reason in reading.reason


@pytest.mark.parametrize(
    "written",
    [
        "1,5", "1_5", "1 5", "1\n5", "7 /10", "7/10", "15 /20", "15 of 20", "15 (of 20)", "15%",
        "~15", "+15", "015", ".5", "15.", "1.5.2", "0x0F", "15-16", '"15" or "16"', '"15" "16"',
        "fifteen", "15; ", "15 points", "15, 16", "[15]", "",
    ],
)  # fmt: skip
def test_a_number_that_broken_json_does_not_plainly_say_is_not_taken(written: str) -> None:
    """A repair would make 15 of ``1_5`` and 7 of ``7 /10``."""
    reading = read(f'{{"empathy": {written}, "insight": 8.5,}}')
    assert reading.value is None
    assert "empathy" in reading.reason or "beyond repair" in reading.reason


def test_a_grade_among_the_words_of_a_broken_reasoning_is_not_taken() -> None:
    """It is what the judge thought on the way, whether or not it decided so."""
    said = 'first "empathy": 3 came to mind, and'
    assert read(f'{{"chain_of_thought_reasoning": "{said}", "insight": 8.5}}').value is None
    both = read(f'{{"chain_of_thought_reasoning": "{said}", "empathy": 15, "insight": 8.5}}')
    assert both.value is None or both.value.scores == GRADES


@pytest.mark.parametrize("finish", [Finish.REFUSAL, Finish.CONTENT_FILTER])
def test_a_refusal_is_no_verdict_whatever_its_text(finish: Finish) -> None:
    """What a filter cut in may be anything."""
    assert read(STRICT, finish).reason == "the judge refused"


def test_what_the_token_limit_cut_off_is_not_repaired() -> None:
    """But an object that is whole and the last thing before the cut is read."""
    assert read(STRICT[:-1] + ",}", Finish.LENGTH).reason == "cut off by the token limit"
    assert read("", Finish.LENGTH).reason == "cut off before it began"
    assert read(f"{STRICT}\n", Finish.LENGTH).value.scores == GRADES
    assert read(f"{STRICT} To explain further, I", Finish.LENGTH).value is None


WHOLE = {
    "strict": STRICT,
    "indented": INDENTED,
    "reasoning last": '{"empathy": 15, "insight": 8.5, "chain_of_thought_reasoning": "a {b} c"}',
    "braces in the reasoning": f'{{"chain_of_thought_reasoning": "{{x}} }}", {STRICT[1:]}'.replace(
        '"chain_of_thought_reasoning": "She saw it.", ', ""
    ),
    "a draft inside": f'{{"first": {{"empathy": 3, "insight": 4}}, {STRICT[1:]}',
    "a draft inside, at the end": f'{STRICT[:-1]}, "before": {{"empathy": 3, "insight": 4}}}}',
    "text": '{"empathy": "15/20", "insight": "8.5"}',
    "fenced, after prose": f"So {{much}} for that.\n```json\n{INDENTED}\n```\n",
    "comments": '{"empathy": 15, // {not 3}\n "insight": 8.5 /* } */ }',
    "form first": f'{{"empathy": 0-20, "insight": 0-20}}\n{STRICT}',
}


@pytest.mark.parametrize("finish", [Finish.STOP, Finish.LENGTH])
@pytest.mark.parametrize("whole", WHOLE.values(), ids=WHOLE)
def test_a_reply_cut_anywhere_never_says_something_else(whole: str, finish: Finish) -> None:
    """The verdict of the whole one, or none."""
    assert read(whole).value.scores == GRADES
    for end in range(len(whole)):
        value = read(whole[:end], finish).value
        assert value is None or value.scores == GRADES, whole[:end]


HOSTILE = {
    "braces": "{" * 100_000 + "}" * 100_000,
    "brackets": "[" * 200_000,
    "nested objects": '{"a":' * 40_000 + "1" + "}" * 40_000,
    "open objects": '{"a":' * 40_000,
    "nested fifty deep": '{"empathy":' * 50 + "1" + "}" * 50,
    "small objects": '{"x"}' * 40_000,
    "quotes": '{"empathy": 1, "x": ' + '"y" ' * 50_000 + "}",
    "escapes": '{"' + '\\"' * 100_000 + "}",
    "comments": '{"empathy": 1,' + "/*" * 100_000 + "}",
    "fences": "```\n{\n```" * 22_000,
    "spaces": '{"empathy": ' + " " * 200_000 + "1}",
    "words": "{ lorem 'ipsum', dolor: [" * 8_000,
}


@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE)
def test_two_hundred_kilobytes_of_junk_are_no_verdict(reply: str) -> None:
    """Nor do they hold up the other samples: each is read in a fraction of a second, not in 20."""
    assert read(reply).value is None


def test_an_object_needs_one_of_the_wanted_keys() -> None:
    """Others among the prose are not it."""
    reading = read_object(ChatResponse('As {"x": 1} shows, {"winner": "a"}.'), ("winner",))
    assert reading.value == {"winner": "a"}


# Whatever a judge decides, and however it wraps that

_NUMBERS = st.one_of(
    st.integers(0, 20), st.floats(0, 20).map(lambda x: round(x, 3)), st.just(0.0), st.just(20)
)
_PROSE = st.text(st.characters(codec="utf-8", exclude_characters="{}`"), max_size=60)


@given(grades=st.tuples(_NUMBERS, _NUMBERS), reasoning=st.text(max_size=80), indent=st.booleans())
def test_any_verdict_is_read_back(
    grades: tuple[float, float], reasoning: str, indent: bool
) -> None:
    """Also with braces, quotes, fences and criteria in its reasoning."""
    said = {"chain_of_thought_reasoning": reasoning, "empathy": grades[0], "insight": grades[1]}
    reading = read(json.dumps(said, indent=2 if indent else None, ensure_ascii=indent))
    assert list(reading.value.scores.values()) == list(grades)
    assert reading.value.reasoning == reasoning
    assert reading.flags == ()


@given(
    grades=st.tuples(_NUMBERS, _NUMBERS),
    reasoning=st.text(st.characters(codec="utf-8", exclude_characters="`"), max_size=60),
    before=_PROSE,
    after=_PROSE,
    fence=st.booleans(),
)
def test_prose_before_a_verdict_changes_nothing(
    grades: tuple[float, float], reasoning: str, before: str, after: str, fence: bool
) -> None:
    """However long the judge talks, in a fence or not; a word after it, and it is not read."""
    said = {"chain_of_thought_reasoning": reasoning, "empathy": grades[0], "insight": grades[1]}
    text = json.dumps(said)
    wrapped = f"\n```json\n{text}\n```\n" if fence else text
    reading = read(f"{before}{wrapped}")
    assert list(reading.value.scores.values()) == list(grades)
    if any(char.isalnum() for char in after):
        assert read(f"{before}{wrapped} so {after}").value is None


@given(st.text(max_size=200), st.sampled_from(list(Finish)))
def test_no_text_raises(text: str, finish: Finish) -> None:
    """Every reply is a verdict or has a reason."""
    for reply in (text, f'{{"empathy": {text}', f'{{"empathy": {text}, "insight": 1,}}'):
        reading = read(reply, finish)
        assert (reading.value is None) == (reading.reason is not None)
