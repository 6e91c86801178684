"""The plugin manager: finds plugins, asks each for what it adds, remembers what broke.

Plugins come from the entry-point group ``eibench``, ours like everyone's. One that
fails to import, clashes with another or registers the wrong type is kept in
`Catalogue.broken` with its distribution and the reason, and stops only those
commands that need what it would have added.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import pluggy

from . import hookspecs
from .errors import PluginError, UsageError

if TYPE_CHECKING:
    import click

    from .benchmark import Benchmark
    from .clients.base import Provider
    from .ratings import RatingEngine
    from .reports.sections import ReportSection

T = TypeVar("T")
GROUP = "eibench"


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

    def add(self, thing: T, distribution: str) -> None:
        """Add one thing.

        Raises:
            PluginError: It is of the wrong type, or its name is taken.
        """
        if wrong := self.check(thing):
            raise PluginError(f"{distribution} registers {thing!r} as a {self.kind}: {wrong}")
        name = self.names(thing)
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
        near = get_close_matches(name, self.things, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else "there are: " + ", ".join(self.things)
        failed = "".join(f"; {plugin}" for plugin in broken)
        raise UsageError(f"unknown {self.kind} {name!r}; {hint}{failed}")

    def __iter__(self) -> Iterator[T]:
        return iter(self.things.values())


def _a_benchmark(thing: Any) -> str | None:
    from .benchmark import Benchmark

    if not isinstance(thing, Benchmark):
        return "it is not an instance of eibench.Benchmark"
    missing = [name for name in ("name", "version", "title") if not hasattr(thing, name)]
    return f"it has no {', '.join(missing)}" if missing else None


def _a_provider(thing: Any) -> str | None:
    from .clients.base import Provider

    return None if isinstance(thing, Provider) else "it is not an eibench.Provider"


def _has(*attributes: str) -> Callable[[Any], str | None]:
    def check(thing: Any) -> str | None:
        missing = [name for name in attributes if not hasattr(thing, name)]
        return f"it has no {', '.join(missing)}" if missing else None

    return check


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
        default_factory=lambda: Registry("rating engine", _name, _has("name", "rate"))
    )
    report_sections: "Registry[ReportSection]" = field(
        default_factory=lambda: Registry("report section", _name, _has("name", "build"))
    )
    commands: "Registry[click.Command]" = field(
        default_factory=lambda: Registry("command", _name, _has("name", "main"))
    )
    broken: list[BrokenPlugin] = field(default_factory=list)

    def benchmark(self, name: str) -> "Benchmark":
        """The benchmark of that name, or `UsageError`."""
        return self.benchmarks.get(name, tuple(self.broken))

    def provider(self, name: str) -> "Provider":
        """The provider of that prefix, or `UsageError`."""
        return self.providers.get(name, tuple(self.broken))

    def hooks(self) -> Mapping[str, Registry[Any]]:
        """The registry behind each hook."""
        return {
            "register_benchmarks": self.benchmarks,
            "register_providers": self.providers,
            "register_rating_engines": self.rating_engines,
            "register_report_sections": self.report_sections,
            "register_commands": self.commands,
        }


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown distribution"


def read_catalogue(entries: "list[EntryPoint] | None" = None) -> Catalogue:
    """What all installed plugins add; never raises for a plugin's fault."""
    catalogue = Catalogue()
    found = entry_points(group=GROUP) if entries is None else entries
    # Ours first, so that in a clash it is the newcomer that is refused.
    for entry in sorted(found, key=lambda e: (not _distribution(e).startswith("eibench "), e.name)):
        _load(catalogue, entry)
    return catalogue


def _load(catalogue: Catalogue, entry: EntryPoint) -> None:
    try:
        plugin = entry.load()
        add_plugin(catalogue, plugin, _distribution(entry))
    except PluginError as error:
        catalogue.broken.append(BrokenPlugin(entry.name, _distribution(entry), str(error)))
    except Exception as error:  # noqa: BLE001 - a plugin may raise anything; it is recorded
        reason = f"{type(error).__name__}: {error}"
        catalogue.broken.append(BrokenPlugin(entry.name, _distribution(entry), reason))


def add_plugin(catalogue: Catalogue, plugin: ModuleType | object, distribution: str) -> None:
    """Ask one plugin for what it adds.

    Raises:
        PluginError: It registers the wrong type, a taken name, or a hook that does not exist.
    """
    manager = pluggy.PluginManager("eibench")
    manager.add_hookspecs(hookspecs)
    try:
        manager.register(plugin, name=distribution)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise PluginError(str(error)) from error
    for hook, registry in catalogue.hooks().items():

        def register(thing: Any, registry: Registry[Any] = registry) -> None:
            registry.add(thing, distribution)

        getattr(manager.hook, hook)(register=register)


@cache
def installed() -> Catalogue:
    """The catalogue of this process."""
    return read_catalogue()
