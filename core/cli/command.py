"""Commands that refuse an option given twice; click would take the last and say nothing.

The options of a `BenchmarkCommand` depend on the benchmarks that it is given: ``bench run
eqbench-v1 --help`` shows the benchmark's own beside the common ones.
"""

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ..benchmark import Benchmark
from ..errors import BenchError, UsageError
from ..journal import Journal
from ..journal.file import demo_folder, has_journal
from ..plugins import catalogue_of, installed
from ..reports.suggestions import run_options, typed
from ..runs.run_set import RunSet
from ..settings.tables import Suite
from ..text import listed, plural
from ..types import JsonDict, JsonObject
from .settings import SUITE, FileKey, as_click_option, current, env_name, find_settings, find_suite

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


SECTION = "eibench_section"
"""The attribute of an option that names its section of the help."""


class Command(click.Command):
    """A command whose options are given once each, but for those that may be repeated."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in sections; those without one last."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)):
                sections.setdefault(vars(param).get(SECTION, ""), []).append(record)
        rest = sections.pop("", [])
        last = "Other options" if sections else "Options"
        for title, rows in (sections | {last: rest}).items():
            with formatter.section(title):
                formatter.write_dl(rows)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments.

        Raises:
            click.UsageError: An option is given twice.
        """
        ctx.meta[ARGUMENTS] = list(args)
        refuse_repeated(self, ctx, args)
        typed.set((*ctx.command_path.split(" ")[1:], *args))
        left = super().parse_args(ctx, args)
        run_options.set(tuple(_folder_options(ctx)))
        return left

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; an error about a value that was not typed says where it is set."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            error.args = (f"{error}{_set_by(ctx, str(error))}",)
            raise


def _set_by(ctx: click.Context, message: str) -> str:
    """Where the value is set of the option that a message begins with; nothing if it was typed."""
    for param in ctx.command.get_params(ctx):
        names = [param.get_error_hint(ctx)] if isinstance(param, FileKey) else param.opts
        if any(f"{message} ".startswith(f"{name} ") for name in names):
            source = ctx.get_parameter_source(str(param.name))
            if source is ParameterSource.ENVIRONMENT:
                return f" (set by {param.envvar})"
            if source is ParameterSource.DEFAULT_MAP:
                return f" (set in {current(ctx).path})"
    return ""


def _folder_options(ctx: click.Context) -> Iterator[str]:
    """The options that say where runs and settings are, as they were given."""
    for option, value in (
        ("--runs-dir", ctx.params.get("runs_dir")),
        ("--config", current(ctx).path),
    ):
        source = ctx.get_parameter_source(option[2:].replace("-", "_"))
        if value and source in (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT):
            yield from (option, str(value))


def refuse_repeated(command: click.Command, ctx: click.Context, args: list[str]) -> None:
    """Refuse an option that stands twice and cannot.

    Raises:
        click.UsageError: There is one.
    """
    params: list[click.Parameter] = []
    with contextlib.suppress(click.UsageError):  # which parsing in earnest tells
        _, _, params = command.make_parser(ctx).parse_args(list(args))
    for param, count in Counter(params).items():
        if count == 1 or not isinstance(param, click.Option) or param.multiple or param.count:
            continue
        if not param.is_flag or param.secondary_opts:
            name = max(param.opts, key=len)
            times = "twice" if count == 2 else f"{count} times"
            raise click.UsageError(f"{name} is given {times}: give it once", ctx)


class Group(click.Group):
    """A group of such commands."""

    command_class = Command


def command(
    name: str, *examples: str, cls: type[Command] = Command
) -> Callable[[Callable[..., object]], Command]:
    """Declare a command, with examples below its help."""
    epilog = "".join(f"  {example}\n" for example in examples)
    return click.command(name, cls=cls, epilog=f"\b\nExamples:\n{epilog}" if examples else None)


BENCHMARKS = "eibench.benchmarks"
"""Where a context keeps the benchmarks that are named."""


RESULTS = "eibench.results"
"""Where a context keeps the documents of the runs that its command made."""


ARGUMENTS = "eibench.arguments"
"""Where a context keeps the words of its command."""


def named_benchmark(word: str, ctx: click.Context | None) -> Benchmark | None:
    """The benchmark of a name, at a path, or of runs that a file declared; ``None`` for none."""
    return _installed(word) or _of_runs([word], ctx).get(word)


def benchmark_called(word: str, ctx: click.Context | None = None) -> Benchmark:
    """The same; `UsageError` for none, with the benchmarks of the runs that it means, if any."""
    ctx = ctx or click.get_current_context()
    try:
        return named_benchmark(word, ctx) or installed().benchmark(word)
    except UsageError:
        refuse_runs(word, ctx)
        raise


