"""Runs out of the file in which the published code of EQ-Bench 3 keeps them.

Such a file (``eqbench3_runs.json``) holds conversations, and what the rubric judge said of them.
How replies were drawn is not in it. What it derives from them, such as parsed sections and
grades, is not used: the judge's words are read again. What is of the wrong type is refused with
its place; what cannot be used for certain is left out, counted with the reason. Whether a
conversation is that of the pack is the framework's to find out.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from eibench import ForeignRun, ForeignSample, ForeignTurn, JsonObject

from .foreign_values import (
    Wrong,
    flag,
    iteration_number,
    model_name,
    object_in,
    optional_text,
    placed,
    text_in,
    whole_number,
)

_FINISHED = frozenset(
    {"scenario_completed", "completed", "running_rubric_scoring", "rubric_scored"}
)
_JUDGED = frozenset({"rubric_scored", "error"})
UNFINISHED = "it is not finished"
OF_ANOTHER = "it is kept with a model, a scenario or an iteration that is not its own"
NOT_IN_TURN = "its conversation is not one of user and assistant in turn"
TRUNCATED = "its verdict: the judge saw a shortened conversation, which is another protocol"
TRUNCATION_UNKNOWN = (
    "its verdict: the file does not say whether the judge saw the whole conversation"
)
JUDGE_UNKNOWN = "its verdict: the file does not say who judged; name the judge with --judge"
OUTDATED = "its verdict: it was to be made again"
NO_WORDS = "its grades: what the judge said is not there"


class UnusableTask(ValueError):
    """A task, or its verdict, is left out, and why."""


class RunHead(NamedTuple):
    """What a run says of all its tasks."""

    name: str
    model: str
    judge: str
    truncated: bool | None
    started: str | None


class ScenarioTask(NamedTuple):
    """One conversation of the file."""

    iteration: int
    scenario: str
    fields: JsonObject
    position: str


def read_task(task: ScenarioTask, head: RunHead, left_out: Counter[str]) -> ForeignSample:
    """A task's conversation and, where it counts, its verdict; why it does not goes to `left_out`.

    Raises:
        Wrong: A part is of the wrong type.
        UnusableTask: The conversation cannot be used.
    """
    status = text_in(task.fields, "status")
    turns = list(_turns(task.fields))
    verdict = optional_text(task.fields, "raw_rubric_judge_text")
    failed = optional_text(task.fields, "rubric_run_error")
    _refuse_strange(task, head)
    if not (status in _FINISHED or (status == "error" and failed)):
        raise UnusableTask(UNFINISHED)
    try:
        verdict_text = _verdict(task.fields, verdict, status, head)
    except UnusableTask as error:
        left_out[str(error)] += 1
        verdict_text = None
    return ForeignSample(task.scenario, task.iteration, turns, verdict_text)


def _refuse_strange(task: ScenarioTask, head: RunHead) -> None:
    """Refuse a task that says it belongs elsewhere."""
    scenario = task.fields.get("scenario_id", task.scenario)
    if type(scenario) is not int and not isinstance(scenario, str):
        raise Wrong('"scenario_id" must be a text')
    number = whole_number(task.fields, "iteration_index")
    model = optional_text(task.fields, "test_model")
    same_model = model is None or model.strip() == head.name
    if str(scenario) != task.scenario or number not in (None, task.iteration) or not same_model:
        raise UnusableTask(OF_ANOTHER)


def _turns(task: JsonObject) -> Iterator[ForeignTurn]:
    """What was said, the debrief last."""
    history = task.get("conversation_history")
    if not isinstance(history, list):
        raise Wrong('needs "conversation_history", a list')
    messages = [_message(message) for message in history]
    question = optional_text(task, "debrief_prompt")
    reply = optional_text(task, "debrief_response")
    if not messages:
        raise UnusableTask(UNFINISHED)
    if [role for role, _ in messages] != ["user", "assistant"] * (len(messages) // 2):
        raise UnusableTask(
            UNFINISHED if messages[-1:] and messages[-1][0] == "user" else NOT_IN_TURN
        )
    for (_, asked), (_, replied) in zip(messages[::2], messages[1::2], strict=True):
        yield ForeignTurn(asked, replied)
    if reply is not None:
        yield ForeignTurn(question, reply)


def _message(message: object) -> tuple[str, str]:
    if not isinstance(message, dict):
        raise Wrong('"conversation_history" holds what is no JSON object')
    role = text_in(message, "role")
    content = optional_text(message, "content")
    if content is None and role != "assistant":
        raise Wrong('"conversation_history" needs "content", a text')
    return role, content or ""  # some servers reply with nothing at all


def _verdict(task: JsonObject, text: str | None, status: str, head: RunHead) -> str | None:
    """What the judge said; `UnusableTask` with the reason where it does not count."""
    if text is None or not text.strip():
        if task.get("rubric_scores"):
            raise UnusableTask(NO_WORDS)
        return None
    if status not in _JUDGED:
        raise UnusableTask(OUTDATED)
    if head.truncated is not False:
        raise UnusableTask(TRUNCATED if head.truncated else TRUNCATION_UNKNOWN)
    if not head.judge:
        raise UnusableTask(JUDGE_UNKNOWN)
    return text


_TASKS = "scenario_tasks"
_NO_JUDGE = frozenset({"", "N/A"})


def is_run(value: object) -> bool:
    """Whether what a file has under a key looks like a run."""
    return isinstance(value, dict) and _TASKS in value


def read_run(key: str, run: object, origin: Path, judge: str) -> ForeignRun:
    """A run of a file, by its key; `judge` is who gave the verdicts where the run does not say.

    Raises:
        DataError: A part of it is of the wrong type.
    """
    position = f"run {key!r:.60}"
    with placed(origin, position):
        model_name(key, "the run's key")
        head = _read_head(run, judge)
        tasks = object_in(run, _TASKS)
    left_out = Counter[str]()
    samples = list(_samples(_tasks(tasks, origin, position), origin, head, left_out))
    judged = any(sample.verdict is not None for sample in samples)
    return ForeignRun(
        key=key,
        name=head.name,
        model=head.model,
        samples=samples,
        judge=head.judge if judged else "",
        options={"rubric": judged, "elo": False},
        started=head.started,
        left_out=dict(left_out.most_common()),
    )


def _read_head(run: object, judge: str) -> RunHead:
    if not isinstance(run, dict):
        raise Wrong("is no JSON object")
    named = "model_name" if run.get("model_name") is not None else "test_model"
    name = model_name(run.get(named), f'"{named}"')
    model = run.get("api_model_id")
    return RunHead(
        name=name,
        model=name if model is None else model_name(model, '"api_model_id"'),
        # A blank in a judge's name would read as the beginning of its host's.
        judge="_".join((_judge_of(run) or judge).split()),
        truncated=flag(run, "truncate_for_rubric"),
        started=optional_text(run, "start_time"),
    )


def _judge_of(run: JsonObject) -> str:
    """Who gave the verdicts; empty where the run does not say."""
    for key in ("rubric_judge_model", "judge_model"):
        if run.get(key) is not None:
            message = optional_text(run, key) or ""
            return "" if message.strip() in _NO_JUDGE else model_name(message, f'"{key}"')
    return ""


def _samples(
    tasks: Iterator[ScenarioTask], origin: Path, head: RunHead, left_out: Counter[str]
) -> Iterator[ForeignSample]:
    """The tasks that can be used; the others are counted."""
    for task in tasks:
        try:
            with placed(origin, task.position):
                sample = read_task(task, head, left_out)
        except UnusableTask as error:
            left_out[str(error)] += 1
        else:
            yield sample


def _tasks(tasks: JsonObject, origin: Path, position: str) -> Iterator[ScenarioTask]:
    for number, scenarios in tasks.items():
        with placed(origin, f"{position}, iteration {number!r:.20}"):
            iteration = iteration_number(number)
            if not isinstance(scenarios, dict):
                raise Wrong("is no JSON object")
        for scenario, fields in scenarios.items():
            where = f"{position}, iteration {iteration}, scenario {scenario!r:.60}"
            with placed(origin, where):
                if not isinstance(fields, dict):
                    raise Wrong("is no JSON object")
            yield ScenarioTask(iteration, scenario, fields, where)
