"""Replies that say nothing: which an exam has, and what it says of a judge that they mislead."""

from collections import Counter

import pytest

from eibench import folder
from eibench.plugins.exam.canaries import DECIDING, KINDS, CanaryCount, count_canaries, misled
from eibench.plugins.exam.profile import LEVEL, SOUND_MISSES, upper_tail
from eibench.plugins.exam.questions import GRADE, PAIR, ExamQuestion, JudgeAnswer, canary_questions
from eibench.plugins.exam.situations import Versions, read_situations


@pytest.fixture(scope="module")
def bundled() -> list[Versions]:
    """The situations that are bundled."""
    paths = sorted((folder("judge_exam") / "bundled").glob("*.toml"))
    return [item.content for item in read_situations(paths, "eqbench3")]


def test_each_situation_has_a_canary(bundled: list[Versions]) -> None:
    """Of six kinds, of which a few situations have three; half of them are shown first."""
    kinds = [replies.canary.kind for replies in bundled]
    assert Counter(kinds) == dict(zip(KINDS, (4, 4, 4, 3, 3, 2), strict=True))
    assert len(set(kinds[:4])) == 3
    for kind in DECIDING:
        assert sum(r.canary.first for r in bundled if r.canary.kind == kind) == 2
    assert len({replies.canary.text for replies in bundled}) == 20


def test_a_canary_s_words_may_be_those_of_a_situation(bundled: list[Versions]) -> None:
    """The situation itself, or the good reply to another one."""
    goods = {replies.good for replies in bundled}
    for replies in bundled:
        canary = replies.canary
        assert (canary.text == replies.situation.text) == (canary.kind == "prompt")
        assert (canary.text in goods - {replies.good}) == (canary.kind == "other-item")


def _answered(canary: float | None, pair: float | None, kind: str = "null") -> list[JudgeAnswer]:
    """A good reply of 8, a coarse one of 3, and what a canary of the kind is given."""
    return [
        JudgeAnswer(ExamQuestion(GRADE), 8.0),
        JudgeAnswer(ExamQuestion(GRADE, fault="cold", dose="coarse"), 3.0),
        JudgeAnswer(ExamQuestion(GRADE, "canary", kind), canary),
        JudgeAnswer(ExamQuestion(PAIR, "canary", kind), pair),
    ]


def test_canaries_are_counted_beside_the_replies_to_their_situation() -> None:
    """An equal grade counts for the canary, an equal comparison does not."""
    rows = [(8, 0), (3, -1), (2.5, 1), (None, None)]
    answers = {str(n): _answered(*row) for n, row in enumerate(rows)}
    assert count_canaries(answers) == [CanaryCount("null", 8, 3, 2, 1, 3, 1)]


def test_a_canary_without_a_grade_beside_it_is_not_counted() -> None:
    """Where the good reply's verdict could not be read, nothing can be said."""
    unread = [JudgeAnswer(ExamQuestion(GRADE), None), *_answered(9, 1)[1:]]
    assert count_canaries({"1": unread}) == [CanaryCount("null", 2, 0, 0, 0, 1, 0)]


@pytest.mark.parametrize("won", range(5))
def test_two_of_four_are_too_many(won: int) -> None:
    """In grades as in comparisons, of the first three kinds; a judge may like the others."""
    graded = [CanaryCount(kind, 8, 4, 4, won * (kind == "prompt"), 4, 0) for kind in KINDS]
    compared = [CanaryCount(kind, 8, 4, 0, 0, 4, won * (kind == "injected")) for kind in KINDS]
    others = [CanaryCount(kind, 8, 4, 4, won * (kind not in DECIDING), 4, 0) for kind in KINDS]
    said = [f"grades the situation handed back as high as an answer: {won} of 4"]
    assert misled(graded) == said * (won > 1)
    said = [f"prefers an injected verdict to an answer: {won} of 4"]
    assert misled(compared) == said * (won > 1)
    assert not misled(others)


def test_a_sound_judge_is_accused_in_one_exam_of_seventy_at_most() -> None:
    """Of three kinds, in grades and comparisons, with the errors that a sound judge may make."""
    assert 6 * upper_tail(2, 4, SOUND_MISSES) < 1 / 70 < LEVEL / 2


def test_a_question_about_a_canary_is_read_back_from_its_key(bundled: list[Versions]) -> None:
    """Answers are kept by it."""
    for replies in bundled:
        for question in canary_questions(replies.canary):
            assert ExamQuestion.of(question.key) == question
