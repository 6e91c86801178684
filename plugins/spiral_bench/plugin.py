"""Registers Spiral-Bench, which is imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, ReportSection, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """spiral-bench."""
    title = "20 turns with a trusting seeker: protective and risky behaviour (Paech 2025)"
    register(OnDemand(f"{__package__}.benchmark:SpiralBench", "spiral-bench", title, kind="talk"))


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """Behaviour by turn."""
    build = OnDemand(f"{__package__}.section:section")
    register(ReportSection("spiral-bench", "spiral-bench", build))
