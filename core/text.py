"""What people read: texts made harmless, counts and intervals in words."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from json.encoder import encode_basestring
from math import isfinite
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Mn", "Me"})
"""Unicode's categories of controls and marks, which show nothing by themselves."""
FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs of other names that look like blanks."""
_UNSEEN = INVISIBLE | {"Co", "Cn", "Zs", "Zl", "Zp"}


def is_blank(text: str) -> bool:
    """Whether there is nothing to see: no text, blanks, control and invisible characters alone."""
    return all(char in FILLERS or unicodedata.category(char) in _UNSEEN for char in text)


def plural(n: int, noun: str, *verb: str) -> str:
    """A count with its noun: ``1 call``, ``2 calls``, ``2 families``.

    Args:
        n: How many.
        noun: Of one, or a noun phrase whose last word changes.
        *verb: Of one and of several, which follows: ``is``, ``are``.
    """
    if n == 1:
        return " ".join([f"{n} {noun}", *verb[:1]])
    several = f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"
    return " ".join([f"{n:,} {several}", *verb[1:]])


def listed(names: Sequence[str], most: int) -> str:
    """The first `most` names, and how many more there are: ``a, b and 3 more``."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def by_player(players: Mapping[str, T]) -> dict[str, T]:
    """Who plays each role, with members of a group that one plays named together.

    ``opponents_1`` to ``opponents_3`` become ``opponents 1–3``, and with another second
    ``opponents 1, 3`` and ``opponents_2``.
    """
    roles: dict[object, list[str]] = {}
    for role, player in players.items():
        group, _, number = role.rpartition("_")
        roles.setdefault((group, player) if number.isdigit() else role, []).append(role)
    return {_together(names): players[names[0]] for names in roles.values()}


def _together(names: Sequence[str]) -> str:
    """Members of one group as one name."""
    if len(names) == 1:
        return names[0]
    group = names[0].rpartition("_")[0]
    numbers = [name.removeprefix(f"{group}_") for name in names]
    row = [str(int(numbers[0]) + n) for n in range(len(numbers))]
    return f"{group} {f'{row[0]}–{row[-1]}' if numbers == row else ', '.join(numbers)}"


def middle(text: str, most: int) -> str:
    """The text in so many characters, three at least: ``openai/a-very…int-12`` is 21 long."""
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[-end:]}"


class Checkpoint(NamedTuple):
    """A step of a training, or an epoch, of what a model's name begins with."""

    of: str
    unit: str
    step: int


_CHECKPOINT = re.compile(
    r"(?P<of>.*?)(?:(?<=.)@|(?:^|[/_.:-])(?:(?:step|checkpoint)-|ckpt-?|(?P<epoch>epoch-)))"
    r"(?P<step>[0-9]{1,15})", re.DOTALL)  # fmt: skip


def checkpoint(name: str) -> Checkpoint | None:
    """The step that a name ends with: ``NAME@1200``, or as folders of checkpoints are called.

    Those are ``step-1200``, ``checkpoint-1200``, ``ckpt1200``, ``ckpt-1200`` and ``epoch-3``.
    ``None`` of any other name, so that ``gpt-4`` and ``llama-3-8b`` are no steps.
    """
    match = _CHECKPOINT.fullmatch(name)
    if match is None:
        return None
    return Checkpoint(match["of"], "epoch" if match["epoch"] else "step", int(match["step"]))


