"""Comparisons: a margin for each criterion is read, or nothing; never a wrong one, never a draw."""

import json
import re
import string
from collections.abc import Mapping
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench import ChatResponse, Message
from eibench.core.types import Finish
from eibench.judges import MOST_PLUSES, Codes, ask_for_margins, criteria_of, draw_codes
from eibench.judges.pairwise import Margins, read_margins, schema
from eibench.judges.replies import read_object
from eibench.testing import ScriptedModel

CODES = Codes("A4711", "A2001")
CRITERIA = ("insight", "tact", "overall")
MARGINS = {"insight": 3, "tact": -1, "overall": 5}
SAID = {"insight": "A4711+++", "tact": "A2001+", "overall": "A4711+++++"}
REASON = {"chain_of_thought_reasoning": 'A2001+++++ would be a "mistake" {here}.'}
GOOD = json.dumps({**REASON, **SAID}, indent=2)


def read(text: str, finish: Finish = Finish.STOP) -> tuple[Mapping[str, int] | None, str | None]:
    """The margins of a reply, or why there are none."""
    reading = read_margins(ChatResponse(text, finish=finish), CRITERIA, CODES)
    return (reading.value.margins if reading.value else None), reading.reason


def said(**changes: object) -> str:
    """A good reply with something else in it."""
    return json.dumps({**REASON, **SAID, **changes})


def test_a_good_reply_is_read_with_its_reasoning() -> None:
    """Positive where the first respondent wins; the codes in the reasoning count for nothing."""
    reading = read_margins(ChatResponse(GOOD), CRITERIA, CODES)
    assert reading.value == Margins(MARGINS, REASON["chain_of_thought_reasoning"])
    assert (reading.reason, reading.flags) == (None, ())


@pytest.mark.parametrize(
    ("reply", "flag"),
    [
        (f"```json\n{GOOD}\n```", "fenced"),
        (f"I hope that this helps:\n{GOOD}\n", "embedded"),
        (GOOD[:-2] + ",\n}", "repaired"),
        (GOOD.replace('"overall"', '// the last\n"overall"'), "repaired"),
        (json.dumps({**SAID, "winner": "A2001"}), "unknown key"),
        (json.dumps({"comparison": SAID}), "other keys"),
        (GOOD.replace('"tact"', '"Tact"'), "other keys"),
    ],
)
def test_the_same_in_another_coat_is_read_and_flagged(reply: str, flag: str) -> None:
    """In a fence, among prose, with a trailing comma, a comment or a key too many."""
    reading = read_margins(ChatResponse(reply), CRITERIA, CODES)
    assert reading.value is not None, reading.reason
    assert (reading.value.margins, reading.flags) == (MARGINS, (flag,))


def test_spaces_around_code_and_pluses_do_not_matter() -> None:
    """Nor does a reasoning that is missing or no text."""
    assert read(said(tact=" A2001 + ", chain_of_thought_reasoning=None))[0] == MARGINS
    assert read(json.dumps(SAID))[0] == MARGINS


WRONG = [
    "A4711" + "+" * 60,
    "A4711" + "+" * 6,
    "A4711",
    "+++",
    "",
    "A4711++ A2001+",
    "A4711+++ over A2001",
    "A4711+/A2001+",
    "A47112001+",
    "A4711+A2001",
    "A9999++",
    "A0493+++",
    "a4711++",
    "4711++",
    "first++",
    "Respondent A4711++",
    "A4711--",
    "A4711-",
    "A4711+ +",
    "A4711++.",
    "A4711 (++)",
    "**A4711++**",
    "A4711 wins by ++",
    "A4711：++",
    "A4711＋＋",
    "Ａ4711++",
    "A4711+++\nA2001+",
    "tie",
    "draw",
    "A4711=A2001",
    "winner & disparity rating",
    3,
    -3,
    0,
    2.5,
    True,
    None,
    ["A4711++"],
    ["A4711", "++"],
    {"winner": "A4711", "pluses": 2},
    {"A4711": "++"},
]


@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_one_criterion_that_cannot_be_read_leaves_the_reply_unread(value: object) -> None:
    """It names the criterion and quotes nothing of the reply, which is told to the judge."""
    margins, reason = read(said(tact=value))
    assert margins is None
    assert reason == "tact: not one of the two codes with one to five pluses"


