"""Official packs: downloaded, checked, refused - against a real file server."""

import hashlib
import json
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.datasets.fetching import fetch, import_files
from eibench.core.datasets.files import DownloadCallbacks, DownloadLimits, WrongContents, objection
from eibench.core.datasets.official import FetchState, OfficialPack, pack_folders, read_official
from eibench.core.errors import DataError, ErrorKind, ProviderError, UsageError

BODY = bytes(range(256)) * 1200  # more than a chunk, and every byte has its place
QUICK = DownloadLimits(backoff_s=0.001, timeout_s=60)
Answer = Callable[["Handler", bytes], None]


class FileServer(ThreadingHTTPServer):
    """Serves files; `faults` are answered instead, one request each."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {"/questions.json": BODY}
        self.faults: list[Answer] = []
        self.asked: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients may go away."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: FileServer

    def do_GET(self) -> None:
        """Send a file, or what the test wants sent instead."""
        self.server.asked.append(self.path)
        body = self.server.files.get(self.path)
        if self.server.faults:
            self.server.faults.pop(0)(self, body or b"")
        elif body is None:
            status(404)(self, b"")
        else:
            self.send(200, body)

    def send(
        self, code: int, body: bytes, headers: dict[str, str] | None = None, *, sized: bool = True
    ) -> None:
        """An answer; `Content-Length` is that of the body unless given."""
        self.send_response(code)
        length = {"Content-Length": str(len(body))} if sized else {}
        for name, value in (length | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


def status(code: int, **headers: str) -> Answer:
    """An error page."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, body: handler.send(code, b"no", named)


def cut(n: int) -> Answer:
    """The connection ends after `n` bytes of what was announced."""
    return lambda h, body: h.send(200, body[:n], {"Content-Length": str(len(body))})


def unsized(more: bytes = b"") -> Answer:
    """The whole file and more, without saying how long it is."""
    return lambda handler, body: handler.send(200, body + more, sized=False)


@pytest.fixture
def server() -> Iterator[FileServer]:
    """A file server on this machine."""
    with FileServer() as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def entry(url: str, path: str = "questions.json", body: bytes = BODY, **more: Any) -> Any:
    """A file in a manifest."""
    sha256 = hashlib.sha256(body).hexdigest()
    return {"name": path, "path": path, "url": url, "sha256": sha256, "size": len(body)} | more


def make_pack(folder: Path, *entries: Any) -> OfficialPack:
    """An official pack of these files, with an empty cache."""
    data = folder / "data"
    data.mkdir(exist_ok=True)
    packs = {"official": {"title": "a toy", "files": entries}}
    (data / "manifest.json").write_text(json.dumps({"benchmark": "toy", "packs": packs}))
    return read_official("toy", data, cache=folder / "cache")


@pytest.fixture
def pack(tmp_path: Path, server: FileServer) -> OfficialPack:
    """A pack of one file."""
    return make_pack(tmp_path, entry(f"{server.url}/questions.json"))


@pytest.fixture
def languages(tmp_path: Path, server: FileServer) -> OfficialPack:
    """A pack with a file for English, one for German and one for both."""
    names = {"en.json": b"hello", "de.json": b"guten Tag", "norm.json": b"[]"}
    server.files |= {f"/{name}": body for name, body in names.items()}
    entries = [
        entry(f"{server.url}/{name}", name, body, lang=name[:2] if len(name) == 7 else None)
        for name, body in names.items()
    ]
    return make_pack(tmp_path, *entries)


def target(pack: OfficialPack) -> Path:
    """Where the pack's one file goes."""
    return pack.folder / "questions.json"


def leftovers(pack: OfficialPack) -> list[str]:
    """What is in the pack's cache folder."""
    return sorted(p.name for p in pack.folder.iterdir())


def test_a_download_puts_the_file_into_the_cache(pack: OfficialPack) -> None:
    """The exact bytes, under the manifest's path, nothing beside them."""
    assert [f.path for f in fetch(pack)] == ["questions.json"]
    assert target(pack).read_bytes() == BODY
    assert leftovers(pack) == ["questions.json"]
    assert pack.usable()


