"""The hooks a plugin can implement. docs/plugins.md shows each at work.

A plugin is a module (or object) named by an entry point in the group
``eibench``; its functions marked with `hookimpl` are called once per process.
Every hook hands over a ``register`` callback, so that a clash or a wrong type
is known the moment it happens and is laid at the right door.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    import click

    from ..benchmark import Benchmark
    from ..parties.providers import Provider
    from ..ratings import RatingEngine
    from .benchmark_files import BenchmarkFiles
    from .exporters import Exporter
    from .on_demand import OnDemand
    from .sections import ReportPage, ReportSection

hookspec = pluggy.HookspecMarker("eibench")
hookimpl = pluggy.HookimplMarker("eibench")


@hookspec
def register_benchmarks(register: "Callable[[Benchmark | OnDemand], None]") -> None:
    """Add benchmarks to the catalogue.

    Must be cheap: no network, no data files, no heavy imports.

    Args:
        register: Adds one benchmark, or where it is imported from when it is asked for. Raises
            `PluginError` when the name is taken or the object is not a `Benchmark`.
    """


@hookspec
def register_benchmark_files(register: "Callable[[BenchmarkFiles], None]") -> None:
    """Add forms of files that declare a benchmark, whose paths may stand for its name.

    Args:
        register: Adds one form. Raises `PluginError` when the name is taken.
    """


@hookspec
def register_providers(register: "Callable[[Provider], None]") -> None:
    """Add ways to reach models, such as ``openai/NAME``.

    Must be cheap: a provider's SDK is imported when its first client is made.

    Args:
        register: Adds one provider. Raises `PluginError` when the prefix is taken.
    """


@hookspec
def register_rating_engines(register: "Callable[[RatingEngine | OnDemand], None]") -> None:
    """Add ways to turn comparisons into ratings.

    Args:
        register: Adds one engine. Raises `PluginError` when the name is taken.
    """


@hookspec
def register_report_sections(register: "Callable[[ReportSection], None]") -> None:
    """Add sections that `bench run`, `bench show`, reports and sites show below the metrics.

    Args:
        register: Adds one section. Raises `PluginError` when the name is taken.
    """


@hookspec
def register_pages(register: "Callable[[ReportPage], None]") -> None:
    """Add pages to `bench view` and `bench site`.

    Args:
        register: Adds one page. Raises `PluginError` when the object is not a `ReportPage`.
    """


@hookspec
def register_exporters(register: "Callable[[Exporter], None]") -> None:
    """Add forms in which `bench export --format NAME` writes runs.

    Args:
        register: Adds one exporter. Raises `PluginError` when the object is not an `Exporter`.
    """


@hookspec
def register_commands(register: "Callable[[click.Command | OnDemand], None]") -> None:
    """Add commands to `bench`.

    Args:
        register: Adds one click command. Raises `PluginError` when the name is taken,
            also when one of ours has it.
    """
