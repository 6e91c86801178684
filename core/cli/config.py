"""`bench config`: all settings with their values and where those came from, and approvals."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple, cast

import click
from click.core import ParameterSource

from .. import console
from ..clients.approvals import Approvals, Sending, normal
from ..errors import UsageError
from ..hooks.sections import Paragraph, Table
from ..parties.party_settings import PartySettings
from ..parties.secrets import (
    HIDDEN,
    is_variable_name,
    shown_address,
    shown_header,
    without_credentials,
)
from ..settings.file import FILE, SettingsFile
from ..settings.rules import KEY_VARIABLES, VariableRule
from ..settings.tables import EndpointSettings, Suite
from ..text import as_text, line
from ..types import Json, JsonDict, JsonObject
from . import options
from .command import command
from .run import run_command
from .settings import (
    RuleType,
    defaults,
    filed_options,
    find_settings,
    find_suite,
    json_object,
    own_settings,
    setting_name,
)

_ADDRESSES = {"base_url", "judge_base_url"}
_OF_JUDGES = {"judge_base_url", "judge_api_key_env"}
_PAIR = (str, RuleType(VariableRule()))


@command("config", "bench config --approve gpu.example:8443 GPU_API_KEY")
@click.option("--config", type=click.Path(dir_okay=False), metavar="FILE",
              help=f"Settings file (default: {FILE}).")  # fmt: skip
@click.option(
    "--suite",
    metavar="NAME",
    help="Also what [suite.NAME] of the file says, as bench run --suite NAME would.",
)
@click.option("--approve", type=_PAIR, metavar="HOST VAR",
              help="Let settings files send the key in VAR (NO_KEY: none) to HOST.")  # fmt: skip
@click.option("--revoke", type=_PAIR, metavar="HOST VAR", help="Take that back.")
@options.output_options
def config_command(
    config: str | None,
    suite: str | None,
    approve: tuple[str, str] | None,
    revoke: tuple[str, str] | None,
    json_output: bool,
) -> None:
    """Print each setting that is set, with its value and where that came from.

    Where: an environment variable, the settings file or a suite of it. With --details also those
    that have their default, with --json all.
    """
    if approve or revoke:
        _change(approve, revoke)
        return
    settings = find_settings(config)
    rows = list(_settings(settings, find_suite(settings, suite) if suite else None))
    others = _tables_of(settings)
    if json_output:
        click.echo(as_text({"settings": rows, **others}))
        return

    for table in _tables(rows, others):
        console.output.show(console.tables.part(table))


def _change(approve: tuple[str, str] | None, revoke: tuple[str, str] | None) -> None:
    """Store or take back an approval."""
    approvals = Approvals()
    if approve:
        sending = Sending(normal(approve[0]), approve[1])
        approvals.add(sending)
        message = f"settings files may send {sending.what} to {sending.place}"
        click.echo(line(f"{message} ({approvals.path})"), err=True)
    if revoke:
        sending = Sending(normal(revoke[0]), revoke[1])
        message = "taken back" if approvals.remove(sending) else "was not approved"
        click.echo(line(f"{sending.variable} to {sending.place}: {message}"), err=True)


class _Setting(NamedTuple):
    """One option as `bench run` would see it if it were not given."""

    name: str
    benchmark: str | None
    value: Json
    origin: str


def _tables_of(settings: SettingsFile) -> dict[str, list[JsonDict]]:
    """What the file says beside settings, and what is approved: rows by kind."""
    approvals = Approvals()
    rows: dict[str, list[JsonDict]] = {
        "suites": list(map(_suite, settings.suites.values())),
        "endpoints": [
            {"name": e.name, **e.stated(), **_asked_with(e.settings)}
            for e in settings.endpoints.values()
        ],
        "judges": [{"judge": j, **_asked_with(v)} for j, v in settings.judges.items()],
        "roles": [
            {
                "role": name,
                "model": role.model,
                "base_url": role.base_url and shown_address(role.base_url),
                "api_key_env": role.api_key_env,
                **_asked_with(role.settings),
            }
            for name, role in settings.roles.items()
        ],
        "prices": [
            {
                "model": spec,
                "input": price.input,
                "output": price.output,
                "cached": price.cached_input,
                "cache_write": price.cache_write,
            }
            for spec, price in settings.prices.items()
        ],
        "families": [
            {"model": name, "family": family} for name, family in settings.families.items()
        ],
        "approved": [sending._asdict() for sending in approvals.all()],
    }
    for kind, listed in rows.items():
        for row in listed:
            row["origin"] = f"file {approvals.path if kind == 'approved' else settings.path}"
    return rows


def _asked_with(values: Mapping[str, Json]) -> JsonDict:
    """How whoever a table is about is asked, where it says that."""
    hidden = {name: cast("Json", without_credentials(value)) for name, value in values.items()}
    return {_ASKED_WITH: PartySettings.of(hidden).words} if values else {}


def _suite(suite: Suite) -> JsonDict:
    """What a suite runs; of its other settings, which may be secret, the names alone."""
    rest = [name for name in suite.run if name not in ("model", "judge")]
    rest += [f"{name} of {b}" for b, options in suite.options.items() for name in options]
    return {
        "name": suite.name,
        "benchmarks": list(suite.benchmarks),
        "models": suite.run.get("model"),
        "judges": suite.run.get("judge"),
        "also sets": rest,
    }


def _tables(
    settings: Sequence[_Setting], others: Mapping[str, Sequence[JsonObject]]
) -> Iterator[Table | Paragraph]:
    cells = [
        (f"{name} ({of})" if of else name, _plain(value), origin)
        for name, of, value, origin in settings
        if options.wants_details() or origin != _DEFAULT
    ]
    title = "Settings of bench run; an option on the command line goes before all of these"
    note = "" if options.wants_details() else "all others have their defaults: --details"
    if cells:
        yield Table(title, ("setting", "value", "from"), cells, note=note)
    else:
        yield Paragraph("", "nothing is set: all settings have their defaults (--details)")
    for kind, title in _TITLES.items():
        if rows := others[kind]:
            names = [*_COLUMNS[kind], _ASKED_WITH, "origin"] if kind in _COLUMNS else list(rows[0])
            listed = [[_plain(row.get(name)) for name in names] for row in rows]
            columns = ["from" if name == "origin" else name for name in names]
            yield Table(title, columns, listed)


_TITLES = {
    "suites": "Suites: bench run --suite NAME",
    "endpoints": "Endpoints: --base-url NAME",
    "judges": "How judges are asked",
    "roles": "Who plays roles",
    "prices": "Prices, in dollars per million tokens",
    "families": "Families of models",
    "approved": "What settings files may send",
}
_COLUMNS = {
    "endpoints": [f.name for f in fields(EndpointSettings) if f.name != "settings"],
    "judges": ["judge"],
    "roles": ["role", "model", "base_url", "api_key_env"],
}
_ASKED_WITH = "asked with"


def _settings(settings: SettingsFile, suite: Suite | None) -> Iterator[_Setting]:
    common = [(None, param) for param in filed_options(run_command)]
    for benchmark, param in [*common, *own_settings()]:
        by_suite = {**suite.run, **suite.options.get(benchmark or "", {})} if suite else {}
        of_file = replace(settings, run={**settings.run, **by_suite})
        context = click.Command("run", params=[param]).make_context(
            "run", [], default_map=defaults(of_file, [param])
        )
        name = str(param.name)
        value, source = context.params[name], context.get_parameter_source(name)
        origin = _DEFAULT
        if source is ParameterSource.ENVIRONMENT:
            origin = f"environment {param.envvar}"
        elif source is ParameterSource.DEFAULT_MAP:
            in_suite = f"suite {suite.name}, " if suite and setting_name(param) in by_suite else ""
            origin = f"{in_suite}file {settings.path}"
        shown = _jsonable(_without_secrets(name, value) if value else value)
        yield _Setting(setting_name(param), benchmark, shown, origin)


def _without_secrets(name: str, value: Any) -> object:
    """An option's value as it may be shown."""
    if name == "headers":  # what is no pair may be all value
        pairs = [text.partition("=") for text in value]
        return [f"{shown_header(key)}={HIDDEN}" if equals else HIDDEN for key, equals, _ in pairs]
    if name == "judge_set":
        return [_shown_set(text) for text in value]
    if name in _OF_JUDGES and isinstance(value, tuple):
        return [_shown_of_judge(name, text) for text in value]
    if name in KEY_VARIABLES:  # what is no variable's name may be the key itself
        return value if is_variable_name(value) else HIDDEN
    if name in _ADDRESSES and isinstance(value, tuple):
        return [shown_address(text) for text in value]
    if name in _ADDRESSES:
        return shown_address(value)
    return _shown_extra(value) if name == "extra_body" else value


def _shown_of_judge(name: str, text: str) -> str:
    """What is given for all judges, or for one as ``JUDGE=...``."""
    judge, equals, value = text.partition("=")
    if equals and "/" in judge and "://" not in judge:
        return f"{judge}={_without_secrets(name, value)}"
    return str(_without_secrets(name, text))


def _shown_set(text: str) -> str:
    """A setting of judges, whose extra body may hold a credential."""
    setting, _, value = text.partition("=")
    return f"{setting}={_shown_extra(value)}" if setting.endswith("extra_body") else text


def _shown_extra(text: str) -> str:
    """An extra body as it was written, if it holds no credential and can be read."""
    try:
        body = json_object(text, "--extra-body")
    except UsageError:
        return HIDDEN
    plain = without_credentials(body)
    return text if plain is body else json.dumps(plain, ensure_ascii=False)


_DEFAULT = "default"
"""The origin of what nobody has set."""


def _jsonable(value: object) -> Json:
    if isinstance(value, tuple):
        return list(value)
    return value if value is None or isinstance(value, bool | int | float | list) else str(value)


def _plain(value: Json) -> str:
    if value is None or value == []:
        return "–"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
