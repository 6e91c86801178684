"""`bench data`: what it prints, how it ends, and that nothing is left of a killed download."""

import contextlib
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from eibench.core.cli.data import get_data
from eibench.core.datasets import cache_folder
from eibench.core.errors import ProviderError
from eibench.core.parties.providers import ModelSpec
from eibench.core.plugins import installed
from eibench.core.settings.run_config import Endpoint, RunConfig
from tests.data.test_manifests import official_file, pack

BENCH = (sys.executable, "-c", "from eibench.core.cli import main; main()")
OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
NAME = "eq_bench_v1_questions_60.json"
SIZE = 131514
NAMES = (
    "creative-writing-legacy", "creative-writing-v3", "emobench", "eqbench-v1", "eqbench-v2",
    "eqbench3", "humanebench", "judgemark", "judgemark-v2", "longform-writing", "seceu",
    "spiral-bench",
)  # fmt: skip
needs_official = pytest.mark.skipif(
    OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA does not say where the official data is"
)
Bench = Callable[..., Any]


class Server(ThreadingHTTPServer):
    """Serves one body at every path.

    Attributes:
        stop_at: The first answer that goes beyond this many bytes stops there and hangs.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.body = b"x" * SIZE
        self.status = 200
        self.stop_at: int | None = None
        self.over = threading.Event()
        self.asked: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients are killed here."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_GET(self) -> None:
        """Send the body."""
        self.server.asked.append(self.path)
        body = self.server.body
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        stop, self.server.stop_at = self.server.stop_at, None
        self.wfile.write(body[:stop])
        if stop is not None:
            self.wfile.flush()
            self.server.over.wait(30)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    """A file server on this machine."""
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        made.over.set()
        made.shutdown()
        thread.join()


@pytest.fixture
def official(server: Server) -> Server:
    """A server that has the official file of eqbench-v1."""
    server.body = Path(str(OFFICIAL), "eqbench-v1", NAME).read_bytes()
    return server


def cached(name: str = "eqbench-v1") -> Path:
    """The cache folder of a pack."""
    return cache_folder() / name


def is_one_error(done: Any, code: int, *words: str) -> bool:
    """One line on standard error that holds these words; nothing on standard output."""
    assert (done.code, done.out) == (code, ""), done
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1, done.err
    assert all(word in done.err for word in words), done.err
    return True


def test_list_has_every_pack(bench: Bench) -> None:
    """Those of benchmarks without a plugin too, each with size, licence and place."""
    done = bench("data", "list", "--json")
    assert done.code == 0
    assert done.json["cache"] == str(cache_folder())
    rows = {row["name"]: row for row in done.json["packs"] if row["pack"] == "official"}
    assert tuple(sorted(rows)) == NAMES
    assert all(row["state"] == "absent" for row in rows.values())
    assert all(row["where"].startswith("https://github.com/") for row in rows.values())
    assert rows["eqbench-v1"]["size"] == SIZE
    assert rows["seceu"]["licence"] == "none stated"
    assert rows["eqbench-v2"]["languages"] == ["en", "de"]
    assert {file["state"] for row in rows.values() for file in row["files"]} == {"absent"}


def test_list_has_the_bundled_packs(bench: Bench) -> None:
    """They are always there."""
    packs = bench("data", "list", "--json").json["packs"]
    row = next(p for p in packs if (p["name"], p["pack"]) == ("eqbench-v1", "bundled"))
    assert (row["state"], row["licence"]) == ("bundled", "Apache-2.0")
    assert row["size"] > 0


def test_list_is_a_line_per_pack(bench: Bench) -> None:
    """Name, pack, state, size, licence and place in one line each."""
    done = bench("data", "list")
    lines = [line for line in done.out.splitlines() if line.startswith("eqbench3 ")]
    assert lines[1].split() == [
        "eqbench3", "official", "absent", "244,578", "bytes", "MIT",
        "https://github.com/EQ-bench/eqbench3",
    ]  # fmt: skip


def test_data_that_no_benchmark_uses_is_marked(bench: Bench) -> None:
    """In the list, and when somebody wants to run it."""
    message = "data only: no benchmark uses it yet"
    lines = [line for line in bench("data", "list").out.splitlines() if message in line]
    unused = ["judgemark-v2"]
    assert [line.split()[0] for line in lines] == unused
    packs = bench("data", "list", "--json").json["packs"]
    assert [pack["name"] for pack in packs if pack["data_only"]] == unused
    done = bench("run", "judgemark-v2")
    assert is_one_error(
        done,
        2,
        f"judgemark-v2 is {message}; the benchmarks are: both-sides, buzzbench, confidant",
    )


def test_fetching_data_that_no_benchmark_uses_says_so(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After it is there, as one may want it for itself."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.json").write_bytes(b"{}")
    entry: dict[str, Any] = {"name": "a", "path": "a.json", "url": "https://h.example/a.json"}
    entry |= {"size": 2, "sha256": hashlib.sha256(b"{}").hexdigest()}
    manifest = {"packs": {"official": {"licence": "MIT", "files": [entry]}}}
    data = tmp_path / "data" / "some_pack"
    data.mkdir(parents=True)
    (data / "manifest.json").write_text(json.dumps(manifest))
    monkeypatch.setattr("eibench.data.folder", lambda name: tmp_path / "data" / name)
    done = bench("data", "fetch", "some-pack", "--from", folder)
    assert done.code == 0, done.err
    assert done.err.splitlines()[-1] == "some-pack is data only: no benchmark uses it yet"


def test_list_shows_what_is_wrong_or_half_there(bench: Bench) -> None:
    """Names do not count, contents do."""
    cached().mkdir(parents=True)
    (cached() / NAME).write_bytes(b"x" * SIZE)
    states = {p["name"]: p for p in bench("data", "list", "--json").json["packs"]}
    assert states["eqbench-v1"]["state"] == "wrong"
    assert states["eqbench-v1"]["where"] == str(cached())


@pytest.mark.parametrize("command", ["fetch", "verify", "path", "import"])
def test_an_unknown_pack_is_a_usage_error(bench: Bench, command: str) -> None:
    """With the nearest name."""
    more = ["."] if command == "import" else []
    done = bench("data", command, "eqbench-v9", *more)
    assert is_one_error(done, 2, "unknown pack 'eqbench-v9'", "did you mean 'eqbench-v")


def test_data_alone_prints_its_commands(bench: Bench) -> None:
    """`bench data` shows what there is."""
    done = bench("data")
    assert done.code == 2
    assert all(name in done.err for name in ("list", "fetch", "import", "verify", "path"))


def test_names_are_completed(bench: Bench) -> None:
    """A shell with completion offers the packs that begin so."""
    words = {"COMP_WORDS": "bench data fetch eqbench", "COMP_CWORD": "3"}
    done = subprocess.run(
        BENCH, env={**os.environ, **words, "_BENCH_COMPLETE": "bash_complete"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["plain,eqbench-v1", "plain,eqbench-v2", "plain,eqbench3"]


def test_a_wrong_checksum_is_refused(bench: Bench, server: Server) -> None:
    """Exit 3, one line with both checksums; nothing stays in the cache."""
    done = bench("data", "fetch", "eqbench-v1", "--from", server.url)
    got = hashlib.sha256(server.body).hexdigest()
    assert is_one_error(done, 3, server.url + NAME, f"its SHA-256 is {got}", "refused")
    assert list(cached().iterdir()) == []


def test_larger_than_announced_is_refused(bench: Bench, server: Server) -> None:
    """Exit 3, one line with both sizes, before the body is read."""
    server.body = b"x" * (SIZE + 1)
    done = bench("data", "fetch", "eqbench-v1", "--from", server.url)
    assert is_one_error(done, 3, "has 131,515 bytes, more than the manifest's 131,514; refused")


def test_a_missing_file_is_one_line(bench: Bench, server: Server) -> None:
    """Exit 4 with the address, the status, and another way."""
    server.status = 404
    done = bench("data", "fetch", "eqbench-v1", "--from", server.url)
    way = "bench data import eqbench-v1 PATH"
    assert is_one_error(done, 4, server.url + NAME, "answers 404 Not Found", way)
    assert len(server.asked) == 1


def test_no_network_is_one_line(bench: Bench, server: Server) -> None:
    """Exit 4, and another way."""
    server.server_close()
    done = bench("data", "fetch", "eqbench-v1", "--from", server.url)
    assert is_one_error(done, 4, "Connection refused", "the same command goes on")


def test_a_cache_that_cannot_be_written_is_one_line(
    bench: Bench, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 3, no request: here the cache would be under a regular file."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    done = bench("data", "fetch", "eqbench-v1", "--from", server.url)
    assert is_one_error(done, 3, str(cached()), "cannot be written", "Not a directory")
    assert server.asked == []


@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        ("http://files.example/", 2, "it is not https"),
        ("no-such-folder", 3, "no such folder"),
        (".", 3, f"{NAME}: no such file"),
    ],
)
def test_a_source_that_cannot_be_is_one_line(
    bench: Bench, source: str, code: int, message: str
) -> None:
    """What is wrong with --from, and exit 2 or 3."""
    assert is_one_error(bench("data", "fetch", "eqbench-v1", "--from", source), code, message)


def test_a_language_that_is_not_there_is_a_usage_error(bench: Bench) -> None:
    """With those that are; for `fetch` and for `path`."""
    for command in ("fetch", "path"):
        done = bench("data", command, "eqbench-v2", "--lang", "fr")
        assert is_one_error(done, 2, "no language 'fr'; there are: en, de")


def test_path_of_a_missing_pack_is_one_line(bench: Bench) -> None:
    """Exit 3 with the command that gets it."""
    assert is_one_error(bench("data", "path", "eqbench-v1"), 3, "bench data fetch eqbench-v1")


def test_verify_of_an_empty_cache(bench: Bench) -> None:
    """Nothing is wrong then, unless a pack is asked for by name."""
    done = bench("data", "verify")
    assert (done.code, done.err) == (0, "")
    assert "bench data fetch NAME" in done.out
    named = bench("data", "verify", "eqbench-v1")
    assert named.code == 3
    assert "eqbench-v1 is not all in" in named.err


def test_verify_names_the_wrong_file(bench: Bench) -> None:
    """Exit 3; the file, and what to do."""
    cached().mkdir(parents=True)
    (cached() / NAME).write_bytes(b"x" * SIZE)
    for args in (("data", "verify"), ("data", "verify", "eqbench-v1")):
        done = bench(*args)
        assert done.code == 3
        assert done.out == f"wrong   {cached() / NAME}\n"
        assert f"{cached() / NAME} is wrong: bench data fetch" in done.err
        assert done.err.count("\n") == 1


@needs_official
def test_fetch_says_what_it_got_and_what_is_there(bench: Bench, official: Server) -> None:
    """One line each; the second time no request."""
    first = bench("data", "fetch", "eqbench-v1", "--from", official.url)
    assert (first.code, first.out) == (0, "")
    assert first.err == (f"eqbench-v1: 1 file, 131,514 bytes, SHA-256 right, now in {cached()}\n")
    second = bench("data", "fetch", "eqbench-v1", "--from", official.url)
    assert second.code == 0
    assert "all there and right" in second.err
    assert official.asked == ["/" + NAME]


@needs_official
def test_a_fetched_pack_is_the_default(bench: Bench, official: Server, empty_place: Path) -> None:
    """`--dataset official` works without a server, and so does no `--dataset` at all."""
    bench("data", "fetch", "eqbench-v1", "--from", official.url)
    official.server_close()
    for more in (["--dataset", "official"], ["--fresh"]):
        done = bench("run", "eqbench-v1", "--limit", "3", "--json", *more)
        assert done.code == 0, done.err
        assert done.json["dataset"]["name"] == "official"
        assert done.json["dataset"]["n_items"] == 60


@needs_official
def test_path_and_verify_of_a_pack_that_is_there(bench: Bench) -> None:
    """The folder alone on standard output; each file is here."""
    bench("data", "fetch", "seceu", "--from", f"{OFFICIAL}/seceu")
    assert bench("data", "path", "seceu") == (0, f"{cached('seceu')}\n", "")
    done = bench("data", "verify", "seceu")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == ["here"] * 4


@needs_official
@pytest.mark.parametrize("name", NAMES)
def test_every_pack_comes_from_a_folder(bench: Bench, tmp_path: Path, name: str) -> None:
    """`--from DIR` for each official pack; `list` then says that it is here, and where."""
    for file in pack(name).all_files:
        path = tmp_path / "official" / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(official_file(name, file.path))
    assert bench("data", "fetch", name, "--from", tmp_path / "official").code == 0
    packs = bench("data", "list", "--json").json["packs"]
    row = next(p for p in packs if (p["name"], p["pack"]) == (name, "official"))
    assert (row["state"], row["where"]) == ("here", str(cached(name)))


@needs_official
def test_one_language_is_enough(bench: Bench) -> None:
    """`--lang de`: that language is usable, and `list` says which it is."""
    bench("data", "fetch", "eqbench-v2", "--lang", "de", "--from", f"{OFFICIAL}/eqbench-v2")
    packs = bench("data", "list", "--json").json["packs"]
    row = next(p for p in packs if (p["name"], p["pack"]) == ("eqbench-v2", "official"))
    assert row["state"] == "here (de)"
    assert bench("data", "path", "eqbench-v2", "--lang", "de").code == 0
    assert bench("data", "path", "eqbench-v2").code == 0
    missing = bench("data", "path", "eqbench-v2", "--lang", "en")
    assert is_one_error(missing, 3, "bench data fetch eqbench-v2 --lang en")
    assert bench("data", "verify", "eqbench-v2").code == 0


@needs_official
def test_import_puts_a_download_into_the_cache(bench: Bench, empty_place: Path) -> None:
    """Under any name; what is still to come is said."""
    copy = empty_place / "download (2).json"
    copy.write_bytes(Path(str(OFFICIAL), "emobench/EA.jsonl").read_bytes())
    done = bench("data", "import", "emobench", copy)
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines() == [
        f"emobench: EA.jsonl now in {cached('emobench')}", "still to come: EU.jsonl",
    ]  # fmt: skip
    packs = bench("data", "list", "--json").json["packs"]
    row = next(p for p in packs if (p["name"], p["pack"]) == ("emobench", "official"))
    assert row["state"] == "incomplete"
    assert bench("data", "import", "emobench", f"{OFFICIAL}/emobench").code == 0
    assert bench("data", "path", "emobench").code == 0


def test_import_of_another_file_is_refused(bench: Bench, empty_place: Path) -> None:
    """Exit 3; other data is not for the cache, and the line says what it is for."""
    (empty_place / "mine.json").write_text(json.dumps({}))
    done = bench("data", "import", "eqbench-v1", "mine.json")
    assert is_one_error(done, 3, "mine.json: holds no file of the official pack", "--dataset PATH")


def test_official_is_downloaded_when_it_is_absent_only(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in the cache is used as it is; what is not is asked for at its pinned address."""
    asked: list[object] = []

    def no_network(host: object, *args: Any, **kwargs: Any) -> None:
        asked.append(host)
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    demo = Endpoint(ModelSpec("demo", "medium"))
    config = RunConfig(installed().benchmark("eqbench-v1"), demo, {}, dataset="official")
    with pytest.raises(ProviderError, match="may be no network; the same command goes on"):
        get_data(config)
    assert set(asked) == {"raw.githubusercontent.com"}
    asked.clear()
    (cached() / NAME).write_bytes(b"x" * SIZE)
    get_data(config)
    assert asked == []


