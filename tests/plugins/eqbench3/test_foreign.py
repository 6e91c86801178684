"""Comparisons out of the published code's results; all files here are made up, in its form.

The form is that of https://github.com/EQ-bench/eqbench3, core/pairwise_judging.py: facts only.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench import Comparison, Comparisons, DataError, ForeignResults, folder, read_toml
from eibench.core.exchange.files import read_parts
from eibench.judges import criteria_of
from eibench.plugins.eqbench3.foreign import LIST, read_file

FIRST, SECOND = "A0493", "A0488"
FORWARD, REVERSED = "A0493:test / A0488:other", "A0493:other / A0488:test"
KINDS: dict[str, Any] = read_toml(folder("eqbench3") / "official_protocol.toml")["kinds"]
ROLE_PLAY: list[str] = KINDS["role-play"]["pairwise_criteria"]
ANALYSIS: list[str] = KINDS["analysis"]["pairwise_criteria"]


def said(winner: str = FIRST + "++", criteria: list[str] = ROLE_PLAY, **changes: Any) -> Any:
    """What a judge said: the same of each criterion, but for the changes."""
    words = {"chain_of_thought_reasoning": "A0488 is dry.", **dict.fromkeys(criteria, winner)}
    return {name: value for name, value in (words | changes).items() if value is not None}


def row(order: str = FORWARD, **changes: Any) -> dict[str, Any]:
    """A comparison in upstream's form, but for the changes."""
    made = {
        "scenario_id": "12",
        "pair": {"test_model": "x", "neighbor_model": "y", "iteration_index": "1"},
        "order": order,
        "judge_response": said(),
        "outcome_for_test_model": 1.0 if order == FORWARD else 0.0,
        "plus_for_test": 16,
        "plus_for_other": 0,
        "fraction_for_test": 0.77,
        "test_model_avg_response_length": 900.5,
    }
    return made | changes


def pair(**changes: Any) -> dict[str, Any]:
    """Whom a comparison is about."""
    return {"test_model": "x", "neighbor_model": "y", "iteration_index": "1"} | changes


def results(*rows: Any) -> dict[str, Any]:
    """A file with these comparisons."""
    return {"x": {"elo": 1300.0}, "__metadata__": {"global_pairwise_comparisons": list(rows)}}


def read(*rows: Any, judge: str = "") -> ForeignResults:
    """What comes of these comparisons."""
    return read_value(results(*rows), Path("elo_results.json"), judge)


def read_value(value: Any, origin: Path, judge: str) -> ForeignResults:
    """What comes of a file that holds this."""
    return read_file(read_parts([json.dumps(value).encode()], {LIST}), origin, judge)


def only(*rows: Any) -> Comparison:
    """The one comparison that comes of them."""
    (found,) = read(*rows).comparisons
    return found


def test_the_first_code_is_the_first_shown() -> None:
    """Forward that is the test model; margins are positive where a, the test model, wins."""
    found = only(row())
    assert (found.item, found.iteration, found.a, found.b) == ("12", 1, "x", "y")
    assert (found.first, found.margins) == ("a", dict.fromkeys(ROLE_PLAY, 2))
    found = only(row(REVERSED))
    assert (found.first, found.margins) == ("b", dict.fromkeys(ROLE_PLAY, -2))
    found = only(row(REVERSED, judge_response=said(SECOND + "+++"), outcome_for_test_model=1.0))
    assert (found.first, found.margins) == ("b", dict.fromkeys(ROLE_PLAY, 3))


def test_margins_are_the_judge_s_own() -> None:
    """Not the sums beside them, which are clamped for analyses, and may be anything."""
    words = said(FIRST + "+++++", ANALYSIS, correctness=SECOND + "+")
    found = only(row(scenario_id="404", judge_response=words, plus_for_test=1, plus_for_other=0))
    assert found.margins == dict.fromkeys(ANALYSIS, 5) | {"correctness": -1}


def test_scenarios_have_the_families_of_the_pack() -> None:
    """Those that share a text; another one is a family of its own."""
    words = {"judge_response": said(criteria=ANALYSIS)}
    families = [only(row(scenario_id=id, **words)).family for id in ("406", "412")]
    assert families == ["3 and kin", "3 and kin"]
    assert only(row(scenario_id="3")).family == "3 and kin"
    assert only(row(scenario_id=12)).family == ""


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (said(overall_eq="B0001+++"), "overall_eq: not one of the two codes with one to five"),
        (said(overall_eq="A0493+++ over A0488"), "overall_eq: not one of the two codes"),
        (said(overall_eq="A0493" + "+" * 6), "overall_eq: not one of the two codes"),
        (said(overall_eq="A0493"), "overall_eq: not one of the two codes"),
        (said(overall_eq=["A0493+"]), "overall_eq: not one of the two codes"),
        (said(overall_eq=0.5), "overall_eq: not one of the two codes"),
        (said(overall_eq=None), "it lacks overall_eq"),
        (said(criteria=ANALYSIS), "it lacks demonstrated_empathy"),
        ({}, "it lacks demonstrated_empathy"),
        ({"refusal": "I cannot compare these."}, "it lacks demonstrated_empathy"),
    ],
)
def test_what_is_not_plain_is_unread_and_no_draw(words: Any, reason: str) -> None:
    """Counted with the reason; the published code makes draws, or guesses, of these."""
    found = read(row(), row(REVERSED, judge_response=words))
    assert len(found.comparisons) == 1
    ((message, n),) = found.left_out.items()
    assert n == 1
    assert message.startswith(f"what the judge said is unread: {reason}")