def test_what_is_there_and_right_is_not_asked_for(pack: OfficialPack, server: FileServer) -> None:
    """A second fetch makes no request."""
    fetch(pack)
    assert fetch(pack) == ()
    assert len(server.asked) == 1


def test_a_wrong_file_in_the_cache_is_replaced(pack: OfficialPack) -> None:
    """Contents count, not names: another file of the same size is fetched anew."""
    pack.folder.mkdir(parents=True)
    target(pack).write_bytes(BODY[::-1])
    assert pack.state(pack.all_files[0]) is FetchState.WRONG
    fetch(pack)
    assert target(pack).read_bytes() == BODY


def test_progress_goes_up_to_the_size(pack: OfficialPack) -> None:
    """It is told with each chunk and ends with all bytes there."""
    seen: list[tuple[str, int, int]] = []
    fetch(pack, callbacks=DownloadCallbacks(progress=lambda *now: seen.append(now)))
    counts = [have for _, have, _ in seen]
    assert counts == sorted(counts)
    assert len(counts) > 2
    assert seen[-1] == ("questions.json", len(BODY), len(BODY))


def test_a_download_that_is_cut_off_is_begun_anew(pack: OfficialPack, server: FileServer) -> None:
    """What came of it is not used."""
    server.faults = [cut(100_000)]
    said: list[str] = []
    fetch(pack, callbacks=DownloadCallbacks(say=said.append), limits=QUICK)
    assert target(pack).read_bytes() == BODY
    assert len(server.asked) == 2
    assert "the connection ended after 100,000 of 307,200 bytes; trying again" in said[0]


def test_no_announced_length_is_fine(pack: OfficialPack, server: FileServer) -> None:
    """The end of the connection is then the end of the file."""
    server.faults = [unsized()]
    fetch(pack)
    assert target(pack).read_bytes() == BODY
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda h, b: h.send(200, b + b"!"), "307,201 bytes, more than the manifest's 307,200"),
        (unsized(b"!"), "more than the 307,200 bytes of the manifest"),
        (unsized(b"!" * 5_000_000), "more than the 307,200 bytes of the manifest"),
        (lambda h, b: h.send(200, b"<html>"), "6 bytes, fewer than the manifest's 307,200"),
        (lambda h, b: h.send(200, b[::-1]), f"that of the manifest is {'@'}"),
    ],
    ids=["announced larger", "one byte more", "much more", "smaller", "same size, other bytes"],
)
def test_another_file_is_refused(
    pack: OfficialPack, server: FileServer, fault: Answer, message: str
) -> None:
    """Exit 3, one request, nothing in the cache, no retry."""
    server.faults = [fault]
    with pytest.raises(WrongContents, match="refused") as caught:
        fetch(pack, limits=QUICK)
    assert caught.value.exit_code == 3
    assert message.replace("@", pack.all_files[0].checksum) in str(caught.value)
    assert f"{server.url}/questions.json" in str(caught.value)
    assert len(server.asked) == 1
    assert leftovers(pack) == []


@pytest.mark.parametrize("code", [500, 502, 503, 429, 408])
def test_a_server_that_recovers_is_forgiven(
    pack: OfficialPack, server: FileServer, code: int
) -> None:
    """Three retries, with a wait before each that doubles."""
    waits: list[float] = []
    server.faults = [status(code), status(code), status(code)]
    fetch(pack, limits=DownloadLimits(backoff_s=0.25, sleep=waits.append))
    assert target(pack).read_bytes() == BODY
    assert waits == [0.25, 0.5, 1.0]


def test_retry_after_is_obeyed(pack: OfficialPack, server: FileServer) -> None:
    """A server's own wait goes before ours, up to a minute."""
    waits: list[float] = []
    server.faults = [status(429, Retry_After="7"), status(503, Retry_After="86400")]
    fetch(pack, limits=DownloadLimits(backoff_s=0.25, sleep=waits.append))
    assert waits == [7.0, 60.0]


