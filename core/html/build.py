"""Writing a site: only what changed, and removing only what an earlier build wrote."""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeGuard, cast

from .. import __version__
from ..errors import DataError, UsageError
from ..types import Json, digest
from .board_document import board_document
from .board_files import board_files, graded_name, put_file, run_file
from .board_page import board_page
from .checkpoints import histories
from .cost_page import cost_page
from .gather import Gathered, SiteBoard
from .index_page import (
    compare_page,
    first_documents,
    glossary_page,
    index_boards,
    index_page,
)
from .item_pages import first_words, item_pages, item_paths, items_data, items_on
from .judge_pages import judge_pages
from .model_page import model_page, shown_on
from .pairs import pair_file
from .plugin_parts import plugin_page
from .policy import Policy
from .rendering import Page, assets, rendered
from .shapes import FilePart, SiteBoardDocument
from .texts import text_files

MANIFEST = "site.json"
FORMAT = "eibench-site"
MOST_READ = 500
"""Samples of a site up to which it has sections that read runs, so that builds stay quick."""


class Built(NamedTuple):
    """What a build did."""

    folder: Path
    written: int
    kept: int
    removed: int


class _Writer:
    """Writes files below a folder that is new, empty or of an earlier build, and knows which.

    Attributes:
        before: By path the digest of what an earlier build wrote.
        texts_before: By the beginning of their paths what files that take long were made from.
    """

    def __init__(self, folder: Path, policy: Policy, *, demo: bool) -> None:
        self.folder, self.policy, self._demo = folder, policy, demo
        manifest = folder / MANIFEST
        if manifest.is_file():
            self.before, self.texts_before = _read(manifest)
        elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            message = "holds something that bench site did not write; name a new or empty folder"
            raise UsageError(f"{folder} {message}")
        else:
            folder.mkdir(parents=True, exist_ok=True)
            self.before, self.texts_before = {}, {}
        self._files, self._texts = dict[str, str](), dict[str, str]()
        self._inside, self._written = set[Path](), 0

    def put(self, parts: Iterable[FilePart | Page]) -> None:
        """Write files, unless they are there as they are; of pages what becomes public."""
        for part in parts:
            if isinstance(part, Page):
                part = rendered(part, self.policy.masked, demo=self._demo)
            path, content = part
            self._files[path] = digest_of_file = sha256(content).hexdigest()
            file = self.folder / path
            if self.before.get(path) == digest_of_file and file.is_file():
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            self._check_inside(file.parent)
            file.unlink(missing_ok=True)  # a link is replaced, and not written through
            file.write_bytes(content)
            self._written += 1

    def _check_inside(self, folder: Path) -> None:
        """Refuse a folder that a link leads out of the site."""
        if folder not in self._inside:
            if not folder.resolve().is_relative_to(self.folder.resolve()):
                raise UsageError(f"{folder} is a link that leads out of the site; remove it")
            self._inside.add(folder)

    def put_once(self, start: str, state: str, parts: Iterable[FilePart]) -> None:
        """Write the files whose paths begin so, unless they were made from the same."""
        self._texts[start] = state
        known = {path: of for path, of in self.before.items() if path.startswith(start)}
        same = self.texts_before.get(start) == state
        if same and all((self.folder / path).is_file() for path in known):
            self._files |= known
        else:
            self.put(parts)

    def begin(self) -> None:
        """Say whose folder it is, and that no file can be trusted until the build has ended."""
        self._say("", dict.fromkeys(self.before, ""), {})

    def end(self, date: str) -> Built:
        """Remove what is of an earlier build, and write the manifest."""
        stale = [path for path in self.before if path not in self._files]
        for file in (self.folder / path for path in stale):
            if file.parent.is_dir():
                self._check_inside(file.parent)
                file.unlink(missing_ok=True)
        self._say(date, self._files, self._texts)
        return Built(self.folder, self._written, len(self._files) - self._written, len(stale))

    def _say(self, date: str, files: Mapping[str, str], texts: Mapping[str, str]) -> None:
        manifest = {"format": FORMAT, "eibench": __version__, "date": date,
                    "files": files, "texts": texts}  # fmt: skip
        text = json.dumps(manifest, indent=1) + "\n"
        (self.folder / MANIFEST).write_text(text, encoding="utf-8")


