"""Makes the list of keys of docs/declared.md from the schema of declared benchmarks.

python docs/declared.py
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eibench.declared import json_schema
from eibench.plugins.declared.schema import needed, resolved

PAGE = Path(__file__).with_suffix(".md")
MARK = "<!-- Below here made by `python docs/declared.py` from the schema -->\n"
Rule = dict[str, Any]


def page() -> str:
    """The page, with the list as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    return "\n".join([text[: text.index(MARK) + len(MARK)], *rows("", json_schema()), ""])


def rows(name: str, table: Rule) -> Iterator[str]:
    """A heading and a table for a table of keys, then those of the tables within."""
    if name:
        yield from (f"### {name}", "")
    yield from ("| key | holds | default | is |", "|---|---|---|---|")
    for key, rule in table["properties"].items():
        default = rule.get("default")
        shown = "required" if key in table["required"] else f"`{default}`" if default else ""
        choices = [f"`{one}`" for one in resolved(rule).get("enum", ())]
        holds = "a table" if "oneOf" in rule else ", ".join(choices) or needed(rule)
        yield f"| `{key}` | {holds} | {shown} | {rule['description']} |"
    yield ""
    seen: list[Rule] = []
    for key, rule in table["properties"].items():
        for more, within in tables(f"{name} {key}".strip(), rule):
            if within not in seen:
                seen.append(within)
                yield from rows(more, within)


def tables(name: str, rule: Rule) -> Iterator[tuple[str, Rule]]:
    """The tables of keys that a value may be or hold."""
    rule = resolved(rule)
    for one in rule.get("oneOf", ()):
        yield f"{name} of kind {one['properties']['kind']['enum'][0]}", one
    for one in rule.get("anyOf", ()):
        yield from tables(name, one)
    if "properties" in rule and rule.get("format") != "template":
        bare = {key: rule[key] for key in ("properties", "required")}
        yield name, bare
    elif rule.get("items"):
        yield from tables(f"{name} (list)", rule["items"])
    elif isinstance(rule.get("additionalProperties"), dict):
        yield from tables(f"{name} (each)", rule["additionalProperties"])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
