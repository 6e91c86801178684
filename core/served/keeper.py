"""A process between eibench and a server: it ends the server whenever eibench ends, however.

Run by its path, with the seconds of grace, a command of the shell, and perhaps a file for the exit
code; the standard library alone. With such a file it is no child of whoever started it: Ray kills
the children of a worker that ends, and a keeper that is killed could end no server.
It holds the other end of a pipe in its standard input. When that closes, be it that eibench closes
it, ends or is killed, the server and every process of its group get SIGTERM, and SIGKILL after the
grace. When the server ends by itself, so does the rest of its group, and the keeper's exit code is
the server's (128 and the signal's number where a signal ended it). Where the keeper itself is
killed, a fork of it, which waits for that, ends the server likewise.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
LOOK_S = 0.05
"""How often the end of a group is looked for."""


def main() -> int:
    """Keep a server until the pipe closes or it ends."""
    grace, command, *status = float(sys.argv[1]), *sys.argv[2:]
    if status and os.fork():
        return 0
    child = subprocess.Popen(
        ["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, start_new_session=True
    )
    guard = _guard(child.pid, grace, status)
    for number in SIGNALS:
        signal.signal(number, lambda *_: _end(child.pid, grace))
    threading.Thread(target=_end_after_pipe, args=(child.pid, grace), daemon=True).start()
    code = child.wait()
    code = 128 - code if code < 0 else code
    _end(child.pid, grace)
    os.write(guard, b".")
    for path in status:
        Path(path).write_text(str(code), encoding="utf-8")
    return code


def _guard(group: int, grace: float, status: list[str]) -> int:
    """Where to write that the server has ended; whoever reads it ends the server without that."""
    reader, writer = os.pipe()
    if os.fork():
        os.close(reader)
        return writer
    os.close(writer)
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if not os.read(reader, 1):
        _end(group, grace)
        for path in status:
            Path(path).write_text(str(128 + signal.SIGKILL), encoding="utf-8")
    os._exit(0)


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
