"""Files of lines, plain or gzip: written whole or not at all, read with limits.

A file that is read may be hostile. Nothing in it is taken at its word: a line may be so
long and no longer, and what is packed may not expand to more than the limits below, which
are looked at while it is unpacked.
"""

import contextlib
import gzip
import io
import itertools
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from ..errors import DataError
from .temporary import replacing

LINE_LIMIT = 32 * 2**20
"""Most bytes of a line: a request and its reply of some million tokens each."""
EXPANDED_LIMIT = 4 * 2**30
"""Most bytes that a packed file may expand to."""
RATIO_LIMIT = 250
"""Most bytes that a packed byte may expand to; a usual run has 5 to 10."""
WHOLE_LIMIT = 2**30
"""Most bytes of a file that is read as a whole, unpacked."""
_ANY_RATIO_UP_TO = 16 * 2**20  # so much does no harm, and little text is often all alike
_MAGIC = b"\x1f\x8b"
_OF_ITS_SIZE, _ADVICE = f"{RATIO_LIMIT} times its size", "if you trust it, unpack it first"


# Writing


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Put lines into a file; packed if its name ends in ``.gz``, always to the same bytes.

    Raises:
        DataError: It cannot be written; what was there before is there still.
    """
    with _naming(path):
        if path.exists() and not path.is_file():  # a device or a pipe: nothing to put in its place
            with path.open("wb") as file:
                _write(file, lines, packed=path.suffix == ".gz")
        else:
            with replacing(path.resolve()) as file:
                _write(file, lines, packed=path.suffix == ".gz")
                os.fsync(file.fileno())


def print_lines(lines: Iterable[bytes]) -> None:
    """Put lines on standard output, not packed.

    Raises:
        DataError: It is closed, or cannot be written to.
        BrokenPipeError: Nobody reads it any more.
    """
    if sys.stdout is None:
        raise DataError("standard output", "is closed; name a file with -o")
    with _naming("standard output"):
        _write(sys.stdout.buffer, lines, packed=False)


@contextlib.contextmanager
def _naming(where: object) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(where, f"cannot be written: {error.strerror or error}") from None


def _write(file: BinaryIO, lines: Iterable[bytes], *, packed: bool) -> None:
    if packed:
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as packing:
            packing.writelines(lines)
    else:
        file.writelines(lines)
    file.flush()


# Reading


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """A file's lines with their numbers, unpacked if need be, one at a time.

    Raises:
        DataError: It cannot be read, is damaged, or exceeds a limit.
    """
    with _opened(path) as (file, packed):
        yield from _unpacked(path, file) if packed else _limited(path, file)


def read_whole(path: Path) -> bytes:
    """A file's bytes, unpacked if need be.

    Raises:
        DataError: It cannot be read, is damaged, or exceeds a limit.
    """
    return b"".join(read_chunks(path, WHOLE_LIMIT))


def read_chunks(path: Path, most: int | None = None) -> Iterator[bytes]:
    """A file's bytes, unpacked if need be, some after others: no more than `most` of them.

    Raises:
        DataError: It cannot be read, is damaged, or exceeds a limit.
    """
    with _opened(path) as (file, packed):
        counted = _Counted(file)
        unpacking = gzip.GzipFile(fileobj=counted, mode="rb") if packed else file
        limit = EXPANDED_LIMIT if most is None else most
        try:
            yield from _chunks(path, unpacking, counted if packed else None, limit)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataError(path, f"the packed data is damaged or cut off: {error}") from None


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[io.BufferedReader, bool]]:
    """A file, and whether it is packed."""
    try:
        with path.open("rb") as file:
            packed = file.peek(2)[:2] == _MAGIC
            if path.suffix == ".gz" and not packed:
                raise DataError(path, "is not gzip, though its name ends in .gz")
            yield file, packed
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror or error}") from None


def _chunks(
    path: Path, file: io.BufferedIOBase, counted: "_Counted | None", limit: int
) -> Iterator[bytes]:
    """Some bytes after others, within the limits."""
    size = 0
    while chunk := file.read(2**20):
        size += len(chunk)
        if size > limit:
            message = "expands to more" if counted else "is longer"
            raise DataError(path, f"{message} than {limit // 2**20} MiB")
        if counted and _is_too_dense(size, counted.count):
            raise DataError(path, f"expands to more than {_OF_ITS_SIZE}; {_ADVICE}")
        yield chunk


def _is_too_dense(expanded: int, packed: int) -> bool:
    return expanded > _ANY_RATIO_UP_TO and expanded > RATIO_LIMIT * packed


def _limited(path: Path, file: io.BufferedIOBase) -> Iterator[tuple[int, bytes]]:
    for n in itertools.count(1):
        line = file.readline(LINE_LIMIT + 1)
        if not line:
            return
        if len(line) > LINE_LIMIT:
            message = f"is longer than {LINE_LIMIT // 2**20} MiB, the most that a line may have"
            raise DataError(path, message, f"line {n}")
        yield n, line


def _unpacked(path: Path, file: io.BufferedIOBase) -> Iterator[tuple[int, bytes]]:
    counted = _Counted(file)
    n = expanded = 0
    try:
        with gzip.GzipFile(fileobj=counted, mode="rb") as unpacking:
            for n, line in _limited(path, unpacking):
                expanded += len(line)
                too_much = expanded > EXPANDED_LIMIT
                if too_much or _is_too_dense(expanded, counted.count):
                    size = f"{EXPANDED_LIMIT // 2**20} MiB" if too_much else _OF_ITS_SIZE
                    raise DataError(path, f"expands to more than {size}; {_ADVICE}", f"line {n}")
                yield n, line
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        message = f"the packed data is damaged or cut off: {error}"
        raise DataError(path, message, f"after line {n}") from None


class _Counted:
    """A file that counts what was read of it, whether it can tell its place or not."""

    def __init__(self, file: io.BufferedIOBase) -> None:
        self.count = 0
        self._file = file

    def read(self, size: int = -1) -> bytes:
        """Some more bytes."""
        data = self._file.read(size)
        self.count += len(data)
        return data

    def seek(self, position: int) -> None:
        """Not possible: lines are read once, in their order."""
        raise io.UnsupportedOperation("seek")
