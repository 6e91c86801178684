"""Registers EQ-Bench v2 and its table of published scores."""

from collections.abc import Callable

from eibench import Benchmark, ReportSection, hookimpl

from .benchmark import EQBenchV2
from .published import SECTION


@hookimpl
def register_benchmarks(register: Callable[[Benchmark], None]) -> None:
    """EQ-Bench v2."""
    register(EQBenchV2())


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """Where a score stands among the published ones."""
    register(SECTION)
