"""bench.toml at work in `bench run`: endpoints, prices, limits, and the question about keys."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.core.clients.approvals import Approvals, Sending
from eibench.testing import Gate, LoopbackServer, ReceivedRequest, uniform_ratings
from tests.processes import on_a_terminal

Bench = Callable[..., Any]
KEY = "sk-fake-0123456789abcdef"
RUN = ("run", "eqbench-v1", "--limit", 2)
AWAY = """
[run]
model = "openai/x"
base_url = "away"
[endpoints.away]
base_url = "https://192.0.2.1/v1"
api_key_env = "MINE_KEY"
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No approvals but those of a test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    """A model's server; it fills in forms."""
    with LoopbackServer(uniform_ratings(1)) as server:
        yield server


def endpoint(server: LoopbackServer, more: str = "") -> None:
    """A bench.toml with that server as the endpoint `here`."""
    Path("bench.toml").write_text(
        f'[endpoints.here]\nbase_url = "{server.base_url}"\napi_key_env = "MINE_KEY"\n{more}'
    )


@pytest.mark.parametrize("by", ["name", "address"])
def test_an_endpoint_gets_its_key(bench: Bench, server: LoopbackServer, by: str) -> None:
    """The key in its variable, and not the provider's; the run is that of the address."""
    endpoint(server)
    where = "here" if by == "name" else server.base_url
    env = {"MINE_KEY": KEY, "OPENAI_API_KEY": "sk-fake-another-0123456789"}
    done = bench(*RUN, "--model", "openai/x", "--base-url", where, "--json", env=env)
    assert done.code == 0, done.err
    assert {r.api_key for r in server.requests} == {KEY}
    assert done.json["model"] == "openai/x"
    again = bench(*RUN, "--model", "openai/x", "--base-url", server.base_url, "--json", env=env)
    assert again.json["run_id"] == done.json["run_id"]


@pytest.mark.parametrize(("option", "most"), [((), 2), (("--concurrency", 8), 8)])
def test_an_endpoint_s_concurrency_holds_unless_an_option_says_otherwise(
    bench: Bench, option: tuple[object, ...], most: int
) -> None:
    """Two at a time as the file says, or more as the command says."""
    run = ("run", "eqbench-v1", "--model", "openai/x", "--base-url", "here", "--limit", 8)
    with LoopbackServer(uniform_ratings(1), latency=Gate(opens_at=most)) as server:
        endpoint(server, "concurrency = 2\n")
        assert bench(*run, *option, env={"MINE_KEY": KEY}).code == 0
    assert server.peak_in_flight == most


def test_a_local_server_is_asked_one_at_a_time_first(bench: Bench) -> None:
    """Nobody said how many it takes, so the second request waits for the first answer."""
    seen: list[int] = []
    run = ("run", "eqbench-v1", "--model", "openai/x", "--limit", 30, "--base-url")
    begun: list[float] = []

    def latency(request: ReceivedRequest) -> float:
        begun.append(request.received_at)
        return 0.05

    with LoopbackServer(
        uniform_ratings(1), latency=latency, on_outcome=lambda *_: seen.append(len(begun))
    ) as local:
        assert bench(*run, local.base_url).code == 0
    assert seen[0] == 1 and local.peak_in_flight > 2


def test_an_endpoint_s_rate_holds(bench: Bench, server: LoopbackServer) -> None:
    """Of 30 requests a minute, the second comes two seconds after the first was sent."""
    endpoint(server, "rpm = 30\n")
    run = (*RUN[:2], "--limit", 2, "--model", "openai/x", "--base-url", "here")
    began = time.monotonic()
    assert bench(*run, env={"MINE_KEY": KEY}).code == 0
    assert server.requests[1].received_at - began >= 2.0


