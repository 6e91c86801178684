"""Reading a declaration: the file, what it names beside itself, and all that is wrong with it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from eibench import DataError, UsageError, read_text, read_toml

from .positions import key_lines
from .schema import check, json_schema
from .syntax import explained
from .templates import Place, Values

FILE = "benchmark.toml"
"""What a declaration is called within a folder of its own."""
_MOST_TOLD = 8
_LARGEST = 2**20
"""Bytes of a declaration, and of a file with a template."""


@dataclass
class Declaration:
    """What a file declares.

    Attributes:
        path: The file.
        raw: Its keys as they stand there.
        values: Its keys as they were checked, with the defaults of those that are left out.
        texts: By its path beside the file, the text of each file that was read, this one first.
        wrong: What is wrong with it, by line.
    """

    path: Path
    raw: Values = field(default_factory=dict)
    values: Values = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    wrong: list[tuple[int, str]] = field(default_factory=list)
    _lines: Mapping[Place, int] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Declaration":
        """The declaration in a file, or in a folder's `FILE`; only its keys are checked.

        Raises:
            DataError: It is not TOML, or cannot be read.
            UsageError: A folder has none.
        """
        if path.is_dir():
            if not (path / FILE).is_file():
                raise UsageError(f"{path} holds no {FILE}; name the file that declares a benchmark")
            path = path / FILE
        one = cls(path)
        text = one.texts[path.name] = _read(path)
        try:
            raw = read_toml(path)
        except DataError as error:
            line, message = explained(text, str(error).removeprefix(f"{path}: not TOML: "))
            raise DataError(f"{path}:{line}", message) from None
        one.raw, one._lines = raw, key_lines(text)
        one.values = check(raw, json_schema(), (), one)
        return one

    def report(self, where: Place, message: str) -> None:
        """Note what is wrong, and where."""
        keys = [str(key) for key in where if isinstance(key, str)]
        at_top = self.raw.get(keys[-1]) if len(keys) == 1 else None
        table, key = ".".join(keys[:-1]), keys[-1] if keys else ""
        named = f"[{table}] {key}" if table else f"[{key}]" if isinstance(at_top, dict) else key
        self.wrong.append((self.line(where), f"{named}: {message}"))

    def line(self, where: Place) -> int:
        """The line of a key; of one that is missing, that of its table."""
        plain = tuple(key for key in where if isinstance(key, str))  # one may stand without a list
        while not (line := self._lines.get(where) or self._lines.get(plain)):
            where, plain = where[:-1], plain[: len(plain) - isinstance(where[-1], str)]
        return line

    def raise_wrong(self) -> None:
        """Say all that is wrong.

        Raises:
            DataError: There is something.
        """
        if not self.wrong:
            return
        (line, first), *rest = sorted(dict.fromkeys(self.wrong))
        more = [f"line {n}: {message}" for n, message in rest[: _MOST_TOLD - 1]]
        more += [f"and {len(rest) - len(more)} more"] * (len(rest) > len(more))
        raise DataError(f"{self.path}:{line}", "; ".join([first, *more]))

    def refuse(self, where: Place, message: str) -> DataError:
        """The error that one thing is wrong."""
        self.wrong.clear()
        self.report(where, message)
        ((line, message),) = self.wrong
        return DataError(f"{self.path}:{line}", message)

    def text_of(self, where: Place, path: str) -> str:
        """The text of a file beside the declaration; what is wrong is reported."""
        if file := self.file_of(where, path):
            try:
                text = self.texts[path] = _read(file)
            except DataError as error:
                self.report(where, str(error))
            else:
                return text
        return ""

    def file_of(self, where: Place, path: str) -> Path | None:
        """A file in the declaration's folder; ``None`` where it may not be or is not there."""
        if "://" in path:
            self.report(where, f"{path!r:.60} is an address; fetch the file, and name it here")
            return None
        folder, parts = self.path.parent, PurePosixPath(path).parts
        file = folder / path
        plain = not re.search(r"[\\:\0]", path) and parts and parts[0] != "/" and ".." not in parts
        if not plain or not file.resolve().is_relative_to(folder.resolve()):
            self.report(where, f"{path!r:.60} is not in this file's folder; copy it there")
        elif not file.is_file():
            self.report(where, f"{path!r:.60} is no file beside this one; check the name")
        else:
            return file
        return None


def _read(path: Path) -> str:
    """A file's text; `DataError` where it is too large for one that somebody wrote."""
    if path.is_file() and path.stat().st_size > _LARGEST:
        raise DataError(path, f"has more than {_LARGEST:,} bytes; rows go into a file of [data]")
    return read_text(path)
