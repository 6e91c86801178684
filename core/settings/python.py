"""Settings from the arguments of `eibench.run`, those as type checkers see them, and messages.

What each argument means is declared at `RunSettings` and `Sampling`; a test holds them together.

Numbers come out as the command line has them, so that both mean the same run: a temperature
of 1 is 1.0.
"""

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, replace
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, TypedDict

from ..benchmark import Benchmark
from ..errors import BenchError, PluginError, UsageError
from ..plugins import installed
from ..reading.names import nearest
from ..spending.book import read_prices
from ..types import SAMPLING, Sampling, canonical
from .rules import RULES, fitting
from .run_config import merge
from .run_settings import SETTINGS, RunSettings, SettingSource, argument_of, option_of

_OF_JUDGES = ("judge", "judge_base_url", "judge_api_key_env")
_FORMS = {argument_of(name): one.form for name, one in SETTINGS.items()}
_SETTINGS = frozenset(field.name for field in fields(RunSettings))


def find_benchmark(benchmark: str | Benchmark) -> Benchmark:
    """The benchmark of that name, or the one that is given."""
    catalogue = installed()
    if isinstance(benchmark, str):
        return catalogue.benchmark(benchmark)
    if wrong := catalogue.benchmarks.check(benchmark):
        raise PluginError(f"{benchmark!r} is no benchmark: {wrong}")
    return benchmark


def from_python(arguments: Mapping[str, object]) -> RunSettings:
    """Settings from arguments by name; ``None`` stands for the default."""
    values = {name: _checked(name, v) for name, v in arguments.items() if v is not None}
    single = {name: values[name] for name in SAMPLING.keys() & values.keys()}
    fields = {name: values[name] for name in _SETTINGS & values.keys()}
    names = [*fields.get("options", {}), *(name for name, value in fields.items() if value)]
    names += ["judge"] if "judge" in values else []
    return RunSettings(
        **{
            **fields,
            "models": (values["model"],) if "model" in values else (),
            "judges": values.get("judge", ()),
            "sampling": _sampling(values.get("sampling"), single),
            "sources": dict.fromkeys([*names, "model"], SettingSource.GIVEN),
        }
    )


def _checked(name: str, value: Any) -> Any:
    if name in _OF_JUDGES:
        return _of_judges(name, value)
    if name in RULES:
        return fitting(name, RULES[name], os.fspath(value) if name == "dataset" else value)
    if name == "role_max_tokens":
        return _tokens_by_role(value)
    if _FORMS.get(name) in ("list", "ids"):
        return _texts(name, value)
    if _FORMS.get(name) == "pairs":
        return _texts_by_name(name, value)
    if name == "prices":
        return read_prices(value, "eibench.run")
    return Path(value) if name == "runs_dir" else value


def _of_judges(name: str, value: object) -> tuple[str, ...]:
    """A text, several of them, or texts by judge."""
    if isinstance(value, Mapping) and name != "judge":
        return tuple(f"{judge}={text}" for judge, text in _texts_by_name(name, value).items())
    texts = [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
    return tuple(fitting(name, RULES[name], one) for one in texts)


def _tokens_by_role(value: object) -> dict[str, int]:
    """Numbers by role; one number is for all of them."""
    numbers = value if isinstance(value, Mapping) else {"": value}
    return {
        str(role): fitting("role_max_tokens", RULES["max_tokens"], n) for role, n in numbers.items()
    }


def _texts(name: str, texts: Iterable[str]) -> tuple[str, ...]:
    if isinstance(texts, str):
        raise UsageError(f"{name} must be a list, such as [{texts!r}]")
    return tuple(str(one) for one in texts)


def _texts_by_name(name: str, values: object) -> dict[str, str]:
    """Texts by name; one that is none may be a secret, so the message does not show it."""
    if not isinstance(values, Mapping):
        raise UsageError(f"{name} must be a mapping of texts")
    for key, value in values.items():
        if not (isinstance(key, str) and isinstance(value, str)):
            raise UsageError(f"{name} {key}: must be a text")
    return dict(values)


def _sampling(whole: Sampling | None, single: Mapping[str, Any]) -> Sampling:
    """How replies are drawn, from a `Sampling` and from single arguments."""
    base = whole or Sampling()
    if twice := [name for name in base.sent() if name in single]:
        raise UsageError(f"{twice[0]} is given twice, once in sampling")
    values = {f.name: getattr(base, f.name) for f in fields(base)}
    checked = {n: _checked(n, v) for n, v in values.items() if v is not None}
    sampling = merge(replace(base, **checked), Sampling(**single))
    try:
        canonical(sampling.sent())
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"sampling holds what JSON cannot: {error}") from None
    return sampling


