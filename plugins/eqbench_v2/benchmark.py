"""EQ-Bench v2 (Paech 2024): how strongly does someone feel four emotions, each on its own?

As version 1, on 171 questions, but ratings are compared as they are, not by their proportions,
and no critique and revision is asked for unless wanted. In English and in German.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eibench import Option, Options, Pack, PackSource, Sampling, Table, folder
from eibench.emotion_ratings import FORMS, PARSER, EmotionRatings, cut_revision, usual_sentence

from .published import MAY_STAND, PUBLISHED
from .questions import odd_names, read_in_language
from .scoring import question_score, score_answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .scoring import Floats


class EQBenchV2(EmotionRatings):
    """The benchmark; its facts are in docs/eqbench-v2.md."""

    name = "eqbench-v2"
    version = "1"
    title = "rate four emotions after a dialogue, each on the full scale (Paech 2024)"
    data = folder("eqbench_v2")
    # An answer has some 60 tokens: all other room is for models that think first.
    sampling = Sampling(temperature=0.01, max_tokens=16_384)
    options = (
        Option("lang", "en", "Language of the questions.", choices=tuple(FORMS), in_requests=True),
        PARSER,
        Option("revise", False, "Ask for a critique and revised scores.", in_requests=True),
    )
    attempts = 3
    proportional = False

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The questions of a language, with or without the request for a revision."""
        path, form = next(iter(source.files.values())), FORMS[options["lang"]]
        items = read_in_language(path, form)
        warnings = odd_names(items)
        if not options["revise"]:
            # The published code writes one and the same sentence into all German prompts.
            same = source.name == "official" and form.language == "de"
            prompts = [item.content.prompt for item in items]
            items = cut_revision(
                path, items, sentence=usual_sentence(prompts, form) if same else None
            )
        return Pack(source, items, _comparability(source, options), warnings)

    def published(self, pack: Pack) -> Table | None:
        """The published scores, where results on the pack may stand beside them."""
        return PUBLISHED.board() if pack.comparability == MAY_STAND else None

    def question_score(self, ratings: Sequence[float], reference: Sequence[float]) -> float:
        """By the distance of each rating, on the full scale."""
        return question_score(ratings, reference)

    def score_answers(
        self, answers: Floats, references: Sequence[Sequence[float]]
    ) -> Iterator[Floats]:
        """The same for many answers to each question."""
        return score_answers(answers, references)


def _comparability(source: PackSource, options: Options) -> str:
    if source.name != "official":
        return "beside no published score: those are of the official pack"
    if options["lang"] != "en":
        return "beside no published score: those are of the English questions"
    return MAY_STAND
