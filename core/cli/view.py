"""`bench site` and `bench view`: the boards of a journal as a folder of pages, or in a browser."""

import contextlib
import hashlib
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from .. import console
from ..datasets import cache_folder
from ..errors import BenchError, UsageError
from ..exchange.submissions import submitted_runs
from ..hooks.sections import Table
from ..html import Built, build_site, gather
from ..html.gather import NO_SUBMISSIONS, Gathered, Submissions, places_of
from ..html.masking import Masker
from ..html.policy import TEXTS, Policy
from ..html.selection import select
from ..html.serving import SiteServer, follow
from ..journal import Journal
from ..journal.file import now
from ..plugins import catalogue_of
from ..runs.run_set import RunSet
from ..text import line, listed, plural
from . import options
from .command import command
from .selectors import open_runs
from .session import sections, tell

Words = tuple[str, ...]


def _selection_options(command: Any) -> Any:
    """``--only`` and ``--without``."""
    what = "a benchmark, or a model by its name or the end of it; may be repeated"
    only, without = f"Show only this: {what}.", f"Leave this out: {what}."
    for name, text in (("--without", without), ("--only", only)):
        command = options.option(name, multiple=True, metavar="NAME", help=text)(command)
    return command


@command("site", "bench site -o site && open site/index.html",
         "bench site --dry-run --without MODEL")  # fmt: skip
@click.option("--output", "-o", metavar="FOLDER", type=click.Path(path_type=Path),
              help="Where to write it; a site that is there is brought up to date.")  # fmt: skip
@click.option("--texts", type=click.Choice(TEXTS), default="licensed", show_default=True,
              help="Which transcripts: of packs with a licence, all, or none.")  # fmt: skip
@click.option("--submissions", metavar="FOLDER", type=click.Path(path_type=Path),
              help="Show the bundles in this folder, each verified, instead of runs.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Write nothing; list what would become public.")
@_selection_options
@options.demo_option
@options.place_options
def site_command(
    output: Path | None,
    texts: str,
    submissions: Path | None,
    dry_run: bool,
    runs_dir: Path,
    **chosen: Words,
) -> None:
    """Write all boards, with a page for each model, as a folder of HTML pages.

    They work from `file://`, ask nobody for anything and name no host or folder. Only what changed
    since the last time is written again. A model that is left out is named nowhere, and the
    ratings and ranks of the others are reckoned as if it had never been run.
    """
    if output is None and not dry_run:
        raise UsageError(
            "name a folder with --output FOLDER, or give --dry-run to see what it would hold"
        )
    with _read(runs_dir, submissions) as (stored, known):
        if dry_run or output is None:
            with tempfile.TemporaryDirectory() as folder:
                _show(make_site(stored.journal, Path(folder) / "site", texts, known, **chosen))
            return
        site = make_site(stored.journal, output, texts, known, **chosen)
    for one in known.absent:
        tell(f"not on a board: {one.text}")
    built = site.built
    message = f"saved in {built.folder}: {plural(built.written, 'file')} written"
    message += f", {built.kept} as they were" if built.kept else ""
    message += f", {built.removed} removed" if built.removed else ""
    for each in (message, *_masked(site.policy)):
        click.echo(line(each), err=True)


@contextlib.contextmanager
def _read(runs_dir: Path, folder: Path | None) -> Iterator[tuple[RunSet, Submissions]]:
    """The runs that a site is of: those of a runs folder, or of a folder of bundles."""
    if folder is None:
        with open_runs(runs_dir) as stored:
            yield stored, NO_SUBMISSIONS
        return
    with submitted_runs(folder, demo=bool(options.kept("demo"))) as read:
        yield read


class MadeSite(NamedTuple):
    """A site, and what it shows."""

    built: Built
    gathered: Gathered
    policy: Policy


def make_site(
    journal: Journal,
    folder: Path,
    texts: str,
    submissions: Submissions,
    *,
    only: Words = (),
    without: Words = (),
) -> MadeSite:
    """Write the site of a journal, or of what of it is named."""
    catalogue = catalogue_of(journal)
    selection = select(journal, catalogue.benchmarks.things, only, without)
    gathered = gather(journal, catalogue, sections, selection, submissions)
    masker = Masker(places_of(journal, submissions.folder), models=selection.hidden)
    policy = Policy(texts, masker, left_out=selection.left_out)
    built = build_site(folder, gathered, policy, now()[:10])
    return MadeSite(built, gathered, policy)


