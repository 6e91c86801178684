"""Comparisons from a file of JSON lines, plain or gzip."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import DataError
from ..journal.archives import read_lines
from ..types import Json, JsonDict
from .columns import Columns
from .comparisons import Comparison, Comparisons


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
    made = Comparisons.canonical(columns, dedupe=dedupe)
    if not len(made):
        raise DataError(path, "holds no comparisons")
    return made


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


def _without_repeats(pairs: list[tuple[str, Json]]) -> JsonDict:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return made


_decode = json.JSONDecoder(object_pairs_hook=_without_repeats).decode
