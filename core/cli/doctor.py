"""`bench doctor`: one line for each thing that a run needs, and what to do where it is not well."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path

import click

import eibench.data

from ..benchmark.model import JUDGE, MODEL
from ..clients.approvals import Approvals, Sending, needs_approval, normal
from ..clients.keys import process_environment, redact
from ..datasets.fetching import pack_folders
from ..errors import BenchError
from ..parties.providers import OF_MODEL, ModelSpec, of_judge, of_role
from ..plugins import Catalogue, installed
from ..run.doctor.checks import (
    Check,
    CheckVerdict,
    check_disk,
    check_journal,
    check_packs,
    check_plugins,
    check_programs,
    exit_code,
    fail,
    ok,
    warn,
)
from ..run.doctor.endpoints import TOKENS, Probe, plainest, probe, reach
from ..run.task import Pricing
from ..settings.file import SettingsFile
from ..settings.resolve import judge_spec
from ..settings.run_settings import RunSettings
from ..settings.tables import EndpointSettings
from ..settings.targets import Target, find_target
from ..text import as_text, line, plural
from ..types import Json
from . import options
from .command import command
from .settings import current


@command("doctor", "bench doctor --model openai/NAME --base-url http://127.0.0.1:8000/v1")
@options.endpoint_options
@options.option("--price", metavar="IN,OUT", help="Dollars per million tokens of --model.")
@options.flag("--no-call", help="Ask the models nothing.")
@options.place_options
@options.json_option
def doctor_command(*, no_call: bool, json_output: bool, **params: Json) -> int:
    """Look at all that a run needs, and say what to do.

    Packages, plugins, settings, keys, data packs, room on the disk, the journal, one tiny
    question to each model and judge that is given or configured, and one item of a benchmark to
    each model. Nothing is changed; the last line says whether a run would work. Exit codes:
    0 no failure, 3 configuration or data, 4 a server or the journal.
    """
    settings = options.run_settings(params)
    models = _models(settings)
    found = _checks(settings, models, call=not no_call)
    checks = asyncio.run(_shown(found, quiet=json_output))
    code = exit_code(checks)
    if json_output:
        rows = [
            {"name": c.name, "verdict": c.verdict, "told": c.message, "todo": c.todo}
            for c in checks
        ]
        click.echo(as_text({"ok": not code, "exit_code": code, "checks": rows}))
    else:
        click.echo(line(_conclusion(checks)))
    return code


def _conclusion(checks: list[Check]) -> str:
    """Whether a run would work, and what to look at first."""
    failed = [check.name for check in checks if check.verdict is CheckVerdict.FAIL]
    doubtful = [check.name for check in checks if check.verdict is CheckVerdict.WARN]
    if failed:
        return f"not ready: {', '.join(failed)}"
    return f"ready, but see {', '.join(doubtful)}" if doubtful else "ready"


async def _shown(checks: AsyncIterator[Check], *, quiet: bool) -> list[Check]:
    """All checks, printed as they come."""
    made = []
    async for check in checks:
        hidden = check._replace(message=redact(check.message), todo=redact(check.todo))
        made.append(hidden)
        if not quiet:
            todo = f"; {hidden.todo}" if hidden.todo else ""
            click.echo(line(f"{hidden.verdict:<4}  {hidden.name}: {hidden.message}{todo}"))
    return made


async def _checks(
    settings: RunSettings, models: Mapping[str, Target], *, call: bool
) -> AsyncIterator[Check]:
    catalogue, file = installed(), current()
    for check in (*check_programs(), *check_plugins(catalogue), _check_file(file)):
        yield check
    async for check in _check_models(settings, models, call=call):
        yield check
    used = {target.settings.name for target in models.values() if target.settings}
    for endpoint in (e for name, e in file.endpoints.items() if name not in used):
        async for check in _endpoint(endpoint, catalogue):
            yield check
    for check in _machine(settings.runs_dir, catalogue):
        yield check


def _machine(runs_dir: Path, catalogue: Catalogue) -> Iterator[Check]:
    folders = pack_folders(eibench.data.folder(""), catalogue.data_folders)
    yield from check_packs(catalogue, folders)
    yield from check_disk(runs_dir)
    yield check_journal(runs_dir)


def _check_file(settings: SettingsFile) -> Check:
    if settings.path is None:
        return ok("settings", "no settings file")
    held = {"default": settings.run, "endpoint": settings.endpoints, "price": settings.prices}
    counts = ", ".join(plural(len(values), noun) for noun, values in held.items())
    return ok("settings", f"{settings.path}: {counts}")


def _models(settings: RunSettings) -> dict[str, Target]:
    """The models, judge and players of roles that are given or configured, by their line."""
    specs = [ModelSpec.parse(text) for text in settings.models]
    found = {f"model {spec}": find_target(settings, spec) for spec in specs}
    for spec in map(judge_spec, settings.judges):
        found[f"judge {spec}"] = find_target(settings, spec, of_judge(str(spec)))
    configured = {name: player.model for name, player in settings.filed_roles.items()}
    for name, player in (configured | dict(settings.roles)).items():
        target = find_target(settings, ModelSpec.parse(player), of_role(name))
        found[f"role {name} {player}"] = target
    return found


async def _check_models(
    settings: RunSettings, models: Mapping[str, Target], *, call: bool
) -> AsyncIterator[Check]:
    if not models:
        yield ok("models", "none is given or configured; bench run uses demo/medium, which is free")
    environment, money = process_environment(), Pricing.of(settings)
    for label, target in models.items():
        if refused := _unapproved(label, target):
            yield refused
            continue
        price = money.price(target.endpoint, MODEL if target.party is OF_MODEL else JUDGE)
        if call and not installed().provider(target.endpoint.spec.provider).demo:
            message = f"{label} is now asked one question, for an answer of at most {TOKENS} tokens"
            plain = plainest(installed()) if target.party is OF_MODEL else None
            message += f", and one item of {plain.name}" if plain else ""
            click.echo(line(f"{message} (--no-call leaves that out)"), err=True)
        one = Probe(label, target.endpoint, price, call, target.party)
        async for check in probe(one, installed(), environment):
            yield check


def _unapproved(label: str, target: Target) -> Check | None:
    """What is wrong when the file sends a key that the user did not approve."""
    sending = target.sending
    try:
        if sending is None or sending in Approvals():
            return None
    except BenchError as error:
        return fail(f"{label} key", error)
    message = f"{current().path} sends the key in {sending.variable} to {sending.place}"
    return fail(f"{label} key", f"{message}; that is not approved on this machine", target.way_out)


async def _endpoint(endpoint: EndpointSettings, catalogue: Catalogue) -> AsyncIterator[Check]:
    """An endpoint of the file that no model uses now: nothing about it is an error."""
    label = f"endpoint {endpoint.name}"
    if endpoint.api_key_env:
        yield _mild(_endpoint_key(label, endpoint, endpoint.api_key_env, catalogue))
    yield _mild(await reach(label, endpoint.base_url))


def _mild(check: Check) -> Check:
    return (
        check
        if check.verdict is CheckVerdict.OK
        else check._replace(verdict=CheckVerdict.WARN, code=0)
    )


def _endpoint_key(
    label: str, endpoint: EndpointSettings, variable: str, catalogue: Catalogue
) -> Check:
    name, url = f"{label} key", endpoint.base_url
    try:
        sending = Sending(normal(url), variable)
        abroad = all(needs_approval(p, url, variable) for p in catalogue.providers)
        if abroad and sending not in Approvals():
            todo = f"bench config --approve {sending.place} {variable} allows it"
            return warn(name, f"{variable} may not go to {sending.place} yet", todo)
        there = process_environment().get(variable)
    except BenchError as error:
        return fail(name, error)
    if there is None:
        return warn(name, f"{variable} is not set", "set it in the environment or in .env")
    return ok(name, f"{variable} is set")
