"""What is claimed of results and boards, and in which words."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from eibench import ResultDocument
from eibench.core.parties.graders import Panel
from eibench.core.parties.party import Party
from eibench.core.reports import statements
from eibench.core.reports.ratings import BoardRow
from eibench.core.reports.statements import LeaderKind, Side, StatedBoard
from eibench.core.types.result_document import ConclusionRow, Grade
from eibench.statistics import NO_SPREAD, Settling

BASELINES = {"random": 18.0, "uniform": 20.0, "best_constant": 33.5}


def result(**changes: Any) -> ResultDocument:
    """A whole result of 30 items, 50 in a score of which more is better."""
    metric = {"value": 50.0, "ci95": [40.0, 60.0], "n": 30, "higher_is_better": True}
    document: dict[str, Any] = {
        "name": "openai/m", "status": "complete", "invalid": None, "judge": None, "judged_by": None,
        "metrics": {"score": metric | changes.pop("metric", {})}, "iterations": 1,
        "baselines": {
            n: {"value": v, "label": n, "sd": None, "answer": None} for n, v in BASELINES.items()
        },
        "dataset": {"name": "bundled", "sha256": "0" * 64, "n_items": 30},
        "items": {"total": 30, "scored": 30, "unscored": 0, "failed": 0, "truncated": 0,
                  "pending": 0},
        "unscored": [], "failed": [], "comparisons": {}, "ratings": [], "notes": {},
    }  # fmt: skip
    return cast("ResultDocument", document | changes)


def row(model: str, joint: list[int] | None, **changes: Any) -> BoardRow:
    """A row of a board; its rank is the first that it may have."""
    known = {"tied_with": [], "rank": (joint or [1])[0], "rank_ci95": joint}
    empty: dict[str, Any] = {"rating": None, "not_above": [], "partial": False}
    return cast("BoardRow", {"model": model, "rank_ci95_board": joint, **known, **empty, **changes})


def board(*rows: BoardRow, higher: bool = True, **changes: Any) -> StatedBoard:
    """A board of scores."""
    baselines = result()["baselines"]
    metric = {"name": "score", "label": "score", "higher_is_better": higher}
    made = {"demo": False, "metric": metric, "baselines": baselines, "rows": rows}
    return cast("StatedBoard", {**made, "conclusions": [], **changes})


FEW = {"metric_reasons": {"score": "an interval needs items with 8 different texts, here are 4"}}
SURE = {"score": {"value": 50.0, "ci95": [40.0, 60.0], "n": 30, "higher_is_better": True}}
COUNTS = result()["items"]


@pytest.mark.parametrize(
    ("ci95", "higher", "words"),
    [
        ([40.0, 60.0], True, "above chance (random 18.0)"),
        (
            [20.0, 35.0],
            True,
            "above chance (random 18.0) but not surely above the best constant (33.5)",
        ),
        (
            [20.0, 30.0],
            True,
            "above chance (random 18.0) but below the best constant (33.5)",
        ),
        ([10.0, 60.0], True, "not surely above chance (random 18.0)"),
        ([18.0, 60.0], True, "not surely above chance (random 18.0)"),
        ([1.0, 9.0], True, "below chance (random 18.0)"),
        ([1.0, 9.0], False, "better than chance (random 18.0)"),
        ([10.0, 20.0], False, "not surely better than chance (random 18.0)"),
        ([20.0, 22.0], False, "worse than chance (random 18.0)"),
        ([1.0, 9.0], None, ""),
    ],
)
def test_a_result_stands_where_its_interval_does(
    ci95: list[float], higher: bool | None, words: str
) -> None:
    """Among baselines; an end upon one of them is on neither side."""
    given = result(metric={"ci95": ci95, "higher_is_better": higher})
    assert statements.chance(given) == words


@pytest.mark.parametrize(
    ("people", "ends", "higher", "words"),
    [
        (62.0, [58.0, 66.0], True, "below people (62.0, 58.0 … 66.0, n 4)"),  # 50 + 10.77
        (61.0, [55.0, 67.0], True, "not surely above people (61.0, 55.0 … 67.0, n 4)"),  # 61.66
        (61.0, [55.0, 67.0], False, "not surely better than people (61.0, 55.0 … 67.0, n 4)"),
        (39.0, [35.0, 43.0], True, "above people (39.0, 35.0 … 43.0, n 4)"),  # 50 - 10.77
    ],
)
def test_the_interval_of_a_baseline_is_allowed_for(
    people: float, ends: list[float], higher: bool, words: str
) -> None:
    """The difference from 50 [40, 60] has the root of both squares: 10 and 4, or 6."""
    row = {"value": people, "label": "people", "sd": None, "answer": None, "n": 4, "ci95": ends}
    (against,) = statements.against_baselines(
        result(metric={"higher_is_better": higher}, baselines={"people": row})
    )
    assert against.text == words


@pytest.mark.parametrize(
    ("ci95", "higher", "mark"),
    [
        ([34.0, 60.0], True, ""),
        ([33.0, 60.0], True, "not surely above constant"),
        ([20.0, 30.0], True, "below constant"),
        ([10.0, 30.0], True, "not surely above chance"),
        ([1.0, 9.0], True, "below chance"),
        ([20.0, 22.0], False, "worse than chance"),
        (None, True, ""),
    ],
)
def test_a_mark_names_the_easiest_baseline_that_is_not_passed(
    ci95: list[float] | None, higher: bool, mark: str
) -> None:
    """Chance before the constant, whichever is easier in a sentence too."""
    given = result(metric={"ci95": ci95, "higher_is_better": higher}, **FEW)
    assert statements.short_of(given) == mark


@pytest.mark.parametrize(
    ("joint", "marks"),
    [
        ([[1, 1], [2, 3], [2, 3]], ["first", "", ""]),
        ([[1, 2], [1, 2], [3, 3]], ["shares first", "shares first", ""]),
        ([None, None, None], ["", "", ""]),
        ([[1, 1]], [""]),
    ],
)
def test_who_may_be_first_has_a_mark(joint: list[Any], marks: list[str]) -> None:
    """Nobody where no rank is sure, or where there is but one model."""
    rows = [row(f"m{n}", ends) for n, ends in enumerate(joint)]
    front = statements.leader(rows)
    assert [statements.first_mark(front, one["model"]) for one in rows] == marks


def test_which_end_is_better_is_always_said() -> None:
    """Also of a number of which neither is."""
    assert list(map(statements.which_end, (True, False, None))) == [
        "higher is better", "lower is better", "neither end is better",
    ]  # fmt: skip


def test_the_chosen_one_of_several_is_set_against_chance_by_an_interval_of_its_own() -> None:
    """The wider one of the document, as each of the several might have been the best by chance."""
    chosen = {"chosen": "revised", "ci95_chosen": [17.0, 63.0]}
    given = result(metric={"ci95": [20.0, 60.0], **chosen})
    assert statements.chance(given) == "not surely above chance (random 18.0)"
    assert statements.not_above(given) == ["random", "uniform", "best_constant"]


def test_four_items_are_too_few_to_tell() -> None:
    """No side of any baseline is known."""
    counts = {**COUNTS, "total": 4, "scored": 4}
    given = result(metric={"ci95": None}, items=counts, **FEW)
    assert statements.chance(given) == "4 of 30 items: too few to tell"
    assert statements.against_baselines(given) == []
    assert statements.not_above(given) is None


def test_many_items_of_few_families_are_too_few_to_tell() -> None:
    """The reason counts families, as the items are many."""
    given = result(metric={"ci95": None}, **FEW)
    assert statements.chance(given).startswith("too few to tell: an interval needs items with 8 ")


def test_items_that_are_all_alike_make_no_claim() -> None:
    """They are enough, so they are not called too few."""
    given = result(metric={"ci95": None}, metric_reasons={"score": NO_SPREAD})
    assert statements.chance(given) == f"no claim: {NO_SPREAD}"


@pytest.mark.parametrize("status", ["fail", "incomplete", "budget", "interrupted"])
def test_a_result_that_is_not_complete_is_set_against_no_baseline(status: str) -> None:
    """Neither with an interval nor with too few items for one."""
    assert statements.chance(result(status=status)) == ""
    assert statements.not_above(result(status=status)) is None
    assert statements.chance(result(status=status, metric={"ci95": None}, **FEW)) == ""


def test_a_pack_without_baselines_has_none_to_pass() -> None:
    """That is known, and nothing is said."""
    given = result(baselines={})
    assert (statements.chance(given), statements.not_above(given)) == ("", [])


def test_a_baseline_is_passed_or_not() -> None:
    """Each side has its name for programs."""
    found = {one.name: one.side for one in statements.against_baselines(
        result(metric={"ci95": [19.0, 30.0]}))}  # fmt: skip
    assert found == {
        "random": Side.BETTER, "uniform": Side.UNSURE, "best_constant": Side.WORSE
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ""),
        ({"items": {**COUNTS, "total": 4}}, "partial: 4 of 30 items"),
        ({"status": "fail", "invalid": "9 of 30 could be read"}, "FAIL: 9 of 30 could be read"),
        (
            {
                "status": "incomplete",
                "items": {**COUNTS, "total": 4, "failed": 1},
                "failed": [{"item_id": "3", "iteration": 1, "reason": "503"}],
            },
            "INCOMPLETE: 1 sample failed (503); partial: 4 of 30 items",
        ),
        (
            {"status": "interrupted", "comparisons": {"planned": 12}},
            "INTERRUPTED: 12 comparisons to do",
        ),
    ],
)
def test_what_is_not_whole_says_why(changes: dict[str, Any], words: str) -> None:
    """The cause beside the status, and how many items were asked."""
    assert statements.completeness(result(**changes)).text == words


def rating(model: str, joint: list[int] | None, tied: list[str] | None) -> dict[str, Any]:
    """A row of ratings."""
    return {"model": model, "rating": 1500.0, "ci95": None, "rank": (joint or [2])[0],
            "rank_ci95_board": joint, "rank_ci95": [1, 1], "tied_with": tied}  # fmt: skip


@pytest.mark.parametrize(
    ("own", "other", "words", "apart"),
    [
        ([1, 1], [2, 2], "first of 2", "told apart from every other"),
        ([1, 2], [1, 2], "rank 1–2 of 2, shares first place", "cannot be told apart from other"),
        ([2, 2], [1, 1], "rank 2 of 2", "told apart from every other"),
        (None, None, "rank 2 of 2 by the rating alone, how sure is not known", ""),
    ],
)
def test_a_place_is_that_of_all_models_at_once(
    own: list[int] | None, other: list[int] | None, words: str, apart: str
) -> None:
    """Never that of one model alone, which these rows have as sure; nor is null told apart."""
    tied = ["other"] if own == [1, 2] else []
    rows = [rating("openai/m", own, tied), rating("other", other, ["openai/m"] * len(tied))]
    found = statements.placed(result(ratings=rows))
    assert found is not None
    assert (found.text, found.apart) == (words, apart)


def test_a_tie_that_length_makes_is_said_beside_the_rank() -> None:
    """Intervals of the ratings may lie apart; both the result and the board say why."""
    by_length = [rating("openai/m", [1, 2], ["b"]), rating("b", [1, 2], ["openai/m"])]
    by_length[0]["depends_on_length"] = ["b"]
    found = statements.placed(result(ratings=by_length))
    assert found is not None
    words = "rank 1–2 of 2, shares first place (tied with b only because of length)"
    assert found.text == words
    rows = row("a", [1, 2]), row("b", [1, 2], depends_on_length=["a"])
    said = statements.board_statement(board(*rows))
    assert said.endswith("; some are tied only because of length (--details)")


def test_a_model_that_was_not_compared_has_no_place() -> None:
    """Others may have."""
    assert statements.placed(result(ratings=[rating("other", [1, 1], [])])) is None


@pytest.mark.parametrize(
    ("rows", "kind", "words"),
    [
        ([], LeaderKind.NONE, "no model has a rank"),
        ([row("a", [1, 1])], LeaderKind.ALONE,
         "a alone makes no ranking: a second whole run does"),
        ([row("a", [1, 1]), row("b", [2, 2])], LeaderKind.FIRST, "a is first of 2"),
        ([row("a", [1, 2]), row("b", [1, 2]), row("c", [3, 3])], LeaderKind.SHARED,
         "two of 3 models share first place: a, b"),
        ([row("a", None), row("b", None)], LeaderKind.UNKNOWN,
         "too few items for a ranking (8 different texts needed)"),
        ([row("a", None, metrics=SURE), row("b", None, metrics=SURE)], LeaderKind.UNPAIRED,
         "no ranking: the metric is no mean over items, so models cannot be paired by item"),
        ([row("a", [1, 1]), row("b", [2, 2]), row("c", None, rank=3)], LeaderKind.FIRST,
         "a is first of 2 ranked models"),
        ([row("a", [1, 1]), row("b", None, rank=2)], LeaderKind.ALONE,
         "a alone makes no ranking: a second whole run does"),
        ([row("a", [1, 1]), row("b", None, rank=None)], LeaderKind.ALONE,
         "a alone makes no ranking: a second whole run does"),
    ],
)  # fmt: skip
def test_first_is_who_alone_may_be_first(
    rows: list[BoardRow], kind: LeaderKind, words: str
) -> None:
    """By the ranks of all models at once."""
    found = statements.leader(rows)
    assert (found.kind, found.text) == (kind, words)


def test_who_is_tied_is_not_known_where_ranks_are_not() -> None:
    """An empty list without an interval is no claim."""
    assert statements.tied_names(row("a", None, tied_with=[])) is None
    assert statements.tied_names(row("a", [1, 1], tied_with=[])) == []


def test_a_board_says_that_less_is_better() -> None:
    """Where it is."""
    rows = row("a", [1, 1]), row("b", [2, 2])
    assert statements.board_statement(board(*rows)) == "a is first of 2, by score"
    said = statements.board_statement(board(*rows, higher=False))
    assert said == "a is first of 2, by score, where less is better"


def test_nobody_is_first_without_it_being_said_that_a_constant_does_as_well() -> None:
    """The easiest baseline that none passes stands for the harder ones."""
    below = {"not_above": ["uniform", "best_constant"]}
    given = board(row("a", [1, 1], **below), row("b", [2, 2], **below))
    assert statements.board_statement(given) == (
        "a is first of 2, by score; none is surely above equal answers (20.0)"
    )


def test_baselines_name_whom_they_stop() -> None:
    """Those whose standing is not known are not named."""
    given = board(
        row("a", [1, 1]),
        row("b", [2, 2], not_above=["best_constant"]),
        row("c", None, not_above=None),
    )
    assert [note.text for note in statements.baseline_notes(given)] == [
        "not surely above the best constant (33.5): b"
    ]


def conclusion(about: str, verdict: Grade) -> ConclusionRow:
    """What was found of a judge."""
    return {
        "about": about, "verdict": verdict, "text": "", "value": None, "ci95": None, "n": 9
    }  # fmt: skip


def test_strong_findings_on_the_judge_are_counted_and_named() -> None:
    """In a board's sentence too; weak ones are for the details."""
    found = [conclusion("first_place", "strong"), conclusion("flips", "weak")]
    said = statements.judge_findings(found)
    assert said.text == "judge: 1 strong finding (first place)"
    assert list(said.weak) == ["flips"]
    given = board(row("a", [1, 1]), row("b", [2, 2]), conclusions=found, demo=True)
    assert statements.board_statement(given) == (
        "DEMO: a is first of 2, by score; judge: 1 strong finding (first place)"
    )


