"""`bench` in processes of its own that need not import everything anew.

One process imports the package and two clients, and is forked for each command. A fork has its
own memory, signals and exit code, and is killed like any other process. A test of how a program
starts or what it imports uses `subprocess` instead.
"""

import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import Lock, Timer
from typing import NoReturn, Self

Done = subprocess.CompletedProcess[str]
MAIN = """
import os
from eibench.core.cli import main, options
plain = options.wants_details
options.wants_details = lambda: plain() or "BENCH_DETAILS" in os.environ
main()
"""
"""`bench`, which prints all numbers where a test wants that of every command."""
_STARTING = Lock()
_SPACE = 100_000
"""Bytes that a request may have: program, arguments, folder and environment."""


class Process:
    """A running command, with the part of `subprocess.Popen` that tests use.

    Args:
        args: Without the command's name.
        cwd: Its folder.
        env: Its environment; by default this process's.
        code: The program.
    """

    returncode: int | None = None

    def __init__(
        self, args: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None, code: str = MAIN
    ) -> None:
        self.args = list(args)
        request = json.dumps([code, self.args, str(cwd), dict(os.environ if env is None else env)])
        with _STARTING:  # tests start commands in threads too
            parent, _ = _parent()
        pipes = [os.pipe() for _ in range(3)]
        socket.send_fds(parent, [request.encode()], [write for _, write in pipes])
        for _, write in pipes:
            os.close(write)
        self.stdout, self.stderr, self._status = (
            os.fdopen(read, encoding="utf-8", errors="surrogateescape") for read, _ in pipes
        )
        self.pid = int(self._status.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()
        self.stdout.close()
        self.stderr.close()

    def poll(self) -> int | None:
        """The exit code, negative if a signal ended it; None while it runs."""
        if self.returncode is None and select.select([self._status], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self) -> int:
        """The exit code, at the end."""
        if self.returncode is None:
            with self._status:
                self.returncode = os.waitstatus_to_exitcode(int(self._status.readline()))
        return self.returncode

    def communicate(self, timeout: float = 60) -> tuple[str, str]:
        """What it writes till its end; it is killed if that does not come."""
        late = Timer(timeout, self.kill)
        late.start()
        with self.stdout, self.stderr, ThreadPoolExecutor(1) as pool:
            out = pool.submit(self.stdout.read)
            said = self.stderr.read()
            written = out.result()
        self.wait()
        late.cancel()
        return written, said

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


def run(
    args: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None, timeout: float = 120
) -> Done:
    """A command from its start to its end."""
    process = Process(args, cwd, env)
    out, err = process.communicate(timeout)
    return Done(process.args, process.wait(), out, err)


def on_a_terminal(
    args: Sequence[str],
    answer: str = "",
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    width: int = 80,
    before: str = "",
    watch: Callable[[Process, bytes], object] = lambda process, seen: None,
) -> tuple[str, int]:
    """What a command writes to a terminal, and its exit code.

    Args:
        args: Without the command's name.
        answer: What is typed there.
        cwd: Its folder; by default this process's.
        env: Its environment; by default this process's, for a terminal that cannot move.
        width: Of the terminal.
        before: What the program does first.
        watch: Gets the process, and all that it has written so far.
    """
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, width))
    settings = termios.tcgetattr(theirs)
    settings[1] &= ~termios.ONLCR
    termios.tcsetattr(theirs, termios.TCSANOW, settings)
    name = os.ttyname(theirs)
    code = f"import os\nfor n in range(3): os.dup2(os.open({name!r}, os.O_RDWR), n)\n{before}\n"
    os.write(ours, answer.encode())
    env = {**os.environ, "TERM": "dumb"} if env is None else env
    seen = b""
    with Process(args, cwd or Path.cwd(), env, code + MAIN) as process:
        late = Timer(120, process.kill)
        late.start()
        while process.poll() is None or select.select([ours], [], [], 0)[0]:
            if select.select([ours], [], [], 0.02)[0]:
                seen += os.read(ours, 1 << 16)
                watch(process, seen)
        late.cancel()
        code_at_end = process.wait()
    os.close(ours)
    os.close(theirs)
    return seen.decode(), code_at_end


@cache
def _parent() -> "tuple[socket.socket, subprocess.Popen[bytes]]":
    """The process that is forked, with the way to it; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        number = theirs.fileno()
        return ours, subprocess.Popen(
            [sys.executable, __file__, str(number)], pass_fds=[number],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip


# In the process that is forked


def _serve(requests: socket.socket) -> str:
    """Fork for each request; only a fork returns, with its program."""
    while True:
        request, fds, *_ = socket.recv_fds(requests, _SPACE, 3)
        if not request:
            sys.exit()
        if os.fork() == 0:
            requests.close()
            return _begin(fds, *json.loads(request))
        for fd in fds:
            os.close(fd)


def _begin(fds: list[int], code: str, args: list[str], cwd: str, env: dict[str, str]) -> str:
    """Fork once more: one is to be the command, the other waits for it."""
    *outputs, status = fds
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if pid := os.fork():
        _report(pid, outputs, status)
    for number, fd in enumerate(outputs, 1):
        os.dup2(fd, number)
    for fd in fds:
        os.close(fd)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["bench", *args]
    return code


def _report(pid: int, outputs: list[int], status: int) -> NoReturn:
    """Write a command's number, and how it ended."""
    for fd in (0, 1, 2, *outputs):
        os.close(fd)
    os.write(status, b"%d\n" % pid)
    os.write(status, b"%d\n" % os.waitpid(pid, 0)[1])
    os._exit(0)


def _import_all() -> None:
    import anthropic
    import openai

    import eibench

    for module in pkgutil.walk_packages(eibench.__path__, "eibench."):
        __import__(module.name)
    openai.AsyncOpenAI(api_key="x")
    anthropic.AsyncAnthropic(api_key="x")


if __name__ == "__main__":
    import gc

    sys.path[0] = ""
    _import_all()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait
    for number in (signal.SIGINT, signal.SIGHUP):  # ignored where the tests run in the background
        signal.signal(
            number, signal.SIG_DFL if number == signal.SIGHUP else signal.default_int_handler
        )
    exec(_serve(socket.socket(fileno=int(sys.argv[1]))))