def wait_until(true: Callable[[], bool]) -> None:
    """Wait for something, half a minute at most."""
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


@pytest.mark.skipif(sys.platform == "win32", reason="needs the signals of POSIX")
@needs_official
@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT"])
def test_a_download_stopped_half_way_is_begun_anew(
    bench: Bench, official: Server, name: str
) -> None:
    """After `kill -9` or Ctrl-C, the same command ends with the right file and nothing beside."""
    official.stop_at = 70_000
    args = ("data", "fetch", "eqbench-v1", "--from", official.url)
    # tests that run in the background ignore Ctrl-C, and so would what they start
    code = f"import signal; signal.signal(2, signal.default_int_handler); {BENCH[-1]}"
    command = [sys.executable, "-c", code, *args]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: bool(official.asked))
        process.send_signal(signal.Signals[name])
        err = process.communicate(timeout=30)[1]
    finally:
        process.kill()
    if name == "SIGINT":
        assert (process.returncode, err.strip()) == (130, "Error: interrupted")
        assert list(cached().iterdir()) == []
    assert is_one_error(bench("data", "path", "eqbench-v1"), 3, "is not there")
    assert bench(*args).code == 0
    assert official.asked == ["/" + NAME] * 2
    assert (cached() / NAME).read_bytes() == official.body
    assert [path.name for path in cached().iterdir()] == [NAME]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_sees_a_live_line(server: Server) -> None:
    """The line is rewritten in place while the file comes, and gone at the end."""
    import pty

    leader, follower = pty.openpty()
    server.stop_at = 70_000
    process = subprocess.Popen(
        [*BENCH, "data", "fetch", "eqbench-v1", "--from", server.url], stderr=follower
    )
    os.close(follower)
    shown = b""
    with contextlib.suppress(OSError):  # Linux says so at the end of a terminal's text
        while data := os.read(leader, 4096):
            shown += data
            if b"bytes (" in shown:
                server.over.set()
    os.close(leader)
    assert process.wait() == 3
    assert f"\r\x1b[2K{NAME}: ".encode() in shown
    assert b"of 131,514 bytes (" in shown
    assert shown.count(b"\n") == 1
    assert b"\r\x1b[2KError: " in shown
