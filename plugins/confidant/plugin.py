"""Registers confidant and its section, imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, ReportPage, ReportSection, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """Confidant."""
    title = "a talk with a played person: which hidden points did they come to say?"
    register(OnDemand(f"{__package__}.benchmark:Confidant", "confidant", title, kind="talk"))


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """Where the numbers vary, and whether the person was played by the card."""
    register(ReportSection("confidant", "confidant", OnDemand(f"{__package__}.section:section")))


@hookimpl
def register_pages(register: Callable[[ReportPage], None]) -> None:
    """Actors beside each other."""
    build = OnDemand(f"{__package__}.section:page")
    register(ReportPage("confidant-actors", "Actors of confidant", build, "confidant"))
