"""The plugin manager: finds plugins, asks each for what it adds, remembers what broke.

Plugins come from the entry-point group ``eibench``, ours like everyone's. One that
fails to import, clashes with another or registers the wrong type is kept in
`Catalogue.broken` with its distribution and the reason, and stops only those
commands that need what it would have added.
"""

import re
from collections import UserDict
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

import click
import pluggy

import eibench.data

from . import hookspecs
from .benchmark import Benchmark
from .command_names import COMMANDS, TAKEN
from .datasets.fetching import DATA_ONLY, pack_folders
from .errors import PluginError, UsageError
from .guard import calls, described, wrong_benchmark, wrong_hooks
from .guard.printing import Speaker
from .on_demand import OnDemand, distribution_of, entries
from .parties.providers import Provider
from .ratings import RatingEngine
from .sections import ReportSection
from .types import SAMPLING

T = TypeVar("T")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class BrokenPlugin(NamedTuple):
    """A plugin, or one thing it registers, that cannot be used."""

    name: str
    distribution: str
    reason: str

    def __str__(self) -> str:
        return f"plugin {self.name!r} of {self.distribution} is broken: {self.reason}"


def _named(thing: object) -> str:
    """A thing by the class that an author wrote."""
    return getattr(thing, "__name__", None) or type(thing).__name__


class Registry(Generic[T]):
    """Things of one kind by name, each with the distribution that added it.

    Args:
        kind: What they are called.
        check: What is wrong with a thing as it is registered, if anything.
        reserved: Names that no plugin may take.

    Attributes:
        things: By name; what is there on demand is imported when it is taken out.
        origins: The distribution of each.
        broken: What could not be imported, shared with the catalogue.
    """

    def __init__(
        self,
        kind: str,
        check: Callable[[object], str | None],
        broken: list[BrokenPlugin],
        reserved: frozenset[str] = frozenset(),
    ) -> None:
        self.kind, self.check, self.broken, self.reserved = kind, check, broken, reserved
        self.origins: dict[str, str] = {}
        self.things: _Things[T] = _Things(self.imported)

    def imported(self, thing: OnDemand) -> T:
        """What was registered on demand; when it cannot be used, it is kept as broken.

        Raises:
            PluginError: It cannot be imported, or is of the wrong type.
        """
        distribution = self.origins[thing.name]
        try:
            with Speaker(f"{self.kind} {thing.name} ({distribution})"):
                made: T = thing.make()
            if wrong := self.check(made):
                raise PluginError(
                    f"{distribution} registers {_named(made)} as a {self.kind}: {wrong}"
                )
        except (Exception, SystemExit) as error:
            broken = BrokenPlugin(thing.name, distribution, _reason(error))
            self.broken.append(broken)
            raise PluginError(str(broken)) from error
        return made

    def add(self, thing: Any, distribution: str) -> None:
        """Add one thing.

        Raises:
            PluginError: It is of the wrong type, or its name is taken.
        """
        check = _ill_named if isinstance(thing, OnDemand) else self.check
        if wrong := check(thing):
            raise PluginError(f"{distribution} registers {_named(thing)} as a {self.kind}: {wrong}")
        name = str(thing.name)
        if name in self.reserved:
            raise PluginError(f"{self.kind} {name!r} of {distribution} clashes with eibench's own")
        if name in self.things:
            raise PluginError(
                f"{self.kind} {name!r} of {distribution} clashes with that of "
                f"{self.origins[name]}; uninstall one of the two"
            )
        self.declared[name] = thing
        self.origins[name] = distribution

    @property
    def declared(self) -> dict[str, Any]:
        """The things as they were registered, or as they are by now: nothing is imported."""
        return self.things.data

    def get(self, name: str, broken: tuple[BrokenPlugin, ...] = ()) -> T:
        """The thing of that name.

        Raises:
            UsageError: There is none; the message has the nearest name, and the
                plugins that are broken, as one of them may have held it.
        """
        if name in self.things:
            return self.things[name]
        near = get_close_matches(name, self.things, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else "there are: " + ", ".join(self.things)
        failed = "".join(f"; {plugin}" for plugin in broken)
        raise UsageError(f"unknown {self.kind} {name!r}; {hint}{failed}")

    def __iter__(self) -> Iterator[T]:
        for name in list(self.things):
            try:
                thing = self.things[name]
            except PluginError:  # it is among the broken now
                continue
            yield thing


class _Things(UserDict[str, T]):
    """Things by name; those on demand are imported when they are taken out."""

    data: dict[str, Any]

    def __init__(self, imported: Callable[[OnDemand], T]) -> None:
        super().__init__()
        self._imported = imported

    def __getitem__(self, name: str) -> T:
        thing: Any = self.data[name]
        if isinstance(thing, OnDemand):
            try:
                thing = self.data[name] = self._imported(thing)
            except PluginError:
                del self.data[name]
                raise
        found: T = thing
        return found


def _a_benchmark(thing: Any) -> str | None:
    if wrong := wrong_benchmark(thing):
        return wrong
    taken = [o.name for o in thing.options if o.name in TAKEN or o.name in SAMPLING]
    if taken:
        return f"its option {taken[0]!r} clashes with one of bench run"
    return _ill_named(thing)


def _a_provider(thing: object) -> str | None:
    if not isinstance(thing, Provider):
        return "it is not an eibench.Provider"
    create: object = thing.create
    if not callable(create):
        return f"its create is {create!r}, which cannot be called"
    return _ill_named(thing)


def _a_section(thing: object) -> str | None:
    return None if isinstance(thing, ReportSection) else "it is not an eibench.ReportSection"


def _a_command(thing: object) -> str | None:
    return _ill_named(thing) if isinstance(thing, click.Command) else "it is not a click.Command"


def _an_engine(thing: object) -> str | None:
    if isinstance(thing, type):
        return f"it is a class; pass {thing.__name__}()"
    missing = [name for name in ("name", "title", "rate") if not hasattr(thing, name)]
    return f"it has no {', '.join(missing)}" if missing else _ill_named(thing)


def _ill_named(thing: Any) -> str | None:
    if isinstance(thing.name, str) and _NAME.fullmatch(thing.name):
        return None
    return f"its name {thing.name!r} must be letters, digits, dots, dashes and underscores"


class Catalogue:
    """Everything that plugins add, by kind."""

    def __init__(self) -> None:
        self.broken: list[BrokenPlugin] = []
        self.benchmarks = Registry[Benchmark]("benchmark", _a_benchmark, self.broken)
        self.providers = Registry[Provider]("provider", _a_provider, self.broken)
        self.rating_engines = Registry[RatingEngine]("rating engine", _an_engine, self.broken)
        self.report_sections = Registry[ReportSection]("report section", _a_section, self.broken)
        ours = frozenset(COMMANDS)
        self.commands = Registry[click.Command]("command", _a_command, self.broken, ours)

    @property
    def data_folders(self) -> dict[str, Path | None]:
        """The data folder of each benchmark, by name."""
        return {benchmark.name: benchmark.data for benchmark in self.benchmarks}

    def benchmark(self, name: str) -> Benchmark:
        """The benchmark of that name, or `UsageError`."""
        if name not in self.benchmarks.things and self._is_data_only(name):
            listed = ", ".join(self.benchmarks.things)
            raise UsageError(f"{name} is {DATA_ONLY}; the benchmarks are: {listed}")
        return self.benchmarks.get(name, tuple(self.broken))

    def _is_data_only(self, name: str) -> bool:
        return name in pack_folders(eibench.data.folder(""), {})

    def provider(self, name: str) -> Provider:
        """The provider of that prefix, or `UsageError`."""
        return self.providers.get(name, tuple(self.broken))

    def distribution_of(self, thing: object) -> str | None:
        """Which distribution registered an object; ``None`` where none did."""
        for registry in self.hooks().values():
            for name, known in registry.declared.items():
                if known is thing or getattr(known, "data_maker", None) is thing:
                    return registry.origins[name]
        return None

    def hooks(self) -> Mapping[str, Registry[Any]]:
        """The registry behind each hook."""
        return {
            "register_benchmarks": self.benchmarks,
            "register_providers": self.providers,
            "register_rating_engines": self.rating_engines,
            "register_report_sections": self.report_sections,
            "register_commands": self.commands,
        }


def read_catalogue() -> Catalogue:
    """What all installed plugins add; never raises for a plugin's fault."""
    catalogue = Catalogue()
    for entry in entries():
        _load(catalogue, entry)
    return catalogue


def _load(catalogue: Catalogue, entry: EntryPoint) -> None:
    distribution = distribution_of(entry)
    try:
        with Speaker(f"plugin {entry.name} ({distribution})"):
            add_plugin(catalogue, entry.load(), distribution)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything; it is recorded
        catalogue.broken.append(BrokenPlugin(entry.name, distribution, _reason(error)))


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split()) if isinstance(error, PluginError) else described(error)


