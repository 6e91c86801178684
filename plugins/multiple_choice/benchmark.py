"""multiple-choice: questions with choices from a file, answered by a letter in a written reply.

By generated answer, not by log-likelihood: docs/multiple-choice.md says what that changes.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from string import ascii_uppercase
from typing import NamedTuple

from eibench import (
    Baseline,
    Benchmark,
    ChatRequest,
    ChatResponse,
    DataError,
    Item,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    Sampling,
    Score,
    Value,
    folder,
    read_csv,
    read_jsonl,
)
from eibench.judges import chance, fill, lettered, read_choices, shuffled, vote

ASK = """\
{question}

{choices}

Which choice is right? Think first if you like; then end with a line of this form: answer: LETTER"""
_PART = "answer"
_FORMS = (
    ("question", "options", "label"),
    ("query", "choices", "gold"),
    ("question", "choices", "answer"),
)
"""The fields of question, choices and right choice in JSON lines."""
_LETTER = re.compile(r"\s*(?:\(([A-Z])\)|([A-Z])[.):])\s*")


class ChoiceQuestion(NamedTuple):
    """A question, its choices in the order of the file, and the right one."""

    question: str
    choices: tuple[str, ...]
    right: str


Answered = tuple[tuple[str, ...], ChatResponse]
"""The choices in the order in which they were shown, and the reply."""


class MultipleChoice(Benchmark[ChoiceQuestion, list[Answered]]):
    """The benchmark."""

    name = "multiple-choice"
    version = "2"
    grading = "3"
    title = "questions with choices from a file of yours, in the forms of MMLU and AGIEval"
    kind = "choice"
    languages = ("en",)
    data = folder("multiple_choice")
    file_endings = (".csv", ".jsonl")
    comparability = (
        "not comparable with published accuracies: a written answer to choices in another order"
    )
    sampling = Sampling(temperature=0.0, max_tokens=4_000)
    answer_tokens = 1_024
    options = (
        Option("shuffles", 1, "How often to ask, in another order (0: once, in that of the file).",
               in_requests=True, min=0, max=9),
    )  # fmt: skip
    values = (Value("right", "right answers", "share", over="questions"),)

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The questions of all files; an id is the file's name and the line.

        The name is without its ending, unless two files differ in that alone. A question whose
        right choice stands there twice is left out.
        """
        items, twice = list[Item[ChoiceQuestion]](), list[Item[ChoiceQuestion]]()
        stems = [Path(name).stem for name in source.files]
        for (name, path), stem in zip(source.files.items(), stems, strict=True):
            known = stem if stems.count(stem) == 1 else name
            for line, question in _questions(path):
                item = Item(f"{known}-{line}", question, tags={"file": known})
                (items if question.choices.count(question.right) == 1 else twice).append(item)
        ids = ", ".join(item.id for item in twice)
        if not items:
            why = f"; of {ids} the right choice stands there twice" if ids else ""
            raise DataError(next(iter(source.files.values())), f"holds no questions{why}")
        warnings = (f"left out, as the right choice stands there twice: {ids}",) if ids else ()
        return Pack(source, items, self.comparability, warnings)

    def prompts(self, options: Options) -> Mapping[str, str]:
        """The request."""
        return {"ask": ASK}

    def planned_calls(self, item: Item[ChoiceQuestion], options: Options) -> Mapping[str, int]:
        """One for each order."""
        return {"model": max(1, options["shuffles"])}

    async def generate(
        self, item: Item[ChoiceQuestion], model: Model, options: Options
    ) -> list[Answered]:
        """A reply to each order of the choices."""
        one = item.content
        orders = shuffled(one.choices, model, options["shuffles"])
        asked = (
            model.chat(fill(ASK, {"question": one.question, "choices": lettered(order)}))
            for order in orders
        )
        return list(zip(orders, await asyncio.gather(*asked), strict=True))

    async def grade(
        self,
        item: Item[ChoiceQuestion],
        transcript: list[Answered],
        judge: Model | None,
        options: Options,
    ) -> Score:
        """1 where the letter is right; of several orders by a vote."""
        answers = [read_choices(reply, {_PART: order}) for order, reply in transcript]
        return vote(answers, {_PART: item.content.right}, whole="right")

    def baselines(self, pack: Pack, options: Options) -> Mapping[str, Baseline]:
        """Random letters."""
        orders = max(1, options["shuffles"])
        shares = [chance(len(item.content.choices), orders) for item in pack.items]
        return {"random": Baseline(sum(shares) / len(shares), "random letters")}

    def demo_reply(
        self, item: Item[ChoiceQuestion], request: ChatRequest, ability: float, rng: Random
    ) -> str:
        """The right choice as often as the ability says, else any."""
        one = item.content
        return f"answer: {one.right if rng.random() < ability else rng.choice(one.choices)}"


