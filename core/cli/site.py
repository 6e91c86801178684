"""`bench site`: the boards of a journal as a folder of pages."""

from collections.abc import Iterator
from pathlib import Path

import click

from ..journal import Journal
from ..journal.file import now
from ..pages.inputs import ItemText
from ..plugins import installed
from ..reports.transcripts import item_records
from ..site import Built, build_site, gather
from ..site.gather import SiteRun
from ..site.policy import TEXTS, Policy
from ..text import line, plural
from . import options
from .command import Command
from .settings import config_option
from .show import beside_reference

_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench site -o site && open site/index.html\n"
    "  bench site -o site --texts none\n"
)


@click.command("site", cls=Command, epilog=_EXAMPLES)
@click.option("--output", "-o", metavar="FOLDER", required=True, type=click.Path(path_type=Path),
              help="Where to write it; a site that is there is brought up to date.")  # fmt: skip
@click.option("--texts", type=click.Choice(TEXTS), default="licensed", show_default=True,
              help="Which transcripts: of packs with a licence, all, or none.")  # fmt: skip
@options.runs_dir_option
@config_option
def site_command(output: Path, texts: str, runs_dir: Path) -> None:
    """Write all boards, with a page for each model, as a folder of HTML pages.

    They work from `file://`, ask nobody for anything and name no host or folder. Only what changed
    since the last time is written again.
    """
    with Journal(runs_dir, create=False) as journal:
        built = make_site(journal, output, Policy(texts))
    click.echo(line(_said(built)), err=True)


def make_site(journal: Journal, folder: Path, policy: Policy) -> Built:
    """Write the site of a journal."""
    gathered = gather(journal, installed())

    def texts(run: SiteRun) -> Iterator[ItemText]:
        beside = beside_reference(journal, run.run)
        ids = [row.item_id for row in run.items.items]
        for record in item_records(journal, run.run, ids):
            yield ItemText(record, beside(record))

    return build_site(folder, gathered, texts, policy, now()[:10])


def _said(built: Built) -> str:
    said = f"saved in {built.folder}: {plural(built.written, 'file')} written"
    said += f", {built.kept} as they were" if built.kept else ""
    return said + (f", {built.removed} removed" if built.removed else "")
