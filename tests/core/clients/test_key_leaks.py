"""Keys stay secret: a real run on every fault, then a search through all that it left.

Most runs are made in this process, which forgets before each what it must not show; two are
processes of their own, so that nothing is missed that only the end of one would say.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from eibench.testing import FAULT_KINDS, Answer, Fault, LoopbackServer, ReceivedRequest, Reply
from tests.core.clients.conftest import Here
from tests.processes import Done


def echo_text(request: ReceivedRequest) -> Reply:
    """A model that repeats what it was sent, in every field it has."""
    message = f"{request.api_key} {request.headers['x-secret']}"
    return Answer(
        f"Calm: 5 {message}", reasoning=message, finish=message, model=message, fingerprint=message
    )


def echo_refusal(request: ReceivedRequest) -> Reply:
    """A model that refuses, and says whom."""
    return Answer(None, refusal=f"I will not serve {request.api_key}.")


def echo_garbage(request: ReceivedRequest) -> Reply:
    """Status 200 with all headers in an error."""
    return {"error": {"message": f"{dict(request.headers)}"}}


ECHOES: Mapping[str, Callable[[ReceivedRequest], Reply]] = {
    "text": echo_text,
    "refusing": echo_refusal,
    "garbage": echo_garbage,
}


def assert_nowhere(folder: Path, output: str, *secrets: str) -> None:
    """No secret is in the output or in any file."""
    files = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert any("bench.sqlite" in name for name in files)
    for name, data in (files | {"output": output.encode("utf-8", "surrogateescape")}).items():
        for secret in secrets:
            assert secret.encode() not in data, name


@pytest.mark.parametrize("name", [*FAULT_KINDS, *ECHOES])
def test_no_secret_is_left(name: str, tmp_path: Path, here: Here, bench: Any) -> None:
    """Whatever goes wrong, and whatever a server repeats, no secret is printed or stored."""
    fault = Fault(name, retry_after=0.01) if name in FAULT_KINDS else None
    seconds = "0.1" if name in ("hang", "trickle") else "30"
    with LoopbackServer(ECHOES.get(name, "OK"), faults=lambda request: fault) as server:
        done = here(
            server.base_url, *bench.secretly, "--timeout", seconds, **bench.secret,
            BENCH_MAX_RETRIES="1", OPENAI_API_KEY=bench.key,
        )  # fmt: skip
    assert server.requests and {r.api_key for r in server.requests} == {bench.key}
    assert done.code in (0, 1, 4), done.err
    assert_nowhere(tmp_path, done.out + done.err, bench.key, bench.header)


@pytest.mark.slow
def test_a_process_leaves_no_secret(tmp_path: Path, bench: Any) -> None:
    """Nor does a process, to its end, where the server repeats the key that it refuses."""
    with LoopbackServer(faults=lambda request: "401") as server:
        done: Done = bench.with_secrets(tmp_path, server.base_url)
    assert done.returncode == 4 and {r.api_key for r in server.requests} == {bench.key}
    assert_nowhere(tmp_path, done.stdout + done.stderr, bench.key, bench.header)


@pytest.mark.slow
def test_a_closed_port(closed_port: "Future[Any]", bench: Any) -> None:
    """Nobody there: exit 4, one line that names the address, no secret left."""
    run = closed_port.result()
    errors = [line for line in run.done.stderr.splitlines() if line.startswith("Error: ")]
    assert run.done.returncode == 4, run.done.stderr
    assert len(errors) == 1 and run.address in errors[0]
    assert_nowhere(run.folder, run.done.stdout + run.done.stderr, bench.key, bench.header)


@pytest.mark.parametrize("with_name", [False, True])
def test_a_key_goes_to_no_other_host(with_name: bool, here: Here, bench: Any) -> None:
    """A run sends the key that was named for its endpoint, and no other key it could find."""
    named = ("--api-key-env", "OTHER_KEY") if with_name else ()
    with LoopbackServer("?") as server:
        here(
            server.base_url, "--limit", "1", *named,
            OPENAI_API_KEY=bench.key, OTHER_KEY="sk-fake-other-0123456789",
        )  # fmt: skip
    expected = "sk-fake-other-0123456789" if with_name else bench.key
    assert {r.api_key for r in server.requests} == {expected}


@pytest.mark.parametrize(
    ("key", "header"),
    [("{key}\n{key}", "X=1"), ("{key} x", "X=1"), ("{key}", "X={header}\nY")],
)
def test_what_http_cannot_carry(key: str, header: str, here: Here, bench: Any) -> None:
    """A key or header that cannot be sent is one line without it, and no traceback of an SDK."""
    secrets = {"key": bench.key, "header": bench.header}
    done = here(
        "http://127.0.0.1:9/v1", BENCH_HEADERS=header.format(**secrets),
        OPENAI_API_KEY=key.format(**secrets),
    )  # fmt: skip
    assert done.code in (2, 3) and done.err.count("\n") == 1
    assert all(secret not in done.err for secret in secrets.values())


def test_dotenv_sets_keys_only(here: Here, bench: Any) -> None:
    """A run takes its key from .env, and neither a proxy nor an address."""
    Path(".env").write_text(
        f"OPENAI_API_KEY={bench.key}\nHTTP_PROXY=http://127.0.0.1:9\nSSL_CERT_FILE=/nowhere\n"
        "OPENAI_BASE_URL=http://127.0.0.1:9\nPATH=/nowhere\nOPENAI_ORG_ID=org-fake\n"
    )
    with LoopbackServer("?") as server:
        done = here(server.base_url, "--limit", "1")
    assert {r.api_key for r in server.requests} == {bench.key}, done.err
    assert "openai-organization" not in server.requests[0].headers
