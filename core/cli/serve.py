"""`bench run --serve`: the server of one model, started for a command and ended with it."""

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from .. import console
from ..errors import UsageError
from ..parties.providers import ModelSpec
from ..plugins import installed
from ..runs.results import plain_file_name
from ..served.server import (
    READY_S,
    ServerCommand,
    ServerProcess,
    check_command,
    free_port,
    start_server,
)
from ..settings.run_settings import RunSettings

RESTARTS = 2
"""How often a server that dies is started again."""


@dataclass
class Served:
    """The server of a command, on one port for as long as that lasts.

    It is started when it is first needed, and again, `RESTARTS` times, where it died.
    """

    command: ServerCommand
    server: ServerProcess | None = None
    _left: int = field(default=RESTARTS)

    @property
    def base_url(self) -> str:
        """Where it will be."""
        return f"http://127.0.0.1:{self.command.port}/v1"

    def start(self) -> ServerProcess:
        """The server, which answers."""
        if self.server is None:
            console.output.tell(f"starting the server; its output goes to {self.command.log}")
            self.server = asyncio.run(start_server(self.command))
        return self.server

    def restart(self) -> bool:
        """Start it again if it died; whether it did."""
        if self.server is None or self.server.exit_code is None or not self._left:
            return False
        console.output.tell(
            f"the server ended with exit code {self.server.exit_code}: "
            f"{self.server.last_words()}; it is started again"
        )
        self._left -= 1
        self.close()
        self.start()
        return True

    def close(self) -> None:
        """End it."""
        server, self.server = self.server, None
        if server is not None:
            server.close()


@contextlib.contextmanager
def closing(served: Served | None) -> Iterator[None]:
    """End the server after the block, however that ends."""
    try:
        yield
    finally:
        if served is not None:
            served.close()


def served_by(text: str | None, settings: RunSettings) -> Served | None:
    """The server that a command asks for; ``None`` for none.

    Raises:
        UsageError: Its options contradict the others.
    """
    if text is None:
        return None
    if settings.base_url:
        raise UsageError("--serve says where the model is; leave --base-url out")
    specs = [ModelSpec.parse(spec, at_server=True) for spec in settings.models]
    if len(specs) != 1 or installed().provider(specs[0].provider).demo:
        raise UsageError("--serve is for one --model, such as openai/NAME as the server calls it")
    name = settings.name or specs[0].name
    words = {"model": specs[0].name, "name": name, "path": settings.checkpoint or specs[0].name}
    return Served(
        ServerCommand(
            check_command(text, "--serve"),
            log_of(settings.runs_dir, name),
            words,
            settings.health,
            settings.ready or READY_S,
            free_port(),
        )
    )


def log_of(runs_dir: Path, name: str) -> Path:
    """Where the output of a model's server goes."""
    return runs_dir / "servers" / f"{plain_file_name(name)}.log"


def at_server(settings: RunSettings, served: Served | None) -> RunSettings:
    """The settings with the server's address."""
    if served is None:
        return settings
    return replace(settings, base_url=(served.base_url,), shares_server=False)
