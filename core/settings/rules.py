"""What each setting of a run may be, by the name that it has in Python and in bench.toml.

Options of the command line take their types from here, so that a value is held to one rule
wherever it comes from.
"""

from collections.abc import Mapping
from typing import Any

from ..benchmark import Benchmark, Option
from ..benchmark.options import option_words
from ..errors import UsageError
from ..guard import guard
from ..parties.secrets import is_variable_name
from ..types.rules import Rule, UnfitValue
from .run_settings import SETTINGS, option_of

KEY_VARIABLES = frozenset(name for name, one in SETTINGS.items() if one.names_key)
"""Settings that name a key's variable."""
MAY_HOLD_KEYS = frozenset(
    called
    for name, one in SETTINGS.items()
    if one.may_hold_key or one.names_key
    for called in (name, option_of(name))
)
"""Settings in which somebody may put a key, so that messages do not show them."""
RULES: Mapping[str, Rule] = {option_of(n): one.rule for n, one in SETTINGS.items() if one.rule}
"""By the name of the option, with underscores."""


class VariableRule:
    """The name of an environment variable; what is none may be a key, so it is not repeated."""

    words = "the NAME of a variable, such as MY_API_KEY"

    def check(self, value: object) -> str:
        """The name."""
        if not (isinstance(value, str) and is_variable_name(value)):
            raise UnfitValue(self.words)
        return value

    def read(self, text: str) -> str:
        """The same, of a text."""
        return self.check(text)


def fitting(name: str, rule: Rule, value: Any, *, is_text: bool = False) -> Any:
    """A value as it is used, or, if it `is_text`, the one that a text stands for.

    Raises:
        UsageError: It is not what the rule wants.
    """
    try:
        return rule.read(value) if is_text else rule.check(value)
    except UnfitValue as error:
        shown = "" if name in MAY_HOLD_KEYS else f", not {value!r:.40}"
        raise UsageError(f"{name} must be {error}{shown}") from None


def own_options(benchmark: Benchmark, options: Mapping[str, object]) -> dict[str, Any]:
    """The values of a benchmark's own options: those that are given, else the defaults.

    Raises:
        UsageError: There is no such option, or it cannot have that value.
    """
    names = [option.name for option in benchmark.options]
    if odd := next((name for name in options if name not in names), None):
        known = ", ".join(names) or "none"
        raise UsageError(f"{benchmark.name} has no option {odd!r}; there are: {known}")
    return {option.name: _value_of(option, options) for option in benchmark.options}


def comparing_words(benchmark: Benchmark) -> list[str] | None:
    """What is typed to have models compared, such as ``["--elo"]``; nothing by default.

    ``None`` for a benchmark that compares none.
    """
    plugin, defaults = guard(benchmark), own_options(benchmark, {})
    if plugin.compares(defaults):
        return []
    switches = (option.name for option in benchmark.options if option.default is False)
    turning_on = (name for name in switches if plugin.compares({**defaults, name: True}))
    return next((option_words(name, True) for name in turning_on), None)


def _value_of(option: Option, options: Mapping[str, object]) -> Any:
    """That which is given, else the default; ``None`` is that where the default is."""
    if options.get(option.name, option.default) is option.default is None:
        return None
    if option.name not in options:
        return option.default
    return fitting(option.name, option.rule, options[option.name])
