"""Judged runs behind servers that do not take all that a benchmark asks for."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from eibench.judges import criteria_of
from eibench.testing import Fault, LoopbackServer, ReceivedRequest, uniform_ratings
from tests.fakes.refusals import refusal, room_of_4096

Bench = Callable[..., Any]
REPLY = "I would listen first, and then ask each of them what they had hoped for. " * 4


def _answer(request: ReceivedRequest) -> str:
    """A talk's turn, a verdict, or the answer to a trial."""
    criteria = criteria_of(request.prompt)
    return json.dumps(dict.fromkeys(criteria, 7)) if criteria else REPLY


def _run(bench: Bench, refuses: Callable[[ReceivedRequest], Fault | None], limit: int = 2) -> Any:
    """Some scenarios on a server that refuses some requests, for the model and the judge."""
    with LoopbackServer(_answer, faults=refuses) as server:
        asked = ("--model", "openai/m", "--base-url", server.base_url, "--judge", "openai/j")
        judge = ("--judge-base-url", server.base_url, "--no-elo", "--limit", limit)
        done = bench("run", "eqbench3", "--dataset", "bundled", *asked, *judge, "--json")
    return done, server


def _of_8192(request: ReceivedRequest) -> Fault | None:
    room, text = request.body["max_tokens"], len(request.prompt) // 4
    words = f"'max_tokens' is too large: {room}. ({room} > 8192 - {text})"
    return refusal(words) if room + text > 8192 else None


def _cold(request: ReceivedRequest) -> Fault | None:
    words = "Input validation error: `temperature` must be strictly positive"
    return refusal(words, 422) if request.body.get("temperature") == 0 else None


def _without_system(request: ReceivedRequest) -> Fault | None:
    roles = [message["role"] for message in request.body["messages"]]
    return refusal("System role not supported") if "system" in roles else None


def _schema(words: str, status: int = 400) -> Callable[[ReceivedRequest], Fault | None]:
    return lambda r: refusal(words, status) if "response_format" in r.body else None


def _of_vllm(request: ReceivedRequest) -> Fault | None:
    room = request.body.get("max_tokens") or request.body.get("max_completion_tokens") or 0
    words = (
        f"max_tokens={room} cannot be greater than max_model_len=2048. Please request fewer "
        f"output tokens. (parameter=max_tokens, value={room})"
    )
    return refusal(words) if room > 2048 else None


@pytest.mark.parametrize(
    "refuses",
    [
        room_of_4096,
        _of_8192,
        _of_vllm,
        _cold,
        _without_system,
        _schema("This response_format type is unavailable now"),
        _schema("Input should be 'text' or 'json_object'", 422),
        _schema("No endpoints found that can handle the requested parameters", 404),
        _schema(""),
    ],
    ids=[
        "4096",
        "8192",
        "max_model_len",
        "temperature",
        "system",
        "schema",
        "pydantic",
        "broker",
        "no-words",
    ],
)
def test_a_judge_that_does_not_take_all(
    bench: Bench, refuses: Callable[[ReceivedRequest], Fault | None]
) -> None:
    """The run is complete, with few more requests than answers."""
    done, server = _run(bench, refuses)
    assert (done.code, done.json["status"]) == (0, "complete"), done.err
    assert done.json["metrics"]["rubric_score"]["value"] == pytest.approx(70.0)
    assert len(server.requests) <= len(server.answered) + 12


@pytest.mark.parametrize(
    ("words", "status"),
    [  # in the order of Mistral, Gemini, Groq, Fireworks, Azure and Cohere; then in no known words
        ("Extra inputs are not permitted: min_p", 422),
        ('Invalid JSON payload received. Unknown name "min_p": Cannot find field.', 400),
        ("property 'min_p' is unsupported", 400),
        ("Extra inputs are not permitted, field: 'min_p', value: 0.1", 400),
        ("Unrecognized request argument supplied: min_p", 400),
        ("unknown field: parameter 'min_p' is not a valid field", 422),
        ("Argument not supported on this model: min_p", 400),
        ("The parameter min_p is not supported.", 400),
        ("Extra inputs are not permitted", 422),
        ("extraneous key [min_p] is not permitted", 400),
    ],
)
def test_a_sampling_parameter_of_the_pack_in_any_words(
    bench: Bench, words: str, status: int
) -> None:
    """It is left out, and the result says so."""
    done, server = _run(bench, lambda r: refusal(words, status) if "min_p" in r.body else None)
    assert (done.code, done.json["status"]) == (0, "complete"), done.err
    assert done.json["not_sent"] == ["min_p"]
    assert "does not take min_p: it is asked without from now on" in " ".join(done.err.split())
    assert len(server.requests) <= len(server.answered) + 12


