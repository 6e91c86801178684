"""What columns hold, told once for SQLite and for lines of files; and the parties in them."""

import json
from functools import lru_cache
from typing import Annotated, Any

from ..parties.graders import RULES, Grader, Judge, grader_of, judge_of
from ..parties.party import Party, party_of
from ..types import JsonObject
from ..types.result_document import ResultDocument
from . import shapes
from .shapes import Shape, list_of, matching, object_of, optional, record, text, whole
from .tables import DamagedRow, Json

PARTY = record(
    {
        "provider": matching(r"[^/]+", "a provider"),
        "name": matching(r"(?s:.+)", "a name"),
        "host": optional(text),
    }
)
_PANEL = record(
    {
        "rule": shapes.one_of(frozenset(RULES)),
        "judges": list_of(PARTY),
        "quorum": whole(0),
        "exclude_kin": shapes.boolean,
        "overlap": shapes.number,
    },
    required=frozenset({"rule", "judges", "quorum", "exclude_kin"}),
)


def judge(value: object) -> str | None:
    """A judge, or a panel of several."""
    shape = _PANEL if isinstance(value, dict) and "rule" in value else PARTY
    return shape(value)


def option(value: object) -> str | None:
    """What an option may be."""
    is_one = not isinstance(value, list | dict)
    return None if is_one else "must be a text, a number, true, false or null"


GRADER: Shape = record(
    {
        "version": text,
        "judge": optional(judge),
        "options": object_of(option),
        "grading": text,
        "prompts": object_of(text),
        "sampling": object_of(shapes.anything),
        "offline": shapes.boolean,
    }
)


@lru_cache(256)
def party_in(column: str) -> Party:
    """The party of a column; raises as `grader_in` does."""
    return party_of(_checked(column, PARTY))


@lru_cache(256)
def judge_in(column: str) -> Judge:
    """The judge or the panel of a column; raises as `grader_in` does."""
    return judge_of(_checked(column, judge))


@lru_cache(256)
def grader_in(column: str) -> Grader:
    """The grader of a column."""
    return grader_of(_checked(column, GRADER))


def _checked(column: object, shape: Shape) -> Any:
    value = json.loads(column) if isinstance(column, str) else column
    if wrong := shape(value):
        raise DamagedRow(f"who was asked, or has graded, {wrong}")
    return value


RUN_ID = r"(?P<digits>[0-9a-f]{8,32})(-(?P<ordinal>[1-9][0-9]*))?"

_DOCUMENT = shapes.shape_of(ResultDocument)

Text = Annotated[str, text]
TextOrNone = Annotated[str | None, text]
Time = Annotated[str, shapes.time]
Count = Annotated[int, whole(0)]
CountOrNone = Annotated[int | None, whole(0)]
FromOne = Annotated[int, whole(1)]
Seconds = Annotated[float, shapes.positive]
RunId = Annotated[str, matching(RUN_ID, "a run's id")]
ANY_OBJECT = Json(object_of(shapes.anything))
AnyObject = Annotated[str, ANY_OBJECT]
AnyObjectOrNone = Annotated[JsonObject | None, ANY_OBJECT]
TimeOrNone = Annotated[str | None, shapes.time]
Document = Annotated[str, Json(_DOCUMENT)]
DocumentOrNone = Annotated[str | None, Json(_DOCUMENT)]
Texts = Annotated[tuple[str, ...], Json(list_of(text))]
