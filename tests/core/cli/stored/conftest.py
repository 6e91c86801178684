"""Runs of EQ-Bench 3 on a server that is the models and the judges, with grades that are known."""

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from eibench import folder
from eibench.testing import LoopbackServer
from tests.conftest import run_here

Bench = Callable[..., Any]
CRITERIA = (
    "depth_of_insight",
    "emotional_reasoning",
    "theory_of_mind",
    "subtext_identification",
    "intellectual_grounding",
    "correctness",
)
"""Of the bundled pack's kind `analysis`: one turn, no debrief, six scored criteria on 0-10."""
UNREADABLE = "I would rather not say."


def scenario(n: int, family: str) -> str:
    """A scenario in our form; its text names it for the server."""
    return (
        f'[[scenario]]\nid = "{n}"\ntitle = "t"\nkind = "analysis"\nfamily = "{family}"\n'
        f'turns = ["This is scene-{n}. A: Hello. B: Goodbye."]\n'
    )


@dataclass
class Court:
    """Models and judges on one server, and the grades that the judges give.

    Attributes:
        grades: By judge, model and scenario: what every criterion gets, or the grade of each.
            A judge with no grade for a transcript says nothing that can be read.
        silent: Models and scenarios that are answered with an error.
    """

    bench: Bench
    pack: Path
    server: LoopbackServer
    stages: dict[str, Any]
    grades: dict[tuple[str, str, str], Any] = field(default_factory=dict)
    silent: set[tuple[str, str]] = field(default_factory=set)

    def staged(self, make: Callable[["Court"], Any]) -> Any:
        """What `make` gives, whose runs are made once and copied for the tests that follow."""
        key = f"{make.__module__}.{make.__qualname__}"
        if key in self.stages:
            value, self.grades = self.stages[key][0], dict(self.stages[key][1])
            shutil.copytree(self.pack.parent / key, "runs")
        else:
            value = make(self)
            self.stages[key] = value, dict(self.grades)
            shutil.copytree("runs", self.pack.parent / key)
        return value

    def reply(self, request: Any) -> str:
        """What the server says as the model or judge that is asked."""
        asked = request.body["model"]
        scene = re.findall(r"scene-(\d+)", request.prompt)[0]
        words = re.findall(r"words of (\w+)", request.prompt)
        if not words:
            if (asked, scene) in self.silent:
                raise ValueError("no words")
            return f"These are the words of {asked}."
        grade = self.grades.get((asked, words[0], scene))
        if grade is None:
            return UNREADABLE
        given = grade if isinstance(grade, Mapping) else dict.fromkeys(CRITERIA, grade)
        return json.dumps(given)

    def grade(self, judge: str, model: str, *grades: Any) -> None:
        """Have a judge grade a model's scenarios 1, 2, 3, ... so."""
        self.grades |= {(judge, model, str(n)): g for n, g in enumerate(grades, 1)}

    def run(self, model: str, judge: str, *more: object) -> str:
        """A run of a model, graded by a judge; its id."""
        return str(self.result(model, judge, *more)["run_id"])

    def result(self, model: str, judge: str, *more: object) -> Any:
        """The same; what its command prints."""
        at = self.server.base_url
        asked = ("--model", f"openai/{model}", "--base-url", at, "--judge", f"openai/{judge}")
        where = ("--judge-base-url", at, "--dataset", self.pack, "--no-elo", "--yes")
        return self.bench("run", "eqbench3", *asked, *where, "--json", *more).json

    def rejudge(self, run_id: str, judge: str) -> Any:
        """What is printed when another judge grades a run too."""
        where = ("--judge-base-url", self.server.base_url, "--yes", "--json")
        done = self.bench("rejudge", run_id, "--judge", f"openai/{judge}", *where)
        assert done.code in (0, 1), done.err
        return done.json

    def label(self, judge: str) -> str:
        """What the journal calls a judge."""
        return f"openai/{judge} at local"


@pytest.fixture(scope="session")
def courthouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Court]:
    """A server for all tests, and the runs that several of them begin with."""
    with LoopbackServer(lambda request: house.reply(request)) as server:
        house = Court(run_here, tmp_path_factory.mktemp("court") / "pack", server, {})
        yield house


@pytest.fixture
def court(courthouse: Court) -> Court:
    """Nine scenarios in eight families, the first two of them one; nobody has said anything yet."""
    pack, families = courthouse.pack, ("twins", "twins", *"cdefghi")
    pack.mkdir(exist_ok=True)
    texts = [scenario(n, family) for n, family in enumerate(families, start=1)]
    (pack / "scenarios.toml").write_text("\n".join(texts))
    shutil.copy(folder("eqbench3") / "bundled" / "prompts.toml", pack)
    courthouse.grades, courthouse.silent = {}, set()
    return courthouse
