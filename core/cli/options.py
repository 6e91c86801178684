"""The options that commands share, and the settings that their values make."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from ..benchmark import Benchmark
from ..errors import BenchError, ConfigError
from ..journal import Journal
from ..journal.file import demo_folder
from ..plugins import installed
from ..reading.names import nearest
from ..runs.run_set import RunSet
from ..settings.rules import RULES
from ..settings.run_settings import (
    DATA,
    MONEY,
    RUN,
    SETTINGS,
    SPEED,
    WHERE,
    RunSettings,
    SettingSource,
    flag_of,
    option_of,
)
from ..settings.tables import Suite
from ..spending.book import parse_price
from ..types import DRAWING, SAMPLING, JsonDict, JsonObject, SamplingChanges
from .command import BENCHMARKS, SECTION, BenchmarkName
from .settings import (
    SUITE,
    FileKey,
    WholeText,
    click_type,
    config_option,
    current,
    env_name,
    given_by_user,
    item_list,
    object_or_none,
    pairs,
    read_systems,
    role_specs,
    setting_name,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


Completer = Callable[[click.Context, click.Parameter, str], list[str]]


def _names(
    ctx: click.Context, incomplete: str, names: Callable[[Journal], Iterable[str]]
) -> list[str]:
    """The names in the journals of ``--runs-dir`` that begin so, each once."""
    known, folder = set[str](), Path(ctx.params.get("runs_dir") or "runs")
    for each in (folder, demo_folder(folder)):
        # A shell is no place to tell of what is wrong.
        with contextlib.suppress(BenchError), Journal(each, create=False) as journal:
            known.update(names(journal))
    return sorted(name for name in known if name.startswith(incomplete))


def _completing(names: Callable[[Journal], Iterable[str]]) -> Completer:
    return lambda ctx, _, incomplete: _names(ctx, incomplete, names)


model_names = _completing(lambda journal: (run.name for run in journal.runs()))
model_specs = _completing(lambda journal: (run.model for run in journal.runs()))
judge_labels = _completing(
    lambda journal: (judge.label for run in journal.runs() for judge in journal.judges(run))
)


def run_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The runs whose ids begin so, and models that are called so."""
    ids = _names(ctx, "", lambda journal: [run.run_id for run in journal.runs_like(incomplete)])
    return ids + (model_names(ctx, param, incomplete) if incomplete else [])


def item_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The items that begin so of the run that is named."""
    return _names(ctx, incomplete, lambda journal: _items(journal, ctx.params.get("run")))


def _items(journal: Journal, word: str | None) -> list[str]:
    run = RunSet(journal)[word or ""]
    return [item for item, _ in sorted(run.samples_begun)]


def benchmarks_and_files(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    """The benchmarks that begin so, and files."""
    from click.shell_completion import CompletionItem

    names = [name for name in installed().benchmarks.things if name.startswith(incomplete)]
    return [*map(CompletionItem, names), CompletionItem(incomplete, type="file")]


F = TypeVar("F", bound=Callable[..., object])
_DEFAULTS = RunSettings()
_COMPLETIONS = {"models": model_specs, "judges": judge_labels, "against": run_ids}


def option(name: str, *parameter: str, **attributes: Any) -> Callable[[F], F]:
    """A `click.option` with its rule, where it is called as a setting is."""
    called = name.lstrip("-").replace("-", "_")
    if called in RULES:
        attributes.setdefault("type", click_type(RULES[called]))
    return click.option(name, *parameter, **attributes)


flag = partial(click.option, is_flag=True)


def setting(name: str, **attributes: object) -> Callable[[F], F]:
    """The option of a setting, as it is declared, but for what click shall have otherwise.

    Of one that has none, what takes its value from a file or a variable.
    """
    one, default = SETTINGS[name], getattr(_DEFAULTS, name, None)
    declared: dict[str, Any] = {"help": one.help, "metavar": one.metavar}
    if one.form == "switch":
        declared["is_flag"] = True
    elif one.form in ("list", "pairs"):
        declared["multiple"] = True
    elif default not in (None, ()):
        declared |= {"default": one.shown or default, "show_default": True}
    if one.bare:
        declared |= {"is_flag": False, "flag_value": one.bare}
    if isinstance(default, Path):
        declared["type"] = click.Path(path_type=Path)
    if one.in_file:
        declared["envvar"] = env_name(option_of(name))
    if not one.is_option:
        declared |= {"cls": FileKey, "hidden": True}
    if name in ("systems", "headers"):
        declared["type"] = WholeText()
    if name in _COMPLETIONS:
        declared["shell_complete"] = _COMPLETIONS[name]
    return option(f"--{option_of(name).replace('_', '-')}", name, **{**declared, **attributes})


def _section(title: str, *more: Callable[[Any], Any]) -> Callable[[F], F]:
    """The options of a section's settings, and more below its heading."""
    names = [name for name, one in SETTINGS.items() if one.section == title]
    return group(*map(setting, names), *more, section=title)


def group(*decorators: Callable[[Any], Any], section: str = "") -> Callable[[F], F]:
    """Several decorators as one, the first of them outermost, under a heading of the help."""

    def decorate(command: F) -> F:
        others = set(getattr(command, "__click_params__", ()))
        for one in reversed(decorators):
            command = one(command)
        for param in getattr(command, "__click_params__", ()):
            if section and param not in others:
                vars(param).setdefault(SECTION, section)
        return command

    return decorate


def _keep(ctx: click.Context, param: click.Parameter, value: object) -> None:
    ctx.meta[f"eibench.option.{param.name}"] = value


