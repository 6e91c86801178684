"""Registers declared benchmarks: TOML files, imported when one is named."""

from collections.abc import Callable

from eibench import BenchmarkFiles, OnDemand, hookimpl


@hookimpl
def register_benchmark_files(register: Callable[[BenchmarkFiles], None]) -> None:
    """Files that end in ``.toml``, and folders with ``benchmark.toml``."""
    read = OnDemand("eibench.plugins.declared.benchmark:Declared")
    title = "benchmarks declared in TOML (docs/declared.md)"
    register(BenchmarkFiles("toml", title, ".toml", "benchmark.toml", read))
