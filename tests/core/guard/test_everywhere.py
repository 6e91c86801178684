"""The guard is around every call: read from the source, and its price."""

import ast
import inspect
from pathlib import Path

import eibench
from eibench.core.benchmark import Benchmark
from eibench.core.guard import Guarded

CORE = Path(eibench.__file__).resolve().parents[2] / "core"
OWN = {"request_options", "grade_options", "values_with"}
"""Methods of `Benchmark` that read what it declares and call no plugin."""
METHODS = {
    name
    for name, member in vars(Benchmark).items()
    if inspect.isfunction(member) and not name.startswith("_")
} - OWN


def test_no_module_calls_a_benchmark_but_through_the_guard() -> None:
    """A call such as `config.benchmark.grade(...)` outside `core/guard` would go unguarded."""
    unguarded = [
        f"{path.relative_to(CORE)}:{node.lineno} {ast.unparse(node.func)}"
        for path in sorted(CORE.rglob("*.py"))
        if not path.is_relative_to(CORE / "guard")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in METHODS
        and ast.unparse(node.func.value).endswith(("benchmark", "maker"))
    ]
    assert unguarded == []


def test_every_method_of_a_benchmark_has_its_guard() -> None:
    """A new method of `Benchmark` needs one too."""
    assert {name for name in METHODS if not hasattr(Guarded, name)} == set()
