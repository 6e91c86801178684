"""The options that commands share, and the settings that their values make."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from ..benchmark import Benchmark
from ..errors import ConfigError
from ..names import nearest
from ..settings.rules import RULES
from ..settings.run_settings import RunSettings, SettingSource
from ..settings.suites import Suite
from ..spending.book import parse_price
from ..types import SAMPLING, Json, JsonDict, JsonObject, Sampling
from .command import BENCHMARK, BENCHMARKS, SECTION, SUITE, BenchmarkName, env_name
from .completion import judge_labels, model_names, model_specs
from .settings import current, given_by_user, setting_name
from .values import click_type, item_list, json_object, pairs, read_system, role_numbers

F = TypeVar("F", bound=Callable[..., object])
_DEFAULTS = RunSettings()


def option(name: str, *parameter: str, **attributes: Any) -> Callable[[F], F]:
    """A `click.option` with its environment variable and, of a setting, its rule."""
    setting = name.lstrip("-").replace("-", "_")
    if setting in RULES:
        attributes.setdefault("type", click_type(RULES[setting]))
    return click.option(name, *parameter, envvar=env_name(setting), **attributes)


def apply(command: F, *decorators: Callable[[F], F], section: str = "") -> F:
    """A command with decorators, the first of them outermost.

    Args:
        command: That options are added to.
        decorators: What adds them.
        section: The heading above them in the command's help.
    """
    known = set(getattr(command, "__click_params__", ()))
    for decorate in reversed(decorators):
        command = decorate(command)
    for param in getattr(command, "__click_params__", ()):
        if param not in known and section:
            vars(param).setdefault(SECTION, section)
    return command


def benchmark_argument(command: F) -> F:
    """The BENCHMARK argument."""
    return click.argument("benchmark", type=BenchmarkName())(command)


def benchmarks_argument(command: F) -> F:
    """BENCHMARK..., one or more; none with ``--suite``."""
    return click.argument("benchmarks", nargs=-1, metavar="BENCHMARK...", type=BenchmarkName())(
        command
    )


def data_options(command: F) -> F:
    """Which items, and of which pack."""
    return apply(
        command,
        option("--dataset", metavar="NAME|PATH",
               help="bundled, official, or a path to a file or folder (default: official if it "
               "has been fetched, else bundled)."),
        option("--iterations", metavar="N", default=_DEFAULTS.iterations, show_default=True,
               help="How often each item is asked."),
        option("--limit", metavar="N", help="Only the first N items."),
        option("--items", metavar="ID,ID", help="Only these items."),
        section="Which data",
    )  # fmt: skip


def sampling_options(command: F) -> F:
    """How replies are drawn; what is not given is the benchmark's own setting."""
    return apply(
        command,
        *(option(f"--{name.replace('_', '-')}", metavar=one.metavar, help=one.help)
          for name, one in SAMPLING.items()),
        option("--system", metavar="TEXT|@FILE", help="System prompt (default: none)."),
        section="How replies are drawn",
    )  # fmt: skip


def endpoint_options(command: F) -> F:
    """Which models, and where."""
    return apply(
        command,
        option("--model", "models", multiple=True, metavar="SPEC", shell_complete=model_specs,
               help="PROVIDER/NAME, such as openai/gpt-4.1; may be repeated "
               "(default: demo/medium)."),
        server_options,
        option("--judge", "judges", multiple=True, metavar="SPEC", shell_complete=judge_labels,
               help="Judge model, for benchmarks that need one; several are a panel "
               "(default with a demo model: demo/judge)."),
        option("--judge-base-url", multiple=True, metavar="URL|NAME",
               help="Address of all judges; or JUDGE=URL for one."),
        option("--judge-api-key-env", multiple=True, metavar="VAR",
               help="The variable that holds their key; or JUDGE=VAR for one."),
        option("--panel", help="What several judges' verdicts become; rotate asks one judge a "
               "sample (default: mean)."),
        option("--quorum", metavar="N",
               help="How many verdicts a score needs (default: more than half)."),
        option("--exclude-kin", is_flag=True,
               help="Leave judges of a model's family out: of its comparisons, and of rubric "
               "scores on its board."),
        option("--overlap", metavar="SHARE",
               help="With rotate, the share of samples that all judges grade (default: 0.1)."),
        option("--role", "roles", multiple=True, metavar="NAME=SPEC",
               help="Who plays a role of the benchmark, such as user=openai/gpt-4.1; once a role."),
        option("--role-base-url", multiple=True, metavar="NAME=URL", help="Its address."),
        option("--role-api-key-env", multiple=True, metavar="NAME=VAR",
               help="The variable that holds its key."),
        option("--role-max-tokens", multiple=True, metavar="[NAME=]N",
               help="Most tokens of a reply of the role, or of all roles, thinking included."),
        section="Which models, and where",
    )  # fmt: skip


