"""Registers EQ-Bench v2 and its table of published scores: each imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, ReportSection, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """EQ-Bench v2."""
    title = "rate four emotions after a dialogue, each on the full scale (Paech 2024)"
    path = "eibench.plugins.eqbench_v2.benchmark:EQBenchV2"
    register(OnDemand(path, "eqbench-v2", title, "ratings"))


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """Where a score stands among the published ones."""
    standing = OnDemand("eibench.plugins.eqbench_v2.benchmark:standing")
    register(ReportSection("eqbench-v2-published", "eqbench-v2", standing))
