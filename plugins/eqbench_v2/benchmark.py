"""EQ-Bench v2 (Paech 2024): how strongly does someone feel four emotions, each on its own?

As version 1, on 171 questions, but ratings are compared as they are, not by their proportions,
and no critique and revision is asked for unless wanted. In English and in German, which a pack's
prompts are checked for; in any other language a prompt shows its own form. Source of formula and
constants: EQ-bench/EQ-Bench, lib/scoring.py, commit 0114d23.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from eibench import (
    DataError,
    Item,
    Option,
    Options,
    Pack,
    PackSource,
    PublishedRow,
    ResultDocument,
    Sampling,
    Table,
    UsageError,
    folder,
)
from eibench.emotion_ratings import (
    FORMS,
    GERMAN,
    PARSER,
    EmotionRatings,
    Form,
    PublishedScores,
    Question,
    ReferenceField,
    cut_revision,
    listed_emotions,
    read_questions,
    stored_row,
    stored_score_row,
    usual_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


PERFECT = 10.0
WEIGHT = 0.7477
"""Of a penalty: upstream chose it so that random answers come out near zero."""
CLOSE = 5.0
"""Up to this distance the penalty is an S-shaped curve; beyond, it is the distance itself."""
HEIGHT, STEEPNESS, MIDDLE = 6.5, 1.2, 4.0


def penalty(distance: float) -> float:
    """Return what a rating costs that is `distance`, from 0 up, away from its reference.

    0 for none; 6.5 / (1 + e^(-1.2 (d - 4))) up to d = 5, so that a rating one off costs almost
    nothing; d beyond.
    """
    if distance == 0:
        return 0.0
    if distance <= CLOSE:
        return HEIGHT / (1 + math.exp(-STEEPNESS * (distance - MIDDLE)))
    return distance


def question_score(ratings: Sequence[float], reference: Sequence[float]) -> float:
    """Return 10 minus the weighted sum of the penalties of all ratings.

    At most 10; for ratings from 0 to 10 at least -19.908. Four zeros are an answer like others.
    """
    pairs = zip(ratings, reference, strict=True)
    return PERFECT - WEIGHT * sum(penalty(abs(rating - target)) for rating, target in pairs)


def score_answers(answers: Floats, references: Sequence[Sequence[float]]) -> Iterator[Floats]:
    """Yield scores, shape (n,), of answers, shape (n, 4), to each question.

    The fewer different ratings, the faster.
    """
    import numpy as np

    levels, level = np.unique(answers, return_inverse=True)
    columns = level.reshape(answers.shape).T
    for reference in references:
        tables = [_penalties(np.abs(levels - target)) for target in reference]
        columns_of_penalties = (
            table[column] for table, column in zip(tables, columns, strict=True)
        )
        total = sum(columns_of_penalties, np.zeros(len(answers)))
        yield PERFECT - WEIGHT * total


def _penalties(distances: Floats) -> Floats:
    """`penalty` of each distance."""
    import numpy as np

    curve = HEIGHT / (1 + np.exp(-STEEPNESS * (distances - MIDDLE)))
    near = np.where(distances == 0, 0.0, curve)
    return np.where(distances <= CLOSE, near, distances)


MAY_STAND = "comparable with the published scores of 2023 and 2024, some of them with revision"
"""How the comparability line of a result ends that may."""

PUBLISHED = PublishedScores(
    folder("eqbench_v2") / "published_scores.csv",
    "published scores of EQ-Bench v2",
    note="Those models were run in 2023 and 2024, open ones often quantised, some with critique "
    "and revision and some without; intervals were not published, and at 171 questions "
    "half-widths of 2 to 7 points are usual.",
)


def standing(document: ResultDocument) -> Table | None:
    """The published scores around a result, where its comparability line allows it."""
    may = document["comparability"].endswith(MAY_STAND)
    return PUBLISHED.around(document) if may else None


class EQBenchV2(EmotionRatings):
    """The benchmark; its facts are in docs/eqbench-v2.md."""

    name = "eqbench-v2"
    version = "1"
    grading = "2"
    title = "rate four emotions after a dialogue, each on the full scale (Paech 2024)"
    kind = "ratings"
    data = folder("eqbench_v2")
    cite = data / "citation.bib"
    # An answer has some 60 tokens: all other room is for models that think first.
    sampling = Sampling(temperature=0.01, max_tokens=16_384)
    answer_tokens = 1024
    languages = tuple(FORMS)
    options = (
        Option("lang", "en", "Language of the questions, such as en or ja.", in_requests=True),
        PARSER,
        Option("revise", False, "Ask for a critique and revised scores.", in_requests=True),
    )
    attempts = 3
    proportional = False

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The questions of a language, with or without the request for a revision."""
        if not _LANGUAGE.fullmatch(options["lang"]):
            raise UsageError("--lang takes the code of a language, such as ja or pt-br")
        path, form = next(iter(source.files.values())), FORMS.get(options["lang"])
        if form is None and options["parser"] == "reference":
            raise UsageError("--parser reference reads English and German only, as published")
        items = read_in_language(path, form)
        warnings = (*_shown_forms(items, form), *odd_names(items))
        if not options["revise"]:
            # The published code writes one and the same sentence into all German prompts.
            same = source.name == "official" and form == GERMAN
            prompts = [item.content.prompt for item in items]
            items = cut_revision(
                path, items, sentence=usual_sentence(prompts, GERMAN) if same else None
            )
        return Pack(source, items, _comparability(source, options), warnings)

    def published_rows(self) -> Sequence[PublishedRow]:
        """What `bench reproduce` computes again."""
        ratings = "each rating in the answers, and how many answers were read"
        return [stored_score_row(), stored_row(self.name, ratings)]

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
        return "not comparable with published scores: those are of the official pack"
    if options["lang"] != "en":
        return "not comparable with published scores: those are of the English questions"
    return MAY_STAND


