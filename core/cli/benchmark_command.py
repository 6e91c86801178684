"""A command whose options depend on the benchmark it is given.

``bench run eqbench-v1 --help`` shows the benchmark's own options beside the
common ones; options may stand before or after the benchmark's name.
"""

import contextlib
from typing import TYPE_CHECKING, Any

import click

from ..benchmark import Benchmark, Option
from ..plugins import installed
from .command import Command
from .values import click_type

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

BENCHMARK = "eibench.benchmark"
"""Where a context keeps the benchmark that is named."""


class BenchmarkName(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """The name of a benchmark; an unknown one is an error with the nearest name."""

    name = "benchmark"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Benchmark:
        """The benchmark itself."""
        return value if isinstance(value, Benchmark) else installed().benchmark(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        """Names that begin so."""
        from click.shell_completion import CompletionItem

        names = installed().benchmarks.things
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


class BenchmarkCommand(Command):
    """Adds the options of the benchmark among its arguments."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse with the options of the benchmark that is named."""
        named = self._named(ctx, args)
        ctx.meta[BENCHMARK] = named
        if named is None:
            ctx.ignore_unknown_options = True  # let the unknown name be the error, not its options
        return super().parse_args(ctx, args)

    def _named(self, ctx: click.Context, args: list[str]) -> Benchmark | None:
        """The benchmark among the arguments.

        A benchmark's name may also be an option's value, and which words are values depends
        on the benchmark's own options: so each name is tried as the one.
        """
        benchmarks = installed().benchmarks.things
        names = list(dict.fromkeys(arg for arg in args if arg in benchmarks))
        for name in names:
            ctx.meta[BENCHMARK] = benchmarks[name]
            with contextlib.suppress(click.UsageError):
                values, _, _ = self.make_parser(ctx).parse_args(list(args))
                if values.get("benchmark") == name:
                    return benchmarks[name]
        return benchmarks[names[0]] if names else None

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The common parameters and the benchmark's own."""
        benchmark: Benchmark | None = ctx.meta.get(BENCHMARK)
        own = [as_click_option(o) for o in benchmark.options] if benchmark else []
        params = super().get_params(ctx)
        return [*params[:-1], *own, params[-1]]  # --help stays last


def as_click_option(option: Option) -> click.Option:
    """A benchmark's option as the command line knows it."""
    dashed = option.name.replace("_", "-")
    switch = isinstance(option.default, bool)
    named = f"--{dashed}/--no-{dashed}" if switch else f"--{dashed}"
    return click.Option(
        [option.name, named],
        type=None if switch else click_type(option.rule),
        default=option.default,
        help=option.help,
        show_default=True,
        envvar=env_name(option.name),
        show_envvar=False,
    )


def env_name(option: str) -> str:
    """The environment variable of an option."""
    return "BENCH_" + option.replace("-", "_").upper()
