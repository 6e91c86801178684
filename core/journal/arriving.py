"""What a run from a file must be beside what its columns hold: all that pages and boards read.

A journal is read as it is; what comes from elsewhere has in every field that is there the type
that the program itself writes.
"""

from collections.abc import Mapping
from types import NoneType
from typing import get_args, get_type_hints

from ..types import JsonObject, Sampling
from ..types.result_document import RatingNotes
from .graders import judge, option
from .shapes import (
    Shape,
    anything,
    list_of,
    matching,
    number,
    object_of,
    optional,
    record,
    shape_of,
    text,
    whole,
)

_SPEC = matching(r"(?s:[^/]+/.+)", "PROVIDER/NAME")
_TEXTS = object_of(text)
_BY_TYPE: Mapping[object, Shape] = {
    float: number,
    int: whole(-(2**63)),
    str: text,
    tuple[str, ...]: list_of(text),
}


def _of_type(hint: object) -> Shape:
    """What a sampling parameter of a type may be, or null; a JSON object where it is no other."""
    (held,) = (one for one in get_args(hint) if one is not NoneType)
    return optional(_BY_TYPE.get(held, object_of(anything)))


_SAMPLING = record(
    {name: _of_type(hint) for name, hint in get_type_hints(Sampling).items()}, required=frozenset()
)
_OPTIONS = object_of(option)
_PLAYER = record({"model": _SPEC, "endpoint": optional(text), "sampling": _SAMPLING}, more=True)
SETTINGS = record(
    {
        **dict.fromkeys(("benchmark", "version", "pack"), text),
        **dict.fromkeys(("endpoint", "system", "name", "dataset"), optional(text)),
        "model": _SPEC,
        "prompts": _TEXTS,
        "sampling": _SAMPLING,
        "options": _OPTIONS,
        "all_options": _OPTIONS,
        "roles": object_of(_PLAYER),
        "notes": object_of(option),
        "versions": object_of(optional(text)),
    },
    more=True,
    required=frozenset(),
)
"""How a run was asked."""
_NOTES = record({"rating": optional(shape_of(RatingNotes))}, more=True, required=frozenset())
_FIELDS: Mapping[str, Mapping[str, Shape]] = {"run": {"model": _SPEC, "settings": SETTINGS}}


def wrong_inside(kind: str, line: JsonObject) -> str | None:
    """What is wrong in the fields of a line whose columns are right; ``None`` for nothing.

    Args:
        kind: Of its row.
        line: As the file has it.
    """
    for name, shape in _FIELDS.get(kind, {}).items():
        if wrong := shape(line[name]):
            return f'"{name}" {wrong}'
    document = line.get("document")
    if isinstance(document, dict) and (wrong := _NOTES(document["notes"])):
        return f'"document" "notes" {wrong}'
    if isinstance(document, dict) and (wrong := optional(judge)(document["judged_by"])):
        return f'"document" "judged_by" {wrong}'
    return None
