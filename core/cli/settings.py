"""``bench.toml`` on the command line: its values are the defaults of options.

Precedence is option, environment, file, default. A file that sends a key to a
host does so only once the user has approved that, so the variables of keys are
no defaults of options: only what looks for endpoints reads them.

Here too is how the texts of options and of variables are read: types of click, ``K=V``, JSON.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from ..benchmark import Option
from ..clients.families import stated
from ..errors import ConfigError, UsageError
from ..parties.secrets import shown_header
from ..plugins import installed
from ..reading.files import read_text
from ..reading.formats import without_repeats
from ..reading.names import nearest
from ..settings.file import FILE, SettingsFile, check_names, read_settings
from ..settings.rules import KEY_VARIABLES, VariableRule
from ..settings.run_settings import SETTINGS, SystemPrompt, flag_of, option_of
from ..settings.set_options import as_texts
from ..settings.tables import Suite, check_value
from ..types import JsonDict, JsonObject
from ..types.rules import NumberRule, Rule, SwitchRule, TextRule, UnfitValue, UnsettableRule


class RuleType(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """A value held to a rule."""

    def __init__(self, rule: Rule) -> None:
        self.rule, plain = rule, _plain(rule)
        whole = isinstance(plain, NumberRule) and plain.whole
        self.name = "integer" if whole else "float" if isinstance(plain, NumberRule) else "value"

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


class FileKey(click.Option):
    """A setting of bench.toml and of a variable, which no command has an option for."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Nothing: it cannot be typed."""

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """What messages call it."""
        return flag_of(str(self.name))


def _plain(rule: Rule) -> Rule:
    """What a rule wants of a value that is one."""
    return rule.rule if isinstance(rule, UnsettableRule) else rule


class NumberType(RuleType, click.FloatRange):
    """A number; the help shows its range."""

    def __init__(self, rule: Rule, number: NumberRule) -> None:
        click.FloatRange.__init__(self, number.low, number.high, min_open=number.above)
        RuleType.__init__(self, rule)
        self.name += " range"


def click_type(rule: Rule) -> click.ParamType:  # type: ignore[type-arg]  # likewise
    """What click makes of an option that is held to a rule."""
    plain = _plain(rule)
    if isinstance(plain, NumberRule) and (plain.low, plain.high) != (None, None):
        return NumberType(rule, plain)
    if isinstance(plain, TextRule):
        rule = plain
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
    )


def env_name(option: str) -> str:
    """The environment variable of a setting."""
    return "BENCH_" + option.replace("-", "_").upper()


HEADERS = flag_of("headers")


def pairs(texts: tuple[str, ...], name: str) -> dict[str, str]:
    """``K=V`` texts as a mapping.

    Raises:
        UsageError: A text has no ``=``, or a key stands twice.
    """
    values: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key = key.strip()
        if not (equals and key):
            may_be_secret = name in (HEADERS, "--role-base-url", "--role-api-key-env")
            shown = text[:4] + "…" if may_be_secret and len(text) > 4 else text
            raise UsageError(f"{name} {shown!r} is not of the form K=V")
        if key in values:
            twice = shown_header(key) if name == HEADERS else key
            raise UsageError(f"{name} {twice} is given twice")
        values[key] = value
    return values


def role_specs(texts: tuple[str, ...]) -> dict[str, str | tuple[str, ...]]:
    """``ROLE=SPEC`` texts as a mapping; what stands twice has all of its specs.

    Raises:
        UsageError: A text has no ``=``.
    """
    specs: dict[str, str | tuple[str, ...]] = {}
    for text in texts:
        for role, spec in pairs((text,), "--role").items():
            known = specs.get(role, ())
            specs[role] = (*((known,) if isinstance(known, str) else known), spec)
    return {role: known[0] if len(known) == 1 else known for role, known in specs.items()}


class WholeText(click.types.StringParamType):
    """A text that may be repeated, of which a variable has one, blanks and all."""

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        """The text alone."""
        return [rv]


def read_systems(texts: Sequence[str]) -> tuple[SystemPrompt, ...]:
    """The system prompts, each from a file when it is ``@FILE``, whose name then is its label.

    Raises:
        UsageError: A file cannot be read, or a prompt or a label stands twice.
    """
    prompts: list[SystemPrompt] = []
    for n, text in enumerate(texts, 1):
        label = Path(text[1:]).stem if text.startswith("@") else f"system {n}"
        one = SystemPrompt(_read_system(text) or None, label)
        if any(one.text == other.text or one.label == other.label for other in prompts):
            raise UsageError(f"--system {text:.40} is given twice, or two files of one name")
        prompts.append(one)
    return tuple(prompts)


def _read_system(text: str) -> str:
    if not text.startswith("@"):
        return text
    try:
        return read_text(Path(text[1:]), 2**20)
    except OSError as error:
        raise UsageError(f"--system {text}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--system {text}: not UTF-8 text") from None


