"""The options of commands that show a board: which one, who is on it, and how it is rated."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import click

from .. import ratings
from ..benchmark import Benchmark, Option
from ..compare.leaderboard import BoardChoice
from ..errors import UsageError
from ..plugins import installed
from ..ratings.comparisons import Comparisons
from ..types import JsonDict, JsonObject
from . import options
from .command import BENCHMARK, SECTION, Command
from .completion import judge_labels
from .selectors import as_given, named_pack
from .values import as_click_option, pairs


class BoardCommand(Command):
    """Adds the options of the benchmark that is named; of all, those of ratings where none is."""

    rates = True
    """Whether it takes options of ratings."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse with the options of the benchmark among the arguments."""
        known = installed().benchmarks.things
        words = (word.removeprefix("--benchmark=") for word in args)
        ctx.meta[BENCHMARK] = next((known[word] for word in words if word in known), None)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The common parameters, and those of benchmarks without a default of their own."""
        params, added = super().get_params(ctx), dict[str, click.Parameter]()
        named: Benchmark | None = ctx.meta.get(BENCHMARK)
        for option in self._of(named) if named else _of_ratings() if self.rates else ():
            param = added[option.name] = as_click_option(option)
            param.default = None
            if named:
                vars(param)[SECTION] = f"Options of {named.name}"
            if not option.in_ratings:
                param.envvar = None  # a wish for new runs
        return [*params[:-1], *added.values(), params[-1]]  # --help stays last

    def _of(self, benchmark: Benchmark) -> Iterator[Option]:
        """Those that keep boards apart, and those that change how comparisons are rated."""
        for option in benchmark.options:
            if (self.rates and option.in_ratings) or (option.keeps_apart and not option.may_meet):
                yield option


class AuditCommand(BoardCommand):
    """The same without those of ratings."""

    rates = False


def _of_ratings() -> Iterator[Option]:
    for benchmark in installed().benchmarks:
        yield from (option for option in benchmark.options if option.in_ratings)


def protocol_options(benchmark: Benchmark, given: JsonObject) -> JsonDict:
    """The options that choose a board, of those that were given with the command."""
    names = {option.name for option in benchmark.options if option.keeps_apart}
    wanted = {name: as_given(name, value) for name, value in given.items() if name in names}
    return {name: value for name, value in wanted.items() if value is not None}


def rating_options(benchmark: Benchmark, given: JsonObject) -> JsonDict:
    """The benchmark's options, those that were given and the defaults of others."""
    known = {option.name: option.default for option in benchmark.options}
    chosen = {name: value for name, value in given.items() if value is not None}
    for name in chosen.keys() - known.keys():
        raise UsageError(f"{benchmark.name} has no option --{name.replace('_', '-')}")
    return known | chosen


def no_rating_options(given: JsonObject) -> None:
    """Refuse them where a file is rated."""
    for name, value in given.items():
        if value is not None:
            message = (
                f"--{name.replace('_', '-')} is for the journal; in a file each comparison has"
            )
            raise UsageError(f"{message} its own weight")


_KEPT = "eibench.board"
_ALSO_OF_FILES = ("demo", "without")
"""What bench.toml may say of these is for boards too; the rest of it is for new runs."""


class GivenBoard(NamedTuple):
    """What the options of the command under way say."""

    dataset: str | None
    judge: str | None
    roles: Mapping[str, str]
    models: Collection[str]
    without: Collection[str]
    demo: bool

    def choice(self, benchmark: Benchmark, own: JsonObject) -> BoardChoice:
        """The board of a benchmark, whose own options may choose it too."""
        return {
            "dataset": self.dataset and named_pack(benchmark, self.dataset),
            "judge": self.judge,
            "mixed": self.demo,
            "without": self.without,
            "models": self.models,
            "roles": self.roles,
            "protocol": protocol_options(benchmark, own),
        }

    def part(self, given: Comparisons) -> Comparisons:
        """The comparisons of a file that are between its models."""
        return ratings.reading.part(
            given, mixed=self.demo, without=self.without, models=self.models
        )


def given_board() -> GivenBoard:
    """What the options of the command under way say."""
    kept: dict[str, Any] = click.get_current_context().meta[_KEPT]
    roles, models = pairs(kept["roles"] or (), "--role"), kept["models"] or ()
    return GivenBoard(**{**kept, "roles": roles, "models": models})


def _keep(ctx: click.Context, param: click.Parameter, value: object) -> None:
    name = str(param.name)
    kept = value if name in _ALSO_OF_FILES else as_given(name, value, ctx)
    ctx.meta.setdefault(_KEPT, {})[name] = kept


def board_options(command: options.F) -> options.F:
    """Which board, and who on it."""
    made = options.apply(
        command,
        click.option("--dataset", metavar="NAME|PATH|SHA",
                     help="The pack, where the journal has runs of several."),
        click.option("--judge", metavar="SPEC", shell_complete=judge_labels,
                     help="The judge, where there are several."),
        click.option("--role", "roles", multiple=True, metavar="NAME=SPEC",
                     help="Who plays a role, where runs differ in that; may be repeated."),
        options.models_option,
        options.without_option,
        options.demo_option,
    )  # fmt: skip
    for param in vars(made)["__click_params__"]:
        if param.name in GivenBoard._fields:
            param.expose_value, param.callback = False, _keep
    return made
