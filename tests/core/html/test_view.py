"""`bench view`: the site on loopback, for whoever has the address, following what goes on."""

import contextlib
import http.client
import re
import signal
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from eibench.core.cli.view import JournalState
from eibench.core.errors import UsageError
from eibench.core.html.serving import SiteServer, follow


class Viewed:
    """A site that is served by a process."""

    def __init__(self, bench: Any) -> None:
        assert bench("run", "eqbench-v1", "--limit", "2").returncode == 0
        self.process = bench.start("view", "--no-browser", "--demo")
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.address = line.split()[0]
        parts = urlsplit(self.address)
        self.port, self.path = parts.port, parts.path

    def get(self, path: str, host: str | None = None, method: str = "GET") -> tuple[int, str, Any]:
        """Status, text and headers of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Host": host} if host else {}
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text, answer.headers

    def version(self) -> int:
        """Of what is served."""
        found = re.search(r"\d+", self.get(f"{self.path}version.js")[1])
        assert found
        return int(found[0])


@pytest.fixture
def viewed(bench: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Viewed]:
    """The site of one run, in a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found = Viewed(bench)
    yield found
    if found.process.poll() is None:
        found.process.kill()
        found.process.communicate()


def test_the_address_shows_the_site(viewed: Viewed) -> None:
    """Its entry, which leads to the board; under a policy that lets nothing else in."""
    status, text, headers = viewed.get(viewed.path)
    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    (board,) = set(re.findall(r'href="(boards/[^"#]+\.html)"', text))
    assert "demo/medium" in viewed.get(viewed.path + board)[1]


@pytest.mark.parametrize(
    "path",
    ["/", "/index.html", "/wrongtoken/index.html", "{}../site.json", "{}%2e%2e/%2e%2e/",
     "{}../../../../etc/passwd", "{}%2fetc%2fpasswd", "{}nosuch.html", "{}boards/", "{}a%00b",
     "{}" + 300 * "a"],
)  # fmt: skip
def test_nothing_else_is_served(viewed: Viewed, path: str) -> None:
    """Without the token, outside of the folder, folders themselves."""
    status, text, _ = viewed.get(path.format(viewed.path))
    assert status == 404
    assert "bench view printed" in text


def test_what_cannot_be_read_is_refused_without_a_word(viewed: Viewed) -> None:
    """An address that is none, and browsers that leave in the middle: no traceback is printed."""
    with socket.create_connection(("127.0.0.1", viewed.port), timeout=30) as browser:
        browser.sendall(f"GET http://[x HTTP/1.1\r\nHost: 127.0.0.1:{viewed.port}\r\n\r\n".encode())
        assert browser.recv(100).startswith(b"HTTP/1.1 400 ")
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", viewed.port), timeout=30) as browser:
            browser.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            browser.sendall(b"GET / HTTP/1.1\r\n")
    assert viewed.get(viewed.path)[0] == 200
    viewed.process.send_signal(signal.SIGINT)
    assert not viewed.process.communicate(timeout=30)[1]


class Unreadable:
    """A journal of which each look finds another state, and whose site fails some times."""

    def __init__(self, *problems: str) -> None:
        self.problems, self.looks, self.told = list(problems), 0, list[str]()
        self.ended = threading.Event()

    def state(self) -> int:
        """Another one each time."""
        self.looks += 1
        return self.looks

    def build(self) -> None:
        """Fail with the next problem; the end when there is none."""
        if self.problems:
            raise UsageError(self.problems.pop(0))
        self.ended.set()


@pytest.mark.parametrize(
    ("problems", "told"),
    [(["gone"], []), (["gone", "gone", "gone"], ["gone"]), (["gone", "other"], [])],
)
def test_a_build_that_failed_once_is_tried_again(
    tmp_path: Path, problems: list[str], told: list[str]
) -> None:
    """A run that is deleted while its pages are made is no news; what stays wrong is, once."""
    journal, server = Unreadable(*problems), SiteServer(tmp_path)
    with contextlib.closing(server.socket):
        follow(server, journal.state, journal.build, journal.ended, 0.0, journal.told.append)
    assert (journal.told, server.version) == (told, 1)


def test_other_names_of_this_machine_are_refused(viewed: Viewed) -> None:
    """A name that somebody else's DNS leads here must not reach it."""
    assert viewed.get(viewed.path, host="evil.example")[0] == 403
    assert viewed.get(viewed.path, host=f"localhost:{viewed.port}")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_it_is_for_reading(viewed: Viewed, method: str) -> None:
    """Nothing can be sent to it."""
    assert viewed.get(viewed.path, method=method)[0] == 501


def test_new_results_are_followed(viewed: Viewed, bench: Any) -> None:
    """Another run gives another version, and its model is on the board."""
    before = viewed.version()
    assert bench("run", "eqbench-v1", "--limit", "2", "--model", "demo/weak").returncode == 0
    while viewed.version() == before:
        assert viewed.process.poll() is None
    assert "demo/weak" in viewed.get(viewed.path)[1]


def test_a_build_of_the_site_is_nothing_new(bench: Any) -> None:
    """It keeps in the journal what boards are made of, which changes no row of a run."""
    assert bench("run", "eqbench-v1", "--limit", "2").returncode == 0
    runs = bench.folder / "runs" / "demo"
    watched = JournalState(runs)
    before = watched()
    assert bench("site", "-o", "site").returncode == 0
    assert watched() == before
    assert bench("run", "eqbench-v1", "--limit", "3").returncode == 0
    assert watched() != before


def test_ctrl_c_ends_it(viewed: Viewed) -> None:
    """At once, with exit code 0 and no traceback."""
    viewed.process.send_signal(signal.SIGINT)
    _, err = viewed.process.communicate(timeout=30)
    assert viewed.process.returncode == 0
    assert "Traceback" not in err
