"""The published .docx files: stories in two languages, the norm, and the prompts.

They are read by their structure (headings, numbered options, rows of four numbers), so that
nothing of their text is needed here. The irregular places that are known: an option that
ends with a colon in place of a semicolon, and stories that share a paragraph with their
options.
"""

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple
from xml.parsers import expat

from eibench import DataError, folder, read_json

from .norms import MeanAndSD, Norm
from .stories import N_OPTIONS, Contents, Story

MOST_BYTES = 16 * 2**20
"""Of the unpacked text; the official files have under 0.2 MiB."""
MOST_RATIO = 200
"""Unpacked over packed size; text in XML packs to about a tenth."""
_FREE = 2**20
"""Below this size no ratio is suspicious."""
_MEMBER = "word/document.xml"
_CHUNK = 1 << 16
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


def read_paragraphs(path: Path) -> list[str]:
    """The text of each paragraph in order; tabs are tabs, line breaks are newlines."""
    collector = _Paragraphs()
    try:
        collector.parser.Parse(_document(path), True)
    except (expat.ExpatError, ValueError, LookupError) as error:  # the last two: its encoding
        raise DataError(path, f"its {_MEMBER} is not XML: {error}") from None
    except _Refused as error:
        raise DataError(path, f"its {_MEMBER} {error}, which is refused") from None
    return collector.paragraphs


class _Refused(Exception):
    """The XML holds what no document of a word processor does."""


def _document(path: Path) -> bytes:
    """The unpacked XML of the text."""
    try:
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo(_MEMBER)
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise DataError(path, "not a .docx file: it is packed in an unusual way")
            with archive.open(info) as member:
                most = min(MOST_BYTES, max(_FREE, info.compress_size * MOST_RATIO))
                return _limited(path, member, most)
    except FileNotFoundError:
        raise DataError(path, "no such file; check the path") from None
    except KeyError:
        raise DataError(path, f"not a .docx file: it holds no {_MEMBER}") from None
    except _BROKEN as error:
        raise DataError(path, f"not a .docx file: {error}") from None
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror}") from None


def _limited(path: Path, member: IO[bytes], most: int) -> bytes:
    unpacked = bytearray()
    while chunk := member.read(_CHUNK):
        unpacked += chunk
        if len(unpacked) > most:
            raise DataError(path, f"its {_MEMBER} unpacks to over {most:,} bytes, which is refused")
    return bytes(unpacked)


class _Paragraphs:
    """Collects text while expat reads."""

    def __init__(self) -> None:
        self.paragraphs: list[str] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self._open: list[str] = []
        self._pieces: list[str] = []

    def _start(self, name: str, attributes: object) -> None:
        # A tab outside a run is a tab stop of the paragraph's layout, not a character.
        in_run = bool(self._open) and self._open[-1] == f"{_W}r"
        if in_run and name == f"{_W}tab":
            self._pieces.append("\t")
        elif in_run and name in (f"{_W}br", f"{_W}cr"):
            self._pieces.append("\n")
        self._open.append(name)

    def _end(self, name: str) -> None:
        self._open.pop()
        if name == f"{_W}p":
            self.paragraphs.append("".join(self._pieces))
            self._pieces.clear()

    def _text(self, data: str) -> None:
        if self._open and self._open[-1] == f"{_W}t":
            self._pieces.append(data)

    def _doctype(self, *declared: object) -> None:
        raise _Refused("declares a document type")


ITEMS, NORM, PROMPTS = "items.docx", "norm.docx", "prompts.docx"
PROMPTS_FILE = "Prompts.docx"
"""What upstream calls the file of the prompts; a folder may lack it."""
FACTS = folder("seceu") / "norm.json"
_HEADING = re.compile(r"Item\s+(?P<number>\d+)|第(?P<numeral>[一二三四五六七八九十]+)题")
_OPTION = re.compile(r"\(\d\)([^();:]+)")
_FOUR = re.compile(r"\d+\.\d+(?:\s+\d+\.\d+){3}")
_NUMBER = re.compile(r"\d+\.\d+")
_DIGITS = "一二三四五六七八九"
WORDED = {
    "zeroshot": "zero-shot",
    "zeroshotstepbystep": "zero-shot-steps",
    "twoshotcot": "two-shot",
    "twoshotcotstepbystep": "two-shot-steps",
}
"""The promptings that the file of the prompts has words for, by its headings."""
_QUESTION = re.compile(r"(Q:\s*).*?\s*(Options:\s*)\(1\)[^.]*(\..*)", re.DOTALL)


class _Numbers(NamedTuple):
    """What the norm's file holds."""

    standard: tuple[tuple[float, ...], ...]
    norm: Norm


def read_official(items: Path, norm: Path, prompts: Path | None, lang: str) -> Contents:
    """The contents of the published files, or of files of the same form.

    The norm's file has standard scores, mean and SD, and pattern template.
    """
    bodies = list(_bodies(items))
    numbers = _read_norm(norm)
    if len(bodies) != len(numbers.standard):
        message = f"has standard scores of {len(numbers.standard)} items"
        raise DataError(norm, f"{message}, but {items.name} has {len(bodies)} stories")
    rows = zip(bodies, numbers.standard, strict=True)
    stories = (Story(str(n), *body, row) for n, (body, row) in enumerate(rows, start=1))
    templates = {} if prompts is None else read_templates(prompts)
    return Contents(tuple(stories), lang, numbers.norm, templates)


