"""Runs of models that think in their replies: nobody is shown it, through whatever they came."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.judges import criteria_of
from eibench.testing import Answer, LoopbackServer, ReceivedRequest, uniform_ratings
from tests.fakes.batches import BatchServer

Bench = Callable[..., Any]
FORMS = {
    "channels": "<|channel|>analysis<|message|>{}<|end|>"
    "<|start|>assistant<|channel|>final<|message|>",
    "glued": "analysis{}assistantfinal",
    "brackets": "[THINK]{}[/THINK]",
    "tokens": "<|START_THINKING|>{}<|END_THINKING|>",
    "no table": "<inner_thoughts>{}</inner_thoughts>",
    "template": "{}</think>",
}
each_form = pytest.mark.parametrize("form", FORMS)
DRAFT = "We have DRAFT words."


def thinking(form: str, answer: object) -> str:
    """A reply in one text."""
    return FORMS[form].format(DRAFT) + str(answer)


@each_form
def test_no_judge_and_no_later_turn_sees_it(bench: Bench, form: str) -> None:
    """A talk is graded by its answers alone, and the judge's own thinking spoils no verdict."""

    def respond(request: ReceivedRequest) -> str:
        if request.model == "j":
            return thinking(form, json.dumps(dict.fromkeys(criteria_of(request.prompt), 6)))
        return thinking(form, "I would listen first, and ask what she had hoped for. " * 4)

    with LoopbackServer(respond) as server:
        done = bench("run", "eqbench3", "--dataset", "bundled", "--model", "openai/m", "--base-url",
                     server.base_url, "--judge", "openai/j", "--judge-base-url", server.base_url,
                     "--limit", "2", "--no-elo", "--json")  # fmt: skip
    assert (done.code, done.json["items"]["scored"]) == (0, 2), done.err
    assert all("DRAFT" not in json.dumps(request.body) for request in server.requests)


@each_form
@pytest.mark.parametrize(
    ("model", "more"),
    [
        ("openai/m", ()),
        ("openai/m", ("--completions",)),
        ("anthropic/m", ()),
        ("openai/m", ("--batch", "--yes")),
    ],
    ids=["chat", "completions", "messages", "batch"],
)
def test_ratings_are_read_after_it(
    bench: Bench, form: str, model: str, more: tuple[str, ...]
) -> None:
    """Whatever way they are asked."""
    rate = uniform_ratings(4)
    with BatchServer(lambda request: thinking(form, rate(request))) as server:
        done = bench("run", "eqbench-v1", "--model", model, "--base-url", server.base_url,
                     "--limit", "2", "--json", *more)  # fmt: skip
    assert done.json["items"]["scored"] == 2, done.err
    shown = bench("show", done.json["run_id"], "1", "--json").json
    assert DRAFT in json.dumps(shown)


@each_form
def test_answers_made_elsewhere_are_read_alike(bench: Bench, form: str) -> None:
    """`bench score` has the same reader."""
    rows, rate = [], uniform_ratings(4)
    prompts = bench("prompts", "eqbench-v1", "--limit", "2", "-o", "asked.jsonl")
    assert prompts.code == 0, prompts.err
    for line in Path("asked.jsonl").read_text("utf-8").splitlines():
        asked = json.loads(line)
        request = ReceivedRequest(0, "/v1/chat/completions", {}, asked, 0.0)
        answer = rate(request)
        rows.append({"item_id": asked["item_id"], "response": thinking(form, answer)})
    Path("answers.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    done = bench("score", "eqbench-v1", "answers.jsonl", "--json")
    assert done.json["items"]["scored"] == 2, done.err


def test_a_mark_that_nobody_knows_is_told(bench: Bench) -> None:
    """While the run asks, and in the result; not where the prompt has it."""
    rate = uniform_ratings(4)
    with LoopbackServer(lambda request: f"<analysis>{DRAFT}</analysis>{rate(request)}") as server:
        done = bench("run", "eqbench-v1", "--model", "openai/m", "--base-url", server.base_url,
                     "--limit", "2", "--json")  # fmt: skip
        asked = bench("run", "eqbench-v1", "--model", "openai/n", "--base-url", server.base_url,
                      "--limit", "2", "--system", "Use <analysis> first.", "--json")  # fmt: skip
    (told,) = [line for line in done.json["warnings"] if "mark" in line]
    assert told.startswith("2 replies begin with <analysis>, which looks like a mark of thinking")
    assert "begins with <analysis>, which looks like" in done.err
    assert not [line for line in asked.json["warnings"] if "mark" in line]


def test_answers_that_a_server_takes_for_thinking(bench: Bench) -> None:
    """The switch of the server is named: of all replies, and of some."""
    rate = uniform_ratings(4)

    def some(request: ReceivedRequest) -> Answer:
        text = str(rate(request))
        return Answer("", reasoning=text) if len(request.prompt) % 2 else Answer(text)

    for respond in (lambda request: Answer("", reasoning="Hm."), some):
        with LoopbackServer(respond) as server:
            run = ("run", "eqbench-v1", "--limit", "12", "--concurrency", "1", "--json")
            model = f"openai/{respond.__name__}x"
            done = bench(*run, "--model", model, "--base-url", server.base_url)
        assert "reasoning parser" in done.err and "enable_thinking" in done.err
