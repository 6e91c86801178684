"""`bench doctor BENCHMARK`: it asks as the benchmark would, and what it calls ready can be run."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from eibench.core.parties.providers import OF_JUDGE, ModelSpec
from eibench.core.plugins import installed
from eibench.core.run.doctor.endpoints import announced
from eibench.core.run.doctor.forms import meant_by
from eibench.core.run.doctor.probe import Probe
from eibench.core.settings.run_config import Endpoint
from eibench.core.settings.run_settings import RunSettings
from eibench.core.spending.prices import Price
from eibench.core.types import JsonObject
from eibench.judges import criteria_of
from eibench.testing import Answer, Fault, LoopbackServer, ReceivedRequest, uniform_ratings
from tests.fakes.refusals import refusal, room_of_4096

Bench = Callable[..., Any]
TURN = "I would listen first, and then ask each of them what they had hoped for. "
Faults = Callable[[ReceivedRequest], Fault | None]
Respond = Callable[[ReceivedRequest], Answer]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No approvals but those of a test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))


def _text(request: ReceivedRequest) -> str:
    return " ".join(message["content"] for message in request.messages)


def _tokens(request: ReceivedRequest) -> int:
    return len(_text(request)) // 4


def _answer(request: ReceivedRequest) -> Answer:
    """A verdict, or a turn of a talk that is another one each time, as long as it may be."""
    if criteria := criteria_of(request.prompt):
        return Answer(json.dumps(dict.fromkeys(criteria, 7)))
    if '"score"' in request.prompt:
        return Answer('Gladly: {"score": 7}')
    if request.body.get("max_tokens", 99) < 16:
        return Answer("OK", output_tokens=1)
    return Answer(TURN * 4 + str(request.n))


def _cutting(request: ReceivedRequest) -> Answer:
    text = _answer(request).text
    return Answer(text, input_tokens=min(_tokens(request), 1000), output_tokens=8)


def _greedy(request: ReceivedRequest) -> Answer:
    answer = _answer(request)
    return Answer(TURN) if (answer.text or "").startswith(TURN) else answer


def _echo(request: ReceivedRequest) -> Answer:
    words = request.prompt.split(" ")
    return Answer(" ".join(words[: request.body["max_tokens"]]), finish="length")


def _template(request: ReceivedRequest) -> Answer:
    return Answer("[/INST] The sun was low. [INST]", output_tokens=8)


def _together(tokens: int) -> Faults:
    def refuse(request: ReceivedRequest) -> Fault | None:
        room, prompt = request.body["max_tokens"], _tokens(request)
        words = f"'max_tokens' is too large: {room}. ({room} > {tokens} - {prompt})"
        if prompt >= tokens:
            words = f"This model's maximum context length is {tokens} tokens, your prompt has more"
        return refusal(words) if room + prompt > tokens else None

    return refuse


def _cold(request: ReceivedRequest) -> Fault | None:
    words = "Input validation error: `temperature` must be strictly positive"
    return refusal(words, 422) if request.body.get("temperature") == 0 else None


def _no_system(request: ReceivedRequest) -> Fault | None:
    roles = [message["role"] for message in request.messages]
    return refusal("System role not supported") if "system" in roles else None


def _no_schema(request: ReceivedRequest) -> Fault | None:
    words = "This response_format type is unavailable now"
    return refusal(words) if "response_format" in request.body else None


def _no_name(request: ReceivedRequest) -> Fault | None:
    return refusal("The model does not exist", 404)


def _says_no(request: ReceivedRequest) -> Fault | None:
    return refusal("Computer says no")


def _takes_all(request: ReceivedRequest) -> Fault | None:
    return None


class Case(NamedTuple):
    """A server, the exit code that it earns, and what the doctor's lines begin with and hold."""

    respond: Respond
    faults: Faults
    code: int
    lines: Mapping[str, tuple[str, str]]


