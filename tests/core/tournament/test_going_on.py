"""A tournament that stops, or that begins again with something changed, goes on as it should."""

import asyncio
import itertools
import json
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from eibench.core.journal import Journal
from eibench.testing import Fault, ReceivedRequest, Reply


class Failing:
    """Answers every n-th comparison otherwise, as long as it is on."""

    def __init__(self, reply: Reply, every: int = 2) -> None:
        self.reply, self.every, self.on, self.n = reply, every, True, 0

    def __call__(self, request: ReceivedRequest, compares: bool) -> Reply | None:
        """The other answer, or none."""
        self.n += compares
        return self.reply if compares and self.on and self.n % self.every == 0 else None


def ratings(document: dict[str, Any]) -> list[tuple[str, float]]:
    """Models with their ratings."""
    return [(row["model"], row["rating"]) for row in document["ratings"]]


def test_the_same_command_again_asks_nothing(table: Any) -> None:
    """The finished result is printed as it was."""
    done = table.placed("m0", "m1")
    asked = len(table.server.requests)
    again = table.run("m1")
    assert len(table.server.requests) == asked
    assert again.json["ratings"] == done.json["ratings"]
    assert again.json["notes"]["rating"] == done.json["notes"]["rating"]
    assert again.json["status"] == "complete"


def test_scoring_again_keeps_the_ratings(table: Any) -> None:
    """They do not depend on it; and the finished placement stays finished."""
    done = table.placed("m0", "m1")
    again = table.bench("rescore", table.run_id("m1"), "--json")
    assert again.code == 0, again.err
    for name in ("comparisons", "ratings", "metrics", "status"):
        assert again.json[name] == done.json[name], name
    assert again.json["notes"]["rating"] == done.json["notes"]["rating"]
    shown = table.bench("show", table.run_id("m1"), "--json").json
    assert shown["ratings"] == done.json["ratings"]


def test_an_earlier_model_is_not_compared_a_second_time(table: Any) -> None:
    """What its opponent's run has bought counts for both."""
    done = table.placed("m0", "m1")
    again = table.run("m0")
    assert again.code == 0
    assert ratings(again.json) == ratings(done.json)
    assert table.bought() == again.json["comparisons"]["read"] == 18


@pytest.mark.parametrize(("schedule", "orders"), [("all", "both"), ("adaptive", "one")])
def test_a_judge_that_fails_in_the_middle(table: Any, schedule: str, orders: str) -> None:
    """Exit 1 and incomplete; the same command asks what is missing and nothing else."""
    more = ("--schedule", schedule, "--orders", orders, "--no-rubric")
    table.placed("m0", more=more)
    failing = Failing(Fault("context"))
    table.world.before = failing
    done = table.run("m1", more=more)
    assert (done.code, done.json["status"]) == (1, "incomplete")
    assert done.json["comparisons"]["planned"] > 0
    assert any("could not be made" in message for message in done.json["warnings"])
    shown = table.bench(*(a for a in table.arguments("m1") if a != "--json"), *more)
    assert shown.code == 1
    assert "next: the same command tries again" in shown.err
    failing.on = False
    done = table.run("m1", more=more)
    assert (done.code, done.json["status"]) == (0, "complete")
    assert done.json["comparisons"]["planned"] == 0
    assert set(table.compared().values()) == {1}


def test_a_judge_whose_key_is_refused_ends_the_run(table: Any) -> None:
    """Exit 4, and nothing that was bought is lost."""
    table.placed("m0")
    failing = Failing(Fault("401"), every=10)
    table.world.before = failing
    done = table.run("m1", more=("--concurrency", "1"))
    assert done.code == 4
    assert 0 < sum(row.status == "read" for row in table.rows()) < 18
    failing.on = False
    assert table.run("m1").code == 0
    assert set(table.compared().values()) == {1}
    assert table.bought() == 18


