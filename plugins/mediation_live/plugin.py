"""Registers mediation-live, which is imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """mediation-live."""
    title = "mediate a dispute between two people whom a further model plays, graded on a rubric"
    path = "eibench.plugins.mediation_live.benchmark:MediationLive"
    register(OnDemand(path, "mediation-live", title, "talk"))