@pytest.mark.parametrize(
    ("code", "kind", "requests"),
    [
        (404, ErrorKind.NOT_FOUND, 1),
        (403, ErrorKind.AUTH, 1),
        (400, ErrorKind.INVALID_REQUEST, 1),
        (500, ErrorKind.SERVER, 4),
        (429, ErrorKind.RATE_LIMIT, 4),
    ],
)
def test_a_server_that_refuses_ends_it(
    pack: OfficialPack, server: FileServer, code: int, kind: ErrorKind, requests: int
) -> None:
    """Exit 4 with the status; only what may pass is tried again."""
    server.faults = [status(code)] * 4
    with pytest.raises(ProviderError, match=f"answers {code} .*bench data import toy") as caught:
        fetch(pack, limits=QUICK)
    assert (caught.value.kind, caught.value.exit_code) == (kind, 4)
    assert caught.value.attempts == len(server.asked) == requests
    assert not target(pack).exists()


def test_nothing_of_a_failed_download_is_kept(pack: OfficialPack, server: FileServer) -> None:
    """Nor of the attempts before; a later fetch begins anew."""
    server.faults = [cut(5000), *[status(500)] * 3]
    with pytest.raises(ProviderError):
        fetch(pack, limits=QUICK)
    assert leftovers(pack) == []
    fetch(pack)
    assert leftovers(pack) == ["questions.json"]


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"hello\r\n\r\n", "the connection broke: ClientResponseError"),
        (b"HTTP/1.1 302 Found\r\n\r\n", "the server answers 302 Found;"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            "the connection ended after 5 of 307,200 bytes",
        ),
    ],
    ids=["no HTTP", "a redirect nowhere", "a part of its chunks"],
)
def test_an_answer_that_is_none_is_one_line(
    pack: OfficialPack, server: FileServer, sent: bytes, message: str
) -> None:
    """What came instead, and what to do; nothing is kept."""

    def send(handler: Handler, body: bytes) -> None:
        handler.wfile.write(sent)

    server.faults = [send]
    with pytest.raises(ProviderError, match=f"{message}.*the same command") as caught:
        fetch(pack, limits=DownloadLimits(retries=0))
    assert "\n" not in str(caught.value)
    assert leftovers(pack) == []


def test_a_proxy_that_is_down_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It, not the file's server, is what is not reached."""
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    pack = make_pack(tmp_path, entry("https://files.example/questions.json"))
    with pytest.raises(ProviderError, match="proxy of the environment is not reached: Connection"):
        fetch(pack, limits=DownloadLimits(retries=0))


def test_a_closed_port_is_no_network(tmp_path: Path, server: FileServer) -> None:
    """Exit 4 after the retries, with what to do."""
    server.server_close()
    pack = make_pack(tmp_path, entry(f"{server.url}/questions.json"))
    with pytest.raises(ProviderError, match="Connection refused; the same command") as caught:
        fetch(pack, limits=QUICK)
    assert caught.value.kind is ErrorKind.CONNECTION
    assert caught.value.attempts == 4


def test_an_unknown_host_is_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line says that there may be no network."""
    monkeypatch.setattr(socket, "getaddrinfo", no_name_service)
    with pytest.raises(ProviderError, match="host is not found; there may be no network"):
        fetch(make_pack(tmp_path, entry("http://localhost/questions.json")), limits=QUICK)


def no_name_service(*args: Any, **kwargs: Any) -> None:
    """As on a machine without a network."""
    raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")


def test_a_silent_server_is_given_up(pack: OfficialPack, server: FileServer) -> None:
    """Each attempt ends after the timeout; nothing is kept."""
    over = threading.Event()

    def silent(handler: Handler, body: bytes) -> None:
        cut(5000)(handler, body)
        handler.wfile.flush()
        over.wait(60)

    server.faults = [silent, silent]
    with pytest.raises(ProviderError, match=r"no answer for 3 s"):
        fetch(pack, limits=DownloadLimits(retries=0, timeout_s=3))
    over.set()
    assert leftovers(pack) == []


def drip_body(handler: Handler, over: threading.Event) -> None:
    """Announce the file, and send a byte now and then."""
    cut(5000)(handler, BODY)
    while not over.wait(0.01):
        handler.wfile.write(b"a")


def drip_headers(handler: Handler, over: threading.Event) -> None:
    """Never end the first header."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    while not over.wait(0.01):
        handler.wfile.write(b"a")


