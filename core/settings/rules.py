"""What each setting of a run may be, by the name that it has in Python and in bench.toml.

Options of the command line take their types from here, so that a value is held to one rule
wherever it comes from.
"""

from collections.abc import Mapping
from typing import Any

from ..benchmark import Benchmark
from ..endpoints.providers import TRANSPORTS
from ..endpoints.secrets import is_variable_name
from ..errors import UsageError
from ..rules import NumberRule, Rule, TextRule, UnfitValue
from ..sizes import SizeRule
from ..spending.budget import MOST

KEY_VARIABLES = frozenset({"api_key_env", "judge_api_key_env"})
"""Settings that name a key's variable."""
MAY_HOLD_KEYS = KEY_VARIABLES | {"base_url", "extra_body", "header", "headers", "judge_base_url"}
"""Settings in which somebody may put a key, so that messages do not show them."""
COUNT = NumberRule(1, whole=True)
_SHARE = NumberRule(0, 1)
_ABOVE_ZERO = NumberRule(0, above=True)
_TEXT = TextRule()
RULES: Mapping[str, Rule] = {
    "model": _TEXT,
    "base_url": _TEXT,
    "api_key_env": _TEXT,
    "judge": _TEXT,
    "judge_base_url": _TEXT,
    "judge_api_key_env": _TEXT,
    "dataset": _TEXT,
    "iterations": NumberRule(1, 100_000, whole=True),
    "limit": COUNT,
    "temperature": NumberRule(0),
    "top_p": _SHARE,
    "min_p": _SHARE,
    "max_tokens": NumberRule(1, 10**12, whole=True),
    "reasoning_effort": _TEXT,
    "system": _TEXT,
    "seed": NumberRule(whole=True),
    "concurrency": COUNT,
    "rpm": _ABOVE_ZERO,
    "tpm": _ABOVE_ZERO,
    "timeout": _ABOVE_ZERO,
    "max_retries": NumberRule(0, whole=True),
    "max_reply": SizeRule(),
    "transport": TextRule(TRANSPORTS),
    "max_cost": NumberRule(0, MOST),
    "name": _TEXT,
}


class VariableRule:
    """The name of an environment variable; what is none may be a key, so it is not repeated."""

    words = "the NAME of a variable, such as MY_API_KEY"

    def check(self, value: Any) -> str:
        """The name."""
        if not (isinstance(value, str) and is_variable_name(value)):
            raise UnfitValue(self.words)
        return value

    read = check


def fitting(name: str, rule: Rule, value: Any) -> Any:
    """A value of Python as it is used.

    Raises:
        UsageError: It is not what the rule wants.
    """
    try:
        return rule.check(value)
    except UnfitValue as error:
        shown = "" if name in MAY_HOLD_KEYS else f", not {value!r:.40}"
        raise UsageError(f"{name} must be {error}{shown}") from None


def fitting_text(name: str, rule: Rule, text: str) -> Any:
    """Likewise, of a text.

    Raises:
        UsageError: It is not what the rule wants.
    """
    try:
        return rule.read(text)
    except UnfitValue as error:
        raise UsageError(f"{name} must be {error}, not {text!r:.40}") from None


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
    made = {name: fitting(name, known[name].rule, value) for name, value in given.items()}
    return {name: made.get(name, option.default) for name, option in known.items()}
