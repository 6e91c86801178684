"""Registers the command and the section, imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, ReportSection, hookimpl


@hookimpl
def register_commands(register: Callable[[OnDemand], None]) -> None:
    """`bench style`."""
    title = "Count how texts are written, without a judge: slop, repetition, vocabulary."
    register(OnDemand(f"{__package__}.style_command:style_command", "style", title))


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """The style of a run's texts, beside those of its board."""
    build = OnDemand(f"{__package__}.section:style_section")
    register(ReportSection("style", None, build, reads_runs=True))
