"""`bench` in this process, in an empty folder, with no settings but those a test makes."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from eibench.core.cli.app import app


class Result(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out, parse_constant=_refuse)


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} in JSON")


@pytest.fixture(autouse=True)
def empty_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory and an empty cache; no variable of ours or of a provider."""
    for name in list(os.environ):
        if name.startswith("BENCH_") or name.endswith(("_API_KEY", "_TOKEN")):
            monkeypatch.delenv(name)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return work


@pytest.fixture
def bench(empty_place: Path) -> Callable[..., Result]:
    """Runs `bench` with arguments and variables."""

    def run(*args: object, env: Mapping[str, str] | None = None, stdin: str = "") -> Result:
        done = CliRunner().invoke(app, [str(a) for a in args], input=stdin, env=env)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return Result(done.exit_code, done.stdout, done.stderr)

    return run


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
