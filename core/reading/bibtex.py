"""BibTeX: the entries of a text, each as it stands there."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError
from .formats import read_text

_START = re.compile(r"@\s*(\w+)\s*\{\s*")
_KEY = re.compile(r"[^\s,{}=\"#%]+(?=\s*,)")
_UNCITED = frozenset({"comment", "preamble", "string"})


class BibEntry(NamedTuple):
    """One work: its key, and the entry from the ``@`` to the closing brace."""

    key: str
    text: str


def bib_entries(text: str) -> tuple[BibEntry, ...]:
    """The entries of a BibTeX text, in their order; what stands between them is comment.

    Raises:
        ValueError: An entry has no key or no end, or there is none; the message says which.
    """
    entries = tuple(_entries(text))
    if not entries:
        raise ValueError("holds no BibTeX entry, such as @misc{key, title = {...}}")
    return entries


def _entries(text: str) -> Iterator[BibEntry]:
    start = _START.search(text)
    while start is not None:
        end = _end(text, start.end())
        if start[1].lower() not in _UNCITED:
            key = _KEY.match(text, start.end())
            if key is None:
                raise ValueError(f"@{start[1]}{{ has no key: write @{start[1]}{{key, title = ...}}")
            yield BibEntry(key[0], text[start.start() : end])
        start = _START.search(text, end)


def _end(text: str, begin: int) -> int:
    """Where the braces that are open at `begin` are closed."""
    depth = 1
    for brace in re.finditer(r"(?<!\\)[{}]", text[begin:]):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return begin + brace.end()
    raise ValueError(f"an entry is not closed by a brace: {text[begin : begin + 40].strip()!r}")


def cited(cite: str | Path) -> tuple[BibEntry, ...]:
    """The entries of what a plugin declares as `cite`: a BibTeX text, or the path of one.

    Returns:
        None for an empty text.

    Raises:
        DataError: The file is missing, or is no BibTeX.
        ValueError: The text is no BibTeX.
    """
    if isinstance(cite, str):
        return bib_entries(cite) if cite.strip() else ()
    try:
        return bib_entries(read_text(cite))
    except ValueError as error:
        raise DataError(cite, str(error)) from None