def judge_options(command: F) -> F:
    """Which judge, and where."""
    return apply(
        command,
        option("--judge", "judges", multiple=True, metavar="SPEC", shell_complete=judge_labels,
               help="The judge, such as openai/gpt-4.1."),
        option("--judge-base-url", multiple=True, metavar="URL|NAME",
               help="Its address, or an endpoint's name."),
        option("--judge-api-key-env", multiple=True, metavar="VAR",
               help="The variable that holds its key."),
    )  # fmt: skip


def server_options(command: F) -> F:
    """Where the model is."""
    return apply(
        command,
        option("--base-url", metavar="URL|NAME",
               help="Address of the model, usually ending in /v1, or an endpoint of bench.toml."),
        option("--api-key-env", metavar="VAR", help="The variable that holds its key."),
        option("--header", "headers", multiple=True, metavar="K=V",
               help="HTTP header for it; may be repeated, never stored."),
    )  # fmt: skip


def limit_options(command: F) -> F:
    """How fast, and how long."""
    return apply(
        command,
        option("--concurrency", metavar="N", default=_DEFAULTS.concurrency, show_default=True,
               help="Most requests at a time; reduced while the server refuses some. Unless it is "
                    "given, a local server is asked one at a time first."),
        option("--rpm", metavar="N", help="Most requests per minute."),
        option("--tpm", metavar="N", help="Most tokens per minute."),
        option("--timeout", default=_DEFAULTS.timeout, show_default=True, metavar="S",
               help="Seconds that one attempt of a call may take."),
        option("--max-retries", default=_DEFAULTS.max_retries, show_default=True, metavar="N",
               help="How often a failed call is retried."),
        section="How fast",
    )  # fmt: skip


def transfer_options(command: F) -> F:
    """How requests are carried, and how much of a reply is read."""
    return apply(
        command,
        option("--max-reply", default="16MiB", show_default=True, metavar="SIZE",
               help="Longest reply that is read; a longer one fails its sample."),
        option("--transport", default=_DEFAULTS.transport, show_default=True,
               help="What carries requests: http, this program; sdk, the provider's package."),
        section="How fast",
    )  # fmt: skip


def money_options(command: F) -> F:
    """What may be spent."""
    return apply(
        command,
        option("--max-cost", metavar="USD",
               help="Hard limit for this command, all its models together; exit code 5."),
        option("--price", metavar="IN,OUT",
               help="Dollars per million tokens of --model, where they are not known."),
        option("--yes", is_flag=True, help="Do not ask before spending."),
        section="What may be spent",
    )  # fmt: skip


def run_options(command: F) -> F:
    """Which run this is, and where it is kept."""
    return apply(
        command,
        option("--name", help="What tables call the model; another name is another run."),
        option("--note", "notes", multiple=True, metavar="K=V",
               help="Kept with the run, such as quantisation=8bit; may be repeated."),
        fresh_option,
        option("--keep-going", is_flag=True,
               help="Continue although none of the first ten replies or verdicts can be read."),
        demo_option,
        option("--without", multiple=True, metavar="MODEL",
               help="Do not compare with this model; may be repeated."),
        runs_dir_option,
        section="Which run, and what becomes of it",
    )  # fmt: skip


