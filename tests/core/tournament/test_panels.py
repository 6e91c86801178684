"""Models compared by a panel: every judge's comparisons are kept, and rated together."""

from collections import Counter
from typing import Any

import pytest

from eibench.core.compare.panel_rows import PanelJudges
from eibench.core.journal import StoredComparison
from eibench.core.parties.graders import Judge, Panel
from eibench.core.parties.party import Party
from eibench.testing import Fault, Response

TWO = ("--judge", "openai/second")


def asked_by(table: Any) -> Counter[str]:
    """How many comparisons each judge answered."""
    return Counter(r.model for r in table.server.answered if "[/RESPONDENT" in r.prompt)


def statuses(table: Any) -> dict[str, Counter[str]]:
    """The comparisons of the journal by judge and status."""
    found: dict[str, Counter[str]] = {}
    for row in table.rows():
        judge = str(row.judge).split("(")[0].removeprefix("openai/").split()[0]
        found.setdefault(judge, Counter())[row.status] += 1
    return found


def test_every_judge_compares_every_pair(table: Any) -> None:
    """Nine scenarios in both orders; what each says is kept under its own name."""
    done = table.placed("m0", "m2", more=TWO)
    assert done.code == 0, done.err
    assert asked_by(table) == {"judge": 18, "second": 18}
    assert statuses(table)["judge"] == {"read": 18}
    assert statuses(table)["second"] == {"read": 18}
    assert done.json["comparisons"]["read"] == 18
    assert done.json["ratings"][0]["model"] == "openai/m2"


def test_the_same_command_again_asks_nothing(table: Any) -> None:
    """The finished result is printed as it was."""
    done = table.placed("m0", "m2", more=TWO)
    asked = len(table.server.requests)
    again = table.run("m2", more=TWO)
    assert len(table.server.requests) == asked
    assert again.json["ratings"] == done.json["ratings"]


def test_a_judge_added_later_makes_its_own_comparisons_alone(table: Any) -> None:
    """Those of the first are there."""
    table.placed("m0", "m2")
    before = asked_by(table)
    done = table.run("m2", more=TWO)
    assert asked_by(table) - before == {"second": 18}
    assert done.json["comparisons"]["read"] == 18


def refusing(table: Any, judge: str) -> None:
    """Let a judge refuse comparisons of one scenario."""

    def before(request: Any, compares: bool) -> Any:
        refused = compares and request.model == judge and "scene 4" in request.prompt
        return Response(400, b'{"error": {"message": "not this"}}') if refused else None

    table.world.before = before


def test_a_comparison_that_a_judge_did_not_make_is_asked_for_again(table: Any) -> None:
    """By the third judge alone; until then it counts for nothing, and the others go on."""
    three = (*TWO, "--judge", "openai/third")
    table.placed("m0", more=three)
    refusing(table, "third")
    done = table.run("m2", more=three)
    assert (done.code, done.json["status"]) == (1, "incomplete")
    counts = done.json["comparisons"]
    assert (counts["read"], counts["planned"]) == (16, 2)
    assert {judge: n["read"] for judge, n in statuses(table).items() if n["read"]} == {
        "judge": 18, "second": 18, "third": 16
    }  # fmt: skip
    made = [tuple(row["comparisons"].values()) for row in done.json["judges"]]
    assert made == [(18, 18, 0), (18, 18, 0), (18, 16, 0)]
    table.world.before = lambda request, compares: None
    before = asked_by(table)
    again = table.run("m2", more=three)
    assert asked_by(table) - before == {"third": 2}
    assert statuses(table)["third"] == {"read": 18}
    assert (again.json["status"], again.json["comparisons"]["read"]) == ("complete", 18)


