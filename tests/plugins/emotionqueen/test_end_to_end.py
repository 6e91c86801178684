"""`bench` with EmotionQueen: with the demo models, and over loopback with a judge of its own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.testing import Answer, LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]
VERDICT = '{"reason": "It sees it.", "PASS": 1, "WIN": 0}'


def is_judged(request: ReceivedRequest) -> bool:
    """Whether a request is for a verdict."""
    return str(request.body["model"]).startswith("judge") and not request.is_trial


def respond(judge: Callable[[ReceivedRequest], Any]) -> Callable[[ReceivedRequest], Any]:
    """A server that is model and judge."""
    return lambda request: judge(request) if is_judged(request) else "I see. How are you now?"


def arguments(server: LoopbackServer, *more: object) -> tuple[object, ...]:
    """A run on that server."""
    url = server.base_url
    who = ("--model", "openai/model", "--base-url", url)
    return ("run", "emotionqueen", *who, "--judge", "openai/judge", "--judge-base-url", url, *more)


def test_the_first_run_needs_nothing(bench: Bench) -> None:
    """The demo model and the demo judge on the bundled pack: complete, and marked DEMO."""
    done = bench("run", "emotionqueen", "--json")
    assert done.code == 0, done.err
    assert (done.json["demo"], done.json["judge"]) == (True, "demo/judge")
    assert done.json["dataset"]["name"] == "bundled"
    assert done.json["items"] == {
        "total": 200, "scored": 200, "unscored": 0, "failed": 0, "pending": 0, "truncated": 0,
        "absent": 0,
    }  # fmt: skip
    assert list(done.json["metrics"])[:3] == ["pass_win_mean", "pass_rate", "win_rate"]
    assert done.json["metrics"]["pass_rate"]["value"] == pytest.approx(0.6, abs=0.1)


def test_tables_show_rates_by_part_and_the_judge(bench: Bench) -> None:
    """Each task, life scenario and polarity, and how often the judge was asked again."""
    out = bench("run", "emotionqueen").out
    for name in ("PASS rate", "WIN given PASS", "implicit emotion", "economic status", "positive"):
        assert name in out
    assert "judge: 0 asked again, 0 unread" in out


def test_a_small_run_shows_no_rate_of_its_parts(bench: Bench) -> None:
    """Twenty statements: five of each task, which is too few, and the whole, which is not."""
    metrics = bench("run", "emotionqueen", "--limit", 20, "--json").json["metrics"]
    assert metrics["pass_rate"]["value"] is not None
    parts = {name: m for name, m in metrics.items() if name.startswith("pass_rate_")}
    assert len(parts) == 11
    assert {m["value"] for m in parts.values()} == {None}
    assert sum(parts[f"pass_rate_{p}"]["n"] for p in ("positive", "negative")) == 20


def test_over_loopback(bench: Bench) -> None:
    """Model and judge on servers: 100 tokens for the answer, the statement to both."""
    with LoopbackServer(respond(lambda r: VERDICT)) as server:
        done = bench(*arguments(server, "--limit", 20, "--json"))
        requests = list(server.requests)
    assert done.code == 0, done.err
    assert (done.json["calls"]["model"], done.json["calls"]["judge"]) == (20, 20)
    assert done.json["metrics"]["pass_rate"]["value"] == 1.0
    assert done.json["metrics"]["win_rate"]["value"] == 0.0
    assert done.json["metrics"]["reply_words"]["value"] == 6.0
    answers = [r for r in requests if r.model == "model"]
    assert {r.body.get("max_tokens", r.body.get("max_completion_tokens")) for r in answers} == {100}
    judged = next(r for r in requests if is_judged(r))
    assert "I see. How are you now?" in judged.prompt


def test_the_limit_of_tokens_is_an_option(bench: Bench) -> None:
    """--max-tokens takes the place of the paper's 100."""
    with LoopbackServer(respond(lambda r: VERDICT)) as server:
        bench(*arguments(server, "--limit", 1, "--max-tokens", 700))
        (answer,) = [r for r in server.requests if r.model == "model"]
    assert answer.body.get("max_tokens", answer.body.get("max_completion_tokens")) == 700


def test_the_same_command_again_asks_nothing(bench: Bench) -> None:
    """The stored result is printed; more statements only add what is new."""
    with LoopbackServer(respond(lambda r: VERDICT)) as server:
        first = bench(*arguments(server, "--limit", 10, "--json"))
        again = bench(*arguments(server, "--limit", 10, "--json"))
        assert len(server.answered) == 1 + 20
        bench(*arguments(server, "--limit", 12))
        assert len(server.answered) == 1 + 24
    assert again.json["metrics"] == first.json["metrics"]