def _show(site: MadeSite) -> None:
    """What becomes public, as tables and sentences."""
    boards, packs = [], {}
    for one in site.gathered.boards:
        board, pack = one.board.board, one.board.pack.source
        names = (len(one.runs), ", ".join(one.runs))
        boards.append((one.title, board.pack_name, board.public_judge or "–", *names))
        licence = str(pack.facts.get("licence") or "none known")
        texts = "shown" if site.policy.shows(pack.facts) else "left out"
        packs[pack.sha256] = (one.title, pack.name, pack.sha256[:12], licence, texts)
    for table in (
        Table("Boards", ("benchmark", "pack", "judge", "models", "named"), boards),
        Table(
            "Packs", ("benchmark", "pack", "SHA-256", "licence", "transcripts"), [*packs.values()]
        ),
    ):
        console.output.show(console.tables.table(table))
    if left_out := sorted(site.gathered.selection.left_out):
        click.echo(line(f"left out: {plural(len(left_out), 'model')} ({listed(left_out, 8)})"))
    click.echo(f"{plural(site.built.written, 'file')}; nothing was written")
    for message in [*_masked(site.policy), *(one.text for one in site.gathered.absent)]:
        click.echo(line(message))


def _masked(policy: Policy) -> list[str]:
    """What was taken out, in words."""
    masked = [f"{what} ({plural(n, 'place')})" for what, n in policy.masker.counts.items() if n > 0]
    return [f"left out of what was written: {', '.join(masked)}"] if masked else []


@command("view", "bench view", "bench view --runs-dir elsewhere --no-browser")
@options.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N",
                help="The port on this machine (0: any that is free).")  # fmt: skip
@click.option("--browser/--no-browser", default=True, help="Open it in the browser.")
@_selection_options
@options.demo_option
@options.place_options
def view_command(port: int, browser: bool, runs_dir: Path, **chosen: Words) -> None:
    """Look at all boards and models in the browser, with all transcripts, until Ctrl-C.

    Nobody but this machine is served, and only under the address that is printed. Runs that go on
    are followed: the page loads again when there is something new. Nothing is changed.
    """
    with open_runs(runs_dir) as stored:
        runs_dir = stored.journal.folder
    folder = _folder(runs_dir, chosen)

    def build() -> MadeSite:
        with Journal(runs_dir, create=False) as journal:
            return make_site(journal, folder, "all", NO_SUBMISSIONS, **chosen)

    for message in build().gathered.absent:
        click.echo(line(f"note: {message.text}"), err=True)
    with _serving(folder, port) as server, contextlib.suppress(KeyboardInterrupt):
        click.echo(line(f"{server.address}  (Ctrl-C ends it)"))
        if browser:
            webbrowser.open(server.address)
        with _followed(server, runs_dir, build):
            server.serve_forever(poll_interval=0.2)


@contextlib.contextmanager
def _followed(server: SiteServer, runs_dir: Path, build: Callable[[], object]) -> Iterator[None]:
    """Bring the site up to date whenever the journal has changed, while the block lasts."""
    ended = threading.Event()
    args = (server, JournalState(runs_dir), build, ended)
    threading.Thread(target=follow, args=args, kwargs={"tell": _tell}, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _serving(folder: Path, port: int) -> SiteServer:
    try:
        return SiteServer(folder, port)
    except OSError as error:
        raise UsageError(f"--port {port}: {error.strerror}; leave it out for a free one") from None


def _folder(runs_dir: Path, chosen: Mapping[str, Words]) -> Path:
    """Where the site of what is shown of a runs folder is kept: one of its own in the cache."""
    shown = [str(runs_dir.resolve()), *([repr(chosen)] if any(chosen.values()) else ())]
    digest = hashlib.sha256("\n".join(shown).encode()).hexdigest()[:16]
    return cache_folder().parent / "sites" / digest


def _tell(problem: str) -> None:
    click.echo(line(f"warning: not brought up to date: {problem}"), err=True)


class JournalState:
    """What a journal holds, looked at only when its files have been written to.

    A build writes to them too (it keeps what boards are made of), which is nothing new.
    """

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._files: object = None
        self._rows: object = None

    def __call__(self) -> object:
        """Another value for other rows; the same while the journal cannot be read."""
        files = self._written()
        if files != self._files:
            with contextlib.suppress(BenchError):
                self._rows = self._read()
                self._files = files
        return self._rows

    def _written(self) -> list[tuple[str, int, int]]:
        files = []
        for path in sorted(self._runs_dir.glob("bench.sqlite*")):
            with contextlib.suppress(OSError):  # it went meanwhile
                stat = path.stat()
                files.append((path.name, stat.st_mtime_ns, stat.st_size))
        return files

    def _read(self) -> list[tuple[str, str, str]]:
        with Journal(self._runs_dir, create=False) as journal:
            runs = journal.runs()
            return [(run.run_id, run.status, journal.state_of(run)) for run in runs]
