"""`bench data`: the official packs, into the cache and checked."""

import contextlib
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

import eibench.data

from ..datasets import cache_folder, find_pack, manifest_of, read_manifest
from ..datasets.fetching import fetch, import_files
from ..datasets.files import DownloadCallbacks
from ..datasets.official import (
    DATA_ONLY,
    FetchState,
    Ladder,
    OfficialPack,
    is_data_only,
    official_of,
    pack_folders,
    read_ladder,
    read_official,
)
from ..datasets.sources import FileEntry
from ..errors import DataError, UsageError
from ..plugins import installed
from ..reading.names import nearest_of
from ..run.task import have_data
from ..settings.run_config import RunConfig
from ..text import as_text, line, plural
from ..types import JsonDict
from . import options
from .command import Group, named_benchmark
from .session import tell

_LIVE_EVERY_S = 0.1
_PLAIN_EVERY_S = 10.0


def _folders() -> dict[str, Path]:
    return pack_folders(eibench.data.folder(""), installed().data_folders)


def _is_data_only(name: str) -> bool:
    if name not in _folders():  # a file that declares a benchmark, or one that has no manifest
        return False
    return is_data_only(name, _folders()[name], installed().data_folders)


def _pack(name: str) -> OfficialPack:
    """The official pack of that name or of a file that declares a benchmark, or an error."""
    folders, benchmark = _folders(), named_benchmark(name, click.get_current_context())
    if benchmark is not None and benchmark.packs:
        return official_of(benchmark)
    if name not in folders:
        near = " or ".join(map(repr, nearest_of(name, folders)))
        hint = f"did you mean {near}?" if near else f"there are: {', '.join(folders)}"
        raise UsageError(f"unknown pack {name!r}; {hint}")
    return read_official(name, folders[name])


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in _folders() if name.startswith(incomplete)]


_name_argument = click.argument("name", shell_complete=_names)
_lang_option = click.option("--lang", metavar="L", help="Only what this language needs.")


@click.group("data", cls=Group)
def data_command() -> None:
    """List, download and check the official data packs."""


@data_command.command("list")
@options.json_option
def list_command(json_output: bool) -> int:
    """List all packs with state, size, licence and place."""
    rows: list[JsonDict] = []
    broken: list[dict[str, str]] = []
    for name, folder in _folders().items():
        try:
            rows += _rows(name, folder)
        except DataError as error:
            broken.append({"name": name, "reason": str(error)})
    if json_output:
        listing = {"cache": str(cache_folder()), "packs": rows, "broken": broken}
        click.echo(as_text(listing))
    else:
        _print(rows, broken)
    return 3 if broken else 0


def _rows(name: str, folder: Path) -> Iterator[JsonDict]:
    for kind, entry in read_manifest(folder).items():
        row: JsonDict = {"name": name, "pack": kind, "title": entry.facts.get("title", "")}
        row["data_only"] = _is_data_only(name)
        row["licence"] = entry.facts.get("licence", "unknown")
        if kind == "official":
            yield row | _official_row(read_official(name, folder))
        else:
            paths = [folder / file.path for file in entry.files]
            size = sum(path.stat().st_size for path in paths if path.is_file())
            yield row | {"state": "bundled", "size": size, "where": str(folder)}


def _official_row(pack: OfficialPack) -> JsonDict:
    states = {file: pack.state(file) for file in pack.all_files}
    anything = set(states.values()) != {FetchState.ABSENT}
    return {
        "state": _summary(pack, states),
        "size": sum(file.size or 0 for file in pack.all_files),
        "where": str(pack.folder if anything else pack.facts.get("repository", "")),
        "languages": list(pack.languages),
        "files": [_file_row(file, state) for file, state in states.items()],
    }


def _file_row(file: FileEntry, state: FetchState) -> JsonDict:
    row = {"path": file.path, "url": file.url, "sha256": file.checksum, "size": file.size}
    return {**row, "lang": file.lang, "state": str(state)}


def _summary(pack: OfficialPack, states: dict[FileEntry, FetchState]) -> str:
    if FetchState.WRONG in states.values():
        return "wrong"
    if len(kinds := set(states.values())) == 1:
        return str(kinds.pop())
    here = [lang for lang in pack.languages if pack.usable(lang)]
    return f"here ({', '.join(here)})" if here else "incomplete"


def _print(rows: list[JsonDict], broken: list[dict[str, str]]) -> None:
    click.echo(f"cache: {cache_folder()}")
    for row in rows:
        message = f"{row['name']:<20} {row['pack']:<9} {row['state']:<11} {row['size']:>9,} bytes"
        note = f"  ({DATA_ONLY})" if row["data_only"] else ""
        click.echo(line(f"{message}  {row['licence']:<12} {row['where']}{note}"))
    for entry in broken:
        click.echo(line(f"BROKEN  {entry['name']}: {entry['reason']}"))


@data_command.command("fetch")
@_name_argument
@click.option("--from", "source", metavar="DIR|URL", help="Another place that has the same files.")
@_lang_option
@options.flag("--ladder", help="The published results too, into --runs-dir.")
@options.place_options
def fetch_command(
    name: str, source: str | None, lang: str | None, ladder: bool, runs_dir: Path
) -> None:
    """Download an official pack; the same command again resumes it.

    Size and SHA-256 are checked. A pack that is here is the default of bench run. With --ladder,
    the results that its authors published are added to your runs.
    """
    published = ladder_of(name) if ladder else None
    pack = _pack(name)
    if not (published and pack.usable(lang)):
        fetch_pack(pack, lang, source)
    if published:
        _fetch_ladder(published, source)
        from .ladder import import_ladder  # numpy, which few commands need

        import_ladder(published, runs_dir)
    if _is_data_only(name):
        tell(f"{name} is {DATA_ONLY}")