def test_a_renamed_reasoning_key_is_no_criterion() -> None:
    """Only what was asked for counts."""
    words = said(reasoning="A0488+++++", chain_of_thought_reasoning=None)
    assert only(row(judge_response=words)).margins == dict.fromkeys(ROLE_PLAY, 2)


def test_a_reply_that_the_published_code_could_not_read_is_tried_again() -> None:
    """It keeps the raw text; what cannot be read plainly stays out."""
    good = '{"chain_of_thought_reasoning": "x",' + ",".join(
        f'"{name}": "A0488+"' for name in ROLE_PLAY
    )
    failed = {"error": "Judge Error: No valid JSON block found", "judge_response": None}
    found = read(
        row("forward", **failed, raw_judge_response=f"Here it is:\n{good}}}\n"),
        row("reversed", **failed, raw_judge_response="I would rather not."),
        row("reversed", **failed, raw_judge_response=f"{good}}} No.", scenario_id="9"),
        row("reversed", **failed, raw_judge_response="", scenario_id="7"),
        row("forward", **failed, scenario_id="8"),
    )
    (comparison,) = found.comparisons
    assert (comparison.first, comparison.margins) == ("a", dict.fromkeys(ROLE_PLAY, -1))
    assert found.left_out == {
        "the judge did not reply": 2,
        "what the judge said is unread: no JSON in the reply": 1,
        "what the judge said is unread: more text follows the verdict": 1,
    }


def test_several_judges_have_a_comparison_each() -> None:
    """Where a file names them; its single reply, the first judge's again, is not a third."""
    several = {
        "judge_models": ["one", "two"],
        "judge_responses": [said(FIRST + "+"), said(SECOND + "+")],
        "judge_response": said(FIRST + "+"),
    }
    found = read(row(**several), judge="other").comparisons
    assert [(c.judge, c.margins["overall_eq"]) for c in found] == [("one", 1), ("two", -1)]


def test_the_judge_is_the_user_s_word_where_the_file_has_none() -> None:
    """Without either there is a note."""
    assert [c.judge for c in read(row(), judge="sonnet").comparisons] == ["sonnet"]
    assert read(row(), judge="sonnet").notes == ()
    found = read(row())
    assert [c.judge for c in found.comparisons] == [""]
    (note,) = found.notes
    assert "name the judge with --judge" in note


def test_a_winner_that_the_words_contradict_is_noted() -> None:
    """The words count. A draw that is one by the pluses is no contradiction."""
    even = said(FIRST + "+") | dict.fromkeys(ROLE_PLAY[:4], SECOND + "+")
    rows = (
        row(outcome_for_test_model=0.0),
        row(REVERSED, outcome_for_test_model=1.0),
        row(scenario_id="7", judge_response=even, outcome_for_test_model=0.5),
        row(scenario_id="8", outcome_for_test_model="won"),
    )
    found = read(*rows, judge="j")
    assert len(found.comparisons) == 4
    (note,) = found.notes
    assert note.startswith("of 2 comparisons the file names another winner than the judge's words")


def test_a_comparison_that_is_there_twice_counts_once() -> None:
    """Also with the two models' parts changed round; the first to come counts."""
    turned = row(REVERSED, pair=pair(test_model="y", neighbor_model="x"))
    other = row(judge_response=said(SECOND + "+"))
    found = read(row(), row(), turned, other)
    assert [c.margins["overall_eq"] for c in found.comparisons] == [2]
    assert found.left_out == {"there already": 2, "there already, with another reply": 1}
    Comparisons.of(found.comparisons)


def test_lengths_are_those_of_the_replies_that_were_compared() -> None:
    """Whatever the order; unknown where the file does not say, or nothing was said."""
    told: dict[str, Any] = {
        "test_model_avg_response_length": 900.5,
        "neighbor_model_avg_response_length": 450,
    }
    for order in (FORWARD, REVERSED):
        found = only(row(order, **told))
        assert (found.len_a, found.len_b) == (900.5, 450.0)
    for length in (None, 0, 0.0):
        told["neighbor_model_avg_response_length"] = length
        assert only(row(**told)).len_b is None


