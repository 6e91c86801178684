"""`bench score --save` and batch files: answers made elsewhere become a run like any other."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.testing import LoopbackServer

from .test_score import answer, responses

Bench = Callable[..., Any]
Write = Callable[..., Path]
IDS = "1,2,3,4,5,6,7,8"


def save(
    bench: Bench, pack: Path, *texts: str, model: str = "far", more: tuple[str, ...] = ()
) -> Any:
    """The document of saved answers, one for each item."""
    file = responses(*({"item_id": str(n), "response": t} for n, t in enumerate(texts, 1)))
    score = ("score", "eqbench-v1", file, "--dataset", pack, "--save", "--model", model, *more)
    return bench(*score, "--json")


@pytest.fixture
def two(bench: Bench, questions: Write) -> list[str]:
    """The ids of two saved runs of different quality on one pack."""
    pack = questions(IDS)
    good = save(bench, pack, *[answer("1 2 3 4", "1 2 3 4")] * 8, model="good")
    bad = save(bench, pack, *[answer("4 3 2 1", "4 3 2 1")] * 8, model="bad")
    return [good.json["run_id"], bad.json["run_id"]]


def test_saved_answers_score_as_printed_ones(bench: Bench, questions: Write) -> None:
    """The same number either way; the saved result says where it was answered."""
    pack = questions(IDS)
    saved = save(bench, pack, *[answer("2 2 3 4", "1 2 3 4")] * 8)
    printed = bench("score", "eqbench-v1", "answers.jsonl", "--dataset", pack, "--json")
    assert saved.json["metrics"] == printed.json["metrics"]
    assert (saved.code, saved.json["status"]) == (0, "complete")
    assert "answered elsewhere" in saved.json["comparability"]
    assert saved.json["model"] == "imported/far"


def test_the_same_file_is_the_same_run(bench: Bench, questions: Write) -> None:
    """Nothing is added by a second import, also of a failure; other answers are another run."""
    pack = questions(IDS)
    first = save(bench, pack, *[answer()] * 8)
    again = save(bench, pack, *[answer()] * 8)
    other = save(bench, pack, *[answer("4 3 2 1")] * 8)
    assert "already there" in again.err
    assert again.json["run_id"] == first.json["run_id"] != other.json["run_id"]


def test_a_saved_run_is_a_run_like_any_other(bench: Bench, two: list[str]) -> None:
    """It stands on the board, in comparisons of runs, and can be looked at and scored again."""
    pack = "pack.json"
    board = bench("leaderboard", "eqbench-v1", "--dataset", pack).out
    assert board.index("good (imported)") < board.index("bad (imported)")
    for command in (("compare", *two), ("rescore", two[0]), ("show", two[0]), ("runs",)):
        done = bench(*command)
        assert done.code == 0, done.err
        assert "good (imported)" in " ".join(done.out.split())
    assert "imported: what was sent" in bench("show", two[0], "1").out


def test_a_saved_run_is_in_repeat_and_correlate(
    bench: Bench, questions: Write, two: list[str]
) -> None:
    """Two sets of answers of a model repeat each other; models of two benchmarks correlate."""
    again = save(bench, Path("pack.json"), *[answer("2 1 3 4", "2 1 3 4")] * 8, model="good")
    done = bench("repeat", two[0], again.json["run_id"])
    assert done.code == 0, done.err
    done = bench("correlate", "eqbench-v1", "eqbench-v1", "--json")
    assert "Traceback" not in done.err


def test_nobody_is_asked_to_go_on_with_it(bench: Bench, two: list[str]) -> None:
    """A live call can never be mixed into a run that was answered elsewhere."""
    done = bench("run", "eqbench-v1", "--model", "imported/good", "--dataset", "pack.json")
    assert done.code == 2
    assert "cannot be asked" in done.err


def test_results_of_a_batch_are_read_and_errors_counted(bench: Bench, questions: Write) -> None:
    """Requests as OpenAI's batches take them, and the results as they give them."""
    pack = questions(IDS)
    batch = ("--format", "openai-batch", "--model", "gpt-x")
    bench("prompts", "eqbench-v1", "--dataset", pack, *batch, "-o", "batch.jsonl")
    lines = [json.loads(line) for line in Path("batch.jsonl").read_text().splitlines()]
    assert {key: lines[0][key] for key in ("custom_id", "method", "url")} == {
        "custom_id": "1/1/1", "method": "POST", "url": "/v1/chat/completions",
    }  # fmt: skip
    assert lines[0]["body"]["model"] == "gpt-x"
    assert lines[0]["body"]["messages"][0]["role"] == "user"
    results = [done(line["custom_id"], answer()) for line in lines]
    results[6] = {"custom_id": "7/1/1", "response": None, "error": {"code": "batch_expired"}}
    results[7] = done("8/1/1", status=500, body={"error": {"message": "boom"}})
    file = responses(*results)
    for more in ((), ("--save", "--model", "gpt-x")):
        scored = bench("score", "eqbench-v1", file, "--dataset", pack, "--json", *more)
        items = scored.json["items"]
        assert (scored.code, items["scored"], items["failed"], items["pending"]) == (1, 6, 2, 0)
    shown = bench("score", "eqbench-v1", file, "--dataset", pack).out
    assert "boom (status 500)" in shown
    assert "batch_expired" in shown
    again = bench("score", "eqbench-v1", file, "--dataset", pack, "--save", "--model", "gpt-x")
    assert "already there" in again.err


