"""What is meant where a file is not TOML: the line, and what to write there instead."""

import re
from typing import NamedTuple

_HINTS = (
    (r"Unterminated string|Expected \"\"\"|Expected '''", "", 'end the text with """'),
    (r"Cannot overwrite|already", "", "this key stands twice; leave one out"),
    (r"Cannot declare", "", "this table stands twice; put all of its keys into one"),
    (r"Illegal character '\\n'", "", 'a text over several lines stands between """ and """'),
    ("", r"[“”„‘’«»]", "write straight quotes, \" or '"),
    ("Invalid value", r"=\s*(True|False)\b", "write true or false in small letters"),
    ("Invalid value", r"=\s*[^\W\d]", "put a text into quotes"),
    (r"hex value|Unescaped", "", r"in double quotes write \\ for a backslash, or / in a path"),
    ("Expected newline", r'".*".*"', r'a " within a text is written \"'),
    (r"Expected '='", "", 'each line says key = value, or [table]; a long text stands in """'),
    (r"Unclosed|Expected '\]'", "", "a list ends with ], and has a comma between its values"),
)
"""By tomllib's words and the line, both as patterns, what to do about it."""


class NotToml(NamedTuple):
    """Where a text is not TOML, and what to do there."""

    line: int
    message: str


def explained(text: str, words: str) -> NotToml:
    """What an error of `tomllib`, in its words, means for whoever wrote the text."""
    match = re.search(r"^(.*) \(at line (\d+), column \d+\)$", words, re.DOTALL)
    words, number = (match[1], int(match[2])) if match else (words, 0)
    lines = text.splitlines() or [""]
    if not number:
        number = _last_opening(lines) if "(at end" in words else 1
    words = words.removesuffix(" (at end of document)")
    line = lines[min(number, len(lines)) - 1]
    hints = (
        to_do
        for problem, content, to_do in _HINTS
        if re.search(problem, words) and re.search(content, line)
    )
    return NotToml(number, "; ".join([f"not TOML: {words}", *list(hints)[:1]]))


def _last_opening(lines: list[str]) -> int:
    """The line where the text begins that has no end: the last one with three quotes."""
    with_quotes = (n for n in range(len(lines), 0, -1) if re.search(r"\"\"\"|'''", lines[n - 1]))
    return next(with_quotes, len(lines))
