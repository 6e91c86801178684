"""Registers the benchmark, the command, the section and the page, each imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, ReportPage, ReportSection, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """The exam as a benchmark."""
    title = "the model is a judge: replies whose order is known, and what must not matter"
    register(OnDemand(f"{__package__}.benchmark:JudgeExam", "judge-exam", title, "exam"))


@hookimpl
def register_commands(register: Callable[[OnDemand], None]) -> None:
    """`bench exam`."""
    title = "Examine a judge before you pay it: 280 calls, a verdict in words."
    register(OnDemand(f"{__package__}.exam_command:exam_command", "exam", title))


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """The profile of an exam."""
    register(ReportSection("judge-exam", "judge-exam", OnDemand(f"{__package__}.section:section")))


@hookimpl
def register_pages(register: Callable[[ReportPage], None]) -> None:
    """Judges beside each other."""
    build = OnDemand(f"{__package__}.section:page")
    register(ReportPage("judges-exam", "Judges examined", build, "judge-exam"))