def refuse_runs(word: str, ctx: click.Context) -> None:
    """Refuse, by `UsageError`, a word that means runs where a benchmark is to be named."""
    folder = _runs_folder(ctx)
    for each in filter(has_journal, (folder, demo_folder(folder))):
        with RunSet(Journal(each, create=False)) as runs:
            if reading := runs.read(word):
                names = listed(list(dict.fromkeys(run.benchmark for run in reading.runs)), 4)
                message = f"{word!r} means {plural(len(reading.runs), 'run')}, of {names}"
                raise UsageError(f"{message}; name a benchmark here")


def named_anywhere(args: Sequence[str], ctx: click.Context) -> list[Benchmark]:
    """Those that words of a command name; what a file does not declare is told when it is used."""
    words = [w.removeprefix("--benchmark=") for w in dict.fromkeys(args)]
    words = [word for word in words if word[:1] != "-"]
    known = []
    for word in words:
        with contextlib.suppress(BenchError):
            known.append(_installed(word))
    if not any(known):
        with contextlib.suppress(BenchError):
            known += _of_runs(words, ctx).values()
    return [one for one in known if one]


def _installed(word: str) -> Benchmark | None:
    catalogue = installed()
    is_name = word in catalogue.benchmarks.things
    return catalogue.benchmark(word) if is_name else catalogue.declared_at(word)


def _of_runs(words: Sequence[str], ctx: click.Context | None) -> dict[str, Benchmark]:
    """Of words those that are names of benchmarks that files declared for runs, with these."""
    known, folder = dict[str, Benchmark](), _runs_folder(ctx) if ctx else Path("runs")
    for each in filter(has_journal, (demo_folder(folder), folder)):
        with Journal(each, create=False) as journal:
            stored = catalogue_of(journal).benchmarks
            known |= {word: stored.get(word) for word in words if word in stored.things}
    return known


def _runs_folder(ctx: click.Context) -> Path:
    """Where the command under way looks for runs, also before its options are read."""
    words = [part for word in ctx.meta.get(ARGUMENTS, ()) for part in word.split("=", 1)]
    folder = dict(pairwise(words)).get("--runs-dir")
    return Path(folder or os.environ.get(env_name("runs_dir")) or _filed_folder(ctx))


def _filed_folder(ctx: click.Context) -> str:
    return str(current(ctx).run.get("runs_dir", "runs"))


class BenchmarkName(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """The name of a benchmark; an unknown one is an error with the nearest name."""

    name = "benchmark"

    def convert(
        self, value: Benchmark | str, param: click.Parameter | None, ctx: click.Context | None
    ) -> Benchmark:
        """The benchmark itself."""
        return value if isinstance(value, Benchmark) else benchmark_called(value, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        """Names that begin so."""
        from click.shell_completion import CompletionItem

        names = installed().benchmarks.things
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


class BenchmarkCommand(Command):
    """Adds the options of all benchmarks among its arguments, or in the suite that is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse with the options of the benchmarks that are named."""
        ctx.meta[ARGUMENTS] = list(args)
        ctx.meta[BENCHMARKS] = named_anywhere(args, ctx)
        if values := self._values(ctx, args):  # else half a command, which is to be completed
            names = self._names(ctx, values)  # any other word is an option's value
            known = [named_benchmark(name, ctx) for name in names]
            ctx.meta[BENCHMARKS] = [benchmark for benchmark in known if benchmark]
        if not ctx.meta[BENCHMARKS]:
            ctx.ignore_unknown_options = True  # let the unknown name be the error, not its options
        return super().parse_args(ctx, args)

    def _values(self, ctx: click.Context, args: list[str]) -> JsonDict:
        """What the arguments say, where they are understood; else what of them is."""
        strict = ctx.ignore_unknown_options
        for ignore in (strict, True):
            ctx.ignore_unknown_options = ignore  # a suite's options are not known yet
            try:
                return self.make_parser(ctx).parse_args(list(args))[0]
            except click.UsageError:
                continue
            finally:
                ctx.ignore_unknown_options = strict
        return {}

    def _names(self, ctx: click.Context, values: JsonObject) -> Sequence[str]:
        if suite := self._suite(ctx, values):
            return suite.benchmarks
        named = values.get("benchmarks", values.get("benchmark"))
        return [str(one) for one in (named if isinstance(named, tuple) else [named])]

    def _suite(self, ctx: click.Context, values: JsonObject) -> Suite | None:
        name = values.get("suite")
        if not isinstance(name, str) or not name or all(p.name != "suite" for p in self.params):
            return None
        path = values.get("config")
        suite = find_suite(find_settings(path if isinstance(path, str) else None), name)
        for benchmark in suite.benchmarks:
            BenchmarkName().convert(benchmark, None, ctx)
        ctx.meta[SUITE] = suite
        return suite

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The common parameters, then those of each benchmark; of one name the first."""
        *common, last = super().get_params(ctx)
        added = dict[str, click.Parameter]()
        for benchmark in ctx.meta.get(BENCHMARKS, ()):
            for option in benchmark.options:
                param = added.setdefault(option.name, as_click_option(option))
                vars(param).setdefault(SECTION, f"Options of {benchmark.name}")
        return [*common, *added.values(), last]  # --help stays last
