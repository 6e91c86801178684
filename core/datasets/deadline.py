"""A time by which a download has to be over, however little its server sends now and then."""

import contextlib
import http.client
import socket
import ssl
import threading
import urllib.request
from types import TracebackType
from typing import Any


class Deadline:
    """Ends the connection under way when the time is over; for a ``with`` block.

    Args:
        seconds: From the beginning of the block.

    Attributes:
        is_over: Whether they have passed within the block.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.is_over = False
        self._sock: socket.socket | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> "Deadline":
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._timer.cancel()

    def watch(self, sock: socket.socket) -> None:
        """From now on this connection is the one under way."""
        with self._lock:
            self._sock = sock
            if self.is_over:
                _shut(sock)

    def _end(self) -> None:
        with self._lock:
            self.is_over = True
            if self._sock is not None:
                _shut(self._sock)

    def handlers(self) -> list[urllib.request.BaseHandler]:
        """What opens HTTP and HTTPS connections that the deadline ends."""
        return [_Http(self), _Https(self, ssl.create_default_context())]


def _shut(sock: socket.socket) -> None:
    """Let whoever reads from a socket see its end; TLS has no say in it."""
    with contextlib.suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


class _Watched(urllib.request.AbstractHTTPHandler):
    """Shows a deadline each connection that it makes."""

    deadline: Deadline

    def do_open(self, http_class: Any, req: Any, **more: object) -> http.client.HTTPResponse:
        def made(*args: object, **keywords: object) -> http.client.HTTPConnection:
            connection: Any = http_class(*args, **keywords)
            connect = connection.connect

            def watched() -> None:
                connect()
                self.deadline.watch(connection.sock)

            connection.connect = watched
            return connection  # type: ignore[no-any-return]

        return super().do_open(made, req, **more)


class _Http(_Watched, urllib.request.HTTPHandler):
    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self.deadline = deadline


class _Https(_Watched, urllib.request.HTTPSHandler):
    def __init__(self, deadline: Deadline, context: ssl.SSLContext) -> None:
        super().__init__(context=context)
        self.deadline = deadline
