"""Registers Creative Writing in both forms, Longform Writing and Judgemark, on demand."""

from collections.abc import Callable

from eibench import OnDemand, ReportSection, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """Creative Writing v3, the form before it, Longform Writing, and their judge's exam."""
    home = "eibench.plugins.creative_writing"
    title = "short pieces of fiction, graded by a judge on 22 criteria, and compared (Paech 2025)"
    register(OnDemand(f"{home}.v3:CreativeWritingV3", "creative-writing-v3", title, "rubric"))
    title = "short pieces of fiction, graded beside a reference text (Paech 2024)"
    path = f"{home}.legacy:CreativeWritingLegacy"
    register(OnDemand(path, "creative-writing-legacy", title, "rubric"))
    title = "stories in eight chapters, each graded by a judge, and the whole (Paech 2025)"
    path = f"{home}.longform:LongformWriting"
    register(OnDemand(path, "longform-writing", title, "rubric"))
    title = "the model is a judge of fiction: does it tell writers apart, and twice alike?"
    register(OnDemand(f"{home}.judgemark:Judgemark", "judgemark", title, "rubric"))


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """How stories go on, chapter by chapter."""
    plot = OnDemand("eibench.plugins.creative_writing.longform:chapter_plot")
    register(ReportSection("longform-chapters", "longform-writing", plot))