def add_plugin(catalogue: Catalogue, plugin: ModuleType | object, distribution: str) -> None:
    """Add all that one plugin registers, or nothing; or a benchmark, where the plugin is its class.

    Raises:
        PluginError: It registers the wrong type, a taken name, a hook that does not exist, or
            no hook at all. What its code raises passes through.
    """
    if isinstance(plugin, type) and issubclass(plugin, Benchmark):
        catalogue.benchmarks.add(plugin(), distribution)
        return
    if wrong := wrong_hooks(plugin, list(catalogue.hooks())):
        raise PluginError(wrong)
    hooks = _hooks_of(plugin, distribution)
    before = [(r, dict(r.declared), dict(r.origins)) for r in catalogue.hooks().values()]
    try:
        for name, registry in catalogue.hooks().items():

            def register(thing: object, registry: Registry[object] = registry) -> None:
                registry.add(thing, distribution)

            getattr(hooks, name)(register=register)
    except BaseException:
        for registry, declared, origins in before:
            registry.declared.clear()
            registry.declared.update(declared)
            registry.origins = origins
        raise


def _hooks_of(plugin: ModuleType | object, distribution: str) -> object:
    manager = pluggy.PluginManager("eibench")
    manager.add_hookspecs(hookspecs)
    try:
        manager.register(plugin, name=distribution)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise PluginError(str(error)) from error
    if not manager.get_hookcallers(plugin):
        raise PluginError("it implements no hook; mark its functions with eibench.hookimpl")
    return manager.hook


@cache
def installed() -> Catalogue:
    """The catalogue of this process."""
    catalogue = read_catalogue()
    calls.find_distribution = catalogue.distribution_of
    return catalogue
