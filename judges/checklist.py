"""The checklist: questions about one reply, each answered with yes or no."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eibench import Message, Model, Score, Value

from .asking import Outcome
from .grading import JudgeForm, described
from .yes_no import Answers, Questions, answer_form, ask_yes_no

MET = "met"
"""The share of questions that are answered with yes."""


@dataclass(frozen=True, slots=True)
class Checklist(JudgeForm[Answers]):
    """Questions about a reply; the score is the share that is answered with yes.

    Attributes:
        questions: Each by its name.
        needs: Names of questions that can be a yes only where another one is, and which.
        reason: What the form says in the place of the judge's reason.
    """

    questions: Mapping[str, str]
    needs: Mapping[str, str] = field(default_factory=dict)
    reason: str = "what you saw, and the words it rests on"

    @property
    def asked(self) -> Questions:
        """The questions' names, for the reader."""
        return Questions(tuple(self.questions), self.needs)

    @property
    def described(self) -> str:
        """The questions, a line each."""
        return described(tuple(self.questions), dict(self.questions))

    @property
    def shown(self) -> str:
        """The empty form, as a prompt shows it."""
        return answer_form(self.asked, self.reason)

    async def ask(
        self, judge: Model, messages: Sequence[Message], *, cache_prefix: int = 0
    ) -> Outcome[Answers]:
        """A judge's answers, once they can be read."""
        return await ask_yes_no(judge, messages, self.asked, cache_prefix=cache_prefix)

    def score_of(self, filled: Answers) -> Score:
        """1 or 0 for each question."""
        values = {name: float(answer) for name, answer in filled.values.items()}
        return Score(values, detail={"reason": filled.reason})

    def values(self, *, over: str = "items", by: tuple[str, ...] = ()) -> tuple[Value, ...]:
        """What such a score holds: the share of yes, of all questions and of each."""
        names = tuple(self.questions)
        met = Value(MET, "share of yes", "share", over=over, by=by, mean_of=names)
        return met, *(Value(name, kind="share", over=over, group="questions") for name in names)
