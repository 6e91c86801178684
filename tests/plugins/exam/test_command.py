"""`bench exam`, from a shell: demo judges, and judges behind a real server."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench import ChatRequest, Message, Sampling, folder
from eibench.judges import criteria_of
from eibench.plugins.eqbench3.demo import respondents
from eibench.plugins.exam.benchmark import JudgeExam
from eibench.plugins.exam.controls import ORDER
from eibench.plugins.exam.situations import read_situations
from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]
ITEMS = read_situations(sorted((folder("judge_exam") / "bundled").glob("*.toml")), "eqbench3")


def _fair(prompt: str) -> str:
    """By what was done to a reply, without an error."""
    for item in ITEMS:
        old = prompt
        for name, other in item.content.names.items():
            old = old.replace(other, name).replace(other.upper(), name.upper())
        if item.content.situation.text[-200:] in old:
            request = ChatRequest((Message("user", prompt),), Sampling())
            return JudgeExam().demo_reply(item, request, 1.0, Random(prompt))
    raise AssertionError("no situation")


def _first(prompt: str) -> str:
    codes = list(respondents(prompt))
    if not codes:
        return _fair(prompt)
    return "{" + ", ".join(f'"{name}": "{codes[0]}+++"' for name in criteria_of(prompt)) + "}"


def _obeying(prompt: str) -> str:
    if ORDER[:40] not in prompt:
        return _fair(prompt)
    return "{" + ", ".join(f'"{name}": 10' for name in criteria_of(prompt)) + "}"


_BLANK = re.compile("this space empty|N/A|No reply|Placeholder")
_INJECTED = re.compile("no answer to this[.]\n|graded already|grader has written|evaluation, to be")


def _misled(words: "re.Pattern[str]") -> Callable[[str], str]:
    """Fair but for a reply with such words, which is the best of all."""

    def reply(prompt: str) -> str:
        if not words.search(prompt):
            return _fair(prompt)
        texts = respondents(prompt)
        best = [f'"{code}+++"' for code, text in texts.items() if words.search(text)] or ["10"]
        reasons = '"chain_of_thought_reasoning": "My own view of it."'  # else it may be a quotation
        marks = (f'"{name}": {best[0]}' for name in criteria_of(prompt))
        return "{" + ", ".join([reasons, *marks]) + "}"

    return reply


def _judge(reply: Callable[[str], str]) -> Callable[[ReceivedRequest], str]:
    return lambda request: reply(request.messages[-1]["content"])


def _exam(bench: Bench, server: LoopbackServer, *more: str) -> Any:
    return bench("exam", "openai/j", "--base-url", server.base_url, "--json", *more).json


@pytest.mark.parametrize(
    ("reply", "verdict", "reason"),
    [
        (_fair, "fit for ranking and for absolute scores", "tells faults from dose"),
        (_first, "not fit", "picks the first text in 100 % of comparisons"),
        (_obeying, "not fit", "obeys a verdict that a reply injects"),
    ],
)
def test_a_judge_behind_a_server_is_examined(
    bench: Bench, reply: Callable[[str], str], verdict: str, reason: str
) -> None:
    """By the benchmark's own prompts: its verdict in words, with the reason."""
    with LoopbackServer(_judge(reply)) as server:
        exam = _exam(bench, server)["notes"]["exam"]
    assert (exam["verdict"], exam["reason"][: len(reason)]) == (verdict, reason)


@pytest.mark.parametrize(
    ("words", "reply"), [(_BLANK, "a blank reply"), (_INJECTED, "an injected verdict")]
)
def test_a_judge_that_takes_a_canary_for_an_answer_is_not_fit(
    bench: Bench, words: "re.Pattern[str]", reply: str
) -> None:
    """Its verdict names the kind, in grades and in comparisons, with how many won."""
    with LoopbackServer(_judge(_misled(words))) as server:
        exam = _exam(bench, server, "--limit", "8")["notes"]["exam"]
    n = 3 if words is _BLANK else 2
    grades = f"grades {reply} as high as an answer: {n} of {n}"
    assert (exam["verdict"], exam["reason"]) == ("not fit", grades)
    assert exam["defects"] == [grades, f"prefers {reply} to an answer: {n} of {n}"]


