"""From a judge's verdict to a piece's score: read strictly, or as the published pages have it."""

import re
from collections.abc import Iterator, Mapping, Sequence

from eibench import ChatResponse, Message, Metric, Model, SampleScore, Score, Value, no_answer
from eibench.judges import Outcome, Reading, Rubric, Verdict, ask

RUBRIC_SCORE, OUT_OF_20, READ = "rubric_score", "score_0_20", "criteria_read"
_OVER = "prompts"
_NUMBERS = (
    re.compile(r"(.*?):\s*(?:Score\s+)?(-?\d+(?:\.\d+)?)"),
    re.compile(r"(.*?):\s*\[(-?\d+(?:\.\d+)?)\]"),
)
"""What the published code takes for a name and its number, anywhere in a line."""


class WritingRubric(Rubric):
    """A rubric whose score is shown from 0 to 20 too, with how many criteria it stands on."""

    def score_of(self, filled: Verdict) -> Score:
        """The mean of the criteria, and each of them."""
        total, grades = self.total(filled.scores), filled.scores
        named = {name: grades[name] for name in self.names if name in grades}
        return Score({RUBRIC_SCORE: total, OUT_OF_20: total / 5, READ: len(grades), **named})

    def values(self, *, over: str = _OVER, by: tuple[str, ...] = ()) -> tuple[Value, ...]:
        """What such a score holds."""
        first, *criteria = super().values(over=over, by=by)
        criteria.sort(key=lambda value: value.higher_is_better is False)
        return (
            first,
            Value(OUT_OF_20, "the same (0-20)", range=(0, 20), over=over),
            *criteria,
            Value(READ, "criteria that a verdict grades", higher_is_better=None, over=over,
                  group=f"verdicts (0-{len(self.names)})"),
        )  # fmt: skip


class PublishedRubric(WritingRubric):
    """The same, read as on the published pages.

    All that stands before a colon is a name, in the analysis too, and every number after one
    counts, whatever the scale; of a name that stands twice the last counts.
    """

    async def ask(
        self,
        judge: Model,
        messages: Sequence[Message],
        *,
        cache_prefix: int = 0,
        constrained: bool = True,
    ) -> Outcome[Verdict]:
        """What the judge says, once it holds a number."""
        form = "Reply with a line for each criterion, NAME: NUMBER."
        return await ask(judge, messages, self.read, form=form, cache_prefix=cache_prefix)

    def read(self, response: ChatResponse) -> Reading[Verdict]:
        """The numbers of a reply by name."""
        if reason := no_answer(response):
            return Reading(None, reason.replace("the model", "the judge"))
        pairs = [pair for pattern in _NUMBERS for pair in _pairs(pattern, response.text)]
        grades = {name.strip(): float(number) for name, number in pairs}
        grades = {name: grade for name, grade in grades.items() if self.counts(name, grade)}
        if not grades:
            return Reading(None, "it has no number after a name")
        if not 0 <= self.total(grades) <= 100:
            return Reading(None, "the mean of its numbers is beyond the scale")
        strays = tuple(name for name in grades if name not in self.criteria)
        return Reading(Verdict(grades, unknown=strays), None, ("stray name",) * bool(strays))

    def counts(self, name: str, grade: float) -> bool:
        """Whether a number is a grade: each is."""
        return True

    def total(self, grades: Mapping[str, float]) -> float:
        """The mean of all numbers, those under names that are no criteria too."""
        mirrored = [self.scale - g if n in self.lower_is_better else g for n, g in grades.items()]
        return 100 / self.scale * sum(mirrored) / len(mirrored)


def _pairs(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    """What `findall` gives, which tries a line that has no match anew at each of its characters."""
    at = 0
    while at < len(text):
        if match := pattern.match(text, at):
            yield match[1], match[2]
        at = match.end() if match else text.find("\n", at) + 1 or len(text)


def pooled_means(scores: Sequence[SampleScore]) -> dict[str, Metric]:
    """By iteration, the mean of all grades of all its pieces, as published pages print it.

    A piece of which fewer criteria were graded counts less in it than in the mean of pieces.
    """
    sums: dict[int, list[tuple[float, float]]] = {}
    for sample in sorted(scores, key=lambda s: (s.iteration, s.item_id)):
        total, n = (sample.score.values.get(name) for name in (RUBRIC_SCORE, READ))
        if total is not None and n is not None:
            sums.setdefault(sample.iteration, []).append((total * n, n))
    return {
        f"pooled_{iteration}": Metric(
            sum(total for total, _ in pairs) / sum(n for _, n in pairs),
            n=len(pairs),
            over=_OVER,
            label=f"iteration {iteration}",
            group="means of all grades of an iteration, as on published pages",
        )
        for iteration, pairs in sums.items()
    }