def test_iterations_begin_at_one() -> None:
    """As text or number; none is the first; a file that counts from 0 is moved by one."""
    without = pair()
    del without["iteration_index"]
    assert only(row(pair=without)).iteration == 1
    assert only(row(pair=pair(iteration_index=3))).iteration == 3
    assert only(row(pair=pair(iteration_index="2"))).iteration == 2
    found = read(row(pair=pair(iteration_index="0")), row(pair=pair(iteration_index="1")))
    assert [c.iteration for c in found.comparisons] == [1, 2]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"pair": pair(neighbor_model="x")}, "it compares a model with itself"),
        ({"order": "A0488:test / A0493:other"}, "its order is unknown"),
        ({"order": "A0493:test"}, "its order is unknown"),
        ({"order": None}, "its order is unknown"),
        ({"judge_response": None}, "what the judge said is not there"),
    ],
)
def test_what_cannot_be_placed_is_left_out(changes: dict[str, Any], reason: str) -> None:
    """An order is one of two texts; a prefix of one says too little."""
    found = read(row(scenario_id="7"), row(**changes))
    assert (len(found.comparisons), found.left_out) == (1, {reason: 1})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ("a text", "is no JSON object"),
        (row(pair=["x", "y"]), 'needs "pair", an object'),
        (row(pair=pair(test_model=None)), 'needs "test_model", a text'),
        (row(pair=pair(neighbor_model=" ")), 'needs "neighbor_model", a text'),
        (row(pair=pair(test_model="\ud800")), '"test_model" holds half of a character'),
        (row(pair=pair(iteration_index=True)), '"iteration_index" must be a whole number from 0'),
        (row(pair=pair(iteration_index="-1")), '"iteration_index" must be a whole number from 0'),
        (row(pair=pair(iteration_index="1" * 10)), '"iteration_index" must be a whole number'),
        (row(pair=pair(iteration_index=1.0)), '"iteration_index" must be a whole number from 0'),
        (row(scenario_id=None), 'needs "scenario_id", a text'),
        (row(scenario_id=1.5), 'needs "scenario_id", a text'),
        (row(judge_response="A0493+"), 'needs "judge_response", an object'),
        (row(judge_models=["one"], judge_responses=[said(), said()]), "two lists of one length"),
        (row(judge_models="one", judge_responses=[said()]), "two lists of one length"),
        (row(judge_models=[1], judge_responses=[said()]), 'needs "judge_models", a text'),
        (
            row(test_model_avg_response_length="long"),
            '"test_model_avg_response_length" must be a number',
        ),
        (row(judge_models=["one"], judge_responses=[1]), 'needs "judge_response", an object'),
    ],
)
def test_what_is_of_the_wrong_type_is_refused_with_its_place(changed: Any, message: str) -> None:
    """The whole file: it is not of the form."""
    with pytest.raises(DataError) as caught:
        read(row(), changed)
    assert str(caught.value).startswith("elo_results.json, comparison 2: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, 'no list "global_pairwise_comparisons"'),
        ({"__metadata__": []}, 'no list "global_pairwise_comparisons"'),
        ({"__metadata__": {"global_pairwise_comparisons": {}}}, "no list"),
        (results(), "holds no comparisons"),
    ],
)
def test_another_file_is_told_from_a_results_file(value: Any, message: str) -> None:
    """With what it is, where that is known."""
    with pytest.raises(DataError) as caught:
        read_value(value, Path("some.json"), "")
    assert message in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(row())), JSON, st.sampled_from(sorted(pair())), JSON)
def test_whatever_a_field_holds_there_is_no_other_error(
    key: str, value: Any, part: str, inside: Any
) -> None:
    """It is refused, left out, or read as comparisons of the file form."""
    for changed in (row(**{key: value}), row(pair=pair(**{part: inside}))):
        try:
            found = read(row(scenario_id="7"), changed)
        except (DataError, ValueError):  # the second is named with the file where that is read
            continue
        Comparisons.of(found.comparisons)
        assert len(found.comparisons) + sum(found.left_out.values()) == 2


@pytest.mark.skipif(
    "EIBENCH_OFFICIAL_DATA" not in os.environ, reason="EIBENCH_OFFICIAL_DATA is not set"
)
@pytest.mark.parametrize("kind", ["role-play", "drafting", "direct", "analysis"])
def test_criteria_are_those_of_the_official_prompts(kind: str) -> None:
    """In their order."""
    path = Path(os.environ["EIBENCH_OFFICIAL_DATA"], "eqbench3", KINDS[kind]["pairwise"])
    found = criteria_of(path.read_text(encoding="utf-8"))
    assert list(found) == KINDS[kind]["pairwise_criteria"]
