"""From the texts of options to their values."""

import json
from pathlib import Path
from typing import Any

import click

from ..benchmark import Option
from ..errors import UsageError
from ..parties.secrets import shown_header
from ..reading.files import read_text
from ..settings.rules import RULES, VariableRule, fitting
from ..types import Json, JsonDict, JsonObject
from ..types.rules import NumberRule, Rule, SwitchRule, TextRule, UnfitValue

_LONGEST_SYSTEM = 2**20


class RuleType(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """A value held to a rule."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        whole = isinstance(rule, NumberRule) and rule.whole
        self.name = "integer" if whole else "float" if isinstance(rule, NumberRule) else "value"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """The value as it is used."""
        rule = self.rule
        try:
            return rule.read(value) if isinstance(value, str) else rule.check(value)
        except UnfitValue as error:
            shown = "what is given" if isinstance(rule, VariableRule) else repr(value)
            self.fail(f"{shown} is not {error}", param, ctx)


class NumberType(RuleType, click.FloatRange):
    """A number; the help shows its range."""

    def __init__(self, rule: NumberRule) -> None:
        click.FloatRange.__init__(self, rule.low, rule.high, min_open=rule.above)
        RuleType.__init__(self, rule)
        self.name += " range"


def click_type(rule: Rule) -> click.ParamType:  # type: ignore[type-arg]  # likewise
    """What click makes of an option that is held to a rule."""
    if isinstance(rule, NumberRule) and (rule.low, rule.high) != (None, None):
        return NumberType(rule)
    if isinstance(rule, TextRule):
        return click.Choice(rule.choices) if rule.choices else click.STRING
    return click.BOOL if isinstance(rule, SwitchRule) else RuleType(rule)


def rule_of(param: click.Option) -> Rule:
    """What an option's value is held to."""
    if isinstance(param.type, RuleType):
        return param.type.rule
    if param.is_flag:
        return SwitchRule()
    return TextRule(tuple(param.type.choices) if isinstance(param.type, click.Choice) else ())


def as_click_option(option: Option) -> click.Option:
    """A benchmark's option as the command line knows it."""
    dashed = option.name.replace("_", "-")
    switch = isinstance(option.default, bool)
    named = f"--{dashed}/--no-{dashed}" if switch else f"--{dashed}"
    return click.Option(
        [option.name, named],
        type=None if switch else click_type(option.rule),
        default=option.default,
        help=option.help,
        show_default=True,
        envvar=env_name(option.name),
        show_envvar=False,
    )


def env_name(option: str) -> str:
    """The environment variable of an option."""
    return "BENCH_" + option.replace("-", "_").upper()


def pairs(texts: tuple[str, ...], name: str) -> dict[str, str]:
    """``K=V`` texts as a mapping."""
    made: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (equals and key.strip()):
            raise UsageError(f"{name} {_shown(name, text)!r} is not of the form K=V")
        if key.strip() in made:
            twice = shown_header(key.strip()) if name == "--header" else key.strip()
            raise UsageError(f"{name} {twice} is given twice")
        made[key.strip()] = value
    return made


def role_numbers(texts: tuple[str, ...]) -> dict[str, int]:
    """``ROLE=N`` texts as a mapping; one without a role, which is for all, stands under ""."""
    name = "--role-max-tokens"
    made = pairs(tuple(text if "=" in text else f"*={text}" for text in texts), name)
    return {
        role.removeprefix("*"): fitting(name, RULES["max_tokens"], text, is_text=True)
        for role, text in made.items()
    }


def _shown(name: str, text: str) -> str:
    may_be_secret = name in ("--header", "--role-base-url", "--role-api-key-env")
    return text[:4] + "…" if may_be_secret and len(text) > 4 else text


def read_system(text: str | None) -> str | None:
    """The system prompt, from a file when it is ``@FILE``."""
    if text is None or not text.startswith("@"):
        return text
    try:
        return read_text(Path(text[1:]), _LONGEST_SYSTEM)
    except OSError as error:
        raise UsageError(f"--system {text}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--system {text}: not UTF-8 text") from None


def json_object(text: str | None, name: str) -> JsonObject | None:
    """A JSON object given as an option."""
    if text is None:
        return None
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{name} must be a JSON object")
    return value


def _once(pairs: list[tuple[str, Json]]) -> JsonDict:
    names = [name for name, _ in pairs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"the key {twice!r} stands twice")
    return dict(pairs)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


def item_list(text: str | None) -> tuple[str, ...]:
    """The ids in ``ID,ID``; none without a text."""
    if text is None:
        return ()
    ids = tuple(part.strip() for part in text.split(",") if part.strip())
    if not ids:
        raise UsageError("--items names no item")
    return ids
