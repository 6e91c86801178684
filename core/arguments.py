"""What Python code passes in, checked as the command line checks its options.

Numbers come out as the command line has them, so that both mean the same run:
a temperature of 1 is 1.0. Messages name options, ``--max-tokens`` for ``max_tokens``.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import inf
from numbers import Integral, Real
from sys import float_info
from typing import Any, TypeVar

from .benchmark import Benchmark, Option
from .clients.caller import Limits
from .clients.demo import JUDGE
from .clients.extra_body import check_extra_body
from .clients.retry import RetryPolicy
from .endpoints.parties import OF_JUDGE, OF_MODEL, PartyOptions
from .endpoints.providers import TRANSPORTS, ModelSpec, Transfer, check_base_url
from .errors import PluginError, UsageError
from .guard import guard
from .plugins import installed
from .settings.run_config import Endpoint, merge
from .sizes import parse_size
from .spending.budget import MOST
from .types import Sampling, canonical

R = TypeVar("R")


def find_benchmark(benchmark: str | Benchmark) -> Benchmark:
    """The benchmark of that name, or the one that is given.

    Raises:
        UsageError: There is none of that name.
        PluginError: It is no benchmark.
    """
    catalogue = installed()
    if isinstance(benchmark, str):
        return catalogue.benchmark(benchmark)
    if wrong := catalogue.benchmarks.check(benchmark):
        raise PluginError(f"{benchmark!r} is no benchmark: {wrong}")
    return benchmark


def own_options(benchmark: Benchmark, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a benchmark's own options: those that are given, else the defaults.

    Raises:
        UsageError: There is no such option, or it cannot have that value.
    """
    known = {option.name: option for option in benchmark.options}
    for name in given:
        if name not in known:
            there = ", ".join(known) or "none"
            raise UsageError(f"{benchmark.name} has no option {name!r}; there are: {there}")
    made = {name: _option(known[name], value) for name, value in given.items()}
    return {option.name: made.get(option.name, option.default) for option in benchmark.options}


def _option(option: Option, value: Any) -> Any:
    kind: type = str if option.default is None else type(option.default)
    number = not isinstance(value, bool) and isinstance(value, Real)
    if number and kind in (int, float) and not option.allows(value):
        raise UsageError(f"{option.name} must be {option.range}, not {value!r:.40}")
    if kind is float and number:
        return float(value)
    if not isinstance(value, kind) or (kind is int and not number):
        raise UsageError(f"{option.name} cannot be {value!r}; its default is {option.default!r}")
    if option.choices and value not in option.choices:
        raise UsageError(f"{option.name} is one of {', '.join(option.choices)}, not {value!r}")
    return value


def endpoint(
    spec: ModelSpec,
    base_url: str | None = None,
    key_env: str | None = None,
    headers: Mapping[str, str] | None = None,
    *,
    party: PartyOptions = OF_MODEL,
) -> Endpoint:
    """A model's endpoint.

    Args:
        spec: The model.
        base_url: Its address, if not the provider's own.
        key_env: The variable that holds its key.
        headers: Extra HTTP headers.
        party: Whether it is the model's or the judge's, for messages.

    Raises:
        UsageError: A model in this process is given an address, a key or headers.
    """
    given = {party.base_url: base_url, party.api_key_env: key_env, "--header": headers}
    if installed().provider(spec.provider).demo:
        for name in (name for name, value in given.items() if value):
            raise UsageError(
                f"{name} does not go with {spec}, which is no server's; "
                "name a real model, such as openai/NAME"
            )
    where = None if base_url is None else check_base_url(base_url, party)
    return Endpoint(spec, where, key_env, texts("header", headers))


def fitting_judge(
    benchmark: Benchmark, options: Mapping[str, Any], model: ModelSpec, judge: Endpoint | None
) -> Endpoint | None:
    """The judge that a run will have.

    None where the options leave a judged benchmark nothing to judge; the demo judge for a
    demo model where no other is named; else the one that is named.
    """
    if benchmark.judged and not guard(benchmark).needs_judge(options):
        return None
    if judge is None and benchmark.judged and installed().provider(model.provider).demo:
        return Endpoint(ModelSpec("demo", JUDGE))
    return judge


PANELS = "panels of judges are not there yet"


def judge_spec(text: Any) -> ModelSpec:
    """The one judge that a text names.

    Raises:
        UsageError: It names several, or none.
    """
    if not isinstance(text, str):
        raise UsageError(f"--judge must be one text, not {text!r:.60}; {PANELS}")
    names = re.split(r"[\s,]+", text.strip())
    if len(names) > 1 and all(0 < name.find("/") < len(name) - 1 for name in names):
        raise UsageError(f"--judge names {len(names)} judges; {PANELS}: name one")
    return ModelSpec.parse(text)


def judge_endpoint(judge: str | None, base_url: str | None, key_env: str | None) -> Endpoint | None:
    """The judge's endpoint, if there is a judge.

    Raises:
        UsageError: There is none, but an address or a key for it.
    """
    if judge is None:
        for name, value in (("base-url", base_url), ("api-key-env", key_env)):
            if value:
                raise UsageError(f"--judge-{name} needs --judge SPEC")
        return None
    return endpoint(judge_spec(judge), base_url, key_env, party=OF_JUDGE)