@pytest.mark.parametrize("drip", [drip_body, drip_headers])
def test_a_server_that_goes_on_for_ever_is_given_up(
    pack: OfficialPack, server: FileServer, drip: Callable[[Handler, threading.Event], None]
) -> None:
    """After all the time that a file may take, in its headers too, though it is never silent."""
    over = threading.Event()
    server.faults = [lambda handler, body: drip(handler, over)]
    with pytest.raises(ProviderError, match=r"bytes came within 4 s; --from") as caught:
        fetch(pack, limits=DownloadLimits(timeout_s=60, total_s=4))
    over.set()
    assert caught.value.attempts == 1 and len(server.asked) == 1


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("http://files.example/questions.json", "it is not https"),
        ("https://127.0.0.1/questions.json", "it is another scheme"),
        ("file:///etc/passwd", "302 Found to file:///etc/passwd, which is not followed"),
        ("ftp://127.0.0.1/questions.json", "it is not https"),
    ],
)
def test_a_redirect_elsewhere_is_refused(
    pack: OfficialPack, server: FileServer, where: str, why: str
) -> None:
    """Never to another scheme, never to plain http on another machine; no retry."""
    server.faults = [status(302, Location=where)]
    with pytest.raises(ProviderError, match=why):
        fetch(pack, limits=QUICK)
    assert len(server.asked) == 1
    assert not target(pack).exists()


def test_a_redirect_on_the_same_machine_is_followed(pack: OfficialPack, server: FileServer) -> None:
    """The same scheme, an allowed host: that is where the file is."""
    server.files["/moved.json"] = BODY
    server.faults = [status(301, Location=f"{server.url}/moved.json")]
    fetch(pack)
    assert target(pack).read_bytes() == BODY


def test_redirects_in_a_circle_end(pack: OfficialPack, server: FileServer) -> None:
    """One line, not a loop."""
    server.faults = [status(302, Location="/questions.json")] * 30
    with pytest.raises(ProviderError, match="answers 302"):
        fetch(pack, limits=QUICK)
    assert len(server.asked) < 15