def build_site(folder: Path, gathered: Gathered, policy: Policy, date: str) -> Built:
    """Write a site, or bring one up to date.

    Raises:
        UsageError: The folder holds something else.
        DataError: It cannot be written.
    """
    try:
        writer = _Writer(folder, policy, demo=any(run.demo for run in gathered.runs))
        writer.begin()
        _write(writer, gathered, date)
        return writer.end(date)
    except OSError as error:
        raise DataError(folder, f"cannot be written: {error.strerror}") from None


def _write(writer: _Writer, gathered: Gathered, date: str) -> None:
    policy, boards = writer.policy, gathered.boards
    documents: dict[str, SiteBoardDocument] = {
        board.key: policy.masked(board_document(board)) for board in boards
    }
    writer.put(assets())
    index = index_page(index_boards(boards, documents), gathered, date)
    writer.put([index, glossary_page(boards), compare_page()])
    writer.put(plugin_page(page, policy) for page in gathered.pages)
    writer.put([cost_page(first_documents(boards, documents))])
    writer.put(judge_pages([(board, documents[board.key]) for board in boards]))
    for board in boards:
        _board(writer, board, documents[board.key])
    written = set[str]()
    for board in boards:
        if policy.shows(board.board.pack.source.facts):
            _texts(writer, board, written)
    runs = {run.run.run_id: run.items for board in boards for run in board.runs.values()}
    samples = sum(len(row.samples) for items in runs.values() for row in items.items)
    shown = [
        shown_on(board, document, policy)._replace(
            histories=histories(board, document), reads_runs=samples <= MOST_READ
        )
        for board in boards
        for document in [documents[board.key]]
    ]
    for name in dict.fromkeys(name for board in boards for name in board.runs):
        of_model = [board for board in shown if name in board.board.runs]
        writer.put([model_page(name, of_model, policy, gathered.runs)])


def _board(writer: _Writer, board: SiteBoard, document: SiteBoardDocument) -> None:
    writer.put([board_page(document, writer.policy.masked(board.history)), *board_files(document)])
    states = sorted((name, run.state) for name, run in board.runs.items())
    state = digest([__version__, cast("Json", document["rows"]), states])
    pairs = (make(board) for make in (pair_file,))  # made only where they are not there
    writer.put_once(f"boards/{board.key}-pairs.", state, pairs)
    texts = writer.policy.shows(board.board.pack.source.facts)
    words = writer.policy.masked(first_words(board)) if texts else {}
    items = items_on(board, document, words)
    writer.put(item_pages(board, document, items, texts=texts))
    data = writer.policy.masked(items_data(board, document, items, texts=texts))
    writer.put([put_file(f"boards/{board.key}-items", data)])
    paths = item_paths(board)
    writer.put(run_file(board, run, writer.policy, paths) for run in board.runs.values())


def _texts(writer: _Writer, board: SiteBoard, written: set[str]) -> None:
    """The transcripts of a board's runs but those that are written."""
    policy = writer.policy
    for run in board.runs.values():
        folder = graded_name(run)
        if folder not in written:
            state = digest([run.state, __version__, policy.masker.scope])
            writer.put_once(f"texts/{folder}/", state, text_files(board, run, policy))
            written.add(folder)


def _read(manifest: Path) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """What an earlier build wrote; paths that leave the folder are none of ours."""
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except ValueError:
        content = None
    if isinstance(content, dict) and content.get("format") == FORMAT:
        files, texts = content.get("files"), content.get("texts")
        if _is_texts(files) and _is_texts(texts) and all(map(_is_inside, files)):
            return files, texts
    raise DataError(manifest, "is not a manifest of bench site; delete the folder, or name another")


def _is_texts(value: object) -> TypeGuard[dict[str, str]]:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _is_inside(path: str) -> bool:
    parts = path.split("/")
    return not path.startswith("/") and "\\" not in path and not {"", ".", ".."} & set(parts)
