"""`bench plugin`: for those who write plugins."""

import shlex
from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import click

from ..errors import UsageError
from ..plugins import scaffold
from ..reading.names import check_name
from ..testing import conformance
from ..testing.conformance import lock as locks
from ..testing.conformance import targets
from ..text import as_text, line, plural
from ..types import JsonDict
from . import options
from .command import Group
from .session import tell


@click.group("plugin", cls=Group)
def plugin_command() -> None:
    """Begin a plugin, and check it before others use it."""


@plugin_command.command("new")
@click.argument("name")
@options.option("--kind", type=click.Choice(scaffold.KINDS), required=True,
                help="How it measures.")  # fmt: skip
@options.flag("--declared", help="Declare it in TOML (all but game), not in Python.")
@options.flag("--pairwise", help="Compare models in pairs too (yes-no, rubric, talk).")
@click.option("-o", "--output", metavar="DIR", type=click.Path(path_type=Path), default=Path(),
              help="The folder in which a folder NAME is made.", show_default=True)  # fmt: skip
def new_command(name: str, kind: str, declared: bool, pairwise: bool, output: Path) -> None:
    """Write a package with a benchmark that runs, to be changed into yours.

    A choice is among texts; yes-no is a list of questions that a judge answers, a rubric of
    criteria that it grades; in a talk a further model plays somebody; in a game two do.
    """
    folder = output / name
    texts = scaffold.package_files(
        name, kind, declared=declared, pairwise=pairwise, year=date.today().year
    )
    if folder.exists():
        raise UsageError(f"{folder} is there already; name it otherwise, or give -o DIR")
    try:
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from None
    click.echo(f"{plural(len(texts), 'file')} in {folder}; begin with README.md. Next:")
    shown = shlex.quote(f"{folder}")
    for command in (f"pip install -e {shown}'[test]'", f"pytest {shown}", f"bench run {name}"):
        click.echo(f"  {command}")


@plugin_command.command("check")
@click.argument("names", metavar="[NAME|PATH]...", nargs=-1)
@options.flag("--all", "everything", help="All that is installed.")
@options.option("--dataset", metavar="PATH", help="Data of a benchmark that bundles none.")
@options.option("--verdicts", metavar="FILE", help="Published verdicts, as JSON lines (K21).")
@options.flag("--update-lock", help=f"First write what is asked and graded now to {locks.NAME}.")
@options.option("--only", metavar="ID", multiple=True, help="Make this check (repeat for several).")
@options.json_option
def check_command(
    names: tuple[str, ...],
    everything: bool,
    dataset: str | None,
    verdicts: str | None,
    update_lock: bool,
    only: tuple[str, ...],
    json_output: bool,
) -> int:
    """Check benchmarks, providers and rating engines.

    NAME is what is installed, PATH a file or a project that need not be. Each failure says which
    method it is of, at which item, in which file and line, and what to do. Exit 1 where there is
    one. docs/plugins.md lists the checks.
    """
    for name in only:
        check_name(name, conformance.CHECKS, f"no check is called {name!r}", "there are")
    if bool(names) == everything:
        raise UsageError("name what to check, or give --all")
    chosen = (
        targets.all_installed()
        if everything
        else [t for name in names for t in targets.named(name)]
    )
    rows: list[JsonDict] = []
    for target in chosen:
        if not json_output:
            click.echo(line(f"{target.kind} {target.name}"))
        results = []
        published = Path(verdicts) if verdicts else None
        subject = conformance.subject_of(target, dataset=dataset, verdicts=published)
        if update_lock and target.kind == "benchmark" and not target.broken:
            tell(f"{target.name}: written to {locks.update(subject)}")
        for result in conformance.results_of(target, subject, only):
            results.append(result)
            if not json_output:
                _print(result)
        rows.append(_row(target, results))
    failed = [str(row["name"]) for row in rows if not row["ok"]]
    if json_output:
        click.echo(as_text({"ok": not failed, "plugins": rows}))
    else:
        skipped = sum(int(str(row["skipped"])) for row in rows)
        shown = f"not conforming: {', '.join(failed)}" if failed else "all conform"
        click.echo(line(f"{shown}; {plural(skipped, 'check')} not made" if skipped else shown))
    return 1 if failed else 0


def _print(result: conformance.CheckResult) -> None:
    """A line for the check, or one for each of its findings."""
    start = f"  {result.verdict:<4}  {result.id}"
    for message in map(str, result.findings):
        click.echo(line(f"{start}: {message}", indent=2))
    if not result.findings:
        skipped = f" ({result.reason})" if result.reason else ""
        click.echo(line(f"{start}: {result.title}{skipped}", indent=2))


def _row(target: targets.CheckTarget, results: Sequence[conformance.CheckResult]) -> JsonDict:
    counts = Counter(result.verdict for result in results)
    checks: list[JsonDict] = [
        {
            "id": result.id,
            "title": result.title,
            "verdict": str(result.verdict),
            "reason": result.reason,
            "seconds": round(result.seconds, 3),
            "findings": [finding._asdict() for finding in result.findings],
        }
        for result in results
    ]
    is_ok = not counts[conformance.Conformance.FAIL]
    skipped = counts[conformance.Conformance.SKIP]
    facts: JsonDict = {"name": target.name, "kind": target.kind, "ok": is_ok, "skipped": skipped}
    return {**facts, "checks": checks}