CASES = {
    "takes all": Case(_answer, _takes_all, 0, {"judge openai/j verdict": ("OK", "j answered in")}),
    "4,096": Case(
        _answer, room_of_4096, 0,
        {
            "judge openai/j verdict": ("OK", "replies get what fits: 4,096 tokens"),
            "model openai/m room": ("OK", "asked for 12,000 tokens at most"),
        },
    ),
    "8,192": Case(
        _answer, _together(8192), 0, {"judge openai/j room": ("OK", "replies get what fits: 1,")}
    ),
    "2,048": Case(
        _answer, _together(2048), 4, {"judge openai/j room": ("FAIL", "a longer context: prompts")}
    ),
    "temperature": Case(
        _answer, _cold, 0,
        {"judge openai/j verdict": ("WARN", "temperature 0.01 in place of 0; a run works, and")},
    ),
    "system": Case(
        _answer, _no_system, 0,
        {"judge openai/j verdict": ("WARN", "system text in the first user message; a run works")},
    ),
    "schema": Case(
        _answer, _no_schema, 0, {"judge openai/j verdict": ("OK", "json_schema not sent")}
    ),
    "name": Case(
        _answer, _no_name, 4,
        {
            "model openai/m server": ("WARN", "'llama', 'qwen', not 'm'; is the name right?"),
            "model openai/m call": ("FAIL", "answered 404: The model does not exist"),
        },
    ),
    "no": Case(
        _answer, _says_no, 4,
        {
            "model openai/m room": ("FAIL", "Computer says no"),
            "judge openai/j verdict": ("FAIL", "Computer says no"),
        },
    ),
    "base model": Case(
        _echo, _takes_all, 4,
        {
            "model openai/m room": ("FAIL", "repeats the question; a base model? --completions"),
            "judge openai/j verdict": ("FAIL", "a base model, which cannot judge?"),
        },
    ),
    "template marks": Case(
        _template, _takes_all, 4,
        {"model openai/m call": ("WARN", "holds [INST], a mark of chat templates; a base model?")},
    ),
    "empty": Case(
        lambda request: Answer("", output_tokens=0), _takes_all, 4,
        {"model openai/m call": ("WARN", "the answer is empty")},
    ),
    "prose": Case(
        lambda request: Answer("I think so.", output_tokens=3), _takes_all, 4,
        {"judge openai/j verdict": ("FAIL", "a tiny verdict cannot be read: it begins 'I think")},
    ),
    "cut": Case(
        _cutting, _takes_all, 0,
        {
            "model openai/m room": ("WARN", "it counted 1,000 input tokens where the text has"),
            "judge openai/j room": ("WARN", "OLLAMA_CONTEXT_LENGTH="),
        },
    ),
    "greedy": Case(_greedy, _takes_all, 0, {"model openai/m draws": ("WARN", "do_sample")}),
}  # fmt: skip
LISTED: list[JsonObject] = [{"id": "qwen"}, {"id": "llama"}]


def _asked(server: LoopbackServer) -> list[str]:
    url = server.base_url
    judge = ["--judge", "openai/j", "--judge-base-url", url]
    return ["eqbench3", "--model", "openai/m", "--base-url", url, *judge]


@pytest.mark.parametrize("name", CASES)
def test_what_is_ready_can_be_run(bench: Bench, name: str) -> None:
    """Each server has its line and code; a run on it is complete if and only if it is ready."""
    case = CASES[name]
    models = LISTED if name == "name" else None
    with LoopbackServer(case.respond, faults=case.faults, models=models) as server:
        doctor = bench("doctor", *_asked(server))
        run = bench(
            *("run", *_asked(server), "--dataset", "bundled", "--no-elo"),
            *("--limit", 2, "--json"),
            env={"BENCH_MAX_RETRIES": "1"},
        )
    assert doctor.code == case.code, doctor.out
    for check, (verdict, words) in case.lines.items():
        (told,) = [text for text in doctor.out.splitlines() if f"  {check}: " in text]
        assert told.startswith(verdict) and words in told
    assert doctor.out.splitlines()[-1].startswith("not ready" if case.code else "ready")
    is_complete = run.code == 0 and run.json["status"] == "complete"
    assert is_complete is (case.code == 0), run.err


def test_it_asks_as_the_benchmark_would(bench: Bench) -> None:
    """Turns, sampling, schema, and the settings of the command, in few short requests."""
    with LoopbackServer(_answer) as server:
        bench("doctor", *_asked(server), "--judge-set", "temperature=0.4", "--judge-set",
              "max_tokens=3000")  # fmt: skip
    model, judge = ([r for r in server.requests if r.model == name] for name in ("m", "j"))
    roles = [message["role"] for message in model[0].messages]
    assert roles[:3] == ["user", "assistant", "user"] and roles[-1] == "user"
    assert [r.body["max_tokens"] for r in model] == [8, 12000, 48, 48]
    assert model[1].body["min_p"] == 0.1
    assert [message["role"] for message in judge[0].messages] == ["system", "user"]
    assert [r.body["max_tokens"] for r in judge] == [3000, 3000]
    assert judge[0].body["temperature"] == 0.4 and "response_format" in judge[0].body
    assert len(_text(judge[1])) > 20_000  # as long as a talk that is judged