def test_a_proxy_is_not_asked_for_this_machine(
    pack: OfficialPack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy in the environment serves other hosts only."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    fetch(pack)
    assert pack.usable()


def test_a_proxy_is_asked_for_other_hosts(
    tmp_path: Path, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that the environment names; one that refuses is said to."""
    monkeypatch.setenv("https_proxy", server.url)
    monkeypatch.delenv("no_proxy", raising=False)
    pack = make_pack(tmp_path, entry("https://files.example/questions.json"))
    with pytest.raises(ProviderError, match="the proxy answered 501"):
        fetch(pack, limits=DownloadLimits(retries=0))
    assert server.asked == []


@pytest.fixture
def certificate(tmp_path: Path, server: FileServer) -> Path:
    """Makes the server speak TLS with a certificate that nobody has signed."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, so there is no certificate to test with")
    path, key = tmp_path / "server.pem", tmp_path / "server.key"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    make += ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    make += ["-keyout", str(key), "-out", str(path)]
    subprocess.run(make, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.url = f"https://127.0.0.1:{server.server_port}"
    return path


def test_an_unknown_certificate_is_refused(
    tmp_path: Path, server: FileServer, certificate: Path
) -> None:
    """TLS verification is never off, on this machine neither; no retry."""
    pack = make_pack(tmp_path, entry(f"{server.url}/questions.json"))
    with pytest.raises(ProviderError, match="certificate is not valid") as caught:
        fetch(pack, limits=QUICK)
    assert caught.value.attempts == 1
    assert server.asked == []


def test_a_trusted_certificate_is_fine(
    tmp_path: Path, server: FileServer, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system trusts (here through SSL_CERT_FILE) is downloaded from."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    pack = make_pack(tmp_path, entry(f"{server.url}/questions.json"))
    fetch(pack)
    assert pack.usable()


def test_another_url_has_the_files_by_their_paths(pack: OfficialPack, server: FileServer) -> None:
    """`source` is a folder on the web, with or without a slash at its end."""
    server.files = {"/mirror/v1/questions.json": BODY}
    fetch(pack, source=f"{server.url}/mirror/v1")
    target(pack).unlink()
    fetch(pack, source=f"{server.url}/mirror/v1/")
    assert target(pack).read_bytes() == BODY


def test_a_folder_has_the_files_by_their_paths(
    pack: OfficialPack, server: FileServer, tmp_path: Path
) -> None:
    """`source` may be a folder; nothing is asked for on the web."""
    (tmp_path / "stick").mkdir()
    (tmp_path / "stick/questions.json").write_bytes(BODY)
    fetch(pack, source=str(tmp_path / "stick"))
    assert target(pack).read_bytes() == BODY
    assert server.asked == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (None, "no such file"),
        (BODY[:-1], "has 307,199 bytes, the file of the manifest 307,200"),
        (BODY[::-1], "its SHA-256 is"),
    ],
    ids=["missing", "shorter", "other bytes"],
)
def test_a_folder_with_another_file_is_refused(
    pack: OfficialPack, tmp_path: Path, body: bytes | None, message: str
) -> None:
    """The error names the file; nothing is in the cache."""
    place = tmp_path / "stick/questions.json"
    place.parent.mkdir()
    if body is not None:
        place.write_bytes(body)
    with pytest.raises(DataError, match=message) as caught:
        fetch(pack, source=str(place.parent))
    assert str(place) in str(caught.value)
    assert leftovers(pack) == []


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        ("http://files.example/", UsageError, "it is not https"),
        ("ftp://files.example/", UsageError, "it is not https"),
        ("file:///tmp", UsageError, "it is not a URL"),
        ("https://user:secret@files.example/", UsageError, "it holds a user name"),
        ("https://files.example/a?key=secret", UsageError, "give the address of a folder"),
        ("https://files.example:port/", UsageError, "it is not a URL"),
        ("https://files.example/?list=1", UsageError, "the address of a folder"),
        ("https://files.example/a b", UsageError, "it is not a URL"),
        ("no-such-folder", DataError, "no such folder"),
    ],
)
def test_a_source_that_cannot_be_is_refused(
    pack: OfficialPack, source: str, kind: type[Exception], message: str
) -> None:
    """Before any request and before anything is made in the cache; no secret is repeated."""
    with pytest.raises(kind, match=message) as caught:
        fetch(pack, source=source)
    assert "secret" not in str(caught.value)
    assert not pack.folder.exists()


@pytest.mark.parametrize(
    ("url", "fine"),
    [
        ("https://raw.githubusercontent.com/a/b", True),
        ("http://127.0.0.1:8000/a", True),
        ("http://localhost/a", True),
        ("http://[::1]:80/a", True),
        ("http://127.0.0.1.evil.example/a", False),
        ("http://localhost.evil.example/a", False),
        ("http://0x7f.example/a", False),
        ("https://", False),
        ("https://ex\u00e4mple/a", False),
        ("https://a/\n", False),
        ("HTTP://example.org/a", False),
        ("//example.org/a", False),
        ("https://a..b/a", False),
        (f"https://{'a' * 64}.example/a", False),
        ("", False),
    ],
)
def test_only_https_or_this_machine(url: str, fine: bool) -> None:
    """Plain http is for loopback addresses alone."""
    assert (objection(url) == "") is fine


@given(st.text(max_size=40))
def test_no_text_breaks_the_url_check(url: str) -> None:
    """Whatever is given, there is an answer, never another exception."""
    assert isinstance(objection("https://" + url), str)


