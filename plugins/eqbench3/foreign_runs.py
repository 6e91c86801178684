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

from eibench import ForeignRun, ForeignSample, JsonObject

from .foreign_tasks import Head, Task, Unusable, read_task
from .foreign_values import (
    Wrong,
    flag,
    iteration_number,
    model_name,
    object_in,
    optional_text,
    placed,
)

_TASKS = "scenario_tasks"
_NO_JUDGE = frozenset({"", "N/A"})


def is_run(value: object) -> bool:
    """Whether what a file has under a key looks like a run."""
    return isinstance(value, dict) and _TASKS in value


def read_run(key: str, run: object, origin: Path, judge: str) -> ForeignRun:
    """A run of a file.

    Args:
        key: What the file has it under.
        run: The run.
        origin: The file.
        judge: Who gave the verdicts, where the run does not say.

    Raises:
        DataError: A part of it is of the wrong type.
    """
    place = f"run {key!r:.60}"
    with placed(origin, place):
        model_name(key, "the run's key")
        head = _read_head(run, judge)
        tasks = object_in(run, _TASKS)
    left_out = Counter[str]()
    samples = list(_samples(_tasks(tasks, origin, place), origin, head, left_out))
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


def _read_head(run: object, judge: str) -> Head:
    if not isinstance(run, dict):
        raise Wrong("is no JSON object")
    named = "model_name" if run.get("model_name") is not None else "test_model"
    name = model_name(run.get(named), f'"{named}"')
    model = run.get("api_model_id")
    return Head(
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
    tasks: Iterator[Task], origin: Path, head: Head, left_out: Counter[str]
) -> Iterator[ForeignSample]:
    """The tasks that can be used; the others are counted."""
    for task in tasks:
        try:
            with placed(origin, task.place):
                sample = read_task(task, head, left_out)
        except Unusable as error:
            left_out[str(error)] += 1
        else:
            yield sample


def _tasks(tasks: JsonObject, origin: Path, place: str) -> Iterator[Task]:
    for number, scenarios in tasks.items():
        with placed(origin, f"{place}, iteration {number!r:.20}"):
            iteration = iteration_number(number)
            if not isinstance(scenarios, dict):
                raise Wrong("is no JSON object")
        for scenario, fields in scenarios.items():
            where = f"{place}, iteration {iteration}, scenario {scenario!r:.60}"
            with placed(origin, where):
                if not isinstance(fields, dict):
                    raise Wrong("is no JSON object")
            yield Task(iteration, scenario, fields, where)
