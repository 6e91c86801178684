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
    all_words = words(text)
    return {tuple(all_words[i : i + RUN]) for i in range(max(1, len(all_words) - RUN + 1))}


class SimilarityIndex:
    """Statements that are there already, by id; finds those that a text is too close to."""

    def __init__(self, texts: Iterable[tuple[str, str]] = ()) -> None:
        self._sizes: dict[str, int] = {}
        self._same: dict[tuple[str, ...], str] = {}
        self._with: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name, text in texts:
            self.add(name, text)

    def add(self, name: str, text: str) -> None:
        """Add a statement to those that later ones are compared with."""
        new = runs(text)
        self._sizes[name] = len(new)
        self._same.setdefault(tuple(words(text)), name)
        for run in new:
            self._with[run].append(name)

    def same_as(self, text: str) -> str | None:
        """The statement with the same words in the same order, if there is one."""
        return self._same.get(tuple(words(text)))

    def too_close_to(self, text: str) -> str | None:
        """The statement that has most runs in common, if those are too many."""
        own_runs = runs(text)
        shared = Counter(name for run in own_runs for name in self._with.get(run, ()))
        for name, count in shared.most_common():
            if count > LIMIT * min(len(own_runs), self._sizes[name]):
                return name
        return None
