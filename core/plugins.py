"""The plugin manager: finds plugins, asks each for what it adds, remembers what broke.

Plugins come from the entry-point group ``eibench``, ours like everyone's. One that
fails to import, clashes with another or registers the wrong type is kept in
`Catalogue.broken` with its distribution and the reason, and stops only those
commands that need what it would have added.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from . import __version__
from .command_names import COMMANDS, TAKEN
from .errors import PluginError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    import click

    from .benchmark import Benchmark
    from .endpoints.providers import Provider
    from .ratings import RatingEngine
    from .sections import ReportSection

T = TypeVar("T")
GROUP = "eibench"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class BrokenPlugin(NamedTuple):
    """A plugin, or one thing it registers, that cannot be used."""

    name: str
    distribution: str
    reason: str

    def __str__(self) -> str:
        return f"plugin {self.name!r} of {self.distribution} is broken: {self.reason}"


@dataclass
class Registry(Generic[T]):
    """Things of one kind by name, each with the distribution that added it."""

    kind: str
    names: Callable[[Any], str]
    check: Callable[[Any], str | None]
    things: dict[str, T] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    ours: frozenset[str] = frozenset()
    """Names that no plugin may take."""

    def add(self, thing: T, distribution: str) -> None:
        """Add one thing.

        Raises:
            PluginError: It is of the wrong type, or its name is taken.
        """
        if wrong := self.check(thing):
            raise PluginError(f"{distribution} registers {thing!r} as a {self.kind}: {wrong}")
        name = self.names(thing)
        if name in self.ours:
            raise PluginError(f"{self.kind} {name!r} of {distribution} clashes with eibench's own")
        if name in self.things:
            raise PluginError(
                f"{self.kind} {name!r} of {distribution} clashes with that of "
                f"{self.origins[name]}; uninstall one of the two"
            )
        self.things[name] = thing
        self.origins[name] = distribution

    def get(self, name: str, broken: tuple[BrokenPlugin, ...] = ()) -> T:
        """The thing of that name.

        Raises:
            UsageError: There is none; the message has the nearest name, and the
                plugins that are broken, as one of them may have held it.
        """
        if name in self.things:
            return self.things[name]
        from difflib import get_close_matches

        near = get_close_matches(name, self.things, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else "there are: " + ", ".join(self.things)
        failed = "".join(f"; {plugin}" for plugin in broken)
        raise UsageError(f"unknown {self.kind} {name!r}; {hint}{failed}")

    def __iter__(self) -> Iterator[T]:
        return iter(self.things.values())


def _a_benchmark(thing: Any) -> str | None:
    from .guard import wrong_benchmark

    if wrong := wrong_benchmark(thing):
        return wrong
    taken = [o.name for o in thing.options if o.name in TAKEN]
    if taken:
        return f"its option {taken[0]!r} clashes with one of bench run"
    return _ill_named(thing)


def _a_provider(thing: Any) -> str | None:
    from .endpoints.providers import Provider

    if not isinstance(thing, Provider):
        return "it is not an eibench.Provider"
    create: Any = thing.create
    if not callable(create):
        return f"its create is {create!r}, which cannot be called"
    return _ill_named(thing)


def _a_section(thing: Any) -> str | None:
    from .sections import ReportSection

    return None if isinstance(thing, ReportSection) else "it is not an eibench.ReportSection"


def _a_command(thing: Any) -> str | None:
    import click

    return _ill_named(thing) if isinstance(thing, click.Command) else "it is not a click.Command"


def _an_engine(thing: Any) -> str | None:
    if isinstance(thing, type):
        return f"it is a class; pass {thing.__name__}()"
    missing = [name for name in ("name", "title", "rate") if not hasattr(thing, name)]
    return f"it has no {', '.join(missing)}" if missing else _ill_named(thing)


def _ill_named(thing: Any) -> str | None:
    if isinstance(thing.name, str) and _NAME.fullmatch(thing.name):
        return None
    return f"its name {thing.name!r} must be letters, digits, dots, dashes and underscores"


def _name(thing: Any) -> str:
    return str(thing.name)


@dataclass
class Catalogue:
    """Everything that plugins add, by kind."""

    benchmarks: "Registry[Benchmark]" = field(
        default_factory=lambda: Registry("benchmark", _name, _a_benchmark)
    )
    providers: "Registry[Provider]" = field(
        default_factory=lambda: Registry("provider", _name, _a_provider)
    )
    rating_engines: "Registry[RatingEngine]" = field(
        default_factory=lambda: Registry("rating engine", _name, _an_engine)
    )
    report_sections: "Registry[ReportSection]" = field(
        default_factory=lambda: Registry("report section", _name, _a_section)
    )
    commands: "Registry[click.Command]" = field(
        default_factory=lambda: Registry("command", _name, _a_command, ours=frozenset(COMMANDS))
    )
    broken: list[BrokenPlugin] = field(default_factory=list)

    @property
    def data_folders(self) -> "dict[str, Path | None]":
        """The data folder of each benchmark, by name."""
        return {benchmark.name: benchmark.data for benchmark in self.benchmarks}

    def benchmark(self, name: str) -> "Benchmark":
        """The benchmark of that name, or `UsageError`."""
        if name not in self.benchmarks.things and self._is_data_only(name):
            from .datasets.fetching import DATA_ONLY

            listed = ", ".join(self.benchmarks.things)
            raise UsageError(f"{name} is {DATA_ONLY}; the benchmarks are: {listed}")
        return self.benchmarks.get(name, tuple(self.broken))

    def _is_data_only(self, name: str) -> bool:
        import eibench.data

        from .datasets.fetching import pack_folders

        return name in pack_folders(eibench.data.folder(""), {})

    def provider(self, name: str) -> "Provider":
        """The provider of that prefix, or `UsageError`."""
        return self.providers.get(name, tuple(self.broken))

    def distribution_of(self, thing: Any) -> str | None:
        """Which distribution registered an object; ``None`` where none did."""
        for registry in self.hooks().values():
            for name, known in registry.things.items():
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


def _is_ours(entry: EntryPoint) -> bool:
    return entry.value.startswith("eibench.")


def _distribution(entry: EntryPoint) -> str:
    if _is_ours(entry):
        return f"eibench {__version__}"  # without reading a file: every command comes by here
    try:
        return f"{entry.dist.name} {entry.dist.version}" if entry.dist else _UNKNOWN
    except Exception:  # noqa: BLE001 - its metadata are damaged; that is no reason to stop
        return _UNKNOWN


_UNKNOWN = "an unknown distribution"


@cache
def _entries() -> tuple[EntryPoint, ...]:
    """All plugins, ours first, so that in a clash it is the newcomer that is refused."""
    found = entry_points(group=GROUP)
    return tuple(sorted(found, key=lambda e: (not _is_ours(e), e.name, e.value)))


def others() -> bool:
    """Whether there is any plugin that is not ours; imports none."""
    return not all(_is_ours(entry) for entry in _entries())


def read_catalogue() -> Catalogue:
    """What all installed plugins add; never raises for a plugin's fault."""
    catalogue = Catalogue()
    for entry in _entries():
        _load(catalogue, entry)
    return catalogue


