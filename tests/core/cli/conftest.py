"""`bench` in this process, in an empty folder, with no settings but those a test makes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def empty_place(empty_place: Path) -> Path:
    """Every test here runs in it."""
    return empty_place


@pytest.fixture
def bench(invoke: Callable[..., Any]) -> Callable[..., Any]:
    """Runs `bench` in this process, where `tests/core` has it as a process of its own."""
    return invoke


@pytest.fixture
def questions(empty_place: Path) -> Callable[..., Path]:
    """Writes a pack of questions; each is the paper's example unless said otherwise."""

    def write(ids: str = "1", name: str = "pack.json", **changes: Any) -> Path:
        path = empty_place / name
        path.write_text(json.dumps({i: question(**changes) for i in ids.split(",")}))
        return path

    return write


EMOTIONS = ("Anger", "Relief", "Hope", "Shame")


def question(
    reference: tuple[float, ...] = (1, 2, 3, 4), emotions: tuple[str, ...] = EMOTIONS
) -> dict[str, Any]:
    """A question in upstream's form."""
    form = "\n".join(f"{e}: <score>" for e in emotions)
    prompt = (
        "Read.\n\n[Sam waits.]\n[End dialogue]\n\nAt the end, how does Sam feel?\n\n"
        "Rate each emotion. Then criticise. Then revise.\n\nYour answer:\n\n"
        f"First pass scores:\n{form}\n\nCritique: <your critique>\n\n"
        f"Revised scores:\n{form}\n\n[End of answer]\n"
    )
    answer: dict[str, Any] = {f"emotion{i}": e for i, e in enumerate(emotions, 1)}
    answer |= {f"emotion{i}_score": r for i, r in enumerate(reference, 1)}
    return {"prompt": prompt, "reference_answer": answer}
