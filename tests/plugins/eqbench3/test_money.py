"""EQ-Bench 3 with a judge that costs: its money counts, and a stop loses nothing."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.testing import LoopbackServer, ReceivedRequest, Reply
from tests.fakes.billing import Billing

MODELS = ("one", "two")


class Bills:
    """Two models and a judge, each with a bill of its own."""

    def __init__(self, judge: Callable[[ReceivedRequest], str], manner: str) -> None:
        self.of = {name: Billing(say, writes=100) for name in MODELS}
        self.of["judge"] = Billing(judge, manner, writes=1000)

    def __call__(self, request: ReceivedRequest) -> Reply:
        """The reply of whoever is asked."""
        return self.of[request.model](request)

    @property
    def dollars(self) -> float:
        """All that was charged."""
        return sum(bill.dollars for bill in self.of.values())


def say(request: ReceivedRequest) -> str:
    """Words that are long enough to be compared."""
    return (
        f"# Within\nI wonder how it is.\n\n# Aloud\n{request.model} waits with them. " + "So. " * 40
    )


@pytest.fixture
def start(
    bench: Callable[..., Any], empty_place: Path, pack: Path, grades: Callable[..., Any]
) -> Iterator[Callable[..., Any]]:
    """Starts a server with a bill, and runs commands that ask it."""
    table = '[prices."openai/{}"]\ninput = 10\noutput = 10\n'
    prices = "\n".join(table.format(name) for name in (*MODELS, "judge"))
    (empty_place / "bench.toml").write_text(prices, encoding="utf-8")

    def judge(request: ReceivedRequest) -> str:
        if codes := re.findall(r"^\[RESPONDENT (A\d+)\]", request.prompt, re.M):
            return json.dumps(dict.fromkeys(("kindness", "sense"), f"{codes[0]}++"))
        return json.dumps(grades(request.prompt, 14))

    servers: list[LoopbackServer] = []

    def begin(manner: str = "honest") -> tuple[Bills, Callable[..., Any]]:
        bills = Bills(judge, manner)
        servers.append(LoopbackServer(bills))
        servers[-1].start()
        url = servers[-1].base_url
        who = [part for name in MODELS for part in ("--model", f"openai/{name}")]
        judged = ("--judge", "openai/judge", "--judge-base-url", url)
        command = ("run", "eqbench3", *who, "--base-url", url, *judged, "--dataset", pack)
        return bills, lambda *more: bench(*command, "--max-tokens", 200, "--json", *more)

    yield begin
    for server in servers:
        server.close()


def test_verdicts_and_comparisons_are_paid_from_one_limit(start: Callable[..., Any]) -> None:
    """Two models, their verdicts and comparisons: each command keeps its limit, to the end."""
    bills, run = start()
    codes: list[int] = []
    before = 0.0
    while not codes or codes[-1] == 5:
        done = run("--iterations", 3, "--max-cost", 0.65)
        codes.append(done.code)
        assert bills.dollars - before <= 0.65 + 1e-9
        assert bills.dollars > before or codes[-1] != 5
        before = bills.dollars
    assert len(codes) > 1 and codes[-1] == 0, done.err
    paid = sum(run["cost_usd"] for run in done.json["runs"])
    assert paid == pytest.approx(bills.dollars)


def test_a_judge_beyond_all_bounds_is_asked_once(start: Callable[..., Any]) -> None:
    """One verdict shows that nothing bounds what the judge bills."""
    bills, run = start("ignores-limit")
    done = run("--max-cost", 50)
    assert done.code == 5 and len(bills.of["judge"].charges) == 1
    assert not bills.of["two"].charges
    assert "the judge openai/judge at 127.0.0.1" in done.json["runs"][0]["warnings"][-1]