def test_how_a_batch_s_reply_ended_is_read(bench: Bench, questions: Write) -> None:
    """One that is all thinking was cut off, and is no empty reply; so too once it is saved."""
    pack = questions(IDS)
    thinking = {"role": "assistant", "content": None, "reasoning_content": "Let me see. " * 9}
    cut = {"choices": [{"message": thinking, "finish_reason": "length"}]}
    parts = [{"type": "text", "text": answer()}]
    listed = {"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]}
    results = [done(f"{n}/1/1", answer()) for n in range(3, 9)]
    file = responses(done("1/1/1", body=cut), done("2/1/1", body=listed), *results)
    for more in ((), ("--save", "--model", "gpt-x")):
        scored = bench("score", "eqbench-v1", file, "--dataset", pack, "--json", *more).json
        assert (scored["items"]["scored"], scored["items"]["truncated"]) == (7, 1)
        (unscored,) = scored["unscored"]
        assert unscored["item_id"] == "1" and "cut off" in unscored["reason"]


def body_of_responses(text: str) -> dict[str, Any]:
    """As OpenAI's batches have it of `/v1/responses`."""
    said = {"type": "output_text", "text": text, "annotations": []}
    message = {"type": "message", "id": "m", "status": "completed", "role": "assistant"}
    thought = {
        "type": "reasoning",
        "id": "rs",
        "summary": [{"type": "summary_text", "text": "Hm."}],
    }
    return {
        "id": "resp",
        "object": "response",
        "created_at": 1.0,
        "model": "m-1",
        "tools": [],
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "error": None,
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "output": [thought, {**message, "content": [said]}],
        "usage": {
            "input_tokens": 9,
            "output_tokens": 8,
            "total_tokens": 17,
            "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 3},
        },
    }


def message_of_anthropic(text: str) -> dict[str, Any]:
    """As Anthropic's batches have it."""
    return {
        "id": "msg",
        "type": "message",
        "role": "assistant",
        "model": "m-1",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "max_tokens",
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 4, "output_tokens": 8},
    }


def completion(text: str, **more: Any) -> dict[str, Any]:
    """As servers have it of `/v1/completions`, and of chat completions with a `message`."""
    choice = {"index": 0, "finish_reason": "length", "logprobs": None, **(more or {"text": text})}
    usage = {"prompt_tokens": 9, "completion_tokens": 8, "total_tokens": 17}
    return {"id": "c", "object": "text_completion", "created": 1, "model": "m-1",
            "choices": [choice], "usage": usage}  # fmt: skip


TEXT = answer()
RESULTS: dict[str, Any] = {
    "responses": {"response": {"status_code": 200, "body": body_of_responses(TEXT)}},
    "anthropic": {"result": {"type": "succeeded", "message": message_of_anthropic(TEXT)}},
    "completion": {"response": {"status_code": 200, "body": completion(TEXT)}},
    "bare": {"response": completion("", message={"role": "assistant", "content": TEXT})},
}
"""What a line of results holds, by its form; each was cut off."""


