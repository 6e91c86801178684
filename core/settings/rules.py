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
from ..panels import RULES as PANEL_RULES
from ..rules import NumberRule, Rule, SizeRule, TextRule, UnfitValue
from ..spending.budget import MOST
from ..types import SAMPLING

KEY_VARIABLES = frozenset({"api_key_env", "judge_api_key_env"})
"""Settings that name a key's variable."""
MAY_HOLD_KEYS = KEY_VARIABLES | {
    "base_url", "extra_body", "header", "headers", "judge_base_url", "role_api_key_env",
    "role_base_url",
}  # fmt: skip
"""Settings in which somebody may put a key, so that messages do not show them."""
_TEXTS = (
    "model", "base_url", "api_key_env", "judge", "judge_base_url", "judge_api_key_env", "dataset",
    "system", "name",
)  # fmt: skip
RULES: Mapping[str, Rule] = {
    **dict.fromkeys(_TEXTS, TextRule()),
    **dict.fromkeys(("limit", "concurrency"), NumberRule(1, whole=True)),
    **dict.fromkeys(("rpm", "tpm", "timeout"), NumberRule(0, above=True)),
    "panel": TextRule(PANEL_RULES),
    "quorum": NumberRule(1, whole=True),
    "overlap": NumberRule(0, 1),
    **{name: one.rule for name, one in SAMPLING.items() if name != "extra_body"},
    "iterations": NumberRule(1, 100_000, whole=True),
    "max_retries": NumberRule(0, whole=True),
    "max_reply": SizeRule(),
    "transport": TextRule(TRANSPORTS),
    "max_cost": NumberRule(0, MOST),
}


class VariableRule:
    """The name of an environment variable; what is none may be a key, so it is not repeated."""

    words = "the NAME of a variable, such as MY_API_KEY"

    def check(self, value: Any) -> str:
        """The name."""
        if not (isinstance(value, str) and is_variable_name(value)):
            raise UnfitValue(self.words)
        return value

    def read(self, text: str) -> str:
        """The same, of a text."""
        return self.check(text)


def fitting(name: str, rule: Rule, value: Any, *, is_text: bool = False) -> Any:
    """A value as it is used.

    Args:
        name: What messages call it.
        rule: What it must be.
        value: As it was given.
        is_text: It is a text that stands for the value; else it is the value.

    Raises:
        UsageError: It is not what the rule wants.
    """
    try:
        return rule.read(value) if is_text else rule.check(value)
    except UnfitValue as error:
        shown = "" if name in MAY_HOLD_KEYS else f", not {value!r:.40}"
        raise UsageError(f"{name} must be {error}{shown}") from None


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
    default = {name: option.default for name, option in known.items()}
    # Of an option whose default is None, None is the default and no text.
    chosen = {n: value for n, value in given.items() if (value, default[n]) != (None, None)}
    return default | {n: fitting(n, known[n].rule, value) for n, value in chosen.items()}