def test_every_wrong_criterion_is_named() -> None:
    """So that one more question can bring all of them."""
    assert read(said(insight="A1+", overall="even"))[1] == (
        "insight, overall: not one of the two codes with one to five pluses"
    )


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "the reply is empty"),
        ("I cannot compare people.", "no JSON in the reply"),
        ("A4711 is stronger: A4711+++ on insight, A2001+ on tact.", "no JSON in the reply"),
        ('{"refusal": "I will not judge."}', None),
        ("[]", "no JSON in the reply"),
        ('["A4711+++", "A2001+", "A4711+++++"]', "no JSON in the reply"),
        (json.dumps({"example": SAID}), None),
        (json.dumps({"A4711": SAID}), None),
        (json.dumps([SAID, SAID | {"tact": "A4711+"}]), "more than one JSON object in the reply"),
        (json.dumps(SAID | {"insight": "A2001+"}) + "\n" + GOOD, "more than one JSON object"),
        ('{"insight": "A4711+", "insight": "A2001+"}', "gives a key twice"),
        (json.dumps({k: v for k, v in SAID.items() if k != "tact"}), "it lacks tact"),
        (said().replace('"tact"', '"tactfulness"'), "it lacks tact"),
        (json.dumps(REASON), None),
        ("null", "no JSON in the reply"),
        ("NaN", "no JSON in the reply"),
    ],
)
def test_a_reply_that_is_no_comparison_is_unread(reply: str, reason: str | None) -> None:
    """Prose with codes in it, a refusal, a list, a nest, two answers, a criterion renamed."""
    margins, message = read(reply)
    assert margins is None
    assert message is not None
    assert reason is None or reason in message


@pytest.mark.parametrize("finish", [Finish.REFUSAL, Finish.CONTENT_FILTER])
def test_what_the_provider_calls_a_refusal_is_one(finish: Finish) -> None:
    """Whatever the text says."""
    assert read(GOOD, finish) == (None, "the judge refused")


@pytest.mark.parametrize("finish", [Finish.STOP, Finish.LENGTH])
@pytest.mark.parametrize("order", list(permutations(SAID)), ids="-".join)
def test_a_reply_that_was_cut_is_never_read_otherwise(
    finish: Finish, order: tuple[str, ...]
) -> None:
    """At any character, with the reasoning at either end: the same margins, or none."""
    for parts in ({**REASON, **SAID}, {**SAID, **REASON}):
        text = json.dumps({k: parts[k] for k in sorted(parts, key=(*order, *REASON).index)})
        for end in range(len(text)):
            margins, reason = read(text[:end], finish)
            assert margins is None or margins == MARGINS, text[:end]
            assert (margins is None) == (reason is not None)


@pytest.mark.parametrize("pluses", [6, 60])
def test_more_pluses_than_five_are_not_cut_to_five(pluses: int) -> None:
    """Nor is anything else put right for the judge."""
    assert read(said(insight="A4711" + "+" * pluses))[0] is None


_MARGIN = st.integers(1, 5).flatmap(lambda n: st.sampled_from([n, -n]))


@given(st.fixed_dictionaries(dict.fromkeys(CRITERIA, _MARGIN)), st.booleans(), st.text())
def test_whatever_is_read_is_what_was_said(
    margins: dict[str, int], fenced: bool, reasoning: str
) -> None:
    """For all margins there are, with any reasoning before them."""
    values = {k: CODES[m < 0] + "+" * abs(m) for k, m in margins.items()}
    text = json.dumps({"chain_of_thought_reasoning": reasoning, **values})
    assert read(f"```json\n{text}\n```" if fenced else text)[0] == margins


@given(st.dictionaries(st.sampled_from(CRITERIA), st.text("A47120+ -=/", max_size=12)))
def test_no_reply_makes_a_draw_or_a_margin_that_is_none(values: dict[str, str]) -> None:
    """Either every criterion has 1 to 5 for somebody, or there is nothing."""
    margins, _ = read(json.dumps(values))
    if margins is not None:
        assert list(margins) == list(CRITERIA)
        assert all(1 <= abs(m) <= MOST_PLUSES for m in margins.values())
        assert all(re.fullmatch(r"\s*(A4711|A2001)\s*\++\s*", values[k]) for k in CRITERIA)


@given(st.text())
def test_text_of_any_kind_is_no_comparison(text: str) -> None:
    """And raises nothing."""
    assert read(text)[0] is None


