"""Reading the questions of a pack: the two kinds of reference, and errors that name the place."""

import json
from pathlib import Path
from typing import Any

import pytest

from eibench import DataError, Item
from eibench.emotion_ratings import GERMAN, ReferenceField, cut_revision, read_questions

RELATIVE = ReferenceField("reference_answer", total=10)
FULL = ReferenceField("reference_answer_fullscale", as_text=True)
EMOTIONS = ("Angry", "Sad", "Calm", "Glad")


def question(field: ReferenceField = RELATIVE, **changes: Any) -> dict[str, Any]:
    """A question whose reference is 1, 2, 3, 4, with changes to the reference."""
    reference: dict[str, Any] = {f"emotion{i}": name for i, name in enumerate(EMOTIONS, 1)}
    reference |= {f"emotion{i}_score": i for i in range(1, 5)}
    return {"prompt": "How?", field.name: reference | changes}


def written(folder: Path, content: Any) -> Path:
    """A pack file."""
    path = folder / "pack.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_question_has_its_emotions_and_ratings_in_order(tmp_path: Path) -> None:
    """And the form of the pack's language; ids are those of the file, in its order."""
    path = written(tmp_path, {"b": question(), "a": question()})
    items = read_questions(path, RELATIVE, GERMAN)
    assert [item.id for item in items] == ["b", "a"]
    content = items[0].content
    assert (content.prompt, content.emotions) == ("How?", EMOTIONS)
    assert (content.reference, content.form, content.others) == ((1.0, 2.0, 3.0, 4.0), GERMAN, ())


@pytest.mark.parametrize(("written_as", "value"), [("0", 0.0), ("10", 10.0), (7, 7.0), (2.5, 2.5)])
def test_a_rating_may_be_a_text_where_upstream_has_some(
    tmp_path: Path, written_as: str | float, value: float
) -> None:
    """The full-scale references of version 2 mix whole numbers and texts of them."""
    path = written(tmp_path, {"1": question(FULL, emotion1_score=written_as)})
    assert read_questions(path, FULL)[0].content.reference[0] == value


def test_full_scale_ratings_need_no_sum(tmp_path: Path) -> None:
    """Each stands for itself: four tens, or four zeros."""
    tens = {f"emotion{i}_score": 10 for i in range(1, 5)}
    zeros = {f"emotion{i}_score": 0 for i in range(1, 5)}
    path = written(tmp_path, {"1": question(FULL, **tens), "2": question(FULL, **zeros)})
    assert [sum(item.content.reference) for item in read_questions(path, FULL)] == [40, 0]


@pytest.mark.parametrize(
    ("field", "changes", "message"),
    [
        (RELATIVE, {"emotion1_score": 2}, "the reference sums to 11, not 10"),
        (RELATIVE, {"emotion1_score": "1"}, '"emotion1_score" must be a number from 0 to 10'),
        (FULL, {"emotion1_score": "11"}, "not '11'"),
        (FULL, {"emotion1_score": "7.5"}, "not '7.5'"),
        (FULL, {"emotion1_score": " 7"}, "not ' 7'"),
        (FULL, {"emotion1_score": -1}, "not -1"),
        (FULL, {"emotion1_score": True}, "not True"),
        (FULL, {"emotion2": "ANGRY"}, "the four emotions must differ: Angry, ANGRY, Calm, Glad"),
        (FULL, {"emotion2": " "}, '"emotion2" must be a text'),
    ],
    ids=str,
)
def test_a_wrong_reference_is_told_with_its_place(
    tmp_path: Path, field: ReferenceField, changes: dict[str, Any], message: str
) -> None:
    """The message has the file, the item and what is wrong."""
    path = written(tmp_path, {"1": question(field), "x": question(field, **changes)})
    with pytest.raises(DataError) as caught:
        read_questions(path, field)
    assert f'{path}, item "x": ' in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "must be a JSON object from question id to question"),
        ({}, "not empty"),
        ({" ": question()}, "an id that is not blank"),
        ({"1": []}, "must be a JSON object"),
        ({"1": {"prompt": "How?"}}, 'has no "reference_answer"'),
        ({"1": {"prompt": 3}}, '"prompt" must be a text, not 3'),
    ],
    ids=str,
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, content: Any, message: str) -> None:
    """Each with what it should have been."""
    with pytest.raises(DataError) as caught:
        read_questions(written(tmp_path, content), RELATIVE)
    assert message in str(caught.value)


def test_a_prompt_that_cannot_be_cut_is_told_with_its_item(tmp_path: Path) -> None:
    """With the mark that it lacks."""
    items = read_questions(written(tmp_path, {"7": question()}), RELATIVE)
    with pytest.raises(DataError, match=r'item "7".*it lacks .\[End dialogue\]'):
        cut_revision(tmp_path, [Item(item.id, item.content) for item in items])
