"""Registers EQ-Bench v1 and its table of published scores: each imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, ReportSection, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """EQ-Bench v1."""
    title = "rate four emotions after a dialogue; distance to reference ratings (Paech 2023)"
    path = "eibench.plugins.eqbench_v1.benchmark:EQBenchV1"
    register(OnDemand(path, "eqbench-v1", title, "ratings"))


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """Where a score stands among the published ones."""
    standing = OnDemand("eibench.plugins.eqbench_v1.benchmark:standing")
    register(ReportSection("eqbench-v1-published", "eqbench-v1", standing))
