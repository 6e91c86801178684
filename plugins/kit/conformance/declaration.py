"""Checks of what a plugin declares: that it registers, imports, and has its files."""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eibench import BenchError, Item, find_pack
from eibench.checking import Finding, NotChecked, Subject

from .checks import check
from .fresh import IMPORT_S, look, requests_of

_TITLE = 100
"""Characters of a title: more do not fit into a line of `bench list`."""


@check("K01", "declare it as docs/plugins.md says (What a benchmark says)")
def declares(subject: Subject) -> Iterator[Finding]:
    """Types, names, parameters, options, values and fields are as eibench takes them."""
    if wrong := subject.misdeclared():
        yield wrong
        return
    for method in ("prompts", "judge_prompts", "sampling_for", "needs_judge"):
        subject.called(method, getattr(subject.plugin, method), subject.options)
    if len(subject.benchmark.title) > _TITLE:
        message = f"its title has {len(subject.benchmark.title)} characters"
        yield Finding(message, where=subject.position(), todo=f"say it in {_TITLE}")


@check("K02", "import in functions what takes long, and do nothing when a module is imported")
def imports_quickly(subject: Subject) -> Iterator[Finding]:
    """Imported in 0.2 s beside eibench, without a word on standard output and without network."""
    modules = list(subject.modules) or [type(subject.thing).__module__]
    seen, names = look(modules), ", ".join(modules)
    if error := seen.get("error"):
        yield Finding(f"the import of {names} {error}")
        return
    if seen["printed"]:
        yield Finding(f"the import of {names} prints {seen['printed']!r:.60}")
    if seen["tried"]:
        yield Finding(f"the import of {names} connects to {seen['tried'][0]}")
    if seen["seconds"] > IMPORT_S:
        yield Finding(f"the import of {names} takes {seen['seconds']:.2f} s; {IMPORT_S} s are free")


@check("K03", "see docs/plugins.md (Data packs)")
def has_its_files(subject: Subject) -> "Iterator[Finding | str]":
    """Packs have files, licences and checksums, are the same elsewhere, and are in the wheel."""
    folder = subject.benchmark.data
    if folder is None:
        raise NotChecked("it bundles no data")
    declared_in = [] if subject.benchmark.packs else ["manifest.json"]
    if declared_in and not (folder / "manifest.json").is_file():
        at = subject.position()
        message = f"data is {folder}, where there is no manifest.json"
        yield Finding(message, todo="name the folder that holds it, and have it packaged", where=at)
        return
    manifest = subject.manifest
    for pack in manifest.values():
        yield from _entries(folder, pack)
    yield from _elsewhere(subject, folder, [p for p in manifest.values() if _is_bundled(p)])
    if subject.project is not None:
        bundled = [f.path for p in manifest.values() if _is_bundled(p) for f in p.files]
        yield from _in_wheel(subject.project, folder, [*declared_in, *bundled])


def _is_bundled(pack: Any) -> bool:
    return all(file.url is None for file in pack.files)


def _entries(folder: Path, pack: Any) -> Iterator[Finding]:
    label = f"manifest.json, pack {pack.name!r}"
    if not str(pack.facts.get("licence", "")).strip():
        todo = 'write "licence": an SPDX name, or "none stated"'
        yield Finding(f"{label} has no licence", todo=todo, where="manifest.json")
    for file in pack.files:
        path = (folder / file.path).resolve()
        if not path.is_relative_to(folder.resolve()):
            yield Finding(f"{label}: {file.path} leads out of the folder", where="manifest.json")
        if file.url is None and not path.is_file():
            message = f"{label} names {file.path}, which is not in {folder}"
            yield Finding(message, todo="put it there, or give its url", where="manifest.json")
        if file.url is not None and not (file.sha256 and file.size):
            message = f"{label}: {file.path} has a url without sha256 and size"
            yield Finding(message, todo="add both", where="manifest.json")


def _elsewhere(subject: Subject, folder: Path, packs: list[Any]) -> Iterator[Finding]:
    """What differs where a bundled pack is read from a folder of the user's."""
    for pack in packs:
        with tempfile.TemporaryDirectory() as name:
            for file in pack.files:
                target = Path(name, file.path)
                target.parent.mkdir(parents=True, exist_ok=True)
                if (folder / file.path).is_file():
                    shutil.copy(folder / file.path, target)
            try:
                source = find_pack(subject.benchmark, name, subject.options)
                copied = subject.plugin.read_pack(source, subject.options)
                here = find_pack(subject.benchmark, pack.name, subject.options)
                items = subject.plugin.read_pack(here, subject.options)
            except BenchError as error:
                message = f"cannot be read as --dataset FOLDER: {error}"
                yield subject.finding("read_pack", message, todo="read source.files alone")
                continue
        if not _same(copied.items, items.items):
            message = "returned other items from a copy of its files"
            yield subject.finding("read_pack", message, todo="read source.files alone")


def _same(one: object, other: object) -> bool:
    pairs: tuple[list[Item], list[Item]] = (list(one), list(other))  # type: ignore[call-overload]
    return [item.id for item in pairs[0]] == [item.id for item in pairs[1]]


def _in_wheel(project: Path, folder: Path, files: list[str]) -> "Iterator[Finding | str]":
    """Files of the data folder that the wheel does not hold."""
    text = (project / "pyproject.toml").read_text(encoding="utf-8")
    backend = tomllib.loads(text).get("build-system", {}).get("build-backend", "")
    module, _, attribute = backend.partition(":")
    if not module or importlib.util.find_spec(module.partition(".")[0]) is None:
        yield f"its wheel was not looked at, as {module or 'its build backend'} is not installed"
        return
    with tempfile.TemporaryDirectory() as out:
        source = Path(out, "source")  # building leaves files behind
        shutil.copytree(project, source, ignore=shutil.ignore_patterns(".*", "build", "dist"))
        hook = f"backend.{attribute}" if attribute else "backend"
        code = f"import {module} as backend; {hook}.build_wheel({out!r})"
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=source, capture_output=True, text=True
        )
        wheel = next(Path(out).glob("*.whl"), None)
        if wheel is None:
            last = (done.stderr.strip().splitlines() or ["without a word"])[-1]
            yield Finding(f"its wheel cannot be built: {last}", where="pyproject.toml")
            return
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
    for file in files:
        if not any(name.endswith(f"{folder.name}/{file}") for name in names):
            message = f"its wheel lacks {folder.name}/{file}, so that no installed copy has data"
            yield Finding(message, todo="include the folder in the build", where="pyproject.toml")


@check("K23", "sort what comes from a set, and use no hash(): both are others in each process")
def repeats_after_a_stop(subject: Subject) -> Iterator[Finding]:
    """The same requests in a new process, as when a run that was stopped goes on."""
    traces = subject.plain_traces
    names = [trace.item.id for trace in traces]
    answer = requests_of(subject, names)
    if reason := answer.get("missing"):
        raise NotChecked(reason)
    if error := answer.get("error"):
        yield Finding(f"in a process of its own it {error}")
        return
    for trace, again in zip(traces, answer["asked"], strict=True):
        if sorted(trace.digests().elements()) != again:
            message = "asks something else in a new process, so that a stopped run pays again"
            yield subject.finding("generate", message, trace.item)
            return
