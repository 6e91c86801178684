"""What replies say of who gave them, and replies that repeat themselves."""

from collections.abc import Callable
from string import ascii_lowercase
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from eibench.core.journal import ReplySource
from eibench.core.reading.repetition import LEAST, TIMES, repeated_tail
from eibench.core.reports.replies import source_warnings
from eibench.testing import Answer, LoopbackServer, ReceivedRequest, uniform_ratings

Bench = Callable[..., Any]
LOOP = "Joy: I think that I feel that. " * 40


@given(
    start=st.text(ascii_lowercase + " ", max_size=300),
    piece=st.text(ascii_lowercase + " ", min_size=1, max_size=80),
    times=st.integers(TIMES + 1, 60),
    cut=st.integers(0, 79),
)
def test_a_piece_over_and_over_is_found(start: str, piece: str, times: int, cut: int) -> None:
    """Whatever goes before, wherever the last one is cut off."""
    assume(len(piece) * times >= LEAST)
    tail = piece * times + piece[: cut % len(piece)]
    assert repeated_tail(start + tail) >= len(tail)


@given(words=st.lists(st.text(ascii_lowercase, min_size=1, max_size=9), unique=True, max_size=400))
def test_words_that_all_differ_repeat_nothing(words: list[str]) -> None:
    """A long reply is none that repeats itself."""
    text = " ".join(f"{word}." for word in words)
    assert repeated_tail(text) == 0


@pytest.mark.parametrize(
    ("text", "repeats"),
    [
        ("".join(f"{n}. Number\n" for n in range(1, 200)), True),  # a list that counts
        (LOOP, True),
        ("- " * 20, False),  # too short to tell
        (" " * 5000, True),
        ("Yes. No. " * 3 + "x" * 190, False),
        ("", False),
    ],
)
def test_what_counts_as_a_loop(text: str, repeats: bool) -> None:
    """Lists of numbers count, a short tail does not."""
    assert bool(repeated_tail(text)) is repeats


def test_loops_are_told_with_their_share_of_the_time(invoke: Bench) -> None:
    """In the warnings, among the flags, and where the reply is shown."""
    ratings = uniform_ratings(1)

    def respond(request: ReceivedRequest) -> Answer:
        loops = request.n == 0
        text = LOOP if loops else str(ratings(request))
        return Answer(text, finish="length" if loops else "stop")

    with LoopbackServer(respond) as server:
        run = ("run", "eqbench-v1", "--limit", 3, "--model", "openai/x", "--concurrency", 1)
        done = invoke(*run, "--base-url", server.base_url, "--json").json
    (told,) = [w for w in done["warnings"] if "repeat" in w]
    assert told.startswith("1 of 4 replies repeats itself until cut off, ")
    assert told.endswith("% of the time; --max-tokens N ends such replies sooner")
    assert done["flags"]["repeats itself until cut off"] == 1
    assert "finish length, repeating itself" in invoke("show", done["run_id"], "1").out


def test_when_and_where_it_was_asked(invoke: Bench) -> None:
    """A result has the times and the address of its replies, whoever listens there now."""
    with LoopbackServer(uniform_ratings(1)) as server:
        run = ("run", "eqbench-v1", "--limit", 3, "--model", "openai/x")
        first = invoke(*run, "--base-url", server.base_url, "--json").json["asked"]
    again = invoke(*run, "--base-url", "http://127.0.0.1:9/v1", "--json").json["asked"]
    assert first["first"] <= first["last"]
    assert (first.pop("now"), again.pop("now")) == (3, 0)
    assert again == first
    assert first["addresses"] == [server.base_url]


def source(
    address: str | None, model: str, fingerprint: str | None, provider: str | None = None
) -> ReplySource:
    """Five replies."""
    return ReplySource(address, model, fingerprint, provider, 5, "2026-01-01", "2026-01-02")


@pytest.mark.parametrize(
    ("sources", "told"),
    [
        ([source("http://127.0.0.1:1", "a", "f"), source("http://10.0.0.1:2", "a", "f")], ()),
        (
            [source("http://127.0.0.1:1", "a", "f"), source("http://127.0.0.1:1", "a", "g")],
            ("f in 5, g in 5",),
        ),
        (
            [source("http://127.0.0.1:1", "a", "f"), source("http://127.0.0.1:1", "b", "f")],
            ("2 models (a in",),
        ),
        ([source(None, "a", "f"), source(None, "a", "g")], ()),  # providers have several
        (
            [source("https://r.ai", "a", None, "X"), source("https://r.ai", "a", None, "Y")],
            ("2 providers (X in",),
        ),
        ([source("https://r.ai", "a", None, "X"), source("https://r.ai", "a", None)], ()),
    ],
)
def test_replies_of_several_models_are_told(
    sources: list[ReplySource], told: tuple[str, ...]
) -> None:
    """A server that changed its model on the way, as far as it says so."""
    found = source_warnings(sources)
    assert len(found) == len(told) and all(a in b for a, b in zip(told, found, strict=True))
