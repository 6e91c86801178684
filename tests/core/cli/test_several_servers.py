"""Several servers of one model: they share a run, and one may die and come back."""

import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from eibench.testing import LoopbackServer, ReceivedRequest, uniform_ratings

Bench = Callable[..., Any]
RUN = ("run", "eqbench-v1", "--model", "openai/x", "--json", "--concurrency", 6)
ITERATIONS = ("--iterations", 12)


def at(*servers: LoopbackServer) -> tuple[str, ...]:
    """The options that name servers."""
    return tuple(word for server in servers for word in ("--base-url", server.base_url))


def addresses() -> dict[str, int]:
    """Replies in the journal by the address that gave them."""
    with sqlite3.connect(Path("runs") / "bench.sqlite") as journal:
        rows = journal.execute("SELECT address, count(*) FROM calls GROUP BY address")
        return dict(rows.fetchall())


class Fleet:
    """Three servers, the first of which dies at its fifth request and comes back later.

    The others answer slowly until it is back and has answered, for as long as the test needs.
    """

    def __init__(self) -> None:
        self.rating = uniform_ratings(1)
        self.others = [LoopbackServer(self.rating, latency=self._latency) for _ in range(2)]
        self.first = LoopbackServer(self._dying, latency=0.01)
        self.second: LoopbackServer | None = None
        self.reviving: Thread | None = None

    def _latency(self, request: ReceivedRequest) -> float:
        return 0.01 if self.second and self.second.answered else 0.1

    def _dying(self, request: ReceivedRequest) -> Any:
        if request.n == 4:
            self.reviving = Thread(target=self._die_and_return)
            self.reviving.start()
        return self.rating(request)

    def _die_and_return(self) -> None:
        self.first.close()
        time.sleep(0.2)
        back = LoopbackServer(self.rating, port=self.first.port)
        back.start()
        self.second = back

    def __enter__(self) -> "Fleet":
        for server in (self.first, *self.others):
            server.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.reviving:
            self.reviving.join()
        for server in (self.first, self.second, *self.others):
            if server:
                server.close()


def test_one_of_three_dies_and_comes_back(bench: Bench) -> None:
    """No sample is lost, all took their share, and the revived one is asked again."""
    with Fleet() as fleet:
        done = bench(*RUN, *ITERATIONS, *at(fleet.first, *fleet.others))
        assert done.code == 0, done.err
        items = done.json["items"]
        assert items["scored"] == items["total"]
        assert items["failed"] == 0
        assert fleet.second is not None
        assert fleet.second.answered
        assert all(len(server.answered) > 5 for server in fleet.others)
        answered = [fleet.first, fleet.second, *fleet.others]
        assert sum(addresses().values()) == items["total"]
        assert len(addresses()) == 3
        assert sum(len(s.answered) for s in answered) >= items["total"]


def test_a_run_is_the_same_with_fewer_servers_more_and_in_another_order(bench: Bench) -> None:
    """Whichever two of three are named; nothing is asked twice."""
    servers = [LoopbackServer(uniform_ratings(1)) for _ in range(3)]
    for server in servers:
        server.start()
    one, two, three = servers
    ids = set()
    for named in ((two,), (one, two, three), (three, two), (three, one)):
        done = bench(*RUN, "--limit", 3, *at(*named))
        assert done.code == 0, done.err
        ids.add(done.json["run_id"])
    for server in servers:
        server.close()
    assert len(ids) == 1
    assert sum(len(server.answered) for server in servers) == 3


def test_a_list_in_the_settings_file_and_a_variable(bench: Bench) -> None:
    """bench.toml may have a list, and the variable addresses with blanks between."""
    with LoopbackServer(uniform_ratings(1)) as one, LoopbackServer(uniform_ratings(1)) as two:
        urls = [one.base_url, two.base_url]
        Path("bench.toml").write_text(f"[run]\nbase_url = {json.dumps(urls)}\n")
        assert bench(*RUN).code == 0
        assert one.answered
        assert two.answered
        Path("bench.toml").unlink()
        done = bench(*RUN, "--fresh", env={"BENCH_BASE_URL": " ".join(urls)})
        assert done.code == 0, done.err


@pytest.mark.parametrize(
    "fault",
    ["hang", "drop-mid", "html", "truncated", "endless", "400", "401", "403", "404", "quota"],
)
def test_what_one_server_does_not_answer_is_asked_of_another(bench: Bench, fault: str) -> None:
    """No sample is lost to one of three that hangs, is broken or refuses, the last one neither."""
    env = {"BENCH_MAX_REPLY": "100KiB", "BENCH_TIMEOUT": "2"}
    with (
        LoopbackServer(faults={fault: 1.0}) as bad,
        LoopbackServer(uniform_ratings(1)) as one,
        LoopbackServer(uniform_ratings(1)) as two,
    ):
        done = bench(*RUN, "--limit", 4, *at(bad, one, two), env=env)
        assert (done.code, done.json["items"]["scored"]) == (0, 4), done.err
        assert bad.requests and len(one.answered) + len(two.answered) == 4


@pytest.mark.parametrize("fault", ["400", "401"])
def test_what_all_servers_refuse_is_refused(bench: Bench, fault: str) -> None:
    """Each is asked once, and the error is theirs."""
    faults = {fault: 1.0}
    with LoopbackServer(faults=faults) as one, LoopbackServer(faults=faults) as two:
        done = bench(*RUN, "--limit", 1, *at(one, two))
        assert done.code == (1 if fault == "400" else 4)
        assert len(one.requests) == len(two.requests) > 0
        assert {"400": "The request is invalid", "401": "Incorrect API key"}[fault] in done.out + (
            done.err
        )


def test_all_down_is_an_error_that_names_them(bench: Bench) -> None:
    """Only then the run ends, and says where nobody listens."""
    servers = [LoopbackServer(), LoopbackServer()]
    for server in servers:
        server.start()
        server.close()
    done = bench(*RUN, "--limit", 1, *at(*servers), env={"BENCH_MAX_RETRIES": "0"})
    assert done.code != 0
    assert all(str(server.port) in done.err for server in servers), done.err


def test_two_models_under_one_name_are_refused(bench: Bench) -> None:
    """A server that lists another model than the first is no server of the same model."""
    entries = [[{"id": "x", "root": root}] for root in ("/a", "/b")]
    with LoopbackServer(models=entries[0]) as one, LoopbackServer(models=entries[1]) as two:
        done = bench(*RUN, *at(one, two))
        assert done.code == 2
        assert "another model than the other servers" in done.out + done.err
        assert not one.requests + two.requests


@pytest.mark.parametrize("times", [2])
def test_a_server_given_twice(bench: Bench, times: int) -> None:
    """It would count as two."""
    with LoopbackServer() as server:
        assert "is given twice" in bench("run", "eqbench-v1", "--model", "openai/x",
                                         *at(*[server] * times)).err  # fmt: skip
