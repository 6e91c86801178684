"""The options that choose among what is stored: first boards, then single runs.

Of a board: `BoardCommand` adds the options of its benchmark, `rating_options` those of its ratings,
`given_board` says which board they mean, and `named_pack` and `official_or_default` which pack. Of
runs: `selector` says by what they are chosen, `find` and its kin find those that are named.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from .. import ratings
from ..benchmark import Benchmark, Option, Pack
from ..compare.which_board import Wanted
from ..console.output import tell
from ..datasets import find_pack, manifest_of
from ..errors import UsageError
from ..guard import guard
from ..plugins import installed
from ..ratings.comparisons import Comparisons
from ..reports.suggestions import bench
from ..runs import folders
from ..runs.run_set import RunSet
from ..runs.selectors import Selector
from ..runs.stored_run import StoredRun
from ..text import listed, plural
from ..types import JsonDict, JsonObject
from . import options
from .command import ARGUMENTS, BENCHMARKS, SECTION, BenchmarkName, Command, named_anywhere
from .options import KEPT, judge_labels, kept, model_names
from .settings import as_click_option, given_by_user, pairs


class BoardCommand(Command):
    """Adds the options of the benchmark that is named; of all, those of ratings where none is."""

    rates = True
    """Whether it takes options of ratings."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse with the options of the benchmark among the arguments."""
        ctx.meta[ARGUMENTS] = list(args)
        ctx.meta[BENCHMARKS] = named_anywhere(args, ctx)[:1]
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


def rating_options(benchmark: Benchmark, requested: JsonObject) -> JsonDict:
    """The benchmark's options, those that were given and the defaults of others.

    Raises:
        UsageError: One is not the benchmark's.
    """
    defaults = {option.name: option.default for option in benchmark.options}
    values = {name: value for name, value in requested.items() if value is not None}
    for name in values.keys() - defaults.keys():
        raise UsageError(f"{benchmark.name} has no option --{name.replace('_', '-')}")
    return defaults | values


def no_rating_options(requested: JsonObject) -> None:
    """Refuse them, by `UsageError`, where a file is rated."""
    for name, value in requested.items():
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

    def choice(self, benchmark: Benchmark, values: JsonObject) -> Wanted:
        """The board of a benchmark, whose own options may choose it too."""
        protocol = {o.name: as_given(o.name, values.get(o.name)) for o in benchmark.options
                    if o.keeps_apart}  # fmt: skip
        named = {name: value for name, value in protocol.items() if value is not None}
        dataset = self.dataset and named_pack(benchmark, self.dataset)
        return Wanted(dataset, self.judge, self.roles, named, self.without, self.models)

    def part(self, comparisons: Comparisons) -> Comparisons:
        """The comparisons of a file that are between its models; `UsageError` with ``--demo``."""
        if kept("demo"):
            raise UsageError("--demo chooses among runs, not comparisons of a file")
        return ratings.reading.part(comparisons, without=self.without, models=self.models)


def given_board() -> GivenBoard:
    """What the options of the command under way say.

    Raises:
        UsageError: One of ``--role`` is not of the form NAME=SPEC.
    """
    return GivenBoard(
        chosen("dataset"),
        chosen("judge"),
        pairs(chosen("roles") or (), "--role"),
        chosen("models") or (),
        kept("without"),  # what bench.toml says of it is for boards too
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
)  # fmt: skip
"""Which board, and who on it."""


T = TypeVar("T")


def as_given(name: str, value: T) -> T | None:
    """An option's value if it was given with the command; a file's is meant for new runs."""
    return value if given_by_user(name) else None


def named_pack(benchmark: Benchmark, dataset: str) -> str:
    """What names a pack to the journal: its name, or of a path the digest of its data."""
    if dataset in ("bundled", "official") or not Path(dataset).exists():
        return dataset
    options = {option.name: option.default for option in benchmark.options}
    return find_pack(benchmark, dataset, options).sha256


def official_or_default(benchmark: Benchmark, dataset: str | None) -> tuple[Pack, str | None]:
    """The pack that is named, by default the official one if there is any, and what names it.

    Raises:
        DataError: It is not there.
    """
    if dataset is None and "official" in manifest_of(benchmark):
        dataset = "official"
    defaults = {option.name: option.default for option in benchmark.options}
    return guard(benchmark).read_pack(find_pack(benchmark, dataset, defaults), defaults), dataset


_GRADES = "grades_of"

model_option = click.option(
    "--model", "models", multiple=True, metavar="MODEL", shell_complete=model_names,
    help="Only runs of this model; may be repeated.", **KEPT,
)  # fmt: skip
benchmark_option = click.option(
    "--benchmark", type=BenchmarkName(), metavar="NAME", help="Only runs of this benchmark.", **KEPT
)
judge_option = click.option(
    "--judge", metavar="SPEC", shell_complete=judge_labels,
    help="Only runs that this judge has graded.", **KEPT,
)  # fmt: skip
dataset_option = click.option(
    "--dataset", metavar="NAME|PATH|SHA", help="Only runs on this data, by its name or digest.",
    **KEPT,
)  # fmt: skip
data_option = click.option(
    "--dataset", metavar="NAME|PATH|SHA",
    help="Only runs on this data; a path also says where it is now.", **KEPT,
)  # fmt: skip
stored_options = options.group(
    click.option("--set", "changes", multiple=True, metavar="NAME=VALUE",
                 help="Grades by this value of a grading option, where there are several."),
    data_option,
    options.place_options,
    options.json_option,
)  # fmt: skip
"""Which grades, where the data is, and how to print."""
_which_runs = partial(options.group, section="Which runs")
model_and_benchmark = _which_runs(model_option, benchmark_option)
"""For commands whose judge and data mean more than which runs."""
all_selectors = _which_runs(model_option, benchmark_option, judge_option, dataset_option)
"""Which runs, by all that they have."""