def test_the_budget_may_end_in_the_middle(table: Any) -> None:
    """Exit 5; with more money the same command goes on."""
    table.placed("m0", more=("--no-rubric",))
    prices = '[prices."openai/judge"]\ninput = 10\noutput = 10\n'
    (table.folder / "bench.toml").write_text(prices, encoding="utf-8")
    dear = ("--no-rubric", "--concurrency", "1")
    assert table.run("m1", more=(*dear, "--max-cost", "0.2")).code == 2  # not the least
    table.run("m1", more=(*dear, "--no-elo"))
    done = table.run("m1", more=(*dear, "--max-cost", "0.2"))
    assert (done.code, done.json["status"]) == (5, "budget"), done.err
    bought = done.json["comparisons"]["read"]
    assert 0 < bought < 18
    assert bought == table.bought()
    assert done.json["cost_usd"] <= 0.2
    done = table.run("m1", more=(*dear, "--max-cost", "100"))
    assert (done.code, done.json["status"]) == (0, "complete"), done.err
    assert set(table.compared().values()) == {1}


def test_a_filter_that_refuses_a_comparison_is_not_asked_again(table: Any) -> None:
    """It is unread with its reason, and what is advised is another judge."""
    table.placed("m0")
    refused = set[str]()

    def before(request: Any, compares: bool) -> Any:
        if not compares or (refused and request.prompt not in refused):
            return None
        refused.add(request.prompt)
        return Fault("400-content-filter")

    table.world.before = before
    done = table.run("m1")
    assert done.json["comparisons"]["unread"] == 1
    asked = len(table.server.requests)
    again = table.run("m1")
    assert len(table.server.requests) == asked
    for one in (done, again):
        assert "next: another --judge: a filter refuses this one 1 comparison" in one.err
        assert "bench rejudge" not in one.err


def test_another_runs_open_batch_does_not_hold_up_this_one(table: Any) -> None:
    """What m1 has still to ask is m1's."""
    table.placed("m0")
    failing = Failing(Fault("400"))
    table.world.before = failing
    assert table.run("m1").code == 1
    failing.on = False
    done = table.run("m2")
    assert (done.code, done.json["status"]) == (0, "complete")
    assert done.json["comparisons"]["planned"] == 0


def test_an_interrupt_between_two_batches_is_one(table: Any) -> None:
    """Nothing is planned then, but the placement is not at its end."""
    table.placed("m0")
    in_flight, go_on = threading.Event(), threading.Event()
    numbers = itertools.count(1)

    async def hold(request: ReceivedRequest) -> Any:
        in_flight.set()
        while not go_on.is_set():
            await asyncio.sleep(0.005)
        return table.world(request)

    def hold_the_last(request: ReceivedRequest, compares: bool) -> Any:
        """The interrupt comes while the fourth and last of a batch is in flight."""
        return hold(request) if compares and next(numbers) == 4 else None

    table.world.before = hold_the_last
    process = table.start("m1", more=("--concurrency", "2", "--no-rubric"))
    while not (in_flight.is_set() and table.bought() == 3):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    while "stopping" not in (line := process.stderr.readline()):
        assert line, "it ended without a word"
    go_on.set()
    out, err = process.communicate(timeout=60)
    document = json.loads(out)
    assert (process.returncode, document["status"]) == (130, "interrupted"), err
    assert document["comparisons"]["planned"] == 0
    assert document["comparisons"]["read"] == 4
    assert table.run("m1", more=("--no-rubric",)).code == 0
    assert table.bought() == 18


def test_after_more_iterations_these_are_compared_too(table: Any) -> None:
    """As soon as both models have them."""
    table.placed("m0", "m1")
    more = ("--iterations", "2")
    first = table.run("m0", more=more)
    assert first.json["comparisons"]["read"] == 18  # m1 has no second iteration yet
    second = table.run("m1", more=more)
    assert second.json["comparisons"]["read"] == 36
    assert {row.iteration for row in table.rows()} == {1, 2}
    assert table.bought() == 36


