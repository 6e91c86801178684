"""Registers BuzzBench, which is imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """BuzzBench."""
    title = "jokes about a quiz's guests explained and rated, beside a human's answer (Paech 2025)"
    path = "eibench.plugins.buzzbench.benchmark:BuzzBench"
    register(OnDemand(path, "buzzbench", title, "rubric"))