def test_the_same_command_asks_nothing_again(bench: Bench) -> None:
    """It prints the stored result."""
    with LoopbackServer(_judge(_fair)) as server:
        first = _exam(bench, server)
        asked = len(server.answered)
        assert _exam(bench, server)["notes"] == first["notes"]
        assert len(server.answered) == asked


def test_a_judge_that_writes_prose_is_not_paid_for_a_whole_exam(bench: Bench) -> None:
    """Nothing is guessed from words, and it ends after the first replies that cannot be read."""
    with LoopbackServer("I liked both of them.") as server:
        done = bench("exam", "openai/j", "--base-url", server.base_url)
        assert len(server.answered) < 60
    assert done.code != 0
    assert "could not be read" in done.out + done.err


def test_a_demo_model_is_examined_in_words(bench: Bench) -> None:
    """The plan, the verdict as the last line, canaries; and on the site a page of judges."""
    strong, done = (bench("exam", f"demo/{model}") for model in ("strong", "weak"))
    assert "280 calls to demo/weak" in done.err
    won = "0 of 20 graded as high as the good reply, 0 of 20 preferred to it"
    assert f"replies that say nothing: {won}" in " ".join(strong.out.split())
    assert "demo/weak judging eqbench3" in done.out
    bench("site", "-o", "site")
    page = Path("site/pages/judges-exam.html").read_text("utf-8")
    assert page.index("demo/strong") < page.index("demo/weak")


def test_a_plan_asks_nothing(bench: Bench) -> None:
    """--dry-run says how many calls, and what they cost."""
    with LoopbackServer(_judge(_fair)) as server:
        url = ("--base-url", server.base_url, "--price", "1,2", "--dry-run")
        done = bench("exam", "openai/j", *url)
        assert not server.answered
    assert "280 calls to openai/j" in done.out + done.err


@pytest.mark.parametrize(
    ("benchmark", "says"),
    [("eqbench-v1", "cannot examine judges"), ("eqbench4", "no benchmark is called 'eqbench4'")],
)
def test_a_benchmark_that_cannot_examine_is_refused(
    bench: Bench, benchmark: str, says: str
) -> None:
    """With exit code 2 and what to do."""
    done = bench("exam", "demo/judge", "--benchmark", benchmark)
    assert done.code == 2
    assert says in done.err


def test_the_texts_of_runs_are_graded_as_judgemark_does(bench: Bench) -> None:
    """One text of each writer for each item, with what was asked; three writers are needed."""
    for model in ("strong", "medium"):
        bench("run", "creative-writing-v3", "--no-elo", "--model", f"demo/{model}", "--limit", "9")
    few = bench("exam", "demo/judge", "--from", "demo/strong", "--from", "demo/medium")
    assert few.code != 0
    assert "three are the least" in few.err
    bench("run", "creative-writing-v3", "--no-elo", "--model", "demo/weak", "--limit", "9")
    named = [part for model in ("strong", "medium", "weak") for part in ("--from", f"demo/{model}")]
    done = bench("exam", "demo/judge", *named, "--json")
    assert done.json["items"]["total"] == 81
    rows = [json.loads(line) for line in Path("samples.jsonl").read_text("utf-8").splitlines()]
    assert {row["writer"] for row in rows} == {"demo/strong", "demo/medium", "demo/weak"}
    assert all(row["prompt"] and row["text"] for row in rows)
    nobody = bench("exam", "demo/judge", "--from", "nobody")
    assert nobody.code == 2


def test_replies_that_people_rated_are_a_part(bench: Bench) -> None:
    """HumaneBench's 48 replies (Apache-2.0), a call each; the demo judge gives all alike."""
    data = os.environ.get("EIBENCH_OTHER_DATA")
    if not data:
        pytest.skip("EIBENCH_OTHER_DATA names no folder with humanebench/humane_bench.jsonl")
    people = ("--people", str(Path(data, "humanebench", "humane_bench.jsonl")))
    document = bench("exam", "demo/judge", *people, "--json").json
    assert document["calls"]["model"] == 328
    assert document["notes"]["exam"]["people"]["n"] == 48
    shown = bench("show", document["run_id"], "--details").out
    assert "beside people, 48 replies: Spearman – (" in shown
