"""Judgemark from a shell, and files that are broken."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]


def _judge(request: ReceivedRequest) -> str:
    """Knows the writers by their texts: the shorter the words, the better."""
    prompt = request.messages[-1]["content"]
    text = prompt.split("[REPLY]")[1].split("[/REPLY]")[0].split()
    grade = 10 - min(9, round(sum(len(word) > 7 for word in text) / len(text) * 20))
    names = ["observation", "people", "language", "scene", "implied meaning"]
    less = ["purple prose", "borrowed phrases", "told feelings", "monotony"]
    lines = [f"{name}: {grade}" for name in names] + [f"{name}: {10 - grade}" for name in less]
    return "\n".join(lines)


def test_a_judge_behind_a_server(bench: Bench) -> None:
    """Equal repeats are stable; its own order of writers agrees with itself by --order."""
    with LoopbackServer(_judge) as server:
        run = ("run", "judgemark", "--model", "openai/j", "--base-url", server.base_url, "--json")
        document = bench(*run).json
        means = document["notes"]["judgemark"]["writers"]
        rows = "".join(f"{writer},{mean}\n" for writer, mean in means.items())
        Path("own.csv").write_text(f"writer,score\n{rows}", "utf-8")
        own = bench(*run, "--order", "own.csv").json
        assert len(server.answered) == 60 + 1 or len(server.answered) == 60
    metrics = document["metrics"]
    assert metrics["stability"]["value"] == pytest.approx(1)
    assert metrics["separability"]["value"] > 0.3
    assert own["metrics"]["agreement"]["value"] == pytest.approx(1)
    score = own["metrics"]["score"]["value"]
    assert score == pytest.approx(100 * (2 + 4 * metrics["separability"]["value"]) / 6)


def test_a_demo_judge_runs_offline(bench: Bench) -> None:
    """And an order that knows no writer is refused."""
    assert bench("run", "judgemark", "--model", "demo/judge").code == 0
    Path("other.csv").write_text("writer,score\nnobody,1\n", "utf-8")
    done = bench("run", "judgemark", "--model", "demo/judge", "--order", "other.csv")
    assert done.code != 0
    assert "knows none of the writers" in done.err


_ROW = {"id": "1", "writer": "a", "item": "x", "text": "Some words."}


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([_ROW], "has 1 writers"),
        ([_ROW, {**_ROW, "id": "2", "text": " "}], '"text" is empty'),
        (
            [{**_ROW, "id": str(n), "writer": w} for n, w in enumerate("aabc")],
            "a has two texts for the prompt x",
        ),
    ],
)
def test_a_broken_file_of_texts_is_refused(bench: Bench, rows: list[Any], says: str) -> None:
    """With the file and what is wrong."""
    Path("texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    done = bench("run", "judgemark", "--model", "demo/judge", "--dataset", "texts.jsonl")
    assert done.code != 0
    assert says in done.err
    assert "texts.jsonl" in done.err


def test_upstream_s_own_form_is_read(bench: Bench) -> None:
    """Texts by writer and prompt."""
    texts = {w: {str(n): f"It rained {w} times {n}." for n in range(8)} for w in "abc"}
    Path("set.json").write_text(json.dumps(texts), "utf-8")
    run = ("run", "judgemark", "--model", "demo/judge", "--dataset", "set.json", "--json")
    document = bench(*run).json
    assert document["items"]["scored"] == 72
    assert document["metrics"]["separability"]["ci95"] is not None


def _legacy(folder: Path, prompts: str = "12") -> Path:
    """Texts of three writers for two prompts, with the criteria of some of these."""
    folder.mkdir()
    texts = {w: {n: f"It rained {w} times {n}. " * 20 for n in "12"} for w in "abc"}
    (folder / "judgemark_test_set.json").write_text(json.dumps(texts), "utf-8")
    criteria = [{"criteria": ["Warmth: of the voice", "Trite", "Gripping"]}]
    row = {"writing_prompt": "Write of rain. <SEED>", "seed_modifiers": ["Softly."],
           "judging_criteria": criteria, "reference_output": "Rain, and then none."}  # fmt: skip
    path = folder / "creative_writing_prompts.json"
    path.write_text(json.dumps(dict.fromkeys(prompts, row)), "utf-8")
    return folder


def test_texts_are_graded_on_the_criteria_of_their_prompt(bench: Bench) -> None:
    """Beside the reference text; by hand: (9 + (10 - 2)) / 2, a left-out criterion not asked."""
    with LoopbackServer(lambda _: "Warmth: 9\nTrite: 2") as server:
        run = ("run", "judgemark", "--model", "openai/j", "--base-url", server.base_url, "--json")
        document = bench(*run, "--dataset", _legacy(Path("folder"))).json
        prompt = server.requests[-1].messages[-1]["content"]
    assert document["notes"]["judgemark"]["writers"] == {"a": 8.5, "b": 8.5, "c": 8.5}
    assert "Write of rain. Softly." in prompt
    assert "Rain, and then none." in prompt
    assert "Gripping" not in prompt


def test_a_text_whose_prompt_has_no_criteria_is_refused(bench: Bench) -> None:
    """With the file that lacks it."""
    folder = _legacy(Path("folder"), prompts="1")
    done = bench("run", "judgemark", "--model", "demo/judge", "--dataset", folder)
    assert done.code == 3
    assert "creative_writing_prompts.json has no prompt '2'" in done.err
