"""`bench doctor`: one line for each thing that a run needs, and what to do where it is not well."""

import asyncio
from collections.abc import AsyncIterator, Mapping

import click

import eibench.data

from ..benchmark import Benchmark
from ..benchmark.model import JUDGE, MODEL
from ..clients.approvals import Approvals, Sending, needs_approval, normal
from ..clients.keys import process_environment, redact
from ..datasets.official import pack_folders
from ..errors import BenchError
from ..parties.providers import OF_MODEL, ModelSpec, of_judge, of_role
from ..plugins import Catalogue, installed
from ..run.doctor import checks
from ..run.doctor.endpoints import announced, probe, reach
from ..run.doctor.forms import Meant, meant_by, neutral_form
from ..run.doctor.probe import Probe
from ..run.session import Pricing
from ..settings.file import SettingsFile
from ..settings.resolve import judge_spec, template_of
from ..settings.run_settings import RunSettings
from ..settings.tables import EndpointSettings
from ..settings.targets import Target, find_target, model_changes
from ..text import as_text, line, plural
from ..types import Json, Sampling
from . import options
from .command import BenchmarkName, command
from .settings import current

Checked = tuple[Target, Probe]
"""A party and how it is asked."""


@command(
    "doctor",
    "bench doctor --model openai/NAME --base-url http://127.0.0.1:8000/v1",
    "bench doctor eqbench3 --model openai/NAME --judge anthropic/NAME",
)
@click.argument("benchmark", required=False, type=BenchmarkName())
@options.endpoint_options
@options.option("--price", metavar="IN,OUT", help="Dollars per million tokens of --model.")
@options.flag("--no-call", help="Ask the models nothing.")
@options.place_options
@options.json_option
def doctor_command(
    *,
    benchmark: Benchmark | None,
    no_call: bool,
    json_output: bool,
    **params: Json,
) -> int:
    """Look at all that a run needs, and say what to do.

    Packages, plugins, settings, keys, data packs, room on the disk, the journal, and a few short
    questions to each model, judge and role that is given or configured, asked as BENCHMARK would
    ask: the room and the length of its prompts, too. Nothing is changed; the last line says whether
    a run would work. Exit codes: 0 no failure, 3 configuration or data, 4 a server or the journal.
    """
    settings = options.run_settings(params)
    meant = meant_by(benchmark, settings) if benchmark else None
    probes = _probes(settings, meant, call=not no_call)
    first = [meant.refusal] if meant and meant.refusal else []
    results = asyncio.run(_shown(_checks(settings, probes, first), quiet=json_output))
    code = checks.exit_code(results)
    if json_output:
        rows = [
            {"name": c.name, "verdict": c.verdict, "told": c.message, "todo": c.todo}
            for c in results
        ]
        click.echo(as_text({"ok": not code, "exit_code": code, "checks": rows}))
    else:
        click.echo(line(_conclusion(results)))
    return code


def _conclusion(results: list[checks.Check]) -> str:
    """Whether a run would work, and what to look at first."""
    failed = [check.name for check in results if check.verdict is checks.CheckVerdict.FAIL]
    doubtful = [check.name for check in results if check.verdict is checks.CheckVerdict.WARN]
    if failed:
        return f"not ready: {', '.join(failed)}"
    return f"ready, but see {', '.join(doubtful)}" if doubtful else "ready"


async def _shown(results: AsyncIterator[checks.Check], *, quiet: bool) -> list[checks.Check]:
    """All results, printed as they come."""
    results_shown = []
    async for check in results:
        hidden = check._replace(message=redact(check.message), todo=redact(check.todo))
        results_shown.append(hidden)
        if not quiet:
            todo = f"; {hidden.todo}" if hidden.todo else ""
            click.echo(line(f"{hidden.verdict:<4}  {hidden.name}: {hidden.message}{todo}"))
    return results_shown


async def _checks(
    settings: RunSettings, probes: Mapping[str, Checked], first: list[checks.Check]
) -> AsyncIterator[checks.Check]:
    catalogue, file = installed(), current()
    programs = (*checks.check_programs(), *checks.check_plugins(catalogue), _check_file(file))
    for check in (*programs, *first):
        yield check
    async for check in _check_parties(probes):
        yield check
    servers = (target.server for target, _ in probes.values())
    used = {server.name for server in servers if server}
    for endpoint in (e for name, e in file.endpoints.items() if name not in used):
        async for check in _endpoint(endpoint, catalogue):
            yield check
    folders = pack_folders(eibench.data.folder(""), catalogue.data_folders)
    packs, disk = checks.check_packs(catalogue, folders), checks.check_disk(settings.runs_dir)
    for check in (*packs, *disk, *checks.check_journals(settings.runs_dir)):
        yield check


