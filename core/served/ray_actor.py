"""What runs on a node of a Ray cluster: one server, kept like one on this machine.

It is sent to the node as it stands here, so that nodes need no eibench; hence the standard library
alone. Ray gives the actor its GPUs (``CUDA_VISIBLE_DEVICES``), and ends it when the head goes.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path


class ServerActor:
    """Starts one server and holds the pipe that keeps it alive."""

    def __init__(self) -> None:
        self._keeper: subprocess.Popen[bytes] | None = None
        self._log = Path(tempfile.mkdtemp(prefix="eibench-")) / "server.log"
        self._status = self._log.with_name("exit_code")

    def start(
        self, keeper: str, around_port: Sequence[str], grace_s: float, port: int | None,
        variables: Mapping[str, str],
    ) -> tuple[int, str]:  # fmt: skip
        """Start a server by a command without its port; the port, and the node's id."""
        ray = import_module("ray")
        if port is None:
            with socket.socket() as one:
                one.bind(("", 0))
                port = int(one.getsockname()[1])
        path = self._log.with_name("keeper.py")
        path.write_text(keeper, encoding="utf-8")
        words = [sys.executable, str(path), str(grace_s), str(port).join(around_port),
                 str(self._status)]  # fmt: skip
        with self._log.open("ab") as log:
            self._keeper = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True,
                env={**os.environ, **variables},
            )  # fmt: skip
        return port, ray.get_runtime_context().get_node_id()

    def ended(self) -> int | None:
        """The server's exit code, if it has ended."""
        text = self._status.read_text(encoding="utf-8") if self._status.exists() else ""
        return int(text) if text else None

    def printed(self, most: int) -> bytes:
        """The last bytes of what it printed."""
        with self._log.open("rb") as file:
            file.seek(max(0, self._log.stat().st_size - most))
            return file.read()

    def close(self, wait_s: float) -> None:
        """End the server, wait for that, and leave nothing on the node."""
        if self._keeper and self._keeper.stdin:
            self._keeper.stdin.close()
            end = time.monotonic() + wait_s
            while self.ended() is None and time.monotonic() < end:
                time.sleep(0.05)
        shutil.rmtree(self._log.parent, ignore_errors=True)