def test_without_a_benchmark_the_form_is_a_usual_one(bench: Bench) -> None:
    """System text, two turns and a schema; the judge of one's own is asked for one verdict."""
    with LoopbackServer(_answer) as server:
        done = bench("doctor", *_asked(server)[1:], "--role", "user=openai/u",
                     "--role-base-url", f"user={server.base_url}")  # fmt: skip
    assert done.code == 0
    for request in (server.requests[0], *server.requests[2:]):
        form = [message["role"] for message in request.messages]
        assert form == ["system", "user", "assistant", "user"]
    _, _, judge, player = server.requests
    assert (judge.body["max_tokens"], judge.body["temperature"]) == (8000, 0)
    assert (player.body["max_tokens"], player.body["temperature"]) == (1000, 0.7)
    assert "is now asked for one tiny verdict of at most 8,000 tokens" in done.err


def test_a_model_that_thinks(bench: Bench) -> None:
    """What it thinks is no empty answer, and eight tokens without words may be thinking."""

    def respond(request: ReceivedRequest) -> Answer:
        if request.body["max_tokens"] > 8:
            return Answer(TURN, reasoning="Hm.")
        is_told = request.model == "open"
        return Answer("", finish="length", reasoning="Hm" if is_told else None, output_tokens=8)

    with LoopbackServer(respond) as server:
        models = ("--model", "openai/open", "--model", "openai/hidden", "--base-url")
        done = bench("doctor", "both-sides", *models, server.base_url)
    assert done.code == 0
    assert "OK    model openai/open call: " in done.out
    assert "WARN  model openai/hidden call: " in done.out and "it may be thinking" in done.out
    assert "base model" not in done.out


def test_a_run_that_misses_its_judge_is_not_ready(bench: Bench) -> None:
    """It is told as the run would tell it, and the model is looked at all the same."""
    with LoopbackServer(_answer) as server:
        done = bench("doctor", *_asked(server)[:5])
    assert done.code == 3
    assert "FAIL  benchmark eqbench3: eqbench3 needs a judge; name one, such as --judge" in done.out
    assert "OK    model openai/m room: " in done.out


def test_what_the_server_lists_is_compared_with_the_benchmark(bench: Bench) -> None:
    """Room that does not suffice is told before anything long is sent."""
    listed: list[JsonObject] = [
        {"id": "m", "max_model_len": 5000},
        {"id": "j", "meta": {"n_ctx": 5000}},
    ]
    with LoopbackServer(_answer, models=listed) as server:
        done = bench("doctor", *_asked(server))
    assert done.code == 4
    assert (
        "its list of models has 'm', with room for 5,000 tokens: replies get what fits" in done.out
    )
    assert (
        "FAIL  judge openai/j room: the server has room for 5,000 tokens of prompt and" in done.out
    )
    assert max(map(len, map(_text, server.requests))) < 12_000


def test_completions_are_asked_as_such(bench: Bench) -> None:
    """A base model that is asked so is told nothing of chat forms."""
    ratings = uniform_ratings(1)

    def respond(request: ReceivedRequest) -> Answer:
        return Answer(str(ratings(request)) if request.n else "OK", output_tokens=2)

    with LoopbackServer(respond) as server:
        url = server.base_url
        done = bench("doctor", "--model", "openai/m", "--base-url", url, "--completions")
    assert done.code == 0 and {r.path for r in server.requests} == {"/v1/completions"}
    assert "base model" not in done.out


def test_what_costs_money_is_said_before() -> None:
    """With the most that it can cost; a long prompt goes where it is free alone."""
    meant = meant_by(installed().benchmark("creative-writing-v3"), RunSettings())
    endpoint, party = Endpoint(ModelSpec("openai", "x")), OF_JUDGE._replace(judge="openai/x")
    form = meant.form_of(endpoint, party)
    assert form is not None
    price, run = Price(1.0, 10.0, source="a test"), meant.configs[0]
    one = Probe("judge openai/x", endpoint, price, True, form, party, run)
    tokens = form.request.sampling.max_tokens
    words = f"judge openai/x is now asked for one tiny verdict of at most {tokens:,} tokens"
    assert announced(one, installed()) == f"{words}, for $0.042 at most"
    assert not one.asks_long


def test_a_base_model_in_a_run(bench: Bench) -> None:
    """What could not be read is put down to the missing chat form, and not to the room."""
    with LoopbackServer(_echo) as server:
        url = ("--model", "openai/m", "--base-url", server.base_url)
        few = bench("run", "eqbench-v1", *url, "--limit", 3, "--max-tokens", 300)
        many = bench("run", "eqbench-v1", *url, "--limit", 12, "--max-tokens", 200)
    assert "next: a base model? --completions asks it without a chat form" in few.err
    assert "repeats the question: a base model? --completions asks it" in many.err
