"""Where servers are started: on this machine, or wherever somebody else finds room for them."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Protocol

from .machine import Machine, Needs
from .server import ModelServer, ServerCommand, start_server


class Placer(Protocol):
    """What finds room for servers."""

    def room(self, needs: Needs) -> "AbstractAsyncContextManager[ServerRoom]":
        """Room for one server, which is waited for, while a block runs."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class ServerRoom(Protocol):
    """Room for one server, which may be started in it again and again."""

    async def start(self, command: ServerCommand) -> ModelServer:
        """A server that is healthy.

        Raises:
            BenchError: It did not come up.
        """
        ...


class LocalRoom:
    """Room on this machine, with some of its GPUs."""

    def __init__(self, variables: dict[str, str]) -> None:
        self._variables = variables

    async def start(self, command: ServerCommand) -> ModelServer:
        """A server that sees these GPUs alone."""
        return await start_server(replace(command, environment=self._variables))


class LocalPlacer:
    """This machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    @asynccontextmanager
    async def room(self, needs: Needs) -> "AsyncIterator[ServerRoom]":
        """Once as much is free as is needed."""
        async with self._machine.taken(needs) as variables:
            yield LocalRoom(dict(variables))

    def close(self) -> None:
        """Nothing is held."""
