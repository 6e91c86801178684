"""`bench list` and `bench info`: what is installed, and what a benchmark is."""

from typing import Any

import click

from ..benchmark import Benchmark, Option
from ..datasets import find_pack, read_manifest
from ..errors import BenchError
from ..plugins import Catalogue, installed
from ..text import as_text, line
from . import options
from .benchmark_command import BenchmarkName
from .command import Command

_KINDS = ("benchmarks", "providers", "rating_engines", "report_sections", "commands")


@click.command("list", cls=Command)
@options.json_option
def list_command(json_output: bool) -> None:
    """List benchmarks, providers and all else that plugins add.

    A broken plugin is named with the reason; it stops only what needs it.
    """
    catalogue = installed()
    listing = _listing(catalogue)
    if json_output:
        click.echo(as_text(listing))
    else:
        _print(listing)


def _listing(catalogue: Catalogue) -> dict[str, Any]:
    listing: dict[str, Any] = {}
    for kind in _KINDS:
        registry = getattr(catalogue, kind)
        listing[kind] = [
            {"name": name, "title": _title(thing), "distribution": registry.origins[name]}
            for name, thing in registry.declared.items()
        ]
    listing["broken"] = [
        {"name": b.name, "distribution": b.distribution, "reason": b.reason}
        for b in catalogue.broken
    ]
    return listing


def _title(thing: Any) -> str:
    if isinstance(thing, click.Command):
        return thing.get_short_help_str(limit=100)
    declared = {"order_matters": "order matters", "names_matter": "names matter"}
    matters = [message for name, message in declared.items() if getattr(thing, name, False)]
    return "; ".join([str(getattr(thing, "title", "")), *matters])


def _print(listing: dict[str, Any]) -> None:
    for kind in _KINDS:
        if listing[kind]:
            click.echo(kind.replace("_", " "))
        for entry in listing[kind]:
            title = f"{entry['title']}  " if entry["title"] else ""
            click.echo(line(f"{entry['name']:<24} {title}[{entry['distribution']}]", indent=2))
    for entry in listing["broken"]:
        message = f"BROKEN  {entry['name']} [{entry['distribution']}]: {entry['reason']}"
        click.echo(line(message))


@click.command("info", cls=Command)
@click.argument("benchmark", type=BenchmarkName())
@options.json_option
def info_command(benchmark: Benchmark, json_output: bool) -> None:
    """Say what a benchmark is: its data, options and sampling."""
    info = _info(benchmark)
    if json_output:
        click.echo(as_text(info))
        return
    click.echo(f"{info['name']} v{info['version']}: {info['title']}")
    click.echo(f"  sampling: {_pairs(info['sampling'])}")
    click.echo(f"  judge: {'needed' if benchmark.judged else 'none'}")
    for role in benchmark.roles:
        click.echo(f"  role {role.name}: {role.help} Sampling: {_pairs(role.sampling.sent())}")
    for option in benchmark.options:
        click.echo(f"  {_option(option)}")
    for pack in info["packs"]:
        click.echo(f"  pack {pack['name']}: {pack['title']} ({pack['licence']}), {pack['state']}")
        for file in pack["files"]:
            if file["url"]:
                click.echo(f"    {file['url']}  sha256 {file['sha256']}")


def _option(option: Option) -> str:
    dashed = option.name.replace("_", "-")
    if isinstance(option.default, bool):
        default = "" if option.default else "no-"
        return f"--{dashed} | --no-{dashed}: {option.help} Default: --{default}{dashed}."
    choices = f" {'|'.join(option.choices)}" if option.choices else ""
    default = "" if option.default in ("", None) else f" Default: {_plain(option.default)}."
    return f"--{dashed}{choices}: {option.help}{default}"


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(f"{k} {v}" for k, v in values.items()) or "the server's own"


def _info(benchmark: Benchmark) -> dict[str, Any]:
    manifest = read_manifest(benchmark.data) if benchmark.data else {}
    roles = [
        {"name": role.name, "help": role.help, "sampling": role.sampling.sent()}
        for role in benchmark.roles
    ]
    return {
        "name": benchmark.name,
        "version": benchmark.version,
        "title": benchmark.title,
        "sampling": benchmark.sampling.sent(),
        "judged": benchmark.judged,
        **({"roles": roles} if roles else {}),
        "options": [
            {"name": o.name, "default": o.default, "choices": list(o.choices), "help": o.help}
            for o in benchmark.options
        ],
        "packs": [
            {
                "name": pack.name,
                "title": pack.facts.get("title", ""),
                "licence": pack.facts.get("licence", "unknown"),
                "state": _state(benchmark, pack.name),
                "files": [{"path": f.path, "url": f.url, "sha256": f.sha256} for f in pack.files],
            }
            for pack in manifest.values()
        ],
    }


def _state(benchmark: Benchmark, pack: str) -> str:
    """Whether a pack is here, and if not, how to have it used."""
    defaults = {option.name: option.default for option in benchmark.options}
    try:
        source = find_pack(benchmark, pack, defaults)
    except BenchError:
        return f"not here: bench data fetch {benchmark.name} gets it"
    return f"here, sha256 {source.sha256[:12]}"
