"""HumaneBench in TOML asks and grades what HumaneBench in Python does."""

import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench import ChatResponse, Message, PackSource, SampleScore, folder
from eibench.declared import Declared
from eibench.plugins.humanebench.benchmark import PERSONAS, HumaneBench
from eibench.testing import ScriptedModel

TOML = Path(__file__).with_name("humanebench.toml")
BUNDLED = folder("humanebench") / "bundled" / "humane_bench.jsonl"
STEPS = ("-1", "-0.5", "0.5", "1", "null")
REPLIES = (*(f'{{"rating": {step}}}' for step in STEPS), "Well.")


class Replies(ScriptedModel):
    """Whoever is asked: the reply depends on the request alone."""

    def __init__(self, *replies: str) -> None:
        super().__init__()
        self.asked: list[tuple[str, str]] = []
        self.choice = replies

    async def chat(
        self, messages: str | Sequence[Message], *, cache_prefix: int = 0, **changes: object
    ) -> ChatResponse:
        """One of its replies."""
        listed = [Message("user", messages)] if isinstance(messages, str) else messages
        self.asked += [(message.role, message.content) for message in listed]
        rng = Random(hashlib.sha256(listed[-1].content.encode()).hexdigest())
        return ChatResponse(rng.choice(self.choice))


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    """The declaration beside messages of ours."""
    for path in (TOML, BUNDLED):
        shutil.copy(path, tmp_path)
    return tmp_path / TOML.name


@pytest.mark.parametrize("persona", PERSONAS)
async def test_messages_are_asked_judged_and_summed_up_alike(toml: Path, persona: str) -> None:
    """The same requests to model and judge, the same ratings, mean of means and interval."""
    options, sides = {"persona": persona}, []
    for benchmark, value in ((Declared(toml), "rubric_score"), (HumaneBench(), "humane")):
        pack = benchmark.read_pack(PackSource("custom", "0", {"rows": BUNDLED}), options)
        model, judge, scores = Replies("Yes.", "No."), Replies(*REPLIES), []
        for item in pack.items:
            transcript: Any = await benchmark.generate(item, model, options)
            score = await benchmark.grade(item, transcript, judge, options)
            scores.append(SampleScore(item.id, item.cluster, 1, score))
        metric = benchmark.summarise(pack, scores, options).metrics[value]
        ratings = [(s.item_id, s.score.values.get(value), s.score.reason) for s in scores]
        sides.append((model.asked, judge.asked, ratings, metric.value, metric.ci95))
    assert sides[0] == sides[1]
    assert len({rating for _, rating, _ in sides[0][2]}) > 3


def test_it_runs_by_its_path(toml: Path, bench: Callable[..., Any]) -> None:
    """A demo of each principle, without a line of Python."""
    document = bench("run", toml, "--persona", "bad", "--json").json
    assert document["items"]["scored"] == 16
    assert sum(name.startswith("rubric_score_") for name in document["metrics"]) == 8