def test_another_judge_only_adds_its_own(table: Any) -> None:
    """For each of the models, whichever comes first."""
    table.placed("m0", "m1", "m2")
    table.run("m0", judge="other", more=("--no-rubric",))
    done = table.run("m1", judge="other", more=("--no-rubric",))
    assert done.json["calls"]["model"] == 9
    assert done.json["comparisons"]["read"] == 3 * 18
    assert table.bought() == 6 * 18


def test_a_smaller_limit_buys_no_more_than_it_says(table: Any) -> None:
    """Only the selected items are compared, as the plan has it."""
    table.placed("m0")
    table.run("m1", more=("--no-elo",))
    table.run("m1", more=("--limit", "2"))
    assert table.bought() == 4
    assert {row.item_id for row in table.rows()} == {"s0", "s1"}
    done = table.run("m1")
    assert (table.bought(), done.json["comparisons"]["read"]) == (18, 18)


def test_the_rating_may_be_wanted_later(table: Any) -> None:
    """`--no-elo` first; then only the comparisons are added."""
    done = table.placed("m0", "m1", more=("--no-elo",))
    assert (done.json["ratings"], table.bought()) == ([], 0)
    asked = len(table.server.requests)
    done = table.run("m1")
    assert len(table.server.requests) - asked == table.bought() == 18
    assert done.json["calls"]["replayed"] == 18


def test_an_opponent_that_ran_afresh_is_compared_afresh(table: Any) -> None:
    """Its new run counts, and comparisons with the old one do not; nothing is paid twice."""
    table.placed("m0", "m1")
    done = table.run("m0", more=("--fresh",))
    assert done.code == 0
    assert done.json["comparisons"]["read"] == 18
    assert table.bought() == 36
    again = table.run("m1")
    assert ratings(again.json) == ratings(done.json)
    assert again.json["comparisons"]["read"] == 18


def test_a_fresh_run_is_compared_with_everybody_again(table: Any) -> None:
    """Under its own number; the model is in the ratings once."""
    table.placed("m0", "m1", "m2")
    done = table.run("m2", more=("--fresh",))
    assert done.json["run_id"].endswith("-2")
    assert [name for name, _ in ratings(done.json)] == ["openai/m2", "openai/m1", "openai/m0"]
    assert done.json["comparisons"]["read"] == 3 * 18


def test_a_deleted_opponent_leaves_nothing_to_wait_for(table: Any) -> None:
    """Planned comparisons with it are forgotten; the run comes to its end."""
    table.placed("m0", "m1")
    failing = Failing(Fault("400"))
    table.world.before = failing
    assert table.run("m2").json["status"] == "incomplete"
    assert table.bench("delete", table.run_id("m0"), "--yes").code == 0
    failing.on = False
    done = table.run("m2")
    assert (done.code, done.json["status"]) == (0, "complete"), done.err
    assert done.json["comparisons"]["planned"] == 0
    assert [name for name, _ in ratings(done.json)] == ["openai/m2", "openai/m1"]


def test_a_deleted_opponent_that_runs_again_is_another(table: Any) -> None:
    """It has the same number and other words, so it is compared anew."""
    table.placed("m0", "m1")
    table.bench("delete", table.run_id("m0"), "--yes")
    assert table.rows() == []
    done = table.run("m0")
    assert done.json["comparisons"]["read"] == 18
    assert done.json["comparisons"]["opponents"] == ["openai/m1"]
    assert table.bought() == 36


def test_a_comparison_that_its_opponent_has_made_meanwhile_is_not_made_again(table: Any) -> None:
    """Planned by one run, made by the other's: it counts once, and is paid for once."""
    table.placed("m0")
    failing = Failing(Fault("400"), every=1)
    table.world.before = failing
    assert table.run("m1").json["comparisons"]["planned"] == 2
    failing.on = False
    done = table.run("m0")
    assert done.json["comparisons"] | {"planned": 0} == {
        "total": 18, "read": 18, "unread": 0, "planned": 0, "opponents": ["openai/m1"],
    }  # fmt: skip
    done = table.run("m1")
    assert (done.code, done.json["status"]) == (0, "complete")
    assert done.json["comparisons"]["read"] == 18
    assert done.json["comparisons"]["planned"] == 0
    assert table.bought() == 18


