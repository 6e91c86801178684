"""A small model on a server of one's own: slow, one at a time, and seldom in form."""

import http.client
import json
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from eibench.testing import Answer, ReceivedRequest
from tests.fakes.small_model import SmallModelServer, small_model

FORM = "First pass scores:\nCalm: <score>\nSad: <score>\nProud: <score>\nAngry: <score>"
ALL = ["Calm", "Sad", "Proud", "Angry"]


def asked(prompt: str, **more: Any) -> dict[str, Any]:
    """The body of a request."""
    return {"model": "m", "messages": [{"role": "user", "content": prompt}], **more}


def post(server: SmallModelServer, body: dict[str, Any]) -> dict[str, Any]:
    """The whole answer to a request."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("POST", "/v1/chat/completions", json.dumps(body))
    answer: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def replies(prompts: Iterable[str], **how: Any) -> list[Answer]:
    """What the model says to each."""
    say = small_model(**how)
    made = []
    for n, prompt in enumerate(prompts):
        reply = say(ReceivedRequest(n, "/v1/chat/completions", {}, asked(prompt), 0.0))
        assert isinstance(reply, Answer)
        made.append(reply)
    return made


def named(reply: Answer) -> list[str]:
    """The emotions that a reply has a number for."""
    return [line.partition(":")[0] for line in (reply.text or "").splitlines() if ": " in line]


def test_one_request_is_computed_at_a_time() -> None:
    """So four that come at once take as long as four."""
    with SmallModelServer(loops=0, reply_s=4, speed=100) as server:
        began = time.monotonic()
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda n: post(server, asked(f"{n}")), range(4)))
        assert time.monotonic() - began >= 4 * 4 / 100
        assert server.busy_s == 16  # how many wait at once is up to the machine


def test_a_reply_is_computed_to_the_end_for_nobody() -> None:
    """A client that hangs up makes the next one wait all the same."""
    with SmallModelServer(loops=0, reply_s=2, speed=20) as server:
        gone = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        gone.request("POST", "/v1/chat/completions", json.dumps(asked("one")))
        while not server.requests:
            time.sleep(0.002)
        gone.close()
        post(server, asked("two"))
        assert server.busy_s == 4
        assert (server.counts["client-gone"], server.counts["ok"]) == (1, 1)


def test_a_third_of_the_ratings_is_there_and_no_heading() -> None:
    """As of the real model: 52 of 150 replies named all four, none under a heading."""
    made = replies((f"Scene {n}.\n{FORM}" for n in range(300)), loops=0)
    whole = [reply for reply in made if named(reply) == ALL]
    # 300 draws of 0.35: 105 with a standard deviation of 8.3, so 4 of them are 33.
    assert abs(len(whole) - 105) <= 33
    assert not any("pass" in (reply.text or "") for reply in made)


def test_equal_requests_get_equal_replies() -> None:
    """Another temperature is another request, so a repeat may get another reply."""
    with SmallModelServer(speed=1000, loops=0) as server:
        texts = [
            post(server, asked(FORM, temperature=t))["choices"][0]["message"]["content"]
            for t in (0.01, 0.01, *(0.1 * n for n in range(1, 9)))
        ]
    assert texts[0] == texts[1] and len(set(texts)) > 1


def test_none_is_whole_where_none_shall_be() -> None:
    """For a server that never gives a readable reply."""
    prompts = (f"Scene {n}.\n{FORM}" for n in range(100))
    assert all(named(reply) != ALL for reply in replies(prompts, readable=0))


def test_a_loop_ends_with_the_room() -> None:
    """At the token limit that was asked for, else at the end of the context."""
    with SmallModelServer(speed=1000, loops=1) as server:
        limited = post(server, asked("Hi", max_tokens=104))
        free = post(server, asked("Hi" * 8))
        assert server.busy_s == (104 + 4096 - 4) / 52
    assert limited["usage"]["completion_tokens"] == 104
    assert free["usage"]["completion_tokens"] == 4096 - 4
    assert limited["choices"][0]["finish_reason"] == "length"


def test_another_model_can_be_as_slow() -> None:
    """Its words are the test's own."""
    with SmallModelServer(respond="Paris.", speed=1000) as server:
        said = post(server, asked("Hi"))["choices"][0]["message"]["content"]
        assert (said, server.busy_s) == ("Paris.", 3.5)
