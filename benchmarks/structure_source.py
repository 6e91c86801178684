"""The source of a checkout as the counts of its structure read it: files, imports, functions.

Nothing is imported or run: each file is parsed, and an import is resolved to the file that it
names by its path alone.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

FOLDERS = ("core", "judges", "plugins")
_PACKAGE = "eibench"
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Import:
    """One name that a file takes from a file of the project.

    Attributes:
        file: Where it comes from, e.g. ``core/journal/file.py``.
        name: What is taken; None for the file itself.
        bound: What it is called here.
        inside: Whether it stands inside a function.
    """

    file: str
    name: str | None
    bound: str
    inside: bool


@dataclass(frozen=True)
class Source:
    """All files of the folders, by path, each as its syntax tree."""

    trees: Mapping[str, ast.Module]

    @classmethod
    def read(cls, root: Path) -> "Source":
        """Those of a checkout."""
        paths = (p for folder in FOLDERS for p in sorted((root / folder).rglob("*.py")))
        return cls({p.relative_to(root).as_posix(): ast.parse(p.read_text("utf-8")) for p in paths})

    @cached_property
    def imports(self) -> Mapping[str, Sequence[Import]]:
        """What each file takes from which, imports for type checkers alone left out."""
        return {path: list(self._imports(path, tree)) for path, tree in self.trees.items()}

    def functions(self) -> Iterator[tuple[str, str, Function]]:
        """Each function with its file and the name of the class that it is a method of, or ""."""
        for path, tree in self.trees.items():
            yield from ((path, owner, node) for owner, node in _functions(tree, ""))

    def _imports(self, path: str, tree: ast.Module) -> Iterator[Import]:
        for node, inside in runtime_imports(tree):
            if isinstance(node, ast.ImportFrom):
                parts = self._named(path, node)
                for alias in node.names:
                    bound = alias.asname or alias.name
                    if file := self._file([*parts, alias.name]):
                        yield Import(file, None, bound, inside)
                    elif file := self._file(parts):
                        yield Import(file, alias.name, bound, inside)
            else:
                for alias in node.names:
                    if file := self._file(alias.name.split(".")):
                        yield Import(file, None, alias.asname or alias.name, inside)

    def _named(self, path: str, node: ast.ImportFrom) -> list[str]:
        """The parts of the module that an import names, from the root."""
        module = node.module.split(".") if node.module else []
        if not node.level:
            return module
        return [_PACKAGE, *path.split("/")[: -node.level], *module]

    def _file(self, parts: Sequence[str]) -> str | None:
        if parts[:1] != [_PACKAGE] or not parts[1:]:
            return None
        path = "/".join(parts[1:])
        found = (name for name in (f"{path}.py", f"{path}/__init__.py") if name in self.trees)
        return next(found, None)


def runtime_imports(tree: ast.Module) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Each import statement that is run, and whether it stands inside a function."""

    def within(node: ast.AST, inside: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield child, inside
            elif isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
                for other in child.orelse:
                    yield from within(other, inside)
            else:
                yield from within(child, inside or isinstance(child, Function))

    yield from within(tree, inside=False)


def _functions(node: ast.AST, owner: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield owner, child
        name = child.name if isinstance(child, ast.ClassDef) else owner
        yield from _functions(child, "" if isinstance(child, Function) else name)


def parameters(function: Function) -> list[ast.arg]:
    """All parameters of a function, in order."""
    args = function.args
    starred = [arg for arg in (args.vararg, args.kwarg) if arg]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *starred]


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one node, the largest first (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            start = stack.index(node)
            members = sorted(stack[start:])
            del stack[start:]
            if len(members) > 1:
                found.append(members)

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return sorted(found, key=lambda members: (-len(members), members))
