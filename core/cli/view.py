"""`bench view`: the site of a runs folder in a browser, following runs that go on."""

import contextlib
import hashlib
import threading
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import click

from ..datasets import cache_folder
from ..errors import BenchError, UsageError
from ..html.serving import SiteServer, follow
from ..journal import Journal
from ..text import line
from . import options
from .command import Command
from .site import MadeSite, make_site

_EXAMPLES = "\b\nExamples:\n  bench view\n  bench view --runs-dir elsewhere --no-browser\n"


@click.command("view", cls=Command, epilog=_EXAMPLES)
@options.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N",
                help="The port on this machine (0: any that is free).")  # fmt: skip
@click.option("--browser/--no-browser", default=True, help="Open it in the browser.")
@options.place_options
def view_command(port: int, browser: bool, runs_dir: Path) -> None:
    """Look at all boards and models in the browser, with all transcripts, until Ctrl-C.

    Nobody but this machine is served, and only under the address that is printed. Runs that go on
    are followed: the page loads again when there is something new. Nothing is changed.
    """
    folder = _folder(runs_dir)
    for message in _build(runs_dir, folder).gathered.absent:
        click.echo(line(f"note: {message}"), err=True)
    with _serving(folder, port) as server, contextlib.suppress(KeyboardInterrupt):
        click.echo(line(f"{server.address}  (Ctrl-C ends it)"))
        if browser:
            webbrowser.open(server.address)
        with _followed(server, runs_dir, folder):
            server.serve_forever(poll_interval=0.2)


@contextlib.contextmanager
def _followed(server: SiteServer, runs_dir: Path, folder: Path) -> Iterator[None]:
    """Bring the site up to date whenever the journal has changed, while the block lasts."""
    ended = threading.Event()
    about = (server, JournalState(runs_dir), lambda: _build(runs_dir, folder), ended)
    threading.Thread(target=follow, args=about, kwargs={"tell": _tell}, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _serving(folder: Path, port: int) -> SiteServer:
    try:
        return SiteServer(folder, port)
    except OSError as error:
        raise UsageError(f"--port {port}: {error.strerror}; leave it out for a free one") from None


def _folder(runs_dir: Path) -> Path:
    """Where the site of a runs folder is kept: a folder of its own in the cache."""
    digest = hashlib.sha256(str(runs_dir.resolve()).encode()).hexdigest()[:16]
    return cache_folder().parent / "sites" / digest


def _build(runs_dir: Path, folder: Path) -> MadeSite:
    with Journal(runs_dir, create=False) as journal:
        return make_site(journal, folder, "all")


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
        found = []
        for path in sorted(self._runs_dir.glob("bench.sqlite*")):
            with contextlib.suppress(OSError):  # it went meanwhile
                stat = path.stat()
                found.append((path.name, stat.st_mtime_ns, stat.st_size))
        return found

    def _read(self) -> list[tuple[str, str, str]]:
        with Journal(self._runs_dir, create=False) as journal:
            runs = journal.runs()
            return [(run.run_id, run.status, journal.state_of(run)) for run in runs]
