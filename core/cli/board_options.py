"""The options of commands that show a board: which one, who is on it, and how it is rated."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import click

from .. import ratings
from ..benchmark import Benchmark, Option
from ..compare.board_reader import BoardChoice
from ..errors import UsageError
from ..plugins import installed
from ..ratings.comparisons import Comparisons
from ..types import JsonDict, JsonObject
from . import options
from .command import BENCHMARKS, SECTION, Command
from .options import KEPT, judge_labels, kept, model_names
from .selectors import as_given, chosen, named_pack
from .values import as_click_option, pairs


class BoardCommand(Command):
    """Adds the options of the benchmark that is named; of all, those of ratings where none is."""

    rates = True
    """Whether it takes options of ratings."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse with the options of the benchmark among the arguments."""
        benchmarks = installed().benchmarks.things
        words = (word.removeprefix("--benchmark=") for word in args)
        ctx.meta[BENCHMARKS] = [benchmarks[word] for word in words if word in benchmarks][:1]
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The common parameters, and those of benchmarks without a default of their own."""
        *common, last = super().get_params(ctx)
        added = dict[str, click.Parameter]()
        named: Sequence[Benchmark] = ctx.meta.get(BENCHMARKS, ())
        for benchmark in named or (installed().benchmarks if self.rates else ()):
            for option in self._of(benchmark) if named else filter(_in_ratings, benchmark.options):
                param = added[option.name] = as_click_option(option)
                param.default = None
                if named:
                    vars(param)[SECTION] = f"Options of {benchmark.name}"
                if not option.in_ratings:
                    param.envvar = None  # a wish for new runs
        return [*common, *added.values(), last]  # --help stays last

    def _of(self, benchmark: Benchmark) -> Iterator[Option]:
        """Those that keep boards apart, and those that change how comparisons are rated."""
        for option in benchmark.options:
            if (self.rates and option.in_ratings) or (option.keeps_apart and not option.may_meet):
                yield option


class AuditCommand(BoardCommand):
    """The same without those of ratings."""

    rates = False


def _in_ratings(option: Option) -> bool:
    return option.in_ratings


def rating_options(benchmark: Benchmark, given: JsonObject) -> JsonDict:
    """The benchmark's options, those that were given and the defaults of others."""
    defaults = {option.name: option.default for option in benchmark.options}
    values = {name: value for name, value in given.items() if value is not None}
    for name in values.keys() - defaults.keys():
        raise UsageError(f"{benchmark.name} has no option --{name.replace('_', '-')}")
    return defaults | values


def no_rating_options(given: JsonObject) -> None:
    """Refuse them where a file is rated."""
    for name, value in given.items():
        if value is not None:
            message = (
                f"--{name.replace('_', '-')} is for the journal; in a file each comparison has"
            )
            raise UsageError(f"{message} its own weight")


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
        protocol = {o.name: as_given(o.name, own.get(o.name)) for o in benchmark.options
                    if o.keeps_apart}  # fmt: skip
        return {
            "dataset": self.dataset and named_pack(benchmark, self.dataset),
            "judge": self.judge,
            "mixed": self.demo,
            "without": self.without,
            "models": self.models,
            "roles": self.roles,
            "protocol": {name: value for name, value in protocol.items() if value is not None},
        }

    def part(self, given: Comparisons) -> Comparisons:
        """The comparisons of a file that are between its models."""
        return ratings.reading.part(
            given, mixed=self.demo, without=self.without, models=self.models
        )


def given_board() -> GivenBoard:
    """What the options of the command under way say."""
    return GivenBoard(
        chosen("dataset"),
        chosen("judge"),
        pairs(chosen("roles") or (), "--role"),
        chosen("models") or (),
        kept("without"),  # what bench.toml says of these two is for boards too
        kept("demo"),
    )


board_options = options.group(
    click.option("--dataset", metavar="NAME|PATH|SHA",
                 help="The pack, where the journal has runs of several.", **KEPT),
    click.option("--judge", metavar="SPEC", shell_complete=judge_labels,
                 help="The judge, where there are several.", **KEPT),
    click.option("--role", "roles", multiple=True, metavar="NAME=SPEC",
                 help="Who plays a role, where runs differ in that; may be repeated.", **KEPT),
    click.option("--model", "models", multiple=True, metavar="MODEL", shell_complete=model_names,
                 help="Only this model; may be repeated.", **KEPT),
    click.option("--without", multiple=True, metavar="MODEL", shell_complete=model_names,
                 help="Leave this model out; may be repeated.", **KEPT),
    options.setting("demo", **KEPT),
)  # fmt: skip
"""Which board, and who on it."""
