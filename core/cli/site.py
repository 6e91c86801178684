"""`bench site`: the boards of a journal as a folder of pages."""

import tempfile
from pathlib import Path
from typing import NamedTuple

import click

from .. import console
from ..errors import UsageError
from ..hooks.sections import Table
from ..html import Built, build_site, gather
from ..html.gather import Gathered, places_of
from ..html.masking import Masker
from ..html.policy import TEXTS, Policy
from ..journal import Journal
from ..journal.file import now
from ..plugins import installed
from ..text import line, listed, plural
from . import options
from .command import Command
from .session import sections

_EXAMPLES = "\b\nExamples:\n  bench site -o site && open site/index.html\n  bench site --preview\n"


@click.command("site", cls=Command, epilog=_EXAMPLES)
@click.option("--output", "-o", metavar="FOLDER", type=click.Path(path_type=Path),
              help="Where to write it; a site that is there is brought up to date.")  # fmt: skip
@click.option("--texts", type=click.Choice(TEXTS), default="licensed", show_default=True,
              help="Which transcripts: of packs with a licence, all, or none.")  # fmt: skip
@click.option("--preview", is_flag=True,
              help="Write nothing; list what would become public.")  # fmt: skip
@options.place_options
def site_command(output: Path | None, texts: str, preview: bool, runs_dir: Path) -> None:
    """Write all boards, with a page for each model, as a folder of HTML pages.

    They work from `file://`, ask nobody for anything and name no host or folder. Only what changed
    since the last time is written again.
    """
    if output is None and not preview:
        raise UsageError("name a folder with --output FOLDER, or --preview what it would hold")
    with Journal(runs_dir, create=False) as journal:
        if preview or output is None:
            with tempfile.TemporaryDirectory() as folder:
                _show(make_site(journal, Path(folder) / "site", texts))
            return
        made = make_site(journal, output, texts)
    click.echo(line(_said(made.built)), err=True)
    for message in _masked(made.policy):
        click.echo(line(message), err=True)


class MadeSite(NamedTuple):
    """A site, and what it shows."""

    built: Built
    gathered: Gathered
    policy: Policy


def make_site(journal: Journal, folder: Path, texts: str) -> MadeSite:
    """Write the site of a journal."""
    gathered = gather(journal, installed(), sections)
    policy = Policy(texts, Masker(places_of(journal, gathered.runs)))
    built = build_site(folder, gathered, policy, now()[:10])
    return MadeSite(built, gathered, policy)


def _show(made: MadeSite) -> None:
    """What becomes public, as tables and sentences."""
    packs = {
        b.board.pack.source.sha256: (b.title, b.board.pack.source) for b in made.gathered.boards
    }
    rows = [
        (b.title, b.board.board.pack_name, b.board.board.public_judge or "–", len(b.runs),
         ", ".join(b.runs))
        for b in made.gathered.boards
    ]  # fmt: skip
    boards = Table("Boards", ("benchmark", "pack", "judge", "models", "named"), rows)
    console.output.show(console.tables.table(boards))
    of_packs = [
        (title, p.name, p.sha256[:12], str(p.facts.get("licence") or "none known"),
         "shown" if made.policy.shows(p.facts) else "left out")
        for title, p in packs.values()
    ]  # fmt: skip
    of_pack = Table("Packs", ("benchmark", "pack", "SHA-256", "licence", "transcripts"), of_packs)
    console.output.show(console.tables.table(of_pack))
    click.echo(f"{plural(made.built.written, 'file')}; nothing was written")
    absent = [one.text for one in made.gathered.absent]
    for message in [*_masked(made.policy), *absent]:
        click.echo(line(message))


def _masked(policy: Policy) -> list[str]:
    """What was taken out, in words."""
    found = [f"{what} ({plural(n, 'place')})" for what, n in policy.masker.found.items() if n > 0]
    return [f"left out of what was written: {listed(found, len(found))}"] if found else []


def _said(built: Built) -> str:
    said = f"saved in {built.folder}: {plural(built.written, 'file')} written"
    said += f", {built.kept} as they were" if built.kept else ""
    return said + (f", {built.removed} removed" if built.removed else "")
