"""`bench plugin`: for those who write plugins."""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import click

import eibench
from eibench import JsonDict, UsageError, check_name, show_json, tell
from eibench.checking import Subject, installed_subjects, named_subjects
from eibench.text import line, plural

from . import conformance, scaffold
from .conformance import lock as locks


@click.group("plugin")
def plugin_command() -> None:
    """Begin a plugin, and check it before others use it."""


@plugin_command.command("new", cls=eibench.Command)
@click.argument("name")
@click.option("--kind", type=click.Choice(scaffold.KINDS), required=True,
                help="How it measures.")  # fmt: skip
@click.option("--declared", is_flag=True, help="Declare it in TOML (all but game), not in Python.")
@click.option(
    "--pairwise", is_flag=True, help="Compare models in pairs too (yes-no, rubric, talk)."
)
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


@plugin_command.command("check", cls=eibench.Command)
@click.argument("names", metavar="[NAME|PATH]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All that is installed.")
@click.option("--dataset", metavar="PATH", help="Data of a benchmark that bundles none.")
@click.option("--verdicts", metavar="FILE", help="Published verdicts, as JSON lines (K21).")
@click.option(
    "--update-lock", is_flag=True, help=f"First write what is asked and graded now to {locks.NAME}."
)
@click.option("--only", metavar="ID", multiple=True, help="Make this check (repeat for several).")
@eibench.json_option
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
    subjects = [s for name in names for s in named_subjects(name)]
    published = Path(verdicts) if verdicts else None
    rows: list[JsonDict] = []
    for chosen in installed_subjects() if everything else subjects:
        subject = replace(chosen, dataset=dataset, verdicts=published)
        if not json_output:
            click.echo(line(f"{subject.kind} {subject.name}"))
        if update_lock and subject.kind == "benchmark" and not subject.broken:
            tell(f"{subject.name}: written to {locks.update(subject)}")
        results = []
        for result in conformance.results_of(subject, only):
            results.append(result)
            if not json_output:
                _print(result)
        rows.append(_row(subject, results))
    failed = [str(row["name"]) for row in rows if not row["ok"]]
    if json_output:
        show_json({"ok": not failed, "plugins": rows})
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


def _row(subject: Subject, results: Sequence[conformance.CheckResult]) -> JsonDict:
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
    facts: JsonDict = {"name": subject.name, "kind": subject.kind, "ok": is_ok, "skipped": skipped}
    return {**facts, "checks": checks}