def judges(**gave: tuple[int, int, int]) -> dict[str, Any]:
    """The part about a panel: of each judge how many were asked, answered and not read."""
    return of_judges({Party.of(f"openai/{name}", "host"): given for name, given in gave.items()})


def of_judges(gave: Mapping[Party, tuple[int, int, int]]) -> dict[str, Any]:
    """The same of judges wherever they are."""
    rows = [
        {"judge": judge.label, "metrics": {}, "asked": n, "graded": m, "unread": u}
        for judge, (n, m, u) in gave.items()
    ]
    judged_by = Panel(tuple(gave)).as_json()
    return {"judges": rows, "panel": {"rule": "mean"}, "judged_by": judged_by}


@pytest.mark.parametrize(
    ("gave", "said"),
    [
        ({"a": (40, 40, 0), "b": (40, 40, 2)}, []),
        ({"a": (40, 40, 2), "b": (40, 0, 0)},
         ["verdicts: openai/a 40 of 40 (2 unread), openai/b 0 of 40"]),
        ({"a": (40, 40, 0), "b": (40, 40, 3)},
         ["verdicts: openai/a 40 of 40, openai/b 40 of 40 (3 unread)"]),
    ],
)  # fmt: skip
def test_a_panel_says_who_answered_how_many_where_one_did_not(
    gave: dict[str, tuple[int, int, int]], said: list[str]
) -> None:
    """All of its judges, so that the whole is seen; up to 5 % unread are nothing to say."""
    assert statements.answered_by(result(**judges(**gave))) == said


