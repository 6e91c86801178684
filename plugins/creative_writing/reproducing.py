"""Published numbers of Creative Writing v3, Longform Writing and Judgemark, computed again."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

import eibench
from eibench import (
    ForeignSample,
    ForeignTurn,
    Metric,
    Pack,
    Pairwise,
    PublishedData,
    PublishedNumber,
    PublishedRow,
    PublishedSource,
    read_json,
    read_rows,
    read_whole,
)

from .grading import RUBRIC_SCORE
from .packs import PROMPTS
from .pages import PagePiece, PageStory, read_pieces, read_stories, run_of
from .prompts import read_prompts
from .separation import adjacent_overlap, calibrated, published_score
from .stories import CHAPTERS

_V3, _LONGFORM = "creative-writing-v3", "longform-writing"
_SITE = "EQ-bench/EQ-bench-site"
_BOARD = PublishedSource(_SITE, "figures", "f49c35039a7a3151a102f0f33ee96192a3713194")
_BOARDS = PublishedSource(_SITE, "figures", "be00351676936ceec1e9fabd0ada0a40fd1d5c65")
_PAGES = PublishedSource(
    "EQ-bench/creative-writing-bench", "none stated", "e7ab00917c96aeae577e3eeea15eba882be9d5e0"
)
_STORIES = PublishedSource(
    "EQ-bench/longform-writing-bench", "MIT", "d1c625505b1cf8baf32a49c8e21a9cf93a254044"
)
_STATS = PublishedSource("EQ-bench/Judgemark-v2", "MIT", "23c3e1cbdf90908711350e2391e3a6f3b8c504de")
_OTHER_JUDGE = "the board of eqbench.com: another judge, and no rule gives it from the pages"


class GradedPieces(NamedTuple):
    """The pieces of a page, each with its score here, ``None`` where unread; and the metrics."""

    pieces: Sequence[tuple[PagePiece, float | None]]
    metrics: Mapping[str, Metric]


def graded_pieces(page: Path, dataset: str, parser: str = "reference") -> GradedPieces:
    """The pieces of a page of Creative Writing v3, graded here by its verdicts."""
    source = eibench.find_pack(eibench.benchmarks()[_V3], dataset, {})
    ids = {
        f"{row['category']}: {row['title']}".casefold(): id
        for id, _, row in read_prompts(source.files[PROMPTS])
    }
    pieces = {(ids[one.title.casefold()], one.iteration): one for one in read_pieces(page)}
    samples = [
        ForeignSample(id, n, [ForeignTurn(None, one.output)], one.judge)
        for (id, n), one in pieces.items()
    ]
    run = eibench.replayed(_V3, run_of(page, samples, elo=False, parser=parser), dataset)
    scores = {key: score.values.get(RUBRIC_SCORE) for key, score in run.scores.items()}
    return GradedPieces([(one, scores.get(key)) for key, one in pieces.items()], run.metrics)


def _pieces(data: PublishedData) -> Iterator[PublishedNumber]:
    for page in data.files:
        pieces, metrics = graded_pieces(page, data.datasets[_V3])
        for one, score in pieces:
            ours = 0 if score is None and one.score == 0 else score  # unread there too
            name = f"{page.name}, {one.title}, {one.iteration}"
            yield PublishedNumber(name, one.score, ours)
        for n, mean in {one.iteration: one.iteration_average for one, _ in pieces}.items():
            pooled = metrics.get(f"pooled_{n}", Metric(None)).value
            yield PublishedNumber(f"{page.name}, iteration {n}", mean, pooled)


def _anchors(benchmark: Pairwise[Any, Any]) -> Iterator[PublishedNumber]:
    pack = Pack(eibench.PackSource("official", "", {}), [], "")
    path = eibench.folder("creative_writing_v3") / "published_leaderboard.csv"
    rows: list[dict[str, Any]] = read_rows(path, {"model_name": str, "elo_score": float})
    board = {row["model_name"].rpartition("/")[2]: row["elo_score"] for row in rows}
    for anchors in benchmark.anchor_sets(pack):
        for name, rating in anchors.items():
            yield PublishedNumber(name, board[name], rating)


def v3_rows(benchmark: Pairwise[Any, Any]) -> list[PublishedRow]:
    """Pieces and iterations of published pages, and the board's scale."""
    files = ("results/*.html", "results/*.json.gz")
    return [
        PublishedRow("a piece's score from its verdict, and the mean of an iteration", _PAGES,
                     0.075, _pieces, files, _V3, (_V3,),
                     "printed to .01 of 20 and, five times that, to .1", _OTHER_JUDGE),
        PublishedRow("ratings of the models that fix the scale", _BOARD, 0.05,
                     lambda data: _anchors(benchmark), rounding="printed to .1"),
    ]  # fmt: skip


class GradedStory(NamedTuple):
    """A story of a page, with its two numbers here; ``None`` where it has no score."""

    story: PageStory
    chapters: float | None
    whole: float | None