def test_a_panel_with_a_judge_that_is_down_stands_apart(
    table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 1, named on the first line, below whole results; then its calls alone are asked."""
    monkeypatch.setenv("BENCH_MAX_RETRIES", "0")
    more = (*TWO, "--judge", "openai/third", "--no-elo")
    assert table.run("m0", more=more).code == 0
    down = Response(503, b'{"error": {"message": "down"}}')
    table.world.before = lambda request, compares: down if request.model == "third" else None
    command = [word for word in table.arguments("m2") if word != "--json"]
    done = table.bench(*command, *more)
    assert done.code == 1
    said = "verdicts: openai/judge 9 of 9, openai/second 9 of 9, openai/third 0 of 9"
    assert said in " ".join(done.out.split()[:30])
    first, second = table.bench("leaderboard", "eqbench3", "--json").json["rows"]
    assert (first["model"], first["rank"], first["short_panel"]) == ("openai/m0", 1, None)
    assert (second["rank"], second["partial"]) == (2, True)
    assert second["short_panel"] == {"whole": 2, "judges": 3}
    assert "openai/m2 (2 of 3 judges)" in table.bench("leaderboard", "eqbench3").out
    table.world.before = lambda request, compares: None
    before = Counter(r.model for r in table.server.requests)
    again = table.run("m2", more=more)
    assert Counter(r.model for r in table.server.requests) - before == {"third": 9}
    assert (again.code, again.json["status"]) == (0, "complete")
    assert [
        row["rank"] for row in table.bench("leaderboard", "eqbench3", "--json").json["rows"]
    ] == [1, 2]


@pytest.mark.parametrize("fault", ["401", "500"])
@pytest.mark.parametrize("schedule", ["all", "adaptive"])
def test_a_judge_that_fails_leaves_the_others_their_comparisons(
    table: Any, schedule: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As its verdicts do; the model has no rating by two of three, and no call is made twice."""
    monkeypatch.setenv("BENCH_MAX_RETRIES", "0")
    more = (*TWO, "--judge", "openai/third", "--schedule", schedule)
    table.placed("m0", more=more)
    before = asked_by(table)
    table.world.before = lambda request, compares: (
        Fault(fault) if request.model == "third" else None
    )
    done = table.run("m2", more=more)
    assert (done.code, done.json["ratings"]) == (1, [])
    others = asked_by(table) - before
    assert others["judge"] == others["second"] >= 10
    assert others["third"] == 0
    assert done.json["panel"]["whole"] == 2
    table.world.before = lambda request, compares: None
    again = table.run("m2", more=more)
    assert again.json["status"] == "complete"
    assert asked_by(table) - before == {**others, "third": others["judge"]}
    assert [row["model"] for row in again.json["ratings"]] == ["openai/m2", "openai/m0"]


def test_without_a_quorum_the_comparison_waits(table: Any) -> None:
    """With the reason; the same command makes it."""
    table.placed("m0", more=TWO)
    refusing(table, "second")
    done = table.run("m2", more=TWO)
    assert done.json["status"] == "incomplete"
    assert done.json["comparisons"]["planned"] == 2
    assert any("not this" in warning for warning in done.json["warnings"])
    table.world.before = lambda request, compares: None
    assert table.run("m2", more=TWO).json["status"] == "complete"


def test_the_board_of_a_panel_is_one_of_its_own(table: Any) -> None:
    """It is what is meant where nobody names a judge; those of its judges are named."""
    table.placed("m0", "m2", more=TWO)
    board = table.bench("leaderboard", "eqbench3", "--json")
    assert board.code == 0, board.err
    others = board.json["others"]
    assert [one["models"] for one in others] == [2, 2]
    found = "".join(one["options"] for one in others)
    assert "--judge 'openai/judge at " in found and "--judge 'openai/second at " in found
    named = table.bench("leaderboard", "eqbench3", "--judge", "mean", "--json").json
    assert named["rows"] == board.json["rows"]
    assert named["others"] == []
    assert board.json["judge"].startswith("mean(openai/judge at ")
    assert [row["rating"] is not None for row in board.json["rows"]] == [True, True]
    one = table.bench("leaderboard", "eqbench3", "--judge", "openai/second", "--json")
    assert [row["rating"] is not None for row in one.json["rows"]] == [True, True]


def test_a_judge_outside_the_panel_changes_no_choice(table: Any) -> None:
    """The run's own result is the panel's; the board of who has judged since is named."""
    table.placed("m0", more=TWO)
    run_id = table.bench("runs", "--json").json["runs"][0]["run_id"]
    done = table.bench(
        "rejudge", run_id, "--judge", "openai/third", "--judge-base-url", table.server.base_url
    )
    assert done.code == 0, done.err
    board = table.bench("leaderboard", "eqbench3", "--json").json
    assert board["judge"].startswith("mean(")
    assert sum("openai/third" in one["options"] for one in board["others"]) == 1


def test_a_model_judged_alone_is_on_the_newest_board(table: Any) -> None:
    """It was run last, by one of the panel's judges: all models stand on that judge's board."""
    table.placed("m0", "m2", more=TWO)
    table.run("m4")
    board = table.bench("leaderboard", "eqbench3", "--json").json
    assert board["judge"].startswith("openai/judge at ")
    assert sorted(row["model"] for row in board["rows"]) == ["openai/m0", "openai/m2", "openai/m4"]
    assert [one["models"] for one in board["others"]] == [2, 2]


def test_rotate_asks_one_judge_a_scenario(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same judge for both orders, so that as many are asked as of one judge."""
    monkeypatch.setenv("BENCH_OVERLAP", "0")
    more = (*TWO, "--panel", "rotate")
    done = table.placed("m0", "m2", more=more)
    assert done.code == 0, done.err
    count = asked_by(table)
    assert count.total() == 18
    assert all(n % 2 == 0 for n in count.values())


def test_the_plan_counts_the_comparisons_of_each_judge(table: Any) -> None:
    """By name."""
    table.placed("m0", more=TWO)
    planned = table.run("m2", more=(*TWO, "--dry-run"))
    assert "18 comparisons by openai/judge" in planned.err
    assert "18 comparisons by openai/second" in planned.err
    assert "9 calls to openai/second" in planned.err


def test_trueskill_counts_pluses_and_rates_no_panel(table: Any) -> None:
    """The published engine knows one judge."""
    table.placed("m0", "m2", more=TWO)
    done = table.bench("leaderboard", "eqbench3", "--judge", "mean", "--engine", "trueskill")
    assert "trueskill counts the pluses of one judge" in done.err + done.out


J, K = Party.of("openai/j"), Party.of("openai/k")
J_AND_K = Panel((J, K))


def row(
    judge: Judge, margin: int, *, turned: bool = False, status: str = "read"
) -> StoredComparison:
    """A comparison of run x with run y, asked by x or, turned, by y."""
    a, b = ("y", "x") if turned else ("x", "y")
    return StoredComparison(
        pool="p", item_id="1", iteration=1, run_a=a, run_b=b, a=a, b=b,
        first="b" if turned else "a", batch=1, stage="", rank=None, status=status, judge=judge,
        family="1", grader="g", margins={"warmth": -margin if turned else margin},
    )  # fmt: skip


def test_margins_are_put_side_by_side_whoever_asked() -> None:
    """From the side of the run that the panel's comparison names first."""
    judges = PanelJudges(J_AND_K, {})
    (made,) = judges.merged([], [row(J, 3), row(K, 1, turned=True)])
    assert made.margins == {"warmth (0)": 3, "warmth (1)": 1}
    assert made.judge == J_AND_K


def test_a_comparison_waits_for_the_judges_that_a_quorum_needs() -> None:
    """One of two is no quorum; two unread ones are an unread comparison."""
    judges = PanelJudges(J_AND_K, {})
    planned = row(J_AND_K, 1, status="planned")._replace(margins={})
    assert judges.merged([planned], [row(J, 3)]) == [planned]
    (unread,) = judges.merged([planned], [row(j, 1, status="unread") for j in (J, K)])
    assert unread.status == "unread"


class Run:
    """What is asked of a run here."""

    def __init__(self, model: str) -> None:
        self.party = Party.of(model)


def test_judges_of_a_model_s_family_are_left_out() -> None:
    """Of either side; where all are kin there is nothing to ask."""
    runs: Any = {"x": Run("openai/gpt-4.1"), "y": Run("anthropic/claude-sonnet-4-5")}
    labels = Party.of("google/gemini-2.5-pro"), Party.of("openai/gpt-4o")
    judges = PanelJudges(Panel(labels, exclude_kin=True), runs)
    assert judges.assigned(row(J, 1)) == labels[:1]
    kin = PanelJudges(Panel((labels[1], Party.of("openai/o3")), exclude_kin=True), runs)
    assert kin.assigned(row(J, 1)) == ()
    planned = row(J, 1, status="planned")
    assert kin.merged([planned], [])[0].status == "known"


def test_a_rotating_judge_gives_way_to_one_that_is_no_kin() -> None:
    """One judge still, for both texts."""
    runs: Any = {"x": Run("openai/gpt-4.1"), "y": Run("qwen/qwen3")}
    labels = Party.of("google/gemini-2.5-pro"), Party.of("openai/gpt-4o")
    panel = Panel(labels, "rotate", exclude_kin=True, overlap=0.0)
    judges = PanelJudges(panel, runs)
    for n in range(20):
        assert judges.assigned(row(J, 1)._replace(item_id=str(n))) == labels[:1]


def test_the_end_of_a_run_shows_each_judge(table: Any) -> None:
    """Its own number, what it could not read, and how far all agree."""
    args = [one for one in table.arguments("m0") if one != "--json"]
    done = table.bench(*args, *TWO)
    assert "Judges of the panel" in done.out
    assert "agreement on rubric: not known (no rater tells any two apart)" in done.out
    again = "--judge openai/judge --judge openai/second --judge-base-url http://127.0.0.1:"
    assert again in " ".join(done.out.split())


def test_two_runs_of_a_panel_are_compared_by_the_panel(table: Any) -> None:
    """Without asking which of its judges is meant; one of them can still be named."""
    ids = [table.run(model, more=(*TWO, "--no-elo")).json["run_id"] for model in ("m0", "m2")]
    done = table.bench("compare", *ids, "--json")
    assert done.code == 0, done.err
    assert done.json["judge"].startswith("mean(openai/judge at ")
    one = table.bench("compare", *ids, "--judge", "openai/second", "--json")
    assert one.json["judge"].startswith("openai/second at ")
