"""The arguments of `eibench.run` as type checkers see them: settings by their names in Python.

What each means is declared at `RunSettings` and `Sampling`; a test holds the two together.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from inspect import Parameter, Signature, signature
from typing import Any, Literal, TypedDict

from ..reading.names import nearest
from ..types import Sampling
from .python import python_words
from .run_settings import SETTINGS, RunSettings, argument_of

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
    base_url: str | Sequence[str] | None
    completions: bool
    template: str | None
    checkpoint: str | None
    judge_base_url: str | Mapping[str, str] | None
    api_key_env: str | None
    judge_api_key_env: str | Mapping[str, str] | None
    judge_set: Mapping[str, Any] | None
    roles: Mapping[str, str | Sequence[str]] | None
    role_base_url: Mapping[str, str] | None
    role_api_key_env: Mapping[str, str] | None
    role_set: Mapping[str, Any] | None
    headers: Mapping[str, str] | None
    sampling: Sampling | None
    temperature: float | Literal["none"] | None
    top_p: float | Literal["none"] | None
    top_k: int | Literal["none"] | None
    min_p: float | Literal["none"] | None
    max_tokens: int | Literal["none"] | None
    reasoning_effort: str | None
    extra_body: Mapping[str, Any] | Literal["none"] | None
    seed: int | Literal["none"] | None
    system: str | None
    iterations: int | None
    limit: int | None
    items: Iterable[str]
    concurrency: int | None
    rpm: float | None
    tpm: float | None
    timeout: float
    max_retries: int
    max_reply: int | str
    batch: str | None
    no_wait: bool
    max_cost: float | None
    prices: Mapping[str, Mapping[str, float]] | None
    name: str | None
    notes: Mapping[str, str] | None
    fresh: bool
    keep_going: bool
    without: Iterable[str]
    against: str | None
    runs_dir: PathLike


_HELP = {
    argument_of(name): python_words(one.help) for name, one in SETTINGS.items() if one.in_python
} | {
    "system": "System prompt (default: none).",
    "model": "PROVIDER/NAME, such as openai/gpt-4.1 (default: demo/medium).",
    "base_url": "Address of the model, usually ending in /v1; of several servers a list.",
    "headers": "HTTP headers for it by name; never stored.",
    "judge_base_url": "Address of all judges, or addresses by judge.",
    "judge_api_key_env": "The variable that holds their key, or variables by judge.",
    "roles": "Who plays roles of the benchmark, such as {'user': 'openai/gpt-4.1'}.",
    "role_base_url": "Their addresses, likewise.",
    "role_api_key_env": "The variables that hold their keys, likewise.",
    "judge_set": "How judges are asked, {'temperature': 'none', 'max_tokens': 2000}; or of one, "
    "{'openai/x': {'reasoning_effort': 'low'}}. Other keys: top_p, top_k, min_p, seed, extra_body, "
    "system, schema.",
    "role_set": "How roles are asked, likewise: {'user': {'max_tokens': 300}}.",
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
    """Refuse an argument that there is not by `TypeError`, as Python does."""
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
