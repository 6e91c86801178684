"""Through which modules the life of a sample goes, in the order in which they are entered.

    python -m benchmarks.doors [sample|rating]

Runs `bench` on demo models in this process and notes each module of eibench of which a
function is called, in any thread: what runs only while a module is imported does not count.
`sample` is one question of `eqbench-v1`; `rating` two scenarios of `eqbench3` for a second
model, compared with the first one and rated. docs/architecture.md walks the same way.
"""

import argparse
import contextlib
import io
import sys
import tempfile
import threading
from collections.abc import Sequence
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType

import eibench
from eibench.core.cli import main as bench

_PACKAGE = Path(eibench.__file__).parent
_FIRST = ["run", "eqbench3", "--model", "demo/strong", "--judge", "demo/judge", "--limit", "2"]
COMMANDS = {
    "sample": [["run", "eqbench-v1", "--limit", "1"]],
    "rating": [_FIRST, [word.replace("strong", "weak") for word in _FIRST]],
}


class Doors:
    """The modules that were entered.

    Attributes:
        found: Their names, in the order in which a function of each was first called.
    """

    def __init__(self) -> None:
        self.found: dict[str, None] = {}
        self._names: dict[str, str | None] = {}
        self._thread = threading.local()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Note a call; what `sys.setprofile` is given."""
        code = frame.f_code
        if code.co_name == "<module>" and event in ("call", "return"):
            self._thread.importing = self._importing + (1 if event == "call" else -1)
            return
        counts = event == "call" and code.co_flags & CO_OPTIMIZED and not self._importing
        if counts and (name := self._name(code.co_filename)):
            self.found.setdefault(name)

    @property
    def _importing(self) -> int:
        return getattr(self._thread, "importing", 0)

    def _name(self, file: str) -> str | None:
        """A module's name within the package; ``None`` for one of another package."""
        if file not in self._names:
            path = Path(file)
            ours = path.is_relative_to(_PACKAGE)
            self._names[file] = ".".join(path.relative_to(_PACKAGE).parts)[:-3] if ours else None
        return self._names[file]


def entered(words: Sequence[str]) -> list[str]:
    """The modules that a command enters; what it prints is dropped.

    Raises:
        RuntimeError: It fails.
    """
    doors, said = Doors(), io.StringIO()
    sys.argv = ["bench", *words]
    threading.setprofile(doors)
    sys.setprofile(doors)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            bench()
    except SystemExit as end:
        if end.code:
            raise RuntimeError(said.getvalue()) from end
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return list(doors.found)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser("benchmarks.doors", description=__doc__)
    parser.add_argument("life", choices=COMMANDS, default="sample", nargs="?")
    found: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for words in COMMANDS[parser.parse_args().life]:
            found = entered([*words, "--runs-dir", folder, "--dataset", "bundled"])
    for n, name in enumerate(found, start=1):
        print(f"{n:3} {name}")


if __name__ == "__main__":
    main()
