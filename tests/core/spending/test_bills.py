"""--max-cost by the server's own count, whatever the server does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench import ProviderError, Result
from eibench.testing import Billing, Fault, LoopbackServer, ReceivedRequest, Reply, uniform_ratings

IN = OUT = 10.0
"""Dollars per million tokens."""
LIMIT = 0.5
PRICE = {"input": IN, "output": OUT}
VERDICT = '{"reason": "It sees it.", "PASS": 1, "WIN": 0}'


def rate(request: ReceivedRequest) -> str:
    """Readable ratings."""
    reply = uniform_ratings(1)(request)
    assert isinstance(reply, str)
    return reply


def run(server: LoopbackServer, runs: Path, **changes: Any) -> Result:
    """An EQ-Bench run that costs about 0.7 dollars where bills are honest."""
    given: dict[str, Any] = {"max_cost": LIMIT, "max_tokens": 2000, "concurrency": 16} | changes
    return eibench.run(
        "eqbench-v1",
        model="openai/x",
        base_url=server.base_url,
        prices={"openai/x": PRICE},
        runs_dir=runs,
        **given,
    )


# Servers that keep to what bounds a reply, however they tell it


@pytest.mark.parametrize(
    "manner", ["honest", "reasoning-beside", "total-only", "no-usage", "drops", "fails"]
)
def test_a_bill_is_never_beyond_the_limit(tmp_path: Path, manner: str) -> None:
    """What the server charged stays below the limit, and what is stored is no less."""
    bill = Billing(rate, manner)
    with LoopbackServer(bill) as server:
        done = run(server, tmp_path)
    assert done.status == "budget"
    assert 0.2 * LIMIT < bill.dollars <= LIMIT + 1e-9
    if manner in ("honest", "reasoning-beside", "total-only"):
        assert done.cost_usd == pytest.approx(bill.dollars)
    if manner == "no-usage":
        assert done.cost_usd is None


# Servers that do not


@pytest.mark.parametrize("manner", ["ignores-limit", "long-prompt"])
def test_the_first_call_goes_alone(tmp_path: Path, manner: str) -> None:
    """A server that bills beyond all bounds is found out with one request."""
    bill = Billing(rate, manner)
    with LoopbackServer(bill) as server:
        done = run(server, tmp_path)
    assert done.status == "budget" and len(bill.charges) == len(server.requests) == 1
    assert done.cost_usd == pytest.approx(bill.dollars)
    (message,) = [w for w in done.warnings if "--max-cost" in w]
    assert (
        "billed $" in message and "at most" in message and "without --max-cost goes on" in message
    )


@pytest.mark.parametrize("manner", ["ignores-limit", "long-prompt"])
def test_a_reply_beyond_its_bound_is_the_last(tmp_path: Path, manner: str) -> None:
    """When bills become wrong later, what is in flight is answered, and no more is sent."""
    sound, concurrency = 6, 4
    bill = Billing(rate, manner, sound=sound)
    with LoopbackServer(bill) as server:
        done = run(server, tmp_path, concurrency=concurrency, max_cost=5.0)
    assert done.status == "budget"
    assert sound < len(bill.charges) <= sound + concurrency
    assert done.cost_usd == pytest.approx(bill.dollars)


def test_a_refused_token_limit_ends_the_run(tmp_path: Path) -> None:
    """A server that takes no limit under any name is not asked without one: exit code 4."""
    bill = Billing(rate, "refuses-limits")
    with LoopbackServer(bill) as server, pytest.raises(ProviderError) as caught:
        run(server, tmp_path)
    assert not bill.charges and len(server.requests) == 2
    assert caught.value.exit_code == 4
    assert "refuses max_tokens and max_completion_tokens" in str(caught.value)


def test_without_a_budget_it_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Such a server is asked without a limit when nothing has to be kept, and a line says so."""
    bill = Billing(rate, "refuses-limits")
    with LoopbackServer(bill) as server:
        assert run(server, tmp_path, max_cost=None, limit=3).status == "complete"
    (message,) = [r.getMessage() for r in caplog.records if "token limit" in r.getMessage()]
    assert f"127.0.0.1:{server.port}" in message


