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


CLOSING = [
    "Final answer: B", "**Final answer: B**", "My final answer: (B)",
    "answer: B) because she waits", "Answer: B because it helps", "The answer is B.",
    "So the answer is **B**", "\\boxed{B}", "Therefore, the correct answer is \\boxed{B}.",
    "$\\boxed{B}$", "### Answer: B", "### Answer\nB",
    "Therefore, the correct answer is $\\boxed{\\text{B}}$.", "The final answer is: $\\boxed{B}$",
    "## Final Answer\n\n**B**", "答案：B", "答案是B。", "正确答案：B", "因此，答案是 B。",
    "答案: B) 因为她需要", "Antwort: B", "Die richtige Antwort ist B.",
    "Meine Antwort: B) Ask her", "Réponse : B",
    "She may be sad.\n\nThe best answer is (B) Ask her.", "B: The answer is B.",
    "The correct option is B", "Answer: B) Ask her, because she is sad", "**Answer:** **B**",
    "Correct answer: Ask her", "The answer is Ask her.", '{"Answer": "B"}\nHope this helps!',
    '```json\n{"result": {"answer": "B"}}\n```', "Final Answer: \\boxed{B}",
    "Not A, as the answer is in her words.\nFinal answer: B",
]  # fmt: skip
NOT_PLAIN = [
    "The answer is not B.", "Final answer: not B", "Final answer: A or B",
    "The answer is A or B.", "The answer is A.\nNo.\nThe answer is B",
    "Final answer: A\nFinal answer: B", "Is the answer B?", "\\boxed{A} or \\boxed{B}",
    "\\boxed{A}\nThe answer is B.", "The answer is B?? Hmm",
    "The answer is B because A is wrong, or rather C", "answer: B) because she would Wait",
    "The answer is B if she waits, else C", "The answer is A walk or B", "A: The answer is B.",
    "The answer is between A and B", "If the answer is B, she is sad.\nI do not know.",
    "Answer: A because I like it, B too", "The answer is A person would know.",
    "Final answer: B, C", "Final answer: A/B", "The answer might be B.",
    "The user says the answer is B.", "Final answer: D", "\\boxed{A, B}",
    "The answer is definitely not \\boxed{B}.", "答案：A或B", "答案不是B",
    "The answer is B.\nOr so I think.", '{"draft": {"answer": "A"}, "final": "B"}',
    '{"draft": {"answer": "A"}, "final": {"answer": "B"}}', "***",
    "answer" + ":" * 20_000,
]  # fmt: skip


@pytest.mark.parametrize("reply", CLOSING)
def test_closing_lines_that_leave_no_doubt_are_read(reply: str) -> None:
    """What small and reasoning models end with, in several languages."""
    assert read_choices(ChatResponse(reply), ONE) == {"answer": "Ask her"}
    assert read_choices(ChatResponse(f"She waits, and I think so.\n\n{reply}"), ONE) == {
        "answer": "Ask her"
    }


@pytest.mark.parametrize("reply", NOT_PLAIN)
def test_closing_lines_that_leave_a_doubt_name_nothing(reply: str) -> None:
    """No guess: what is denied, open, somebody else's, or said in two ways."""
    assert isinstance(read_choices(ChatResponse(reply), ONE), str)


def test_a_closing_line_that_was_cut_off_names_nothing() -> None:
    """More may have followed; what is asked for is read as ever."""
    cut = ChatResponse("The answer is B", finish=Finish.LENGTH)
    assert isinstance(read_choices(cut, ONE), str)


@pytest.mark.parametrize("choice", ["A", "B", "C"])
@pytest.mark.parametrize("reply", CLOSING[:20])
def test_a_closing_line_names_its_own_letter(reply: str, choice: str) -> None:
    """Whatever the wrapping, the letter in it is the one that is read."""
    read = read_choices(ChatResponse(reply.replace("B", choice)), ONE)
    assert read == {"answer": ONE["answer"]["ABC".index(choice)]}


@pytest.mark.parametrize(
    "reply", ["Final emotion: B\nThe cause is A.", "The emotion is B.\nCause: A"]
)
def test_closing_lines_of_several_parts(reply: str) -> None:
    """Each part is called by its name."""
    assert read_choices(ChatResponse(reply), TWO) == {"emotion": "Fear & Shame", "cause": "She won"}
    assert isinstance(read_choices(ChatResponse("The answer is B."), TWO), str)


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
