"""docs/result.schema.json, made of the type of the result document.

A field that is added or changed: `python tests/core/reports/result_schema.py` writes the file anew.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from eibench import ResultDocument
from eibench.core.types.result_document import Length

PATH = Path(__file__).parents[3] / "docs" / "result.schema.json"
Schema = dict[str, Any]
PLAIN: Mapping[Any, Schema] = {
    Any: {},
    NoneType: {"type": "null"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
}


def result_schema() -> Schema:
    """The schema of a result document; it may hold more than what is named."""
    parts: dict[str, Schema] = {}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A result of eibench",
        "description": "What bench run --json prints; docs/results.md says what each field means.",
        **object_of(ResultDocument, parts),
        "$defs": dict(sorted(parts.items())),
    }


def object_of(kind: Any, parts: dict[str, Schema]) -> Schema:
    """The schema of a typed dict; those of the ones within it are put into `parts`."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        "type": "object",
        "required": [name for name in hints if name in kind.__required_keys__],
        "properties": {name: schema_of(hint, parts) for name, hint in hints.items()},
    }


def schema_of(hint: Any, parts: dict[str, Schema]) -> Schema:
    """The schema of a type."""
    if is_typeddict(hint):
        parts[hint.__name__] = {"description": hint.__doc__, **object_of(hint, parts)}
        return {"$ref": f"#/$defs/{hint.__name__}"}
    kind, args = get_origin(hint), get_args(hint)
    if kind is Annotated:
        limit, made = args[1], schema_of(args[0], parts)
        if isinstance(limit, Length):
            return {**made, "minItems": limit.n, "maxItems": limit.n}
        return {**made, "minimum": limit.least}
    if kind is Literal:
        return {"enum": list(args)}
    if kind in (Union, UnionType):
        return {"anyOf": [schema_of(arg, parts) for arg in args]}
    if kind is NotRequired:
        return schema_of(args[0], parts)
    if kind is Sequence:
        return {"type": "array", "items": schema_of(args[0], parts)}
    if kind is Mapping:
        return {"type": "object", "additionalProperties": schema_of(args[1], parts)}
    return PLAIN[hint]


def as_text(schema: Schema) -> str:
    """What the file holds."""
    return json.dumps(schema, indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(as_text(result_schema()), encoding="utf-8")
