"""`bench list` and `bench info`: what is installed, and what a benchmark is."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import click

from .. import console
from ..benchmark import Benchmark, Option
from ..datasets import find_pack, read_manifest
from ..errors import BenchError, UsageError
from ..guard import guard
from ..hooks.sections import Table
from ..plugins import BrokenPlugin, Catalogue, Registry, installed
from ..text import as_text, line, plural
from ..types import Json, JsonObject
from . import options
from .command import BenchmarkName, command

_KINDS = (
    "benchmarks",
    "providers",
    "rating_engines",
    "report_sections",
    "pages",
    "exporters",
    "commands",
)


@command("list")
@options.json_option
def list_command(json_output: bool) -> None:
    """List benchmarks, providers and all else that plugins add.

    A broken plugin is named with the reason; it stops only what needs it.
    """
    catalogue = installed()
    listing = _listing(catalogue)
    if json_output:
        click.echo(as_text({**listing, "broken": catalogue.broken}))
    else:
        _print(listing, catalogue.broken)


class _Added(NamedTuple):
    """One thing that a plugin adds."""

    name: str
    title: str
    distribution: str


def _listing(catalogue: Catalogue) -> dict[str, list[_Added]]:
    listing = {}
    for kind in _KINDS:
        registry: Registry[object] = getattr(catalogue, kind)
        declared = registry.declared.items()
        listing[kind] = [_Added(n, _title(thing), registry.origins[n]) for n, thing in declared]
    return listing


def _title(thing: object) -> str:
    if isinstance(thing, click.Command):
        return thing.get_short_help_str(limit=100)
    declared = {"order_matters": "order matters", "names_matter": "names matter"}
    matters = [message for name, message in declared.items() if getattr(thing, name, False)]
    return "; ".join([str(getattr(thing, "title", "")), *matters])


def _print(listing: dict[str, list[_Added]], broken: Sequence[BrokenPlugin]) -> None:
    for kind in _KINDS:
        if listing[kind]:
            click.echo(kind.replace("_", " "))
        for entry in listing[kind]:
            title = f"{entry.title}  " if entry.title else ""
            click.echo(line(f"{entry.name:<24} {title}[{entry.distribution}]", indent=2))
    for one in broken:
        click.echo(line(f"BROKEN  {one.name} [{one.distribution}]: {one.reason}"))


@command("info")
@click.argument("benchmark", type=BenchmarkName())
@click.option(
    "--pack",
    metavar="NAME",
    is_flag=False,
    flag_value="bundled",
    help="What can be had on a pack, by default the bundled one, without reading.",
)
@options.json_option
def info_command(benchmark: Benchmark, pack: str | None, json_output: bool) -> None:
    """Say what a benchmark is: its data, options and sampling.

    With --pack: scores of rules that never read a scene, such as the best constant answer.
    """
    if pack is not None:
        _print_tables(list(_without_reading(benchmark, pack)), json_output)
        return
    packs = list(_packs(benchmark))
    if json_output:
        click.echo(as_text(_as_json(benchmark, packs)))
    else:
        _print_info(benchmark, packs)


def _print_info(benchmark: Benchmark, packs: Iterable["_Pack"]) -> None:
    click.echo(f"{benchmark.name} v{benchmark.version}: {benchmark.title}")
    click.echo(f"  sampling: {_pairs(benchmark.sampling.sent())}")
    click.echo(f"  judge: {'needed' if benchmark.judged else 'none'}")
    for role in benchmark.roles:
        click.echo(f"  role {role.name}: {role.help} Sampling: {_pairs(role.sampling.sent())}")
    for option in benchmark.options:
        click.echo(f"  {_option(option)}")
    for one in packs:
        click.echo(f"  pack {one.name}: {one.title} ({one.licence}), {one.state}")
        for file in one.files:
            if file["url"]:
                click.echo(f"    {file['url']}  sha256 {file['sha256']}")
        if one.items:
            click.echo(f"    {plural(len(one.items), 'item')}: {', '.join(one.items)}")


def _without_reading(benchmark: Benchmark, name: str) -> Iterator[Table]:
    """A table for each language of a pack.

    Raises:
        UsageError: The benchmark has no such rules.
    """
    defaults = {option.name: option.default for option in benchmark.options}
    languages = next((o.choices for o in benchmark.options if o.name == "lang"), ())
    for language in [{"lang": lang} for lang in languages] or [{}]:
        values = {**defaults, **language}
        pack = guard(benchmark).read_pack(find_pack(benchmark, name, values), values)
        table = guard(benchmark).without_reading(pack)
        if table is None:
            raise UsageError(f"{benchmark.name} has no rules that score without reading")
        yield table._replace(title=" ".join([*language.values(), table.title]))


def _print_tables(tables: Sequence[Table], json_output: bool) -> None:
    if json_output:
        click.echo(as_text(tables))
        return
    for table in tables:
        console.output.show(console.tables.table(table))


def _option(option: Option) -> str:
    dashed = option.name.replace("_", "-")
    if isinstance(option.default, bool):
        default = "" if option.default else "no-"
        return f"--{dashed} | --no-{dashed}: {option.help} Default: --{default}{dashed}."
    choices = f" {'|'.join(option.choices)}" if option.choices else ""
    default = "" if option.default in ("", None) else f" Default: {_plain(option.default)}."
    return f"--{dashed}{choices}: {option.help}{default}"


def _plain(value: Json) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _pairs(values: JsonObject) -> str:
    return ", ".join(f"{k} {v}" for k, v in values.items()) or "the server's own"


class _Pack(NamedTuple):
    """A pack of a benchmark's data, and whether it is here."""

    name: str
    title: Json
    licence: Json
    state: str
    files: Sequence[JsonObject]
    items: Sequence[str]


def _as_json(benchmark: Benchmark, packs: Sequence[_Pack]) -> object:
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
        **({"roles": roles} if roles else {}),  # a benchmark without roles has no such key
        "options": [
            {"name": o.name, "default": o.default, "choices": o.choices, "help": o.help}
            for o in benchmark.options
        ],
        "packs": packs,
    }


def _packs(benchmark: Benchmark) -> Iterator[_Pack]:
    manifest = read_manifest(benchmark.data) if benchmark.data else {}
    for pack in manifest.values():
        title, licence = pack.facts.get("title", ""), pack.facts.get("licence", "unknown")
        files = [{"path": f.path, "url": f.url, "sha256": f.sha256} for f in pack.files]
        yield _Pack(pack.name, title, licence, *_state(benchmark, pack.name, files))


def _state(
    benchmark: Benchmark, pack: str, files: Sequence[JsonObject]
) -> tuple[str, Sequence[JsonObject], Sequence[str]]:
    """Whether a pack is here, and if not, how to have it used; its files, and its items."""
    defaults = {option.name: option.default for option in benchmark.options}
    try:
        source = find_pack(benchmark, pack, defaults)
        items = [item.id for item in guard(benchmark).read_pack(source, defaults).items]
    except BenchError:
        return f"not here: bench data fetch {benchmark.name} gets it", files, ()
    return f"here, sha256 {source.sha256[:12]}", files, items
