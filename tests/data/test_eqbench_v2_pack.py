"""The bundled EQ-Bench v2 question packs: their form, their balance and their scaffold."""

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import eibench.data
from tests.data.bundled import each, lines_of

BUNDLED = eibench.data.folder("eqbench_v2") / "bundled"
OF_VERSION_1 = eibench.data.folder("eqbench_v1") / "bundled" / "questions.json"
REFERENCES = ("reference_answer", "reference_answer_fullscale")


class Language(NamedTuple):
    """What is the same in all questions of one language.

    Attributes:
        file: Its pack.
        scaffold: The prompt around dialogue, name and emotions.
        end: The mark after the dialogue.
        asked: How the question begins that names the person asked about.
        blanks: What stands in place of numbers in the form, first and revised.
    """

    file: str
    scaffold: str
    end: str
    asked: str
    blanks: tuple[str, str]


ENGLISH = Language(
    "questions.json",
    """\
This is a short scene. Follow what the people in it say, do and leave out.

{dialogue}
[End dialogue]

How strongly does {name} feel each of these at the end of the scene?
{emotions}

Rate each feeling by itself from 0-10, where 0 means that it is not felt at all and 10 that it is \
felt as strongly as can be. Next, look in the scene for what speaks against your ratings. \
Finally, rate all four feelings again.

Keep to this form, fill in what the angle brackets ask for, and add nothing to it:

First pass scores:
{first}

Critique: <what speaks against your ratings>

Revised scores:
{revised}

[End of answer]

The ratings need not add up to anything: several may be high at once, and any may be zero, though \
not all four.
""",
    "[End dialogue]",
    r"How strongly does (.+) feel each of these at",
    ("score", "revised score"),
)
GERMAN = Language(
    "questions_de.json",
    """\
Dies ist eine kurze Szene. Achten Sie darauf, was die Menschen darin sagen, tun und für sich \
behalten, bis die Szene abbricht.

{dialogue}
[Ende des Dialogs]

Wie stark empfindet {name} jedes dieser Gefühle, wenn die Szene abbricht?
{emotions}

Bewerten Sie jedes Gefühl für sich von 0-10, wobei 0 heißt, dass es gar nicht empfunden wird, und \
10, dass es stärker nicht sein könnte. Suchen Sie danach in der Szene, was gegen Ihre Bewertung \
spricht. Bewerten Sie zum Schluss alle vier Gefühle neu.

Halten Sie sich an diese Form, füllen Sie aus, was in spitzen Klammern steht, und fügen Sie \
nichts hinzu:

Erste Bewertung:
{first}

Kritik: <was gegen Ihre Bewertung spricht>

Überarbeitete Bewertung:
{revised}

[Ende der Antwort]

Die Zahlen müssen keine bestimmte Summe ergeben: Mehrere können zugleich hoch sein, und jede darf \
null sein, nur nicht alle vier.
""",
    "[Ende des Dialogs]",
    r"Wie stark empfindet (.+) jedes dieser Gefühle, wenn",
    ("Zahl", "neue Zahl"),
)


def load(path: Path) -> dict[str, dict[str, Any]]:
    """A pack."""
    questions: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return questions


PACKS = {language: load(BUNDLED / language.file) for language in (ENGLISH, GERMAN)}
each_question = each(
    {
        where: (language, pack[n])
        for language, pack in PACKS.items()
        for n, where in lines_of(BUNDLED / language.file, {n: f'"{n}": {{' for n in pack}).items()
    }
)
each_pack = pytest.mark.parametrize("language", PACKS, ids=lambda language: language.file)


def emotions(question: dict[str, Any]) -> list[str]:
    """The four emotion words, in order."""
    return [question[REFERENCES[1]][f"emotion{i}"] for i in range(1, 5)]


def scores(question: dict[str, Any], reference: str = REFERENCES[1]) -> list[int]:
    """The four scores of one of the two references, in order."""
    return [question[reference][f"emotion{i}_score"] for i in range(1, 5)]


