"""A process between eibench and a server: it ends the server whenever eibench ends, however.

Run by its path, with the seconds of grace and a command of the shell; the standard library alone.
It holds the other end of a pipe in its standard input. When that closes, be it that eibench closes
it, ends or is killed, the server and every process of its group get SIGTERM, and SIGKILL after the
grace. When the server ends by itself, so does the rest of its group, and the keeper's exit code is
the server's (128 and the signal's number where a signal ended it).
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

LOOK_S = 0.05
"""How often the end of a group is looked for."""


def main() -> int:
    """Keep a server until the pipe closes or it ends."""
    grace, command = float(sys.argv[1]), sys.argv[2]
    child = subprocess.Popen(
        ["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, start_new_session=True
    )
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: _end(child.pid, grace))
    threading.Thread(target=_end_after_pipe, args=(child.pid, grace), daemon=True).start()
    code = child.wait()
    _end(child.pid, grace)
    return 128 - code if code < 0 else code


def _end_after_pipe(group: int, grace: float) -> None:
    """End the server once nobody holds the pipe any more."""
    with contextlib.suppress(OSError):
        while os.read(0, 1024):
            pass
    _end(group, grace)


def _end(group: int, grace: float) -> None:
    """End every process of a group, at first gently."""
    if _signal(group, signal.SIGTERM):
        _wait(group, grace)
        _signal(group, signal.SIGKILL)


def _wait(group: int, grace: float) -> None:
    """Wait until no process of a group is left, or the grace is over."""
    end = time.monotonic() + grace
    while time.monotonic() < end and _signal(group, 0):
        time.sleep(LOOK_S)


def _signal(group: int, number: int) -> bool:
    """Send a signal to a group; whether there is one."""
    try:
        os.killpg(group, number)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