@pytest.mark.parametrize("form", RESULTS)
@pytest.mark.parametrize("more", [(), ("--save", "--model", "m")], ids=["printed", "saved"])
def test_an_answer_that_is_there_is_read_whole(
    bench: Bench, questions: Write, form: str, more: tuple[str, ...]
) -> None:
    """With its tokens, and that it was cut off, whatever the form of the batch."""
    file = responses({"custom_id": "1/1/1", "error": None, **RESULTS[form]})
    done = bench("score", "eqbench-v1", file, "--dataset", questions("1"), "--json", *more)
    document = done.json
    assert (document["items"]["scored"], document["items"]["truncated"]) == (1, 1)
    assert (document["tokens"]["input"], document["tokens"]["output"]) == (9, 8)
    if more:
        (call,) = bench("show", document["run_id"], "1", "--json").json["iterations"][0]["calls"]
        assert (call["text"], call["model"], call["finish"]) == (TEXT, "m-1", "length")
        assert "finish length · 9 in, 8 out · imported" in bench("show", "m", "1").out


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"result": {"type": "expired"}}, "expired"),
        ({"result": {"type": "errored", "error": {"type": "error", "error": {
            "type": "invalid_request_error", "message": "no such model"}}}}, "no such model"),
        ({"response": {"status_code": 200, "body": {
            **body_of_responses(""), "status": "failed", "output": [],
            "error": {"code": "server_error", "message": "it broke"}}}}, "it broke"),
        ({"response": None, "error": None}, "the result has no answer"),
    ],
)  # fmt: skip
def test_a_line_without_an_answer_says_why(
    bench: Bench, questions: Write, line: dict[str, Any], reason: str
) -> None:
    """In the provider's words."""
    file = responses({"custom_id": "1/1/1", **line})
    scored = bench("score", "eqbench-v1", file, "--dataset", questions("1"), "--json")
    (failed,) = scored.json["failed"]
    assert failed["reason"] == f"answered elsewhere: {reason}"


def test_an_answer_in_no_known_form_is_not_called_absent(bench: Bench, questions: Write) -> None:
    """The line is refused."""
    body = {"candidates": [{"content": {"parts": [{"text": answer()}]}}]}
    file = responses(done("1/1/1", body=body))
    refused = bench("score", "eqbench-v1", file, "--dataset", questions("1"))
    assert refused.code == 3 and "line 1: its answer has none of the forms of" in refused.err


def test_the_packages_of_the_providers_read_and_write_the_same(
    bench: Bench, questions: Write
) -> None:
    """Requests fit what they send, and results what they read."""
    reason = "the package is not installed"
    openai = pytest.importorskip("openai", reason=reason)
    anthropic = pytest.importorskip("anthropic", reason=reason)
    pydantic = pytest.importorskip("pydantic", reason=reason)
    to_batch = ("--format", "openai-batch", "--model", "gpt-x", "--reasoning-effort", "low")
    out = bench("prompts", "eqbench-v1", "--dataset", questions("1"), *to_batch).out
    upload = json.loads(out)
    params = openai.types.chat.completion_create_params.CompletionCreateParamsNonStreaming
    pydantic.TypeAdapter(params).validate_python(upload["body"], extra="forbid")
    openai.types.responses.Response.model_validate(RESULTS["responses"]["response"]["body"])
    openai.types.Completion.model_validate(RESULTS["completion"]["response"]["body"])
    line = {"custom_id": "1/1/1", **RESULTS["anthropic"]}
    read = anthropic.types.messages.MessageBatchIndividualResponse.model_validate(line)
    assert read.result.message.content[0].text == TEXT


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-x", "gpt-x"),
        ("openai/m", "m"),
        ("openai/org/m", "org/m"),
        ("meta-llama/Llama-3", "meta-llama/Llama-3"),
    ],
)
def test_requests_name_the_model_as_its_server_does(
    bench: Bench, questions: Write, model: str, name: str
) -> None:
    """A spec goes without its provider; a name with a slash of its own stays whole."""
    done_ = bench("prompts", "eqbench-v1", "--dataset", questions(IDS),
                  "--format", "openai-batch", "--model", model)  # fmt: skip
    rows = [json.loads(line) for line in done_.out.splitlines()]
    assert {row["body"]["model"] for row in rows} == {name}