def _bodies(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    blocks = _blocks(read_paragraphs(path))
    if not blocks:
        raise DataError(path, "holds no stories: no paragraph is a heading such as 'Item 1'")
    for expected, (number, paragraphs) in enumerate(blocks, start=1):
        if number != expected:
            raise DataError(path, f"item {expected} should stand here", f"item {number}")
        yield _body(path, f"item {number}", "\t".join(paragraphs))


def _blocks(paragraphs: Sequence[str]) -> list[tuple[int, list[str]]]:
    """The paragraphs under each heading, with its number; a title before them is left out."""
    blocks: list[tuple[int, list[str]]] = []
    for paragraph in paragraphs:
        if heading := _HEADING.fullmatch(paragraph.strip()):
            blocks.append((_number(heading), []))
        elif blocks:
            blocks[-1][1].append(paragraph)
    return blocks


def _number(heading: re.Match[str]) -> int:
    if heading["number"]:
        return int(heading["number"])
    tens, ten, ones = heading["numeral"].rpartition("十")
    high = _DIGITS.find(tens) + 1 if tens else 1
    return (10 * high if ten else 0) + _DIGITS.find(ones) + 1 if ones else 10 * high


def _body(path: Path, item: str, text: str) -> tuple[str, tuple[str, ...]]:
    """A story and its options: after "Options:", or the last cells between tabs."""
    story, marker, listed = text.partition("Options:")
    if marker:
        names = [" ".join(name.split()) for name in _OPTION.findall(listed)]
    else:
        story, *names = [cell.strip() for cell in text.split("\t") if cell.strip()] or [""]
    story = " ".join(story.removeprefix("Story:").split())
    if not story:
        raise DataError(path, "has no story", item)
    if len({name.casefold() for name in names}) != N_OPTIONS or len(names) != N_OPTIONS:
        raise DataError(path, f"needs four different options, not {names!r:.80}", item)
    return story, tuple(names)


def _read_norm(path: Path) -> _Numbers:
    paragraphs = read_paragraphs(path)
    rows = [tuple(map(float, p.split())) for p in paragraphs if _FOUR.fullmatch(p.strip())]
    text = "\n".join(paragraphs)
    mean, sd = (re.search(rf"\({name}\)\D*(\d+\.\d+)", text) for name in ("M", "SD"))
    template = tuple(map(float, _NUMBER.findall(text.partition("[")[2].partition("]")[0])))
    if mean is None or sd is None or not rows:
        raise DataError(path, "needs rows of four standard scores, the mean (M) and the SD (SD)")
    if len(template) != len(rows):
        message = f"its pattern template in [] has {len(template)} numbers"
        raise DataError(path, f"{message}, but there are standard scores of {len(rows)} items")
    norm = Norm("the norm of that file", float(mean[1]), float(sd[1]), template)
    return _with_facts(_Numbers(tuple(rows), norm))


def _with_facts(numbers: _Numbers) -> _Numbers:
    """The norm with what the paper says of its people, if it is the paper's."""
    facts = read_json(FACTS)
    norm = numbers.norm
    same = (norm.mean, norm.sd) == (facts["mean"], facts["sd"])
    if not same or [list(row) for row in numbers.standard] != facts["standard_scores"]:
        return numbers
    published = Norm(
        "541 students in China (Wang et al. 2023)",
        norm.mean,
        norm.sd,
        norm.template,
        people=facts["people"],
        best=facts["best"],
        similarity=MeanAndSD(**facts["similarity"]),
    )
    return numbers._replace(norm=published)


def read_templates(path: Path) -> dict[str, str]:
    """The prompt of each prompting, with ``{story}`` and ``{options}`` in their places."""
    sections: dict[str, list[str]] = {}
    paragraphs: list[str] = []
    for paragraph in read_paragraphs(path):
        name = WORDED.get(re.sub(r"[^a-z]", "", paragraph.lower()))
        if name is not None:
            paragraphs = sections.setdefault(name, [])
        elif paragraph.strip():
            paragraphs.append(paragraph.strip())
    missing = [name for name in WORDED.values() if name not in sections]
    if missing:
        raise DataError(path, f"has no section for {', '.join(missing)}")
    return {name: _template(path, name, section) for name, section in sections.items()}


def _template(path: Path, name: str, section: Sequence[str]) -> str:
    """A section with its last question made a form to be filled in."""
    last = max((i for i, p in enumerate(section) if p.startswith("Q:")), default=None)
    match = None if last is None else _QUESTION.fullmatch(section[last])
    if last is None or match is None:
        raise DataError(path, "its last question is not 'Q: ... Options: (1) ...'", name)
    asked = f"{match[1]}{{story}} {match[2]}{{options}}{match[3]}"
    return "\n".join([*section[:last], asked, *section[last + 1 :]])
