"""How much of the source has loose types, by file, and how many lines of code there are.

    python -m benchmarks.loose_types [FOLDER]

A mapping is loose whose values may be anything (`Any` or `object`); each place where one is
spelled out counts, and so does the name `Any` wherever it is used. How often an alias of such
a mapping is used is said apart. A line of code is none of a docstring, a comment or a blank.
"""

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from .measuring import ROOT

FOLDERS = ("core", "judges", "plugins", "data", "src")
_MAPPINGS = {"dict", "Mapping", "MutableMapping"}


class Looseness(NamedTuple):
    """Of one file, or of all."""

    mappings: int
    any: int
    aliases: int
    code: int


def loose(node: ast.AST) -> bool:
    """Whether it spells out a mapping whose values may be anything."""
    return (
        isinstance(node, ast.Subscript)
        and getattr(node.value, "id", "") in _MAPPINGS
        and ast.unparse(node.slice).strip("()") in ("str, Any", "str, object")
    )


def aliases_of(trees: Sequence[ast.Module]) -> set[str]:
    """Names at the top of modules that stand for such a mapping alone."""
    found = (n for tree in trees for n in tree.body if isinstance(n, ast.Assign) and loose(n.value))
    return {target.id for node in found for target in node.targets if isinstance(target, ast.Name)}


def measure(text: str, tree: ast.Module, aliases: set[str]) -> Looseness:
    """How loose one file is."""
    nodes = list(ast.walk(tree))
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    used = sum(name in aliases for name in names)
    return Looseness(sum(map(loose, nodes)), names.count("Any"), used, _lines_of_code(text, nodes))


def _lines_of_code(text: str, nodes: Sequence[ast.AST]) -> int:
    docs = {line for node in nodes for line in _docstring(node)}
    lines = enumerate(map(str.strip, text.splitlines()), start=1)
    return sum(bool(line) and not line.startswith("#") and n not in docs for n, line in lines)


def _docstring(node: ast.AST) -> Iterator[int]:
    """The lines of a node's docstring."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and ast.get_docstring(node, clean=False) is not None:
            yield from range(first.lineno, (first.end_lineno or first.lineno) + 1)


def main() -> None:
    """Print each file that has any, the loosest first, and the sums."""
    root = Path(sys.argv[1]) if sys.argv[1:] else ROOT
    paths = [p for f in FOLDERS for p in (root / f).rglob("*.py") if not p.is_symlink()]
    texts = {p.relative_to(root): p.read_text(encoding="utf-8") for p in paths}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    aliases = aliases_of(list(trees.values()))
    found = {path: measure(texts[path], trees[path], aliases) for path in texts}
    print("mappings  any  aliases  code")
    for path, one in sorted(found.items(), key=lambda entry: entry[1][:3], reverse=True):
        if any(one[:3]):
            print(f"{one.mappings:8} {one.any:4} {one.aliases:8} {one.code:5}  {path}")
    total = Looseness(*map(sum, zip(*found.values(), strict=True)))
    print(f"{total.mappings:8} {total.any:4} {total.aliases:8} {total.code:5}  in all")


if __name__ == "__main__":
    main()
