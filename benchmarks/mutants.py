"""Whether tests see that a number was changed.

    python -m benchmarks.mutants [--all] [--list] [WORDS]

`mutants.toml` has changes of one number each: what it is, the text that is changed, and which tests
have to fail. Each is made in a copy of this checkout, whose tests then run, one after the other at
a low priority; WORDS choose those whose file or name has one of them, and `--all` runs every test
that is not slow instead. It ends with 1 where a change survives that is not said to be equivalent,
where one that is said to be so is seen, or where a text does not stand exactly once in its file.
Tests that need data of others are skipped where CONTRIBUTING.md's variables do not name it.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_name("mutants.toml")
LEFT_OUT = {".venv", ".git", "runs", ".hypothesis", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
NOT_SLOW = "tests -m 'not slow'"
LONGEST_S = 1800
_TICKS = count(1_000_000_000)


class Mutant(NamedTuple):
    """A change that a test must see.

    Attributes:
        file: From the root.
        tests: Words for pytest.
        what: The number, in words.
        old, new: The text, and what takes its place.
        equivalent: Why nothing can tell both apart; empty where something must.
    """

    file: str
    tests: str
    what: str
    old: str
    new: str
    equivalent: str = ""


def read_mutants(path: Path) -> list[Mutant]:
    """All that a file lists, in its order."""
    parts = tomllib.loads(path.read_text(encoding="utf-8"))["part"]
    return [Mutant(p["file"], p["tests"], *words) for p in parts for words in p["mutants"]]


class Copy:
    """A copy of a checkout, in which tests run.

    Args:
        root: The checkout.
        folder: Where the copy is made.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        def left_out(at: str, names: list[str]) -> set[str]:
            return {*names} & ({"__pycache__"} | (LEFT_OUT if Path(at) == root else set()))

        self._root = shutil.copytree(root, folder / "copy", symlinks=True, ignore=left_out)
        self.passes = cache(self._passes)

    def becomes_of(self, mutant: Mutant) -> str:
        """``killed``, ``survived``, or why it could not be tried."""
        path = self._root / mutant.file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if (n := text.count(mutant.old)) != 1:
            return f"stands {n} times"
        if not self.passes(mutant.tests):
            return "fails unchanged"
        with self._changed(path, text.replace(mutant.old, mutant.new)):
            return "survived" if self._passes(mutant.tests) else "killed"

    @contextmanager
    def _changed(self, path: Path, text: str) -> Iterator[None]:
        before = path.read_text(encoding="utf-8")
        try:
            self._write(path, text)
            yield
        finally:
            self._write(path, before)

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        # Compiled modules are known by time and size, and both may be the same a moment later.
        os.utime(path, (next(_TICKS),) * 2)

    def _passes(self, tests: str) -> bool:
        """Whether tests pass; where none is run, nothing is known of any."""
        env = os.environ | {"PYTHONPATH": f"{self._root / 'src'}{os.pathsep}{self._root}"}
        command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider"]
        done = subprocess.run([*command, *shlex.split(tests)], cwd=self._root, env=env,
                              capture_output=True, text=True, timeout=LONGEST_S)  # fmt: skip
        if done.returncode not in (0, 1, 2):
            raise SystemExit(f"pytest {tests}: {done.stdout[-500:]}{done.stderr[-500:]}")
        return done.returncode == 0


def main(words: Sequence[str], root: Path = ROOT, path: Path = LIST) -> int:
    """Try what the words choose, print a row of each, and give back the exit code."""
    every, listed = "--all" in words, "--list" in words
    chosen = [word for word in words if not word.startswith("--")]
    faults, rows = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(root, Path(folder))
        for mutant in read_mutants(path):
            name = f"{mutant.what} ({mutant.file}: {mutant.old} -> {mutant.new})"
            if chosen and not any(word in name for word in chosen):
                continue
            if listed:
                print(name, mutant.tests, sep="\n    ")
                continue
            end = copy.becomes_of(mutant._replace(tests=NOT_SLOW) if every else mutant)
            is_right = end == ("survived" if mutant.equivalent else "killed")
            faults, rows = faults + (not is_right), rows + 1
            why = f": equivalent, {mutant.equivalent}" if mutant.equivalent else ""
            print(f"{'' if is_right else '! '}{end}{why} | {name}", flush=True)
    print(f"{rows} changes, {faults} of them not as they must be")
    return 1 if faults else 0


if __name__ == "__main__":
    os.nice(10)
    sys.exit(main(sys.argv[1:]))
