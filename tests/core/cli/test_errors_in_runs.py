"""Runs at servers whose errors look like replies: asked again, and never graded."""

from collections.abc import Callable
from typing import Any

from eibench.testing import LoopbackServer, ReceivedRequest, uniform_ratings
from tests.fakes.batches import BatchServer


def broken_off(text: str, **more: object) -> dict[str, Any]:
    """A reply that the host behind a broker could not finish."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "error", **more}
    return {"object": "chat.completion", "model": "m", "choices": [choice]}


def every_third_broken(broken: object) -> Callable[[ReceivedRequest], Any]:
    """Ratings, but that each question is first answered by what broke."""
    rate, seen = uniform_ratings(3), set[str]()

    def respond(request: ReceivedRequest) -> Any:
        if request.prompt in seen or len(request.prompt) % 3:
            return rate(request)
        seen.add(request.prompt)
        return broken

    return respond


def test_a_run_behind_a_broker_that_breaks_off(bench: Callable[..., Any]) -> None:
    """Each is asked again; what came of it is what a broker that never fails gives."""
    documents = list[Any]()
    for respond in (uniform_ratings(3), every_third_broken(broken_off("Half"))):
        with LoopbackServer(respond) as server:
            done = bench("run", "eqbench-v1", "--model", f"openai/m{len(documents)}", "--base-url",
                         server.base_url, "--limit", "9", "--json")  # fmt: skip
        documents.append(done.json)
    usual, broken = documents
    assert broken["metrics"] == usual["metrics"] and broken["items"] == usual["items"]
    assert broken["calls"]["retries"] == len(server.requests) - 9 > 0


def test_a_line_of_a_batch(bench: Callable[..., Any]) -> None:
    """An error in it is no answer: the request goes live."""
    body = broken_off("Half", error={"code": 502, "message": "Down."})
    with BatchServer(every_third_broken(body)) as server:
        done = bench("run", "eqbench-v1", "--model", "openai/m", "--base-url", server.base_url,
                     "--limit", "12", "--batch", "--yes",
                     "--json")  # fmt: skip
    assert done.json["items"]["scored"] == 12, done.err
    assert server.counts["ok"] > 0
