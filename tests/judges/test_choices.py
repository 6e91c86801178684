"""Choices by letters, in a prompt and in a reply."""

import pytest

from eibench import ChatResponse, Finish
from eibench.judges import lettered, read_choices

ONE = {"answer": ("Wait", "Ask her", "A walk")}
TWO = {"emotion": ("Joy", "Fear & Shame"), "cause": ("She won", "她赢了")}
UNCLEAR = None


def test_choices_have_letters() -> None:
    """A line each, up to the last letter."""
    assert lettered(ONE["answer"]) == "A) Wait\nB) Ask her\nC) A walk"
    with pytest.raises(ValueError, match="27 choices"):
        lettered("x" * 27)


@pytest.mark.parametrize(
    ("reply", "pick"),
    [
        ('{"answer": "B"}', "Ask her"),
        ('First this.\n```json\n{"answer": "b) Ask her."}\n```', "Ask her"),
        ("I thought of A.\n\n**answer: B**", "Ask her"),
        ("answer: A\nNo.\nAnswer: B) ask  her", "Ask her"),
        ("answer：B。", "Ask her"),
        ("B", "Ask her"),
        ("(B)", "Ask her"),
        ("“Ask her.”", "Ask her"),
        ("answer: A walk", "A walk"),
        ("answer: A calm word", UNCLEAR),
        ("answer: B) Wait", UNCLEAR),
        ("answer: D", UNCLEAR),
        ("answer: A or B", UNCLEAR),
        ('{"answer": 2}', UNCLEAR),
        ("I would say B, or perhaps A.", UNCLEAR),
    ],
)
def test_a_choice_is_read_where_it_is_plain(reply: str, pick: str | None) -> None:
    """By letter, text, or both where they agree; never from running text."""
    read = read_choices(ChatResponse(reply), ONE)
    assert read == ({"answer": pick} if pick else f"names no choice for answer: {reply!r}")


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ('{"emotion": "B", "cause": "A"}', {"emotion": "Fear & Shame", "cause": "She won"}),
        ("emotion: A\ncause: 她赢了。", {"emotion": "Joy", "cause": "她赢了"}),
        ('{"emotion": "B"}', 'names no choice for cause: \'{"emotion": "B"}\''),
        ("A", "names no choice for emotion and cause: 'A'"),
    ],
)
def test_each_part_has_its_choice(reply: str, read: object) -> None:
    """A reply that lacks one of them is none."""
    assert read_choices(ChatResponse(reply), TWO) == read


def test_no_answer_names_nothing() -> None:
    """A refusal is one, whatever its words."""
    refused = ChatResponse("B", finish=Finish.REFUSAL)
    assert read_choices(refused, ONE) == "the model refused"
