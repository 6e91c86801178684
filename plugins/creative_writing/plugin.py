"""Registers Creative Writing in both forms, each imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """Creative Writing v3, and the form before it."""
    home = "eibench.plugins.creative_writing"
    title = "short pieces of fiction, graded by a judge on 22 criteria, and compared (Paech 2025)"
    register(OnDemand(f"{home}.v3:CreativeWritingV3", "creative-writing-v3", title, "rubric"))
    title = "short pieces of fiction, graded beside a reference text (Paech 2024)"
    path = f"{home}.legacy:CreativeWritingLegacy"
    register(OnDemand(path, "creative-writing-legacy", title, "rubric"))