def dialogue(language: Language, question: dict[str, Any]) -> str:
    """The text between the instruction and the end mark of the dialogue."""
    head = question["prompt"].split(f"\n{language.end}\n")[0]
    return str(head).split("\n\n", 1)[1]


def rated(language: Language, question: dict[str, Any]) -> str:
    """The name of the person whose feelings are asked about."""
    found = re.search(language.asked, question["prompt"])
    assert found
    return found[1]


def speakers(language: Language, question: dict[str, Any]) -> Counter[str]:
    """How many lines each person speaks."""
    lines = [ln for ln in dialogue(language, question).splitlines() if not ln.startswith("[")]
    assert all(": " in line for line in lines)
    return Counter(line.split(": ", 1)[0] for line in lines)


def runs_of_words(text: str, length: int) -> set[tuple[str, ...]]:
    """Every run of `length` neighbouring words, without case or punctuation."""
    words = re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text.lower())
    return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}


@each_pack
def test_ids_count_up(language: Language) -> None:
    """From "1"; at least 20 questions in English and 8 in German."""
    pack = PACKS[language]
    assert list(pack) == [str(i) for i in range(1, len(pack) + 1)]
    assert len(pack) >= {ENGLISH: 20, GERMAN: 8}[language]


@each_pack
def test_file_layout(language: Language) -> None:
    """The file is plain UTF-8 JSON, indented by two, with nothing escaped."""
    text = json.dumps(PACKS[language], indent=2, ensure_ascii=False) + "\n"
    assert (BUNDLED / language.file).read_text(encoding="utf-8") == text


@each_question
def test_types(language: Language, question: dict[str, Any]) -> None:
    """A question has exactly the four fields; both references name the same emotions."""
    assert list(question) == ["prompt", *REFERENCES, "reasoning"]
    assert type(question["prompt"]) is type(question["reasoning"]) is str
    for reference in REFERENCES:
        assert len(question[reference]) == 8
        assert all(type(score) is int for score in scores(question, reference))
        assert emotions(question) == [question[reference][f"emotion{i}"] for i in range(1, 5)]


@each_question
def test_emotion_words(language: Language, question: dict[str, Any]) -> None:
    """Four different emotions, each one capitalised word."""
    words = emotions(question)
    assert len(set(words)) == 4
    assert all(re.fullmatch(r"[A-ZÄÖÜ][a-zäöüß]+", word) for word in words)


@each_question
def test_intensities(language: Language, question: dict[str, Any]) -> None:
    """From 0 to 10; at least one is felt."""
    full = scores(question)
    assert all(0 <= score <= 10 for score in full)
    assert max(full) >= 5


@each_question
def test_relative_reference_follows_from_the_full_scale(
    language: Language, question: dict[str, Any]
) -> None:
    """Shares of 10 by largest remainders, the first of equals: it holds nothing of its own."""
    full = scores(question)
    shares = [10 * score / sum(full) for score in full]
    expected = [int(share) for share in shares]
    by_remainder = sorted(range(4), key=lambda i: (expected[i] - shares[i], i))
    for i in by_remainder[: 10 - sum(expected)]:
        expected[i] += 1
    assert scores(question, "reference_answer") == expected


@each_pack
def test_intensities_are_independent(language: Language) -> None:
    """Sums differ widely, and so does how many emotions are strong: one, two or three."""
    pack = PACKS[language].values()
    sums = {sum(scores(question)) for question in pack}
    strong = {sum(score >= 6 for score in scores(question)) for question in pack}
    assert max(sums) - min(sums) >= 4
    assert len(strong) >= 2
    assert any(sum(score >= 8 for score in scores(question)) >= 2 for question in pack)


def test_there_is_no_fixed_shape() -> None:
    """Of the English questions some have no zero, and one, two or three strong emotions."""
    answers = [scores(question) for question in PACKS[ENGLISH].values()]
    strong = Counter(sum(score >= 6 for score in answer) for answer in answers)
    assert sum(min(answer) > 0 for answer in answers) >= 4
    assert strong[1] >= 3
    assert strong[3] >= 2
    assert strong[0] >= 1


