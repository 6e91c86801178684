"""Reading packs of statements: what is in them, and what is wrong with those that are broken."""

import json
from pathlib import Path
from typing import Any

import pytest

from eibench import DataError, folder
from eibench.plugins.emotionqueen.statements import Statement, read_statements

ROW = {
    "id": "a",
    "task": "intention",
    "life_scenario": "health",
    "polarity": "positive",
    "statement": "My cast comes off on Friday. What now?",
    "look_for": "How to get fit again.",
}


def written(folder: Path, *rows: Any) -> Path:
    """A file with these lines."""
    path = folder / "statements.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_line_becomes_an_item(tmp_path: Path) -> None:
    """With all that it says."""
    (item,) = read_statements(written(tmp_path, ROW))
    assert item.id == item.cluster == "a"
    assert item.content == Statement(
        "intention", "health", "positive", ROW["statement"], ROW["look_for"]
    )


def test_the_bundled_pack_is_read_in_order() -> None:
    """All of it, marked by nobody as generated."""
    path = folder("emotionqueen") / "bundled/statements.jsonl"
    ids = [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]
    items = read_statements(path)
    assert [item.id for item in items] == ids
    assert {item.content.made_by for item in items} == {None}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": "empathy"}, "line 2, field 'task': must be one of key-event"),
        ({"life_scenario": "work"}, "line 2, field 'life_scenario': must be one of achievements"),
        ({"polarity": "mixed"}, "line 2, field 'polarity': must be one of positive, negative"),
        ({"polarity": 1}, "line 2, field 'polarity': must be one of"),
        ({"statement": " "}, 'statement "b": "statement" is blank'),
        ({"statement": None}, "line 2, field 'statement': must be a text, not None"),
        ({"look_for": ""}, 'statement "b": "look_for" is blank'),
        ({"id": 7}, "line 2, field 'id': must be a text, not 7"),
        ({"made_by": ""}, 'statement "b": "made_by" is blank'),
    ],
)
def test_a_wrong_field_is_named_with_its_place(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    """The message says which line or statement, which field and what it must be."""
    with pytest.raises(DataError) as caught:
        read_statements(written(tmp_path, ROW, {**ROW, "id": "b", **change}))
    assert message in str(caught.value)


@pytest.mark.parametrize("name", list(ROW))
def test_a_missing_field_is_named(tmp_path: Path, name: str) -> None:
    """Each of the six is needed."""
    with pytest.raises(DataError, match=f"line 1.* has no field '{name}'"):
        read_statements(written(tmp_path, {key: ROW[key] for key in ROW if key != name}))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "holds no rows"),
        ([["a list"]], "line 1: must be an object"),
        ([ROW, ROW], "'a' stands twice: also in .*, line 1"),
        ([ROW, {**ROW, "id": "b", "made_by": "openai/x"}], "generated statements are kept apart"),
    ],
)
def test_a_file_that_is_no_pack_is_refused(tmp_path: Path, rows: list[Any], message: str) -> None:
    """Empty, of another form, with an id twice, or with generated statements mixed in."""
    with pytest.raises(DataError, match=message):
        read_statements(written(tmp_path, *rows))


def test_a_generated_pack_says_who_wrote_it(tmp_path: Path) -> None:
    """When every line does."""
    (item,) = read_statements(written(tmp_path, {**ROW, "made_by": "openai/x"}))
    assert item.content.made_by == "openai/x"