def json_object(text: str | None, name: str) -> JsonObject | None:
    """A JSON object given as an option.

    Raises:
        UsageError: It is not one, has a key twice, or holds NaN.
    """
    if text is None:
        return None
    try:
        value = json.loads(text, object_pairs_hook=without_repeats, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{name} must be a JSON object")
    return value


def object_or_none(text: str | None, name: str) -> JsonObject | str | None:
    """The same, or the word none, for a field that is not sent."""
    return text if text == "none" else json_object(text, name)


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


SUITE = "eibench.suite"
"""Where a context keeps the suite that is named."""
F = TypeVar("F", bound=Callable[..., object])
_META = "eibench.settings"


def filed_options(command: click.Command) -> list[click.Option]:
    """The options of a command that bench.toml may set, without a benchmark's own."""
    options = (param for param in command.params if isinstance(param, click.Option))
    return [p for p in options if p.name in SETTINGS and SETTINGS[p.name].in_file]


def load(ctx: click.Context, param: click.Parameter, value: str | None) -> Path | None:
    """Make a file's values the defaults of a command; the callback of ``--config``."""
    settings = find_settings(value)
    if suite := ctx.meta.get(SUITE):
        settings = replace(settings, run={**settings.run, **suite.run})
    ctx.meta[_META] = settings
    stated.set(settings.families)
    values = defaults(settings, ctx.command.get_params(ctx))
    ctx.default_map = {name: values[name] for name in values.keys() - KEY_VARIABLES}
    return settings.path


def find_suite(settings: SettingsFile, name: str) -> Suite:
    """The suite of that name.

    Raises:
        ConfigError: The file has none.
    """
    if name in settings.suites:
        return settings.suites[name]
    if settings.path is None:
        raise ConfigError(f"--suite {name} needs a {FILE} here, or --config FILE")
    near = nearest(name, settings.suites) or f"; it has {', '.join(settings.suites) or 'none'}"
    raise ConfigError(f"{settings.path}: there is no suite {name!r}{near}")


def find_settings(named: str | None) -> SettingsFile:
    """The settings of a named file, else of the working directory's, else none."""
    path = Path(named) if named else Path(FILE)
    if not (named or path.is_file()):
        return SettingsFile()
    settings = read_settings(path)
    names: set[str] = set()
    if settings.run or any(suite.run for suite in settings.suites.values()):
        names = {option.name for b in installed().benchmarks for option in b.options}
        names |= {option_of(name) for name, one in SETTINGS.items() if one.in_file}
    check_names(settings, names)
    return settings


def current(ctx: click.Context | None = None) -> SettingsFile:
    """The settings of the command that is running."""
    meta: Mapping[str, SettingsFile] = (ctx or click.get_current_context()).meta
    return meta.get(_META, SettingsFile())


def given_by_user(name: str) -> bool:
    """Whether an option was given with the command or by its variable, and not by a file."""
    source = click.get_current_context().get_parameter_source(name)
    return source in (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def defaults(settings: SettingsFile, params: Iterable[click.Parameter]) -> JsonDict:
    """The file's values for those of the options that it sets, by parameter name.

    Raises:
        ConfigError: A value is not what its option takes.
    """
    here = {setting_name(p): p for p in params if isinstance(p, click.Option)}
    return {
        str(here[name].name): _checked(settings.path, here[name], value)
        for name, value in settings.run.items()
        if name in here
    }


def setting_name(param: click.Option) -> str:
    """What an option is called in the file: its long name, with underscores."""
    return param.opts[0].lstrip("-").replace("-", "_")


def _checked(path: Path | None, param: click.Option, value: object) -> Any:
    """A TOML value as the command line would give it: lists and tables as repeated options."""
    name = setting_name(param)
    rule = VariableRule() if name in KEY_VARIABLES else rule_of(param)
    more = ", or a list of such" if param.multiple else ""
    plain = _as_given(name, param, value)
    for one in plain if isinstance(plain, list) and param.multiple else [plain]:
        check_value(f"{path}: [run]", name, one, rule, more)
    return plain


def _as_given(name: str, param: click.Option, value: object) -> object:
    if isinstance(value, Mapping) and name == "extra_body":
        return json.dumps(value, default=str)
    if isinstance(value, Mapping) and name == "judge_set":
        return list(as_texts(name, value))
    if isinstance(value, Mapping) and param.multiple:
        return [f"{k}={v}" for k, v in value.items()]
    if isinstance(value, list) and name == "items":
        return ",".join(map(str, value))
    return [value] if param.multiple and isinstance(value, str) else value


config_option = click.option(
    "--config",
    type=click.Path(dir_okay=False),
    is_eager=True,
    expose_value=False,
    callback=load,
    metavar="FILE",
    help=f"Settings file (default: {FILE} in the working directory, if it is there).",
)
"""Read before all other options."""


def own_settings() -> list[tuple[str, click.Option]]:
    """The own options of every benchmark, with the benchmark's name."""
    return [(b.name, as_click_option(o)) for b in installed().benchmarks for o in b.options]
