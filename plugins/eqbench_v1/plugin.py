"""Registers EQ-Bench v1 and its table of published scores."""

from collections.abc import Callable

from eibench import Benchmark, ReportSection, hookimpl

from .benchmark import EQBenchV1
from .published import SECTION


@hookimpl
def register_benchmarks(register: Callable[[Benchmark], None]) -> None:
    """EQ-Bench v1."""
    register(EQBenchV1())


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """Where a score stands among the published ones."""
    register(SECTION)
