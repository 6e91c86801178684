"""Registers EQ-Bench 3 and its table of the kinds of scenario."""

from collections.abc import Callable

from eibench import Benchmark, ReportSection, hookimpl

from .benchmark import EQBench3
from .kinds_table import SECTION


@hookimpl
def register_benchmarks(register: Callable[[Benchmark], None]) -> None:
    """EQ-Bench 3."""
    register(EQBench3())


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """How the kinds of scenario did."""
    register(SECTION)
