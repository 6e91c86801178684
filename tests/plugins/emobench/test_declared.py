"""EmoBench in TOML asks and grades what EmoBench in Python does."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench import ChatResponse, Message, PackSource, folder
from eibench.declared import Declared
from eibench.plugins.emobench.benchmark import EmoBench
from eibench.testing import ScriptedModel

TOML = Path(__file__).with_name("emobench.toml")
BUNDLED = folder("emobench") / "bundled"
OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
BOTH = [(task, lang) for task in ("EA", "EU") for lang in ("en", "zh")]
LISTS = re.compile(r"(?:^[A-Z]\) .*\n)+", re.MULTILINE)


class Replies(ScriptedModel):
    """A model whose reply depends on the request alone: letters in two forms, or prose."""

    def __init__(self, item_id: str) -> None:
        super().__init__(item_id=item_id)
        self.prompts: list[str] = []

    async def chat(
        self, messages: str | Sequence[Message], *, cache_prefix: int = 0, **changes: object
    ) -> ChatResponse:
        """Its reply."""
        text = messages if isinstance(messages, str) else messages[-1].content
        self.prompts.append(text)
        rng = Random(hashlib.sha256(text.encode()).hexdigest())
        counts = [block.count("\n") for block in LISTS.findall(text)]
        names = ("answer",) if len(counts) == 1 else ("emotion", "cause")
        letters = {n: "ABCDEFG"[rng.randrange(c)] for n, c in zip(names, counts, strict=True)}
        lines = "\n".join(f"{name}: {letter}" for name, letter in letters.items())
        return ChatResponse(rng.choice((json.dumps(letters), lines, "I would rather not say.")))


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    """The declaration beside questions of ours."""
    for path in (TOML, *BUNDLED.glob("*.jsonl")):
        shutil.copy(path, tmp_path)
    return tmp_path / TOML.name


async def sides(path: Path, data: Path, task: str, lang: str) -> list[dict[str, Any]]:
    """By question what is asked and what it is graded, declared and in Python."""
    options = {"task": task, "lang": lang, "shuffles": 3, "vote": "majority"}
    found = []
    for benchmark, names in ((Declared(path), "{}"), (EmoBench(), "{}.jsonl")):
        files = {names.format(one): data / f"{one}.jsonl" for one in ("EA", "EU")}
        pack = benchmark.read_pack(PackSource("custom", "0", files), options)
        graded = {}
        for item in pack.items:
            model = Replies(item.id)
            transcript: Any = await benchmark.generate(item, model, options)
            score = await benchmark.grade(item, transcript, None, options)
            graded[item.id] = (model.prompts, item.tags, score)
        found.append(graded)
    return found


@pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")
async def test_the_800_official_questions_are_asked_and_graded_alike(toml: Path) -> None:
    """In three orders each, with answers in two forms and some that cannot be read."""
    graded = []
    for task, lang in BOTH:
        declared, ours = await sides(toml, Path(str(OFFICIAL), "emobench"), task, lang)
        assert declared == ours
        graded += [score for _, _, score in ours.values()]
    assert len(graded) == 800
    right = [score.values["right"] for score in graded if score.reason is None]
    assert 0 < sum(right) < len(right) < 800


@pytest.mark.parametrize(("task", "lang"), BOTH)
async def test_our_own_questions_are_asked_and_graded_alike(
    toml: Path, task: str, lang: str
) -> None:
    """Without the official data too."""
    declared, ours = await sides(toml, BUNDLED, task, lang)
    assert declared == ours and ours


def test_it_runs_by_its_path(toml: Path, bench: Callable[..., Any]) -> None:
    """With the same chance of random letters as the benchmark in Python, and its families."""
    runs = [
        bench("run", name, *more, "--task", "EU", "--model", "demo/weak", "--json").json
        for name, *more in ((toml,), ("emobench", "--dataset", "bundled"))
    ]
    (chance,) = runs[0]["baselines"].values()
    assert chance["value"] == pytest.approx(runs[1]["baselines"]["random"]["value"])
    assert runs[0]["metrics"].keys() == runs[1]["metrics"].keys()


def test_it_is_short() -> None:
    """At most sixty lines beside what the model is shown."""
    text = re.sub(r'""".*?"""', '""', TOML.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len([line for line in text.splitlines() if line.strip()]) <= 60