def test_a_row_of_somebody_who_is_no_judge_of_the_panel_is_told_by_its_name() -> None:
    """A result that was imported may have one; what it says is still told."""
    made = judges(a=(20, 20, 0))
    made["judges"].append({**made["judges"][0], "judge": "openai/z", "graded": 5})
    assert statements.answered_by(result(**made)) == [
        "verdicts: openai/a 20 of 20, openai/z 5 of 20"
    ]


def test_judges_at_two_hosts_are_told_apart() -> None:
    """By the host, where the model is the same."""
    gave = {Party.of("openai/a", host): (4, n, 0) for host, n in (("one", 4), ("two", 3))}
    (said,) = statements.answered_by(result(**of_judges(gave)))
    assert said == "verdicts: openai/a at one 4 of 4, openai/a at two 3 of 4"


def pair(difference: float | None, ci95: list[float] | None, **changes: Any) -> Any:
    """Of `bench compare`: the paired difference in a score of which more is better."""
    row = SimpleNamespace(difference=difference, ci95=ci95, p=0.02, n=4, families=4)
    sides = [SimpleNamespace(name=name, run_id=f"{name}1", status="complete") for name in "ab"]
    higher = changes.pop("higher", True)
    main = SimpleNamespace(label="score", higher_is_better=higher, row=row)
    made = {"a": sides[0], "b": sides[1], "main": main, "demo": False, "whole": True}
    return SimpleNamespace(**{**made, "settle": None, **changes})


