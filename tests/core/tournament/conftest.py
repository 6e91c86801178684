"""Models of known strength and a judge with known faults behind one server, and `bench`."""

import hashlib
import json
import math
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from eibench.core.journal import Journal, StoredComparison
from eibench.data import folder
from eibench.testing import LoopbackServer, ReceivedRequest, Reply
from tests.processes import Process

if TYPE_CHECKING:
    from tests.conftest import Result

_PAIR = re.compile(r"^\[RESPONDENT (A\d+)\]$(.*?)^\[/RESPONDENT \1\]$", re.M | re.S)
_CRITERION = re.compile(r'^  "(\w+)": "code and plus signs"', re.M)
_GRADED = re.compile(r'"(\w+)": 0-(\d+)')
_SIGNED = re.compile(r"This is (\S+) speaking of (\w+)\.")
FILLER = "I have thought about what each of the two could not say to the other. "


@dataclass
class World:
    """What the server says: each model signs its replies, and the judge knows who is who.

    Attributes:
        abilities: By model, in units of the judge's scale.
        position: What being read first is worth to the judge.
        length: What e times the length is worth to it.
        noise: Standard deviation of a criterion's margin; the same prompt, the same noise.
        unsigned: The ability of those who do not sign, such as demo models; None if all sign.
        before: May answer a request instead, or raise; gets whether it is a comparison.
    """

    abilities: dict[str, float]
    position: float = 0.0
    length: float = 0.0
    noise: float = 0.5
    unsigned: float | None = None
    before: Callable[[ReceivedRequest, bool], Reply | None] = lambda request, compares: None

    @property
    def facts(self) -> str:
        """All of it but `before`."""
        numbers = self.position, self.length, self.noise, self.unsigned
        return repr((sorted(self.abilities.items()), numbers))

    def __call__(self, request: ReceivedRequest) -> Reply:
        """What the model or the judge says."""
        pair = _PAIR.findall(request.prompt)
        if (given := self.before(request, bool(pair))) is not None:
            return given
        if pair:
            return self.compare(request.prompt, pair)
        if grades := _GRADED.findall(request.prompt):
            return json.dumps({name: self.grade(request.prompt) for name, _ in grades})
        return self.speak(request)

    def speak(self, request: ReceivedRequest) -> str:
        """A model's reply: who it is, what it was asked, and more words from some than others."""
        asked = hashlib.sha256(json.dumps(request.body, sort_keys=True).encode()).hexdigest()[:8]
        more = FILLER * (2 + 3 * (Random(request.model).random() > 0.5))
        return f"This is {request.model} speaking of x{asked}. {more}"

    def grade(self, prompt: str) -> float:
        """Five for a model of ability 0."""
        said = _SIGNED.search(prompt)
        assert said, "a transcript that nobody signed"
        return min(10.0, max(0.0, 5 + round(self.abilities[said[1]], 1)))

    def ability(self, text: str) -> float:
        """That of the model whose transcript it is."""
        signed = _SIGNED.search(text)
        ability = self.abilities[signed[1]] if signed else self.unsigned
        assert ability is not None, "a transcript that nobody signed"
        return ability

    def compare(self, prompt: str, pair: list[tuple[str, str]]) -> str:
        """Who is better, for each criterion; with the judge's likings and some noise."""
        (first, one), (second, other) = pair
        lead = self.ability(one) - self.ability(other)
        lead += self.position + self.length * math.log(len(one) / len(other))
        rng = Random(prompt)
        reply = {"chain_of_thought_reasoning": "I compared them."}
        for criterion in _CRITERION.findall(prompt):
            felt = lead + rng.gauss(0, self.noise)
            pluses = min(5, max(1, round(abs(felt))))
            reply[criterion] = (first if felt > 0 else second) + "+" * pluses
        return json.dumps(reply)


class Stage(NamedTuple):
    """What commands left: the journal, the server's requests and answers, and the last result."""

    runs: Path
    requests: list[ReceivedRequest]
    answered: list[ReceivedRequest]
    done: "Result"


@dataclass
class House:
    """What all tests of a process share: a server, packs, and what was run once.

    Attributes:
        world: What the server says now.
    """

    folder: Path
    world: World
    stages: dict[object, Stage] = field(default_factory=dict)

    def __call__(self, request: ReceivedRequest) -> Reply:
        """What the world of the test says."""
        return self.world(request)