def test_prices_of_the_file_are_counted(bench: Bench, server: LoopbackServer) -> None:
    """Each call has that price and says where it is from."""
    endpoint(server, '[prices."openai/x"]\ninput = 1000\noutput = 0\n')
    run = (*RUN, "--model", "openai/x", "--base-url", "here", "--json", "--yes")
    document = bench(*run, env={"MINE_KEY": KEY}).json
    assert document["cost_usd"] == pytest.approx(document["tokens"]["input"] / 1000)


def test_a_limit_in_the_file_is_no_consent(bench: Bench) -> None:
    """It holds, but whether to spend at all is still asked on a terminal."""
    Path("bench.toml").write_text(
        '[run]\nmax_cost = 5\nprice = "1,2"\nmodel = "openai/x"\nbase_url = "https://192.0.2.1"\n'
    )
    Approvals().add(Sending("192.0.2.1", "NO_KEY"))
    said, code = answering("run", "eqbench-v1", answer="n")
    assert "Spend " in said
    assert code == 2


def test_without_a_terminal_no_key_is_sent(bench: Bench) -> None:
    """Exit 3, one line that says what would go where and how to allow it; nothing is made."""
    Path("bench.toml").write_text(AWAY)
    done = bench(*RUN, "--yes", env={"MINE_KEY": KEY})
    assert done.code == 3
    assert done.err.count("\n") == 1
    assert "bench.toml sends the key in MINE_KEY to 192.0.2.1" in done.err
    assert "bench config --approve 192.0.2.1 MINE_KEY" in done.err
    assert KEY not in done.err
    assert not Path("runs").exists()


def test_what_is_approved_runs(bench: Bench) -> None:
    """After `bench config --approve`, or with --api-key-env in the command itself."""
    Path("bench.toml").write_text(AWAY)
    env = {"MINE_KEY": KEY}
    assert bench(*RUN, "--dry-run", "--api-key-env", "MINE_KEY", env=env).code == 0
    assert bench(*RUN, "--dry-run", env=env).code == 3
    bench("config", "--approve", "192.0.2.1", "MINE_KEY")
    assert bench(*RUN, "--dry-run", env=env).code == 0


def test_broken_approvals_stop_a_run(bench: Bench) -> None:
    """Exit 3 with the file's name."""
    Path("bench.toml").write_text(AWAY)
    path = Approvals().path
    path.parent.mkdir(parents=True)
    path.write_text('{"approved": "all"}')
    done = bench(*RUN, env={"MINE_KEY": KEY})
    assert done.code == 3
    assert "approved.json" in done.err


def answering(*args: str, answer: str, **variables: str) -> tuple[str, int]:
    """What `bench` says on a real terminal whose user gives that answer, and its exit code."""
    pytest.importorskip("pty", reason="no terminals of POSIX here")
    return on_a_terminal(args, f"{answer}\n", env={**os.environ, "TERM": "dumb", **variables})


def test_on_a_terminal_the_user_is_asked_once(bench: Bench) -> None:
    """A yes is kept for the next command; the question names the key, the host and the file."""
    Path("bench.toml").write_text(AWAY)
    run = ("run", "eqbench-v1", "--dry-run")
    said, code = answering(*run, answer="y", MINE_KEY=KEY)
    assert "bench.toml sends the key in MINE_KEY to 192.0.2.1. Allow that on this machine?" in said
    assert code == 0
    assert Approvals().all() == [Sending("192.0.2.1", "MINE_KEY")]
    said, code = answering(*run, answer="", MINE_KEY=KEY)
    assert "Allow" not in said
    assert code == 0


@pytest.mark.parametrize("answer", ["n", ""])
def test_on_a_terminal_no_is_the_default(answer: str) -> None:
    """Neither a no nor an empty line nor --yes sends or stores anything."""
    Path("bench.toml").write_text(AWAY)
    said, code = answering("run", "eqbench-v1", "--yes", answer=answer, MINE_KEY=KEY)
    assert "not approved: 192.0.2.1 is sent nothing" in said
    assert code == 3
    assert not Approvals().path.exists()
    assert not Path("runs").exists()