@pytest.mark.parametrize(
    ("given", "verdict", "words"),
    [
        (pair(2.5, [1.0, 4.0]), "a", "a is better than b by 2.50 (1.00 … 4.00) in score"),
        (pair(-2.5, [-4.0, -1.0]), "b", "a is worse than b by 2.50 (1.00 … 4.00) in score"),
        (pair(-2.5, [-4.0, -1.0], higher=False), "a",
         "a is better than b by 2.50 (1.00 … 4.00) in score, where less is better"),
        (pair(-0.5, [-2.0, 1.0]), "neither",
         "a is not told apart from b in score (-0.50, -2.00 … 1.00)"),
        (pair(0.5, [-1.0, 2.0], settle=SimpleNamespace(brief="9 more items would settle it")),
         "neither", "a is not told apart from b in score (+0.50, -1.00 … 2.00): "
         "9 more items would settle it"),
        (pair(0.5, [-1.0, 2.0], higher=False), "neither",
         "a is not told apart from b in score, where less is better (+0.50, -1.00 … 2.00)"),
        (pair(2.5, None), "unknown",
         "4 samples that both have: too few to tell (8 different texts needed)"),
        (pair(2.5, [1.0, 4.0], a=SimpleNamespace(name="a", status="fail")), "unknown",
         "no claim: the result of a failed"),
        (pair(2.5, [1.0, 4.0], higher=None), "unknown",
         "a has 2.50 (1.00 … 4.00) more score than b; neither end is better"),
        (pair(2.5, [1.0, 4.0], main=None), "unknown",
         "a and b: the main metric is no mean over samples, so no paired test"),
        (pair(2.5, [1.0, 4.0], whole=False), "a",
         "a is better than b by 2.50 (1.00 … 4.00) in score, on the 4 samples that both have"),
        (pair(2.5, [1.0, 4.0], b=SimpleNamespace(name="a", run_id="a2", status="complete")), "a",
         "a (a1) is better than a (a2) by 2.50 (1.00 … 4.00) in score"),
    ],
)  # fmt: skip
def test_two_runs_come_to_a_sentence(given: Any, verdict: str, words: str) -> None:
    """As far as the interval of their difference tells."""
    found = statements.pair_statement(given)
    assert (found.verdict.value, found.text) == (verdict, words)


