"""Registers both-sides, which is imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """both-sides."""
    title = "a dispute told by either side: does the model side with whoever tells it?"
    path = f"{__package__}.benchmark:BothSides"
    register(OnDemand(path, "both-sides", title, kind="choice"))
