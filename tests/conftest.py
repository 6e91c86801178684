"""For all tests: nothing leaves this machine."""

import ipaddress
import os
import socket
from typing import Any

import pytest


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """What ``-n auto`` means: half as many again as cores, as long tests wait for processes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return ((cores or 1) * 3 + 1) // 2


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