def test_one_language_needs_its_own_and_the_common_files(languages: OfficialPack) -> None:
    """`lang` leaves the other languages' files out."""
    fetch(languages, lang="de")
    assert leftovers(languages) == ["de.json", "norm.json"]
    assert languages.usable("de")
    assert languages.usable()
    assert not languages.usable("en")


def test_all_languages_come_without_choice(languages: OfficialPack) -> None:
    """No `lang`: every file."""
    fetch(languages)
    assert leftovers(languages) == ["de.json", "en.json", "norm.json"]


def test_an_unknown_language_is_a_usage_error(languages: OfficialPack, pack: OfficialPack) -> None:
    """With those that there are."""
    with pytest.raises(UsageError, match="no language 'fr'; there are: en, de"):
        fetch(languages, lang="fr")
    with pytest.raises(UsageError, match="no language 'fr'; it has none"):
        fetch(pack, lang="fr")


def test_a_failed_file_leaves_the_others(languages: OfficialPack, server: FileServer) -> None:
    """What is right stays; the next fetch gets the rest alone."""
    del server.files["/de.json"]
    with pytest.raises(ProviderError, match=r"de\.json"):
        fetch(languages, limits=QUICK)
    assert languages.usable("en") is False
    assert leftovers(languages)[-1] == "en.json"
    server.files["/de.json"] = b"guten Tag"
    assert [f.path for f in fetch(languages)] == ["de.json", "norm.json"]


def test_an_import_knows_a_file_by_its_contents(pack: OfficialPack, tmp_path: Path) -> None:
    """It may be called anything."""
    (tmp_path / "questions(1).txt").write_bytes(BODY)
    assert len(import_files(pack, tmp_path / "questions(1).txt")) == 1
    assert target(pack).read_bytes() == BODY


def test_an_import_takes_the_files_of_a_folder(languages: OfficialPack, tmp_path: Path) -> None:
    """Those of the pack; others are left alone, missing ones are missing."""
    folder = tmp_path / "downloads"
    folder.mkdir()
    (folder / "german").write_bytes(b"guten Tag")
    (folder / "norm.json").write_bytes(b"[]")
    (folder / "letter.txt").write_bytes(b"Dear all")
    assert [f.path for f in import_files(languages, folder)] == ["de.json", "norm.json"]
    assert leftovers(languages) == ["de.json", "norm.json"]


@pytest.mark.parametrize("within", ["", "questions/v2", "data/questions/v2"])
def test_an_import_takes_a_checkout(pack: OfficialPack, tmp_path: Path, within: str) -> None:
    """Files in the folders that the pack or the address has are found, and no others."""
    (file,) = pack.all_files
    url = "https://example.org/o/repository/c0ffee/data/questions/v2/eng%20lish.json"
    checked_out = replace(pack, all_files=(replace(file, url=url),))
    folder = tmp_path / "checkout" / within
    folder.mkdir(parents=True)
    (folder / "eng lish.json").write_bytes(BODY)
    assert len(import_files(checked_out, tmp_path / "checkout")) == 1
    assert target(pack).read_bytes() == BODY


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("questions.json", BODY[::-1], "its SHA-256 is .* refused"),
        ("questions.json", b"{}", "has 2 bytes"),
        ("other.json", b"{}", r"no file of the official pack of toy \(questions\.json\)"),
    ],
)
@pytest.mark.parametrize("as_folder", [True, False])
def test_an_import_of_another_file_is_refused(
    pack: OfficialPack, tmp_path: Path, name: str, body: bytes, message: str, as_folder: bool
) -> None:
    """A right name does not help; the cache stays as it was."""
    place = tmp_path / "downloads" / name
    place.parent.mkdir()
    place.write_bytes(body)
    with pytest.raises(DataError, match=message):
        import_files(pack, place.parent if as_folder else place)
    assert not pack.folder.exists()


def test_an_import_of_nothing_is_refused(pack: OfficialPack, tmp_path: Path) -> None:
    """No such path: one line."""
    with pytest.raises(DataError, match="no such file or folder"):
        import_files(pack, tmp_path / "nothing")


