"""Serving a site on loopback, to whoever has its token, and following the runs that go on.

Nothing but files of the site is served, and nothing is written. A page of somebody else cannot
read it: the address holds a token, and other names of this machine than its own are refused.
"""

import mimetypes
import secrets
import threading
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ..errors import BenchError
from .rendering import asset

HOST = "127.0.0.1"
VERSION, FOLLOW = "version.js", "follow.js"
"""What a page asks for, to see whether it is of today, and what asks."""
PERSISTENT = 2
"""A build that has failed so often in the same way is told of."""
_END = b"</body>"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html",
          ".json": "application/json", ".csv": "text/csv"}  # fmt: skip


class SiteServer(ThreadingHTTPServer):
    """Serves the files of a folder under ``/TOKEN/``; port 0 is any that is free.

    Another `version` tells open pages to load again.
    """

    daemon_threads = True

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.folder, self.token, self.version = folder.resolve(), secrets.token_urlsafe(16), 0
        super().__init__((HOST, port), _Handler)

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def following(self, page: Path) -> bytes:
        """A page that asks whether it is of today."""
        source = f"/{self.token}/{FOLLOW}"
        script = f'<script src="{source}" data-version="{self.version}"></script>\n'
        return page.read_bytes().replace(_END, script.encode() + _END)

    def file(self, path: str) -> Path | None:
        """The file that an address names; ``None`` for none, or for one outside of the site."""
        start = f"/{self.token}/"
        if not secrets.compare_digest(path[: len(start)].encode(), start.encode()):
            return None
        name = unquote(path[len(start) :]) or "index.html"
        try:
            path_inside = (self.folder / name).resolve()
            inside = path_inside.is_relative_to(self.folder) and path_inside.is_file()
        except (OSError, ValueError):  # a name that no file can have
            return None
        return path_inside if inside else None

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a browser that left, or of a request that was cut off."""


class _Handler(BaseHTTPRequestHandler):
    server_version, sys_version = "eibench", ""
    protocol_version = "HTTP/1.1"
    timeout = 30

    @property
    def _site(self) -> SiteServer:
        assert isinstance(self.server, SiteServer)
        return self.server

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: what is served is nobody's business."""

    def do_GET(self) -> None:
        if self.headers.get("Host") not in self._names():
            self._refuse(HTTPStatus.FORBIDDEN, "This address is not served here.")
            return
        try:
            path = urlsplit(self.path).path
        except ValueError:
            self._refuse(HTTPStatus.BAD_REQUEST, "This address cannot be read.")
            return
        scripts = {VERSION: f"eibenchVersion({self._site.version});\n", FOLLOW: asset(FOLLOW)}
        if (name := path.removeprefix(f"/{self._site.token}/")) in scripts:
            self._send(HTTPStatus.OK, "text/javascript", scripts[name].encode())
            return
        file = self._site.file(path)
        if file is None:
            self._refuse(HTTPStatus.NOT_FOUND, "There is no such page.")
            return
        kind = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0]
        kind = kind or "application/octet-stream"
        content = self._site.following(file) if kind == "text/html" else file.read_bytes()
        self._send(HTTPStatus.OK, kind, content)

    do_HEAD = do_GET

    def _names(self) -> set[str]:
        return {f"{name}:{self._site.server_port}" for name in (HOST, "localhost")}

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        text = f"{why} Use the address that bench view printed.\n"
        self._send(status, "text/plain", text.encode())

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; worker-src blob:; "
        "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def follow(
    server: SiteServer,
    state: Callable[[], object],
    build: Callable[[], None],
    ended: threading.Event,
    seconds: float = 2.0,
    tell: Callable[[str], None] = lambda problem: None,
) -> None:
    """Build the site again whenever what it is made of has changed, until the end.

    What cannot be built is tried again at the next look: a run may be deleted, or written to,
    while its pages are made. `tell` is told of a problem that the second look met too, once.
    """
    known, problems = state(), Counter[str]()
    while not ended.wait(seconds):
        now = state()
        if now == known:
            continue
        try:
            build()
        except BenchError as error:
            problems[str(error)] += 1
            if problems[str(error)] == PERSISTENT:
                tell(str(error))
        else:
            known, problems = now, Counter()
            server.version += 1
