"""The room that replies get at first: little from a local server, all where it is needed."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from eibench.core.sample.room import Room, Shape
from eibench.core.types import ChatRequest, ChatResponse, Finish, Message, Sampling, Usage
from eibench.testing import Answer, LoopbackServer, ReceivedRequest, uniform_ratings

Bench = Callable[..., Any]
ASKED = ChatRequest((Message("user", "Hi"),), Sampling(max_tokens=16_384))
LOOP = "I am sorry. " * 300
WORDS = " ".join("".join(pair) for pair in product("abcdefghijklmnopqr", repeat=3))
V2 = ("run", "eqbench-v2", "--model", "openai/x", "--limit", 6, "--json")


class Server:
    """Says one thing after the other, and notes the room that it was given."""

    def __init__(self, *replies: ChatResponse) -> None:
        self._replies = iter(replies)
        self.rooms: list[int | None] = []

    async def send(self, request: ChatRequest, shape: Shape) -> ChatResponse:
        """The next reply."""
        self.rooms.append(shape(request).sampling.max_tokens)
        return next(self._replies)


def reply(text: str = "Joy: 3", *, cut: bool = False, reasoning: str = "") -> ChatResponse:
    """A reply of ten tokens that cost a cent."""
    finish = Finish.LENGTH if cut else Finish.STOP
    return ChatResponse(text, reasoning, finish, usage=Usage(5, output=10), cost_usd=0.01)


FITS, CUT = reply(), reply(WORDS, cut=True)
THINKS = reply(reasoning="Well ...")
CUT_THINKING = reply("", cut=True, reasoning=WORDS)


@pytest.mark.parametrize(
    ("replies", "rooms"),
    [
        ((FITS, FITS), [1024, 1024]),
        ((CUT, FITS, FITS), [1024, 16_384, 16_384]),  # it needed the room
        ((CUT, CUT, FITS), [1024, 16_384, 1024]),  # no room is enough for such
        ((reply(LOOP, cut=True), FITS), [1024, 1024]),  # more room is more of the same
        ((THINKS, FITS), [1024, 16_384]),
        ((CUT_THINKING, THINKS, THINKS), [1024, 16_384, 16_384]),
        ((reply("", cut=True), FITS, FITS), [1024, 16_384, 16_384]),  # thinks unseen
        ((reply("", cut=True, reasoning=LOOP), FITS), [1024, 16_384]),
    ],
)
async def test_who_gets_how_much_room(replies: tuple[ChatResponse, ...], rooms: list[int]) -> None:
    """One that loops no more, one that did not fit all, and so all others then."""
    room, server = Room(1024), Server(*replies)
    asked = [await room.ask(server.send, ASKED), await room.ask(server.send, ASKED)]
    assert server.rooms == rooms and asked[-1] is replies[-1]


@pytest.mark.parametrize("most", [None, 512, 1024])
async def test_less_than_that_is_sent_as_it_is(most: int | None) -> None:
    """A request with a small limit, or with none, is asked once."""
    server = Server(CUT)
    await Room(1024).ask(server.send, ChatRequest(ASKED.messages, Sampling(max_tokens=most)))
    assert server.rooms == [most]


async def test_what_was_cut_off_counts_among_tokens_and_cost() -> None:
    """Both were paid for."""
    made = await Room(1024).ask(Server(CUT, FITS).send, ASKED)
    assert (made.text, made.usage, made.attempts) == ("Joy: 3", Usage(10, output=20), 2)
    assert made.cost_usd == pytest.approx(0.02)


def thinking(request: ReceivedRequest) -> Answer:
    """A model whose thinking takes 3,000 tokens."""
    if request.body["max_tokens"] < 3000:
        return Answer("", reasoning=WORDS, finish="length", output_tokens=1024)
    return Answer(str(uniform_ratings(1)(request)), reasoning=WORDS, output_tokens=3100)


@pytest.fixture
def thinker() -> Iterator[LoopbackServer]:
    """Its server."""
    with LoopbackServer(thinking) as server:
        yield server


def rooms(server: LoopbackServer) -> list[int]:
    """The limits that were sent, in order."""
    return [request.body["max_tokens"] for request in server.requests]


def test_a_model_that_thinks_gets_all_from_then_on(invoke: Bench, thinker: LoopbackServer) -> None:
    """One reply is asked for twice; the same command again, and one for more, send none small."""
    where = ("--base-url", thinker.base_url)
    done = invoke(*V2, *where)
    assert done.json["items"]["scored"] == 6 and rooms(thinker) == [1024, *[16_384] * 6]
    assert invoke(*V2, *where).json["calls"]["replayed"] == 6
    invoke(*V2[:-3], "--limit", 8, "--json", *where)
    assert rooms(thinker) == [1024, *[16_384] * 8]


@pytest.mark.parametrize("own", [("--max-tokens", 4000), ("--reasoning-effort", "low")])
def test_what_the_user_says_is_sent(
    invoke: Bench, thinker: LoopbackServer, own: tuple[object, ...]
) -> None:
    """A limit of the user's own, or thinking that is asked for, leaves nothing to try."""
    assert invoke(*V2, *own, "--base-url", thinker.base_url).json["items"]["scored"] == 6
    assert len(rooms(thinker)) == 6 and min(rooms(thinker)) >= 4000
