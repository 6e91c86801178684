"""EQ-Bench v1 (Paech 2023): how strongly does someone feel four emotions?

The model rates, questions its ratings, and rates again. Ratings are normalised
and compared to the authors' own. An answer that cannot be read is asked for
again at a higher temperature (section 3.10); the best one that came is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eibench import (
    Option,
    Options,
    Pack,
    PackSource,
    PublishedRow,
    ResultDocument,
    Sampling,
    Table,
    folder,
)
from eibench.emotion_ratings import (
    PARSER,
    EmotionRatings,
    PublishedScores,
    ReferenceField,
    cut_revision,
    read_questions,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


#: What a reference sums to, and to what ratings are scaled.
TOTAL = 10.0


def question_score(ratings: Sequence[float], reference: Sequence[float]) -> float | None:
    """Return 10 minus the summed distance of the normalised ratings to the reference.

    Paech (2023), section 3.5: the ratings are scaled to sum 10; the reference already does.
    The result lies in -10..10 for ratings and references that are not negative; it is None when the
    ratings sum to zero or less: they have no proportions to compare.
    """
    total = sum(ratings)
    if total <= 0:
        return None
    pairs = zip(ratings, reference, strict=True)
    return TOTAL - sum(abs(rating / total * TOTAL - target) for rating, target in pairs)


def score_answers(answers: Floats, references: Sequence[Sequence[float]]) -> Iterator[Floats]:
    """Yield scores, shape (n,), of answers, shape (n, 4), none all zero, to each question."""
    import numpy as np

    ratings = answers / answers.sum(axis=1, keepdims=True) * TOTAL
    for reference in references:
        distances = np.abs(ratings - np.asarray(reference))
        yield TOTAL - distances.sum(axis=1)


PUBLISHED = PublishedScores(
    folder("eqbench_v1") / "published_scores.csv",
    "scores of table 1 in Paech (2023)",
    note="Those models were run in 2023 under a now historic protocol; their intervals were "
    "not published, and at 60 questions half-widths of 6 to 10 points are usual.",
)
MAY_STAND = "comparable with table 1 of Paech (2023), a now historic protocol and set of models"
"""How the comparability line of a result ends that may."""


def standing(document: ResultDocument) -> Table | None:
    """The published scores around a result, where its comparability line allows it."""
    may = document["comparability"].endswith(MAY_STAND)
    return PUBLISHED.around(document) if may else None


REFERENCE = ReferenceField("reference_answer", total=TOTAL)


class EQBenchV1(EmotionRatings):
    """The benchmark; its facts are in docs/eqbench-v1.md."""

    name = "eqbench-v1"
    version = "1"
    grading = "2"
    title = "rate four emotions after a dialogue; distance to reference ratings (Paech 2023)"
    kind = "ratings"
    languages = ("en",)
    data = folder("eqbench_v1")
    cite = data / "citation.bib"
    sampling = Sampling(temperature=0.01, max_tokens=4096)
    answer_tokens = 2048  # with the critique
    options = (
        PARSER,
        Option("revise", True, "Ask for a critique and revised scores.", in_requests=True),
    )
    attempts = 5
    proportional = True

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The questions, with or without the request for a revision."""
        path = next(iter(source.files.values()))
        items = read_questions(path, REFERENCE)
        items = items if options["revise"] else cut_revision(path, items)
        return Pack(source, items, _comparability(source, options))

    def published_rows(self) -> Sequence[PublishedRow]:
        """What `bench reproduce` computes again."""
        from .reproducing import rows

        return rows()

    def published(self, pack: Pack) -> Table | None:
        """The published scores, where results on the pack may stand beside them."""
        return PUBLISHED.board() if pack.comparability == MAY_STAND else None

    def question_score(self, ratings: Sequence[float], reference: Sequence[float]) -> float | None:
        """By proportions: section 3.5 of the paper."""
        return question_score(ratings, reference)

    def score_answers(
        self, answers: Floats, references: Sequence[Sequence[float]]
    ) -> Iterator[Floats]:
        """The same for many answers to each question."""
        return score_answers(answers, references)


def _comparability(source: PackSource, options: Options) -> str:
    if source.name != "official":
        return "not comparable with published scores: those are of the official pack"
    if not options["revise"]:
        return "comparable only with Curie's and ADA's published scores, which are without revision"
    return MAY_STAND