def graded_stories(page: Path, dataset: str, parser: str = "reference") -> Iterator[GradedStory]:
    """The stories of a page of Longform Writing, graded here by its verdicts."""
    stories = read_stories(page)
    run = run_of(page, [story.sample for story in stories], parser=parser)
    scores = eibench.replayed(_LONGFORM, run, dataset).scores
    for story in stories:
        score = scores.get((story.id, 1))
        values = score.values if score and score.reason is None else {}
        of = [values.get(f"chapter_{number}") for number in range(1, CHAPTERS + 1)]
        chapters = [value for value in of if value is not None]
        yield GradedStory(story, fmean(chapters) if chapters else None, values.get("whole"))


def _stories(data: PublishedData) -> Iterator[PublishedNumber]:
    for page in data.files:
        for story, chapters, whole in graded_stories(page, data.datasets[_LONGFORM]):
            name = f"{page.name}, story {story.id}"
            yield PublishedNumber(f"{name}, chapters", story.chapters, chapters)
            yield PublishedNumber(f"{name}, whole", story.whole, whole)


def longform_rows() -> list[PublishedRow]:
    """Stories of published pages."""
    lacks = f"{_OTHER_JUDGE}; its overall score does not follow from its columns"
    return [
        PublishedRow("a story's chapters and its whole, from nine verdicts", _STORIES, 0.05,
                     _stories, ("results/*.html", "results/*.html.gz"), _LONGFORM, (_LONGFORM,),
                     "printed to .1", lacks),
    ]  # fmt: skip


def _board_scores(data: PublishedData) -> Iterator[PublishedNumber]:
    boards = read_json(eibench.folder("judgemark") / "published_boards.json")
    for board, rows in boards.items():
        for n, (score, stability, separability, agreement) in enumerate(rows, start=1):
            ours = published_score(stability, separability, agreement)
            yield PublishedNumber(f"{board}, row {n}", score, ours)


def _stats(data: PublishedData) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in data.files:
        yield path.name, json.loads(read_whole(path))


def _overlaps(data: PublishedData) -> Iterator[PublishedNumber]:
    """From as many grades of a writer as the file says, with their mean and deviation."""
    for name, stats in _stats(data):
        grades = []
        for of in stats["raw_model_stats"].values():
            half = np.resize([-1.0, 1.0], of["count"])
            grades.append(of["mean"] + half * of["stdev"] * np.sqrt((len(half) - 1) / len(half)))
        published = stats["separability_metrics"]["raw"]["adjacent_overlap_fraction"]
        yield PublishedNumber(name, published, adjacent_overlap(grades))


def _landmarks(data: PublishedData) -> Iterator[PublishedNumber]:
    for name, stats in _stats(data):
        of, config = stats["raw_score_distribution"], stats["calibration_config"]
        marks = [of[mark] for mark in ("min", "p25", "median", "p75", "max")]
        for mark, published, ours in zip(marks, config["out_landmarks"], calibrated(marks),
                                         strict=True):  # fmt: skip
            yield PublishedNumber(f"{name}, {mark}", published, float(ours))


_SIX = ("std_dev_between_models", "kruskall_wallis", "ci99_adjacent_overlap", "score_range",
        "intra_model_ci95", "earth_movers_distance")  # fmt: skip


def _raw_scores(data: PublishedData) -> Iterator[PublishedNumber]:
    """By the boards' weights, with the mean of the six parts that separability had then."""
    for name, stats in _stats(data):
        if of := stats.get("final_judgemark_score_elements_raw"):
            separability = fmean(of[f"norm_{part}"] for part in _SIX)
            stability = of["norm_stability_between_iterations"]
            order = of["norm_correlation_with_lmsys_arena"]
            ours = published_score(stability, separability, order) / 100
            yield PublishedNumber(name, stats["final_judgemark_score_raw"], ours)


def judgemark_rows() -> list[PublishedRow]:
    """The boards' scores from their parts, and what the files of single judges hold."""
    files, folder = ("results/stats/*.json", "stats/*.json.gz"), "judgemark-v2"
    return [
        PublishedRow("the scores of the boards v2.0 and v2.1, from their parts", _BOARDS, 0.055,
                     _board_scores, rounding="printed to .01, the parts to .001",
                     lacks="the parts: the grades behind the boards are not public"),
        PublishedRow("neighbours that overlap, from means and deviations", _STATS, 1e-9, _overlaps,
                     files, folder, rounding="all digits"),
        PublishedRow("where calibration puts the landmarks of grades", _STATS, 1e-9, _landmarks,
                     files, folder, rounding="all digits"),
        PublishedRow("the raw score of January 2025, from its parts", _STATS, 5e-5, _raw_scores,
                     files, folder, rounding="all digits",
                     lacks="calibrated scores: they do not follow from their parts"),
    ]  # fmt: skip
