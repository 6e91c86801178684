"""Registers multiple-choice, which is imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """multiple-choice."""
    title = "questions with choices from a file of yours, in the forms of MMLU and AGIEval"
    path = f"{__package__}.benchmark:MultipleChoice"
    register(OnDemand(path, "multiple-choice", title, kind="choice"))
