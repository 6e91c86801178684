"""Registers EmotionQueen and its table of the tasks."""

from collections.abc import Callable

from eibench import Benchmark, ReportSection, hookimpl

from .benchmark import EmotionQueen
from .tasks_table import SECTION


@hookimpl
def register_benchmarks(register: Callable[[Benchmark], None]) -> None:
    """EmotionQueen."""
    register(EmotionQueen())


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """How the tasks did."""
    register(SECTION)
