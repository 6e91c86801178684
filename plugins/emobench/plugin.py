"""Registers EmoBench, which is imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """EmoBench."""
    title = "choose what to do in a dilemma, or what is felt and why (Sabour et al. 2024)"
    path = "eibench.plugins.emobench.benchmark:EmoBench"
    register(OnDemand(path, "emobench", title, kind="choice"))