_CALLED = {option_of(name): argument_of(name) for name in SETTINGS}
_PRICE = re.compile(r'(--price IN,OUT or )?\[prices\.("[^"]+")\] in bench\.toml')
_SPOKEN = re.compile(
    r"(?P<command>\bbench [a-z][^;,()]*)"  # to be typed as it stands
    r"|(?<![\w'\"-])--(?P<no>no-)?(?P<name>[a-z][a-z0-9-]*)(?: (?P<value>[A-Z]+)\b)?"
)


def python_words(message: str) -> str:
    """A message with arguments for options: ``max_tokens`` for ``--max-tokens``."""
    priced = _PRICE.sub(r'prices={\2: {"input": ..., "output": ...}}', message)
    return _SPOKEN.sub(_argument, priced)


def _argument(match: re.Match[str]) -> str:
    if match["command"]:
        return match[0]
    name = match["name"].replace("-", "_")
    name = _CALLED.get(name, name)
    value = "False" if match["no"] else "True" if _FORMS.get(name) == "switch" else match["value"]
    return f"{name}={value}" if value else name


@contextlib.contextmanager
def in_python_words() -> Iterator[None]:
    """Have errors of the block name settings as arguments, not as options."""
    try:
        yield
    except BenchError as error:
        error.args = (python_words(str(error)),)
        raise


PathLike = str | os.PathLike[str]


class RunArguments(TypedDict, total=False):
    """What a run may be given; ``None`` stands for the default."""

    model: str
    judge: str | Iterable[str] | None
    panel: str | None
    quorum: int | None
    exclude_kin: bool
    overlap: float | None
    dataset: PathLike | None
    options: Mapping[str, Any] | None
    base_url: str | None
    judge_base_url: str | Mapping[str, str] | None
    api_key_env: str | None
    judge_api_key_env: str | Mapping[str, str] | None
    roles: Mapping[str, str] | None
    role_base_url: Mapping[str, str] | None
    role_api_key_env: Mapping[str, str] | None
    role_max_tokens: int | Mapping[str, int] | None
    headers: Mapping[str, str] | None
    sampling: Sampling | None
    temperature: float | None
    top_p: float | None
    top_k: int | None
    min_p: float | None
    max_tokens: int | None
    reasoning_effort: str | None
    extra_body: Mapping[str, Any] | None
    seed: int | None
    system: str | None
    iterations: int
    limit: int | None
    items: Iterable[str]
    concurrency: int | None
    rpm: float | None
    tpm: float | None
    timeout: float
    max_retries: int
    max_reply: int | str
    transport: str
    max_cost: float | None
    prices: Mapping[str, Mapping[str, float]] | None
    name: str | None
    notes: Mapping[str, str] | None
    fresh: bool
    keep_going: bool
    demo: bool
    without: Iterable[str]
    runs_dir: PathLike


_HELP = {argument_of(name): python_words(one.help) for name, one in SETTINGS.items()} | {
    "model": "PROVIDER/NAME, such as openai/gpt-4.1 (default: demo/medium).",
    "base_url": "Address of the model, usually ending in /v1.",
    "headers": "HTTP headers for it by name; never stored.",
    "judge_base_url": "Address of all judges, or addresses by judge.",
    "judge_api_key_env": "The variable that holds their key, or variables by judge.",
    "roles": "Who plays roles of the benchmark, such as {'user': 'openai/gpt-4.1'}.",
    "role_base_url": "Their addresses, likewise.",
    "role_api_key_env": "The variables that hold their keys, likewise.",
    "prices": "Dollars per million tokens, {'openai/x': {'input': 2, 'output': 8}}.",
    "notes": "Kept with the run, such as {'quantisation': '8bit'}.",
    "without": "Names of models that this one is not compared with.",
    "options": "The benchmark's own options by name.",
    "sampling": "How replies are drawn, in place of single arguments.",
}
"""What each is for, put otherwise where Python takes something else than the command line."""
_DEFAULTS = {
    argument_of(f.name): f.default
    for f in fields(RunSettings)
    if f.name in SETTINGS and f.default not in ((), MISSING)
}


def refuse_unknown(called: str, names: Iterable[str]) -> None:
    """Refuse an argument that there is not, as Python does."""
    if unknown := next((name for name in names if name not in _HELP), None):
        message = f"{called}() got an unexpected keyword argument {unknown!r}"
        raise TypeError(message + nearest(unknown, _HELP))


def takes_settings(function: Callable[..., Any]) -> Signature:
    """The signature of a function whose ``**settings`` are these arguments, each by its name."""
    plain = signature(function)
    types = RunArguments.__annotations__
    named = [
        Parameter(n, Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(n), annotation=types.get(n, Any))
        for n in _HELP
    ]
    kept = [p for p in plain.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    return plain.replace(parameters=[*kept, *named])


def described(text: str) -> str:
    """A docstring with a line for each argument in place of ``**settings``."""
    line = "        **settings: How it is run.\n"
    lines = (f"        {name}: {text}\n" for name, text in _HELP.items())
    return text.replace(line, "".join(lines))
