"""Formulas of controls: read once into steps, which Python and a page's script compute alike.

Steps are for a stack: a number, a name, or an operation on what was put there last. A step whose
result is no finite number ends the computation without one.
"""

import ast
import math
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from .parts import Controls, Drawing, Paragraph, Part, Plot, Table

_Value = float | list[float]
_BINARY: Mapping[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**",
}  # fmt: skip
_OPERATIONS: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "**": math.pow,
}  # fmt: skip
_EACH: Mapping[str, Callable[[float], float]] = {
    "neg": operator.neg, "abs": abs, "sqrt": math.sqrt, "log": math.log, "exp": math.exp,
}  # fmt: skip
_WHOLE: Mapping[str, Callable[[Sequence[float]], float]] = {
    "sum": sum, "mean": lambda x: sum(x) / len(x), "min": min, "max": max, "count": len,
}  # fmt: skip
LONGEST = 500
"""Characters of a formula."""


class Operation(NamedTuple):
    """A step: ``number`` with it, ``name`` with it, or what is done with how many values."""

    kind: str
    value: float | str
    takes: int = 0


class UnfitFormula(ValueError):
    """Why a formula is refused."""


def read_formula(text: str, controls: Collection[str], columns: Collection[str]) -> list[Operation]:
    """The steps of a formula that comes to one number.

    `UnfitFormula` names what is no number, name, arithmetic or function of `Output`.
    """
    if len(text) > LONGEST:
        raise UnfitFormula(f"it has {len(text)} characters, over {LONGEST}")
    steps: list[Operation] = []
    try:
        is_column = _read(ast.parse(text.strip(), mode="eval").body, steps, controls, columns)
    except (SyntaxError, ArithmeticError, RecursionError, MemoryError):
        raise UnfitFormula("it cannot be read") from None
    if is_column:
        raise UnfitFormula("it comes to a column; take its sum, mean, min, max or count")
    return steps


def _read(
    node: ast.expr, steps: list[Operation], controls: Collection[str], columns: Collection[str]
) -> bool:
    """Add the steps of a part; whether it comes to a column."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            steps.append(Operation("number", float(value)))
            return False
        case ast.Name(id=name):
            if name not in controls and name not in columns:
                known = ", ".join([*controls, *columns])
                raise UnfitFormula(f"{name!r} is neither a control nor a column: {known}")
            steps.append(Operation("name", name))
            return name in columns
        case ast.BinOp(left, operation, right) if type(operation) in _BINARY:
            sides = [_read(side, steps, controls, columns) for side in (left, right)]
            steps.append(Operation("do", _BINARY[type(operation)], 2))
            return any(sides)
        case ast.UnaryOp(ast.USub(), operand):
            is_column = _read(operand, steps, controls, columns)
            steps.append(Operation("do", "neg", 1))
            return is_column
        case ast.Call(ast.Name(id=name), [operand], []) if name in {*_EACH, *_WHOLE} - {"neg"}:
            is_column = _read(operand, steps, controls, columns)
            if name in _WHOLE and not is_column:
                raise UnfitFormula(f"{name} is of a column, and {ast.unparse(operand)!r} is none")
            steps.append(Operation("do", name, 1))
            return is_column and name in _EACH
    raise UnfitFormula(f"{ast.unparse(node)!r} is not allowed")


def computed(
    steps: Sequence[Operation],
    values: Mapping[str, float],
    columns: Mapping[str, Sequence[float]],
) -> float | None:
    """What a formula comes to; ``None`` where a step of it comes to no finite number."""
    stack: list[_Value] = []
    try:
        for kind, value, takes in steps:
            if kind == "number":
                stack.append(float(value))
            elif kind == "name":
                name = str(value)
                stack.append(values[name] if name in values else [float(x) for x in columns[name]])
            else:
                operands = stack[-takes:]
                stack[-takes:] = [_done(str(value), operands)]
    except (ArithmeticError, ValueError):
        return None
    (result,) = stack
    assert isinstance(result, float)
    return result


def _done(name: str, operands: Sequence[_Value]) -> _Value:
    if name in _WHOLE:
        return _finite(float(_WHOLE[name](_rows(operands[0], 1))))
    rows = next((len(one) for one in operands if isinstance(one, list)), None)
    work: Callable[..., float] = _OPERATIONS[name] if name in _OPERATIONS else _EACH[name]
    results = [
        _finite(work(*row))
        for row in zip(*(_rows(one, rows or 1) for one in operands), strict=True)
    ]
    return results[0] if rows is None else results


def _rows(value: _Value, n: int) -> list[float]:
    return value if isinstance(value, list) else [value] * n


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ArithmeticError
    return value


MOST_POINTS = 40
"""Points of a plot that a terminal lists."""


def plain(part: Part) -> Table | Paragraph:
    """A part as a table or a text."""
    match part:
        case Plot():
            return plot_table(part, MOST_POINTS)
        case Drawing():
            return Paragraph(f"(a drawing, which reports and pages show) {part.note}", part.title)
        case Controls():
            return outputs_table(part)
    return part


def plot_table(plot: Plot, most: int | None = None) -> Table:
    """The points of a plot, so many of them; the note says how many more there are."""
    several = len(plot.series) > 1
    named = any(series.names for series in plot.series)
    rows: list[list[str | float | None]] = []
    for series in plot.series:
        names = [*series.names, *[""] * len(series.points)]
        for (x, y), name in zip(series.points, names, strict=False):
            rows.append([*[series.name] * several, *[name] * named, x, y])
    columns = ["series"] * several + [""] * named + [plot.x, plot.y]
    left = len(rows) - len(rows[:most])
    more = [f"{left} more points, which reports and pages show"] if left else []
    return Table(plot.title, columns, rows[:most], note="\n".join([*more, plot.note]).strip())


def outputs_of(part: Controls) -> list[float | None]:
    """What each output comes to with the controls as they are at first."""
    values = {control.name: float(control.default) for control in part.controls}
    formulas = (read_formula(output.formula, values, part.columns) for output in part.outputs)
    return [computed(steps, values, part.columns) for steps in formulas]


def outputs_table(part: Controls) -> Table:
    """The outputs with the controls as they are at first."""
    defaults = ", ".join(f"{control.label} {control.default:g}" for control in part.controls)
    rows = [
        (output.label, None if value is None else f"{value:.{output.digits}f}")
        for output, value in zip(part.outputs, outputs_of(part), strict=True)
    ]
    note = "\n".join(filter(None, [f"with {defaults}" if defaults else "", part.note]))
    return Table(part.title, ("", "value"), rows, note=note)
