"""The bundled EQ-Bench v1 question pack: its form, its balance and its scaffold."""

import json
import re
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from eibench.data import folder
from tests.data.bundled import each, lines_of

PACK = folder("eqbench_v1") / "bundled/questions.json"
QUESTIONS: dict[str, dict[str, Any]] = json.loads(PACK.read_text(encoding="utf-8"))
REFERENCES = ("reference_answer", "reference_answer_fullscale")
SCAFFOLD = """\
Read the conversation below closely, then judge what one of the people in it is feeling.

{dialogue}
[End dialogue]

When the conversation ends, how strongly would {name} feel each of these?
{emotions}

Give each emotion a number from 0-10, where 0 means it is not there at all and 10 that it could \
hardly be stronger. The proportions count: how strong each is beside the other three. Then \
question your own numbers in the light of what was said and what was left unsaid. Finally, give \
your revised numbers.

Answer in exactly this form, with your own numbers and words in place of the angle brackets and \
nothing before or after:

First pass scores:
{first}

Critique: <your critique>

Revised scores:
{revised}

[End of answer]

A zero is a proper answer for an emotion that is not felt, but at least one of the four must be \
above zero.
"""

LINES = lines_of(PACK, {n: f'"{n}": {{' for n in QUESTIONS})
each_question = each({LINES[n]: (question,) for n, question in QUESTIONS.items()})


def emotions(question: dict[str, Any]) -> list[str]:
    """The four emotion words, in order."""
    return [question["reference_answer"][f"emotion{i}"] for i in range(1, 5)]


def scores(question: dict[str, Any], reference: str) -> list[float]:
    """The four scores of one of the two references, in order."""
    return [question[reference][f"emotion{i}_score"] for i in range(1, 5)]


def dialogue(question: dict[str, Any]) -> str:
    """The text between the instruction and the end mark of the dialogue."""
    head = question["prompt"].split("\n[End dialogue]\n")[0]
    return str(head).split("\n\n", 1)[1]


def rated(question: dict[str, Any]) -> str:
    """The name of the person whose feelings are asked about."""
    found = re.search(r"how strongly would (.+) feel each of these\?", question["prompt"])
    assert found
    return found[1]


def spoken(question: dict[str, Any]) -> list[tuple[str, str]]:
    """Each line of the dialogue that someone speaks, as speaker and words."""
    lines = [line for line in dialogue(question).splitlines() if not line.startswith("[")]
    assert all(": " in line for line in lines)
    return [(name, words) for name, words in (line.split(": ", 1) for line in lines)]


def runs_of_words(text: str, length: int) -> set[tuple[str, ...]]:
    """Every run of `length` neighbouring words, without case or punctuation."""
    words = re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text.lower())
    return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}


def test_ids() -> None:
    """The ids are "1" to "30", in order."""
    assert list(QUESTIONS) == [str(i) for i in range(1, 31)]


def test_file_layout() -> None:
    """The file is plain UTF-8 JSON, indented by two, with nothing escaped."""
    text = json.dumps(QUESTIONS, indent=2, ensure_ascii=False) + "\n"
    assert PACK.read_text(encoding="utf-8") == text


@each_question
def test_types(question: dict[str, Any]) -> None:
    """A question has exactly the four fields; full-scale scores are whole numbers."""
    assert list(question) == ["prompt", *REFERENCES, "reasoning"]
    assert type(question["prompt"]) is type(question["reasoning"]) is str
    assert [len(question[reference]) for reference in REFERENCES] == [8, 8]
    assert all(type(score) is int for score in scores(question, REFERENCES[1]))


@each_question
def test_emotion_words(question: dict[str, Any]) -> None:
    """Both references name the same four different emotions, each one capitalised word."""
    words = emotions(question)
    assert len(set(words)) == 4
    assert all(re.fullmatch(r"[A-Z][a-z]+", word) for word in words)
    assert words == [question[REFERENCES[1]][f"emotion{i}"] for i in range(1, 5)]


@each_question
def test_relative_scores_are_the_shares_of_the_full_scale(question: dict[str, Any]) -> None:
    """As ratings are scaled to be scored, so that the authors' own ratings score 100."""
    full = scores(question, "reference_answer_fullscale")
    shares = [10 * score / sum(full) for score in full]
    assert scores(question, "reference_answer") == pytest.approx(shares, abs=1e-4)


