"""Whether a statement says again what another one says: by its text, or by its runs of words."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

RUN = 3
"""Neighbouring words in a run."""
LIMIT = 0.2
"""Share of the shorter text's runs that two statements may have in common."""


def words(text: str) -> list[str]:
    """The words of a text, without case or punctuation: what is compared."""
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text.lower().replace("’", "'"))


def runs(text: str) -> set[tuple[str, ...]]:
    """Every run of neighbouring words; of a text shorter than that, all its words as one."""
    said = words(text)
    return {tuple(said[i : i + RUN]) for i in range(max(1, len(said) - RUN + 1))}


class SimilarityIndex:
    """Statements that are there already, by id; finds those that a text is too close to."""

    def __init__(self, texts: Iterable[tuple[str, str]] = ()) -> None:
        self._sizes: dict[str, int] = {}
        self._same: dict[tuple[str, ...], str] = {}
        self._with: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name, text in texts:
            self.add(name, text)

    def add(self, name: str, text: str) -> None:
        """Put a statement on the shelf."""
        found = runs(text)
        self._sizes[name] = len(found)
        self._same.setdefault(tuple(words(text)), name)
        for run in found:
            self._with[run].append(name)

    def same_as(self, text: str) -> str | None:
        """The statement with the same words in the same order, if there is one."""
        return self._same.get(tuple(words(text)))

    def too_close_to(self, text: str) -> str | None:
        """The statement that has most runs in common, if those are too many."""
        found = runs(text)
        shared = Counter(name for run in found for name in self._with.get(run, ()))
        for name, count in shared.most_common():
            if count > LIMIT * min(len(found), self._sizes[name]):
                return name
        return None
