"""The lists of words and phrases that models overuse, read from a folder of the user's.

None come with eibench: the published ones are fetched by the user (docs/style.md).
"""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from eibench import DataError, read_json

WORDS, TRIGRAMS = "slop_list.json", "slop_list_trigrams.json"
PUBLISHED = {
    WORDS: "fd3bc1e6019ca635b9ea143817eff97d86e03ac089ed746ba3766517e89c368c",
    TRIGRAMS: "1532f37edddc4b1997ffc714bc9b128e425ca46f04c8b5fe6782a2102ea4d73a",
}
"""SHA-256 of the lists of github.com/sam-paech/slop-score at 289264a."""
_QUOTES = re.compile("[‘’‚‛′ʼ＇`]")
_RUN = re.compile("[a-z']+")
_TOKEN = re.compile("[a-z]+(?:'[a-z]+)?")
_PHRASE = re.compile(r"[a-z]+(?:'[a-z]+)?(?:\s+[a-z]+(?:'[a-z]+)?)*")


def tokens(text: str) -> list[str]:
    """The words of a text as the slop-score board counts them: of a to z, in lower case.

    A word with two apostrophes, or of other letters, is none.
    """
    runs = _RUN.findall(_QUOTES.sub("'", text.lower()))
    return [run for raw in runs if _TOKEN.fullmatch(run := raw.strip("'"))]


class SlopLists(NamedTuple):
    """Words and phrases of three words.

    Attributes:
        words: In lower case.
        trigrams: Likewise, words parted by one space.
        source: The folder.
        published: Whether both files are the published ones.
    """

    words: frozenset[str]
    trigrams: frozenset[str]
    source: str
    published: bool

    def hits(self, text: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
        """The words and trigrams of a text, given as `tokens`, that are on the lists."""
        threes = map(" ".join, zip(text, text[1:], text[2:], strict=False))
        return (
            Counter(word for word in text if word in self.words),
            Counter(three for three in threes if three in self.trigrams),
        )


def read_lists(folder: Path) -> SlopLists:
    """The lists of a folder: JSON arrays of texts, or of arrays whose first element is one.

    Raises:
        DataError: A file is missing or of another form.
    """
    words, trigrams = (_read(folder / name) for name in (WORDS, TRIGRAMS))
    for phrase in trigrams:
        if phrase.count(" ") != 2:
            raise DataError(folder / TRIGRAMS, f"{phrase!r} is not of three words")
    published = all(
        hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
        for name, digest in PUBLISHED.items()
    )
    return SlopLists(words, trigrams, str(folder), published)


def _read(path: Path) -> frozenset[str]:
    rows = read_json(path)
    if not isinstance(rows, list) or not rows:
        raise DataError(path, "is no JSON array of words or phrases")
    phrases = set()
    for n, row in enumerate(rows, start=1):
        entry = row[0] if isinstance(row, list) and row else row
        match = _PHRASE.search(entry.lower()) if isinstance(entry, str) else None
        if match is None:
            raise DataError(path, "holds no word of a to z", f"entry {n}")
        phrases.add(" ".join(match.group().split()))
    return frozenset(phrases)
