"""What may meet in one rating, where two runs have asked the same."""

from typing import Any

import pytest

from eibench.core.compare.comparison_pool import counted, current
from eibench.core.journal import StoredComparison
from eibench.core.parties.party import Party


def row(a: str, b: str, first: str, status: str = "read", margin: int = 2) -> StoredComparison:
    """A comparison between two runs, on the same item."""
    margins = {"x": margin} if status == "read" else {}
    about = ("pool", "item", 1, f"run-{a}", f"run-{b}", a, b, first, 1, "all 1", None)
    return StoredComparison(*about, status, Party.of("openai/judge"), "family", "g", margins)


RUNS = {name: f"run-{name}" for name in "xyz"}


def test_what_both_runs_have_asked_counts_once() -> None:
    """Who is a and who is b does not matter; whose is first does."""
    one, same, other = row("x", "y", "a"), row("y", "x", "b", margin=-3), row("y", "x", "a")
    for rows in ([one, same, other], [other, same, one]):
        assert current(rows, RUNS) == [one, other]


@pytest.mark.parametrize(
    ("statuses", "kept"),
    [
        (("read", "planned"), "read"),
        (("planned", "read"), "read"),
        (("unread", "read"), "read"),
        (("planned", "unread"), "unread"),
        (("known", "planned"), "planned"),
        (("known", "read"), "read"),
    ],
)
def test_what_was_read_goes_before_what_was_not(statuses: tuple[str, str], kept: str) -> None:
    """Whoever has it."""
    rows = [row("x", "y", "a", statuses[0]), row("y", "x", "b", statuses[1])]
    assert [r.status for r in current(rows, RUNS)] == [kept]


def test_only_runs_that_count_are_in_it() -> None:
    """An older run's comparisons are passed over, on either side."""
    old = row("x", "y", "a")._replace(run_a="run-older")
    assert current([old, old._replace(a="y", b="x", run_a="run-y", run_b="run-older")], RUNS) == []


def test_the_plans_of_others_are_not_this_run_s() -> None:
    """All are counted on a board, and its own in a run's result."""
    rows = [row("x", "y", "a", "planned"), row("z", "y", "a", "planned"), row("x", "z", "a")]
    own: Any = type("Run", (), {"run_id": "run-x"})()
    assert dict(counted(rows)) == {"total": 3, "read": 1, "unread": 0, "planned": 2}
    assert dict(counted(rows, own)) == {"total": 2, "read": 1, "unread": 0, "planned": 1}


def test_two_processes_at_the_same_time(table: Any) -> None:
    """Each places its model against the other's and m0's; nothing is counted twice or lost."""
    table.placed("m0")
    both = [table.start(model, more=("--no-rubric",)) for model in ("m1", "m2")]
    for process in both:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    board = table.bench("leaderboard", "eqbench3", "--json").json
    assert [row["model"] for row in board["rows"]] == ["openai/m2", "openai/m1", "openai/m0"]
    done = table.run("m1", more=("--no-rubric",))
    assert done.json["comparisons"]["read"] in {36, 54}
    assert {row["comparisons"] for row in done.json["ratings"]} <= {18, 36}
