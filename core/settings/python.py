"""Settings from the arguments of a Python function, and messages in Python's words.

Numbers come out as the command line has them, so that both mean the same run: a temperature
of 1 is 1.0.
"""

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..benchmark import Benchmark
from ..errors import BenchError, PluginError, UsageError
from ..plugins import installed
from ..spending.book import read_prices
from ..types import SAMPLING, Sampling, SamplingChanges, canonical
from .rules import RULES, fitting
from .run_settings import (
    SETTINGS,
    RunSettings,
    SettingSource,
    SystemPrompt,
    argument_of,
    option_of,
)
from .set_options import as_texts

_OF_JUDGES = ("judge", "judge_base_url", "judge_api_key_env")
_ONE_OR_MORE = ("base_url", *_OF_JUDGES)
_FORMS = {argument_of(name): one.form for name, one in SETTINGS.items()}
_SETTINGS = frozenset(field.name for field in fields(RunSettings))


def find_benchmark(benchmark: str | Path | Benchmark) -> Benchmark:
    """The benchmark of that name, or at that path, or the one that is given.

    Raises:
        UsageError: There is none of that name.
        DataError: The file is broken.
        PluginError: It is no benchmark.
    """
    catalogue = installed()
    if isinstance(benchmark, Path):
        benchmark = str(benchmark)
    if isinstance(benchmark, str):
        return catalogue.benchmark(benchmark)
    if wrong := catalogue.benchmarks.check(benchmark):
        raise PluginError(f"{benchmark!r} is no benchmark: {wrong}")
    return benchmark


def from_python(arguments: Mapping[str, object]) -> RunSettings:
    """Settings from arguments by name; ``None`` stands for the default.

    Raises:
        UsageError: One is not what its rule wants, or is given in two ways.
    """
    values = {name: _checked(name, v) for name, v in arguments.items() if v is not None}
    single = {name: values[name] for name in SAMPLING.keys() & values.keys()}
    fields = {name: values[name] for name in _SETTINGS & values.keys()}
    changes = _sampling(values.get("sampling"), single)
    names = [*fields.get("options", {}), *(name for name, value in fields.items() if value)]
    names += ["judge"] if "judge" in values else []
    return RunSettings(
        **{
            **fields,
            "models": (values["model"],) if "model" in values else (),
            "judges": values.get("judge", ()),
            "systems": (SystemPrompt(values["system"]),) if values.get("system") else (),
            "sampling": changes.values,
            "unset": changes.unset,
            "sources": dict.fromkeys([*names, "model"], SettingSource.GIVEN),
        }
    )


def _checked(name: str, value: Any) -> Any:
    if name in _ONE_OR_MORE:
        return _of_judges(name, value)
    if name in ("judge_set", "role_set"):
        return as_texts(name, value)
    if name in RULES:
        return fitting(name, RULES[name], os.fspath(value) if name == "dataset" else value)
    if name == "roles" and isinstance(value, Mapping):
        several = {n: v for n, v in value.items() if isinstance(v, list | tuple)}
        one_each = {n: v for n, v in value.items() if n not in several}
        return _texts_by_name(name, one_each) | {n: _texts(name, v) for n, v in several.items()}
    if _FORMS.get(name) in ("list", "ids"):
        return _texts(name, value)
    if _FORMS.get(name) == "pairs":
        return _texts_by_name(name, value)
    if name == "prices":
        return read_prices(value, "eibench.run")
    return Path(value) if name == "runs_dir" else value


def _of_judges(name: str, value: object) -> tuple[str, ...]:
    """A text, several of them, or texts by judge."""
    if isinstance(value, Mapping) and name in _OF_JUDGES[1:]:
        return tuple(f"{judge}={text}" for judge, text in _texts_by_name(name, value).items())
    texts = [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
    return tuple(fitting(name, RULES[name], one) for one in texts)


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


def _sampling(whole: Sampling | None, single: Mapping[str, Any]) -> SamplingChanges:
    """What changes how replies are drawn, from a `Sampling` and from single arguments."""
    base = whole or Sampling()
    if twice := [name for name in base.sent() if name in single]:
        raise UsageError(f"{twice[0]} is given twice, once in sampling")
    checked = {name: _checked(name, value) for name, value in base.sent().items()}
    changes = SamplingChanges.of({**checked, **single})
    try:
        canonical(changes.values.sent())
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"sampling holds what JSON cannot: {error}") from None
    return changes


_CALLED = {option_of(name): argument_of(name) for name in SETTINGS}
_PRICE = re.compile(r'(--price IN,OUT or )?\[prices\.("[^"]+")\] in bench\.toml')
_SPOKEN = re.compile(
    r"(?P<command>\bbench [a-z][^;,()]*)"  # to be typed as it stands
    r"|\[run\] (?P<key>[a-z_]+)(?: in bench\.toml)?"
    r"|(?<![\w'\"-])--(?P<no>no-)?(?P<name>[a-z][a-z0-9-]*)(?: (?P<value>[A-Z]+)\b)?"
)


def python_words(message: str) -> str:
    """A message with arguments for options: ``max_tokens`` for ``--max-tokens``."""
    priced = _PRICE.sub(r'prices={\2: {"input": ..., "output": ...}}', message)
    return _SPOKEN.sub(_argument, priced)


def _argument(match: re.Match[str]) -> str:
    if match["command"]:
        return match[0]
    if match["key"]:
        return match["key"]
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
