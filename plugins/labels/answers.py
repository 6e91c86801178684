"""What people handed in: files of the page, or tables; each refused with its line, or taken whole.

Nothing in them is to be trusted: a file may be of another set, altered, or somebody's second one.
"""

import json
import re
from collections.abc import Iterator, Sequence
from math import fsum, isfinite
from pathlib import Path
from typing import Any, NamedTuple

from eibench import DataError, read_csv_rows, read_text

from .page import COLUMNS
from .sets import ANSWERS, Entry, LabelSet, find_set

FORM, VERSION = "eibench-labels", 1
_ROUNDING = 0.021
"""Four numbers with two decimals may miss their sum by that much."""


_MOST, _COMMENT = 1e9, 2000
"""What a number, and the characters of a comment, are at most."""


class LabelAnswer(NamedTuple):
    """What a person said to an entry: a number of the scale, how the left one did, or numbers."""

    entry: Entry
    numbers: tuple[float, ...]
    comment: str


class Respondent(NamedTuple):
    """One file: whose it is, to which set, and the answers."""

    path: Path
    labels: LabelSet
    name: str
    recruited: str
    answers: Sequence[LabelAnswer]


class _Raw(NamedTuple):
    """An answer before it is checked, with its line."""

    line: int
    entry: object
    shown: object
    answer: object
    comment: object


class _File(NamedTuple):
    set_id: object
    person: object
    consent: object
    recruited: object
    rows: Sequence[_Raw]
    line: int


def read_answers(path: Path, runs_dir: Path) -> Respondent:
    """The answers of one person.

    Raises:
        DataError: Something in the file cannot be; the message names the line.
    """
    raw = _table(path) if path.suffix.lower() == ".csv" else _page(path)
    labels = find_set(runs_dir, str(raw.set_id))
    if labels is None:
        message = f"is of the set {str(raw.set_id)!r:.40}, which {runs_dir} does not have"
        hint = "bench label keeps a set in its --runs-dir, under labels"
        raise DataError(path, f"{message}; {hint}", f"line {raw.line}")
    if raw.consent is not True:
        raise DataError(path, "says of no consent; it is not read without", f"line {raw.line}")
    if not (isinstance(raw.person, str) and raw.person.strip()):
        raise DataError(path, "has no code of the person", f"line {raw.line}")
    answers, known = list[LabelAnswer](), set[str]()
    for row in raw.rows:
        answer = _answer(path, labels, row)
        if answer.entry.id in known:
            raise DataError(path, f"answers {answer.entry.id} twice", f"line {row.line}")
        known.add(answer.entry.id)
        answers.append(answer)
    if not answers:
        raise DataError(path, "holds no answer")
    recruited = raw.recruited[:_COMMENT] if isinstance(raw.recruited, str) else ""
    name = labels.pseudonym(raw.person)
    return Respondent(path, labels, name, recruited.strip() or labels.recruited, answers)


def _answer(path: Path, labels: LabelSet, row: _Raw) -> LabelAnswer:
    position = f"line {row.line}"
    entry = labels.by_id.get(str(row.entry))
    if entry is None:
        message = f"answers {str(row.entry)!r:.40}, which is no question of the set {labels.id}"
        raise DataError(path, message, position)
    if row.shown != entry.shown:
        message = f"answers {entry.id}, but another text was shown than that of the set"
        raise DataError(path, message, position)
    numbers = _numbers(labels, entry, row.answer)
    if isinstance(numbers, str):
        raise DataError(path, f"{entry.id}: {numbers}, not {str(row.answer)!r:.60}", position)
    comment = row.comment if isinstance(row.comment, str) else ""
    return LabelAnswer(entry, numbers, comment[:_COMMENT])


def _numbers(labels: LabelSet, entry: Entry, answer: Any) -> tuple[float, ...] | str:
    """The numbers of an answer, or what it must be."""
    if labels.kind == "pair":
        known = isinstance(answer, str) and answer in ANSWERS
        return (ANSWERS[str(answer)],) if known else f"an answer is one of {', '.join(ANSWERS)}"
    if labels.kind == "single":
        steps = ", ".join(f"{step:g}" for step in labels.scale)
        if not _is_number(answer) or float(answer) not in labels.scale:
            return f"a rating is one of {steps}"
        return (float(answer),)
    low, high, n = labels.scale[0], labels.scale[-1], len(entry.options)
    if not isinstance(answer, list) or len(answer) != n or not all(map(_is_number, answer)):
        return f"an answer is {n} numbers"
    numbers = tuple(map(float, answer))
    if not all(low <= number <= high for number in numbers):
        return f"each number is from {low:g} to {high:g}"
    if labels.total is not None and abs(fsum(numbers) - labels.total) > _ROUNDING:
        return f"the numbers sum to {labels.total:g}"
    return numbers


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= _MOST and isfinite(value)


def _page(path: Path) -> _File:
    text = read_text(path)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise DataError(path, "is not JSON: save it again from the page", f"line {line}") from None
    if not isinstance(value, dict) or value.get("format") != FORM:
        raise DataError(path, "is no file that a page of bench label saved", "line 1")
    if value.get("version") != VERSION:
        raise DataError(path, f"has the form {value.get('version')!r:.20}; 1 is read", "line 1")
    rows = value.get("answers")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(path, '"answers" must be a list of objects', "line 1")
    lines = [text.count("\n", 0, match.start()) + 1 for match in re.finditer(r'"entry"\s*:', text)]
    if len(lines) != len(rows):  # an answer without its entry, or the word in a comment
        lines = [1] * len(rows)
    raw = [
        _Raw(line, row.get("entry"), row.get("shown"), row.get("answer"), row.get("comment", ""))
        for line, row in zip(lines, rows, strict=True)
    ]
    where = text.find('"set"')
    line = text.count("\n", 0, max(0, where)) + 1
    return _File(
        value.get("set"),
        value.get("person"),
        value.get("consent"),
        value.get("recruited"),
        raw,
        line,
    )


def _table(path: Path) -> _File:
    """A table that was filled in: person, consent and how they were found stand in any line."""
    rows = list(_filled(path))
    if not rows:
        raise DataError(path, "holds no answer")
    first = {name: next((r[name] for _, r in rows if r[name]), "") for name in COLUMNS}
    for line, row in rows:
        for name in ("set", "person"):
            if row[name] not in ("", first[name]):
                raise DataError(path, f"holds more than one {name}", f"line {line}")
    consent = first["consent"].casefold() in ("yes", "true", "1", "x")
    raw = [
        _Raw(line, row["entry"], row["shown"], _cell(row["answer"]), row["comment"])
        for line, row in rows
        if row["answer"]
    ]
    return _File(first["set"], first["person"], consent, first["recruited"], raw, rows[0][0])


def _filled(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    for line, row in read_csv_rows(path):
        if missing := [name for name in COLUMNS if name not in row]:
            raise DataError(path, f"the header has no {missing[0]!r}", "line 1")
        yield line, {name: row[name].strip() for name in COLUMNS}


def _cell(text: str) -> object:
    """A number, several apart by semicolons, or a word."""
    parts = [part for part in re.split(r"[;\s]+", text.lstrip("'")) if part]
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return text.casefold()
    return numbers[0] if len(numbers) == 1 else numbers
