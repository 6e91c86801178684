"""Runs out of the file in which the published code keeps them; all files here are made up.

The form is that of https://github.com/EQ-bench/eqbench3, core/benchmark/base.py and
core/conversation.py: facts only.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eibench import DataError, ForeignPart, ForeignRun, ForeignTurn
from eibench.plugins.eqbench3 import foreign_runs as message
from eibench.plugins.eqbench3.foreign import read_file

Make = Callable[..., dict[str, Any]]


def read(*runs: Any, judge: str = "", **more: Any) -> list[ForeignRun]:
    """The runs of a file that knows them by numbers."""
    value = {**{str(n): run for n, run in enumerate(runs)}, **more}
    return read_value(value, Path("eqbench3_runs.json"), judge)


def read_value(value: dict[str, Any], origin: Path, judge: str = "") -> list[ForeignRun]:
    """The runs of a file that holds this."""
    parts = (ForeignPart((key,), part) for key, part in value.items())
    return list(read_file(parts, origin, judge).runs)


def only(*runs: Any, judge: str = "") -> ForeignRun:
    """The one run of a file."""
    (found,) = read(*runs, judge=judge)
    return found


def test_a_run_is_what_was_said(run: Make) -> None:
    """Names, the conversation with the debrief as its last turn, and the judge's words."""
    found = only(run(iterations=2))
    assert (found.key, found.name, found.model) == ("0", "o3", "maker/o3")
    assert (found.judge, found.started) == ("maker/sonnet", "2025-05-01T10:00:00.123456+00:00")
    assert found.options == {"rubric": True, "elo": False}
    assert found.left_out == {}
    known = [(s.item_id, s.iteration, len(s.turns)) for s in found.samples]
    assert known == [(id, n, turns) for n in (1, 2)
                     for id, turns in (("1", 3), ("208", 2), ("8", 2), ("401", 1))]  # fmt: skip
    assert found.samples[2].turns[0].asked == "Speak."
    assert found.samples[2].turns[1] == ForeignTurn("Look back.", "o3 looks back.")
    assert all(s.verdicts and s.verdicts[0].startswith("{") for s in found.samples)


def test_keys_that_begin_with_two_lines_are_no_runs(run: Make) -> None:
    """Whatever they hold."""
    assert [r.key for r in read(run(), __metadata__=[1], __more__=None)] == ["0"]
    with pytest.raises(DataError, match="is no file of EQ-Bench 3"):
        read_value({"x": {"elo": 1}, "__old__": run()}, Path("f.json"))


def test_older_files_name_the_model_once(run: Make) -> None:
    """As `test_model`; the judge as `judge_model`."""
    absent = dict.fromkeys(("model_name", "api_model_id", "rubric_judge_model"), "ABSENT")
    found = only(run(**absent, test_model=" o3 "))
    assert (found.name, found.model, found.judge) == ("o3", "o3", "maker/sonnet")


@pytest.mark.parametrize("named", ["N/A", "", None, "ABSENT"])
def test_a_judge_that_is_not_named_is_who_the_user_says(run: Make, named: Any) -> None:
    """Without a word of the user, the verdicts are left out; the conversations are not."""
    made = run(rubric_judge_model=named, judge_model="N/A")
    unknown = only(made)
    assert (unknown.judge, unknown.options["rubric"]) == ("", False)
    assert unknown.left_out == {message.JUDGE_UNKNOWN: 4}
    assert [s.verdict for s in unknown.samples] == [None] * 4
    assert (only(made, judge="my judge").judge, only(made, judge="x").left_out) == ("my_judge", {})


