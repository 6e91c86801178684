"""Registers EQ-Bench 3 and its table of the kinds of scenario: each imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, ReportSection, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """EQ-Bench 3."""
    title = "role-plays, turn by turn, graded by a judge on a rubric (Paech 2025)"
    register(OnDemand("eibench.plugins.eqbench3.benchmark:EQBench3", "eqbench3", title, "rubric"))


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """How the kinds of scenario did."""
    kinds_table = OnDemand("eibench.plugins.eqbench3.scoring:kinds_table")
    register(ReportSection("eqbench3-kinds", "eqbench3", kinds_table))
