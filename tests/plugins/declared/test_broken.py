"""Each broken declaration is told with its line, the key and what to do."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from eibench import BenchError
from eibench.declared import Declared

Bench = Callable[..., Any]
Put = Callable[[str], Path]


class Broken(NamedTuple):
    """A text of a declaration in place of another, and what is said of it."""

    old: str
    new: str
    message: str

    def told_of(self, file: str) -> str:
        """The whole message about a file of that name."""
        of_rows = self.message.startswith(("scenes.jsonl", file))
        return self.message if of_rows else f"{file}:{self.message}"


CASES = [
    pytest.param(name, Broken(**broken), id=f"{name}-{n}")
    for name, several in tomllib.loads(
        Path(__file__).with_name("broken.toml").read_text("utf-8")
    ).items()
    for n, broken in enumerate(several)
]


@pytest.mark.parametrize(("name", "broken"), CASES)
def test_a_broken_declaration_is_told_with_line_key_and_remedy(
    name: str, broken: Broken, declared: Put, bench: Bench
) -> None:
    """Before anything is asked, in one line."""
    path = declared(name)
    text = path.read_text("utf-8")
    path.with_name("link.txt").symlink_to("/etc/hostname")
    assert text.count(broken.old) >= 1
    path.write_text(text.replace(broken.old, broken.new, 1), "utf-8")
    done = bench("run", path.name, "--dry-run")
    assert done.err.strip() == f"Error: {broken.told_of(path.name)}"
    assert done.code in (2, 3)
    assert not Path("runs").exists()


def test_a_path_that_declares_nothing_is_told_as_one(declared: Put, bench: Bench) -> None:
    """A folder without a declaration, the rows in its place, and a path to nothing."""
    folder = declared("apologies").parent
    for path in (folder / "nothing", folder, folder / "apologies.jsonl"):
        done = bench("run", path)
        assert done.code == 2
        todo = "declares no benchmark; name a .toml file or a folder with benchmark.toml"
        assert done.err.strip() == f"Error: {path} {todo}"


def test_all_that_is_wrong_is_told_at_once(declared: Put) -> None:
    """In the order of lines, eight at most."""
    path = declared("feelings")
    text = path.read_text("utf-8")
    for old, new in (("shuffles", "shufles"), ("title", "tile"), ("topic]", "topic]\nhlp = 1")):
        text = text.replace(old, new, 1)
    path.write_text(text + "".join(f"x{n} = 1\n" for n in range(9)), "utf-8")
    with pytest.raises(BenchError) as raised:
        Declared(path)
    message = str(raised.value)
    lines = [int(n) for n in re.findall(r"(?:line |toml:)(\d+)", message)]
    assert lines == sorted(lines)
    assert len(lines) == 8
    assert message.endswith("and 4 more")


def test_a_brace_that_names_nothing_says_how_it_is_written(declared: Put) -> None:
    """JSON in a template needs its braces twice."""
    path = declared("visits")
    text = path.read_text("utf-8").replace("object: {form}", 'object: {form} or {\\"a\\": 1}')
    path.write_text(text, "utf-8")
    with pytest.raises(BenchError, match=r"visits.toml:20: \[talk\] persona: .*write \{\{ or \}\}"):
        Declared(path)


def test_a_spreadsheet_is_refused_as_one(declared: Put, bench: Bench) -> None:
    """It is no text, and is not read as such."""
    path = declared("apologies")
    path.with_name("rows.xlsx").write_bytes(b"PK\x03\x04\xff")
    path.write_text(path.read_text("utf-8").replace("apologies.jsonl", "rows.xlsx"), "utf-8")
    done = bench("run", path.name, "--dry-run")
    assert done.err.strip() == "Error: rows.xlsx: is a spreadsheet; save it as .csv, in UTF-8"


def test_more_rows_than_can_be_meant_are_refused(declared: Put, bench: Bench) -> None:
    """By their number, and a file of gigabytes without reading it."""
    path = declared("apologies")
    rows = path.with_name("apologies.jsonl")
    rows.write_text('{"id": 1, "happened": "x"}\n' * 100_001, "utf-8")
    done = bench("run", path.name, "--dry-run")
    assert "apologies.jsonl, line 100001: has more than 100,000 rows" in done.err
    with rows.open("wb") as file:
        file.truncate(10**11)
    assert "has more than 16,777,216 bytes" in bench("run", path.name, "--dry-run").err
    template = path.with_name("judge.txt")
    with template.open("wb") as file:
        file.truncate(10**11)
    done = bench("run", path.name, "--dry-run")
    assert "[judge] user: judge.txt: has more than 1,048,576 bytes" in done.err


def test_a_row_is_told_with_its_line(declared: Put, bench: Bench) -> None:
    """One that lacks what a template needs, or is no object."""
    path = declared("apologies")
    rows = path.with_name("apologies.jsonl")
    for row, message in (
        ('{"id": 1}', "apologies.toml:12: [ask] user: {happened} has no value in apologies.jsonl, "
         "line 2"),
        ('{"happened": "x"}', 'apologies.jsonl, line 2: has no "id"; give [data] an id'),
        ("[1]", "apologies.jsonl, line 2: must be an object, not [1]"),
        ("{", "apologies.jsonl, line 2: not JSON"),
    ):  # fmt: skip
        rows.write_text(f'{{"id": 7, "happened": "y"}}\n{row}\n', "utf-8")
        assert message in bench("run", path.name, "--dry-run").err
