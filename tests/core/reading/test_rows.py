"""Rows of a pack's files: each field of the type that was asked for."""

from pathlib import Path

import pytest

from eibench import DataError, read_rows

FIELDS = {"id": str, "tone": ("calm", "glad"), "weight": float, "note": str | None}


def write(folder: Path, text: str, name: str = "rows.jsonl") -> Path:
    """A file."""
    path = folder / name
    path.write_text(text)
    return path


def test_rows_are_read_with_what_may_be_missing(tmp_path: Path) -> None:
    """A whole number is a number; fields that nobody asked for are kept."""
    path = write(tmp_path, '{"id": "a", "tone": "calm", "weight": 2, "more": [1]}\n')
    assert read_rows(path, FIELDS) == [
        {"id": "a", "tone": "calm", "weight": 2, "note": None, "more": [1]}
    ]


def test_csv_gives_the_same_rows(tmp_path: Path) -> None:
    """Numbers from their text; an empty cell is a missing field."""
    path = write(tmp_path, 'id,tone,weight,note\n7,calm,2,"a, b"\n8,glad,0.5,\n', "rows.csv")
    assert read_rows(path, FIELDS) == [
        {"id": "7", "tone": "calm", "weight": 2.0, "note": "a, b"},
        {"id": "8", "tone": "glad", "weight": 0.5, "note": None},
    ]


def test_tabs_divide_the_cells_of_a_tsv_file(tmp_path: Path) -> None:
    """And commas are part of them."""
    path = write(tmp_path, "id\ttone\tweight\tnote\n7\tcalm\t2\ta, b\n", "rows.tsv")
    (row,) = read_rows(path, FIELDS)
    assert (row["weight"], row["note"]) == (2, "a, b")


ROW = '{"id": "a", "tone": "calm", "weight": 1}\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROW + ROW, "line 2, field 'id': 'a' stands twice: also in rows.jsonl, line 1"),
        (ROW + "[]", "line 2: must be an object, not []"),
        ('{"id": "a", "weight": 1}', "line 1: has no field 'tone': needs one of calm, glad"),
        (ROW.replace("calm", "sad"), "field 'tone': must be one of calm, glad, not 'sad'"),
        (ROW.replace(": 1", ': "1"'), "line 1, field 'weight': must be a number, not '1'"),
        (ROW.replace(": 1", ": true"), "line 1, field 'weight': must be a number, not True"),
        (ROW.replace('"a"', '" "'), "line 1, field 'id': is blank"),
        (ROW.replace("}", ', "note": 3}'), "field 'note': must be a text or missing, not 3"),
        ("{", "line 1: not JSON"),
        ("\n", "holds no rows"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    """File, line and field."""
    with pytest.raises(DataError) as error:
        read_rows(write(tmp_path, text), FIELDS)
    assert message in str(error.value)
    assert "rows.jsonl" in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,tone,weight\na,calm\n", "line 2: has 2 cells, and the header 3; a cell with a"),
        ("id,tone,weight\na,calm,1,2\n", "line 2: has 4 cells, and the header 3; a cell with a"),
        ("id,tone,tone\na,calm,1\n", "line 1: two columns are named 'tone'; rename one"),
        ("id;tone\na;calm\n", "line 1: its cells are divided by ';'; save it with commas"),
        ("id,tone,weight\na,calm,much\n", "field 'weight': must be a number, not 'much'"),
        ('id,tone,weight\na,"ca"lm,1\n', "not CSV"),
    ],
)
def test_what_is_wrong_in_csv_is_told_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    """As in JSON lines."""
    with pytest.raises(DataError) as error:
        read_rows(write(tmp_path, text, "rows.csv"), FIELDS)
    assert message in str(error.value)