# The first call


@pytest.mark.parametrize("fault", ["429", "500", "drop", "truncated"])
def test_until_one_is_answered(tmp_path: Path, fault: str) -> None:
    """A first call that fails has shown nothing, so the next one goes alone too."""
    bill = Billing(rate, "ignores-limit")
    failed: list[ReceivedRequest] = []

    def plan(request: ReceivedRequest) -> Fault | None:
        if len(failed) >= 3:
            return None
        failed.append(request)
        return Fault(fault)

    with LoopbackServer(bill, faults=plan) as server:
        assert run(server, tmp_path, max_cost=5.0).status == "budget"
    assert len(server.requests) == 4 and len(bill.charges) == 1


def test_the_next_command_begins_alone_again(tmp_path: Path) -> None:
    """A new command trusts no server before it has seen an answer; replays are none."""
    bill = Billing(rate, "ignores-limit")
    with LoopbackServer(bill) as server:
        for requests in (1, 2, 3):
            again = run(server, tmp_path, max_cost=5.0)
            assert again.status == "budget" and len(server.requests) == requests
        run(server, tmp_path, max_cost=None)
    assert len(server.requests) == 30


def test_what_the_last_reply_cost_is_told(tmp_path: Path) -> None:
    """A run whose last reply is beyond its bound is whole, and says so."""
    bill = Billing(rate, "ignores-limit")
    with LoopbackServer(bill) as server:
        done = run(server, tmp_path, max_cost=5.0, limit=1)
    assert done.status == "complete"
    assert any("billed $" in warning for warning in done.warnings)


# Model and judge, both paid


def respond(request: ReceivedRequest) -> str:
    """A model of a few words, and its judge."""
    return VERDICT if request.model == "judge" else "I see. How are you now?"


class Parties:
    """A server that is models and a judge, with a bill for each."""

    def __init__(self, **manners: str) -> None:
        self.bills = {name: Billing(respond, manner) for name, manner in manners.items()}
        self.trials = 0

    def __call__(self, request: ReceivedRequest) -> Reply:
        """The reply of whoever is asked."""
        bill = self.bills[request.model]
        before = len(bill.charges)
        try:
            return bill(request)
        finally:
            self.trials += request.is_trial and len(bill.charges) > before

    @property
    def dollars(self) -> float:
        """All that was charged."""
        return sum(bill.dollars for bill in self.bills.values())

    def asked(self, name: str) -> int:
        """How many requests one of them worked on, a judge's trials left out."""
        return len(self.bills[name].charges) - (self.trials if name == "judge" else 0)


def judged(server: LoopbackServer, runs: Path, **changes: Any) -> Result:
    """An EmotionQueen run of 60 statements whose judge costs 20 times as much as its model."""
    given: dict[str, Any] = {"max_cost": LIMIT, "concurrency": 16, "limit": 60} | changes
    given["no_canaries"] = True
    return eibench.run(
        "emotionqueen",
        model="openai/model",
        judge="openai/judge",
        base_url=server.base_url,
        judge_base_url=server.base_url,
        prices={"openai/model": PRICE, "openai/judge": PRICE},
        runs_dir=runs,
        **given,
    )


@pytest.mark.parametrize("manner", ["honest", "reasoning-beside", "no-usage", "drops", "fails"])
def test_the_judge_s_money_counts_too(tmp_path: Path, manner: str) -> None:
    """A limit that the judge uses up is not exceeded; later commands buy the rest."""
    parties = Parties(model=manner, judge=manner)
    with LoopbackServer(parties) as server:
        done = judged(server, tmp_path)
        assert done.status == "budget" and parties.dollars <= LIMIT + 1e-9
        assert parties.bills["judge"].dollars > 0.2 * LIMIT
        if manner == "honest":
            assert done.cost_usd == pytest.approx(parties.dollars)
            assert judged(server, tmp_path, max_cost=5.0).status == "complete"
            assert (parties.asked("model"), parties.asked("judge")) == (60, 60)