def test_an_order_that_cannot_be_read_is_counted_and_is_no_draw(table: Any) -> None:
    """Its pair counts by the one order that was read, what the place is worth taken off.

    As with any judge that cannot be read in the end, the run is incomplete, and says so.
    """
    table.placed("m0")

    def half(request: ReceivedRequest, compares: bool) -> Reply | None:
        """m0 first on scene 3: nothing that can be read."""
        first = request.prompt.partition("[/RESPONDENT")[0]
        is_it = compares and "scene 3" in request.prompt and "This is m0" in first
        is_it = is_it and "This is m1" in request.prompt
        return "I would rather not." if is_it else None

    table.world.before = half
    done = table.run("m1")
    assert done.json["comparisons"]["unread"] == 1
    assert done.json["comparisons"]["read"] == 17
    assert done.json["notes"]["rating"]["diagnostics"]["items"] == 9
    (row,) = [row for row in table.rows() if row.status == "unread"]
    assert row.reason == "no JSON in the reply"
    assert row.margins == {}
    assert "re-asked twice" in row.flags
    assert (done.code, done.json["status"]) == (1, "incomplete")
    assert any(
        message.startswith("1 comparison could not be read") for message in done.json["warnings"]
    )
    another = table.run("m2")
    assert (another.code, another.json["status"]) == (0, "complete")


def test_ctrl_c_in_the_middle_loses_nothing(table: Any) -> None:
    """Exit 130; the same command goes on."""
    table.placed("m0")
    process = table.start("m1", more=("--concurrency", "1", "--no-rubric"))
    while table.bought() < 3:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    document = json.loads(out)
    assert (process.returncode, document["status"]) == (130, "interrupted"), err
    assert 0 < document["comparisons"]["read"] < 18
    assert "the same command goes on" in err
    done = table.run("m1", more=("--no-rubric",))
    assert (done.code, done.json["comparisons"]["read"]) == (0, 18)
    assert set(table.compared().values()) == {1}


def test_export_and_import_of_compared_runs(table: Any) -> None:
    """Both runs in another journal give the same ratings; twice changes nothing."""
    done = table.placed("m0", "m1")
    ids = [table.run_id(model) for model in ("m0", "m1")]
    assert table.bench("export", *ids, "-o", "all.jsonl.gz").code == 0
    first = table.bench("import", "all.jsonl.gz", "--runs-dir", "other")
    assert first.code == 0
    assert "18 comparisons" in first.err
    second = table.bench("import", "all.jsonl.gz", "--runs-dir", "other")
    assert second.err.count("already there") == 2
    boards = [
        table.bench("leaderboard", "eqbench3", "--json", "--runs-dir", runs).json
        for runs in ("runs", "other")
    ]
    exams = [board.pop("judge_exams") for board in boards]
    assert [len(lines) for lines in exams] == [1, 1]  # each says how to examine it in its folder
    assert boards[0] == boards[1]
    asked = len(table.server.requests)
    again = table.run("m1", runs="other")
    assert len(table.server.requests) == asked
    assert again.json["ratings"] == done.json["ratings"]


def test_one_imported_run_waits_for_its_opponent(table: Any) -> None:
    """Its comparisons are there, and the plan of others does not hold up the run."""
    done = table.placed("m0", "m1")
    table.bench("export", table.run_id("m1"), "-o", "one.jsonl")
    table.bench("import", "one.jsonl", "--runs-dir", "other")
    again = table.run("m1", runs="other")
    assert (again.code, ratings(again.json)) == (0, ratings(done.json))


