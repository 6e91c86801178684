"""Registers DiploBench and its section, imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, ReportSection, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """Diplobench."""
    title = "full-press Diplomacy: the model plays Austria against six others (Paech 2025)"
    register(OnDemand(f"{__package__}.benchmark:DiploBench", "diplobench", title, kind="game"))


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """The games of a run: centres by year, and the map at the end."""
    build = OnDemand(f"{__package__}.section:section")
    register(ReportSection("diplobench", "diplobench", build, reads_runs=True))
