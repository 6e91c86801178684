"""What may keep this machine from running a benchmark: programs, plugins, packs, disk, journal.

Each check tells what it saw and, where that is not well, what to do. None of
them changes anything. Those of models and their servers are in `endpoints`.
"""

import os
import platform
import re
import shutil
from collections.abc import Iterator, Mapping
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import NamedTuple

from ...benchmark import Benchmark
from ...datasets import cache_folder, find_pack, manifest_of, read_manifest
from ...datasets.official import DATA_ONLY, FetchState, OfficialPack, is_data_only, read_official
from ...errors import BenchError, JournalError, PluginError
from ...guard import guard
from ...journal import network_file_system
from ...journal.file import demo_folder
from ...journal.health import read_health
from ...plugins import Catalogue
from ...reading.files import exists
from ...text import plural

LITTLE = 2**30
"""Bytes: with less than that on the disk a person wants to know."""
TOO_LITTLE = 50 * 2**20
_MISSING = "install it again: pip install eibench"


class CheckVerdict(StrEnum):
    """How a check ended."""

    OK = "OK"
    WARN = "WARN"
    FAIL = "FAIL"


class Check(NamedTuple):
    """One thing that was looked at.

    Attributes:
        name: What was looked at.
        verdict: ``FAIL`` when a command that needs it will end with an error.
        message: What was seen.
        todo: What to do about it; empty when nothing need be done.
        code: With which exit code such a command would end; 0 unless it failed.
    """

    name: str
    verdict: CheckVerdict
    message: str
    todo: str = ""
    code: int = 0


def ok(name: str, message: str) -> Check:
    """A check that ended well."""
    return Check(name, CheckVerdict.OK, message)


def warn(name: str, message: str, todo: str) -> Check:
    """A check whose outcome a person should know."""
    return Check(name, CheckVerdict.WARN, message, todo)


def fail(name: str, message: object, todo: str = "", code: int = 3) -> Check:
    """A check that shows what will not work; an error tells itself what to do."""
    # At least 3: what is looked at is no usage of the doctor.
    exit_code = max(getattr(message, "exit_code", code), 3)
    return Check(name, CheckVerdict.FAIL, str(message), todo, exit_code)


def exit_code(checks: list[Check]) -> int:
    """The worst of the codes; 0 when nothing failed."""
    return max((check.code for check in checks), default=0)


def check_programs() -> Iterator[Check]:
    """Python, and the packages that eibench needs."""
    yield ok("python", f"{platform.python_version()} on {platform.system()}")
    installed, missing = [], []
    for name in _needed():
        try:
            installed.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        yield fail("packages", f"not installed: {', '.join(missing)}", _MISSING)
    else:
        yield ok("packages", ", ".join(installed))


def _needed() -> list[str]:
    """The distributions that eibench names as its needs, itself first."""
    try:
        lines = requires("eibench") or []
    except PackageNotFoundError:
        return ["eibench"]
    plain = [line for line in lines if "extra ==" not in line]
    return ["eibench", *sorted(re.split(r"[^\w.-]", line)[0] for line in plain)]


def check_plugins(catalogue: Catalogue) -> Iterator[Check]:
    """The plugins that are broken."""
    for plugin in catalogue.broken:
        todo = f"upgrade or uninstall {plugin.distribution}"
        yield fail(f"plugin {plugin.name}", f"{plugin.distribution}: {plugin.reason}", todo)
    if not catalogue.broken:
        names = ", ".join(catalogue.benchmarks.things)
        yield ok("plugins", f"none is broken; benchmarks: {names or 'none'}")


def check_packs(catalogue: Catalogue, folders: Mapping[str, Path]) -> Iterator[Check]:
    """The bundled packs, and the official ones as far as they are in the cache.

    Args:
        catalogue: Whose benchmarks' bundled packs are read.
        folders: The folder of each manifest by benchmark name.
    """
    bundled = [check for benchmark in catalogue.benchmarks for check in _bundled(benchmark)]
    yield from (check for check in bundled if check.code)
    if well := [check for check in bundled if not check.code]:
        yield ok("bundled packs", f"{plural(len(well), 'pack')} can be read")
    absent: list[str] = []
    for name, folder in folders.items():
        used = not is_data_only(name, folder, catalogue.data_folders)
        try:
            if "official" not in read_manifest(folder):
                continue
            check = _official(name, folder, used=used)
        except BenchError as error:
            check = fail(f"pack {name}", error)
        if check is not None:
            yield check
        elif used:
            absent.append(name)
    if absent:
        message = f"not in the cache: {', '.join(absent)} (bench data fetch NAME gets one)"
        yield ok("official packs", message)


