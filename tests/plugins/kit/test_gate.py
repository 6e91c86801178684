"""The gate of the loopback server, and its settling down."""

import http.client
import json
import socket
from threading import Thread

from eibench.testing import Gate, LoopbackServer

CHAT = "/v1/chat/completions"


def asked(server: LoopbackServer, prompt: str = "Hi") -> str:
    """What the server says."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    body = json.dumps({"messages": [{"role": "user", "content": prompt}]})
    connection.request("POST", CHAT, body)
    message = json.loads(connection.getresponse().read())
    connection.close()
    return str(message["choices"][0]["message"]["content"])


def asking(server: LoopbackServer, prompt: str = "Hi") -> Thread:
    """A thread that waits for the answer."""
    thread = Thread(target=asked, args=(server, prompt))
    thread.start()
    return thread


def test_a_gate_holds_all_but_the_free_until_it_is_opened() -> None:
    """Those that come later go through."""
    gate = Gate(free=1)
    with LoopbackServer(latency=gate) as server:
        assert asked(server) == "OK"
        held = [asking(server) for _ in range(3)]
        gate.wait_for(3)
        assert len(server.answered) == 1
        gate.open()
        for thread in held:
            thread.join()
        assert asked(server) == "OK"
    assert gate.waiting == 3


def test_a_gate_holds_what_it_is_told_to() -> None:
    """And opens once its condition is true."""
    go: list[bool] = []
    gate = Gate(holds=lambda r: r.prompt == "slow", until=lambda: bool(go))
    with LoopbackServer(latency=gate) as server:
        held = asking(server, "slow")
        gate.wait_for(1)
        assert asked(server, "quick") == "OK"
        go.append(True)
        held.join()


def test_a_gate_opens_when_all_are_there() -> None:
    """Requests that are to be under way together are."""
    with LoopbackServer(latency=Gate(opens_at=5)) as server:
        threads = [asking(server) for _ in range(5)]
        for thread in threads:
            thread.join()
    assert server.peak_in_flight == 5


def test_a_settled_server_has_dealt_with_all_that_was_sent() -> None:
    """Also with what it had not read when its client left."""
    request = f"POST {CHAT} HTTP/1.1\r\nContent-Length: 2\r\n\r\n{{}}".encode()
    with LoopbackServer(latency=0.05) as server:
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as raw:
                raw.sendall(request)
        server.settle()
        assert len(server.requests) == 20
        assert sum(server.counts.values()) == 20
