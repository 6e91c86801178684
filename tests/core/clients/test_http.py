"""How requests are carried: connections, proxies, certificates."""

import asyncio
import json
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.clients.http import proxy_of
from eibench.core.clients.keys import redact
from eibench.core.clients.openai import OpenAIClient
from eibench.core.errors import ConfigError, ErrorKind, ProviderError
from eibench.core.parties.providers import CallContext, ClientConfig, ModelSpec
from eibench.core.types import ChatRequest, Item, Message

KEY = "sk-fake-0123456789abcdef"
CALL = CallContext(cast(Benchmark, None), Item("1"), 1, "generate")
ASKED = ChatRequest((Message("user", "Hi"),))
ELSEWHERE = "http://models.example/v1"
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
BODY = json.dumps({"choices": [{"message": {"content": "Yes."}}]}).encode()
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)


class Server:
    """What raw connections said, and how many there were."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.heads: list[str] = []
        self.connections = 0
        self.port = 0
        self.tasks: list[asyncio.Task[Any]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer every request of a connection."""
        self.connections += 1
        self.tasks.append(cast("asyncio.Task[Any]", asyncio.current_task()))
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                self.heads.append(head)
                length = head.lower().partition("content-length: ")[2].partition("\r\n")[0]
                await reader.readexactly(int(length or 0))
                writer.write(self.answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            pass  # the client has left
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


@asynccontextmanager
async def serving(
    answer: bytes = ANSWER, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Server]:
    """A server of this machine that answers whatever it is asked."""
    server = Server(answer)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=tls)
    async with listening:
        server.port = listening.sockets[0].getsockname()[1]
        yield server
    await asyncio.gather(*server.tasks)


async def ask(base_url: str, times: int = 1, **config: Any) -> str:
    """What a client is told that many times, one after the other."""
    client = OpenAIClient(ClientConfig(ModelSpec("openai", "m"), base_url, KEY, **config))
    try:
        return "".join([(await client.complete(ASKED, CALL)).text for _ in range(times)])
    finally:
        await client.close()


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of this machine's proxies."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def test_a_connection_is_kept() -> None:
    """Requests that follow each other go over one."""
    async with serving() as server:
        assert await ask(f"http://127.0.0.1:{server.port}/v1", 5) == "Yes." * 5
    assert (server.connections, len(server.heads)) == (1, 5)


async def test_no_login_of_the_machine_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ~/.netrc has for a host is meant for other programs."""
    netrc = tmp_path / ".netrc"
    netrc.write_text("default login me password fake-netrc-secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))
    async with serving() as server:
        await ask(f"http://127.0.0.1:{server.port}/v1")
    assert f"Authorization: Bearer {KEY}" in server.heads[0] and "Basic" not in server.heads[0]


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY", "http_proxy"])
async def test_a_proxy_of_the_environment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets the request, with its own password, which is hidden from then on."""
    async with serving() as server:
        monkeypatch.setenv(name, f"http://me:fake-proxy-pw@127.0.0.1:{server.port}")
        assert await ask(ELSEWHERE) == "Yes."
    assert server.heads[0].startswith("POST http://models.example/v1/chat/completions ")
    assert "Proxy-Authorization: Basic " in server.heads[0]
    assert redact("fake-proxy-pw") == "[key]"


@pytest.mark.parametrize(
    ("variables", "url", "proxy"),
    [
        ({"HTTP_PROXY": "http://p:1"}, ELSEWHERE, "http://p:1"),
        ({"HTTP_PROXY": "p:1"}, ELSEWHERE, "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1"}, ELSEWHERE, None),
        ({"HTTPS_PROXY": "http://p:1"}, "https://models.example/v1", "http://p:1"),
        ({"ALL_PROXY": "http://p:1"}, "https://models.example/v1", "http://p:1"),
        ({"HTTP_PROXY": "http://p:1", "ALL_PROXY": "http://q:1"}, ELSEWHERE, "http://p:1"),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "models.example"}, ELSEWHERE, None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": ".example"}, ELSEWHERE, None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "*"}, ELSEWHERE, None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "a.example:99"}, ELSEWHERE, "http://p:1"),
        (
            {"HTTP_PROXY": "http://p:1", "NO_PROXY": "a.example:99"},
            "http://a.example:99/v1",
            None,
        ),
        ({"HTTP_PROXY": "http://p:1"}, "http://127.0.0.1:9/v1", None),
        ({"HTTP_PROXY": "http://p:1"}, "http://localhost:9/v1", None),
        ({"HTTP_PROXY": ""}, ELSEWHERE, None),
        ({}, ELSEWHERE, None),
    ],
)
def test_which_proxy(
    variables: dict[str, str], url: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As everywhere else, and none for this machine."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert proxy_of(url) == proxy


def test_a_proxy_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused before anything is sent, without its password, and with what to do."""
    monkeypatch.setenv("ALL_PROXY", "socks5://me:fake-pw@p:1")
    with pytest.raises(ConfigError, match=r"socks5.*NO_PROXY=models\.example") as caught:
        OpenAIClient(ClientConfig(ModelSpec("openai", "m"), ELSEWHERE, KEY))
    assert "fake-pw" not in str(caught.value)


async def test_a_proxy_that_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was sent through it, so nothing can have been billed."""
    async with serving(b"HTTP/1.1 407 Login\r\nContent-Length: 0\r\n\r\n") as server:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{server.port}")
        with pytest.raises(ProviderError, match=r"models\.example.*407") as caught:
            await ask("https://models.example/v1")
    assert server.heads[0].startswith("CONNECT models.example:443 ")
    assert KEY not in server.heads[0]
    assert (caught.value.kind, caught.value.unsent) == (ErrorKind.CONNECTION, True)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1 that nobody has signed, with its key, made for these tests."""
    if not shutil.which("openssl"):
        pytest.skip("needs the program openssl")
    folder = tmp_path_factory.mktemp("tls")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -keyout key.pem"
    command += " -out cert.pem -addext subjectAltName=IP:127.0.0.1"
    subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    both = (folder / "cert.pem").read_text() + (folder / "key.pem").read_text()
    (folder / "both.pem").write_text(both)
    return folder


def tls_of(certificate: Path) -> ssl.SSLContext:
    """A server's side."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "both.pem")
    return context


async def test_a_certificate_that_the_system_trusts(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SSL_CERT_FILE stands for the system's certificates, as it does for other programs."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
    async with serving(tls=tls_of(certificate)) as server:
        assert await ask(f"https://127.0.0.1:{server.port}/v1", 2) == "Yes.Yes."
    assert server.connections == 1


async def test_a_certificate_that_nobody_trusts(certificate: Path) -> None:
    """No request, and so no key, goes to whoever cannot say who it is."""
    async with serving(tls=tls_of(certificate)) as server:
        with pytest.raises(ProviderError, match="certificate") as caught:
            await ask(f"https://127.0.0.1:{server.port}/v1")
    assert (caught.value.kind, caught.value.unsent) == (ErrorKind.CONNECTION, True)
    assert not server.heads
