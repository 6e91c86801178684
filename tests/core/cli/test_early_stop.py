"""A model none of whose first answers can be read is not asked on."""

import json
import os
import re
from collections.abc import Callable
from typing import Any

import pytest

from eibench.testing import Answer, Fault, Gate, LoopbackServer, ReceivedRequest, uniform_ratings
from tests.processes import on_a_terminal

Bench = Callable[..., Any]


def asked(server: LoopbackServer, *more: object, at_once: int = 1) -> tuple[object, ...]:
    """The command of a run of thirty questions, one at a time."""
    model = ("--model", "openai/m", "--base-url", server.base_url)
    return ("run", "eqbench-v1", "--dataset", "bundled", *model, "--concurrency", at_once, *more)


def refusing(request: ReceivedRequest) -> str:
    """A model that never keeps to the form."""
    return "I would rather not say."


@pytest.mark.parametrize("concurrency", [1, 4, 32])
def test_ten_unreadable_replies_are_enough(bench: Bench, concurrency: int) -> None:
    """However many may go at a time: the others wait for the first that can be read."""
    with LoopbackServer(refusing) as server:
        done = bench(*asked(server, at_once=concurrency))
        assert (done.code, len(server.requests)) == (1, 10)
    why = "none of the first 10 replies could be read (10 x no section 'First pass scores'"
    assert done.err.count(why) == 1
    assert "--no-revise asks for ratings alone" in done.err and "--keep-going" in done.err
    assert " FAIL: " in done.out.splitlines()[-1]


def test_a_replay_counts_the_replies_that_are_there(bench: Bench) -> None:
    """The same command sends nothing more, and says so."""
    with LoopbackServer(refusing) as server:
        bench(*asked(server))
        done = bench(*asked(server))
        assert (done.code, len(server.requests)) == (1, 10)
    assert "none of the first 10 replies could be read" in done.err


def test_the_rest_is_asked_when_that_is_wanted(bench: Bench) -> None:
    """Twice each, as the fault is the same; what was answered is not asked again."""
    with LoopbackServer(refusing) as server:
        bench(*asked(server))
        done = bench(*asked(server, "--keep-going", "--json"))
        assert (done.code, len(server.requests)) == (1, 60)
    assert done.json["status"] == "fail"
    assert done.json["items"]["unscored"] == 30


def test_the_last_reply_stops_nothing(bench: Bench) -> None:
    """As nothing is saved by a stop at the end."""
    with LoopbackServer(refusing) as server:
        done = bench(*asked(server, "--limit", 5))
        assert (done.code, len(server.requests)) == (1, 10)
    assert "could be read, so" not in done.err


def test_one_readable_reply_lets_all_others_go(bench: Bench) -> None:
    """Ten wait for it, and then there is no gate, whatever comes."""
    rate, gate = uniform_ratings(), Gate(opens_at=10)

    def once(request: ReceivedRequest) -> Any:
        return rate(request) if request.n == 9 else refusing(request)

    with LoopbackServer(once, latency=gate) as server:
        done = bench(*asked(server, "--json", at_once=32))
        assert gate.waiting == 10
        assert len(server.requests) == 1 + 2 * 29
    assert done.json["items"]["scored"] == 1


def test_a_model_that_was_read_before_is_not_held_back(bench: Bench) -> None:
    """Another run of the same model and benchmark had a readable reply."""
    with LoopbackServer(uniform_ratings()) as server:
        bench(*asked(server, "--limit", 1))
    gate = Gate(opens_at=30)
    with LoopbackServer(refusing, latency=gate) as server:
        bench(*asked(server, "--no-revise", at_once=32))
        assert server.peak_in_flight == 30


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (Answer("", reasoning="Hm.", finish="length"), "thinking took all the room; raise"),
        (Answer("", finish="length"), "cut off before the answer began; raise --max-tokens"),
        (Answer("Well, he", finish="length"), "cut off by the token limit); raise --max-tokens"),
        (Answer("", reasoning="Hm."), "nothing came after the thinking"),
        (Answer(None, finish="refusal", refusal="No."), "the model refused"),
    ],
)
def test_the_likely_cause_is_said(bench: Bench, answer: Answer, cause: str) -> None:
    """With what may help, and the token limit that there was."""
    with LoopbackServer(lambda request: answer) as server:
        done = bench(*asked(server))
    assert cause in done.err
    assert ("(now 4,096)" in done.err) == (answer.finish == "length")


