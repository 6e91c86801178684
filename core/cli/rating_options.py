"""Benchmarks' own options of ratings, on the commands that rate."""

from collections.abc import Iterator

import click

from ..benchmark import Benchmark, Option
from ..errors import UsageError
from ..plugins import installed
from ..types import JsonDict, JsonObject
from .command import Command, as_click_option


class RatingCommand(Command):
    """Adds the options of all benchmarks that change how comparisons are rated."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The common parameters, and those of benchmarks without a default of their own."""
        params, added = super().get_params(ctx), dict[str, click.Parameter]()
        for option in _options():
            added[option.name] = as_click_option(option)
            added[option.name].default = None
        return [*params[:-1], *added.values(), params[-1]]  # --help stays last


def _options() -> Iterator[Option]:
    for benchmark in installed().benchmarks:
        yield from (option for option in benchmark.options if option.in_ratings)


def rating_options(benchmark: Benchmark, given: JsonObject) -> JsonDict:
    """The benchmark's options, those that were given and the defaults of others.

    Raises:
        UsageError: One is not the benchmark's.
    """
    known = {option.name: option.default for option in benchmark.options}
    chosen = {name: value for name, value in given.items() if value is not None}
    for name in chosen.keys() - known.keys():
        raise UsageError(f"{benchmark.name} has no option --{name.replace('_', '-')}")
    return known | chosen


def no_rating_options(given: JsonObject) -> None:
    """Refuse them where a file is rated.

    Raises:
        UsageError: One was given.
    """
    for name, value in given.items():
        if value is not None:
            message = (
                f"--{name.replace('_', '-')} is for the journal; in a file each comparison has"
            )
            raise UsageError(f"{message} its own weight")
