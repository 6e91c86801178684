"""Servers on the nodes of a Ray cluster, which only places them: calls go to them over HTTP."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import ConfigError, UsageError
from ..parties.party import is_local
from ..text import line
from . import ray_actor
from .machine import Needs
from .placing import ServerRoom
from .server import GRACE_S, HEALTH, KEEPER, LOOK_S, ServerCommand, is_healthy, not_started

_SHOWN, _KEPT = 3, 2**20
_GONE = -1
"""The exit code of a server whose node, or whose actor, is gone."""


def _ray() -> Any:
    try:
        return import_module("ray")
    except ImportError:
        raise ConfigError("--on ray needs Ray: pip install 'eibench[ray]'") from None


class RayPlacer:
    """A Ray cluster that runs: that of ``RAY_ADDRESS``, else the one of this machine."""

    def __init__(self) -> None:
        self._ray = _ray()
        address = os.environ.get("RAY_ADDRESS", "auto")
        try:
            self._ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, ValueError) as error:
            raise ConfigError(
                f"no Ray cluster at {address}: {line(str(error))}; start one, or set RAY_ADDRESS"
            ) from None
        self._ray.cloudpickle.register_pickle_by_value(ray_actor)

    @asynccontextmanager
    async def room(self, needs: Needs) -> AsyncIterator[ServerRoom]:
        """Ray makes room when a server is started.

        Raises:
            UsageError: No node has as much.
        """
        self._check(needs)
        yield RayRoom(self._ray, needs)

    def _check(self, needs: Needs) -> None:
        nodes = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        fits = [
            node
            for node in nodes
            if node.get("GPU", 0) >= needs.gpus and node.get("memory", 0) >= needs.memory_gb * 1e9
        ]
        if not fits:
            most = max((node.get("GPU", 0) for node in nodes), default=0)
            message = f"needs {needs.gpus:g} gpus and {needs.memory_gb:g} memory_gb"
            raise UsageError(f"{message}; no node of the cluster has them (at most {most:g} GPUs)")

    def close(self) -> None:
        """Leave the cluster, which goes on."""
        self._ray.shutdown()


class RayRoom:
    """Room for one server on any node that has what it needs."""

    def __init__(self, ray: Any, needs: Needs) -> None:
        self._ray, self._needs = ray, needs

    async def start(self, command: ServerCommand) -> "RayServer":
        """A server on some node, again on another where that went.

        Raises:
            ProviderError: It did not come up.
        """
        needs = self._needs
        actor = (
            self._ray.remote(ray_actor.ServerActor)
            .options(num_cpus=1, num_gpus=needs.gpus, memory=int(needs.memory_gb * 1e9) or None)
            .remote()
        )
        server = RayServer(self._ray, actor, command)
        try:
            await server.begin()
        except BaseException:
            await asyncio.to_thread(server.close)
            raise
        return server


class RayServer:
    """A server that an actor holds."""

    def __init__(self, ray: Any, actor: Any, command: ServerCommand) -> None:
        self._ray, self._actor, self._command = ray, actor, command
        self._host, self._port, self._words = "", 0, ""

    @property
    def base_url(self) -> str:
        """Where its models are asked, from the head."""
        return f"http://{self._host}:{self._port}/v1"

    async def begin(self) -> None:
        """Start it once there is room, and wait until it is healthy."""
        command = self._command
        keeper = KEEPER.read_text(encoding="utf-8")
        errors = self._ray.exceptions.RayError
        try:
            self._port, node = await self._actor.start.remote(
                keeper, command.around_port(), GRACE_S, command.port, dict(command.environment)
            )
            self._host = await asyncio.to_thread(self._host_of, node)
        except errors as error:
            raise not_started("no node started the server", line(str(error)), command.log) from None
        if not is_local(self.base_url):
            message = f"{self._host} is no address of a private network, by which the run would be"
            raise UsageError(f"{message} found again; give Ray's nodes private addresses")
        loop, paths = asyncio.get_running_loop(), (command.health,) if command.health else HEALTH
        end = loop.time() + command.ready_s
        while not await asyncio.to_thread(is_healthy, self.base_url.removesuffix("/v1"), paths):
            if (code := await self.ended()) is not None:
                raise not_started(
                    f"the server ended with exit code {code}", self.last_words(), command.log
                )
            if loop.time() > end:
                message = f"the server was not healthy at {self._host} in {command.ready_s:g} s"
                raise not_started(message, self.last_words(), command.log)
            await asyncio.sleep(LOOK_S)

    def _host_of(self, node_id: str) -> str:
        """The address of a node; that of the loop where it is this machine."""
        nodes = {node["NodeID"]: node["NodeManagerAddress"] for node in self._ray.nodes()}
        host = str(nodes[node_id])
        here = self._ray.util.get_node_ip_address()
        return "127.0.0.1" if host == here else host

    async def ended(self) -> int | None:
        """Its exit code, if it has ended, or its node is gone."""
        try:
            code: int | None = await self._actor.ended.remote()
        except self._ray.exceptions.RayError as error:
            self._words = f"its node is gone ({type(error).__name__})"
            return _GONE
        if code is not None:
            await asyncio.to_thread(self._keep_log)
        return code

    def last_words(self) -> str:
        """The end of what it printed, in one line."""
        if not self._words:
            self._keep_log()
        return self._words

    def _keep_log(self) -> None:
        """Store here what it printed there."""
        log: Path = self._command.log
        with contextlib.suppress(self._ray.exceptions.RayError, OSError):
            printed: bytes = self._ray.get(self._actor.printed.remote(_KEPT), timeout=10)
            lines = [text for text in printed.decode(errors="replace").split("\n") if text]
            self._words = line(" | ".join(lines[-_SHOWN:]))
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_bytes(printed)

    def close(self) -> None:
        """End it, and the actor."""
        self._keep_log()
        with contextlib.suppress(self._ray.exceptions.RayError):
            self._ray.get(self._actor.close.remote(2 * GRACE_S), timeout=2 * GRACE_S + 5)
        with contextlib.suppress(self._ray.exceptions.RayError):
            self._ray.kill(self._actor)
