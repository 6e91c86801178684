"""Declarations of each kind, with their rows, in an empty place."""

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

FILES = Path(__file__).parent / "files"


def _scenes() -> Iterable[dict[str, Any]]:
    feelings = ["pride", "dread", "envy", "calm"]
    reasons = ["a name was read", "a letter came", "nothing did"]
    for n in range(12):
        scene = f"Scene {n} has {{braces}}."
        yield {
            "n": n, "topic": "work" if n < 10 else "home", "scene": scene,
            "who the scene is of": "Ada",
            "feelings": feelings, "feels": feelings[n % 4], "reasons": reasons, "why": n % 3,
        }  # fmt: skip


def _checks(n: int) -> list[dict[str, Any]]:
    return [{"ask": "Is it kind?", "of": "tone", "weight": 2}] + [
        {"ask": f"Does it say {m}?", "of": "facts", "weight": 1} for m in range(n % 3)
    ]


ROWS: dict[str, Iterable[dict[str, Any]]] = {
    "scenes": list(_scenes()),
    "apologies": [{"id": f"{n}", "happened": f"You forgot {{it}} {n}."} for n in range(9)],
    "requests": [
        {"id": n, "kind": f"k{n % 2}", "request": f"Write to {n}.", "checks": _checks(n)}
        for n in range(9)
    ],
    "personas": [
        {"id": f"{n}", "who": f"Ann {n}", "opening": f"Hi, it is {n}.", "hidden": "a lost job"}
        for n in range(4)
    ],
}


@pytest.fixture
def declared(empty_place: Path) -> Callable[[str], Path]:
    """Puts a declaration with its files into the working directory."""

    def put(name: str) -> Path:
        for path in FILES.iterdir():
            shutil.copy(path, empty_place)
        for rows, columns in ROWS.items():
            lines = [json.dumps(row) for row in columns]
            (empty_place / f"{rows}.jsonl").write_text("\n".join(lines), encoding="utf-8")
        return empty_place / f"{name}.toml"

    return put
