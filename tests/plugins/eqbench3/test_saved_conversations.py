"""`bench score` of conversations held elsewhere: checked against the pack, then judged."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.testing import LoopbackServer

Bench = Callable[..., Any]
Make = Callable[..., dict[str, Any]]


def conversations(task: Make, **changes: Any) -> list[dict[str, Any]]:
    """A line for each scenario, the debriefing as its last turn; changes are of scenario 208."""
    lines = []
    for id in ("1", "208", "8", "401"):
        made = task(id, "far", **(changes if id == "208" else {}))
        messages = made["conversation_history"]
        if made["debrief_prompt"]:
            messages += [
                {"role": "user", "content": made["debrief_prompt"]},
                {"role": "assistant", "content": made["debrief_response"]},
            ]
        lines.append({"item_id": id, "messages": messages})
    return lines


def write(*lines: Any) -> str:
    """A file of conversations."""
    Path("talks.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return "talks.jsonl"


def test_conversations_are_kept_and_judged(
    bench: Bench, task: Make, pack: Path, judges: LoopbackServer
) -> None:
    """One judge call each; the same command again asks nobody."""
    file = write(*conversations(task))
    judge = ("--judge", "openai/j", "--judge-base-url", judges.base_url)
    score = ("score", "eqbench3", file, "--dataset", pack, "--model", "far", "--no-elo", *judge)
    for _ in range(2):
        done = bench(*score, "--json")
        assert done.code == 0, done.err
        assert done.json["metrics"]["rubric_score"]["value"] == pytest.approx(70)
        assert [request.model for request in judges.requests] == ["j"] * 4
    assert done.json["name"] == "far (imported)"
    assert "answered elsewhere" in done.json["comparability"]


def test_they_wait_for_a_judge_without_one(
    bench: Bench, task: Make, pack: Path, judges: LoopbackServer
) -> None:
    """`--save` alone keeps them; what was answered otherwise than the pack asks is left out."""
    lines = conversations(task)
    lines[1]["messages"][0]["content"] = "Something else."
    lines[2] = {"item_id": "8", "error": "timed out"}
    saved = bench("score", "eqbench3", write(*lines), "--dataset", pack, "--save", "--json")
    assert "left out: 1 x it was asked otherwise than the pack says" in saved.err
    assert "  what is left out is not kept: only the file has it\n" in saved.err
    items = saved.json["items"]
    assert (saved.json["status"], items["failed"], items["pending"]) == ("incomplete", 1, 3)
    url = judges.base_url
    run_id = saved.json["run_id"]
    done = bench("rejudge", run_id, "--judge", "openai/j", "--judge-base-url", url, "--json")
    assert done.json["metrics"]["rubric_score"]["value"] == pytest.approx(70)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"item_id": "8"}, '"messages"'),
        ({"item_id": "8", "messages": [{"role": "user", "content": "Speak."}]}, '"messages"'),
        ({"item_id": "8", "messages": [{"role": "system", "content": "S"}] * 2}, '"messages"'),
        ({"messages": []}, '"item_id"'),
        (["8"], "not a JSON object"),
    ],
)
def test_a_broken_line_is_named(bench: Bench, pack: Path, line: Any, said: str) -> None:
    """Nothing is kept then."""
    done = bench("score", "eqbench3", write(line), "--dataset", pack, "--save")
    assert done.code == 3
    assert said in done.err
    assert "line 1" in done.err
    assert not Path("runs").exists()


def test_a_judge_or_a_run_is_needed(bench: Bench, task: Make, pack: Path) -> None:
    """Neither can be printed without."""
    done = bench("score", "eqbench3", write(*conversations(task)), "--dataset", pack)
    assert done.code == 2
