"""The published .docx files: stories in two languages, the norm, and the prompts.

They are read by their structure (headings, numbered options, rows of four numbers), so that
nothing of their text is needed here. Two irregularities are known: an option that ends with a
colon in place of a semicolon (``_OPTION`` stops at both), and stories that share a paragraph
with their options (``_body`` joins the paragraphs of an item before it parts story and options).
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from eibench import DataError, folder, read_json

from .docx import read_paragraphs
from .norms import MeanAndSD, Norm
from .stories import N_OPTIONS, Contents, Story

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
"""Such as "Q: STORY Options: (1)A; (2)B; (3)C; (4)D. Rate each."; the groups stay as they are."""


class _Body(NamedTuple):
    """A story as its paragraphs have it."""

    text: str
    options: tuple[str, ...]


class _Numbers(NamedTuple):
    """What the norm's file holds."""

    standard: tuple[tuple[float, ...], ...]
    norm: Norm


def read_official(items: Path, norm: Path, prompts: Path | None, lang: str) -> Contents:
    """The contents of the published files, or of files of the same form.

    Args:
        items: The stories, in ``lang``.
        norm: Standard scores, mean and SD, pattern template.
        prompts: The words of each prompting; ``None`` leaves them to eibench's own wording.
        lang: Of the stories.

    Raises:
        DataError: A file is not of that form, or stories and norm differ in number.
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


def _bodies(path: Path) -> Iterator[_Body]:
    """Each item's story; ``DataError`` where there are none, or not numbered 1, 2, 3, ..."""
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
    """The number in a heading, in digits or as a Chinese numeral (1 to 99)."""
    if heading["number"]:
        return int(heading["number"])
    tens, ten, ones = heading["numeral"].rpartition("十")
    number = _DIGITS.find(ones) + 1 if ones else 0
    if ten:
        number += 10 * (_DIGITS.find(tens) + 1 if tens else 1)
    return number


def _body(path: Path, item: str, text: str) -> _Body:
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
    return _Body(story, tuple(names))


def _read_norm(path: Path) -> _Numbers:
    """The numbers of the norm's file; ``DataError`` where one is missing or too many."""
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
    """The norm with what the paper says of its people, if it is the paper's.

    It is if mean, SD and standard scores are exactly those published; the template is not compared.
    """
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
    """The prompt of each prompting, with ``{story}`` and ``{options}`` in their places.

    Raises:
        DataError: A prompting is missing, or its last question is not of the known form.
    """
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
    """A section with the story and options of its last question made fields to be filled in."""
    last = max((i for i, p in enumerate(section) if p.startswith("Q:")), default=None)
    match = None if last is None else _QUESTION.fullmatch(section[last])
    if last is None or match is None:
        raise DataError(path, "its last question is not 'Q: ... Options: (1) ...'", name)
    asked = f"{match[1]}{{story}} {match[2]}{{options}}{match[3]}"
    return "\n".join([*section[:last], asked, *section[last + 1 :]])
