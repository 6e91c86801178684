"""EQ-Bench v1 (Paech 2023): how strongly does someone feel four emotions?

The model rates, questions its ratings, and rates again. Ratings are normalised
and compared to the authors' own. An answer that cannot be read is asked for
again at a higher temperature (section 3.10); the best one that came is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eibench import Option, Options, Pack, PackSource, Sampling, Table, folder
from eibench.emotion_ratings import (
    PARSER,
    EmotionRatings,
    ReferenceField,
    cut_revision,
    read_questions,
)

from .published import MAY_STAND, PUBLISHED
from .scoring import TOTAL, question_score, score_answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .scoring import Floats

REFERENCE = ReferenceField("reference_answer", total=TOTAL)


class EQBenchV1(EmotionRatings):
    """The benchmark; its facts are in docs/eqbench-v1.md."""

    name = "eqbench-v1"
    version = "1"
    title = "rate four emotions after a dialogue; distance to reference ratings (Paech 2023)"
    data = folder("eqbench_v1")
    sampling = Sampling(temperature=0.01, max_tokens=4096)
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
        return "beside no published score: those are of the official pack"
    if not options["revise"]:
        return "beside no published score but Curie's and ADA's, the only ones without revision"
    return MAY_STAND