REFERENCE = ReferenceField("reference_answer_fullscale", as_text=True)


def read_in_language(path: Path, form: Form | None) -> list[Item]:
    """The items of a pack with their full prompts, each with its own headings and names.

    Args:
        path: The file.
        form: That of the pack's language; ``None`` where each prompt is to show it.

    Raises:
        DataError: The file is not of that form, or is in another language.
    """
    items = read_questions(path, REFERENCE)
    return [replace(item, content=_as_worded(path, item, form)) for item in items]


def _as_worded(path: Path, item: Item, form: Form | None) -> Question:
    """The question with its form as its prompt words it."""
    question: Question = item.content
    try:
        worded, names = _form_and_names(question.prompt, form)
    except ValueError as error:
        raise DataError(path, f"its prompt {error}", f'item "{item.id}"') from None
    return question._replace(form=worded, others=_other_names(question.emotions, names))


def _form_and_names(prompt: str, form: Form | None) -> tuple[Form, Sequence[str]]:
    for known in FORMS.values():
        if known.first in prompt and known != form:
            raise ValueError(f"is not in the language asked for; use --lang {known.language}")
    if form is None:
        return Form.shown_in(prompt)
    if form.first not in prompt:
        raise ValueError(
            f'lacks the heading "{form.first}"; --lang with the code of another language, '
            "such as ja, reads the headings that it has"
        )
    worded = form.as_written_in(prompt)
    return worded, listed_emotions(prompt, worded)


def _shown_forms(items: Sequence[Item], form: Form | None) -> Iterator[str]:
    """A warning with the headings that were read from the prompts, where they were."""
    if form is None:
        forms: list[Form] = [item.content.form for item in items]
        marks = zip(*((f.first, f.revised, f.answer_end) for f in forms), strict=True)
        yield "headings and end of an answer are as the prompts show them: " + "; ".join(
            ", ".join(dict.fromkeys(worded)) for worded in marks
        )


_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*")
_ODD = (
    'lists "{}", but its answer form and reference say "{}": '
    "parser strict reads either name, reference only the latter"
)
_ODD_SHOWN = 'asks for "{}", but its reference says "{}": either name is read'


def odd_names(items: Sequence[Item]) -> tuple[str, ...]:
    """A warning for each question that has two names for an emotion."""
    return tuple(
        f"question {item.id} "
        + (_ODD if item.content.form.language else _ODD_SHOWN).format(other, name)
        for item in items
        for name, other in zip(item.content.emotions, item.content.others, strict=False)
        if name != other
    )


def _other_names(names: Sequence[str], listed: Sequence[str]) -> tuple[str, ...]:
    """What the prompt has in place of each name; empty where all are the same."""
    if len(listed) != len(names) or set(listed) == set(names):
        return ()
    pairs = zip(names, listed, strict=True)
    return tuple(
        other if name not in listed and other not in names else name for name, other in pairs
    )