def _bundled(benchmark: Benchmark) -> Iterator[Check]:
    options = {option.name: option.default for option in benchmark.options}
    name = f"pack {benchmark.name}"
    try:
        if "bundled" not in manifest_of(benchmark):
            return
        guard(benchmark).read_pack(find_pack(benchmark, "bundled", options), options)
        yield ok(name, "can be read")
    except PluginError as error:
        yield fail(name, error, "report that to who made the benchmark")
    except BenchError as error:
        yield fail(name, error)


def _official(name: str, folder: Path, *, used: bool) -> Check | None:
    """How the official pack is; ``None`` when nothing of it is in the cache."""
    pack = read_official(name, folder)
    states = {file: pack.state(file) for file in pack.all_files}
    if set(states.values()) == {FetchState.ABSENT}:
        return None
    fetch = f"bench data fetch {name}"
    if wrong := [f.path for f, state in states.items() if state is FetchState.WRONG]:
        message = f"official: {wrong[0]} is not what the manifest says"
        return fail(f"pack {name}", message, f"{fetch} replaces it")
    return _complete(name, pack, used=used) or warn(
        f"pack {name}", "official: not all there", f"{fetch} goes on"
    )


def _complete(name: str, pack: OfficialPack, *, used: bool) -> Check | None:
    here = [lang for lang in pack.languages if pack.usable(lang)]
    if not pack.usable():
        return None
    message = f" ({', '.join(here)})" if here else ""
    message += "" if used else f", {DATA_ONLY}"
    return ok(f"pack {name}", f"official{message}: SHA-256 right, in {pack.folder}")


def check_disk(runs_dir: Path) -> Iterator[Check]:
    """Room and rights where runs are kept, and what kind of disk that is."""
    for name, folder in (("runs folder", runs_dir), ("cache", cache_folder())):
        yield _room(name, folder)
    if kind := network_file_system(runs_dir):
        message = f"{runs_dir} is on a network file system ({kind})"
        yield warn(
            "file system", message, "SQLite and locks may fail there; use a local --runs-dir"
        )


def _room(name: str, folder: Path) -> Check:
    existing = folder.resolve()
    try:
        while not exists(existing):
            existing = existing.parent
    except OSError as error:
        message = f"{folder} cannot be used: {error.strerror}"
        return fail(name, message, "name another with --runs-dir", 4)
    if not existing.is_dir():
        return fail(name, f"{existing} is no folder", "name another with --runs-dir", 4)
    if not os.access(existing, os.W_OK | os.X_OK):
        return fail(name, f"{existing} cannot be written to", "repair its rights", 4)
    free = shutil.disk_usage(existing).free
    message = f"{folder}: {free / 2**30:,.1f} GiB free"
    if free < TOO_LITTLE:
        return fail(name, message, "make room", 4)
    return warn(name, message, "make room") if free < LITTLE else ok(name, message)


def check_journals(runs_dir: Path) -> Iterator[Check]:
    """The journal, and that of demo runs if there is one: opens, whole, size, who works on it."""
    yield _check_journal("journal", runs_dir)
    demo = demo_folder(runs_dir)
    if demo != runs_dir and demo.is_dir():
        yield _check_journal("demo journal", demo)


def _check_journal(name: str, runs_dir: Path) -> Check:
    try:
        health = read_health(runs_dir)
    except JournalError as error:
        return fail(name, error)
    if health is None:
        return ok(name, f"none in {runs_dir} yet; the first run makes one")
    message = f"{health.path}: whole, {health.size / 2**20:,.1f} MiB"
    message += f", {plural(health.runs, 'run')}, {plural(health.calls, 'reply')}"
    owned = ", ".join(f"{run_id} by {owner}" for run_id, owner in health.owners.items())
    return ok(name, f"{message}; " + (f"in use: {owned}" if owned else "no run is in use"))
