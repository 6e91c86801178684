"""Several benchmarks in one command: which, and what of its options is for which."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import click

from ..benchmark import Benchmark
from ..errors import UsageError
from ..guard import guard
from ..reports.hints import bench
from ..settings.run_settings import RunSettings
from .command import BENCHMARKS
from .session import tell
from .settings import given_by_user

T = TypeVar("T")


def choose_benchmarks(benchmarks: Sequence[Benchmark], suite: str | None) -> list[Benchmark]:
    """The benchmarks that are named, or those of the suite.

    Raises:
        UsageError: Neither is given, or both, or a benchmark twice.
    """
    if suite and benchmarks:
        raise UsageError(f"--suite {suite} names its benchmarks; leave the others out")
    if twice := next((b.name for b in benchmarks if list(benchmarks).count(b) > 1), None):
        raise UsageError(f"{twice} is given twice")
    found = list(benchmarks) or click.get_current_context().meta[BENCHMARKS]
    if not found:
        raise UsageError(f"name a benchmark, or --suite NAME; {bench('list')} lists benchmarks")
    return list(found)


_OF_JUDGES = ("judge", "judge_base_url", "judge_api_key_env", "panel", "quorum", "exclude_kin",
              "overlap")  # fmt: skip


def fitting(settings: RunSettings, benchmark: Benchmark, of: int) -> RunSettings:
    """The settings for one of several benchmarks: without what is only for others of them."""
    if of == 1:
        return settings
    roles = {role.name for role in benchmark.roles}
    roles |= {""} if roles else set()  # what is for all of them

    def own(given: Mapping[str, T]) -> dict[str, T]:
        return {role: value for role, value in given.items() if role in roles}

    plain = {option.name: option.default for option in benchmark.options}
    without = settings.without if guard(benchmark).compares(plain) else ()
    made = replace(
        settings,
        without=without,
        sources={k: v for k, v in settings.sources.items() if k != "without" or without},
        roles=own(settings.roles),
        role_base_url=own(settings.role_base_url),
        role_api_key_env=own(settings.role_api_key_env),
        role_max_tokens=own(settings.role_max_tokens),
    )
    if benchmark.judged:
        return made
    sources = {k: v for k, v in made.sources.items() if k not in _OF_JUDGES}
    return replace(made, judges=(), judge_base_url=(), judge_api_key_env=(), panel=None,
                   quorum=None, exclude_kin=False, overlap=None, sources=sources)  # fmt: skip


def say_what_fits_some(benchmarks: Sequence[Benchmark]) -> None:
    """Name the options of the command line that are not for all of several benchmarks."""
    own = dict.fromkeys(option.name for b in benchmarks for option in b.options)
    for name in filter(given_by_user, own if len(benchmarks) > 1 else ()):
        with_it = [b.name for b in benchmarks if name in {option.name for option in b.options}]
        if len(with_it) < len(benchmarks):
            tell(f"note: --{name.replace('_', '-')} is for {', '.join(with_it)} alone")
