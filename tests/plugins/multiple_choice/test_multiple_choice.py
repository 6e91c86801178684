"""multiple-choice: the two forms of files, letters read strictly, orders, the chance baseline."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import DataError, Item, find_pack
from eibench.plugins.multiple_choice.benchmark import ChoiceQuestion, MultipleChoice
from eibench.testing import LoopbackServer, ReceivedRequest, ScriptedModel

Bench = Callable[..., Any]
BENCHMARK = MultipleChoice()
OPTIONS = {option.name: option.default for option in BENCHMARK.options}


def _pack(path: Path) -> Any:
    return BENCHMARK.read_pack(find_pack(BENCHMARK, str(path), OPTIONS), OPTIONS)


def _items(path: Path) -> Any:
    return _pack(path).items


def test_files_of_both_forms(tmp_path: Path) -> None:
    """MMLU's rows and AGIEval's lines, whose own letters are taken off."""
    (tmp_path / "a.csv").write_text('"2 + 2?",3,4,5,22,B\n', "utf-8")
    line = {"passage": "Ada is taller than Bo.", "question": "Who is shorter?",
            "options": ["(A)Ada", "(B)Bo", "(C)nobody"], "label": "B"}  # fmt: skip
    (tmp_path / "b.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    (one,), (other,) = _items(tmp_path / "a.csv"), _items(tmp_path / "b.jsonl")
    assert (one.content.right, one.content.choices) == ("4", ("3", "4", "5", "22"))
    assert other.content.right == "Bo"
    assert other.content.question == "Ada is taller than Bo.\n\nWho is shorter?"


def _jsonl(path: Path, *options: str) -> None:
    row = {"question": "q", "options": options, "label": "B"}
    path.write_text(json.dumps(row) + "\n", "utf-8")


HUB = [
    {"question": "2 + 2?", "choices": ["3", "4"], "answer": 1, "subject": "sums"},
    {"question": "2 + 2?", "choices": ["3", "4"], "answer": "B"},
    {"query": "Q: 2 + 2? Answer Choices: (A)3 (B)4\nA: Among A through B, the answer is",
     "choices": ["(A)3", "(B)4"], "gold": [1]},
]  # fmt: skip


@pytest.mark.parametrize("row", HUB, ids=["place", "letter", "query"])
def test_rows_of_the_hub(tmp_path: Path, row: dict[str, Any]) -> None:
    """MMLU's and AGIEval's as they are there; the choices stand in no question."""
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    (item,) = _items(tmp_path / "a.jsonl")
    assert item.content == ("2 + 2?", ("3", "4"), "4")


def test_a_heading_is_no_question(tmp_path: Path) -> None:
    """Of a file of MMLU that has one."""
    (tmp_path / "a.csv").write_text("question,A,B,answer\n2 + 2?,3,4,B\n", "utf-8")
    (item,) = _items(tmp_path / "a.csv")
    assert item.content == ("2 + 2?", ("3", "4"), "4")


def test_a_capital_is_no_letter_of_an_option(tmp_path: Path) -> None:
    """Only marks that each option has, each its own, are taken off."""
    for options in (["Apples", "Bread", "Corn"], ["A. Smith wrote it", "Nobody did"],
                    ["B. Jones", "A. Smith"]):  # fmt: skip
        _jsonl(tmp_path / "plain.jsonl", *options)
        (item,) = _items(tmp_path / "plain.jsonl")
        assert list(item.content.choices) == options
    for marks in ("({})", "{})", "{}.", "{}: ", " ({}) "):
        marked = [marks.format(letter) + text for letter, text in zip("AB", "xy", strict=True)]
        _jsonl(tmp_path / "marked.jsonl", *marked)
        (item,) = _items(tmp_path / "marked.jsonl")
        assert item.content.choices == ("x", "y")


def test_a_line_break_in_quotes_is_part_of_the_question(tmp_path: Path) -> None:
    """A cell of several lines stays one, and the next row's line is counted on."""
    (tmp_path / "a.csv").write_text('"first\nsecond\u2028third",x,y,A\nq,x,y,B\n', "utf-8")
    one, two = _items(tmp_path / "a.csv")
    assert one.content.question == "first\nsecond\u2028third"
    assert two.id.endswith("-3")


