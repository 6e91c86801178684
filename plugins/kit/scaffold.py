"""The files of a new package with a benchmark in it, made of those in `plugins/templates`."""

import ast
import importlib.util
import keyword
import re
import sys
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

from eibench import UsageError, benchmarks
from eibench.checking import named_subjects

KINDS = ("choice", "yes-no", "rubric", "talk", "game")
"""What `bench plugin new` makes."""
PAIRWISE = ("yes-no", "rubric", "talk")
"""Those of which replies can be compared in pairs."""
DECLARED = ("choice", "yes-no", "rubric", "talk")
"""Those that can be said in TOML."""
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_PARTIES = {
    "yes-no": " --judge openai/NAME",
    "rubric": " --judge openai/NAME",
    "talk": " --judge openai/NAME --role user=openai/NAME",
    "game": " --role ana=openai/NAME --role ben=openai/NAME",
}
_LEFT_OUT = {
    True: ("__init__.py", "prompts.toml", "data/manifest.json"),
    False: ("benchmark.toml",),
}
"""Files of a kind that are not written, where it is declared and where it is not."""
_BLOCK = re.compile(r"^ *# pairwise\n(.*?)^ *# end\n", re.MULTILINE | re.DOTALL)
_ALONE = (
    (", eb.Pairwise)", ")"),
    (", *eb.PLACEMENT_OPTIONS)", ",)"),
    (', "pair": PAIR.system + PAIR.user}', "}"),
    ("Checklist, Rubric, ", "Checklist, "),
)
"""What of a line is for comparisons alone, and what stands there without."""


def module_of(name: str) -> str:
    """The Python package of a benchmark of that name.

    Raises:
        UsageError: There cannot be one, or the name is taken.
    """
    module = name.replace("-", "_")
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name for a benchmark and its package: use lower-case letters, digits "
            "and single dashes, a letter first, such as small-talk"
        )
    if name in benchmarks():
        origin = named_subjects(name)[0].origin
        raise UsageError(f"there is a benchmark {name!r} already ({origin}); name it otherwise")
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or _is_there(module):
        raise UsageError(f"{module!r} is a word or a package of Python here; name it otherwise")
    return module


def _is_there(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def package_files(
    name: str, kind: str, *, declared: bool, pairwise: bool, year: int
) -> dict[str, str]:
    """The files of a package, by their path in its folder.

    Args:
        name: Of the benchmark, and of the distribution.
        kind: One of `KINDS`.
        declared: Whether it is declared in TOML, not written in Python.
        pairwise: Whether models are compared too, for ratings.
        year: Of the citation.

    Raises:
        UsageError: The name cannot be had, the kind has nothing to compare, or is beyond TOML.
    """
    module = module_of(name)
    if declared and kind not in DECLARED:
        raise UsageError(f"--declared is for {', '.join(DECLARED)}: a {kind} needs Python")
    if pairwise and kind not in PAIRWISE:
        raise UsageError(
            f"--pairwise is for {', '.join(PAIRWISE)}: a {kind} has no texts to compare"
        )
    folder = files("eibench") / "plugins" / "templates"
    code = dict(_texts(folder / kind.replace("-", "_")))
    described = _described(code["__init__.py"])
    inside = {path: text for path, text in code.items() if path not in _LEFT_OUT[declared]}
    if declared:
        inside |= dict(_texts(folder / "declared"))
    texts = {f"my_bench/{path}": text for path, text in inside.items()} | dict(
        _texts(folder / "package")
    )
    texts["my_bench/CITATION.bib"] = texts.pop("CITATION.bib")
    words = {
        "my-bench": name,
        "my_bench": module,
        "MyBench": _class_name(name, inside["__init__.py"]),
        "my-year": str(year),
        "my-parties": _PARTIES.get(kind, ""),
        **described,
    }
    pattern = re.compile("|".join(words))

    def filled(text: str) -> str:
        return pattern.sub(lambda match: words[match[0]], _BLOCK.sub(_kept(pairwise), text))

    return {
        filled(path.removesuffix(".txt")): filled(text if pairwise else _alone(text))
        for path, text in texts.items()
    }


def _texts(folder: Traversable, start: str = "") -> Iterator[tuple[str, str]]:
    """The files in a folder and below it, each with its path in it."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_file():
            yield start + entry.name, entry.read_text(encoding="utf-8")
        elif entry.name != "__pycache__":
            yield from _texts(entry, f"{start}{entry.name}/")


def _class_name(name: str, code: str) -> str:
    """The name in capitals, with a word behind it where the code has another use for it."""
    camel = "".join(part.capitalize() for part in name.split("-"))
    return f"{camel}Benchmark" if re.search(rf"\b{camel}\b", code) else camel


def _described(code: str) -> Mapping[str, str]:
    """What a benchmark is called in a line, and what it measures."""
    title = re.search(r'^    title = "(.*)"$', code, re.MULTILINE)
    measure = (ast.get_docstring(ast.parse(code)) or "").partition("\n\n")[2]
    assert title and measure, "each template says both"
    return {"my-title": title[1], "my-measure": measure}


def _kept(pairwise: bool) -> str:
    return r"\1" if pairwise else ""


def _alone(text: str) -> str:
    for part, rest in _ALONE:
        text = text.replace(part, rest)
    return text
