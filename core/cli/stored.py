"""What was given with a command about stored runs, and the packs that it names."""

from pathlib import Path
from typing import TypeVar

import click

from ..benchmark import Benchmark, Pack
from ..datasets import find_pack, read_manifest
from ..guard import guard
from .settings import given_by_user

T = TypeVar("T")


def as_given(name: str, value: T, ctx: click.Context | None = None) -> T | None:
    """An option's value if it was given with the command; a file's is meant for new runs."""
    return value if given_by_user(name, ctx) else None


def named_pack(benchmark: Benchmark, given: str) -> str:
    """What names a board's pack: its name, the beginning of its digest, or that of a path's."""
    if given in ("bundled", "official") or not Path(given).exists():
        return given
    options = {option.name: option.default for option in benchmark.options}
    return find_pack(benchmark, given, options).sha256


def official_or_default(benchmark: Benchmark, dataset: str | None) -> tuple[Pack, str | None]:
    """The pack that is named, by default the official one if there is any, and what names it.

    Raises:
        DataError: It is not there.
    """
    if dataset is None and benchmark.data and "official" in read_manifest(benchmark.data):
        dataset = "official"
    given = {option.name: option.default for option in benchmark.options}
    return guard(benchmark).read_pack(find_pack(benchmark, dataset, given), given), dataset
