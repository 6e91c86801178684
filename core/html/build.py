"""Writing a site: only what changed, and removing only what an earlier build wrote."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeGuard, cast

from .. import __version__
from ..errors import DataError, UsageError
from ..types import Json, digest
from .board_document import board_document
from .board_files import board_files, graded_name, run_file, text_file
from .board_page import board_page
from .gather import Gathered, SiteBoard, SiteRun
from .index_page import compare_page, cost_page, first_documents, glossary_page, index_page
from .item_pages import item_pages
from .judge_pages import judge_pages
from .model_page import model_page, shown_on
from .pairs import pair_file
from .plugin_parts import plugin_page
from .policy import Policy
from .rendering import Page, assets, rendered
from .shapes import FilePart, SiteBoardDocument
from .transcripts import texts_of

MANIFEST = "site.json"
FORMAT = "eibench-site"


class Built(NamedTuple):
    """What a build did."""

    folder: Path
    written: int
    kept: int
    removed: int


@dataclass
class _Writer:
    """Writes files below a folder, and knows which an earlier build wrote.

    Attributes:
        before: By path the digest of what an earlier build wrote.
        texts_before: By the beginning of their paths what files that take long were made from.
        files: The same of this build.
        texts: The same of this build.
        inside: Folders that were found to be in the site.
    """

    folder: Path
    policy: Policy
    before: Mapping[str, str]
    texts_before: Mapping[str, str]
    files: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    inside: set[Path] = field(default_factory=set)
    written: int = 0

    def put(self, part: FilePart | Page) -> None:
        """Write a file, unless it is there as it is; of a page what becomes public."""
        if isinstance(part, Page):
            part = rendered(part, self.policy.masked)
        found = sha256(part.content).hexdigest()
        self.files[part.path] = found
        path = self.folder / part.path
        if self.before.get(part.path) == found and path.is_file():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        self._check_inside(path.parent)
        path.unlink(missing_ok=True)  # a link is replaced, and not written through
        path.write_bytes(part.content)
        self.written += 1

    def put_all(self, parts: Iterable[FilePart | Page]) -> None:
        """Write several."""
        for part in parts:
            self.put(part)

    def _check_inside(self, folder: Path) -> None:
        """Refuse a folder that a link leads out of the site.

        Raises:
            UsageError: It does.
        """
        if folder in self.inside:
            return
        if not folder.resolve().is_relative_to(self.folder.resolve()):
            raise UsageError(f"{folder} is a link that leads out of the site; remove it")
        self.inside.add(folder)

    def kept(self, start: str, state: str, parts: Iterable[FilePart]) -> None:
        """Write the files whose paths begin so, unless they were made from the same."""
        self.texts[start] = state
        known = {p: d for p, d in self.before.items() if p.startswith(start)}
        same = self.texts_before.get(start) == state
        if same and all((self.folder / path).is_file() for path in known):
            self.files |= known
            return
        self.put_all(parts)

    def begin(self) -> None:
        """Say whose folder it is, and that no file can be trusted until the build has ended."""
        self._say("", dict.fromkeys(self.before, ""), {})

    def end(self, date: str) -> int:
        """Remove what is of an earlier build, and write the manifest; how many were removed."""
        stale = [path for path in self.before if path not in self.files]
        for path in stale:
            if (self.folder / path).parent.is_dir():
                self._check_inside((self.folder / path).parent)
                (self.folder / path).unlink(missing_ok=True)
        self._say(date, self.files, self.texts)
        return len(stale)

    def _say(self, date: str, files: Mapping[str, str], texts: Mapping[str, str]) -> None:
        made = {"format": FORMAT, "eibench": __version__, "date": date,
                "files": files, "texts": texts}  # fmt: skip
        (self.folder / MANIFEST).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def build_site(folder: Path, gathered: Gathered, policy: Policy, date: str) -> Built:
    """Write a site, or bring one up to date.

    Args:
        folder: New, empty, or of an earlier build.
        gathered: All that it shows.
        policy: What becomes public.
        date: The day, as the pages say it.

    Raises:
        UsageError: The folder holds something else.
        DataError: It cannot be written.
    """
    try:
        writer = _writer(folder, policy)
        writer.begin()
        _write(writer, gathered, date)
        removed = writer.end(date)
    except OSError as error:
        raise DataError(folder, f"cannot be written: {error.strerror}") from None
    return Built(folder, writer.written, len(writer.files) - writer.written, removed)


def _write(writer: _Writer, gathered: Gathered, date: str) -> None:
    policy = writer.policy
    documents: dict[str, SiteBoardDocument] = {
        board.key: policy.masked(board_document(board)) for board in gathered.boards
    }
    writer.put_all(assets())
    writer.put(index_page(gathered, documents, date))
    writer.put(glossary_page(gathered.boards))
    writer.put(compare_page())
    for page in gathered.pages:
        writer.put(plugin_page(page, policy))
    writer.put(cost_page(first_documents(gathered.boards, documents)))
    writer.put_all(judge_pages({b.key: (b, documents[b.key]) for b in gathered.boards}))
    for board in gathered.boards:
        _board(writer, board, documents[board.key])
    for run in _runs_with_texts(gathered, policy).values():
        parts = (text_file(run, policy.published(text)) for text in texts_of(run, public=True))
        state = digest([run.state, __version__, policy.masker.scope])
        writer.kept(f"texts/{graded_name(run)}/", state, parts)
    shown = [shown_on(board, documents[board.key], policy) for board in gathered.boards]
    for name in dict.fromkeys(name for board in gathered.boards for name in board.runs):
        found = [board for board in shown if name in board.board.runs]
        writer.put(model_page(name, found, policy, gathered.runs))


def _board(writer: _Writer, board: SiteBoard, document: SiteBoardDocument) -> None:
    history = writer.policy.masked(board.history)
    writer.put(board_page(document, history))
    writer.put_all(board_files(document))
    states = sorted((name, run.state) for name, run in board.runs.items())
    state = digest([__version__, cast("Json", document["rows"]), states])
    writer.kept(f"boards/{board.key}-pairs.", state, (make(board) for make in (pair_file,)))
    writer.put_all(item_pages(board, document))
    writer.put_all(run_file(board, run, writer.policy) for run in board.runs.values())


def _runs_with_texts(gathered: Gathered, policy: Policy) -> dict[str, SiteRun]:
    """Each run whose transcripts are shown, once for each grader."""
    return {
        graded_name(run): run
        for board in gathered.boards
        if policy.shows(board.board.pack.source.facts)
        for run in board.runs.values()
    }


def _writer(folder: Path, policy: Policy) -> _Writer:
    """A writer for a folder that is new, empty or ours."""
    manifest = folder / MANIFEST
    if manifest.is_file():
        known = _read(manifest)
        return _Writer(folder, policy, known["files"], known["texts"])
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            f"{folder} holds something that bench site did not write; name a new or empty folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    return _Writer(folder, policy, {}, {})


def _read(manifest: Path) -> Mapping[str, Mapping[str, str]]:
    """What an earlier build wrote; paths that leave the folder are none of ours."""
    wrong = DataError(
        manifest, "is not a manifest of bench site; delete the folder, or name another"
    )
    try:
        made = json.loads(manifest.read_text(encoding="utf-8"))
    except ValueError:
        raise wrong from None
    if not isinstance(made, dict) or made.get("format") != FORMAT:
        raise wrong
    files, texts = made.get("files"), made.get("texts")
    if not (_is_texts(files) and _is_texts(texts) and all(map(_is_inside, files))):
        raise wrong
    return {"files": files, "texts": texts}


def _is_texts(value: object) -> TypeGuard[dict[str, str]]:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _is_inside(path: str) -> bool:
    parts = path.split("/")
    return not path.startswith("/") and "\\" not in path and not {"", ".", ".."} & set(parts)
