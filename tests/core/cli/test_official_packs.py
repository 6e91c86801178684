"""Every official pack through `bench run`: by its name, in each of its languages and tasks."""

import itertools
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.datasets import manifest_of
from eibench.core.datasets.official import official_of
from eibench.core.errors import UsageError
from eibench.core.guard import guard
from eibench.core.plugins import installed
from eibench.core.settings.rules import own_options

FOLDERS = [
    Path(place)
    for name in ("EIBENCH_OFFICIAL_DATA", "EIBENCH_OTHER_DATA")
    if (place := os.environ.get(name))
]
OF_OTHERS = {"judgemark": "eq-bench-writing", "creative-writing-legacy": "eq-bench-writing"}
CHOOSING = ("lang", "task")
"""Options that choose among a pack's files or items."""


def packs() -> Iterator[Benchmark]:
    """The benchmarks that have an official pack."""
    for name in sorted(installed().benchmarks.things):
        benchmark = installed().benchmarks.things[name]
        if "official" in manifest_of(benchmark):
            yield benchmark


def ways() -> Iterator[Any]:
    """Each official pack with nothing chosen, and with every choice of language and task."""
    for benchmark in packs():
        choices = {o.name: o.choices for o in benchmark.options if o.name in CHOOSING}
        for values in itertools.product(*choices.values()):
            chosen = dict(zip(choices, values, strict=True))
            yield pytest.param(benchmark, chosen, id="-".join([benchmark.name, *values]))
        if choices:
            yield pytest.param(benchmark, {}, id=f"{benchmark.name}-as-usual")


def have(benchmark: Benchmark) -> None:
    """Put the official pack into the cache, or skip the test where its files are not at hand."""
    pack = official_of(benchmark)
    if not FOLDERS:
        pytest.skip("EIBENCH_OFFICIAL_DATA and EIBENCH_OTHER_DATA do not say where the packs are")
    names = [benchmark.name, *filter(None, [OF_OTHERS.get(benchmark.name)]), "slop-score"]
    for file in pack.all_files:
        places = (folder / name / file.path for folder in FOLDERS for name in names)
        if (found := next((p for p in places if p.is_file()), None)) is None:
            pytest.skip(
                f"{file.path} of {benchmark.name} is not in {' or '.join(map(str, FOLDERS))}"
            )
        target = pack.folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(found, target)


def words(benchmark: Benchmark, chosen: Mapping[str, str]) -> Iterator[str]:
    """The command's words for one item of the pack, asked of demo models."""
    yield from ("run", benchmark.name, "--dataset", "official", "--limit", "1")
    yield from ("--model", "demo/medium", "--iterations", "1")
    for name, value in chosen.items():
        yield from (f"--{name}", value)
    if guard(benchmark).needs_judge(own_options(benchmark, chosen)):
        yield from ("--judge", "demo/judge")


@pytest.mark.parametrize(("benchmark", "chosen"), list(ways()))
def test_official_pack_runs_by_name(
    invoke: Callable[..., Any], benchmark: Benchmark, chosen: Mapping[str, str]
) -> None:
    """One item is asked and scored, and the result says that the data was the official pack."""
    have(benchmark)
    done = invoke(*words(benchmark, chosen), "--json")
    assert done.code in (0, 1), done.err
    document = done.json
    assert document["dataset"]["name"] == "official"
    assert document["items"]["failed"] == document["items"]["pending"] == 0
    assert document["items"]["scored"] == document["items"]["total"] > 0
    asked = {name: document["options"][name] for name in chosen}
    assert asked == dict(chosen)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_pack_without_languages_is_needed_whole(empty_place: Path, lang: str) -> None:
    """The benchmark's language chooses among its items, where no file belongs to one."""
    pack = official_of(next(one for one in packs() if one.name == "emobench"))
    assert pack.needed(lang) == pack.all_files


def test_a_language_that_no_file_has_is_refused(empty_place: Path) -> None:
    """A pack that has files by language lacks the others."""
    pack = official_of(next(one for one in packs() if one.name == "eqbench-v2"))
    assert [file.lang for file in pack.needed("de")] == ["de"]
    with pytest.raises(UsageError, match="no language 'fr'; there are: en, de"):
        pack.needed("fr")