@pytest.mark.parametrize(
    ("choices", "kept"),
    [
        (["Only (B) is right", "Only (A) is right"], True),
        (["one", "two", "Both A and C", "four"], True),
        (["A, B and D only", "two", "three", "four"], True),
        (["A", "B", "AB", "O"], True),
        (["three", "four", "five", "All of the above"], True),
        (["red", "blue", "None of these."], True),
        (["red", "blue", "the first two"], True),
        (["红", "蓝", "A和B", "以上都不是"], True),
        (["A decrease in demand", "Vitamin A and C", "the following day", "both of them"], False),
        (["I and II only", "II and III only", "all of these people", "1 and 2"], False),
    ],
)
async def test_choices_that_name_others_keep_the_order_of_the_file(
    choices: list[str], kept: bool
) -> None:
    """Others are asked in as many random orders as are wanted, or once in it for 0."""
    item = Item("q", ChoiceQuestion("Which?", tuple(choices), choices[0]))
    for shuffles in (0, 5):
        options = {"shuffles": shuffles}
        answered = await BENCHMARK.generate(item, ScriptedModel(*["answer: A"] * 5), options)
        orders = {order for order, _ in answered}
        assert (orders == {tuple(choices)}) == (kept or not shuffles)
        assert len(answered) == BENCHMARK.planned_calls(item, options)["model"] == max(1, shuffles)


async def test_a_letter_is_a_letter_where_a_choice_is_another() -> None:
    """Of blood groups, ``answer: A`` is the first choice, and ``answer: AB`` its text."""
    item = Item("q", ChoiceQuestion("Which?", ("O", "A", "B", "AB"), "O"))
    for reply, right in (("answer: A", 1), ("answer: AB", 0), ("answer: O", 1)):
        answered = await BENCHMARK.generate(item, ScriptedModel(reply), OPTIONS)
        score = await BENCHMARK.grade(item, answered, None, OPTIONS)
        assert score.values == {"right": right}


def test_equal_choices_leave_out_their_question_alone(tmp_path: Path) -> None:
    """By its id, and only where the right one stands twice; ids follow the name of the file."""
    path = tmp_path / "agi.csv"
    path.write_text("q,x,x,A\nq,x,x,y,C\nq,x,y,A\n", "utf-8")
    pack = _pack(path)
    assert [item.id for item in pack.items] == ["agi-2", "agi-3"]
    assert pack.warnings == ("left out, as the right choice stands there twice: agi-1",)


def test_files_that_differ_in_their_ending_alone_keep_ids_apart(tmp_path: Path) -> None:
    """Their whole names are in the ids then."""
    (tmp_path / "a.csv").write_text("q,x,y,A\n", "utf-8")
    _jsonl(tmp_path / "a.jsonl", "x", "y")
    assert [item.id for item in _items(tmp_path)] == ["a.csv-1", "a.jsonl-1"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "q,1,2,C\n", "line 1: 'C' is no letter of its choices"),
        ("a.csv", "q,1,A\n", "needs a question and two choices"),
        ("a.csv", "q,same,same,A\n", "holds no questions; of a-1 the right choice stands there"),
        ("b.jsonl", '{"question": "q", "options": ["1", "2"], "label": [1]}\n', "label is no"),
        ("b.jsonl", '{"question": "q", "options": null, "label": "A"}\n', "options is no list"),
        ("b.jsonl", "[1]\n", "line 1 is no object"),
    ],
)  # fmt: skip
def test_a_broken_row_is_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    """With the file and the line."""
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(DataError, match=re.escape(message)):
        _items(tmp_path / name)


def test_one_that_always_says_a_is_at_chance(bench: Bench) -> None:
    """The choices are in another order for each question, so a letter is worth nothing."""
    prompts: list[str] = []

    def reply(request: ReceivedRequest) -> str:
        prompts.append(request.messages[-1]["content"])
        return "Let me see.\n\nanswer: A"

    with LoopbackServer(reply) as server:
        done = bench("run", "multiple-choice", "--model", "openai/m", "--base-url",
                     server.base_url, "--shuffles", "3", "--json")  # fmt: skip
    right = done.json["metrics"]["right"]
    assert right["value"] < 0.6
    assert done.json["baselines"]["random"]["value"] == pytest.approx(0.2, abs=0.06)
    assert len(set(prompts)) > 30, "orders differ"


def test_a_letter_in_running_text_is_no_answer(bench: Bench) -> None:
    """Nothing is taken from prose; the question is unscored, with the reason."""
    with LoopbackServer("I think that A is nice, but so is B.") as server:
        done = bench("run", "multiple-choice", "--model", "openai/m", "--base-url",
                     server.base_url, "--limit", "2", "--json")  # fmt: skip
    assert done.json["items"]["unscored"] == 2
    assert "names no choice" in done.json["unscored"][0]["reason"]
