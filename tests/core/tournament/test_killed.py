"""kill -9 at any moment of a tournament: no verdict is lost, and none is bought twice."""

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from eibench.core.journal import StoredComparison
from eibench.testing import LoopbackServer

if TYPE_CHECKING:
    from collections.abc import Callable

KILLS = 10
"""For each way of judging."""
CONCURRENCY = 2
LATENCY = 0.04
_WHO = re.compile(r"This is (\w+) speaking")
_SCENE = re.compile(r"A: scene (\d+)\.")
What = tuple[str, ...]
Options = tuple[str, ...]


def asked(prompt: str) -> What:
    """Who was compared with whom, in this order, and on what."""
    first, second = dict.fromkeys(_WHO.findall(prompt))
    scene = _SCENE.search(prompt)
    assert scene
    return first, second, f"s{scene[1]}"


def stored(row: StoredComparison) -> What:
    """The same of a comparison in the journal."""
    names = [name.removeprefix("openai/") for name in (row.a, row.b)]
    return (*(names if row.first == "a" else names[::-1]), row.item_id)


@pytest.fixture
def slow_table(table: Any) -> Iterator[Any]:
    """Five models to be compared, by a judge that takes its time."""
    with LoopbackServer(table.world, latency=LATENCY) as server:
        table.server = server
        yield table


@pytest.mark.kills
@pytest.mark.parametrize("orders", ["both", "one"])
def test_kill_9_changes_nothing(
    slow_table: Any, make_pack: "Callable[..., Path]", orders: str
) -> None:
    """Batches, verdicts and ratings are those of a tournament that nobody disturbed."""
    table, rng = slow_table, Random(7)
    table.pack = make_pack(12, 12)
    for n in range(5):
        table.run(f"m{n}", more=("--no-elo", "--no-rubric"))
    shutil.copytree("runs", "whole")
    more: tuple[str, ...] = ("--no-rubric", "--schedule", "adaptive", "--orders", orders)
    whole = table.run("m4", runs="whole", more=(*more, "--concurrency", "16"))
    before = len(table.server.requests)
    more = (*more, "--concurrency", str(CONCURRENCY))
    kept: dict[What, StoredComparison] = {}
    states = []
    for n in range(KILLS):
        kill_somewhere(table, more, rng, answers=n % 4 * 2)
        now = {stored(row): row for row in table.rows() if row.status == "read"}
        assert kept.items() <= now.items(), "a verdict was lost or changed"
        kept = now
        states.append((set(now), len(table.server.requests)))
    assert 0 < len(kept) < whole.json["comparisons"]["read"], "killed before or after it all"
    final = table.run("m4", more=more)
    assert final.code == whole.code == 0
    assert final.json["ratings"] == whole.json["ratings"]
    assert final.json["notes"]["rating"] == whole.json["notes"]["rating"]
    assert table.rows() == table.rows("whole")
    bought = [asked(r.prompt) for r in table.server.requests[before:] if "[RESPONDENT" in r.prompt]
    assert set(bought) == {stored(row) for row in table.rows()}
    assert len(bought) - len(set(bought)) <= KILLS * CONCURRENCY
    for known, heard in states:
        again = [r.prompt for r in table.server.requests[heard:] if "[RESPONDENT" in r.prompt]
        assert known.isdisjoint(map(asked, again)), "a verdict that was kept was asked for again"


def kill_somewhere(table: Any, more: Options, rng: Random, answers: int) -> None:
    """End a run with kill -9 after some answers and a bit, or while it still starts."""
    until = len(table.server.answered) + answers
    process = table.start("m4", more=more)
    time.sleep(rng.uniform(0, 0.4) if answers == 0 else 0)
    while len(table.server.answered) < until:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    time.sleep(rng.uniform(0, 2 * LATENCY))
    process.kill()
    process.communicate()
    table.server.settle()
