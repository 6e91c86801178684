"""Replies that should differ and are word for word alike: told, and no spread is made of them."""

import json
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from eibench.testing import Answer, Fault, LoopbackServer, ReceivedRequest, uniform_ratings

Bench = Callable[..., Any]
REPEATS = "repeats of"
SHARED = "one and the same long reply"
AGAIN = "at another temperature"


def long_text(of: object) -> str:
    """A text of 200 characters and more."""
    return f"About {of}: " + "she would feel seen, and would say so in her own way. " * 5


def asked(request: ReceivedRequest) -> str:
    """The text of a request."""
    return "\n".join(str(message["content"]) for message in request.messages)


def same(request: ReceivedRequest) -> Answer:
    """As a cache answers: one text for one request."""
    return Answer(long_text(hash(asked(request))))


def drawing() -> Callable[[ReceivedRequest], Answer]:
    """Every reply is another one."""
    numbers = count()
    return lambda request: Answer(long_text(next(numbers)))


def run(invoke: Bench, respond: Any, *words: object, benchmark: str = "eqbench3") -> Any:
    """A run of some items, in several iterations unless said otherwise."""
    with LoopbackServer(respond) as server:
        url = server.base_url
        made: tuple[object, ...] = (
            "run",
            benchmark,
            "--dataset",
            "bundled",
            "--model",
            "openai/m",
            "--base-url",
            url,
        )
        if benchmark == "eqbench3":
            made += ("--judge", "openai/j", "--judge-base-url", url, "--no-elo", "--no-rubric")
        return invoke(*made, *words, "--keep-going", "--json")


def about(done: Any, words: str) -> list[str]:
    """The warnings that hold some words."""
    return [line for line in done.json["warnings"] if words in line]


def test_repeats_that_are_one_text_are_told(invoke: Bench) -> None:
    """With how many there are, and what does that."""
    done = run(invoke, same, "--limit", 4, "--iterations", 3)
    (line,) = about(done, REPEATS)
    assert line.startswith("all 3 repeats of 4 items are the same text: does the server draw at")
    assert "do_sample" in line and "cache" in line
    again = run(invoke, same, "--limit", 4, "--iterations", 3)
    assert about(again, REPEATS) == [line]


@pytest.mark.parametrize(
    ("respond", "words"),
    [
        (drawing(), ("--iterations", 3)),
        (same, ("--iterations", 3, "--temperature", 0)),  # nothing is drawn
        (same, ("--iterations", 3, "--temperature", 0.2)),
        (same, ("--iterations", 3, "--top-k", 1)),
        (same, ()),  # asked once
        (lambda request: "B", ("--iterations", 3)),  # too short to tell
    ],
)
def test_repeats_that_may_be_alike_are_not_told(
    invoke: Bench, respond: Any, words: tuple[object, ...]
) -> None:
    """Nor those that differ."""
    done = run(invoke, respond, "--limit", 2, *words)
    assert not about(done, REPEATS) and not about(done, AGAIN)


def test_a_temperature_that_was_not_sent_says_nothing(invoke: Bench) -> None:
    """The server's own may be 0."""

    def respond(request: ReceivedRequest) -> Answer | Fault:
        if "temperature" in request.body:
            return Fault("400", message="Unsupported parameter: 'temperature'")
        return same(request)

    done = run(invoke, respond, "--limit", 2, "--iterations", 3)
    assert done.json["not_sent"] == ["temperature"]
    assert not about(done, REPEATS)


def test_some_of_the_repeats_are_told_with_their_number(invoke: Bench) -> None:
    """A cache may hold only what was asked before it."""
    numbers = count()
    texts: list[str] = []

    def respond(request: ReceivedRequest) -> Answer:
        first = str(request.messages[0]["content"])
        texts.extend({first} - set(texts))
        repeats = texts.index(first) < 3
        return same(request) if repeats else Answer(long_text(next(numbers)))

    done = run(invoke, respond, "--limit", 9, "--iterations", 2, "--concurrency", 1)
    (line,) = about(done, REPEATS)
    assert line.startswith("repeats of 3 of 9 items are the same text, word for word: does the")
    assert invoke("repeat", done.json["run_id"]).code in (0, 2)


def test_one_text_for_all_items_is_told(invoke: Bench) -> None:
    """As a broken template gives, at whatever temperature."""
    done = run(invoke, lambda request: long_text("it"), "--limit", 4, "--temperature", 0)
    (line,) = about(done, SHARED)
    assert line.startswith("4 of 4 items got one and the same long reply")
    assert not about(run(invoke, same, "--limit", 4, "--fresh"), SHARED)


def test_a_form_that_is_filled_in_alike_is_no_broken_template(invoke: Bench) -> None:
    """As a judge under test gives all items the same grades, in a fence too."""
    form = json.dumps({f"criterion_{n}": 5 for n in range(20)})
    for text in (form, f"```json\n{form}\n```"):
        done = run(invoke, lambda request, text=text: text, "--limit", 4, "--fresh")
        assert not about(done, SHARED)


def test_a_refusal_in_fixed_words_is_no_broken_template(invoke: Bench) -> None:
    """Two of twenty items got it."""

    def respond(request: ReceivedRequest) -> Answer:
        return Answer(long_text("a refusal" if request.n in (3, 7) else request.n))

    done = run(invoke, respond, "--limit", 20, benchmark="eqbench-v1")
    assert not about(done, SHARED)


def test_asking_again_at_another_temperature_changed_nothing(invoke: Bench) -> None:
    """Ratings that cannot be read are asked for again, ever hotter."""
    hot = ("--limit", 2, "--temperature", 1)
    done = run(invoke, same, *hot, benchmark="eqbench-v1")
    (line,) = about(done, AGAIN)
    assert line.startswith("2 samples got the same text, word for word, at another temperature")
    drawn = run(invoke, drawing(), *hot, "--fresh", benchmark="eqbench-v1")
    assert not about(drawn, AGAIN)


def test_no_spread_is_made_of_one_text(invoke: Bench) -> None:
    """Where the iterations have one text, a spread of 0 is not shown as if it were measured."""
    ratings = uniform_ratings(1)
    kept: dict[str, str] = {}

    def respond(request: ReceivedRequest) -> Answer:
        text = kept.setdefault(asked(request), f"{ratings(request)}\n\n{long_text('this')}")
        return Answer(text)

    words = ("--limit", 12, "--iterations", 3, "--temperature", 1)
    done = run(invoke, respond, *words, benchmark="eqbench-v1")
    assert done.json["metrics"]["rerun_sd"]["value"] == 0
    (reason,) = done.json["unmeasured"].values()
    assert reason.startswith("all 3 repeats of 12 items are the same text")
    shown = invoke("show", done.json["run_id"], "--details").out
    (row,) = [line for line in shown.splitlines() if line.startswith("│ SD over reruns")]
    assert "0.00" not in row
    assert "no SD over reruns: all 3 repeats" in shown
    repeated = invoke("repeat", done.json["run_id"])
    assert "one text" in repeated.out and "all 3 repeats of 12 items" in repeated.out
    assert "the mean CV is" not in repeated.out
    (row, *_) = [line for line in repeated.out.splitlines() if " score " in line]
    assert "0.00" not in row.split("one text")[0].split("3", 1)[0]
    document = invoke("repeat", done.json["run_id"], "--json").json
    assert document["models"][0]["metrics"]["score"]["sd_sample"] == 0
    assert document["models"][0]["note"].startswith("all 3 repeats")
    (first, *_) = invoke("leaderboard", "eqbench-v1", "--json").json["steadiness"]
    assert first["note"].startswith("all 3 repeats")
