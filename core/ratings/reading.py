"""Comparisons from a file of JSON lines, plain or gzip, and which of them may be rated together."""

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import DataError, UsageError
from ..journal.archives import read_lines
from ..reading.formats import without_repeats
from ..reading.names import left_out_of, told_left_out
from ..text import plural
from .columns import Columns
from .comparisons import Comparison, Comparisons


def part(
    comparisons: Comparisons,
    *,
    mixed: bool = False,
    without: Collection[str] = (),
    models: Collection[str] = (),
) -> Comparisons:
    """The comparisons between real models, or between demo models where there are no others.

    A file knows a demo model by its name alone. `mixed` takes both kinds, and what is between them.

    Raises:
        UsageError: A model to be left out or kept is not there, or nothing is left.
    """
    left_out = left_out_of(comparisons.models, without, models)
    out = np.array([name in left_out for name in comparisons.models])
    kept = comparisons.only(~(out[comparisons.a] | out[comparisons.b]))
    if not len(kept):
        raise UsageError(f"{'--without' if without else '--model'} leaves no comparison")
    return (kept if mixed else _of_one_kind(kept)).compact()


def has_demo(comparisons: Comparisons) -> bool:
    """Whether a demo model is among them, or the demo judge has judged."""
    return any(name.startswith("demo/") for name in (*comparisons.models, comparisons.judge))


def _of_one_kind(comparisons: Comparisons) -> Comparisons:
    demo = np.array([name.startswith("demo/") for name in comparisons.models])
    a, b = demo[comparisons.a], demo[comparisons.b]
    if not (a | b).any() or (a & b).all():
        return comparisons
    real = ~(a | b)
    kept = comparisons.only(real if real.any() else a & b)
    if not len(kept):
        are = plural(len(comparisons), "comparison", "is", "are")
        raise UsageError(
            f"{are} between a demo and a real model, and there is no other; add --demo"
        )
    left_out = told_left_out(len(comparisons) - len(kept), demo=bool(real.any()))
    return replace(kept, warnings=(*kept.warnings, left_out))


def read_comparisons(
    path: Path, *, dedupe: bool = False, judge: str | None = None, by_criterion: bool = False
) -> Comparisons:
    """The comparisons of a file in the form of docs/ratings.md; blank lines are passed over.

    Args:
        path: JSON lines; unpacked if it is gzip, within limits.
        dedupe: Take comparisons that are there twice only once.
        judge: Take only those of this judge.
        by_criterion: Keep each criterion's margin beside their sum.

    Raises:
        DataError: The file is missing or empty, or a line is not of the form, is there
            twice, or contradicts another; the message has the line's number.
        UsageError: There are several judges and none was chosen, or not the chosen one.
    """
    columns = Columns(path, "line", judge, by_criterion)
    for number, line in read_lines(path):
        if line.strip():
            columns.add(_parsed(path, number, line), number)
    comparisons = Comparisons.canonical(columns, dedupe=dedupe)
    if not len(comparisons):
        raise DataError(path, "holds no comparisons")
    return comparisons


def comparison_lines(rows: Iterable[Comparison]) -> Iterator[bytes]:
    """The lines of a file that `read_comparisons` takes."""
    for row in rows:
        yield json.dumps(row.as_json(), ensure_ascii=False).encode() + b"\n"


def _parsed(path: Path, number: int, line: bytes) -> object:
    try:
        return _decode(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError:
        message = "not UTF-8 text"
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg}"
    except RecursionError:
        message = "not JSON of a sane kind: nested too deeply"
    except ValueError as error:  # a key twice, or a number of thousands of digits
        message = f"not JSON: {error}"
    raise DataError(path, message, f"line {number}") from None


_decode = json.JSONDecoder(object_pairs_hook=without_repeats).decode
