"""In which line of a TOML file each key stands; `tomllib` does not say."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator

from .templates import Place

_STRING = r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'[\s\S]*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\''
_TOKEN = re.compile(rf"(?P<string>{_STRING})|(?P<comment>#[^\n]*)|(?P<mark>[\[\]{{}}=,.\n])"
                    r"|(?P<word>[^\s\[\]{}=,.#\"']+)|\s", re.DOTALL)  # fmt: skip


def key_lines(text: str) -> dict[Place, int]:
    """The line of each key and table of a file that `tomllib` reads, by the keys that lead to it.

    A key within an inline table or a list has the line where it stands itself.
    """
    lines: dict[Place, int] = {(): 1}
    tokens = list(_tokens(text))
    arrays, at = Counter[Place](), 0
    table: Place = ()
    while at < len(tokens):
        kind, word, line = tokens[at]
        if kind == "\n":
            at += 1
        elif word == "[":
            is_array = tokens[at + 1][1] == "["
            keys, at = _keys(tokens, at + 1 + is_array)
            table = _within(keys[:-1], arrays) + keys[-1:]
            if is_array:
                table = (*table, arrays[table])
                arrays[table[:-1]] += 1
                lines.setdefault(table[:-1], line)
            for n in range(1, len(table)):
                lines.setdefault(table[:n], line)
            lines[table] = line
            at += 1 + is_array
        else:
            at = _pair(tokens, at, table, lines)
    return lines


_Token = tuple[str, str, int]


def _tokens(text: str) -> Iterator[_Token]:
    """Kind (the mark itself, ``string`` or ``word``), text and line; no blanks and comments."""
    line = 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind in ("string", "word"):
            yield kind, match[0], line
        elif kind == "mark":
            yield match[0], match[0], line
        line += match[0].count("\n")
    yield "\n", "\n", line


def _keys(tokens: list[_Token], at: int) -> tuple[tuple[str, ...], int]:
    """A dotted key, and where what follows it begins."""
    keys: list[str] = []
    while tokens[at][0] in ("string", "word", "."):
        kind, word, _ = tokens[at]
        if kind == "string":
            keys.append(tomllib.loads(f"k = {word}")["k"])
        elif kind == "word":
            keys.append(word)
        at += 1
    return tuple(keys), at


def _within(keys: Place, arrays: Counter[Place]) -> Place:
    """The keys that lead to a table, with the number of the last table of each array on the way."""
    where: Place = ()
    for key in keys:
        where = (*where, key)
        if arrays[where]:
            where = (*where, arrays[where] - 1)
    return where


def _pair(tokens: list[_Token], at: int, table: Place, lines: dict[Place, int]) -> int:
    """Notes a key and those within its value; where what follows begins."""
    line = tokens[at][2]
    keys, at = _keys(tokens, at)
    for n in range(1, len(keys) + 1):
        lines.setdefault((*table, *keys[:n]), line)
    return _value(tokens, at + 1, (*table, *keys), lines)


def _value(tokens: list[_Token], at: int, where: Place, lines: dict[Place, int]) -> int:
    """Notes the keys within a value; where what follows it begins."""
    kind, _, _ = tokens[at]
    if kind == "{":
        at += 1
        while tokens[at][0] != "}":
            at = at + 1 if tokens[at][0] in (",", "\n") else _pair(tokens, at, where, lines)
        return at + 1
    if kind == "[":
        at, n = at + 1, 0
        while tokens[at][0] != "]":
            if tokens[at][0] in (",", "\n"):
                at += 1
                continue
            lines[(*where, n)] = tokens[at][2]
            at, n = _value(tokens, at, (*where, n), lines), n + 1
        return at + 1
    while tokens[at][0] in ("string", "word", "."):  # such as 0.5, or a time
        at += 1
    return at
