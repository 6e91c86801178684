"""The options that commands share, and what becomes of their values."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from ..arguments import MOST_ITERATIONS, MOST_TOKENS, fitting_judge, judge_spec
from ..benchmark import PLACEMENT_OPTIONS, Benchmark
from ..clients.extra_body import check_extra_body
from ..clients.retry import RETRIES
from ..endpoints.providers import TRANSPORTS, ModelSpec, Transfer
from ..errors import UsageError
from ..guard import guard
from ..settings.run_config import RunConfig
from ..spending.budget import MOST
from ..types import Sampling
from .benchmark_command import BenchmarkName, env_name, own_options
from .targets import Target, allow, find_target, limits_of
from .values import FiniteRange, Size, WholeRange, item_list, json_object, pairs, read_system

F = TypeVar("F", bound=Callable[..., Any])
_POSITIVE = WholeRange(min=1)
_TOKENS = WholeRange(min=1, max=MOST_TOKENS)
_ITERATIONS = WholeRange(min=1, max=MOST_ITERATIONS)
_ABOVE_ZERO = FiniteRange(min=0, min_open=True)
_SHARE = FiniteRange(min=0, max=1)


def option(name: str, *parameter: str, **attributes: Any) -> Callable[[F], F]:
    """A `click.option` with its environment variable."""
    envvar = env_name(name.lstrip("-"))
    return click.option(name, *parameter, envvar=envvar, **attributes)


def apply(command: F, *decorators: Callable[[Any], Any]) -> F:
    """A command with decorators, the first of them outermost."""
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


def benchmark_argument(command: F) -> F:
    """The BENCHMARK argument."""
    return click.argument("benchmark", type=BenchmarkName())(command)


def data_options(command: F) -> F:
    """Which items, and of which pack."""
    return apply(
        command,
        option("--dataset", metavar="NAME|PATH", help="bundled, official, or a path to data."),
        option("--iterations", type=_ITERATIONS, default=1, show_default=True,
               help="How often each item is asked."),
        option("--limit", type=_POSITIVE, metavar="N", help="Only the first N items."),
        option("--items", metavar="ID,ID", help="Only these items."),
    )  # fmt: skip


def sampling_options(command: F) -> F:
    """How replies are drawn; what is not given is the benchmark's own setting."""
    return apply(
        command,
        option("--temperature", type=FiniteRange(min=0), help="Sampling temperature."),
        option("--top-p", type=_SHARE, help="Nucleus sampling."),
        option("--min-p", type=_SHARE, help="Minimum-probability sampling."),
        option("--max-tokens", type=_TOKENS, metavar="N",
               help="Room for the reply, thinking included."),
        option("--reasoning-effort", metavar="E", help="Such as low, medium, high."),
        option("--system", metavar="TEXT|@FILE", help="System prompt (default: none)."),
        option("--extra-body", metavar="JSON", help="More fields for each request."),
        option("--seed", type=int, help="Sent to the model; iteration N gets SEED + N - 1."),
    )  # fmt: skip


def endpoint_options(command: F) -> F:
    """Which models, and where."""
    return apply(
        command,
        option("--model", "models", multiple=True, metavar="SPEC",
               help="PROVIDER/NAME, such as openai/gpt-4.1; may be repeated "
               "(default: demo/medium)."),
        option("--base-url", metavar="URL|NAME",
               help="Address of the model, usually ending in /v1, or an endpoint of bench.toml."),
        option("--api-key-env", metavar="VAR", help="The variable that holds its key."),
        option("--header", "headers", multiple=True, metavar="K=V",
               help="HTTP header for it; may be repeated, never stored."),
        option("--judge", metavar="SPEC", help="Judge model, for benchmarks that need one "
               "(default with a demo model: demo/judge)."),
        option("--judge-base-url", metavar="URL|NAME", help="Likewise, of the judge."),
        option("--judge-api-key-env", metavar="VAR", help="The variable that holds its key."),
    )  # fmt: skip


def limit_options(command: F) -> F:
    """How fast, and how long."""
    return apply(
        command,
        option("--concurrency", type=_POSITIVE, default=32, show_default=True,
               help="Most requests at a time; shrinks when the server says so."),
        option("--rpm", type=_ABOVE_ZERO, metavar="N", help="Most requests per minute."),
        option("--tpm", type=_ABOVE_ZERO, metavar="N", help="Most tokens per minute."),
        option("--timeout", type=_ABOVE_ZERO, default=600.0, show_default=True, metavar="S",
               help="Seconds that an attempt of a call may take."),
        option("--max-retries", type=WholeRange(min=0), default=RETRIES, show_default=True,
               metavar="N", help="Times that a call is tried again."),
    )  # fmt: skip


def transfer_options(command: F) -> F:
    """How requests are carried, and how much of a reply is read."""
    return apply(
        command,
        option("--max-reply", type=Size(), default="16MiB", show_default=True, metavar="SIZE",
               help="Longest reply that is read; a longer one fails its sample."),
        option("--transport", type=click.Choice(TRANSPORTS), default="http", show_default=True,
               help="http: our own; sdk: the provider's package."),
    )  # fmt: skip


def money_options(command: F) -> F:
    """What may be spent."""
    return apply(
        command,
        option("--max-cost", type=FiniteRange(min=0, max=MOST), metavar="USD",
               help="Hard limit for this command, all its models together."),
        option("--price", metavar="IN,OUT",
               help="Dollars per million tokens of --model, where they are not known."),
        option("--yes", is_flag=True, help="Do not ask before spending."),
    )  # fmt: skip