def grades_option(text: str) -> Callable[[options.F], options.F]:
    """``--judge`` for commands that also take the grades of that judge, and refuse another."""
    return click.option(
        "--judge", _GRADES, metavar="SPEC", shell_complete=judge_labels, help=text, **KEPT
    )


def chosen(name: str) -> Any:
    """The value of a kept option if it was given with the command."""
    return as_given(name, kept(name))


def selector() -> Selector:
    """What the command under way chooses runs by."""
    benchmark = chosen("benchmark")
    return Selector(
        benchmark.name if benchmark else None,
        tuple(chosen("models") or ()),
        chosen("judge") or chosen(_GRADES),
        chosen("dataset"),
    )


def open_runs(runs_dir: Path, *named: str | None) -> RunSet:
    """The runs that the command under way is about, to be read: of one of the two kinds.

    Demo runs with ``--demo``, where those that are named are such, or where there are no others,
    of which the user is told.
    """
    by = selector()
    starts = [*filter(None, named), *by.models]
    demo = bool(kept("demo")) or (by.judge or "").startswith("demo/")
    runs = folders.runs(runs_dir, *starts, demo=demo)
    if runs.journal.folder != runs_dir and not (starts or demo):
        tell(f"no runs of real models in {runs_dir}; demo runs: {runs.journal.folder}")
    return runs


def find(runs: RunSet, word: str | None, *, sure: bool = False, item: str = "") -> StoredRun:
    """The newest run that a word means, of which a line tells where it could mean others.

    Args:
        runs: Among which.
        word: A run's id or the beginning of it, a model's name or its end, or a benchmark; without
            it the options choose.
        sure: The run is deleted or paid for: no other may be meant.
        item: Runs that hold it are meant, where there are such.

    Raises:
        UsageError: There is none, or runs of several models could be meant.
        DataError: It is not on the data at the path that is given.
    """
    several = find_matching(runs, word)
    if item and len(several) > 1:
        holding = [run for run in several if any(item == begun for begun, _ in run.samples_begun)]
        several = runs.of(holding) if holding else several
    called = str(selector()) if word is None else word
    run = several.only(called) if sure else several.of_one_model(called)
    _tell_chosen(called, run, several)
    return run


def find_matching(runs: RunSet, word: str | None) -> RunSet:
    """All runs that a word means, else that the options choose, one at least; errors as of `find`.

    Raises:
        UsageError: Neither says which.
    """
    check_named(word)
    if word is None:
        return find_all(runs, ())
    return _by_grades(lambda by: runs.candidates([word], by)[word])


def _by_grades(find: Callable[[Selector], T], by: Selector | None = None) -> T:
    """What is found by the options; a command that shows a judge's grades refuses one of none."""
    by = selector() if by is None else by
    try:
        return find(by)
    except UsageError:
        if not chosen(_GRADES):
            raise
        return find(by._replace(judge=None))


def _tell_chosen(word: str, run: StoredRun, several: RunSet) -> None:
    """Say which run is meant where a word could mean several."""
    if len(several) > 1:
        of = f"{run.benchmark} on {run.record.pack_name}, {run.record.created_at[:10]}"
        tell(f"{word}: run {run.id} ({of}), of {plural(len(several), 'run')}")


def find_alike(
    runs: RunSet, words: Sequence[str], by: Selector | None = None, *, each: bool = False
) -> list[list[StoredRun]]:
    """Runs that may stand side by side, by benchmark, as `RunSet.alike` has them.

    Lines tell which runs are meant, and which benchmark where not `each` is looked at.
    """

    def of_options(by: Selector) -> list[list[StoredRun]]:
        alike, several = runs.alike(words, by), runs.candidates(words, by)
        *others, last = alike
        if others and not each:
            names = listed([two[0].benchmark for two in others], 3)
            tell(f"{last[0].benchmark} is meant, the newest; --benchmark chooses {names}")
        if not (others and each):
            for word, run in zip((word for word in words if word in several), last, strict=False):
                if not runs.is_benchmark(word):
                    _tell_chosen(word, run, several[word].like(run))
        return alike

    return _by_grades(of_options, by)


def find_all(runs: RunSet, words: Sequence[str], *, every: bool = False) -> RunSet:
    """The runs that are named, each once; without words all that the options choose.

    Args:
        runs: Among which.
        words: What names them, as of `find`.
        every: All that each word means, not the newest that stand side by side.

    Raises:
        UsageError: A word means none, or could mean several models; or there is none.
    """
    by = selector()
    if every and words:
        each = runs.candidates(words, by).values()
        return runs.of(run for of_word in each for run in of_word)
    if words:
        return runs.of(find_alike(runs, words)[-1])
    if matches := runs.chosen(by):
        return matches
    folder = runs.journal.folder
    lists = bench("runs", demo=runs.journal.demo)
    raise UsageError(f"no run with {by} in {folder}; {lists} lists all")


def check_named(start: str | None) -> None:
    """Refuse, by `UsageError`, a command that says in no way which run is meant."""
    if start is None and not any(selector()):
        raise UsageError(f"Missing argument 'RUN': an id or a model's name; {bench('runs')} lists")