@each_question
def test_fullscale_range(question: dict[str, Any]) -> None:
    """The full-scale scores lie between 0 and 10."""
    assert all(0 <= score <= 10 for score in scores(question, "reference_answer_fullscale"))


@each_question
def test_one_is_plain(question: dict[str, Any]) -> None:
    """At least one emotion is strong."""
    assert max(scores(question, "reference_answer_fullscale")) >= 6


def test_strongest_position_is_balanced() -> None:
    """The strongest emotion stands in each of the four positions seven or eight times."""
    tops = [scores(question, "reference_answer") for question in QUESTIONS.values()]
    counts = Counter(top.index(max(top)) for top in tops)
    assert sorted(counts.values()) == [7, 7, 8, 8]


def test_shapes_vary() -> None:
    """No numbers, place aside, serve more than three questions; some have no zero."""
    answers = [scores(q, "reference_answer_fullscale") for q in QUESTIONS.values()]
    assert max(Counter(tuple(sorted(answer)) for answer in answers).values()) <= 3
    assert sum(min(answer) > 0 for answer in answers) >= 4


def test_who_speaks_last_varies() -> None:
    """The person asked about is the last to speak in at most three quarters."""
    last = [spoken(q)[-1][0] == rated(q) for q in QUESTIONS.values()]
    assert sum(last) <= 0.75 * len(last)


def test_emotion_vocabulary_is_wide() -> None:
    """At least 70 different emotion words occur, and none in more than four questions."""
    words = Counter(word for question in QUESTIONS.values() for word in emotions(question))
    assert len(words) >= 70
    assert max(words.values()) <= 4


@each_question
def test_scaffold(question: dict[str, Any]) -> None:
    """Only the dialogue, the name and the emotions differ from the shared scaffold."""
    words = emotions(question)
    assert question["prompt"] == SCAFFOLD.format(
        dialogue=dialogue(question),
        name=rated(question),
        emotions="\n".join(words),
        first="\n".join(f"{word}: <score>" for word in words),
        revised="\n".join(f"{word}: <revised score>" for word in words),
    )


@each_question
def test_dialogue_length(question: dict[str, Any]) -> None:
    """A dialogue has 7 to 14 spoken lines, no blank ones and at most two of stage directions."""
    lines = dialogue(question).splitlines()
    assert all(line == line.strip() != "" for line in lines)
    assert 7 <= len(spoken(question)) <= 14
    assert sum(bool(re.fullmatch(r"\[[^][]+\]", line)) for line in lines) <= 2
    assert all(line.endswith("]") for line in lines if line.startswith("["))


@each_question
def test_rated_person_speaks(question: dict[str, Any]) -> None:
    """The person asked about speaks at least twice, and so does someone else."""
    speakers = Counter(name for name, _ in spoken(question))
    assert speakers[rated(question)] >= 2
    assert speakers.total() - speakers[rated(question)] >= 2


@each_question
def test_dialogue_does_not_name_the_emotions(question: dict[str, Any]) -> None:
    """None of the four emotion words is said in the dialogue."""
    said = {word for (word,) in runs_of_words(dialogue(question), 1)}
    assert said.isdisjoint(word.lower() for word in emotions(question))


def test_dialogues_share_no_run_of_words() -> None:
    """No six words in a row occur in two dialogues."""
    found = Counter(
        run for question in QUESTIONS.values() for run in runs_of_words(dialogue(question), 6)
    )
    assert [run for run, count in found.items() if count > 1] == []


def test_rated_people_differ() -> None:
    """No two questions ask about a person of the same name."""
    names = [rated(question) for question in QUESTIONS.values()]
    assert len(set(names)) == len(names)


def test_neighbours_differ_in_answer() -> None:
    """No two questions in a row have the same relative scores."""
    answers = [scores(question, "reference_answer") for question in QUESTIONS.values()]
    assert all(first != second for first, second in pairwise(answers))


@each_question
def test_reasoning_is_one_sentence(question: dict[str, Any]) -> None:
    """The reasoning is a single sentence of 8 to 45 words."""
    assert re.fullmatch(r"[A-Z][^.!?\n]+\.", question["reasoning"])
    assert 8 <= len(question["reasoning"].split()) <= 45