KEPT: Mapping[str, Any] = {"expose_value": False, "callback": _keep}
"""Attributes of an option whose value no command is called with, as `kept` has it."""


def kept(name: str) -> Any:
    """The value of such an option of the command under way."""
    return click.get_current_context().meta.get(f"eibench.option.{name}")


benchmark_argument = click.argument("benchmark", type=BenchmarkName())
data_options = _section(DATA)
"""Which items, and of which pack."""
sampling_options = _section(DRAWING)
"""How replies are drawn; what is not given is the benchmark's own setting."""
endpoint_options = _section(WHERE)
"""Which models, and where."""
limit_options = _section(SPEED)
"""How fast, and how requests are carried."""
money_options = _section(MONEY, option("--yes", is_flag=True, help="Do not ask before spending."))
"""What may be spent."""
run_options = _section(RUN)
"""Which run this is, and where it is kept."""


judge_options = group(
    setting("judges", help="The judge, such as openai/gpt-4.1."),
    setting("judge_base_url", help="Its address, or an endpoint's name."),
    setting("judge_api_key_env", help="The variable that holds its key."),
    setting("judge_set"),
)
"""Which judge, and where."""
place_options = group(setting("runs_dir"), config_option)
"""Where runs are, and settings."""
demo_option = click.option("--demo", is_flag=True, help="Take the demo runs.", **KEPT)
dry_run_option = option("--dry-run", is_flag=True, help="Print the plan and stop.")
without_option = click.option(
    "--without", multiple=True, metavar="MODEL", shell_complete=model_names,
    help="Leave this model out; may be repeated.",
)  # fmt: skip
models_option = click.option(
    "--model", "models", multiple=True, metavar="MODEL", shell_complete=model_names,
    help="Only this model; may be repeated.",
)  # fmt: skip
kin_option = click.option(
    "--exclude-kin", is_flag=True, help="Of a panel, leave out judges of a model's own family."
)
json_option = option("--json", "json_output", is_flag=True, help="Print one JSON document.")
details_option = option("--details", is_flag=True, help="Print all numbers.", **KEPT)
output_options = group(details_option, json_option)
"""How to print."""


def wants_details() -> bool:
    """Whether ``--details`` is given to the command under way."""
    return bool(kept("details"))


def run_settings(params: JsonObject, benchmark: Benchmark | None = None) -> RunSettings:
    """The settings that the options of the running command give; of several benchmarks for one.

    Raises:
        UsageError: A value cannot be read.
    """
    ctx = click.get_current_context()
    every = ctx.meta.get(BENCHMARKS, ())
    common = params.keys() - {option.name for one in every for option in one.options}
    options = own_values(params, benchmark or next(iter(every), None), several=len(every) > 1)
    read: dict[str, Any] = {
        name: _READ[name](params[name]) if name in _READ else params[name] for name in common
    }
    drawing = {name: read[name] for name in SAMPLING.keys() & common}
    changes = SamplingChanges.of({n: v for n, v in drawing.items() if v is not None})
    file = current(ctx)
    return RunSettings(
        **{
            **{name: read[name] for name in _FIELDS & common},
            "sampling": changes.values,
            "unset": changes.unset,
            "options": options,
            "prices": file.prices,
            "file": file,
            "sources": dict(_sources(ctx)),
        }
    )


def own_values(params: JsonObject, benchmark: Benchmark | None, *, several: bool) -> JsonDict:
    """The values of a benchmark's own options.

    Of several benchmarks only what is given counts, as each has defaults of its own; what a
    suite says of this benchmark goes before what is said of all, and behind the command line.
    """
    ctx = click.get_current_context()
    names = [option.name for option in benchmark.options] if benchmark else []
    typed = [n for n in names if given_by_user(n)] if several else names
    filed = [n for n in names if ctx.get_parameter_source(n) is ParameterSource.DEFAULT_MAP]
    suite: Suite | None = ctx.meta.get(SUITE)
    of_suite = suite.options.get(benchmark.name, {}) if suite and benchmark else {}
    for name in of_suite:
        if name not in names:
            table = f"{current(ctx).path}: [suite.{suite and suite.name}.options"
            message = f"{table}.{benchmark and benchmark.name}] has no option {name}"
            raise ConfigError(message + nearest(name, names))
    of_suite = {n: v for n, v in of_suite.items() if not given_by_user(n)}
    return {n: params[n] for n in (*filed, *typed)} | of_suite


_BY_FORM: Mapping[str, Callable[..., object]] = {"pairs": pairs, "json": object_or_none}
_READ: Mapping[str, Callable[[Any], Any]] = {
    **{n: partial(_BY_FORM[one.form], name=flag_of(n))
       for n, one in SETTINGS.items() if one.form in _BY_FORM},
    **{name: item_list for name, one in SETTINGS.items() if one.form == "ids"},
    "roles": role_specs,
    "systems": read_systems,
    "price": lambda text: parse_price(text) if text else None,
}  # fmt: skip
_FIELDS = frozenset(field.name for field in fields(RunSettings))
_SOURCES = {
    ParameterSource.COMMANDLINE: SettingSource.GIVEN,
    ParameterSource.ENVIRONMENT: SettingSource.VARIABLE,
    ParameterSource.DEFAULT_MAP: SettingSource.FILE,
}


def _sources(ctx: click.Context) -> Iterator[tuple[str, SettingSource]]:
    for param in ctx.command.get_params(ctx):
        source = ctx.get_parameter_source(str(param.name))
        if isinstance(param, click.Option) and source and source in _SOURCES:
            yield setting_name(param), _SOURCES[source]