@pytest.mark.parametrize("name", ["seceu", "eqbench3"])
def test_other_benchmarks_stop_too(bench: Bench, name: str) -> None:
    """One that says nothing of its replies is taken at its scores, a judged one at its words."""
    with LoopbackServer("") as server:
        judge = ("--judge", "openai/j", "--judge-base-url", server.base_url)
        done = bench(
            *("run", name, "--dataset", "bundled", "--model", "openai/m"),
            *("--base-url", server.base_url, *judge * (name == "eqbench3")),
        )
        assert done.code == 1
        assert sum(request.model == "m" for request in server.requests) == 10
    assert "none of the first 10 replies could be read (10 x the reply is empty" in done.err


def answering(answer: str, *words: object, wait_s: float = 60) -> tuple[str, int]:
    """What `bench` says on a terminal whose user gives that answer, and its exit code."""
    pytest.importorskip("pty", reason="no terminals of POSIX here")
    wait = f"from eibench.core.cli import advice; advice.WAIT_S = {wait_s}"
    env = {**os.environ, "TERM": "dumb", "OPENAI_API_KEY": "sk-none"}
    return on_a_terminal(list(map(str, words)), answer, env=env, before=wait)


@pytest.mark.parametrize(("answer", "asked_for"), [("y\n", 60), ("n\n", 10), ("\n", 10)])
def test_on_a_terminal_the_user_decides(answer: str, asked_for: int) -> None:
    """The first answer is shown; no is the default, and yes asks for nothing twice."""
    with LoopbackServer(refusing) as server:
        seen, code = answering(answer, *asked(server))
        assert (code, len(server.requests)) == (1, asked_for)
    assert "I would rather not say." in seen
    assert "Send the rest all the same? [y/N]" in seen


def test_no_answer_is_a_no() -> None:
    """Nobody sits there at night, and the command comes to its end."""
    with LoopbackServer(refusing) as server:
        seen, code = answering("", *asked(server), wait_s=0.2)
        assert (code, len(server.requests)) == (1, 10)
    assert "(no after 0.2 s): no" in seen


def test_several_runs_wait_for_nobody() -> None:
    """The second model is asked although nobody says whether the first shall be asked on."""
    with LoopbackServer(refusing) as server:
        seen, code = answering("", *asked(server, "--model", "openai/n"))
        assert code == 1
        assert [r.model for r in server.requests] == ["m"] * 10 + ["n"] * 10
    assert "[y/N]" not in seen and seen.count("--keep-going") >= 2


def mute_judge(request: ReceivedRequest) -> str:
    """A model that says much, a judge that gives no verdict, and one that does."""
    if request.model == "mute":
        return "Nobody knows."
    if request.model == "judge":
        return json.dumps(dict.fromkeys(re.findall(r'"(\w+)": 0-', request.prompt), 5))
    return "It thinks of it, and of what came before it, and waits. " * 5


def test_ten_unread_verdicts_are_enough(bench: Bench) -> None:
    """What the model said is kept: another judge reads it."""
    run = ("run", "eqbench3", "--dataset", "bundled", "--no-elo", "--concurrency", 1)
    with LoopbackServer(mute_judge) as server:
        where = ("--base-url", server.base_url, "--judge-base-url", server.base_url)
        model = (*run, "--model", "openai/m", *where)
        done = bench(*model, "--judge", "openai/mute")
        assert done.code == 1
        assert "none of the first 10 verdicts could be read" in done.err
        assert "transcripts are kept" in done.err
        assert re.search(r"next: bench show \w+ \S+ shows what could not be read; ", done.err)
        before = sum(request.model == "m" for request in server.requests)
        again = bench(*model, "--judge", "openai/judge", "--json")
        assert again.json["items"]["scored"] == 20
        whole = sum(request.model == "m" for request in server.requests)
        bench(*model, "--judge", "openai/judge", "--json", "--runs-dir", "other")
        alone = sum(request.model == "m" for request in server.requests) - whole
        assert 0 < before < whole == alone


def test_what_was_cut_off_needs_more_room(bench: Bench) -> None:
    """Two questions are too few for a stop; the last words say what helps."""
    answer = Answer("", reasoning="Hm.", finish="length")
    with LoopbackServer(lambda request: answer) as server:
        done = bench(*asked(server, "--limit", 2, "--max-tokens", 300))
    assert "next: more --max-tokens than 300: 2 answers were cut off before" in done.err


def test_what_is_longer_than_the_context_fails_again(bench: Bench) -> None:
    """So the same command is not said to help by itself."""
    words = "maximum context length is 512 tokens, requested 4620 tokens (524 in the messages)"
    with LoopbackServer(faults=lambda request: Fault("context", message=words)) as server:
        done = bench(*asked(server, "--limit", 2))
    assert "its text alone has 524 tokens" in done.out
    assert "next: a longer context for 2 samples, which else would fail again" in done.err