def test_a_judge_that_is_named_stays(run: Make) -> None:
    """Whatever the user says; a blank in it would read as the beginning of a host."""
    assert only(run(), judge="other").judge == "maker/sonnet"
    assert only(run(rubric_judge_model="a at b")).judge == "a_at_b"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"status": "initialized", "conversation_history": []}, message.UNFINISHED),
        ({"status": "running_scenario"}, message.UNFINISHED),
        ({"status": "running_debrief"}, message.UNFINISHED),
        ({"status": "what?"}, message.UNFINISHED),
        ({"status": "error", "error": "oh"}, message.UNFINISHED),
        ({"conversation_history": []}, message.UNFINISHED),
        ({"conversation_history": [{"role": "user", "content": "Speak."}]}, message.UNFINISHED),
        (
            {"conversation_history": [{"role": "assistant", "content": "I."}] * 2},
            message.NOT_IN_TURN,
        ),
        ({"conversation_history": [{"role": "system", "content": "I."}] * 2}, message.NOT_IN_TURN),
        ({"test_model": "another"}, message.OF_ANOTHER),
        ({"scenario_id": "9"}, message.OF_ANOTHER),
        ({"iteration_index": 0}, message.OF_ANOTHER),
    ],
)
def test_a_task_that_cannot_be_used_is_left_out(
    run: Make, changes: dict[str, Any], reason: str
) -> None:
    """And counted; the others are there."""
    found = only(run(tasks={"8": changes}))
    assert found.left_out == {reason: 1}
    assert [s.item_id for s in found.samples] == ["1", "208", "401"]


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "error", "rubric_run_error": "Failed to parse scores"},
        {"scenario_id": 8},
        {"test_model": "ABSENT", "scenario_id": "ABSENT", "iteration_index": "ABSENT"},
        {"debrief_prompt": None},
        {"rubric_scores": None, "parsed_responses": None, "prompts": "odd"},
    ],
)
def test_a_task_that_says_less_is_used(run: Make, changes: dict[str, Any]) -> None:
    """A verdict that the published code could not read is tried; what is not used may be odd."""
    found = only(run(tasks={"8": changes}))
    assert found.left_out == {}
    assert found.samples[2].verdict is not None


@pytest.mark.parametrize(
    ("of_run", "of_task", "reason"),
    [
        ({"truncate_for_rubric": True}, {}, message.TRUNCATED),
        ({"truncate_for_rubric": "ABSENT"}, {}, message.TRUNCATION_UNKNOWN),
        ({}, {"status": "completed"}, message.OUTDATED),
        ({}, {"raw_rubric_judge_text": None}, message.NO_WORDS),
    ],
)
def test_a_verdict_that_cannot_be_used_is_left_out(
    run: Make, of_run: dict[str, Any], of_task: dict[str, Any], reason: str
) -> None:
    """And counted; the conversation is there."""
    ids = ("1", "208", "8", "401")
    found = only(run(**of_run, tasks=dict.fromkeys(ids, of_task)))
    assert found.left_out == {reason: 4}
    assert [s.item_id for s in found.samples] == list(ids)
    assert (found.judge, found.options) == ("", {"rubric": False, "elo": False})


def test_a_verdict_that_was_never_asked_for_is_not_missed(run: Make) -> None:
    """No grades, no words: nothing is left out."""
    none = {"raw_rubric_judge_text": None, "rubric_scores": None, "status": "completed"}
    found = only(run(tasks={"8": none}))
    assert (found.left_out, found.options["rubric"]) == ({}, True)
    assert found.samples[2].verdict is None


@pytest.mark.parametrize("reply", ["", None])
def test_a_reply_may_be_empty(run: Make, reply: Any) -> None:
    """Some servers reply with nothing."""
    history = [{"role": "user", "content": "Speak."}, {"role": "assistant", "content": reply}]
    found = only(run(tasks={"8": {"conversation_history": history}}))
    assert found.samples[2].turns[0].replied == ""


