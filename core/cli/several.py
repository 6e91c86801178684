"""Several benchmarks in one command: which, and what of its options is for which."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from ..benchmark import Benchmark
from ..errors import UsageError
from ..guard import guard
from ..reports.hints import bench
from ..settings.run_settings import RunSettings, option_of
from .command import BENCHMARKS
from .session import tell
from .settings import given_by_user


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


_OF_JUDGES = ("judges", "judge_base_url", "judge_api_key_env", "panel", "quorum", "exclude_kin",
              "overlap")  # fmt: skip
_OF_ROLES = ("roles", "role_base_url", "role_api_key_env", "role_max_tokens")


def fitting(settings: RunSettings, benchmark: Benchmark, of: int) -> RunSettings:
    """The settings for one of several benchmarks: without what is only for others of them."""
    if of == 1:
        return settings
    names = {role.name for role in benchmark.roles}
    names |= {""} if names else set()  # what is for all of them
    own: dict[str, Any] = {
        option: {name: one for name, one in getattr(settings, option).items() if name in names}
        for option in _OF_ROLES
    }
    settings = replace(settings, **own)
    plain = {option.name: option.default for option in benchmark.options}
    if not guard(benchmark).compares(plain):
        settings = _without(settings, ["without"])
    return settings if benchmark.judged else _without(settings, _OF_JUDGES)


def _without(settings: RunSettings, names: Sequence[str]) -> RunSettings:
    """Settings some of which are as if nobody had given them."""
    usual, given = RunSettings(), {option_of(name) for name in names}
    unset: dict[str, Any] = {name: getattr(usual, name) for name in names}
    sources = {name: one for name, one in settings.sources.items() if name not in given}
    return replace(settings, sources=sources, **unset)


def say_what_fits_some(benchmarks: Sequence[Benchmark]) -> None:
    """Name the options of the command line that are not for all of several benchmarks."""
    own = dict.fromkeys(option.name for b in benchmarks for option in b.options)
    for name in filter(given_by_user, own if len(benchmarks) > 1 else ()):
        with_it = [b.name for b in benchmarks if name in {option.name for option in b.options}]
        if len(with_it) < len(benchmarks):
            tell(f"note: --{name.replace('_', '-')} is for {', '.join(with_it)} alone")
