"""How samples of a run were graded: by whom, with which options, and how verdicts are read.

A `Judge` is one party or a `Panel` of several. Each judge's verdict is a grade of its own. A
panel's score is an aggregation over them, kept beside them, so that another judge can be added to
what is there and one can be left out. A `Grader` is the judge with all else that a grade is by.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from random import Random
from statistics import fmean, median
from typing import Any, NamedTuple, cast

from ..text import plain
from ..types import JsonDict, JsonObject, Score, canonical, digest
from .party import Party, party_of

RULES = ("mean", "median", "majority", "rotate")
OVERLAP = 0.1
"""Of the samples of ``rotate``, the share that all judges grade."""
UNREAD_MOST = 0.05
"""Of a judge's replies, the share that may be unreadable; beyond it the panel is not whole."""


class Replies(NamedTuple):
    """What came of the questions that one judge of a panel was to answer.

    So many were asked, of these answered, and of those could not be read.
    """

    asked: int
    answered: int
    unread: int

    @property
    def whole(self) -> bool:
        """Whether it replied to all, and nearly always so that it could be read."""
        return self.answered == self.asked and self.unread <= UNREAD_MOST * self.answered


@dataclass(frozen=True, slots=True)
class Panel:
    """How several judges make one score.

    Attributes:
        judges: Sorted: the order in which they are named means nothing.
        rule: ``mean``, ``median`` or ``majority`` of the verdicts that could be read; or
            ``rotate``: one judge a sample, drawn by item and iteration, never by the model.
        quorum: How many verdicts have to be read for a score; 0 for more than half, also where
            half of the judges and one more are given. A judge that gave no reply leaves the panel
            incomplete whatever it is.
        exclude_kin: In comparisons, judges of the family of one of the two are left out.
        overlap: Of the samples of ``rotate``, the share that all judges grade, from 0 to 1; other
            rules have none.
    """

    judges: tuple[Party, ...]
    rule: str = "mean"
    quorum: int = 0
    exclude_kin: bool = False
    overlap: float = OVERLAP

    def __post_init__(self) -> None:
        object.__setattr__(self, "judges", tuple(sorted(self.judges)))
        if self.judges and self.quorum == len(self.judges) // 2 + 1:
            object.__setattr__(self, "quorum", 0)
        if self.rule != "rotate":
            object.__setattr__(self, "overlap", OVERLAP)

    @property
    def label(self) -> str:
        """Its rule and its judges."""
        return f"{self.rule}({','.join(map(str, self.judges))})"

    def __str__(self) -> str:
        return self.label

    @property
    def short(self) -> str:
        """The rule alone."""
        return self.rule

    @property
    def brief(self) -> str:
        """The rule, and how many judges it has."""
        return f"{self.rule} of {len(self.judges)} judges"

    @property
    def public(self) -> "Panel":
        """The same without the endpoints of its judges."""
        return replace(self, judges=tuple(judge.public for judge in self.judges))

    @property
    def names(self) -> tuple[str, str]:
        """What a person may write who means it: its label, or its rule."""
        return self.label, self.short

    def assigned(self, item_id: str, iteration: int) -> tuple[Party, ...]:
        """The judges of a sample."""
        if self.rule != "rotate":
            return self.judges
        rng = Random(canonical(["panel", item_id, iteration]))
        if rng.random() < self.overlap:
            return self.judges
        return (self.judges[int(rng.random() * len(self.judges))],)

    def needed(self, judges: int) -> int:
        """How many of so many verdicts have to be read."""
        return min(judges, self.quorum) if self.quorum else judges // 2 + 1

    def score(
        self,
        verdicts: Sequence[Score],
        assigned: int,
        unjudged: Collection[str] = (),
        votes: Collection[str] = (),
    ) -> Score | None:
        """The score of a sample; ``None`` while verdicts are missing that may change it.

        Of so many `assigned` judges some verdicts are there, read or not. Values in `unjudged`
        come from no judge; where `votes`, which are a yes or a no, differ, it is flagged.
        """
        read = [verdict for verdict in verdicts if verdict.reason is None]
        if len(read) >= self.needed(assigned):
            return self._merged(read, assigned, unjudged, votes)
        return self._unread(verdicts, len(read)) if len(verdicts) == assigned else None

    def _merged(
        self,
        read: Sequence[Score],
        assigned: int,
        unjudged: Collection[str],
        votes: Collection[str],
    ) -> Score:
        names = dict.fromkeys(name for verdict in read for name in verdict.values)
        numbers = {
            name: [v for one in read if (v := one.values.get(name)) is not None] for name in names
        }
        values = {
            name: self._value(votes_cast, judged=name not in unjudged)
            for name, votes_cast in numbers.items()
        }
        flags = dict.fromkeys(flag for verdict in read for flag in verdict.flags)
        if any(len(set(votes_cast)) > 1 for name, votes_cast in numbers.items() if name in votes):
            flags["split"] = None
        return Score(values, None, tuple(flags), {"verdicts": len(read), "judges": assigned})

    def _value(self, numbers: Sequence[float], *, judged: bool) -> float | None:
        if not numbers or not judged:
            return numbers[0] if numbers else None
        if self.rule == "median":
            return float(median(numbers))
        mean = fmean(numbers)
        return float((mean > 0.5) + (mean >= 0.5)) / 2 if self.rule == "majority" else mean

    def _unread(self, verdicts: Sequence[Score], read: int) -> Score:
        """Why a sample has no score: what all say, or that too few could be read."""
        reasons = {verdict.reason for verdict in verdicts}
        flags = tuple(dict.fromkeys(flag for verdict in verdicts for flag in verdict.flags))
        if len(reasons) == 1:
            return Score.unscored(str(reasons.pop()), flags=flags)
        of, needed = len(verdicts), self.needed(len(verdicts))
        reason = f"{read} of {of} verdicts could be read, and the quorum is {needed}"
        return Score.unscored(reason, flags=flags)

    def as_json(self) -> JsonDict:
        """The value as the journal keeps it: all that a panel's score depends on."""
        facts: JsonDict = {
            "rule": self.rule,
            "judges": [judge.as_json() for judge in self.judges],
            "quorum": self.needed(len(self.judges)),
            "exclude_kin": self.exclude_kin,
        }
        return facts | ({"overlap": self.overlap} if self.rule == "rotate" else {})


