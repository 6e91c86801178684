"""CSV tables of scores: what is read, what is refused with its line, what is written."""

import csv
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench import DataError
from eibench.plugins.studies.csv_tables import CsvTable, read_table
from eibench.text import csv_text


def written(folder: Path, text: str) -> Path:
    """A file of that text, its line ends as they are."""
    path = folder / "scores.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def numbers(table: CsvTable, column: str) -> list[float | None]:
    """A column that has to be of numbers."""
    return table.numeric([column])[0][column]


def test_rows_and_columns(tmp_path: Path) -> None:
    """A mark at the start, blanks around cells, quotation, CRLF and empty lines do no harm."""
    text = '\ufeffmodel, mmlu ,"a ""b"""\r\n"x, y",1.5, -2\r\n\r\nz,+.5e1,7.\r\n'
    table = read_table(written(tmp_path, text))
    assert table.columns == ("mmlu", 'a "b"')
    assert [(row.line, row.model) for row in table.rows] == [(2, "x, y"), (4, "z")]
    assert numbers(table, "mmlu") == [1.5, 5.0]
    assert numbers(table, 'a "b"') == [-2.0, 7.0]


@pytest.mark.parametrize("cell", ["", " ", "-", "–", "—", "NA", "n/a", "NaN", "null", "None"])
def test_ways_to_say_that_there_is_no_number(tmp_path: Path, cell: str) -> None:
    """Each reads as None, never as 0."""
    assert numbers(read_table(written(tmp_path, f"model,a\nx,{cell}\ny,0\n")), "a") == [None, 0.0]


@pytest.mark.parametrize(
    "cell",
    ["FAIL", "1_000", "12%", '"1,5"', "inf", "-Infinity", "1e100", "1e999", "0x10", "٣", "1 2"],
)
def test_what_is_no_number_is_told_with_its_line(tmp_path: Path, cell: str) -> None:
    """The file, the line, the column and the cell; also what Python would take for a number."""
    table = read_table(written(tmp_path, f"model,a,b\nx,1,1\ny,2,{cell}\n"))
    assert numbers(table, "a") == [1.0, 2.0]
    with pytest.raises(DataError, match=r"scores\.csv, line 3: .* in column 'b' is no number"):
        numbers(table, "b")


def test_columns_that_are_not_asked_for_need_not_be_numbers(tmp_path: Path) -> None:
    """They are left out, and told with the cell that made them so."""
    table = read_table(written(tmp_path, "model,a,how\nx,1,direct\n"))
    columns, left_out = table.numeric(["a"])
    assert columns == {"a": [1.0]}
    (message,) = left_out
    assert "column 'how'" in message
    assert "line 2: 'direct'" in message
    with pytest.raises(DataError):
        table.numeric(["how"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("model\nx\n", "line 1: names one column, 'model'"),
        ("model;a\nx;1\n", "line 1: names one column, 'model;a'; cells are divided by commas"),
        ("\nmodel,a,a\n", "line 2: two columns are named 'a'"),
        ("model,,b\n", "line 1: column 2 has no name"),
        (",,b\n", "line 1: column 2 has no name"),
        ("model,a\nx,1\ny\n", "line 3: has 1 cell where the heading has 2"),
        ("model,a\nx,1,2\n", "line 2: has 3 cells where the heading has 2"),
        ("model,a\n,1\n", "line 2: the first cell, which names the model, is empty"),
        ('model,a\n"x,1\n', "line 2: not CSV"),
        ('model,a\nx,"1"2\n', "line 2: not CSV"),
    ],
)
def test_what_is_no_table_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    """One line with the file and the place."""
    with pytest.raises(DataError) as error:
        read_table(written(tmp_path, text))
    assert message in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "scores.csv"))


def test_a_missing_and_a_broken_file_differ(tmp_path: Path) -> None:
    """The message says which it is."""
    with pytest.raises(DataError, match="no such file"):
        read_table(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes(b"model,a\n\xe9,1\n")
    with pytest.raises(DataError, match="not UTF-8"):
        read_table(tmp_path / "latin.csv")


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1", "'+1"),
        ("-x", "'-x"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("＝1", "'＝1"),
        (" =1", "'=1"),
        ("\t=1", "'=1"),
        ("a=b", "a=b"),
        ("a\r\n=1", "a =1"),
        ("\x1b[2Ja", "\\x1b[2Ja"),
        ("meta/Llama-2", "meta/Llama-2"),
    ],
)
def test_no_cell_is_a_formula(tmp_path: Path, cell: str, shown: str) -> None:
    """A text that a spreadsheet or a terminal would obey is made harmless, in headings too."""
    path = tmp_path / "out.csv"
    path.write_text(csv_text([[cell, "a"], [cell, 1.0]]), newline="")
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [[shown, "a"], [shown, "1"]]


def test_numbers_stay_numbers() -> None:
    """A negative number is no formula; None is an empty cell; nothing is rounded."""
    text = csv_text([["model", "a", "b", "c"], ["x", -1.5, None, 0.1 + 0.2]])
    assert text == "model,a,b,c\nx,-1.5,,0.30000000000000004\n"


@given(
    st.dictionaries(
        st.from_regex(r"[A-Za-z0-9,;\"'/. ]{0,9}[A-Za-z]", fullmatch=True),
        st.none() | st.floats(-1e99, 1e99),
        min_size=1,
        max_size=9,
    )
)
def test_what_is_written_reads_back(scores: dict[str, float | None]) -> None:
    """The same models and, to the last digit, the same numbers."""
    scores = {name.strip(): value for name, value in scores.items()}
    with TemporaryDirectory() as folder:
        path = Path(folder, "out.csv")
        text = csv_text([["model", "a"], *([name, value] for name, value in scores.items())])
        path.write_text(text, newline="")
        table = read_table(path)
    assert dict(zip((r.model for r in table.rows), numbers(table, "a"), strict=True)) == scores


def test_a_data_frame_as_it_is_written_is_a_table(tmp_path: Path) -> None:
    """Its index has no name, and right and wrong are True and False."""
    table = read_table(written(tmp_path, ",i1,i2\nx,True,0.5\ny,FALSE,1\n"))
    assert table.models() == ("x", "y")
    assert table.numeric(["i1"])[0] == {"i1": [1.0, 0.0], "i2": [0.5, 1.0]}


def test_a_model_has_one_row(tmp_path: Path) -> None:
    """Two would be two models of one name."""
    with pytest.raises(DataError, match="line 3: 'x' stands on line 2 already"):
        read_table(written(tmp_path, "model,a\nx,1\nx,2\n")).models()


@pytest.mark.parametrize("name", ["@cf/strong", "-m", "'quoted'", "plain"])
def test_a_name_is_read_as_it_was_before_it_was_written(tmp_path: Path, name: str) -> None:
    """The apostrophe that makes it no formula is no part of it."""
    table = read_table(written(tmp_path, csv_text([["model", "a"], [name, 1.0]])))
    assert table.models() == (name,)
