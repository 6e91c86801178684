"""Published pages of Creative Writing v3 and Longform Writing, their verdicts read strictly.

Not a measurement: the texts and verdicts of each page are graded as a run of ours would be, and
what comes of it stands beside what the page prints. `bench reproduce` does the same with the
published reading.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from eibench.plugins.creative_writing.reproducing import graded_pieces, graded_stories


class PageDifferences(NamedTuple):
    """How many of a page's texts were graded, and the largest differences in points of 100."""

    read: int
    first: float
    second: float
    run: float

    def __str__(self) -> str:
        """As a row of a table."""
        return f"{self.read} | {self.first:.3f} | {self.second:.3f} | {self.run:.3f}"


def pieces_of(page: Path, pack: Path, parser: str = "strict") -> PageDifferences:
    """A page of pieces: a piece, an iteration's pooled mean, and the run."""
    graded = graded_pieces(page, str(pack), parser)
    scores = [(ours, one.score) for one, ours in graded.pieces if ours is not None]
    run = graded.metrics["rubric_score"].value or 0.0
    pooled = {one.iteration: one.iteration_average for one, _ in graded.pieces}
    return PageDifferences(
        len(scores),
        max(abs(ours - theirs) for ours, theirs in scores),
        max(abs((graded.metrics[f"pooled_{n}"].value or 0) - mean) for n, mean in pooled.items()),
        abs(run - fmean(one.score for one, _ in graded.pieces)),
    )


def stories_of(page: Path, pack: Path, parser: str = "strict") -> PageDifferences:
    """A page of stories: chapters, the whole, and the mean story by the page's numbers."""
    graded = [one for one in graded_stories(page, str(pack), parser) if one.chapters is not None]
    theirs = [(8 * one.story.chapters + one.story.whole) / 9 for one in graded]
    ours = [(8 * (one.chapters or 0) + (one.whole or 0)) / 9 for one in graded]
    return PageDifferences(
        len(graded),
        max(abs((one.chapters or 0) - one.story.chapters) for one in graded),
        max(abs((one.whole or 0) - one.story.whole) for one in graded),
        abs(fmean(ours) - fmean(theirs)),
    )


def table(pack: Path, pages: Path, parser: str) -> Iterator[str]:
    """A row for each page."""
    longform = (pack / "prompt1.txt").exists()
    columns = "verdicts read | a piece | an iteration, pooled | run"
    if longform:
        columns = "stories read | chapters | whole | mean story"
    yield f"| page | {columns} |"
    yield "|---|---|---|---|---|"
    ending, row_of = (".html.gz", stories_of) if longform else (".json.gz", pieces_of)
    for page in sorted(pages.glob(f"*{ending}")):
        yield f"| {page.name.removesuffix(ending)} | {row_of(page, pack, parser)} |"


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("pack", type=Path, help="the official pack's folder")
    arguments.add_argument(
        "pages", type=Path, help="a folder of pages, NAME.json.gz or, of stories, NAME.html.gz"
    )
    arguments.add_argument("--parser", default="strict", choices=("reference", "strict"))
    chosen = arguments.parse_args()
    for line in table(chosen.pack, chosen.pages, chosen.parser):
        print(line, flush=True)
