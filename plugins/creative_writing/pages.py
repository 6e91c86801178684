"""Published pages of Creative Writing v3 and Longform Writing, as runs of another program."""

import html
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from eibench import DataError, ForeignRun, ForeignSample, ForeignTurn, read_whole

JUDGE = "claude-3-7-sonnet-20250219"
_ITERATION = re.compile(r"Iteration (\d+) — Avg Score: ([\d.]+)")
_PIECE = re.compile(r"^\s*(.+) — Score: ([\d.]+)$", re.MULTILINE)
_STORY = re.compile(r"'iteration-\d+-(\d+)'")
_AVERAGES = re.compile(r"\(Chapter Avg: ([\d.]+) \| Final: ([\d.]+)\)")


class PagePiece(NamedTuple):
    """A piece as a page shows it, with the numbers that it prints, from 0 to 100."""

    title: str
    iteration: int
    output: str
    judge: str
    score: float
    iteration_average: float


class PageStory(NamedTuple):
    """A story as a page shows it: replies, verdicts, and its two numbers from 0 to 100."""

    id: str
    replies: Sequence[str]
    verdicts: Sequence[str]
    chapters: float
    whole: float

    @property
    def sample(self) -> ForeignSample:
        """It as a sample."""
        turns = [ForeignTurn(None, reply) for reply in self.replies]
        return ForeignSample(self.id, 1, turns, self.verdicts)


def run_of(page: Path, samples: Sequence[ForeignSample], **options: str | bool) -> ForeignRun:
    """The samples of a page as a run with these options."""
    name = page.name.partition(".html")[0].partition(".json")[0]
    return ForeignRun(name, name, name, samples, JUDGE, options=options)


def read_pieces(page: Path) -> list[PagePiece]:
    """The pieces of a page of Creative Writing v3, or of a digest of it in JSON.

    Raises:
        DataError: It is not of that form.
    """
    text = read_whole(page).decode()
    try:
        if ".json" in page.name:
            rows = json.loads(text)["samples"]
            return [PagePiece(*(row[name] for name in PagePiece._fields)) for row in rows]
        return list(_pieces(text))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(page, f"is no page of Creative Writing v3: {error!r}") from None


def _pieces(text: str) -> Iterator[PagePiece]:
    for part in _parts(text):
        number, average = _ITERATION.search(part).groups()  # type: ignore[union-attr]
        for piece in part.split('<div class="prompt-container">')[1:]:
            title, score = _PIECE.search(piece).groups()  # type: ignore[union-attr]
            (output,), (judge,) = _shown(piece, "Model Output"), _shown(piece, "Judge Evaluation")
            name = html.unescape(title)
            yield PagePiece(name, int(number), output, judge, float(score), float(average))


def read_stories(page: Path) -> list[PageStory]:
    """The stories of a page of Longform Writing.

    Raises:
        DataError: It is not of that form.
    """
    stories = []
    for part in _parts(read_whole(page).decode()):
        numbers, id = _AVERAGES.search(part), _STORY.search(part)
        if numbers is None or id is None:
            raise DataError(page, "is no page of Longform Writing: a story without its averages")
        whole = _shown(part, r"Judge Response \(First Entry\)", "<div class")
        verdicts = [*_shown(part, "Judge Response"), *whole]
        replies, averages = _shown(part, "Model Output"), map(float, numbers.groups())
        stories.append(PageStory(id[1], replies, verdicts, *averages))
    return stories


def _parts(text: str) -> list[str]:
    """The iterations or stories of a page; one without a mark of them is a part itself."""
    first, *parts = text.split('<div class="iteration-container">')
    return parts or [first]


def _shown(part: str, label: str, end: str = "</div>") -> list[str]:
    """The texts under a label."""
    texts = re.findall(rf"<strong>{label}:</strong><br>(.*?){end}", part, re.DOTALL)
    return [html.unescape(text).strip() for text in texts]
