"""Makes the list of keys of docs/declared.md, and the JSON schema of declared benchmarks.

python docs/declared.py
"""

import json
from collections.abc import Iterator
from pathlib import Path

from eibench.declared import SCHEMA, json_schema
from eibench.plugins.declared.keys import DECLARATION
from eibench.plugins.declared.kinds import (
    REQUIRED,
    ByKind,
    Either,
    ListOf,
    MapOf,
    TableOf,
    ValueKind,
)

PAGE = Path(__file__).with_suffix(".md")
MARK = "<!-- Below here made by `python docs/declared.py` from plugins/declared/keys.py -->\n"


def page() -> str:
    """The page, with the list as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    return "\n".join([text[: text.index(MARK) + len(MARK)], *rows("", DECLARATION), ""])


def rows(name: str, table: TableOf) -> Iterator[str]:
    """A heading and a table for a table of keys, then those of the tables within."""
    if name:
        yield from (f"### {name}", "")
    yield from ("| key | holds | default | is |", "|---|---|---|---|")
    for key, (kind, text, default) in table.keys.items():
        shown = "required" if default is REQUIRED else f"`{default}`" if default else ""
        shown = "" if isinstance(default, dict) else shown
        choices = [f"`{one}`" for one in getattr(kind, "choices", ())]
        yield f"| `{key}` | {', '.join(choices) or kind.needed} | {shown} | {text} |"
    yield ""
    seen: list[TableOf] = []
    for key, (kind, *_) in table.keys.items():
        for more, within in tables(f"{name} {key}".strip(), kind):
            if within not in seen:
                seen.append(within)
                yield from rows(more, within)


def tables(name: str, kind: ValueKind) -> Iterator[tuple[str, TableOf]]:
    """The tables of keys that a value may be or hold."""
    if isinstance(kind, TableOf):
        yield name, kind
    elif isinstance(kind, MapOf | ListOf):
        each = {MapOf: "each", ListOf: "list"}[type(kind)]
        yield from tables(f"{name} ({each})", kind.kind)
    elif isinstance(kind, Either):
        for one in kind.kinds:
            yield from tables(name, one)
    elif isinstance(kind, ByKind):
        yield from ((f"{name} of kind {word}", table) for word, table in kind.tables.items())


def schema_text() -> str:
    """The schema as its file holds it."""
    return json.dumps(json_schema(), indent=1) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    SCHEMA.write_text(schema_text(), encoding="utf-8")
