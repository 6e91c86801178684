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