Judge = Party | Panel
"""Whose verdicts a score is made of."""


def judge_of(facts: JsonObject) -> Judge:
    """The judge or the panel that `as_json` gave."""
    if "rule" not in facts:
        return party_of(facts)
    judges = cast("Sequence[JsonObject]", facts["judges"])
    quorum, overlap = cast("int", facts["quorum"]), cast("float", facts.get("overlap", OVERLAP))
    rule, exclude_kin = str(facts["rule"]), facts["exclude_kin"] is True
    return Panel(tuple(map(party_of, judges)), rule, quorum, exclude_kin, overlap)


def is_meant(judge: Judge | None, named: Judge | str) -> bool:
    """Whether a judge is the one that is wanted, or has the name that a person wrote."""
    if judge is None or not isinstance(named, str):
        return judge == named
    return named in judge.names


@dataclass(frozen=True, eq=False)
class Grader:
    """All that a sample's grade depends on beside its transcript.

    Attributes:
        options: The values of grading options.
        grading: The benchmark's way of making numbers of transcripts.
        prompts: Digests of what the judge is sent, by name.
        offline: Made by `bench rescore`, which could not ask further.
    """

    version: str
    judge: Judge | None = None
    options: JsonObject = field(default_factory=dict)
    grading: str = "1"
    prompts: JsonObject = field(default_factory=dict)
    sampling: JsonObject = field(default_factory=dict)
    offline: bool = False

    def as_json(self) -> JsonDict:
        """The value as the journal keeps it."""
        facts: JsonDict = {one.name: getattr(self, one.name) for one in fields(self)}
        return facts | {"judge": self.judge.as_json() if self.judge else None}

    @cached_property
    def text(self) -> str:
        """The one JSON text of the value."""
        return canonical(self.as_json())

    @cached_property
    def digest(self) -> str:
        """What its grades are kept under."""
        return digest(self.as_json())

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grader) and self.text == other.text

    @property
    def online(self) -> "Grader":
        """The same, whether further questions could be asked or not."""
        return replace(self, offline=False)

    @property
    def but_for_judge(self) -> "Grader":
        """What has to be alike for two judges to be set beside each other; a panel is no judge."""
        return replace(
            self, judge=self.judge if isinstance(self.judge, Panel) else None, offline=False
        )

    def __str__(self) -> str:
        message = ", ".join(f"{name}={plain(value)}" for name, value in self.options.items())
        return f"{self.judge or 'no judge'}{f' ({message})' if message else ''}"


def grader_of(facts: Mapping[str, Any]) -> Grader:
    """The grader that `Grader.as_json` gave."""
    judge = facts["judge"]
    return Grader(**{**facts, "judge": judge_of(judge) if judge else None})
