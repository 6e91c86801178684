"""Everything that plugins add, by kind."""

import os
from collections.abc import Iterable, Mapping
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any

import click

import eibench.data

from ..benchmark import Benchmark
from ..datasets.official import DATA_ONLY, pack_folders
from ..errors import PluginError, UsageError
from ..guard import calls
from ..hooks.benchmark_files import BenchmarkFiles
from ..hooks.exporters import Exporter
from ..hooks.names import COMMANDS
from ..hooks.on_demand import OnDemand, entries
from ..hooks.sections import ReportPage, ReportSection
from ..parties.providers import Provider
from ..ratings import RatingEngine
from . import declared
from .loading import Loader, Plugin
from .registry import BrokenPlugin, Registry

_KEPT = "a file, kept with its runs"


class Catalogue:
    """What plugins add.

    Attributes:
        broken: What cannot be used, with its distribution and the reason; it stops only those
            commands that need what it would have added.
        registries: The registry behind each hook, by the hook's name.
    """

    def __init__(self) -> None:
        self.broken: list[BrokenPlugin] = []
        reserved = frozenset(COMMANDS)
        self.benchmarks = Registry[Benchmark]("benchmark", declared.benchmark, self.broken)
        self.benchmark_files = Registry[BenchmarkFiles](
            "form of benchmark files", declared.benchmark_files, self.broken
        )
        self.providers = Registry[Provider]("provider", declared.provider, self.broken)
        self.rating_engines = Registry[RatingEngine]("rating engine", declared.engine, self.broken)
        self.report_sections = Registry[ReportSection](
            "report section", declared.section, self.broken
        )
        self.pages = Registry[ReportPage]("page", declared.page, self.broken)
        self.exporters = Registry[Exporter]("exporter", declared.exporter, self.broken)
        self.commands = Registry[click.Command]("command", declared.command, self.broken, reserved)
        self.registries: dict[str, Registry[Any]] = {
            f"register_{name}": registry
            for name, registry in vars(self).items()
            if isinstance(registry, Registry)
        }

    def load(self, plugins: Iterable[Plugin]) -> None:
        """Add all that plugins register; never raises for a fault of theirs."""
        self.broken += Loader(self.registries).load(plugins)

    @property
    def data_folders(self) -> dict[str, Path | None]:
        """The data folder of each benchmark, by name."""
        return {b.name: None if b.packs else b.data for b in self.benchmarks}

    def having(self, benchmarks: Mapping[str, OnDemand]) -> "Catalogue":
        """The same with further benchmarks, which a journal holds."""
        more = copy(self)
        more.benchmarks = self.benchmarks.having(benchmarks, _KEPT)
        more.registries = {**self.registries, "register_benchmarks": more.benchmarks}
        return more

    def declared_at(self, word: str | Path, *, clashes: bool = False) -> Benchmark | None:
        """The benchmark that the file or folder at a path declares; ``None`` where it is no such.

        Args:
            word: A path, or what may be a name.
            clashes: Whether it may have the name of one that is installed.

        Raises:
            DataError: It is of such a form, and broken or not there.
            PluginError: It declares what no benchmark can be.
            UsageError: Its name is that of another benchmark.
        """
        path = Path(word)
        try:
            is_folder = path.is_dir()
        except OSError:  # such as a word that is too long for a path
            return None
        is_path = isinstance(word, Path) or os.sep in word or path.suffix or is_folder
        for form in self.benchmark_files if is_path else ():
            if file := form.file_at(path):
                return self._read(form, file, clashes=clashes)
        return None

    def _read(self, form: BenchmarkFiles, file: Path, *, clashes: bool) -> Benchmark:
        """What a file declares, if it may be called what it is called."""
        call: Any = form.read
        benchmark: Benchmark = call(file)
        if wrong := declared.benchmark(benchmark):
            raise PluginError(f"{file}: {wrong}")
        if benchmark.name in self.benchmarks.things and not clashes:
            if (known := self.benchmark(benchmark.name)).files == benchmark.files:
                return known
            origin = self.benchmarks.origins[benchmark.name]
            raise UsageError(
                f"{file}: the name {benchmark.name!r} is that of a benchmark of {origin}; "
                "choose another"
            )
        return benchmark

    def benchmark(self, name: str) -> Benchmark:
        """The benchmark of that name, or at that path, or `UsageError`."""
        if name not in self.benchmarks.things and (of_file := self.declared_at(name)):
            return of_file
        if name not in self.benchmarks.things and name in pack_folders(eibench.data.folder(""), {}):
            listed = ", ".join(self.benchmarks.things)
            failed = "".join(f"; {plugin}" for plugin in self.broken)
            raise UsageError(f"{name} is {DATA_ONLY}; the benchmarks are: {listed}{failed}")
        if name not in self.benchmarks.things and os.sep in name:
            forms = (f"a {form.suffix} file or a folder with {form.in_folder}"
                     for form in self.benchmark_files)  # fmt: skip
            raise UsageError(f"{name} declares no benchmark; name {', '.join(forms)}")
        return self.benchmarks.get(name)

    def provider(self, name: str) -> Provider:
        """The provider of that prefix, or `UsageError`."""
        return self.providers.get(name)

    def distribution_of(self, thing: object) -> str | None:
        """Which distribution registered an object; ``None`` where none did."""
        for registry in self.registries.values():
            for name, known in registry.declared.items():
                if known is thing:
                    return registry.origins[name]
        return None


@cache
def installed() -> Catalogue:
    """The catalogue of this process; never raises for a plugin's fault."""
    catalogue = Catalogue()
    calls.find_distribution = catalogue.distribution_of
    catalogue.load(map(Plugin.at, entries()))
    return catalogue


def benchmarks() -> Mapping[str, Benchmark]:
    """The benchmarks that are installed, by name; each is imported when it is taken out."""
    return installed().benchmarks.things
