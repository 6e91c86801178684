"""For all tests: nothing leaves this machine."""

import ipaddress
import socket
from typing import Any

import pytest


def _is_local(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a path: AF_UNIX
    host = str(address[0])
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every connection to anywhere but this machine raises."""
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))


def _guarded(connect: Any) -> Any:
    def guarded(self: socket.socket, address: Any) -> Any:
        if not _is_local(address):
            raise AssertionError(f"a test connects to {address}")
        return connect(self, address)

    return guarded