def _load(catalogue: Catalogue, entry: EntryPoint) -> None:
    from .guard.printing import Speaker

    distribution = _distribution(entry)
    try:
        with Speaker(f"plugin {entry.name} ({distribution})"):
            add_plugin(catalogue, entry.load(), distribution)
    except PluginError as error:
        reason = " ".join(str(error).split())
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything; it is recorded
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
    else:
        return
    catalogue.broken.append(BrokenPlugin(entry.name, distribution, reason))


def add_plugin(catalogue: Catalogue, plugin: ModuleType | object, distribution: str) -> None:
    """Add all that one plugin registers, or nothing.

    Raises:
        PluginError: It registers the wrong type, a taken name, a hook that does not exist, or
            no hook at all. What its code raises passes through.
    """
    from .guard import wrong_hooks

    if wrong := wrong_hooks(plugin, list(catalogue.hooks())):
        raise PluginError(wrong)
    hooks = _hooks_of(plugin, distribution)
    before = [(r, dict(r.things), dict(r.origins)) for r in catalogue.hooks().values()]
    try:
        for name, registry in catalogue.hooks().items():

            def register(thing: Any, registry: Registry[Any] = registry) -> None:
                registry.add(thing, distribution)

            getattr(hooks, name)(register=register)
    except BaseException:
        for registry, things, origins in before:
            registry.things, registry.origins = things, origins
        raise


def _hooks_of(plugin: ModuleType | object, distribution: str) -> Any:
    import pluggy

    from . import hookspecs

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
    from .guard import calls

    catalogue = read_catalogue()
    calls.find_distribution = catalogue.distribution_of
    return catalogue
