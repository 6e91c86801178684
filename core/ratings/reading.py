"""Comparisons from a file of JSON lines, plain or gzip, and which of them may be rated together."""

import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import numpy as np

from ..errors import DataError, UsageError
from ..journal.archives import read_lines
from ..reading.formats import without_repeats
from ..reading.names import left_out_of
from .columns import Columns
from .comparisons import Comparison, Comparisons


def part(
    comparisons: Comparisons, *, without: Collection[str] = (), models: Collection[str] = ()
) -> Comparisons:
    """The comparisons of a file without some models, or between those that are named alone.

    Raises:
        UsageError: A model to be left out or kept is not there, or nothing is left, or demo models,
            which a file knows by their names alone, beside real ones.
    """
    left_out = left_out_of(comparisons.models, without, models)
    out = np.array([name in left_out for name in comparisons.models])
    kept = comparisons.only(~(out[comparisons.a] | out[comparisons.b]))
    if not len(kept):
        raise UsageError(f"{'--without' if without else '--model'} leaves no comparison")
    kept = kept.compact()
    demo = [name for name in kept.models if name.startswith("demo/")]
    if demo and len(demo) < len(kept.models):
        message = f"the file has demo models ({', '.join(demo)}) beside real ones"
        raise UsageError(f"{message}, which never meet; leave either out with --without")
    return kept


def has_demo(comparisons: Comparisons) -> bool:
    """Whether a demo model is among them, or the demo judge has judged."""
    return any(name.startswith("demo/") for name in (*comparisons.models, comparisons.judge))


def read_comparisons(
    path: Path, *, judge: str | None = None, by_criterion: bool = False
) -> Comparisons:
    """The comparisons of a file in the form of docs/ratings.md; blank lines are passed over.

    Args:
        path: JSON lines; unpacked if it is gzip, within limits.
        judge: Take only those of this judge.
        by_criterion: Keep each criterion's margin beside their sum.

    Raises:
        DataError: The file is missing or empty, or a line is not of the form or is there
            twice; the message has the line's number.
        UsageError: There are several judges and none was chosen, or not the chosen one.
    """
    columns = Columns(path, "line", judge, by_criterion)
    for number, line in read_lines(path):
        if line.strip():
            columns.add(_parsed(path, number, line), number)
    comparisons = Comparisons.canonical(columns)
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