def _check_file(settings: SettingsFile) -> checks.Check:
    if settings.path is None:
        return checks.ok("settings", "no settings file")
    held = {"default": settings.run, "endpoint": settings.endpoints, "price": settings.prices}
    counts = ", ".join(plural(len(values), noun) for noun, values in held.items())
    return checks.ok("settings", f"{settings.path}: {counts}")


def _models(settings: RunSettings) -> dict[str, Target]:
    """The models, judge and players of roles that are given or configured, by their line."""
    specs = [ModelSpec.parse(text, at_server=bool(settings.base_url)) for text in settings.models]
    targets = {f"model {spec}": find_target(settings, spec) for spec in specs}
    for spec in map(judge_spec, settings.judges):
        targets[f"judge {spec}"] = find_target(settings, spec, of_judge(str(spec)))
    configured = {name: player.model for name, player in settings.filed_roles.items()}
    for name, players in (configured | dict(settings.roles)).items():
        for player in (players,) if isinstance(players, str) else players:
            target = find_target(settings, ModelSpec.parse(player), of_role(name))
            targets[f"role {name} {player}"] = target
    return targets


def _probes(settings: RunSettings, meant: Meant | None, *, call: bool) -> dict[str, Checked]:
    """The parties by their line, each with how it is asked."""
    money, probes = Pricing.of(settings), dict[str, Checked]()
    for label, target in _models(settings).items():
        endpoint, party = target.endpoint, target.party
        is_model = party is OF_MODEL
        sampling = model_changes(settings, target.server).applied_to(Sampling())
        form = meant.form_of(endpoint, party) if meant else None
        form = form or neutral_form(party, sampling)
        one = Probe(
            label,
            endpoint,
            money.price(endpoint, MODEL if is_model else JUDGE),
            call and not installed().provider(endpoint.spec.provider).demo,
            form.by(endpoint.settings),
            party,
            meant.config_of(endpoint) if meant else None,
            template_of(settings, endpoint) if is_model else None,
        )
        probes[label] = target, one
    return probes


async def _check_parties(probes: Mapping[str, Checked]) -> AsyncIterator[checks.Check]:
    if not probes:
        yield checks.ok(
            "models", "none is given or configured; bench run uses demo/medium, which is free"
        )
    environment = process_environment()
    for label, (target, one) in probes.items():
        if refused := _unapproved(label, target):
            yield refused
            continue
        if one.call:
            click.echo(line(f"{announced(one, installed())} (--no-call leaves that out)"), err=True)
        async for check in probe(one, installed(), environment):
            yield check


def _unapproved(label: str, target: Target) -> checks.Check | None:
    """What is wrong when the file sends what the user did not approve."""
    try:
        sending = next((one for one in target.sendings if one not in Approvals()), None)
        if sending is None:
            return None
    except BenchError as error:
        return checks.fail(f"{label} key", error)
    message = f"{current().path} sends {sending.what} to {sending.place}"
    return checks.fail(
        f"{label} key", f"{message}; that is not approved on this machine", target.way_out(sending)
    )


async def _endpoint(
    endpoint: EndpointSettings, catalogue: Catalogue
) -> AsyncIterator[checks.Check]:
    """An endpoint of the file that no model uses now: nothing about it is an error."""
    label = f"endpoint {endpoint.name}"
    if endpoint.api_key_env:
        yield _mild(_endpoint_key(label, endpoint, endpoint.api_key_env, catalogue))
    yield _mild(await reach(label, endpoint.base_url))


def _mild(check: checks.Check) -> checks.Check:
    return (
        check
        if check.verdict is checks.CheckVerdict.OK
        else check._replace(verdict=checks.CheckVerdict.WARN, code=0)
    )


def _endpoint_key(
    label: str, endpoint: EndpointSettings, variable: str, catalogue: Catalogue
) -> checks.Check:
    name, url = f"{label} key", endpoint.base_url
    try:
        sending = Sending(normal(url), variable)
        abroad = all(needs_approval(p, url, variable) for p in catalogue.providers)
        if abroad and sending not in Approvals():
            todo = f"bench config --approve {sending.place} {variable} allows it"
            return checks.warn(name, f"{variable} may not go to {sending.place} yet", todo)
        is_set = process_environment().get(variable) is not None
    except BenchError as error:
        return checks.fail(name, error)
    if not is_set:
        return checks.warn(name, f"{variable} is not set", "set it in the environment or in .env")
    return checks.ok(name, f"{variable} is set")
