"""EmoBench: both tasks in both languages, their vote, chance, and what cannot be read."""

import json
import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import ChatResponse, DataError, PackSource, folder
from eibench.plugins.emobench.benchmark import EmoBench
from eibench.testing import LoopbackServer, ReceivedRequest, ScriptedModel

Bench = Callable[..., Any]
OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
needs_official = pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")
BENCHMARK = EmoBench()
OPTIONS = {"task": "EA", "lang": "en", "shuffles": 2, "vote": "majority"}
BUNDLED = folder("emobench") / "bundled"
BOTH = [(task, lang) for task in ("EA", "EU") for lang in ("en", "zh")]
ROW = json.loads((BUNDLED / "EA.jsonl").read_text(encoding="utf-8").splitlines()[0])


def pack_at(path: Path, **changes: object) -> Any:
    """The pack of a folder."""
    files = {name: path / name for name in ("EA.jsonl", "EU.jsonl") if (path / name).is_file()}
    return BENCHMARK.read_pack(PackSource("custom", "0", files), {**OPTIONS, **changes})


def random_letters(request: ReceivedRequest) -> str:
    """What a model replies that sees nothing but how many choices there are."""
    text = request.messages[-1]["content"]
    counts = [block.count("\n") for block in re.findall(r"(?:^[A-Z]\) .*\n)+", text, re.MULTILINE)]
    names = ("answer",) if len(counts) == 1 else ("emotion", "cause")
    rng = random.Random(text)
    letters = {name: "ABCDEFG"[rng.randrange(n)] for name, n in zip(names, counts, strict=True)}
    return json.dumps(letters)


@pytest.mark.parametrize(("task", "lang"), BOTH)
def test_the_demo_runs_offline(bench: Bench, task: str, lang: str) -> None:
    """Abler demo models are righter; EU has its parts, and each reply can be read."""
    run = ("run", "emobench", "--dataset", "bundled", "--task", task, "--lang", lang, "--json")
    strong, weak = (bench(*run, "--model", f"demo/{name}").json for name in ("strong", "weak"))
    assert strong["items"]["scored"] == strong["items"]["total"] >= 4
    assert strong["metrics"]["right"]["value"] > weak["metrics"]["right"]["value"]
    parts = {"emotion", "cause"} & strong["metrics"].keys()
    assert len(parts) == (2 if task == "EU" else 0)


@pytest.mark.parametrize(("task", "lang"), BOTH)
async def test_a_request_holds_all_that_is_asked(task: str, lang: str) -> None:
    """The scenario, who is meant, every choice once, the form, and no open place."""
    options = {**OPTIONS, "task": task, "lang": lang, "shuffles": 1}
    for item in pack_at(BUNDLED, **options).items:
        model = ScriptedModel("", item_id=item.id)
        await BENCHMARK.generate(item, model, options)
        (message,) = model.requests[0].messages
        row = item.content
        lists = [choice for key in row if key.endswith("choices") for choice in row[key]]
        assert all(
            len(re.findall(rf"^[A-Z]\) {re.escape(c)}$", message.content, re.M)) == 1 for c in lists
        )
        assert row["scenario"] in message.content and row["subject"] in message.content
        assert not re.search(r"\{\w+\}", message.content)


async def test_the_vote_is_over_choices_and_not_letters() -> None:
    """The same letter in two orders is two choices; the right one in both is right."""
    (item,) = (one for one in pack_at(BUNDLED).items if one.id == "EA-1")
    model = ScriptedModel("A", "A")
    transcript = await BENCHMARK.generate(item, model, OPTIONS)
    assert transcript[0][0] != transcript[1][0]
    right = [
        (shown, ChatResponse("ABCD"[shown["answer"].index(ROW["label"])]))
        for shown, _ in transcript
    ]
    same, good = [
        (await BENCHMARK.grade(item, replies, None, OPTIONS)) for replies in (transcript, right)
    ]
    assert (same.values, same.flags, good.values) == ({"right": 0.0}, ("tie",), {"right": 1.0})


def test_questions_about_one_scenario_are_a_family() -> None:
    """Intervals are over what was told, not over how often it was asked about."""
    families = [item.family for item in pack_at(BUNDLED, task="EU").items]
    assert len(families) - len(set(families)) == 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**ROW, "label": "None of these"}, "a label must be one of its choices, once"),
        ({**ROW, "choices": [ROW["label"]] * 2}, "a label must be one of its choices, once"),
        ({**ROW, "choices": "A or B"}, "'choices'"),
        ({**ROW, "language": "de"}, "holds no question in the language en"),
        ({"qid": "1"}, "has no field"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(tmp_path: Path, row: Any, message: str) -> None:
    """With the file, and where in it."""
    (tmp_path / "EA.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        pack_at(tmp_path)


@needs_official
@pytest.mark.parametrize(("task", "lang"), BOTH)
def test_random_letters_lie_in_the_interval_of_chance(bench: Bench, task: str, lang: str) -> None:
    """On the official pack, whose 200 questions a task and language are all read."""
    assert OFFICIAL is not None
    with LoopbackServer(random_letters) as server:
        run = ("run", "emobench", "--model", "openai/m", "--base-url", server.base_url, "--json")
        more = ("--task", task, "--lang", lang, "--shuffles", "1", "--max-tokens", "50")
        document = bench(*run, *more, "--dataset", Path(OFFICIAL, "emobench")).json
    assert (document["dataset"]["name"], document["items"]["scored"]) == ("official", 200)
    low, high = document["metrics"]["right"]["ci95"]
    assert low <= document["baselines"]["random"]["value"] <= high
    assert "not comparable with published accuracies" in document["comparability"]
    assert sum(name.startswith("right_") for name in document["metrics"]) == 4