def readable(text: str) -> str:
    """The text with U+FFFD for every half of a surrogate pair, which nothing can store."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def as_text(document: object) -> str:
    """The document as JSON, safe for a terminal; NaN cannot be in it."""
    return _indented(document, "\n")


def _indented(value: object, start: str) -> str:
    """As `json.dumps` with an indent of 2, which is written in Python and twice as slow.

    Named tuples are objects, whose fields keep their order.

    Args:
        value: What is written.
        start: What begins a line on the level of the value.
    """
    if write := _WRITERS.get(type(value)):
        return write(value)
    inner = f"{start}  "
    if isinstance(value, tuple) and (named := getattr(value, "_asdict", None)):
        value = named()
    if isinstance(value, Mapping):
        pairs = [f"{_name(key)}: {_indented(part, inner)}" for key, part in value.items()]
        return f"{{{inner}{f',{inner}'.join(pairs)}{start}}}" if pairs else "{}"
    if value and isinstance(value, list | tuple):
        if set(map(type, value)) == {str}:
            return f"[{inner}{escaped(f',{inner}'.join(map(encode_basestring, value)))}{start}]"
        return f"[{inner}{f',{inner}'.join([_indented(part, inner) for part in value])}{start}]"
    return escaped(_compact(value))


_compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_WRITERS: dict[type, Callable[[Any], str]] = {
    str: lambda text: escaped(encode_basestring(text)),
    int: repr,
    float: lambda number: repr(number) if isfinite(number) else _compact(number),
    bool: lambda value: "true" if value else "false",
    type(None): lambda _: "null",
}


def _name(key: object) -> str:
    return _WRITERS[str](key) if type(key) is str else escaped(_compact({key: 0})[1:-4])


def escaped(text: str) -> str:
    """JSON without what a terminal would obey, ends a line elsewhere, or UTF-8 cannot hold."""
    if text.isascii() and "\x7f" not in text:
        return text
    return _UNSAFE.sub(lambda m: _escaped(ord(m.group())), text)


# What a terminal would obey, or UTF-8 cannot hold. JSON has them in strings only.
_UNSAFE = re.compile(
    r"[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff"
    r"\U000e0000-\U000e007f]"
)


def _escaped(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


# Controls but newline and tab; marks that turn, hide or reorder text; half characters.
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    r"\ud800-\udfff\U000e0000-\U000e007f]"
)


def harmless(text: str) -> str:
    """The text with control characters (but newline and tab) and text-direction marks shown.

    A terminal would obey them: move the cursor, set the title, hide what follows.
    """
    if text.isascii() and text.isprintable():
        return text
    return _CONTROL.sub(lambda m: f"\\x{ord(m.group()):02x}", text)


def line(text: str, indent: int = 0) -> str:
    """Harmless text on one line."""
    lines = filter(None, map(str.strip, text.splitlines()))
    return " " * indent + harmless(" ".join(lines))


def number(value: float | None, digits: int = 2) -> str:
    """A number with a fixed count of digits, zero without a sign; a dash where there is none."""
    return "–" if value is None else f"{value:z.{digits}f}"


def signed(value: float, digits: int = 2) -> str:
    """A difference with its sign; zero has none."""
    return f"{value:+z.{digits}f}" if round(value, digits) else number(value, digits)


def rough(value: float | None) -> str:
    """A number that others are held against: one digit, or two where it is a share."""
    return number(value, 2 if value and abs(value) < 1 else 1)


def interval(ci95: Sequence[float] | None, digits: int = 2) -> str:
    """An interval as ``lo … hi``; a dash where there is none."""
    return "–" if ci95 is None else f"{ci95[0]:z.{digits}f} … {ci95[1]:z.{digits}f}"


def p_value(p: float | None) -> str:
    """A p-value, which is never 0."""
    return "–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def duration(seconds: float) -> str:
    """A time in words, to two figures or so: ``0.4 s``, ``95 s``, ``12 min``, ``2 h 10 min``."""
    if seconds < 100:
        return f"{seconds:.{int(seconds < 3)}f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def plain(value: object) -> str:
    """An option's value as people type it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def in_words(value: object) -> str:
    """An option's value as people read it: a switch is on or off."""
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


# What spreadsheets begin a formula with, in the wide forms of East Asian keyboards too.
_FORMULA = re.compile(r"[=+\-@＝＋－＠]")


def csv_text(rows: Iterable[Sequence[str | float | None]]) -> str:
    """Rows as CSV of `csv_cell`s."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(map(csv_cell, row) for row in rows)
    return text.getvalue()


def csv_cell(value: str | float | None) -> str:
    """A cell; empty for ``None``.

    A text that a spreadsheet would take for a formula gets an apostrophe before it, and
    control characters are shown instead of obeyed. Numbers stay numbers.
    """
    if isinstance(value, str):
        shown = line(value)
        return f"'{shown}" if _FORMULA.match(shown) else shown
    return "" if value is None else repr(value).removesuffix(".0")