def test_a_cache_that_cannot_be_is_one_line(pack: OfficialPack, tmp_path: Path) -> None:
    """The cache folder would lie under a regular file: no request is made."""
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(DataError, match=r"toy: cannot be written: Not a directory.*write access"):
        fetch(pack)


@pytest.mark.skipif(sys.platform == "win32", reason="this system limits no file's size")
def test_a_full_disk_is_one_line(pack: OfficialPack) -> None:
    """The system's words, the file, and what to do; nothing is left of it."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(BODY) - 1, before[1]))
    try:
        with pytest.raises(DataError, match=r"json: cannot be written: File too large; give it"):
            fetch(pack)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert leftovers(pack) == []


def test_two_may_fetch_a_pack_at_the_same_time(pack: OfficialPack) -> None:
    """Each writes the whole file beside its place, so neither's bytes get into the other's."""
    fetched: list[object] = []

    def meanwhile(path: str, have: int, size: int) -> None:
        if not fetched:
            fetched.append(None)
            other = threading.Thread(target=lambda: fetched.extend(fetch(pack)))
            other.start()
            other.join()

    fetch(pack, callbacks=DownloadCallbacks(progress=meanwhile))
    assert len(fetched) == 2
    assert target(pack).read_bytes() == BODY
    assert leftovers(pack) == ["questions.json"]


@pytest.mark.parametrize(
    "path", ["../a.json", "/etc/a.json", "a/../../b", "", ".", "a\\..\\b", "C:a", "a\0b", 3, None]
)
def test_a_path_that_leaves_the_folder_is_refused(tmp_path: Path, path: Any) -> None:
    """When the manifest is read, before any request."""
    with pytest.raises(DataError, match=r"manifest\.json.*must stay inside"):
        make_pack(tmp_path, entry("https://a.example/a", "a") | {"path": path})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sha256": None}, "needs its SHA-256"),
        ({"sha256": "A" * 64}, "needs its SHA-256"),
        ({"size": None}, "needs its size"),
        ({"size": 0}, "needs its size"),
        ({"size": "12"}, "needs its size"),
        ({"url": None}, "it is not a URL|it is not https"),
        ({"url": "http://a.example/a"}, "it is not https"),
    ],
)
def test_a_manifest_must_say_what_a_download_needs(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    """Size, checksum and an https address; the line names the manifest and the file."""
    with pytest.raises(DataError, match=message) as caught:
        make_pack(tmp_path, entry("https://a.example/a") | change)
    assert "manifest.json, file 'questions.json'" in str(caught.value)


def test_a_manifest_without_an_official_pack(tmp_path: Path) -> None:
    """There is nothing to fetch, and the line says so."""
    (tmp_path / "manifest.json").write_text('{"packs": {}}')
    with pytest.raises(UsageError, match="toy has no official pack"):
        read_official("toy", tmp_path)


def test_files_in_folders_of_the_pack(tmp_path: Path, server: FileServer) -> None:
    """A manifest's path may have folders; they are made, and asked for in a URL."""
    server.files = {"/base/de/a%20b.json": b"{}"}
    pack = make_pack(tmp_path, entry("https://a.example/a", "de/a b.json", b"{}"))
    fetch(pack, source=f"{server.url}/base/")
    assert (pack.folder / "de/a b.json").read_bytes() == b"{}"


def test_manifests_are_found_by_their_folder(tmp_path: Path) -> None:
    """Those of the data folder, with plugin or without, and those of plugins elsewhere."""
    for name in ("eqbench_v1", "creative_writing_v3", "not_a_pack"):
        (tmp_path / name).mkdir()
    for name in ("eqbench_v1", "creative_writing_v3"):
        (tmp_path / name / "manifest.json").write_text("{}")
    own = tmp_path / "elsewhere"
    found = pack_folders(tmp_path, {"mine": own, "eqbench-v1": tmp_path / "eqbench_v1", "x": None})
    assert found == {
        "eqbench-v1": tmp_path / "eqbench_v1",
        "creative-writing-v3": tmp_path / "creative_writing_v3",
        "mine": own,
    }