@dataclass
class Table:
    """A folder in which models are compared, with `bench`.

    Attributes:
        world: What models and judge say.
        pack: The scenarios.
        bench: Runs any command in this process.
        stages: What was run once, to be copied.
    """

    folder: Path
    server: LoopbackServer
    world: World
    pack: Path
    bench: "Callable[..., Result]"
    stages: dict[object, Stage]

    def placed(self, *models: str, more: tuple[str, ...] = (), judge: str = "judge") -> "Result":
        """Run models one after another in an empty folder, once a session; else copy that.

        The server has then been asked the same, so that counts are those of real runs.
        """
        return self.stage(
            (models, more, judge),
            lambda: [self.run(model, more=more, judge=judge) for model in models][-1],
        )

    def stage(self, key: object, make: "Callable[[], Result]") -> "Result":
        """What `make` leaves in an empty folder, made once a session for this world and pack."""
        runs, key = self.folder / "runs", (key, self.world.facts, self.pack.name)
        assert not runs.exists(), "a stage is the first thing of a test"
        if key in self.stages:
            stage = self.stages[key]
            shutil.copytree(stage.runs, runs)
            self.server.requests += stage.requests
            self.server.answered += stage.answered
            return stage.done
        done = make()
        assert done.code == 0, done.err
        kept = shutil.copytree(runs, self.pack.parent / f"stage-{len(self.stages)}")
        asked = list(self.server.requests), list(self.server.answered)
        self.stages[key] = Stage(Path(kept), *asked, done)
        return done

    def arguments(self, *models: str, runs: str = "runs", judge: str = "judge") -> list[str]:
        """The command that runs models."""
        given = [part for model in models for part in ("--model", f"openai/{model}")]
        own = ["--base-url", self.server.base_url, "--judge", f"openai/{judge}"]
        own += ["--judge-base-url", self.server.base_url, "--dataset", str(self.pack)]
        return ["run", "eqbench3", *given, *own, "--runs-dir", runs, "--json"]

    def run(self, *models: str, more: tuple[object, ...] = (), **where: str) -> "Result":
        """Run models in this process."""
        return self.bench(*self.arguments(*models, **where), *more)

    def start(self, *models: str, more: tuple[str, ...] = (), **where: str) -> Process:
        """Run models in a process of its own."""
        return Process([*self.arguments(*models, **where), *more], self.folder)

    def compared(self) -> Counter[str]:
        """How often the judge was given an answer to each comparison's prompt."""
        asked = [r.prompt for r in self.server.answered if _PAIR.search(r.prompt)]
        return Counter(asked)

    def bought(self) -> int:
        """How many comparisons were answered so far."""
        return self.compared().total()

    def rows(self, runs: str = "runs") -> list[StoredComparison]:
        """All comparisons of the journal."""
        with Journal(self.folder / runs, create=False) as journal:
            return list(journal.comparisons())

    def run_id(self, model: str, runs: str = "runs") -> str:
        """The newest run of a model."""
        with Journal(self.folder / runs, create=False) as journal:
            return [r.run_id for r in journal.runs() if r.name == f"openai/{model}"][-1]


def write_pack(
    place: Path, size: int = 9, families: int = 8, prompts: Mapping[str, str] | None = None
) -> Path:
    """A pack of scenarios of one turn, two of them of one family where it can be; written once."""
    own = hashlib.sha256(repr(prompts).encode()).hexdigest()[:8]
    path = place / f"pack-{size}-{families}-{own}"
    if path.exists():
        return path
    path.mkdir()
    scenarios = [
        f'[[scenario]]\nid = "s{n}"\ntitle = "T{n}"\nkind = "analysis"\n'
        f'family = "f{n % families}"\nturns = ["A: scene {n}. B: hm."]\n'
        for n in range(size)
    ]
    (path / "scenarios.toml").write_text("\n".join(scenarios))
    text = (folder("eqbench3") / "bundled" / "prompts.toml").read_text()
    for old, new in (prompts or {}).items():
        assert old in text
        text = text.replace(old, new)
    (path / "prompts.toml").write_text(text)
    return path


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, LoopbackServer]]:
    """One server for all tests of a process."""
    house = House(tmp_path_factory.mktemp("house"), eight_models())
    with LoopbackServer(house) as server:
        yield house, server


@pytest.fixture
def make_pack(house: tuple[House, LoopbackServer]) -> Callable[..., Path]:
    """Writes a pack."""
    return partial(write_pack, house[0].folder)


@pytest.fixture
def table(
    empty_place: Path,
    house: tuple[House, LoopbackServer],
    make_pack: Callable[..., Path],
    invoke: "Callable[..., Result]",
) -> Table:
    """Eight models, 0.7 units apart, and nine scenarios of eight families."""
    shared, server = house
    server.settle()
    server.requests.clear()
    server.answered.clear()
    shared.world = eight_models()
    return Table(empty_place, server, shared.world, make_pack(), invoke, shared.stages)


def eight_models() -> World:
    """Each 0.7 units better than the one before."""
    return World({f"m{n}": 0.7 * n for n in range(8)})