def done(custom_id: str, text: str = "", status: int = 200, body: Any = None) -> dict[str, Any]:
    """A line of results."""
    body = body or {"choices": [{"message": {"role": "assistant", "content": text}}]}
    return {"id": "r", "custom_id": custom_id, "error": None,
            "response": {"status_code": status, "request_id": "q", "body": body}}  # fmt: skip


@pytest.mark.parametrize("custom_id", ["7", "a/b/c", "1/1"])
def test_a_result_of_another_batch_is_refused(
    bench: Bench, questions: Write, custom_id: str
) -> None:
    """Its line is named."""
    file = responses(done(custom_id, "x"))
    done_ = bench("score", "eqbench-v1", file, "--dataset", questions(IDS))
    assert done_.code == 3
    assert "line 1" in done_.err
    assert "custom_id" in done_.err


@pytest.mark.parametrize("wrapped", [True, False], ids=["openai", "vllm"])
def test_a_refused_line_says_why(bench: Bench, questions: Write, wrapped: bool) -> None:
    """In the server's words, which vLLM's run_batch has as the body itself."""
    error = {"object": "error", "message": "maximum context length is 10 tokens", "code": 400}
    file = responses(done("1/1/1", status=400, body={"error": error} if wrapped else error))
    scored = bench("score", "eqbench-v1", file, "--dataset", questions("1"), "--json")
    (failed,) = scored.json["failed"]
    assert "maximum context length is 10 tokens (status 400)" in failed["reason"]


def test_an_unread_verdict_is_asked_anew_by_rejudge(bench: Bench) -> None:
    """Of a benchmark without comparisons too, as the last line of `score` advises."""
    bench("prompts", "emotionqueen", "--limit", 2, "-o", "prompts.jsonl")
    rows = [json.loads(line) for line in Path("prompts.jsonl").read_text().splitlines()]
    file = responses(*({"item_id": r["item_id"], "response": "That must hurt."} for r in rows))
    verdicts = ["I cannot say."]
    with LoopbackServer(lambda request: verdicts[-1]) as server:
        judge = ("--judge", "openai/j", "--judge-base-url", server.base_url)
        scored = bench("score", "emotionqueen", file, "--model", "far", *judge)
        assert "next: bench rejudge" in scored.err, scored.err
        verdicts.append('{"PASS": 1, "WIN": 0}')
        again = bench("rejudge", "far", *judge, "--json")
    assert "changed:" not in again.json["comparability"]  # nobody knows how they were drawn
    assert (again.json["items"]["scored"], again.json["items"]["unscored"]) == (2, 0)


def judging(prompts: list[str]) -> Callable[[Any], str]:
    """A judge that finds everything, and notes what it was asked."""

    def respond(request: Any) -> str:
        prompts.append(request.messages[-1]["content"])
        return "Yes"

    return respond


def test_a_judge_grades_answers_once(bench: Bench) -> None:
    """Its verdicts are kept: the same command again asks nobody."""
    bench("prompts", "emotionqueen", "--limit", 4, "-o", "prompts.jsonl")
    rows = [json.loads(line) for line in Path("prompts.jsonl").read_text().splitlines()]
    answers = [{k: r[k] for k in ("item_id", "iteration", "request") if k in r} for r in rows]
    file = responses(*({**a, "response": "That must hurt."} for a in answers))
    prompts: list[str] = []
    with LoopbackServer(judging(prompts)) as server:
        judge = ("--judge", "openai/j", "--judge-base-url", server.base_url)
        command = ("score", "emotionqueen", file, "--model", "far", *judge, "--json")
        first = bench(*command)
        asked = len(prompts)
        again = bench(*command)
    assert first.json["model"] == "imported/far"
    assert first.json["items"]["total"] == 4
    assert asked >= 4
    assert all("That must hurt." in prompt for prompt in prompts[-4:])
    assert len(prompts) == asked
    assert again.json["metrics"] == first.json["metrics"]
