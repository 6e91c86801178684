"""Tables of plugins' commands: printed as ours are, without a word of rich."""

import json
from pathlib import Path

import pytest

from tests.core.test_plugins import HEAD, Place, registers

COMMAND = """
@click.command()
@click.argument("kind")
@eibench.json_option
def birds(kind, json_output):
    \"\"\"List birds.\"\"\"
    rows = [("wren", 9.25), ("owl\\x1b[31m", None)]
    if json_output:
        eibench.show_json({"rows": rows})
        return
    eibench.tell("two\\nkinds")
    eibench.warn("of few")
    made = {"table": eibench.Table("Birds", ("name", "grams"), rows, note="of " + "a wood " * 30),
            "aligned": eibench.Table("Birds  DEMO", ("name", "call"),
                                     [("wren", "tek"), ("owl", "u")], right=(1,)),
            "noted": eibench.Paragraph("", "Birds", "of a wood"),
            "askew": eibench.Table("Birds", ("name",), [("wren",)], right=(1,)),
            "ragged": eibench.Table("Birds", ("name",), [(1, 2)]), "text": "birds"}
    eibench.show(made[kind], eibench.Paragraph("That is all."), warnings=["of few\\nkinds"])
"""


@pytest.fixture
def birds(tmp_path: Path) -> Place:
    """A plugin whose command prints a table."""
    place = Place(tmp_path)
    place.install("birds", HEAD + COMMAND + registers("commands", "birds"))
    return place


def test_a_command_prints_a_table_as_ours(birds: Place) -> None:
    """Numbers to the right, notes as wide as is wanted, nothing that a terminal obeys."""
    done = birds.bench("birds", "table")
    lines = done.stdout.splitlines()
    words = [line.replace("│", "").split() for line in lines]
    assert words[0] == ["Birds"] and ["name", "grams"] in words and ["wren", "9.25"] in words
    assert max(map(len, lines)) <= 120 and "\x1b" not in done.stdout
    assert lines[-3:] == ["", "That is all.", "warning: of few kinds"]
    assert done.stderr == "two kinds\nwarning: of few\n"


def test_a_column_of_texts_is_set_to_the_right_where_that_is_said(birds: Place) -> None:
    """The mark of demo models stays at the end of the title."""
    title, *rows, _, text, _ = birds.bench("birds", "aligned").stdout.splitlines()
    assert title == "Birds  DEMO"
    assert "│ owl  │    u │" in rows
    assert text == "That is all."


def test_a_text_can_be_a_title_with_a_note(birds: Place) -> None:
    """And warnings stand last, a line each."""
    lines = birds.bench("birds", "noted").stdout.splitlines()
    assert lines == ["Birds", "of a wood", "", "That is all.", "warning: of few kinds"]


def test_a_command_prints_one_json_document(birds: Place) -> None:
    """Where `--json` is given."""
    document = json.loads(birds.bench("birds", "table", "--json").stdout)
    assert document == {"rows": [["wren", 9.25], ["owl\x1b[31m", None]]}


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("ragged", "eibench.show was given a Table with a row of 2 cells"),
        ("askew", "eibench.show was given a Table whose columns have no index 1 to be set right"),
        ("text", "eibench.show was given str, not one of Table"),
    ],
)
def test_what_cannot_be_shown_is_named_with_its_command(
    birds: Place, kind: str, message: str
) -> None:
    """In one line with the distribution, file and line."""
    done = birds.bench("birds", kind)
    assert (done.returncode, done.stdout) == (3, "")
    error = done.stderr.splitlines()[-1]
    assert error.startswith("Error: command of birds (birds-dist 1.2) raised TypeError: ")
    assert message in error and "(birds.py:" in error
