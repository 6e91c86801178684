"""How samples of a run were graded: by whom, with which options, and how verdicts are read."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from ..text import plain
from ..types import JsonDict, JsonObject, canonical, digest
from .panels import Judge, Panel, judge_of


@dataclass(frozen=True, eq=False)
class Grader:
    """All that a sample's grade depends on beside its transcript.

    Attributes:
        version: The benchmark's.
        judge: A judge or a panel; ``None`` where none is asked.
        options: The values of grading options.
        grading: The benchmark's way of making numbers of transcripts.
        prompts: Digests of what the judge is sent, by name.
        sampling: How the judge's replies are drawn.
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
