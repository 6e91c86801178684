"""Spending through the command line: plans, prices, and a limit that is never exceeded."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from eibench.testing import Answer, LoopbackServer, ReceivedRequest, uniform_ratings
from tests import processes
from tests.processes import Done

IN, OUT = 2.0, 8.0
"""Dollars per million tokens of the model that the server plays."""
TOKENS_IN, CACHED, TOKENS_OUT, REASONING = 900, 300, 700, 100


def bench(tmp_path: Path, *args: str) -> Done:
    """One `bench` command in a folder of its own."""
    return processes.run(args, tmp_path)


def run(tmp_path: Path, server: LoopbackServer, *more: str) -> Done:
    """`bench run` on a priced model that the server plays."""
    base = ("run", "eqbench-v1", "--dataset", "bundled", "--model", "openai/x", "--json")
    price = ("--base-url", server.base_url, "--price", f"{IN:g},{OUT:g}")
    return bench(tmp_path, *base, *price, *more)


def costly(request: ReceivedRequest) -> Answer:
    """Readable ratings that use a known number of tokens."""
    reply = uniform_ratings(seed=1)(request)
    assert isinstance(reply, str)
    return Answer(
        reply,
        input_tokens=TOKENS_IN,
        cached_tokens=CACHED,
        output_tokens=TOKENS_OUT,
        reasoning_tokens=REASONING,
    )


def billed(server: LoopbackServer) -> float:
    """Dollars for all requests that the server answered."""
    return len(server.answered) * (TOKENS_IN * IN + TOKENS_OUT * OUT) / 1e6


def test_a_limit_is_never_exceeded_and_more_money_goes_on(tmp_path: Path) -> None:
    """The server counts: never more than the limit, exit 5; later commands buy only the rest."""
    with LoopbackServer(costly, latency=0.02) as server:
        first = run(tmp_path, server, "--max-cost", "0.05", "--concurrency", "64")
        assert first.returncode == 5, first.stderr
        document = json.loads(first.stdout)
        assert document["status"] == "budget"
        assert 0 < billed(server) <= 0.05
        assert document["cost_usd"] == pytest.approx(billed(server), abs=1e-9)
        assert "larger --max-cost goes on" in first.stderr
        second = run(tmp_path, server, "--max-cost", "1", "--concurrency", "64")
        assert second.returncode == 0, second.stderr
        assert len(server.answered) == 30
    whole = json.loads(second.stdout)
    assert whole["items"]["scored"] == 30
    assert whole["cost_usd"] == pytest.approx(30 * (TOKENS_IN * IN + TOKENS_OUT * OUT) / 1e6)


def test_attempts_that_may_have_been_billed_count(tmp_path: Path) -> None:
    """With half of the attempts ending in a server error, the limit covers those too."""
    with LoopbackServer(costly, faults={"500": 0.5}, seed=3) as server:
        done = run(tmp_path, server, "--max-cost", "0.2", "--concurrency", "64")
        assert done.returncode == 5, done.stderr
        bound = 0.02  # less than what any attempt is reserved with (4096 tokens of output)
        assert billed(server) + server.counts["500"] * bound <= 0.2


CLIENTS = [("openai/x", "/v1"), ("anthropic/x", ""), ("litellm/openai/x", "/v1")]


@pytest.mark.parametrize(("spec", "path"), CLIENTS, ids=[spec for spec, _ in CLIENTS])
def test_each_client_s_cost_is_right_to_the_cent(tmp_path: Path, spec: str, path: str) -> None:
    """bench.toml's price holds, cached input at its own rate; reasoning is part of the output."""
    rates = "input = 2.0\noutput = 8.0\ncached = 0.5\n"
    (tmp_path / "bench.toml").write_text(f'[prices."{spec}"]\n{rates}', encoding="utf-8")
    with LoopbackServer(costly) as server:
        base = ("run", "eqbench-v1", "--dataset", "bundled", "--model", spec, "--json")
        done = bench(tmp_path, *base, "--base-url", server.root_url + path, "--limit", "10")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    a_call = ((TOKENS_IN - CACHED) * 2.0 + CACHED * 0.5 + TOKENS_OUT * 8.0) / 1e6
    assert document["cost_usd"] == pytest.approx(10 * a_call, abs=1e-9)
    assert document["tokens"] == {
        "input": 9000, "cached": 3000, "output": 7000, "reasoning": 1000,
    }  # fmt: skip


def test_replayed_calls_cost_nothing(tmp_path: Path) -> None:
    """A finished run is told again within a limit of nothing."""
    with LoopbackServer(costly) as server:
        run(tmp_path, server, "--limit", "3")
        again = run(tmp_path, server, "--limit", "3", "--max-cost", "0")
        assert len(server.answered) == 3
    assert again.returncode == 0, again.stderr


CASES = [
    pytest.param(("--max-cost", "1"), "needs the price of openai/x at", id="unknown-price"),
    pytest.param(("--price", "2"), "is not IN,OUT", id="half-a-price"),
    pytest.param(("--price", "2,x"), "is not IN,OUT", id="no-number"),
    pytest.param(("--max-cost", "-1"), "--max-cost", id="negative"),
    pytest.param(
        ("--max-cost", "1", "--price", "1,1", "--extra-body", '{"tools": []}'),
        "what tools of --extra-body costs",
        id="unbounded",
    ),
]