def _questions(path: Path) -> Iterator[tuple[int, ChoiceQuestion]]:
    """The questions of a file with their lines.

    CSV as MMLU's, where a heading is passed over: question, choices, letter. JSON lines as
    AGIEval's: ``passage`` (or null), ``question``, ``options`` and ``label``; or as the Hub has
    MMLU (``question``, ``choices``, ``answer``) and AGIEval (``query``, ``choices``, ``gold``).

    Raises:
        DataError: A row is not of that form.
    """
    if path.suffix.lower() == ".csv":
        for line, cells in read_csv(path):
            if len(cells) == 1:
                raise DataError(path, f"line {line} has a single cell")
            texts = [cell.strip() for cell in cells]
            if cells and (texts[0].lower(), texts[-1].lower()) != ("question", "answer"):
                yield line, _checked(path, line, texts[0], texts[1:-1], texts[-1])
        return
    for line, row in read_jsonl(path):
        if not isinstance(row, dict):
            raise DataError(path, f"line {line} is no object")
        asked, listed, label = next((form for form in _FORMS if {*form} <= row.keys()), _FORMS[0])
        passage, question, choices = row.get("passage") or "", row.get(asked) or "", row.get(listed)
        if not isinstance(choices, list) or not all(isinstance(c, str) for c in choices):
            raise DataError(path, f"line {line}: {listed} is no list of texts")
        letter = row.get(label) if label == "label" else _letter(row[label])
        if not isinstance(letter, str):
            raise DataError(path, f"line {line}: {label} is no letter (one right choice alone)")
        text = f"{passage}\n\n{_without_choices(str(question))}".strip()
        yield line, _checked(path, line, text, _without_letters(choices), letter)


def _letter(answer: object) -> object:
    """The letter of a right choice that is given by its place from 0; else what is given."""
    one = answer[0] if isinstance(answer, list) and len(answer) == 1 else answer
    if type(one) is int and 0 <= one < len(ascii_uppercase):
        return ascii_uppercase[one]
    return one


def _without_choices(query: str) -> str:
    """A question without the choices and the request behind it, as AGIEval's queries have them."""
    question, choices, _ = query.partition("Answer Choices:")
    return question.strip().removeprefix("Q:").strip() if choices else query


def _without_letters(choices: list[str]) -> list[str]:
    """Choices without their letters, where each has its own: ``(B)``, ``B)``, ``B.`` or ``B:``."""
    marks = [_LETTER.match(choice) for choice in choices]
    letters = [mark and (mark[1] or mark[2]) for mark in marks]
    if letters != list(ascii_uppercase[: len(choices)]):
        return [choice.strip() for choice in choices]
    return [
        choice[mark.end() :].strip() for choice, mark in zip(choices, marks, strict=True) if mark
    ]


def _checked(
    path: Path, line: int, question: str, choices: list[str], letter: str
) -> ChoiceQuestion:
    at = ascii_uppercase.find(letter.strip("() .").upper() or "?")
    if not question or len(choices) < 2 or not all(choices):
        raise DataError(path, f"line {line} needs a question and two choices at least")
    if not 0 <= at < len(choices):
        raise DataError(path, f"line {line}: {letter!r} is no letter of its choices")
    return ChoiceQuestion(question, tuple(choices), choices[at])
