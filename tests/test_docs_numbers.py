"""The numbers in the picture of README are those that the program prints today."""

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import eibench

PICTURE = Path(eibench.__file__).resolve().parents[2] / "docs" / "terminal.svg"


def test_the_picture_in_readme_shows_the_first_result(invoke: Callable[..., Any]) -> None:
    """The score of the first command with its interval; if it moves, it is changed there too."""
    done = invoke("run", "eqbench-v1", "--dataset", "bundled", "--json")
    assert done.code == 0, done.err
    words = html.unescape(re.sub(r"<[^>]+>", "", PICTURE.read_text(encoding="utf-8")))
    text = re.sub(r"\s+", "", words)
    metric = done.json["metrics"]["score"]
    low, high = metric["ci95"]
    assert f"{metric['value']:.2f}({low:.2f}…{high:.2f})" in text