@pytest.mark.parametrize(("args", "said"), CASES)
def test_what_cannot_be_kept_is_refused(tmp_path: Path, args: tuple[str, ...], said: str) -> None:
    """One line, exit 2, before anything is sent."""
    model = ("--model", "openai/x", "--base-url", "http://model.example/v1")
    done = bench(tmp_path, "run", "eqbench-v1", "--dataset", "bundled", *model, *args)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr.splitlines()[-1]


def plan(tmp_path: Path, *args: str) -> dict[str, Any]:
    """The plan of a dry run."""
    base = ("run", "eqbench-v1", "--dataset", "bundled", "--dry-run", "--json")
    done = bench(tmp_path, *base, *args)
    assert done.returncode == 0, done.stderr
    made: dict[str, Any] = json.loads(done.stdout)["runs"][0]
    return made


def test_a_dry_run_sends_nothing_and_makes_no_journal(tmp_path: Path) -> None:
    """The plan names calls, tokens and a cost range that a real run falls into."""
    with LoopbackServer(costly) as server:
        target = ("--model", "openai/x", "--base-url", server.base_url, "--price", "2,8")
        made = plan(tmp_path, *target)
        assert not server.requests
        assert not (tmp_path / "runs").exists()
        done = json.loads(run(tmp_path, server).stdout)
    low, high = made["cost_usd"]
    assert made["calls"] == {"model": 30, "judge": 0}
    assert low <= done["cost_usd"] <= high


def test_a_plan_counts_only_what_is_left(tmp_path: Path) -> None:
    """Samples that are scored already are named and cost nothing more."""
    with LoopbackServer(costly) as server:
        run(tmp_path, server, "--limit", "10")
        target = ("--model", "openai/x", "--base-url", server.base_url, "--price", "2,8")
        made = plan(tmp_path, *target)
    assert made["samples"] == {"total": 30, "left": 20}
    assert made["calls"]["model"] == 20


def test_an_unknown_price_is_no_zero(tmp_path: Path) -> None:
    """A host whose price nobody told is shown as unknown."""
    made = plan(tmp_path, "--model", "openai/x", "--base-url", "http://model.example/v1")
    assert made["cost_usd"] is None


def test_a_limit_below_the_least_is_refused_with_what_fits(tmp_path: Path) -> None:
    """Before anything is sent; what is said to fit is planned, and is enough for a result."""
    with LoopbackServer(costly) as server:
        least = plan(tmp_path, "--model", "openai/x", "--base-url", server.base_url,
                     "--price", "2,8")["cost_usd"][0]  # fmt: skip
        limit = ("--max-cost", f"{least * 0.99:.6f}")
        done = run(tmp_path, server, *limit)
        assert done.returncode == 2 and not server.requests
        assert "does not cover the least, $" in done.stderr
        fits = done.stderr.rpartition("--limit ")[2].split()[0]
        assert 0 < int(fits) < 30
        assert run(tmp_path, server, *limit, "--limit", fits, "--dry-run").returncode == 0
        assert run(tmp_path, server, "--max-cost", "0.0001").returncode == 2


def test_a_run_that_goes_on_may_be_paid_in_instalments(tmp_path: Path) -> None:
    """A limit below what is left ends it early, with one amount for what was spent."""
    with LoopbackServer(costly) as server:
        run(tmp_path, server, "--limit", "2")
        before = len(server.requests)
        options = ["run", "eqbench-v1", "--dataset", "bundled", "--model", "openai/x"]
        options += ["--base-url", server.base_url, "--price", "2,8", "--max-cost", "0.0001"]
        done = bench(tmp_path, *options)
        assert (done.returncode, len(server.requests)) == (5, before)
        assert "$0.00 spent" not in done.stdout.splitlines()[-1]  # the run has cost something


def test_the_end_has_one_amount_for_what_was_spent(tmp_path: Path) -> None:
    """Also of what was in flight when the limit was reached; nothing is $0.00, not free."""
    with LoopbackServer(costly) as server:
        options = ["run", "eqbench-v1", "--dataset", "bundled", "--model", "openai/x"]
        options += ["--base-url", server.base_url, "--price", "2,8", "--concurrency", "8"]
        done = bench(tmp_path, *options, "--max-cost", "0.05")
        assert done.returncode == 5, done.stderr
        spent = re.search(r"is reached: (\$[\d.]+) spent", done.stdout + done.stderr)
        assert spent and f", {spent[1]}, " in done.stdout.splitlines()[-1]
        done = bench(tmp_path, *options[:-2], "--name", "y", "--max-cost", "0.05",
                     "--max-tokens", "100000")  # fmt: skip
        assert done.returncode == 5, done.stderr
        assert ", $0.00 spent, " in done.stdout.splitlines()[-1]


def test_a_given_price_holds_for_a_service_tier(tmp_path: Path) -> None:
    """Whoever names its price may limit it; a listed price is that of the standard tier."""
    tier = ("--extra-body", '{"service_tier": "flex"}')
    with LoopbackServer(costly) as server:
        done = run(tmp_path, server, "--limit", "2", "--max-cost", "1", *tier)
        assert done.returncode == 0, done.stderr
        assert server.requests[-1].body["service_tier"] == "flex"
    model = ("--model", "openai/gpt-4.1", "--max-cost", "1", *tier)
    done = bench(tmp_path, "run", "eqbench-v1", "--dataset", "bundled", *model)
    assert done.returncode == 2
    assert "service_tier of --extra-body costs; give its price with --price" in done.stderr
