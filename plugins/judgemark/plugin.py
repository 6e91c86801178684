"""Registers Judgemark, imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """Judgemark."""
    title = "the model is a judge of fiction: does it tell writers apart, and twice alike?"
    register(OnDemand(f"{__package__}.benchmark:Judgemark", "judgemark", title, "rubric"))
