"""Plugins are loaded, and asked by one manager for what they add.

A plugin adds all that it registers, or nothing: what raises, registers the wrong type or
clashes is left out as a whole, with its reason. Hooks are called in the order of the entry
points, ours first, but for those marked ``tryfirst`` or ``trylast``; whoever is called first,
a name belongs to the plugin whose entry point comes first.
"""

import inspect
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial, wraps
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any, NamedTuple

import pluggy

from ..benchmark import Benchmark
from ..errors import PluginError
from ..guard.printing import StdoutCapture
from ..hooks import specs
from ..hooks.on_demand import distribution_of
from .registry import BrokenPlugin, Registry, reason_of

Hook = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Plugin:
    """What an entry point names: a module or object, or the class of a benchmark."""

    name: str
    distribution: str
    load: Callable[[], object]

    @classmethod
    def at(cls, entry: EntryPoint) -> "Plugin":
        """That of an entry point, not yet loaded."""
        return cls(entry.name, distribution_of(entry), entry.load)

    def __str__(self) -> str:
        return f"plugin {self.name} ({self.distribution})"


class _Claim(NamedTuple):
    plugin: Plugin
    registry: Registry[Any]
    thing: Any


class Loader:
    """Asks plugins for what they add, and puts it into registries, which are by hook."""

    def __init__(self, registries: Mapping[str, Registry[object]]) -> None:
        self._registries = registries
        self._manager = pluggy.PluginManager("eibench")
        self._manager.add_hookspecs(specs)
        self._called: Plugin | None = None
        self._claims: list[_Claim] = []
        self._reasons: dict[Plugin, str] = {}

    def load(self, plugins: Iterable[Plugin]) -> list[BrokenPlugin]:
        """Fill the registries, and return the plugins that add nothing.

        Never raises for a plugin's fault. A name that two of them register is the first one's.
        """
        plugins = tuple(plugins)
        hooks = {plugin: of_plugin for plugin in plugins if (of_plugin := self._hooks_of(plugin))}
        for plugin in reversed(hooks):  # pluggy calls first what was registered last
            with self._calling(plugin):
                self._manager.register(SimpleNamespace(**hooks[plugin]), str(plugin))
        for name, registry in self._registries.items():
            getattr(self._manager.hook, name)(register=partial(self._claim, registry))
        self._refuse_clashes(plugins)
        for plugin, registry, thing in self._claims:
            if plugin not in self._reasons:
                registry.add(thing, plugin.distribution)
        failed = [plugin for plugin in plugins if plugin in self._reasons]
        return [BrokenPlugin(p.name, p.distribution, self._reasons[p]) for p in failed]

    @contextmanager
    def _calling(self, plugin: Plugin) -> Iterator[None]:
        """What the plugin prints is told with its name; what it raises breaks it alone."""
        before, self._called = self._called, plugin
        try:
            with StdoutCapture(plugin):
                yield
        except pluggy.PluginValidationError as error:
            self._reasons[plugin] = reason_of(PluginError(str(error)))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything; it is recorded
            self._reasons[plugin] = reason_of(error)
        finally:
            self._called = before

    def _hooks_of(self, plugin: Plugin) -> dict[str, Hook]:
        """A plugin's hooks, guarded; none if it cannot be loaded."""
        hooks: dict[str, Hook] = {}
        with self._calling(plugin):
            thing = plugin.load()
            if isinstance(thing, type) and issubclass(thing, Benchmark):
                hooks = {"register_benchmarks": specs.hookimpl(lambda register: register(thing()))}
            else:
                hooks = _marked(thing, list(self._registries))
        return {name: self._guarded(plugin, function) for name, function in hooks.items()}

    def _guarded(self, plugin: Plugin, function: Hook) -> Hook:
        @wraps(function)
        def guarded(*args: object) -> None:
            if plugin not in self._reasons:
                with self._calling(plugin):
                    function(*args)

        @wraps(function)
        def around(*args: object) -> Generator[None, object, object]:
            steps = function(*args)
            with self._calling(plugin):
                steps.send(None)
            result = yield
            with self._calling(plugin), suppress(StopIteration):
                steps.send(result)
                raise PluginError(f"its {function.__name__} yields more than once")
            return result

        return around if inspect.isgeneratorfunction(function) else guarded

    def _claim(self, registry: Registry[object], thing: object) -> None:
        """The `register` that hooks are given."""
        if self._called is None:
            raise PluginError("register is for the time of its hook only")
        registry.refuse_unfit(thing, self._called.distribution)
        self._claims.append(_Claim(self._called, registry, thing))

    def _refuse_clashes(self, plugins: Iterable[Plugin]) -> None:
        taken: dict[tuple[str, str], str] = {}
        for plugin in plugins:
            with self._calling(plugin):
                names = taken.copy()
                for _, registry, thing in (c for c in self._claims if c.plugin is plugin):
                    key = (registry.kind, str(thing.name))
                    if key in names:
                        raise PluginError(
                            f"{registry.kind} {thing.name!r} of {plugin.distribution} clashes "
                            f"with that of {names[key]}; uninstall one of the two"
                        )
                    names[key] = plugin.distribution
                taken = taken if plugin in self._reasons else names


def _marked(plugin: object, known: list[str]) -> dict[str, Hook]:
    """The hooks of a plugin, by name.

    Raises:
        PluginError: One is no hook or not marked, or there is none.
    """
    hooks: dict[str, Hook] = {}
    for name, function in inspect.getmembers(plugin, inspect.isroutine):
        marks = getattr(function, "eibench_impl", None)
        if marks is None and name in known:
            raise PluginError(f"{name} is not marked: write @eibench.hookimpl above it")
        if marks is None:
            continue
        if (marks["specname"] or name) not in known:
            near = get_close_matches(name, known, n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise PluginError(f"unknown hook {name!r}{meant} (there are: {', '.join(known)})")
        if inspect.isgeneratorfunction(function) and not marks["wrapper"] | marks["hookwrapper"]:
            raise PluginError(f"{name} yields: write @eibench.hookimpl(wrapper=True) above it")
        hooks[name] = function
    if not hooks:
        raise PluginError("it implements no hook; mark its functions with eibench.hookimpl")
    return hooks
