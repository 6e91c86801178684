"""The prompt without revision, on our own layout and on the official prompts."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from eibench.plugins.emotion_ratings.forms import GERMAN
from eibench.plugins.emotion_ratings.prompting import (
    listed_emotions,
    usual_sentence,
    without_revision,
)

FULL = """
Read the talk.

Ann: You are late.
Ben: Am I?
[End dialogue]

At the end, Ann would feel...
Angry
Calm

Give each a number from 0-10, where 0 means none at all. Then question it. Finally, revise.

Answer in this layout:

First pass scores:
Angry: <score>
Calm: <score>

Critique: <your critique>

Revised scores:
Angry: <score>
Calm: <score>

[End of answer]

Zero is a number too.
"""

SHORT = """
Read the talk.

Ann: You are late.
Ben: Am I?
[End dialogue]

At the end, Ann would feel...
Angry
Calm

Give each a number from 0-10, where 0 means none at all.

Answer in this layout:

Angry: <score>
Calm: <score>


[End of answer]

Zero is a number too.

Your answer:
"""

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")


def test_keeps_only_the_first_pass() -> None:
    """Critique, revision and their instructions go; the rest stays to the letter."""
    assert without_revision(FULL) == SHORT


@pytest.mark.parametrize(
    "mark",
    ["[End dialogue]", "First pass scores:", "Critique:", "[End of answer]"],
)
def test_a_missing_mark_is_named(mark: str) -> None:
    """A prompt of another layout is refused, and the message says what it lacks."""
    with pytest.raises(ValueError, match="lacks") as caught:
        without_revision(FULL.replace(mark, "..."))
    assert mark in str(caught.value)


def test_missing_instructions_are_named() -> None:
    """A prompt that ends after the question has no instructions to cut."""
    with pytest.raises(ValueError, match="paragraph of instructions"):
        without_revision(FULL.split("\n\nGive each")[0])


# SHA-256 of all results in pack order, from the published code's remove_revision_instructions
# (EQ-bench/EQ-Bench, lib/run_bench_helper_functions.py) applied to the published questions.
@pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")
@pytest.mark.parametrize(
    ("pack", "digest"),
    [
        (
            "eqbench-v1/eq_bench_v1_questions_60.json",
            "3405787bdc38faa98e3658d5145ae615bb43252910b2a59e2ad02010cdf1dfa2",
        ),
        (
            "eqbench-v2/eq_bench_v2_questions_171.json",
            "726517dd05e5811dbf1f4d761070047dfe1f79cd8f2248c5e5882d15d10c1c53",
        ),
    ],
)
def test_official_prompts_become_what_the_published_code_makes(pack: str, digest: str) -> None:
    """On the published prompts the cut gives the published code's text, byte for byte."""
    questions = json.loads((Path(OFFICIAL or "") / pack).read_text(encoding="utf-8"))
    text = "".join(without_revision(question["prompt"]) for question in questions.values())
    assert hashlib.sha256(text.encode()).hexdigest() == digest


GERMAN_FULL = """
Eine Szene.

Ann: Du bist spät.
[Ende des Dialogs]

Wie fühlt sich Ann?
Wütend
Frustriert

Geben Sie Zahlen von 0-10. Kritisieren Sie sie dann. Zuletzt neue Zahlen.

In dieser Form:

Erste Bewertung:
Wütend: <Zahl>
Frustrated: <Zahl>

Kritik: <Kritik>

Revidierte Bewertung:
Wütend: <neue Zahl>
Frustrated: <neue Zahl>

[Ende der Antwort]

Auch null ist eine Zahl.
"""

GERMAN_SHORT = """
Eine Szene.

Ann: Du bist spät.
[Ende des Dialogs]

Wie fühlt sich Ann?
Wütend
Frustriert

Geben Sie Zahlen von 0-10.

In dieser Form:

Wütend: <Zahl>
Frustrated: <Zahl>


[Ende der Antwort]

Auch null ist eine Zahl.

Ihre Antwort:
"""


@pytest.mark.parametrize("mark", ["[Ende des Dialogs]", "[Dialogende]"])
def test_a_german_prompt_is_cut_at_its_own_marks(mark: str) -> None:
    """Whichever of the two ends its dialogue, and whatever the revised heading is."""
    full, short = (t.replace("[Ende des Dialogs]", mark) for t in (GERMAN_FULL, GERMAN_SHORT))
    assert without_revision(full, GERMAN) == short


def test_another_sentence_may_take_the_place_of_the_instructions() -> None:
    """Nothing else changes."""
    made = without_revision(GERMAN_FULL, GERMAN, sentence="Bewerten Sie.")
    assert made == GERMAN_SHORT.replace("Geben Sie Zahlen von 0-10.", "Bewerten Sie.")


def test_the_usual_sentence_is_that_of_most_prompts() -> None:
    """Of equals the first."""
    other = GERMAN_FULL.replace("Geben Sie Zahlen", "Nennen Sie Zahlen")
    usual = "Geben Sie Zahlen von 0-10."
    assert usual_sentence([other, GERMAN_FULL, GERMAN_FULL], GERMAN) == usual
    assert usual_sentence([GERMAN_FULL, other], GERMAN) == usual


def test_listed_emotions_are_those_below_the_question() -> None:
    """As they stand there, not as in the answer form; none where there is no such list."""
    assert listed_emotions(GERMAN_FULL, GERMAN) == ("Wütend", "Frustriert")
    assert listed_emotions("Wütend: <Zahl>", GERMAN) == ()
