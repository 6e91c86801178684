"""A folder in which checkpoints appear: each is taken once it is whole, and again if written over.

Nothing of this is stored: which checkpoints have run is in the journal, by their digests.
"""

import asyncio
import fnmatch
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..errors import DataError
from ..reading.checkpoints import is_on_disk, state_of, unfinished
from ..text import checkpoint
from .sweep_file import SweepModel, WatchRules

LOOK_S = 1.0
"""How often a folder is looked at."""


@dataclass
class FolderWatch:
    """Finds the checkpoints of a folder as they become whole.

    Attributes:
        take: Called with the model of each.
        busy: Whether anything is under way.
        idle_s: Ends after so many seconds without a new one while nothing is; ``None`` for never.
    """

    folder: Path
    rules: WatchRules
    take: Callable[[SweepModel], object]
    busy: Callable[[], bool]
    say: Callable[[str], None]
    idle_s: float | None = None
    _states: dict[Path, tuple[object, float]] = field(default_factory=dict)
    _taken: dict[Path, object] = field(default_factory=dict)
    _lacking: dict[Path, str] = field(default_factory=dict)

    async def go_on(self) -> None:
        """Look again and again."""
        clock = asyncio.get_running_loop().time
        quiet_since = clock()
        while True:
            if await asyncio.to_thread(self._look, clock()) or self.busy():
                quiet_since = clock()
            if self.idle_s is not None and clock() - quiet_since > self.idle_s:
                self._tell_unfinished()
                return
            await asyncio.sleep(min(LOOK_S, self.rules.settle_s or LOOK_S))

    def _look(self, now: float) -> bool:
        """Take what has become whole; whether there was any."""
        return sum(self._consider(path, now) for path in self._folders()) > 0

    def _folders(self) -> Iterator[Path]:
        """Those that may be checkpoints, the first step first."""
        try:
            paths = [path for path in self.folder.iterdir() if path.is_dir()]
        except OSError as error:
            raise DataError(self.folder, f"cannot be read: {error.strerror}") from None
        named = [path for path in paths if fnmatch.fnmatch(path.name, self.rules.pattern)]
        return iter(sorted(named, key=_by_step))

    def _consider(self, path: Path, now: float) -> bool:
        try:
            state = state_of(path)
            if self._taken.get(path) == state:
                return False
            before, since = self._states.get(path, (None, now))
            if before != state:
                self._states[path] = (state, now)
                since = now
            if not self._is_whole(path, now - since):
                return False
        except OSError:  # something was moved meanwhile: the next look will tell
            return False
        except DataError as error:
            self._lacking[path] = str(error)
            return False
        self._taken[path] = state
        self._lacking.pop(path, None)
        self.take(replace(self.rules.model, name=path.name, path=str(path)))
        return True

    def _is_whole(self, path: Path, quiet_s: float) -> bool:
        if self.rules.done:
            why = "" if is_on_disk(path / self.rules.done) else f"it lacks {self.rules.done}"
        else:
            why = unfinished(path)
            if not why and quiet_s < self.rules.settle_s:
                why = f"its files changed less than {self.rules.settle_s:g} s ago"
        self._lacking[path] = why
        return not why

    def _tell_unfinished(self) -> None:
        """Name the folders that never became whole."""
        for path, why in sorted(self._lacking.items()):
            self.say(f"{path.name} was not run: {why}")


def _by_step(path: Path) -> tuple[int, str]:
    step = checkpoint(path.name)
    return (step.step if step else 0, path.name)