def test_the_other_code_turns_the_sign() -> None:
    """The same reply, read with the codes exchanged."""
    there = read_margins(ChatResponse(GOOD), CRITERIA, Codes(CODES.second, CODES.first))
    assert there.value is not None
    assert there.value.margins == {name: -m for name, m in MARGINS.items()}


# Codes


def test_codes_are_drawn_from_a_hash() -> None:
    """The same for the same comparison, others for another; never alike, never 0 first."""
    assert draw_codes("x") == draw_codes("x")
    drawn = [draw_codes(str(n)) for n in range(300)]
    assert len(set(drawn)) > 290
    for first, second in drawn:
        assert first != second
        assert re.fullmatch(r"A[1-9]\d{3}", first)
        assert re.fullmatch(r"A[1-9]\d{3}", second)


def test_neither_respondent_has_the_larger_code_more_often() -> None:
    """Nor a code that tells who is shown first: 4 standard errors of a fair coin."""
    larger = sum(first > second for first, second in (draw_codes(str(n)) for n in range(2000)))
    assert abs(larger - 1000) < 4 * (2000 / 4) ** 0.5


def test_no_code_occurs_in_the_texts() -> None:
    """Not even its digits, so that nobody can be called by what they said."""
    plain = draw_codes("x")
    message = f"The year {plain.first[1:]}, and {plain.second[1:]} of them."
    codes = draw_codes("x", message)
    assert not set(plain) & set(codes)
    assert not any(code[1:] in message for code in codes)


def test_a_text_with_every_number_of_four_digits_gets_longer_codes() -> None:
    """A reply made of numbers cannot keep the comparison from being asked."""
    every = " ".join(map(str, range(1000, 10_000)))
    codes = draw_codes("x", every, "12345")
    assert all(re.fullmatch(r"A[1-9]\d{4}", code) for code in codes)
    assert not any(code[1:] in every for code in codes)
    assert codes == draw_codes("x", every, "12345")


# What is asked for


def test_the_criteria_are_those_of_the_form() -> None:
    """Its keys in their order without the reasoning, whatever follows them."""
    form = (
        'Compare.\n{\n  "chain_of_thought_reasoning": "x",\n  "insight": "rating",  \n'
        '\t"tact":"rating",\n  "insight": "again",\n}\nSay "so": no.'
    )
    assert criteria_of(form) == ("insight", "tact")
    assert criteria_of("no form") == ()


def test_the_schema_takes_what_the_reader_takes() -> None:
    """Two codes with one to five pluses for each criterion, and nothing else."""
    made = schema(CRITERIA, CODES)
    assert made["required"] == ["chain_of_thought_reasoning", *CRITERIA]
    assert made["additionalProperties"] is False
    for name in CRITERIA:
        allowed = made["properties"][name]["enum"]
        assert len(set(allowed)) == 10
        for value in allowed:
            assert read(said(**{name: value}))[0] is not None
    read_too = read_object(ChatResponse(GOOD), CRITERIA).value
    assert read_too is not None
    assert read_too.keys() == made["properties"].keys()


async def test_a_comparison_is_asked_for_again_with_the_reason() -> None:
    """At most twice; then it is unread, with every raw reply, and with no margin."""
    judge = ScriptedModel("No.", said(tact="A4711+A2001+"), said(tact="even"), GOOD)
    asked = [Message("system", "Compare."), Message("user", "Both.")]
    outcome = await ask_for_margins(judge, asked, CRITERIA, CODES, cache_prefix=1)
    assert outcome.value is None
    assert outcome.reason == "tact: not one of the two codes with one to five pluses"
    assert outcome.flags[-1] == "re-asked twice"
    assert len(outcome.replies) == len(judge.requests) == 3
    assert "no JSON in the reply" in judge.requests[1].messages[-1].content
    assert "tact: not one of" in judge.requests[2].messages[-1].content
    assert "one to five plus signs" in judge.requests[2].messages[-1].content
    assert all(r.cache_prefix == 1 and r.messages[0] == asked[0] for r in judge.requests)
    assert judge.requests[0].sampling.json_schema == schema(CRITERIA, CODES)


async def test_the_second_reply_counts_where_the_first_could_not_be_read() -> None:
    """With a flag."""
    outcome = await ask_for_margins(
        ScriptedModel(string.punctuation, GOOD), [Message("user", "Both.")], CRITERIA, CODES
    )
    assert outcome.value is not None
    assert (outcome.value.margins, outcome.flags) == (MARGINS, ("re-asked",))