@pytest.mark.parametrize("manner", ["ignores-limit", "long-prompt"])
def test_each_party_s_first_call_goes_alone(tmp_path: Path, manner: str) -> None:
    """A judge that bills beyond all bounds is asked once, however many answers wait for it.

    Its trial, which is short, may have shown nothing.
    """
    parties = Parties(model="honest", judge=manner)
    with LoopbackServer(parties) as server:
        done = judged(server, tmp_path, max_cost=5.0)
    assert done.status == "budget" and parties.asked("judge") + parties.trials <= 2
    assert parties.asked("judge") <= 1
    assert any("the judge openai/judge at 127.0.0.1" in warning for warning in done.warnings)
    assert done.cost_usd == pytest.approx(parties.dollars)


def test_a_judge_that_refuses_a_token_limit(tmp_path: Path) -> None:
    """It ends the run as a model that does, and the model's answers are kept."""
    parties = Parties(model="honest", judge="refuses-limits")
    with LoopbackServer(parties) as server:
        with pytest.raises(ProviderError, match="refuses max_tokens"):
            judged(server, tmp_path, max_cost=5.0)
        assert parties.asked("judge") == 0
        judged(server, tmp_path, max_cost=None)
    assert parties.asked("model") == parties.asked("judge") == 60


# Several models


def command(server: LoopbackServer, *more: object) -> tuple[object, ...]:
    """A command that asks two models and a judge, all priced."""
    url, who = server.base_url, ("--model", "openai/one", "--model", "openai/two")
    judge = ("--judge", "openai/judge", "--judge-base-url", url, "--limit", 20, "--json")
    return ("run", "emotionqueen", *who, "--base-url", url, *judge, *more)


@pytest.fixture
def prices(empty_place: Path) -> None:
    """All three cost."""
    table = '[prices."openai/{}"]\ninput = 10\noutput = 10\n'
    text = "\n".join(table.format(name) for name in ("one", "two", "judge"))
    (empty_place / "bench.toml").write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("prices")
def test_two_models_share_a_limit(invoke: Callable[..., Any]) -> None:
    """One command, one limit: the second gets what the first has left, and then the rest."""
    parties = Parties(one="honest", two="honest", judge="honest")
    with LoopbackServer(parties) as server:
        first = invoke(*command(server, "--max-cost", 0.7))
        assert first.code == 5 and parties.dollars <= 0.7 + 1e-9
        assert parties.asked("one") == 20 and 0 < parties.asked("judge") < 40
        documents = first.json["runs"]
        assert [d["status"] for d in documents] == ["complete", "budget"]
        assert sum(d["cost_usd"] for d in documents) == pytest.approx(parties.dollars)
        second = invoke(*command(server, "--max-cost", 5))
    assert second.code == 0
    assert [parties.asked(name) for name in parties.bills] == [20, 20, 40]


@pytest.mark.usefixtures("prices")
def test_an_excess_ends_the_whole_command(invoke: Callable[..., Any]) -> None:
    """After a reply beyond its bound no other model of the command is asked; exit code 5."""
    parties = Parties(one="ignores-limit", two="honest", judge="honest")
    with LoopbackServer(parties) as server:
        done = invoke(*command(server, "--max-cost", 5))
    assert done.code == 5 and len([r for r in server.requests if not r.is_trial]) == 1
    (warning,) = done.json["runs"][0]["warnings"]
    assert warning.startswith("openai/one at 127.0.0.1") and "billed $" in warning
    assert "next: the same command without --max-cost goes on from here" in done.err
