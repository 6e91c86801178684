"""A declaration gives what a benchmark in Python gives, on the same replies and verdicts."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]
Put = Callable[[str], Path]


def draw(text: str, number: int) -> int:
    """A number below another one, by a hash of a text."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % number


def answer(request: ReceivedRequest) -> str:
    """Mostly the letter of the longest choice; sometimes prose; by what is asked."""
    lines = [line for line in request.prompt.splitlines() if line[1:3] == ") "]
    letter = max(lines, key=len)[0] if draw(request.prompt, 3) else "A"
    return "I would rather not." if not draw(request.prompt, 7) else f'{{"answer": "{letter}"}}'


def scores(result: eibench.Result) -> dict[tuple[str, int], Any]:
    """What came of each sample."""
    with eibench.runs("runs") as runs:
        rows = list(next(run for run in runs if run.id == result.run_id).samples())
    return {(row.item_id, row.iteration): (row.values, row.flags) for row in rows}


def test_a_choice_in_toml_is_the_one_in_python(declared: Put) -> None:
    """The same requests, and grade by grade the same scores, also of what cannot be read."""
    path = declared("emobench-ea")
    shutil.copy(eibench.folder("emobench") / "bundled" / "EA.jsonl", path.parent)
    with LoopbackServer(answer) as server:
        settings: Any = {"model": "openai/m", "base_url": server.base_url, "iterations": 2}
        ours = eibench.run("emobench", dataset="bundled", **settings)
        asked = sorted(request.prompt for request in server.answered)
        theirs = eibench.run(path, **settings)
        assert sorted(request.prompt for request in server.answered[len(asked) :]) == asked
    assert scores(theirs) == scores(ours)
    assert len({str(one) for one in scores(ours).values()}) > 2
    assert theirs.metrics["right"].value == ours.metrics["right"].value
    assert theirs.metrics["right"].ci95 == pytest.approx(ours.metrics["right"].ci95)
    assert theirs.document["baselines"]["random"]["value"] == pytest.approx(
        ours.document["baselines"]["random"]["value"]
    )


def reply_or_verdict(request: ReceivedRequest) -> str:
    """A reply by the statement; a verdict by the reply and the statement alone."""
    if "[REPLY]" not in request.prompt:
        return f"I hear you, {draw(request.prompt, 1000)}."
    shown = request.prompt[request.prompt.index("[MESSAGE]") :]
    passes = int(draw(shown, 5) > 1)
    return json.dumps({"reason": "so", "PASS": passes, "WIN": passes * (draw(shown, 3) > 0)})


def test_questions_that_need_another_give_the_rates_of_emotionqueen(declared: Put) -> None:
    """With prompts by task, on the same replies and verdicts."""
    path = declared("emotionqueen")
    shutil.copy(eibench.folder("emotionqueen") / "bundled" / "statements.jsonl", path.parent)
    with LoopbackServer(reply_or_verdict) as server:
        settings: Any = {
            "model": "openai/m", "base_url": server.base_url, "judge": "openai/j",
            "judge_base_url": server.base_url,
        }  # fmt: skip
        ours = eibench.run("emotionqueen", dataset="bundled", **settings)
        theirs = eibench.run(path, **settings)
        judged = [r for r in server.answered if "[REPLY]" in r.prompt]
    assert any("Does it recognise both events?" in str(request.body) for request in judged)
    metrics = theirs.metrics
    assert metrics["met"].value == ours.metrics["pass_win_mean"].value
    for name in ("PASS", "WIN"):
        whole = ours.metrics[f"{name.lower()}_rate"]
        assert (metrics[name].value, metrics[name].ci95) == (whole.value, whole.ci95)
        for task in ("key_event", "mixed_event", "implicit_emotion", "intention"):
            part = ours.metrics[f"{name.lower()}_rate_{task}"]
            assert metrics[f"{name}_{task}"].value == part.value is not None
