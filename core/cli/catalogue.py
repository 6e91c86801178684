"""`bench list` and `bench info`: what is installed, and what a benchmark is."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple

import click

from .. import console
from ..benchmark import Benchmark, Option
from ..datasets import find_pack
from ..errors import BenchError, UsageError
from ..guard import guard
from ..hooks.sections import Table
from ..plugins import BrokenPlugin, Catalogue, Registry, installed
from ..text import as_text, by_player, line, plural
from ..types import Json, JsonObject
from . import options
from .command import BenchmarkName, command

if TYPE_CHECKING:
    from .facts import BenchmarkFacts

_KINDS = (
    "benchmarks",
    "benchmark_files",
    "providers",
    "rating_engines",
    "report_sections",
    "pages",
    "exporters",
    "commands",
)


@command("list")
@click.option(
    "--details",
    is_flag=True,
    help="Of each benchmark: version, languages, who is asked how often, licence, citation.",
)
@options.json_option
def list_command(details: bool, json_output: bool) -> None:
    """List benchmarks, providers and all else that plugins add.

    A broken plugin is named with the reason; it stops only what needs it.
    """
    catalogue = installed()
    if details:
        print_details(catalogue, json_output=json_output)
        return
    listing = _listing(catalogue)
    if json_output:
        rows = {kind: [_row(entry) for entry in listing[kind]] for kind in _KINDS}
        click.echo(as_text({**rows, "broken": catalogue.broken}))
    else:
        _print(listing, catalogue.broken)


class _Added(NamedTuple):
    """One thing that a plugin adds."""

    name: str
    title: str
    distribution: str
    kind: str = ""


def _listing(catalogue: Catalogue) -> dict[str, list[_Added]]:
    listing = {}
    for kind in _KINDS:
        registry: Registry[object] = getattr(catalogue, kind)
        declared = registry.declared.items()
        listing[kind] = [
            _Added(n, _title(thing), registry.origins[n], str(getattr(thing, "kind", "")))
            for n, thing in declared
        ]
    return listing


def _row(entry: _Added) -> dict[str, str]:
    """What is known of it; only a benchmark has a kind."""
    return {name: text for name, text in entry._asdict().items() if text or name != "kind"}


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
            measured = f"{entry.kind:<8} " if kind == "benchmarks" else ""
            shown = f"{entry.name:<24} {measured}{title}[{entry.distribution}]"
            click.echo(line(shown, indent=2))
    _print_broken(broken)


def _print_broken(broken: Sequence[BrokenPlugin]) -> None:
    for one in broken:
        click.echo(line(f"BROKEN  {one.name} [{one.distribution}]: {one.reason}"))


_DETAILS = ("benchmark", "version", "kind", "languages", "packs", "calls of a full run", "licence",
            "cite", "origin")  # fmt: skip


def print_details(catalogue: Catalogue, *, json_output: bool) -> None:
    """Print the facts of all benchmarks; one whose files are broken is named as such."""
    from .facts import facts_of

    facts, broken = list["BenchmarkFacts"](), catalogue.broken
    for one in catalogue.benchmarks:
        try:
            facts.append(facts_of(one))
        except BenchError as error:
            origin = catalogue.benchmarks.origins[one.name]
            broken = [*broken, BrokenPlugin(one.name, origin, str(error))]
    if json_output:
        rows = [{"name": f.name, "version": f.version, "title": f.title, **f.as_json}
                for f in facts]  # fmt: skip
        click.echo(as_text({"benchmarks": rows, "broken": broken}))
        return
    cells = [
        (f.name, f.version, f.kind, " ".join(f.languages), ", ".join(p.name for p in f.packs),
         f.calls, f.licences, ", ".join(f.cite), f.origin)
        for f in facts
    ]  # fmt: skip
    note = "Calls to a server of your own are free; bench info NAME has prices of others."
    console.output.show(console.tables.table(Table("benchmarks", _DETAILS, cells, note=note)))
    _print_broken(broken)


@command("info")
@click.argument("benchmark", type=BenchmarkName())
@click.option(
    "--dataset",
    metavar="NAME",
    is_flag=False,
    flag_value="bundled",
    help="What can be had on a pack, by default the bundled one, without reading.",
)
@options.json_option
def info_command(benchmark: Benchmark, dataset: str | None, json_output: bool) -> None:
    """Say what a benchmark is: its data, options and sampling.

    With --dataset: scores of rules that never read a scene, such as the best constant answer.
    """
    if dataset is not None:
        _print_tables(list(_without_reading(benchmark, dataset)), json_output)
        return
    from .facts import facts_of

    facts = facts_of(benchmark)
    if json_output:
        click.echo(as_text(_as_json(benchmark, facts)))
    else:
        _print_info(benchmark, facts)


def _print_info(benchmark: Benchmark, facts: "BenchmarkFacts") -> None:
    click.echo(f"{benchmark.name} v{benchmark.version}: {benchmark.title}")
    for word, value in (
        ("from", facts.origin),
        ("kind", facts.kind),
        ("languages", ", ".join(facts.languages)),
        ("cite", ", ".join(facts.cite) and f"{', '.join(facts.cite)} (bench cite {facts.name})"),
        ("full run", _full_run(facts)),
        ("cost", facts.money),
    ):
        if value:
            click.echo(line(f"{word}: {value}", indent=2))
    click.echo(f"  sampling: {_pairs(benchmark.sampling.sent())}")
    click.echo(f"  judge: {'needed' if benchmark.judged else 'none'}")
    shown = {r.name: f"{r.help} Sampling: {_pairs(r.sampling.sent())}" for r in benchmark.roles}
    for name, words in by_player(shown).items():
        click.echo(f"  role {name}: {words}")
    if benchmark.published_with:
        click.echo(line(f"published with: {benchmark.published_with}", indent=2))
    if benchmark.limit_over:
        click.echo(f"  --limit: drawn evenly over {benchmark.limit_over}")
    for option in benchmark.options:
        click.echo(f"  {_option(option)}")
    for one in facts.packs:
        click.echo(f"  pack {one.name}: {one.title} ({one.licence}), {one.state}")
        for file in one.files:
            if file["url"]:
                click.echo(f"    {file['url']}  sha256 {file['sha256']}")
        if one.items:
            click.echo(f"    {plural(len(one.items), 'item')}: {', '.join(one.items)}")


def _full_run(facts: "BenchmarkFacts") -> str:
    if facts.run is None:
        return facts.calls
    often = f", each {facts.run.iterations} times" if facts.run.iterations > 1 else ""
    return f"pack {facts.run.pack}, {plural(facts.run.items, 'item')}{often}; calls: {facts.calls}"


def _without_reading(benchmark: Benchmark, name: str) -> Iterator[Table]:
    """A table for each language of a pack.

    Raises:
        UsageError: The benchmark has no such rules.
    """
    defaults = {option.name: option.default for option in benchmark.options}
    by_language = [option for option in benchmark.options if option.name == "lang"]
    languages = [code for o in by_language for code in o.choices or benchmark.languages]
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


def _as_json(benchmark: Benchmark, facts: "BenchmarkFacts") -> object:
    roles = [
        {"name": role.name, "help": role.help, "sampling": role.sampling.sent()}
        for role in benchmark.roles
    ]
    return {
        "name": benchmark.name,
        "version": benchmark.version,
        "title": benchmark.title,
        **facts.as_json,
        "sampling": benchmark.sampling.sent(),
        "judged": benchmark.judged,
        "published_with": benchmark.published_with and asdict(benchmark.published_with),
        "limit_over": benchmark.limit_over or None,
        **({"roles": roles} if roles else {}),  # a benchmark without roles has no such key
        "options": [
            {"name": o.name, "default": o.default, "choices": o.choices, "help": o.help}
            for o in benchmark.options
        ],
        "packs": facts.packs,
    }
