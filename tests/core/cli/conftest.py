"""`bench` in this process, in an empty folder, with no settings but those a test makes."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.data import folder
from tests.conftest import enter_empty_place, run_here


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


@pytest.fixture(scope="session")
def demo_stages(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, Any]]:
    """Demo models that are run one after another and compared: a journal and result for each.

    They are made once, for reading and copying: weak, strong and medium on nine scenarios.
    """
    stages = []
    with pytest.MonkeyPatch.context() as patch:
        work = enter_empty_place(tmp_path_factory.mktemp("demos"), patch)
        for model in ("weak", "strong", "medium"):
            run = ("run", "eqbench3", "--dataset", "bundled", "--items", ITEMS, "--json")
            done = run_here(*run, "--model", f"demo/{model}")
            assert done.code == 0, done.err
            stages.append((Path(shutil.copytree("runs", work / model)), done.json))
    return stages


@pytest.fixture
def demos(empty_place: Path, demo_stages: list[tuple[Path, Any]]) -> Callable[..., list[Any]]:
    """Puts the journal of the first so many demo models in place, and gives their results."""

    def put(count: int = 3) -> list[Any]:
        shutil.copytree(demo_stages[count - 1][0], empty_place / "runs")
        return [document for _, document in demo_stages[:count]]

    return put


def _last_items() -> str:
    text = (folder("eqbench3") / "bundled" / "scenarios.toml").read_text(encoding="utf-8")
    return ",".join(re.findall(r'^id = "([^"]+)"', text, re.M)[-9:])


ITEMS = _last_items()
"""The last nine scenarios of the bundled pack, of one turn each."""
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