RUN = "f.json, run '0'"
TASK = f"{RUN}, iteration 1, scenario '8'"


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"model_name": 1}, f'{RUN}: needs "model_name", a name'),
        ({"model_name": "  "}, f'{RUN}: needs "model_name", a name'),
        ({"model_name": "o3\x1b[31m"}, f'{RUN}: "model_name" is no name'),
        ({"model_name": "o3\nx"}, f'{RUN}: "model_name" is no name'),
        ({"model_name": "\ud800"}, f'{RUN}: "model_name" is no name'),
        ({"model_name": "x" * 201}, f'{RUN}: "model_name" is no name: at most 200'),
        ({"model_name": None, "test_model": None}, f'{RUN}: needs "test_model", a name'),
        ({"api_model_id": ["x"]}, f'{RUN}: needs "api_model_id", a name'),
        ({"rubric_judge_model": True}, f'{RUN}: "rubric_judge_model" must be a text'),
        ({"truncate_for_rubric": 0}, f'{RUN}: "truncate_for_rubric" must be true or false'),
        ({"start_time": 1.5}, f'{RUN}: "start_time" must be a text'),
        ({"scenario_tasks": []}, f'{RUN}: needs "scenario_tasks", an object'),
        ({"scenario_tasks": {"1": []}}, f"{RUN}, iteration '1': is no JSON object"),
        ({"scenario_tasks": {"0": {}}}, f"{RUN}, iteration '0': must be a whole number from 1"),
        ({"scenario_tasks": {"01": {}}}, f"{RUN}, iteration '01': must be a whole"),
        ({"scenario_tasks": {"1001": {}}}, f"{RUN}, iteration '1001': must be a whole"),
        ({"scenario_tasks": {"١": {}}}, f"{RUN}, iteration '١': must be a whole"),
        ({"scenario_tasks": {"1": {"8": None}}}, f"{TASK}: is no JSON object"),
    ],
)
def test_a_run_of_the_wrong_type_is_refused(run: Make, changes: dict[str, Any], place: str) -> None:
    """With its place."""
    with pytest.raises(DataError) as caught:
        read_value({"0": run(**changes)}, Path("f.json"))
    assert str(caught.value).startswith(place)


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"status": None}, 'needs "status", a text'),
        ({"conversation_history": None}, 'needs "conversation_history", a list'),
        ({"conversation_history": "ABSENT"}, 'needs "conversation_history", a list'),
        ({"conversation_history": ["hi"]}, '"conversation_history" holds what is no JSON object'),
        ({"conversation_history": [{"content": "x"}]}, 'needs "role", a text'),
        ({"conversation_history": [{"role": "user"}]}, 'needs "content", a text'),
        ({"conversation_history": [{"role": "user", "content": 1}]}, '"content" must be a text'),
        ({"debrief_response": 3}, '"debrief_response" must be a text'),
        ({"debrief_prompt": {}}, '"debrief_prompt" must be a text'),
        ({"raw_rubric_judge_text": {"a": 1}}, '"raw_rubric_judge_text" must be a text'),
        ({"rubric_run_error": True}, '"rubric_run_error" must be a text'),
        ({"scenario_id": True}, '"scenario_id" must be a text'),
        ({"iteration_index": True}, '"iteration_index" must be a whole number'),
        ({"iteration_index": "1"}, '"iteration_index" must be a whole number'),
        ({"test_model": 1}, '"test_model" must be a text'),
    ],
)
def test_a_task_of_the_wrong_type_is_refused(
    run: Make, changes: dict[str, Any], wrong: str
) -> None:
    """With run, iteration and scenario; also where it would be left out anyway."""
    with pytest.raises(DataError) as caught:
        read_value({"0": run(tasks={"8": changes})}, Path("f.json"))
    assert str(caught.value).startswith(f"{TASK}: ")
    assert wrong in str(caught.value)


@pytest.mark.parametrize("odd", [None, 1, "x", []])
def test_a_run_that_is_no_object_is_refused(run: Make, odd: Any) -> None:
    """Beside one that is."""
    with pytest.raises(DataError, match="run '1': is no JSON object"):
        read(run(), odd)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(data=st.data(), of_run=JSON, of_task=JSON)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_field_holds_there_is_no_other_error(
    run: Make, data: st.DataObject, of_run: Any, of_task: Any
) -> None:
    """It is refused, left out, or read."""
    made = run()
    task = made["scenario_tasks"]["1"]["8"]
    made[data.draw(st.sampled_from(sorted(made)))] = of_run
    task[data.draw(st.sampled_from(sorted(task)))] = of_task
    try:
        found = only(made)
    except DataError as error:
        assert str(error).startswith("eqbench3_runs.json, run '0'")
        return
    assert len(found.samples) <= 4


def test_a_run_s_key_is_a_name(run: Make) -> None:
    """It tells runs from one another, and is printed."""
    with pytest.raises(DataError, match="the run's key is no name"):
        read_value({"\x1b": run()}, Path("f.json"))