def sampling(whole_one: Sampling | None, single: Sampling) -> Sampling:
    """The user's changes to how replies are drawn, from a `Sampling` and from keywords.

    Raises:
        UsageError: A value is out of range, or given both ways.
    """
    base = whole_one or Sampling()
    if twice := [name for name in base.sent() if name in single.sent()]:
        raise UsageError(f"{_flag(twice[0])} is given twice, once in sampling")
    made = merge(base, single)
    checked = replace(
        made,
        temperature=given(number, "temperature", made.temperature),
        top_p=given(share, "top_p", made.top_p),
        min_p=given(share, "min_p", made.min_p),
        max_tokens=given(_tokens, "max_tokens", made.max_tokens),
        seed=None if made.seed is None else whole("seed", made.seed, least=None),
    )
    try:
        canonical(checked.sent())
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"sampling holds what JSON cannot: {error}") from None
    check_extra_body(checked.extra_body or {}, replace(checked, extra_body=None).sent())
    return checked


def limits(
    concurrency: int, rpm: float | None, tpm: float | None, timeout: float, max_retries: int
) -> Limits:
    """How fast requests may go, and how long a call may take.

    Raises:
        UsageError: A value is out of range.
    """
    return Limits(
        whole("concurrency", concurrency),
        given(positive, "rpm", rpm),
        given(positive, "tpm", tpm),
        positive("timeout", timeout),
        RetryPolicy(attempts=1 + whole("max_retries", max_retries, least=0)),
    )


def transfer(transport: str, max_reply: int | str) -> Transfer:
    """How requests are carried, and how much of a reply is read.

    Raises:
        UsageError: There is no such transport, or that is no size.
    """
    if transport not in TRANSPORTS:
        raise UsageError(f"--transport is one of {', '.join(TRANSPORTS)}, not {transport!r}")
    if isinstance(max_reply, str):
        return Transfer(transport, parse_size(max_reply))
    return Transfer(transport, whole("max_reply", max_reply))


def item_ids(items: Iterable[str], limit: int | None) -> tuple[str, ...]:
    """The ids of the items that are wanted; none stands for all.

    Raises:
        UsageError: One stands twice, there is a limit too, or it is one text.
    """
    if isinstance(items, str):
        raise UsageError(f"--items must be a list of ids, such as [{items!r}]")
    ids = tuple(str(item) for item in items)
    if ids and limit is not None:
        raise UsageError("--items and --limit contradict each other; use one of them")
    if twice := next((i for i in ids if ids.count(i) > 1), None):
        raise UsageError(f"--items names {twice} twice")
    return ids


def names(option: str, given: Iterable[str]) -> tuple[str, ...]:
    """Names of models.

    Raises:
        UsageError: It is one text.
    """
    if isinstance(given, str):
        raise UsageError(f"--{option} must be a list of names, such as [{given!r}]")
    return tuple(str(one) for one in given)


def name(text: str | None) -> str | None:
    """A model's name, if it is given.

    Raises:
        UsageError: It is blank.
    """
    if text is not None and not text.strip():
        raise UsageError("--name must not be blank")
    return text


def texts(option: str, values: Mapping[Any, Any] | None) -> dict[str, str]:
    """Texts by name.

    Raises:
        UsageError: One is no text; it may be a secret, so the message does not show it.
    """
    if values is not None and not isinstance(values, Mapping):
        raise UsageError(f"{_flag(option)} must be a mapping of texts")
    for key, value in (values or {}).items():
        if not (isinstance(key, str) and isinstance(value, str)):
            raise UsageError(f"{_flag(option)} {key}: must be a text")
    return dict(values or {})


def given(check: Callable[[str, Any], R], option: str, value: Any) -> R | None:
    """The checked value, if there is one."""
    return None if value is None else check(option, value)


MOST_TOKENS = 10**12
MOST_ITERATIONS = 100_000


def whole(option: str, value: Any, least: int | None = 1, most: float = inf) -> int:
    """A whole number from `least` to `most`; any if there is no `least`.

    Raises:
        UsageError: It is none.
    """
    fits = not isinstance(value, bool) and isinstance(value, Integral)
    if not fits or (least is not None and not least <= value <= most):
        within = "" if least is None else f" from {least}"
        within += "" if most == inf else f" to {most:,.15g}"
        raise UsageError(f"{_flag(option)} must be a whole number{within}, not {value!r:.40}")
    return int(value)


def _tokens(option: str, value: Any) -> int:
    return whole(option, value, most=MOST_TOKENS)


def number(option: str, value: Any, most: float = inf) -> float:
    """A number from 0 to `most`.

    Raises:
        UsageError: It is none.
    """
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    # A whole number may be beyond what a float can hold.
    if not is_number or not 0 <= value <= min(most, float_info.max):
        to = "on" if most == inf else f"to {most:,.15g}"
        raise UsageError(f"{_flag(option)} must be a number from 0 {to}, not {value!r:.40}")
    return float(value)


def share(option: str, value: Any) -> float:
    """A number from 0 to 1, or `UsageError`."""
    return number(option, value, most=1)


def dollars(option: str, value: Any) -> float:
    """An amount that can be a limit, or `UsageError`."""
    return number(option, value, most=MOST)


def positive(option: str, value: Any) -> float:
    """A number above 0, or `UsageError`."""
    if number(option, value) == 0:
        raise UsageError(f"{_flag(option)} must be above 0")
    return float(value)


def _flag(option: str) -> str:
    return "--" + option.replace("_", "-")