SAID = {
    "json": (VERDICT, True),
    "lines": ("PASS: 1 WIN: 0", True),
    "both": (f"PASS: 1\nWIN: 0\n\n{VERDICT}", True),
    "words": ("PASS: Yes. WIN: No.", True),
    "bare yes": ("Yes.", False),
    "one of two": ("PASS: 1", False),
    "prose": ("The reply sees what happened, though it stays cool.", False),
    "two ways": (f"PASS: 0\nWIN: 0\n\n{VERDICT}", False),
    "win without pass": ("PASS: 0 WIN: 1", False),
    "cut off": (Answer('{"reason": "It se', finish="length"), False),
}


@pytest.mark.parametrize(("said", "is_read"), SAID.values(), ids=SAID)
def test_a_judge_is_read_or_asked_again(bench: Bench, said: Any, is_read: bool) -> None:
    """What leaves no doubt is read at once; the rest is asked for twice more, then unscored."""
    with LoopbackServer(respond(lambda r: said)) as server:
        done = bench(*arguments(server, "--limit", 1, "--json"))
        asked = sum(map(is_judged, server.requests))
    document = done.json
    if is_read:
        assert (done.code, document["status"], asked) == (0, "complete", 1)
        assert document["metrics"]["pass_rate"]["value"] == 1.0
    else:
        assert (done.code, document["status"], asked) == (1, "incomplete", 3)
        assert document["metrics"]["pass_rate"]["value"] is None
        assert document["unscored"][0]["reason"].startswith("the judge's reply could not be read")


def test_a_judge_that_comes_round_is_scored(bench: Bench) -> None:
    """WIN without PASS at first, a verdict when it is told so."""

    def judge(request: ReceivedRequest) -> str:
        message = "WIN is 1 although PASS is 0" in request.prompt
        return "PASS: 0 WIN: 0" if message else "PASS: 0 WIN: 1"

    with LoopbackServer(respond(judge)) as server:
        done = bench(*arguments(server, "--limit", 2, "--json"))
    assert done.code == 0, done.err
    assert done.json["metrics"]["pass_rate"]["value"] == 0.0
    assert done.json["flags"]["re-asked"] == 2
    assert done.json["notes"]["judge"] == {"re_asked": 2, "unread": 0}


def test_the_raw_text_of_an_unread_verdict_can_be_seen(bench: Bench) -> None:
    """Each of the three times, with `bench show RUN ITEM`."""
    with LoopbackServer(respond(lambda r: "Hard to tell, honestly.")) as server:
        done = bench(*arguments(server, "--limit", 1, "--json"))
    run, item = done.json["run_id"], done.json["unscored"][0]["item_id"]
    assert bench("show", run, item).out.count("Hard to tell, honestly.") >= 3


def test_another_judge_is_asked_about_the_same_answers(bench: Bench) -> None:
    """Only judge calls are added, and each judge's result is its own."""
    with LoopbackServer(respond(lambda r: VERDICT)) as server:
        bench(*arguments(server, "--limit", 5))
        other = arguments(server, "--limit", 5, "--json")
        swapped = ["openai/judge-2" if a == "openai/judge" else a for a in other]
        before = len(server.requests)
        done = bench(*swapped)
        new = server.requests[before:]
    assert {r.body["model"] for r in new} == {"judge-2"}
    assert len(new) == 5
    assert done.json["judge"].startswith("openai/judge-2")


def test_a_real_model_needs_a_judge_that_is_named(bench: Bench) -> None:
    """No default, and never the demo judge."""
    model = ("run", "emotionqueen", "--model", "openai/m", "--base-url", "http://127.0.0.1:9/v1")
    done = bench(*model)
    assert (done.code, "--judge" in done.err) == (2, True)
    assert bench(*model, "--judge", "demo/judge").code == 2


def test_answers_made_elsewhere_cannot_be_scored_without_a_judge(
    bench: Bench, empty_place: Path
) -> None:
    """The requests are written; scoring says that a judge is needed."""
    prompts = bench("prompts", "emotionqueen", "--limit", 3)
    assert len(prompts.out.splitlines()) == 3
    answers = empty_place / "answers.jsonl"
    answers.write_text(json.dumps({"item_id": "key-event-achievements-01", "response": "Oh!"}))
    done = bench("score", "emotionqueen", answers)
    assert (done.code, "needs a judge" in done.err) == (2, True)


def test_agreement_is_about_what_judges_give(bench: Bench) -> None:
    """PASS and WIN, not the length of the replies, which is the same for any judge."""
    with LoopbackServer(respond(lambda r: VERDICT)) as server:
        first = bench(*arguments(server, "--limit", 20, "--json"))
        run = first.json["run_id"]
        url = server.base_url
        judge = ("--judge", "openai/judge2", "--judge-base-url", url)
        bench("rejudge", run, *judge)
    done = bench("judges", run, "--json")
    assert list(done.json["agreement"]) == ["pass", "win"], done.err
    assert all("ci95" in row["kappa"] for row in done.json["agreement"].values())
    assert "kappa" in bench("judges", run).out
