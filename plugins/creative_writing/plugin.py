"""Registers Creative Writing v3, imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """Creative Writing v3."""
    title = "short pieces of fiction, graded by a judge on 22 criteria, and compared (Paech 2025)"
    home = "eibench.plugins.creative_writing.v3"
    register(OnDemand(f"{home}:CreativeWritingV3", "creative-writing-v3", title, "rubric"))
