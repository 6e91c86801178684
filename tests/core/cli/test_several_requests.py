"""`bench prompts` and `bench score` where a sample has several requests: all are written."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench import Item, Metric, Model, Option, Options, Score, Summary
from eibench.core.plugins import installed
from tests.core.guard.conftest import Fine

Bench = Callable[..., Any]


class Permuted(Fine):
    """Asks each item in several orders at the same time."""

    name = "permuted"
    options = (
        Option("permutations", 3, "How many orders.", in_requests=True, min=1),
        Option("one_by_one", False, "Ask one after the other.", in_requests=True),
    )

    def planned_calls(self, item: Item, options: Options) -> dict[str, int]:
        """A call for each order."""
        return {"model": options["permutations"]}

    async def generate(self, item: Item, model: Model, options: Options) -> list[str]:
        """The replies, in the order of the requests."""
        prompts = [f"{item.id} in order {n}" for n in range(1, options["permutations"] + 1)]
        if options["one_by_one"]:
            return [(await model.chat(prompt)).text for prompt in prompts]
        return [r.text for r in await asyncio.gather(*map(model.chat, prompts))]

    async def grade(self, item: Item, transcript: Any, judge: object, options: Options) -> Score:
        """Each reply as a number, and again where it cannot be read."""
        return Score({f"v{n}": float(text) for n, text in enumerate(transcript, start=1)})

    def summarise(self, pack: object, scores: Any, options: Options) -> Summary:
        """All numbers added, each weighed by its request."""
        values = [s.score.values for s in scores if s.score.reason is None]
        total = sum(int(name[1:]) * v for row in values for name, v in row.items())
        return Summary({"sum": Metric(total)})


class Wrong(Permuted):
    """Says one and makes three."""

    name = "wrong"

    def planned_calls(self, item: Item, options: Options) -> dict[str, int]:
        """One."""
        return {"model": 1}


@pytest.fixture(autouse=True)
def permuted(monkeypatch: pytest.MonkeyPatch, empty_place: Path) -> None:
    """The benchmarks, among those that are installed."""
    for benchmark in (Permuted(), Wrong()):
        monkeypatch.setitem(installed().benchmarks.things, benchmark.name, benchmark)
        monkeypatch.setitem(installed().benchmarks.origins, benchmark.name, "permuted-dist 1")
    (empty_place / "data.txt").write_text("data")


DATA = ("--dataset", "data.txt")


def lines(out: str) -> list[dict[str, Any]]:
    """What `bench prompts` printed."""
    return [json.loads(line) for line in out.splitlines()]


def answers(rows: list[dict[str, Any]]) -> str:
    """A file of answers."""
    Path("answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "answers.jsonl"


def test_every_request_is_written_with_its_number(bench: Bench) -> None:
    """Two items, two iterations, three orders."""
    written = lines(bench("prompts", "permuted", *DATA, "--iterations", 2).out)
    assert [(w["item_id"], w["iteration"], w["request"]) for w in written] == [
        (item, iteration, request)
        for iteration in (1, 2)
        for item in ("EA-1", "EA-2")
        for request in (1, 2, 3)
    ]
    assert written[4]["messages"] == [{"role": "user", "content": "EA-2 in order 2"}]


def test_one_request_has_no_number(bench: Bench) -> None:
    """As ever."""
    written = lines(bench("prompts", "permuted", *DATA, "--permutations", 1).out)
    assert [w.keys() for w in written] == [{"item_id", "iteration", "messages"}] * 2


def test_the_written_requests_are_those_of_a_run(bench: Bench) -> None:
    """Message for message, whatever the number."""
    from eibench.testing import LoopbackServer

    written = lines(bench("prompts", "permuted", *DATA).out)
    with LoopbackServer("1") as server:
        where = ("--model", "openai/x", "--base-url", server.base_url)
        assert bench("run", "permuted", *DATA, *where).code == 0
    prompts = sorted(w["messages"][0]["content"] for w in written)
    assert sorted(r.prompt for r in server.requests) == prompts


def test_answers_find_their_requests_in_any_order(bench: Bench) -> None:
    """A reply goes to the request that it is numbered with."""
    rows = [
        {"item_id": item, "request": request, "response": str(request)}
        for request in (3, 1, 2)
        for item in ("EA-2", "EA-1")
    ]
    done = bench("score", "permuted", answers(rows), *DATA, "--json")
    assert (done.code, done.json["metrics"]["sum"]["value"]) == (0, 2 * (1 + 4 + 9))
    assert done.json["scores"]["EA-1"][0]["v3"] == 3


def test_python_takes_rows_with_requests_too(empty_place: Path) -> None:
    """The rows of such a file."""
    rows = [
        {"item_id": item, "request": n, "response": "1"}
        for item in ("EA-1", "EA-2")
        for n in (1, 2)
    ]
    result = eibench.score("permuted", rows, dataset="data.txt", options={"permutations": 2})
    assert (result.complete, result.value) == (True, 6)


def test_an_absent_request_leaves_its_sample_unscored(bench: Bench) -> None:
    """It is named, counted as absent, and makes the result incomplete."""
    rows = [{"item_id": "EA-1", "request": n, "response": "1"} for n in (1, 3)]
    done = bench("score", "permuted", answers(rows), *DATA, "--json")
    assert (done.code, done.json["status"], done.json["items"]["absent"]) == (1, "incomplete", 2)
    assert [u["reason"] for u in done.json["unscored"]] == [
        "no response was given to request 2 of 3",
        "no response was given",
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"request": 4}, "item 'EA-1', iteration 1 has no request 4; it has 3"),
        ({"request": 0}, '"request" must be a whole number from 1 to 1,000'),
        ({"request": "1"}, '"request" must be a whole number from 1 to 1,000'),
        ({"request": 1}, "item 'EA-1', iteration 1, request 1, is answered in line 1 already"),
        ({}, "item 'EA-1', iteration 1, request 1, is answered in line 1 already"),
    ],
)
def test_a_wrong_request_is_told_with_its_line(
    bench: Bench, row: dict[str, Any], message: str
) -> None:
    """Exit 3."""
    first = {"item_id": "EA-1", "request": 1, "response": "1"}
    file = answers([first, {"item_id": "EA-1", "response": "1", **row}])
    done = bench("score", "permuted", file, *DATA)
    assert (done.code, done.out) == (3, "")
    assert f"answers.jsonl, line 2: {message}" in done.err


@pytest.mark.parametrize("command", [("prompts",), ("score", "answers.jsonl")])
def test_requests_that_wait_for_replies_are_refused(bench: Bench, command: tuple[str, ...]) -> None:
    """Not all of them could be written: nothing is, and the reason says what to use."""
    answers([{"item_id": "EA-1", "response": "1"}])
    name, *rest = command
    done = bench(name, "permuted", *rest, *DATA, "--one-by-one")
    assert (done.code, done.out) == (2, "")
    assert (
        "permuted makes 3 requests for item 'EA-1' and waits for a reply after 1: what follows may "
        "depend on it, so use bench run"
    ) in done.err


def test_more_requests_than_were_declared_are_the_benchmark_s_fault(bench: Bench) -> None:
    """They would be dropped else."""
    done = bench("prompts", "wrong", *DATA)
    assert (done.code, done.out) == (3, "")
    assert (
        "planned_calls of wrong (permuted-dist 1) says 1, and generate makes 3 requests at once "
        "(item 'EA-1')"
    ) in done.err