def test_what_a_judge_does_not_take_is_said_once(bench: Bench) -> None:
    """With its own options, though two models are judged by it."""
    refuses = _schema("This response_format type is unavailable now")
    with LoopbackServer(_answer, faults=refuses, models=[{"id": "m"}, {"id": "n"}]) as server:
        url = server.base_url
        done = bench(
            *("run", "eqbench3", "--dataset", "bundled", "--limit", 1, "--no-elo"),
            *("--model", "openai/m", "--model", "openai/n", "--base-url", url),
            *("--judge", "openai/j", "--judge-base-url", url),
        )
    said = done.err.splitlines()
    (taken,) = [line for line in said if "does not take response_format" in line]
    (doubt,) = [line for line in said if "may not know openai/j" in line]
    assert taken.startswith("the judge openai/j") and doubt.endswith("else check --judge")


def test_roles_and_a_judge_without_a_system_role(bench: Bench) -> None:
    """Their system text goes before the first user message, and the result names each of them."""
    with LoopbackServer(_answer, faults=_without_system) as server:
        url = server.base_url
        done = bench(
            *("run", "mediation-live", "--dataset", "bundled", "--limit", 1, "--exchanges", 1),
            *("--model", "openai/m", "--base-url", url, "--role", "disputants=openai/s"),
            *("--role-base-url", f"disputants={url}", "--judge", "openai/j"),
            *("--judge-base-url", url, "--json"),
        )
    assert done.json["items"]["failed"] == 0, done.err
    moved = {"system": "in the first user message"}
    assert done.json["asked_otherwise"]["role disputants"] == moved
    assert done.json["asked_otherwise"]["judge openai/j"] == moved


def test_a_seeker_before_strict_turns(bench: Bench) -> None:
    """A role that is asked in the order system, assistant, user is asked in strict turns."""

    def strict(request: ReceivedRequest) -> Fault | None:
        roles = [m["role"] for m in request.body["messages"] if m["role"] != "system"]
        wanted = [("user", "assistant")[n % 2] for n in range(len(roles))]
        words = "Conversation roles must alternate user/assistant/user/assistant/..."
        return None if roles == wanted else refusal(words)

    with LoopbackServer(REPLY, faults=strict) as server:
        url = server.base_url
        done = bench(
            *("run", "spiral-bench", "--dataset", "bundled", "--limit", "1"),
            *("--model", "openai/m", "--base-url", url, "--role", "seeker=openai/s"),
            *("--role-base-url", f"seeker={url}", "--judge", "openai/j", "--judge-base-url", url),
            "--json",
        )
    assert done.json["items"]["failed"] == 0, done.err
    assert re.search("the role seeker .* wants turns of user and assistant", done.err)


def test_a_server_that_refuses_everything_ends_the_run_in_one_line(bench: Bench) -> None:
    """With its words, and after requests that can be counted."""
    done, server = _run(bench, lambda request: refusal("Computer says no"), limit=4)
    assert done.code == 4
    assert "Computer says no" in done.out and not server.answered
    assert len(server.requests) < 60


def test_a_smaller_limit_keeps_the_run_what_it_is(bench: Bench) -> None:
    """What fits is sent; the ratings and the identity of the run are those of the larger room."""
    with LoopbackServer(uniform_ratings(3), faults=room_of_4096) as server:
        run = ("run", "eqbench-v1", "--model", "openai/m", "--base-url", server.base_url)
        asked = (*run, "--limit", "4", "--max-tokens", "9000", "--json")
        first, again = bench(*asked), bench(*asked)
    assert first.json["items"]["scored"] == 4
    assert again.json["run_id"] == first.json["run_id"]
    assert again.json["calls"]["replayed"] == 4