def test_the_exported_comparisons_give_the_same_ratings(table: Any) -> None:
    """`bench rate` of the file and of the journal."""
    done = table.placed("m0", "m1", "m2")
    ids = [table.run_id(model) for model in ("m0", "m1", "m2")]
    table.bench("export", *ids, "--comparisons", "-o", "c.jsonl")
    of_file = table.bench("rate", "c.jsonl", "--json").json
    of_journal = table.bench("rate", "--benchmark", "eqbench3", "--json").json
    assert of_file == of_journal
    assert of_file["ratings"] == done.json["ratings"]
    assert len(Path("c.jsonl").read_text().splitlines()) == 54


def test_journal_keeps_what_was_compared(table: Any) -> None:
    """Digests and lengths of both transcripts, the batch and the stage, from the run's side."""
    table.placed("m0", "m1")
    for row in table.rows():
        assert (row.a, row.b) == ("openai/m1", "openai/m0")
        assert row.transcript_a and row.transcript_b and row.transcript_a != row.transcript_b
        assert (row.len_a or 0) >= 100 and (row.len_b or 0) >= 100
        assert row.stage.startswith("all ")
        assert row.margins and all(1 <= abs(m) <= 5 for m in row.margins.values())
    with Journal(table.folder / "runs", create=False) as journal:
        (_, run) = journal.runs()
        calls = [call for call in journal.calls(run) if call.key.phase == "compare"]
    assert len(calls) == 18
    assert all(call.messages == () and call.response.text for call in calls)


def test_what_the_other_model_s_run_was_answered_is_not_asked_again(table: Any) -> None:
    """Its reply was saved, and it was killed before the comparison was: it is read here."""
    rated = dict(ratings(table.placed("m0", "m2").json))
    asked = len(table.server.requests)
    with Journal(Path("runs")) as journal:
        (run,) = [run for run in journal.runs() if run.name == "openai/m2"]
        for row in list(journal.comparisons()):
            journal.add_comparison(run, row._replace(status="planned", margins={}))
    done = table.run("m0")
    assert len(table.server.requests) == asked
    read = [row for row in table.rows() if row.status == "read"]
    assert [row.run_a for row in read] == 18 * [table.run_id("m0")]
    assert dict(ratings(done.json)) == pytest.approx(rated)
    assert table.run("m2").json["status"] == "complete"
    assert len(table.server.requests) == asked


def test_comparisons_that_could_not_be_read_are_asked_anew(table: Any) -> None:
    """By `bench rejudge` with the same judge, those alone; the run's own rating takes them in."""
    table.placed("m0")

    def half(request: ReceivedRequest, compares: bool) -> Reply | None:
        """m0 first on scene 3: nothing that can be read."""
        first = request.prompt.partition("[/RESPONDENT")[0]
        is_it = compares and "scene 3" in request.prompt and "This is m0" in first
        return "I would rather not." if is_it and "This is m1" in request.prompt else None

    before = table.world.before
    table.world.before = half
    first = table.run("m1")
    assert first.json["comparisons"]["unread"] == 1
    table.world.before = before
    run_id, count = table.run_id("m1"), table.bought()
    own = ("--judge", "openai/judge", "--judge-base-url", table.server.base_url, "--json")
    plan = table.bench("rejudge", run_id, *own, "--dry-run")
    assert plan.json["runs"][0]["calls"] == {"model": 0, "judge": 1}
    done = table.bench("rejudge", run_id, *own)
    assert table.bought() == count + 1
    assert (done.code, done.json["status"], done.json["main"]) == (0, "complete", True), done.err
    assert (done.json["comparisons"]["read"], done.json["comparisons"]["unread"]) == (18, 0)
    assert done.json["ratings"]
    again = table.run("m1")
    assert again.json["comparisons"] == done.json["comparisons"]
    assert again.json["ratings"] == done.json["ratings"]
    assert table.bench("rejudge", run_id, *own).code == 0
    assert table.bought() == count + 1