def run_options(command: F) -> F:
    """Which run this is, and where it is kept."""
    return apply(
        command,
        option("--name", help="A name for the model; another name is another run."),
        option("--note", "notes", multiple=True, metavar="K=V",
               help="Kept with the run, such as quantisation=8bit; may be repeated."),
        option("--fresh", is_flag=True, help="Start another run instead of going on."),
        demo_option,
        option("--without", multiple=True, metavar="MODEL",
               help="Do not compare with this model; may be repeated."),
        runs_dir_option,
    )  # fmt: skip


runs_dir_option = option(
    "--runs-dir",
    type=click.Path(file_okay=True, path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Where runs are kept.",
)
demo_option = option(
    "--demo", is_flag=True, help="Let demo models and real ones stand beside each other."
)
without_option = click.option(
    "--without", multiple=True, metavar="MODEL", help="Leave this model out; may be repeated."
)
json_option = option("--json", "json_output", is_flag=True, help="Print one JSON document.")


def sampling(params: Mapping[str, Any]) -> Sampling:
    """The user's changes to how replies are drawn."""
    given = Sampling(
        temperature=params["temperature"],
        top_p=params["top_p"],
        min_p=params["min_p"],
        max_tokens=params["max_tokens"],
        seed=params["seed"],
        reasoning_effort=params["reasoning_effort"],
    )
    extra = json_object(params["extra_body"], "--extra-body")
    check_extra_body(extra or {}, given.sent())
    return replace(given, extra_body=extra)


def item_ids(params: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids of ``--items``.

    Raises:
        UsageError: ``--limit`` is given too, or the list is not one.
    """
    if params["items"] is None or (_typed("limit") and not _typed("items")):
        return ()
    if params["limit"] and _typed("items") == _typed("limit"):
        raise UsageError("--items and --limit contradict each other; use one of them")
    return item_list(params["items"])


def configs(params: Mapping[str, Any]) -> list[RunConfig]:
    """The runs that a command line asks for, one per model.

    Raises:
        UsageError: Options contradict each other.
    """
    benchmark: Benchmark = params["benchmark"]
    specs = [ModelSpec.parse(text) for text in params["models"] or ("demo/medium",)]
    name = params["name"]
    if len(specs) > 1 and name:
        raise UsageError("--name names one model; leave it out, or give one --model")
    if name is not None and not name.strip():
        raise UsageError("--name must not be blank")
    if twice := next((s for s in specs if specs.count(s) > 1), None):
        raise UsageError(f"--model {twice} is given twice")
    headers = pairs(params["headers"], "--header")
    targets = [find_target(spec, headers) for spec in specs]
    return [_config(benchmark, target, params) for target in targets]


def _config(benchmark: Benchmark, model: Target, params: Mapping[str, Any]) -> RunConfig:
    judge, items = _judge(benchmark, params), item_ids(params)
    own, named = own_options(benchmark, params), allow(judge) if judge else None
    _refuse_vain(benchmark, own)
    return RunConfig(
        benchmark=benchmark,
        model=allow(model),
        options=own,
        judge=fitting_judge(benchmark, own, model.endpoint.spec, named),
        dataset=params["dataset"],
        sampling=sampling(params),
        system=read_system(params["system"]),
        iterations=params["iterations"],
        limit=None if items else params["limit"],
        items=items,
        limits=limits_of(params, model.settings),
        judge_limits=limits_of(params, judge.settings) if judge else None,
        transfer=transfer_of(params),
        name=params["name"],
        notes=pairs(params["notes"], "--note"),
        fresh=params["fresh"],
        mixed=params["demo"],
        without=params["without"],
        runs_dir=params["runs_dir"],
    )


def transfer_of(params: Mapping[str, Any]) -> Transfer:
    """How requests are carried, and how much of a reply is read."""
    return Transfer(params["transport"], params["max_reply"])


def _refuse_vain(benchmark: Benchmark, own: Mapping[str, Any]) -> None:
    """Refuse options about comparisons in a command that leaves comparisons out.

    Raises:
        UsageError: There is one.
    """
    plugin, usual = guard(benchmark), {option.name: option.default for option in benchmark.options}
    if plugin.compares(own):
        return
    if not plugin.compares(usual):
        if _typed("without"):
            raise UsageError(f"{benchmark.name} compares no models; leave --without out")
        return
    for name in (*(option.name for option in PLACEMENT_OPTIONS), "without"):
        if (name in own or name == "without") and _typed(name):
            message = f"--{name.replace('_', '-')} is about comparisons"
            raise UsageError(f"{message}, and the other options leave none to make")


def _typed(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


def _judge(benchmark: Benchmark, params: Mapping[str, Any]) -> Target | None:
    named = ("judge", "judge_base_url", "judge_api_key_env")
    if not benchmark.judged and not any(map(_typed, named)):
        return None  # what bench.toml or BENCH_JUDGE say is for the benchmarks that ask one
    if params["judge"] is None:
        for name in ("judge_base_url", "judge_api_key_env"):
            if params[name]:
                raise UsageError(f"--{name.replace('_', '-')} needs --judge SPEC")
        return None
    return find_target(judge_spec(params["judge"]), judge=True)
