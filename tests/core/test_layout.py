"""Who imports whom, read from the source."""

import ast
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple

import pytest

import eibench
import eibench.core

ROOT = Path(eibench.__file__).resolve().parents[2]
FOLDERS = ("core", "judges", "plugins", "data")
MAY_IMPORT = {
    "core": {"core", "data"},
    "judges": {"judges", "core", "data"},
    "plugins": {"plugins", "judges", "core", "data"},
    "data": {"data"},
}
PUBLIC = {
    "eibench",
    "eibench.checking",
    "eibench.declared",
    "eibench.emotion_ratings",
    "eibench.judges",
    "eibench.providers",
    "eibench.statistics",
    "eibench.style",
    "eibench.testing",
    "eibench.text",
}
FILES = [p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*.py"))]


class Import(NamedTuple):
    """One import: what of, and whether it is for type checkers only."""

    module: str
    level: int
    names: tuple[str, ...]
    typing_only: bool


class Source(NamedTuple):
    """What a file imports, those within functions too, its classes, and the names that it binds.

    Names are those of variables, parameters, attributes, functions and classes.
    """

    imports: tuple[Import, ...]
    classes: tuple[str, ...]
    names: frozenset[str]


@cache
def source(path: Path) -> Source:
    """A file, parsed and walked once for all tests."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    classes = tuple(node.name for node in nodes if isinstance(node, ast.ClassDef))
    return Source(tuple(_read_imports(nodes)), classes, frozenset(_names_bound(nodes)))


def imports(path: Path) -> tuple[Import, ...]:
    """All imports of a file, those within functions too."""
    return source(path).imports


def _read_imports(nodes: Sequence[ast.AST]) -> Iterator[Import]:
    typing_only = {
        inner
        for node in nodes
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, 0, (), node in typing_only)
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            yield Import(node.module or "", node.level, names, node in typing_only)


def _names_bound(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Store):
            continue
        for field in {"id", "attr", "arg", "name"}.intersection(node._fields):
            yield str(getattr(node, field)).strip("_")


def folder_of(path: Path) -> str:
    """The top folder that a file is in."""
    return path.relative_to(ROOT).parts[0]


def within(path: Path, name: str) -> bool:
    """Whether a file is in a folder of the repository."""
    return path.is_relative_to(ROOT / name)


def each(paths: Sequence[Path]) -> Callable[[Callable[[Path], None]], Callable[[], None]]:
    """One test of all these files: a test for each takes longer than what is looked at."""

    def of_all(check: Callable[[Path], None]) -> Callable[[], None]:
        def test() -> None:
            for path in paths:
                check(path)

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return of_all


@each(FILES)
def test_imports_go_in_one_direction(path: Path) -> None:
    """Plugins -> judges -> core, anyone -> data; data imports nothing of ours."""
    for found in imports(path):
        parts = found.module.split(".")
        if found.level == 0 and parts[0] == "eibench" and len(parts) > 1 and parts[1] in FOLDERS:
            assert parts[1] in MAY_IMPORT[folder_of(path)], found


@each(FILES)
def test_top_folders_are_imported_as_eibench(path: Path) -> None:
    """Nobody writes `import core`: that would be another module beside `eibench.core`."""
    for found in imports(path):
        assert found.level or found.module.split(".")[0] not in FOLDERS, found


@each(FILES)
def test_imports_are_relative_inside_a_folder_and_absolute_across(path: Path) -> None:
    """`from ..errors` inside `core`; `eibench.core` from elsewhere; never up and over."""
    depth = len(path.relative_to(ROOT).parts) - 1
    for found in imports(path):
        assert found.level <= depth, f"{found} leaves {folder_of(path)}"
        own = found.module.startswith(f"eibench.{folder_of(path)}")
        assert found.level or not own, f"{found} should be relative"


@each([path for path in FILES if within(path, "plugins")])
def test_plugins_are_written_as_a_third_party_would(path: Path) -> None:
    """A plugin imports only its own folder and the public names of `eibench`."""
    own = len(path.relative_to(ROOT).parts) - 2
    for found in imports(path):
        assert found.level <= own, f"{found} reaches another plugin"
        if found.level == 0 and found.module.startswith("eibench"):
            assert found.module in PUBLIC, found


@pytest.mark.parametrize(
    ("package", "home"),
    [("rich", "core/console"), ("click", "core/cli"), ("sqlite3", "core/journal")],
)
def test_a_package_is_used_in_its_own_folder_only(package: str, home: str) -> None:
    """Terminal, command line and SQL each stay in one place (type annotations apart)."""
    for path in FILES:
        for found in imports(path):
            if found.module.split(".")[0] == package and not found.typing_only:
                assert within(path, home) or may_know(package, path), f"{path}: {found.module}"


def may_know(package: str, path: Path) -> bool:
    """Whether a file has to know click: to check a plugin's command, or to be one."""
    checks = within(path, "core/plugins")
    is_one = within(path, "plugins") and path.name.endswith("_command.py")
    return package == "click" and (checks or is_one)


def test_symlinks_of_the_package_are_relative() -> None:
    """The package's folders are links that work wherever the repository lies."""
    links = [p for p in (ROOT / "src" / "eibench").iterdir() if p.is_symlink()]
    assert {link.name for link in links} == set(FOLDERS)
    for link in links:
        assert not link.readlink().is_absolute(), link
        assert link.resolve() == ROOT / link.name


def test_what_is_installed_is_what_pyproject_says() -> None:
    """A plugin that moved or is new is found; if not, install the project again."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    entries = [e for e in entry_points(group="eibench") if e.value.startswith("eibench.")]
    assert {e.name: e.value for e in entries} == project["entry-points"]["eibench"]


def test_public_names_are_those_that_type_checkers_see() -> None:
    """What is imported on first use is exactly what the TYPE_CHECKING block lists."""
    seen = {
        (found.module, name)
        for found in imports(Path(eibench.__file__))
        if found.typing_only
        for name in found.names
    }
    assert seen == {(home, name) for name, home in eibench._HOME.items()}
    for _, name in seen:
        assert getattr(eibench, name) is not None
    assert set(eibench._HOME) <= set(dir(eibench))
    assert not hasattr(eibench, "no_such_name")


def test_a_star_import_gives_the_public_names() -> None:
    """`from eibench import *` gives each of them, and nothing else."""
    names: dict[str, object] = {}
    exec("from eibench import *", names)
    assert names.keys() - {"__builtins__"} == set(eibench._HOME)


ORDER = (
    "errors types text",
    "hooks",
    "statistics reading",
    "parties",
    "benchmark spending",
    "journal",
    "ratings",
    "matchmaking guard",
    "clients",
    "served",
    "datasets",
    "plugins",
    "settings",
    "sample",
    "checking reports",
    "runs console",
    "compare",
    "html run",
    "exchange sweep",
    "api cli",
)
"""Packages and modules of `core`: each imports what stands in a line above its own."""
LEVEL = {name: level for level, line in enumerate(ORDER) for name in line.split()}
OLD_WORDS = {"known_as", "open_shop", "shop", "switchboard", "workshop"} | {
    "Among", "Called", "Company", "Contestant", "Evidence", "Handle", "JournaledModel", "Money",
    "Patience", "SampleSteps", "Shelf", "Speaker", "Spent", "Standing", "Switchboard",
    "Trial", "Watch",
    "Wish", "Workshop",
} | {
    "about", "beside", "bring_back", "due", "found", "given", "liking", "made", "own", "parted",
    "place", "places", "said", "shelf", "there", "tidy", "told", "told_partial", "turned", "wanted",
}  # fmt: skip
"""Words that say what happened to a thing, or what it is in another trade, but not what it is."""
IN_DOCUMENTS = {
    "core/clients/approvals.py": {"place"},
    "core/html/transcripts.py": {"beside"},
    "core/compare/expectation.py": {"about"},
    "core/types/result_document.py": {"about"},
}
"""Names of that kind which JSON documents and files of ours have."""
CORE = [p for p in FILES if within(p, "core")]


def package_of(path: Path) -> str:
    """The package of `core` that a file is in, or the module that it is."""
    return path.relative_to(ROOT / "core").parts[0].removesuffix(".py")


def imported_packages(path: Path) -> Iterator[str]:
    """The packages of `core` that a file imports when it runs, also within its functions."""
    depth = len(path.relative_to(ROOT / "core").parts) - 1
    for found in imports(path):
        if found.level == depth + 1 and not found.typing_only:
            first = found.module.split(".")[0]
            yield from [first] if first else (n for n in found.names if n != "__version__")


def test_each_package_of_core_has_its_place_in_the_order() -> None:
    """So that a new one is put where it belongs."""
    assert {package_of(p) for p in CORE} - {"__init__"} == set(LEVEL)


def test_the_tree_of_core_is_told_in_this_order() -> None:
    """By its docstring and docs/architecture.md, in the same words, each package once."""
    rows = re.findall(r"^    (([a-z]+)(?:/|\.py) .*)$", eibench.core.__doc__ or "", re.MULTILINE)
    levels = [LEVEL[name] for _, name in rows]
    assert levels == sorted(levels)
    assert sorted(LEVEL) == sorted(name for _, name in rows)
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert "\n".join(row for row, _ in rows) in page


@each(CORE)
def test_packages_of_core_import_in_one_order(path: Path) -> None:
    """No cycle between packages, not even one that an import within a function closes."""
    own = package_of(path)
    for other in imported_packages(path):
        assert other == own or LEVEL[other] < LEVEL[own], f"{own} imports {other}"


def imported_files(path: Path) -> Iterator[Path]:
    """The files of `FILES` that a file imports when it runs, also within its functions."""
    for found in imports(path):
        if found.typing_only:
            continue
        if found.level:
            home = path.parents[found.level - 1].joinpath(*filter(None, found.module.split(".")))
        elif found.module.startswith("eibench."):
            home = ROOT.joinpath(*found.module.split(".")[1:])
        else:
            continue
        for name in found.names:
            places = (home / f"{name}.py", home / name / "__init__.py", home.with_suffix(".py"))
            yield next((place for place in places if place.is_file()), home / "__init__.py")


def test_no_files_import_each_other_in_a_circle() -> None:
    """Each file can be understood after those that it imports, none of which needs it."""
    left = {path: {*imported_files(path)} & {*FILES} - {path} for path in FILES}
    while True:
        needed = set().union(*left.values())
        free = [p for p in left if not left[p] & left.keys() or p not in needed]
        if not free:
            break
        for path in free:
            del left[path]
    assert not [str(path.relative_to(ROOT)) for path in left]


def test_a_class_name_means_one_thing() -> None:
    """Nobody has to ask which `Item` is meant; names with an underscore are a module's own.

    Templates are packages of their own, of which only one is ever written.
    """
    homes: dict[str, list[str]] = {}
    for path in (path for path in FILES if not within(path, "plugins/templates")):
        for name in source(path).classes:
            if not name.startswith("_"):
                homes.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert not {name: where for name, where in homes.items() if len(where) > 1}


@each(FILES)
def test_names_are_the_words_of_the_field(path: Path) -> None:
    """No name that says what happened to a thing, and none from before they were put in order."""
    allowed = IN_DOCUMENTS.get(str(path.relative_to(ROOT)), set())
    assert not source(path).names & OLD_WORDS - allowed, path
