"""docs/declared.md and the schema for editors say what the reader does."""

import importlib.util
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it comes without types
import pytest

from eibench.declared import SCHEMA, Declared, json_schema

PAGE = Path(__file__).parents[3] / "docs" / "declared.md"
FILES = sorted((Path(__file__).parent / "files").glob("*.toml"))
CHECK = jsonschema.Draft202012Validator(json_schema())
BROKEN = tomllib.loads(Path(__file__).with_name("broken.toml").read_text("utf-8"))


def module() -> Any:
    """The program that makes the page's list and the schema."""
    spec = importlib.util.spec_from_file_location("declared_page", PAGE.with_suffix(".py"))
    assert spec is not None
    assert spec.loader is not None
    made_by = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made_by)
    return made_by


def test_page_and_schema_are_those_of_the_keys() -> None:
    """If they are not, `python docs/declared.py` writes them anew."""
    program = module()
    assert PAGE.read_text("utf-8") == program.page(), "run `python docs/declared.py`"
    assert json.loads(SCHEMA.read_text("utf-8")) == json_schema()
    jsonschema.Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_schema_takes_what_the_reader_takes(path: Path) -> None:
    """Each declaration of these tests."""
    CHECK.validate(tomllib.loads(path.read_text("utf-8")))


def test_the_schema_refuses_keys_and_values_that_the_reader_refuses() -> None:
    """Of the broken ones those whose fault is a key, or what one holds."""
    faults = (
        "no such key",
        "is missing",
        "must be a ",
        "must be 1",
        "must be letters",
        "cannot be ",
    )
    refused = 0
    for name, several in BROKEN.items():
        text = (Path(__file__).parent / "files" / f"{name}.toml").read_text("utf-8")
        for broken in several:
            at_a_key = re.match(r"\d+: (\[[\w.]+\] )?\[?\w+\]?: ", broken["message"])
            if at_a_key and broken["message"][at_a_key.end() :].startswith(faults):
                changed = text.replace(broken["old"], broken["new"], 1)
                assert not CHECK.is_valid(tomllib.loads(changed)), broken
                refused += 1
    assert refused >= 20


def test_the_example_of_the_page_runs(empty_place: Path, bench: Callable[..., Any]) -> None:
    """As it stands there, with its rows."""
    text = PAGE.read_text("utf-8")
    toml, rows = (re.findall(rf"```{kind}\n(.*?)```", text, re.S)[0] for kind in ("toml", "csv"))
    Path("feelings.toml").write_text(toml, "utf-8")
    Path("scenes.csv").write_text(rows, "utf-8")
    done = bench("run", "./feelings.toml", "--model", "demo/strong", "--json")
    assert done.json["status"] == "complete", done.err
    assert done.json["baselines"]["random"]["value"] == pytest.approx(1 / 3 * 7 / 9)


def test_a_class_may_go_on_where_a_declaration_ends(declared: Callable[[str], Path]) -> None:
    """It overrides a method; its runs are those of the class, so that no text stands for it."""

    class Mine(Declared):
        """A benchmark that goes on in Python."""

        title = "mine"

    path = declared("apologies")
    assert list(Declared(path).files) == ["apologies.toml", "judge.txt", "apologies.jsonl"]
    assert Mine(path).files == {}