def fetch_pack(pack: OfficialPack, lang: str | None = None, source: str | None = None) -> None:
    """Get what is missing of a pack, and tell how it goes on standard error."""
    if fetched := _fetch(pack, lang, source):
        size, files = sum(file.size or 0 for file in fetched), plural(len(fetched), "file")
        tell(f"{pack.name}: {files}, {size:,} bytes, SHA-256 right, now in {pack.folder}")
    else:
        tell(f"{pack.name}: all there and right in {pack.folder}; nothing was downloaded")


def _fetch(pack: OfficialPack, lang: str | None, source: str | None) -> Sequence[FileEntry]:
    with _meter() as meter:
        callbacks = DownloadCallbacks(progress=meter.progress, say=meter.say)
        return fetch(pack, lang=lang, source=source, callbacks=callbacks)


def ladder_of(name: str) -> Ladder:
    """The published ladder of a pack.

    Raises:
        UsageError: There is no such pack, or it has none.
    """
    return read_ladder(_pack(name).name, _folders()[name])


def _fetch_ladder(ladder: Ladder, source: str | None) -> None:
    fetched = _fetch(ladder, None, source)
    files = f"{plural(len(fetched), 'file')}, git's ids right, now in"
    message = files if fetched else "all there and right in"
    tell(f"{ladder.name}, published ladder: {message} {ladder.folder}")


def get_data(config: RunConfig) -> None:
    """Have the data that a run needs: only `--dataset official` downloads any."""
    have_data(config, fetch_pack)


def tell_pack(config: RunConfig) -> None:
    """Say so when nobody named a pack and it is not the official one that is used."""
    if config.dataset is None and config.benchmark.data is not None:
        source = find_pack(config.benchmark, None, config.options)
        if source.name == "bundled" and "official" in manifest_of(config.benchmark):
            click.echo(
                "using the bundled pack: the official data is not on this machine "
                f"(bench data fetch {config.benchmark.in_commands} gets it)",
                err=True,
            )


@data_command.command("import")
@_name_argument
@click.argument("path", type=click.Path(path_type=Path))
def import_command(name: str, path: Path) -> None:
    """Put a file or folder that you have into the cache.

    Files are known by their contents, whatever they are called.
    """
    pack = _pack(name)
    files = import_files(pack, path)
    tell(f"{pack.name}: {', '.join(f.path for f in files)} now in {pack.folder}")
    missing = [f.path for f in pack.all_files if pack.state(f) is not FetchState.HERE]
    if missing:
        tell(f"still to come: {', '.join(missing)}")


@data_command.command("verify")
@click.argument("name", required=False, shell_complete=_names)
def verify_command(name: str | None) -> None:
    """Check the SHA-256 of all that is in the cache.

    Exit 3 if a file is wrong, or the pack NAME is not all there.
    """
    packs = [_pack(name)] if name else list(_begun())
    bad = [message for pack in packs for message in _verified(pack)]
    if bad:
        raise DataError("; ".join(bad), "bench data fetch NAME gets what is wrong or missing")
    if not packs:
        click.echo(f"nothing is in {cache_folder()}; bench data fetch NAME gets a pack")


def _begun() -> Iterator[OfficialPack]:
    """The packs that have a file in the cache."""
    for name, folder in _folders().items():
        if "official" in read_manifest(folder):
            pack = read_official(name, folder)
            if any(pack.state(file) is not FetchState.ABSENT for file in pack.all_files):
                yield pack


def _verified(pack: OfficialPack) -> Iterator[str]:
    """Print how each file is; what is wrong with the pack."""
    states = {file: pack.state(file) for file in pack.all_files}
    for file, state in states.items():
        click.echo(f"{state:<7} {pack.folder / file.path}")
    wrong = [f"{pack.folder / f.path} is wrong" for f, s in states.items() if s is FetchState.WRONG]
    yield from wrong
    if not wrong and not pack.usable():
        yield f"{pack.name} is not all in {pack.folder}"


@data_command.command("path")
@_name_argument
@_lang_option
def path_command(name: str, lang: str | None) -> None:
    """Print the folder of a pack that is in the cache."""
    pack = _pack(name)
    pack.files(lang)  # refuses a language that it does not have
    if not pack.usable(lang):
        command = f"bench data fetch {name}" + (f" --lang {lang}" if lang else "")
        raise DataError(pack.folder, f"the official pack of {name} is not there; {command} gets it")
    click.echo(pack.folder)


class _Meter:
    """A download's progress: one line that changes on a terminal, plain lines elsewhere."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._shown_at = 0.0 if self._live else time.monotonic()

    def progress(self, path: str, have: int, size: int) -> None:
        """Show how far a file is."""
        every = _LIVE_EVERY_S if self._live else _PLAIN_EVERY_S
        if time.monotonic() - self._shown_at >= every:
            self._shown_at = time.monotonic()
            self._show(f"{path}: {have:,} of {size:,} bytes ({have / size:.0%})")

    def say(self, message: str) -> None:
        """Show what went wrong and will be tried again; of use to who watches only."""
        if self._live:
            self._show(message)

    def _show(self, message: str) -> None:
        end = "" if self._live else "\n"
        start = "\r\x1b[2K" if self._live else ""
        shown = (
            line(message)[: shutil.get_terminal_size().columns - 1] if self._live else line(message)
        )
        click.echo(start + shown + end, nl=False, err=True)

    def end(self) -> None:
        """Take the live line away."""
        if self._live:
            click.echo("\r\x1b[2K", nl=False, err=True)


@contextlib.contextmanager
def _meter() -> Iterator[_Meter]:
    meter = _Meter()
    try:
        yield meter
    finally:
        meter.end()
