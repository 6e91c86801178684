"""Declared benchmarks pass the checks that those in Python do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize("name", ["requests"])
def test_a_declaration_conforms(
    name: str, declared: Callable[[str], Path], bench: Callable[..., Any]
) -> None:
    """`bench plugin check` takes its path, and finds nothing wrong."""
    declared(name)
    done = bench("plugin", "check", f"./{name}.toml", "--json")
    assert done.code == 0, done.out
    verdicts = {one["id"]: one["verdict"] for one in done.json["plugins"][0]["checks"]}
    assert verdicts["K23"] == "OK"
