"""How the source is built: who carries a run, how settings travel, what imports what.

    python -m benchmarks.structure [--root DIR] [--json] [--list FIGURE]

Of the files of `core`, `judges` and `plugins` in a checkout, by their syntax alone: no file is
imported. Imports for type checkers alone (`if TYPE_CHECKING:`) are no imports here. The figures:

- `journal_and_run`: functions with a parameter that is a journal and one that is a run: by its
  name (`journal`; `run` or `run_id`), or by a class that its annotation names (`Journal`;
  `RunRecord`, or one whose name ends in `Run`). Methods of `Journal` have no parameter for it.
- `journal_and_run_by_name`: the same by names alone.
- `three_carriers`: functions with at least three of the parameters `journal`, `run`, `config`,
  `pack`, `selection`, `catalogue`.
- `names_of_settings`: the distinct names of the parameters and variables through which the
  settings that `bench run` was given (`params` of `run_command`), parts of them, or objects made of
  them get to a function of `core/clients`. A name counts if it holds one and the way from it ends
  there; `structure_flow` says how they are followed. What stores, reads back, shows, compares or
  rates (`BESIDE`) is no part of the way.
- `top_of_core`, `top_files`: files and folders at the top of `core`, and the files among them.
- `circles`, `files_in_circles`: strongly connected components of more than one file in the graph
  of imports, those inside functions too, and the files in them. `from package import name` is an
  import of the package's `__init__`, or of its module where `name` is one; that a module's
  packages are imported before it is left out.
- `local_imports`: import statements inside functions.
- `any`: places where the code names `Any`, its imports too; `any_used`: without these.
- `splats_of_about`: calls with the argument `*about`.

`--list FIGURE` prints what was counted, with its place.
"""

import argparse
import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from .measuring import ROOT, table
from .structure_flow import Flow
from .structure_source import Function, Source, circles, parameters, runtime_imports

CARRIERS = frozenset(("journal", "run", "config", "pack", "selection", "catalogue"))
START = ("core/cli/run.py:.run_command", "params")
CLIENT = ("core/clients/",)
_BESIDE = (
    "journal lookup runs stored reports console compare analysis html pages site exporters "
    "importers exchange imported auditing doctor matchmaking ratings statistics hints tidy"
)
BESIDE = (*(f"core/{name}" for name in _BESIDE.split()), "plugins/", "judges/")
_JOURNAL = re.compile(r"\bJournal\b")
_RUN = re.compile(r"\b(RunRecord|\w*Run)\b")


def _annotated(function: Function, name: re.Pattern[str]) -> bool:
    annotations = (arg.annotation for arg in parameters(function))
    return any(name.search(ast.unparse(a)) for a in annotations if a)


def carries(function: Function, *, by_name: bool) -> bool:
    """Whether a function takes both a journal and a run."""
    names = {arg.arg for arg in parameters(function)}
    journal, run = "journal" in names, bool(names & {"run", "run_id"})
    if not by_name:
        journal = journal or _annotated(function, _JOURNAL)
        run = run or _annotated(function, _RUN)
    return journal and run


def _functions(source: Source, counts: Callable[[Function], bool]) -> Iterator[str]:
    for path, owner, node in source.functions():
        if counts(node):
            yield f"{path}:{node.lineno} {owner}{'.' * bool(owner)}{node.name}"


def _three(function: Function) -> bool:
    return len(CARRIERS & {arg.arg for arg in parameters(function)}) >= 3


def _nodes(source: Source, counts: Callable[[ast.AST], bool]) -> list[str]:
    return [
        f"{path}:{getattr(node, 'lineno', 0)}"
        for path, tree in source.trees.items()
        for node in ast.walk(tree)
        if counts(node)
    ]


def _is_any(node: ast.AST) -> bool:
    attribute = isinstance(node, ast.Attribute) and node.attr == "Any"
    return attribute or (isinstance(node, ast.Name) and node.id == "Any")


def _imports_any(node: ast.AST) -> bool:
    return isinstance(node, ast.alias) and node.name == "Any"


def _splats_about(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Starred) and isinstance(node.ctx, ast.Load)):
        return False
    return isinstance(node.value, ast.Name) and node.value.id == "about"


def _top(root: Path) -> list[str]:
    found = (p for p in (root / "core").glob("*") if p.suffix == ".py" or p.is_dir())
    return sorted(p.name for p in found if not p.name.startswith(("__pycache__", ".")))


def found_in(root: Path) -> Mapping[str, list[str]]:
    """What is counted in a checkout, by figure."""
    source = Source.read(root)
    graph = {path: {i.file for i in found} - {path} for path, found in source.imports.items()}
    rings = circles(graph)
    used, top = _nodes(source, _is_any), _top(root)
    has_start = START[0].partition(":")[0] in source.trees
    return {
        "journal_and_run": list(_functions(source, lambda f: carries(f, by_name=False))),
        "journal_and_run_by_name": list(_functions(source, lambda f: carries(f, by_name=True))),
        "three_carriers": list(_functions(source, _three)),
        "names_of_settings": sorted(Flow(source).names(START, CLIENT, BESIDE)) if has_start else [],
        "top_of_core": top,
        "top_files": [name for name in top if name.endswith(".py")],
        "circles": [" ".join(ring) for ring in rings],
        "files_in_circles": [path for ring in rings for path in ring],
        "local_imports": [
            f"{path}:{node.lineno}"
            for path, tree in source.trees.items()
            for node, inside in runtime_imports(tree)
            if inside
        ],
        "any": used + _nodes(source, _imports_any),
        "any_used": used,
        "splats_of_about": _nodes(source, _splats_about),
    }


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser("benchmarks.structure", description=__doc__.partition("\n")[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--list", metavar="FIGURE", help="print what was counted for it")
    options = parser.parse_args()
    found = found_in(options.root)
    figures = {name: len(items) for name, items in found.items()}
    if options.list:
        print("\n".join(found[options.list]))
    elif options.json:
        print(json.dumps(figures, indent=2))
    else:
        print(table(["figure", "count"], [[name, str(n)] for name, n in figures.items()]))


if __name__ == "__main__":
    main()
