"""A server that is started by a command: until it is healthy, while it runs, and its end."""

import asyncio
import contextlib
import os
import re
import shlex
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Protocol

from ..errors import BenchError, ErrorKind, JournalError, ProviderError, UsageError
from ..text import line

READY_S = 600.0
"""How long a server may take until it is healthy: weights are loaded in that time."""
GRACE_S = 10.0
"""How long it may take to end by itself."""
LOOK_S = 0.25
"""How often a server is looked at until it is healthy, and later while it runs."""
HEALTH = ("/health", "/v1/models")
"""Where a server says that it is ready, unless the user says where: whichever answers."""
PORT = "{port}"
_WORD = re.compile(r"\{(\w+)\}")
_QUOTED = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*\"""", re.DOTALL)
_ANSWER_S, _SHOWN = 5.0, 3
KEEPER = Path(__file__).with_name("keeper.py")


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """How a server is started.

    Attributes:
        text: A command of the shell, with ``{port}``, and perhaps ``{model}`` (the model's name),
            ``{path}`` (its checkpoint) and ``{name}`` (what tables call it).
        words: What stands for each of these but the port.
        health: The path that answers 200 once it is ready; `HEALTH` where none is named.
        ready_s: Seconds until then.
        port: A port of the user's; else a free one is taken.
        log: Where its output goes.
        environment: Variables beside those of this process.
    """

    text: str
    log: Path
    words: Mapping[str, str] = field(default_factory=dict)
    health: str | None = None
    ready_s: float = READY_S
    port: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    def around_port(self) -> list[str]:
        """The command before, between and after the places of the port.

        Each word is in its place, quoted for the shell: nothing in it is part of the command.

        Raises:
            UsageError: The command has quotes around a word that needs its own, or a NUL.
        """
        if "\0" in "".join([self.text, *self.words.values()]):
            raise UsageError("the command of the server has a NUL character, which no shell takes")
        within = "".join(_QUOTED.findall(self.text))
        for name, word in self.words.items():
            if f"{{{name}}}" in within and shlex.quote(word) != word:
                message = f"the command of the server has quotes around {{{name}}}"
                raise UsageError(f"{message}, and {word!r} gets its own: leave those out")

        def quoted(match: "re.Match[str]") -> str:
            return shlex.quote(self.words[match[1]]) if match[1] in self.words else match[0]

        return [_WORD.sub(quoted, part) for part in self.text.split(PORT)]


def check_command(text: str, where: str) -> str:
    """A command in which a port can be put.

    Raises:
        UsageError: It has no ``{port}``.
    """
    if PORT not in text:
        message = f"{where} needs {{port}} where the server's port stands"
        raise UsageError(f"{message}, such as 'vllm serve {{model}} --port {{port}}'")
    return text


def free_port() -> int:
    """A port of this machine that nobody listens on now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def is_taken(port: int) -> bool:
    """Whether somebody listens on a port of this machine."""
    with socket.socket() as one:
        one.settimeout(1.0)
        return one.connect_ex(("127.0.0.1", port)) == 0


class ModelServer(Protocol):
    """A server that runs, wherever it is."""

    @property
    def base_url(self) -> str:
        """Where its models are asked."""
        ...

    async def ended(self) -> int | None:
        """Its exit code, if it has ended."""
        ...

    def last_words(self) -> str:
        """The end of what it printed, in one line."""
        ...

    def close(self) -> None:
        """End it, and wait for that."""
        ...


class ServerProcess:
    """A server on this machine, kept by a `keeper` process that ends it when this one ends."""

    def __init__(self, command: ServerCommand, port: int) -> None:
        self.command, self.port = command, port
        text = str(port).join(command.around_port())
        try:
            command.log.parent.mkdir(parents=True, exist_ok=True)
            self._log = command.log.open("ab")
            self._from = self._log.tell()
            self._keeper = subprocess.Popen(
                [sys.executable, str(KEEPER), str(GRACE_S), text],
                stdin=subprocess.PIPE, stdout=self._log, stderr=self._log,
                start_new_session=True, env={**os.environ, **command.environment},
            )  # fmt: skip
        except OSError as error:
            what = f"the server is not started with its output in {command.log}"
            raise JournalError(f"{what}: {error.strerror}") from None

    @property
    def base_url(self) -> str:
        """Where its models are asked."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def exit_code(self) -> int | None:
        """How it ended; ``None`` while it runs."""
        return self._keeper.poll()

    async def ended(self) -> int | None:
        """The same."""
        return self.exit_code

    def last_words(self) -> str:
        """The end of what it printed, in one line."""
        try:
            with self.command.log.open("rb") as file:
                file.seek(max(self._from, self.command.log.stat().st_size - 4096))
                lines = [text for text in file.read().decode(errors="replace").split("\n") if text]
        except OSError as error:
            return f"{self.command.log} cannot be read: {error.strerror}"
        return line(" | ".join(lines[-_SHOWN:]))

    def close(self) -> None:
        """End it and wait for that: `GRACE_S` at most until it is killed."""
        assert self._keeper.stdin is not None
        with contextlib.suppress(OSError):
            self._keeper.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._keeper.wait(2 * GRACE_S + 5)
        end = time.monotonic() + 2 * GRACE_S
        while (self.exit_code or 0) < 0 and is_taken(self.port) and time.monotonic() < end:
            time.sleep(LOOK_S)  # the keeper was killed, so somebody else ends the server
        self._log.close()


async def start_server(command: ServerCommand) -> ServerProcess:
    """Start a server on this machine, and wait until it is healthy.

    Raises:
        UsageError: The user's port is taken.
        ProviderError: It ended, or was not healthy in time; the end of its output is in the
            message.
    """
    if command.port and is_taken(command.port):
        message = f"port {command.port} is taken on this machine"
        raise UsageError(f"{message}; name another, or none, and a free one is taken")
    server = ServerProcess(command, command.port or free_port())
    try:
        await _until_healthy(server)
    except BaseException:
        await asyncio.to_thread(server.close)
        raise
    return server


async def stop_when_gone(server: "ModelServer", stop: Callable[[BenchError], None]) -> None:
    """End what asks a server once that has ended, with why."""
    while (code := await server.ended()) is None:
        await asyncio.sleep(LOOK_S)
    words = server.last_words()
    message = f"the server ended with exit code {code}" + (f": {words}" if words else "")
    stop(ProviderError(ErrorKind.CONNECTION, message, fatal=True))


async def _until_healthy(server: ServerProcess) -> None:
    command, loop = server.command, asyncio.get_running_loop()
    paths = (command.health,) if command.health else HEALTH
    end = loop.time() + command.ready_s
    while not await asyncio.to_thread(is_healthy, f"http://127.0.0.1:{server.port}", paths):
        if (code := server.exit_code) is not None:
            raise not_started(f"the server ended with exit code {code}", server.last_words(),
                              command.log)  # fmt: skip
        if loop.time() > end:
            message = f"the server was not healthy ({', '.join(paths)}) in {command.ready_s:g} s"
            raise not_started(message, server.last_words(), command.log)
        await asyncio.sleep(LOOK_S)


def not_started(message: str, words: str, log: Path) -> ProviderError:
    """The error of a server that did not come up, with the end of what it printed."""
    end = f": {words}" if words else ", and printed nothing"
    return ProviderError(ErrorKind.CONNECTION, f"{message}{end} (all of it: {log})", fatal=True)


def is_healthy(address: str, paths: tuple[str, ...]) -> bool:
    """Whether one of the paths of an address answers 200."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for path in paths:
        with contextlib.suppress(OSError, HTTPException, ValueError):
            opener.open(f"{address}{path}", timeout=_ANSWER_S).close()  # an error unless 2xx
            return True
    return False