@pytest.mark.parametrize(
    ("apart", "end"),
    [
        (True, "; on the board of 12 models, by rating, all pairs at once, they are told apart"),
        (False,
         "; on the board of 12 models, by rating, all pairs at once, they are not told apart"),
        (None, "in score"),
    ],
)  # fmt: skip
def test_what_the_board_says_stands_beside_the_test_of_the_pair(
    apart: bool | None, end: str
) -> None:
    """Nothing where it is not known."""
    board = statements.OnBoard(12, "rating", apart)
    assert statements.pair_statement(pair(2.5, [1.0, 4.0]), board).text.endswith(end)


def planned(**changes: Any) -> Settling:
    """A plan of 40 items and 3 iterations in all, for two runs of 30 items in one iteration."""
    plan = Settling(2.0, 0.8, 30, 1, 30.0, 40, 3, 1.0, 0.64, 0.77, 1.2, 0.9)
    return plan._replace(**changes)


IF = "in 80 % of cases, if the difference is what it seems"
NO_WAY = {"more_items": None, "iterations": None}


@pytest.mark.parametrize(
    ("plan", "costs", "unasked", "text"),
    [
        (planned(), (0.015, 0.005), 0,
         "40 more items like these ($0.80), or 2 more iterations of the same items, 3 in all "
         f"($1.20), would settle it {IF}; as it may not be, in 64 % or 77 %"),
        (planned(more_items=1, iterations=2, share_by_iterations=0.64), (0.0, 0.0), 0,
         "1 more item like these (free), or 1 more iteration of the same items, 2 in all "
         f"(free), would settle it {IF}; as it may not be, in 64 %"),
        (planned(iterations=None), (0.01, None), 40,
         f"40 more items of the pack (cost unknown) would settle it {IF}; as it may not be, "
         "in 64 %; iterations alone tell no difference below 1.00"),
        (planned(iterations=None, floor=None, rerun_error=None), (0.0, 0.0), 12,
         f"40 more items like these, 12 of which the pack has (free) would settle it {IF}; as it "
         "may not be, in 64 %; what more iterations would do is known from two on"),
        (planned(**NO_WAY), (0.0, 0.0), 0,
         "no usual number of items or iterations would settle it, if the difference is what it "
         "seems"),
        (planned(**NO_WAY, rerun_error=None), (0.0, 0.0), 0,
         "no usual number of items would settle it, if the difference is what it seems"),
    ],
)  # fmt: skip
def test_what_would_settle_it_is_a_sentence(
    plan: Settling, costs: Sequence[float | None], unasked: int, text: str
) -> None:
    """More items or more iterations, with costs of both runs, and no more than is known."""
    assert statements.settle(plan, costs, unasked).text == f"not told apart: {text}"


def test_what_cannot_be_planned_is_said_with_its_reason() -> None:
    """It is no claim that the two cannot be told apart."""
    plan = planned(**NO_WAY, error=None, reason="an interval needs 8 families, here are 5")
    found = statements.settle(plan, (0.1, 0.1), 0)
    assert found.text == f"what would settle it is not known: {plan.reason}"
    assert (found.cost_of_items_usd, found.cost_of_iterations_usd) == (None, None)


@pytest.mark.parametrize(
    ("cost", "items", "each"),
    [(6.0, {"total": 30, "pending": 10}, 0.3), (0.0, {"total": 3, "pending": 3}, 0.0),
     (None, {"total": 30, "pending": 0}, None)],
)  # fmt: skip
def test_a_sample_has_cost_what_all_that_were_asked_did(
    cost: float | None, items: dict[str, int], each: float | None
) -> None:
    """On average; nothing is known without a price, or without a result."""
    assert statements.sample_cost(result(cost_usd=cost, items=items)) == each
    assert statements.sample_cost(None) is None
