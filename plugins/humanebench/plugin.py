"""Registers HumaneBench, which is imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """HumaneBench."""
    title = "replies rated by eight humane principles, under three personas"
    path = "eibench.plugins.humanebench.benchmark:HumaneBench"
    register(OnDemand(path, "humanebench", title, "rubric"))
