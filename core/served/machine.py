"""What a machine has for servers, and who has it now."""

import asyncio
import contextlib
import os
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import NamedTuple


class Needs(NamedTuple):
    """What a server takes of a machine, or what a machine has."""

    gpus: float = 0.0
    memory_gb: float = 0.0


NOTHING = Needs()


def this_machine(environment: Mapping[str, str]) -> tuple[Needs, Sequence[str]]:
    """What is here, and how the GPUs are called: those of ``CUDA_VISIBLE_DEVICES``, else all."""
    visible = environment.get("CUDA_VISIBLE_DEVICES")
    names = [name.strip() for name in visible.split(",")] if visible is not None else _gpus()
    names = [name for name in names if name not in ("", "-1")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return Needs(len(names), memory), names


def _gpus() -> list[str]:
    """The indices of all GPUs that ``nvidia-smi`` knows."""
    query = ["nvidia-smi", "--query-gpu=index", "--format=csv,noheader"]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(query, capture_output=True, text=True, timeout=20, check=True)
        return done.stdout.split()
    return []


class Machine:
    """GPUs and memory that are shared out; who needs more than is free waits, in turn.

    Args:
        has: All that may be taken.
        gpus: How its GPUs are called; whole ones are handed out by name, and where there are fewer
            names than GPUs none is named.
    """

    def __init__(self, has: Needs, gpus: Sequence[str] = ()) -> None:
        self.has = has
        self._free, self._names = has, list(gpus) if len(gpus) >= has.gpus else []
        self._changed = asyncio.Condition()

    @contextlib.asynccontextmanager
    async def taken(self, needs: Needs) -> AsyncIterator[Mapping[str, str]]:
        """Take what is needed while the block runs; the variables that a server gets for it."""
        async with self._changed:
            needs = needs if any(needs) else self.has  # who says nothing is alone here
            await self._changed.wait_for(lambda: self._fits(needs))
            self._take(needs, -1)
            names = [self._names.pop(0) for _ in range(min(int(needs.gpus), len(self._names)))]
        try:
            yield {"CUDA_VISIBLE_DEVICES": ",".join(names)} if names else {}
        finally:
            async with self._changed:
                self._take(needs, 1)
                self._names = sorted([*self._names, *names])
                self._changed.notify_all()

    def _fits(self, needs: Needs) -> bool:
        return all(need <= free + 1e-9 for need, free in zip(needs, self._free, strict=True))

    def _take(self, needs: Needs, sign: int) -> None:
        self._free = Needs(*(f + sign * n for f, n in zip(self._free, needs, strict=True)))