@each_pack
def test_who_speaks_last_varies(language: Language) -> None:
    """The person asked about is the last to speak in at most three quarters."""
    last = []
    for question in PACKS[language].values():
        lines = [ln for ln in dialogue(language, question).splitlines() if ln[0] != "["]
        last.append(lines[-1].startswith(f"{rated(language, question)}: "))
    assert sum(last) <= 0.75 * len(last)


@each_pack
def test_places_are_balanced(language: Language) -> None:
    """The strongest emotion stands about equally often in each place."""
    tops = Counter(full.index(max(full)) for full in map(scores, PACKS[language].values()))
    assert len(tops) == 4
    assert max(tops.values()) - min(tops.values()) <= 1


@each_pack
def test_no_answer_serves_twice(language: Language) -> None:
    """Neighbours differ, and no intensities in order come more than twice."""
    answers = [tuple(scores(question)) for question in PACKS[language].values()]
    assert all(first != second for first, second in pairwise(answers))
    assert max(Counter(answers).values()) <= 2


def test_emotion_vocabulary_is_wide() -> None:
    """No word in more than four questions, and none that the pack of version 1 has."""
    used = {word for question in load(OF_VERSION_1).values() for word in emotions(question)}
    for pack in PACKS.values():
        words = Counter(word for question in pack.values() for word in emotions(question))
        assert len(words) >= 2.8 * len(pack)
        assert max(words.values()) <= 4
        assert used.isdisjoint(words)


@each_question
def test_scaffold(language: Language, question: dict[str, Any]) -> None:
    """Only the dialogue, the name and the emotions differ from the shared scaffold."""
    words = emotions(question)
    first, revised = ("\n".join(f"{word}: <{b}>" for word in words) for b in language.blanks)
    assert question["prompt"] == language.scaffold.format(
        dialogue=dialogue(language, question),
        name=rated(language, question),
        emotions="\n".join(words),
        first=first,
        revised=revised,
    )


@each_question
def test_dialogue_length(language: Language, question: dict[str, Any]) -> None:
    """A dialogue has 7 to 20 spoken lines, no blank ones and at most two of stage directions."""
    lines = dialogue(language, question).splitlines()
    assert all(line == line.strip() != "" for line in lines)
    assert 7 <= speakers(language, question).total() <= 20
    assert sum(bool(re.fullmatch(r"\[[^][]+\]", line)) for line in lines) <= 2
    assert all(line.endswith("]") for line in lines if line.startswith("["))


@each_question
def test_rated_person_speaks(language: Language, question: dict[str, Any]) -> None:
    """The person asked about speaks at least twice, and so does someone else."""
    spoken = speakers(language, question)
    assert spoken[rated(language, question)] >= 2
    assert spoken.total() - spoken[rated(language, question)] >= 2


@each_question
def test_dialogue_does_not_name_the_emotions(language: Language, question: dict[str, Any]) -> None:
    """None of the four emotion words is said in the dialogue."""
    said = {word for (word,) in runs_of_words(dialogue(language, question), 1)}
    assert said.isdisjoint(word.lower() for word in emotions(question))


def test_dialogues_share_no_run_of_words() -> None:
    """No six words in a row occur in two dialogues, those of version 1 among them."""
    texts = [dialogue(ln, question) for ln, pack in PACKS.items() for question in pack.values()]
    texts += [
        question["prompt"].split("\n[End dialogue]\n")[0].split("\n\n", 1)[1]
        for question in load(OF_VERSION_1).values()
    ]
    found = Counter(run for text in texts for run in runs_of_words(text, 6))
    assert [run for run, count in found.items() if count > 1] == []


def test_rated_people_differ() -> None:
    """No two questions ask about a person of the same name."""
    names = [rated(ln, question) for ln, pack in PACKS.items() for question in pack.values()]
    assert len(set(names)) == len(names)


@each_question
def test_reasoning_is_one_sentence(language: Language, question: dict[str, Any]) -> None:
    """The reasoning is a single sentence of 8 to 45 words."""
    assert re.fullmatch(r"[A-ZÄÖÜ][^.!?\n]+\.", question["reasoning"])
    assert 8 <= len(question["reasoning"].split()) <= 45