runs_dir_option = option(
    "--runs-dir",
    type=click.Path(file_okay=True, path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Where runs are kept.",
)
dry_run_option = option("--dry-run", is_flag=True, help="Print the plan and stop.")
fresh_option = option("--fresh", is_flag=True, help="Start a new run instead of resuming.")
demo_option = option(
    "--demo",
    is_flag=True,
    help="Allow demo models and real ones in one comparison, rating or table.",
)
without_option = click.option(
    "--without", multiple=True, metavar="MODEL", shell_complete=model_names,
    help="Leave this model out; may be repeated.",
)  # fmt: skip
models_option = click.option(
    "--model", "models", multiple=True, metavar="MODEL", shell_complete=model_names,
    help="Only this model; may be repeated.",
)  # fmt: skip


def kin_options(command: F) -> F:
    """How judges that are kin of a model are kept from deciding."""
    return apply(
        command,
        click.option("--exclude-kin", is_flag=True,
                     help="Of a panel, leave out judges of a model's own family."),
        click.option("--additive", is_flag=True,
                     help="Likewise, but keep them for other models, with each judge's strictness "
                     "taken out."),
    )  # fmt: skip


role_option = click.option(
    "--role", "roles", multiple=True, metavar="NAME=SPEC",
    help="Who plays a role, where runs differ in that; may be repeated.",
)  # fmt: skip


def _keep_details(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    ctx.meta[_DETAILS] = value


_DETAILS = "eibench.details"
details_option = option("--details", is_flag=True, expose_value=False, callback=_keep_details,
                        help="Print all numbers.")  # fmt: skip


def wants_details() -> bool:
    """Whether ``--details`` is given to the command under way."""
    return bool(click.get_current_context().meta.get(_DETAILS))


json_option = option("--json", "json_output", is_flag=True, help="Print one JSON document.")


def run_settings(params: JsonObject, benchmark: Benchmark | None = None) -> RunSettings:
    """The settings that the options of the running command give.

    Args:
        params: All parameters of the command; those that are no settings are left out.
        benchmark: Which of several these are for; the command's only one where none is given.

    Raises:
        UsageError: A value cannot be read.
    """
    ctx = click.get_current_context()
    every = ctx.meta.get(BENCHMARKS) or [*filter(None, [ctx.meta.get(BENCHMARK)])]
    common = params.keys() - {option.name for one in every for option in one.options}
    own = own_values(params, benchmark or next(iter(every), None), several=len(every) > 1)
    given = {name: _READ.get(name, _same)(params[name]) for name in common}
    named: dict[str, Any] = {name: given[name] for name in _FIELDS & given.keys()}
    file = current(ctx)
    return RunSettings(
        **{
            **named,
            "sampling": Sampling(**{name: given[name] for name in SAMPLING.keys() & given.keys()}),
            "options": own,
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
    found = {n: params[n] for n in (*filed, *typed)}
    suite: Suite | None = ctx.meta.get(SUITE)
    said = suite.options.get(benchmark.name, {}) if suite and benchmark else {}
    for name in said:
        if name not in names:
            place = f"{current(ctx).path}: [suite.{suite and suite.name}.options"
            message = f"{place}.{benchmark and benchmark.name}] has no option {name}"
            raise ConfigError(message + nearest(name, names))
    return found | {n: v for n, v in said.items() if not given_by_user(n)}


def _same(value: Json) -> Json:
    return value


_READ: Mapping[str, Callable[[Any], Any]] = {
    "headers": partial(pairs, name="--header"),
    "notes": partial(pairs, name="--note"),
    "roles": partial(pairs, name="--role"),
    "role_base_url": partial(pairs, name="--role-base-url"),
    "role_api_key_env": partial(pairs, name="--role-api-key-env"),
    "role_max_tokens": role_numbers,
    "extra_body": partial(json_object, name="--extra-body"),
    "items": item_list,
    "system": read_system,
    "price": lambda text: parse_price(text) if text else None,
}
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
