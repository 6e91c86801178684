"""What `bench plugin check` is given: an installed plugin's name, or a file or folder of one."""

import importlib
import importlib.util
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from ..benchmark import Benchmark
from ..errors import DataError, PluginError
from ..hooks.on_demand import entries
from ..plugins import Catalogue, Plugin, Registry, installed
from ..reading.names import check_name
from .subject import Subject

KINDS = {"benchmark": "benchmarks", "provider": "providers", "rating engine": "rating_engines"}
"""What there are checks for, and where a catalogue has it."""


def installed_subjects() -> list[Subject]:
    """All that is installed and can be checked."""
    return list(_of(installed(), None, lambda name, distribution: True, _values()))


def named_subjects(word: str) -> list[Subject]:
    """What a name or a path stands for, that of a file that declares a benchmark among them.

    Raises:
        UsageError: No plugin has that name.
        DataError: The path holds no plugin.
    """
    catalogue = installed()
    if targets := list(_of(catalogue, None, lambda name, distribution: name == word, _values())):
        return targets
    if benchmark := catalogue.declared_at(word):
        return [Subject(benchmark, benchmark.name)]
    path = Path(word)
    if path.exists() or len(path.parts) > 1:
        return _at_path(path)
    names = [
        name for attribute in KINDS.values() for name in getattr(catalogue, attribute).declared
    ]
    check_name(word, names, f"no plugin and no file is called {word!r}", "there are")
    return []


def _at_path(path: Path) -> list[Subject]:
    """What the plugin adds that is written in a file, or in a folder with a pyproject.toml.

    Raises:
        DataError: There is none.
    """
    folder = path.resolve()
    plugins = list(_in_project(folder) if folder.is_dir() else _in_file(folder))
    if not plugins:
        raise DataError(path, "defines no benchmark and implements no hook of eibench")
    catalogue = Catalogue()
    catalogue.load([*(Plugin.at(e) for e in entries() if e.value.startswith("eibench.")), *plugins])
    ours = {plugin.distribution for plugin in plugins}
    project = folder if folder.is_dir() else None
    targets = [getattr(plugin.load, "target", "") for plugin in plugins]
    values = [target for target in targets if target]
    return list(_of(catalogue, project, lambda name, distribution: distribution in ours, values))


def _values() -> list[str]:
    return [entry.value for entry in entries()]


def _of(
    catalogue: Catalogue,
    project: Path | None,
    is_wanted: Callable[[str, str], bool],
    values: Sequence[str],
) -> Iterator[Subject]:
    """What a catalogue has of some names and distributions, what is broken last."""
    for kind, attribute in KINDS.items():
        registry: Registry[object] = getattr(catalogue, attribute)
        for name in list(registry.declared):
            if is_wanted(name, registry.origins[name]):
                try:
                    thing = registry.things[name]
                except PluginError:  # it is among the broken now
                    continue
                origin = registry.origins[name]
                yield Subject(thing, name, kind, _modules(thing, values), project, origin)
    for one in catalogue.broken:
        if is_wanted(one.name, one.distribution):
            yield Subject(
                None, one.name, project=project, origin=one.distribution, broken=one.reason
            )


def _modules(thing: object, values: Iterable[str]) -> tuple[str, ...]:
    """The modules of entry points that are of the same package as a plugin's object."""
    home = type(thing).__module__
    modules = [value.partition(":")[0] for value in values]
    return tuple(m for m in modules if f"{home}.".startswith(f"{m.rpartition('.')[0] or m}."))


def _in_project(folder: Path) -> Iterator[Plugin]:
    """The plugins of a project that need not be installed."""
    file = folder / "pyproject.toml"
    if not file.is_file():
        raise DataError(folder, "has no pyproject.toml; name the plugin's file or its project")
    try:
        project = tomllib.loads(file.read_text(encoding="utf-8")).get("project", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(file, f"is no TOML: {error}") from None
    entry_points = project.get("entry-points", {}).get("eibench", {})
    if not entry_points:
        raise DataError(file, 'has no [project.entry-points.eibench]: write NAME = "MODULE:CLASS"')
    for part in (folder, folder / "src"):
        if part.is_dir() and str(part) not in sys.path:
            sys.path.insert(0, str(part))
    for name, value in entry_points.items():
        yield Plugin(name, str(project.get("name", folder.name)), _Loading(str(value)))


@dataclass(frozen=True)
class _Loading:
    target: str

    def __call__(self) -> object:
        module, _, attribute = self.target.partition(":")
        thing: object = importlib.import_module(module)
        return getattr(thing, attribute) if attribute else thing


def _in_file(path: Path) -> Iterator[Plugin]:
    """The hooks of a file of Python, or the benchmarks that it defines."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if path.suffix != ".py" or spec is None or spec.loader is None or not path.is_file():
        raise DataError(path, "is no file of Python, and no folder with a pyproject.toml")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything; it is told
        reason = error

        def fail() -> object:
            raise reason

        yield Plugin(path.stem, path.name, fail)
        return
    if any(hasattr(thing, "eibench_impl") for thing in vars(module).values()):
        yield Plugin(path.stem, path.name, lambda: module)
    for thing in _benchmarks_of(module):
        yield Plugin(thing.__name__, path.name, lambda thing=thing: thing)  # type: ignore[misc]


def _benchmarks_of(module: ModuleType) -> Iterator[type[Benchmark]]:
    classes = [thing for thing in vars(module).values() if isinstance(thing, type)]
    return (c for c in classes if issubclass(c, Benchmark) and c.__module__ == module.__name__)
