"""Keys stay secret: a real run on every fault, then a search through all that it left."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from eibench.testing import FAULT_KINDS, Answer, LoopbackServer, ReceivedRequest, Reply
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
    "refusal": echo_refusal,
    "garbage": echo_garbage,
}


def assert_nowhere(folder: Path, done: Done, *secrets: str) -> None:
    """No secret is in the output or in any file."""
    left = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert any("bench.sqlite" in name for name in left)
    said = (done.stdout + done.stderr).encode("utf-8", "surrogateescape")
    for name, data in ({"output": said} | left).items():
        for secret in secrets:
            assert secret.encode() not in data, name


@pytest.mark.parametrize("name", [*FAULT_KINDS, *ECHOES])
def test_no_secret_is_left(name: str, tmp_path: Path, bench: Any) -> None:
    """Whatever goes wrong, and whatever a server repeats, no secret is printed or stored."""
    plan = (lambda request: name) if name in FAULT_KINDS else None
    with LoopbackServer(ECHOES.get(name, "OK"), faults=plan) as server:
        done: Done = bench.with_secrets(
            tmp_path, server.base_url, "--timeout", "1", "--max-retries", "1"
        )
    assert server.requests and {r.api_key for r in server.requests} == {bench.key}
    assert done.returncode in (0, 1, 4), done.stderr
    assert_nowhere(tmp_path, done, bench.key, bench.header)


def test_a_closed_port(closed_port: "Future[Any]", bench: Any) -> None:
    """Nobody there: exit 4, one line that names the address, no secret left."""
    run = closed_port.result()
    errors = [line for line in run.done.stderr.splitlines() if line.startswith("Error: ")]
    assert run.done.returncode == 4, run.done.stderr
    assert len(errors) == 1 and run.address in errors[0]
    assert_nowhere(run.folder, run.done, bench.key, bench.header)


@pytest.mark.parametrize("with_name", [False, True])
def test_a_key_goes_to_no_other_host(with_name: bool, tmp_path: Path, bench: Any) -> None:
    """A run sends the key that was named for its endpoint, and no other key it could find."""
    named = ("--api-key-env", "OTHER_KEY") if with_name else ()
    with LoopbackServer("?") as server:
        bench(
            tmp_path, server.base_url, "--limit", "1", *named,
            OPENAI_API_KEY=bench.key, OTHER_KEY="sk-fake-other-0123456789",
        )  # fmt: skip
    expected = "sk-fake-other-0123456789" if with_name else bench.key
    assert {r.api_key for r in server.requests} == {expected}


@pytest.mark.parametrize(
    ("key", "header"),
    [("{key}\n{key}", "X=1"), ("{key} x", "X=1"), ("{key}", "X={header}\nY")],
)
def test_what_http_cannot_carry(key: str, header: str, tmp_path: Path, bench: Any) -> None:
    """A key or header that cannot be sent is one line without it, and no traceback of an SDK."""
    secrets = {"key": bench.key, "header": bench.header}
    done = bench(
        tmp_path, "http://127.0.0.1:9/v1", "--header", header.format(**secrets),
        OPENAI_API_KEY=key.format(**secrets),
    )  # fmt: skip
    assert done.returncode in (2, 3) and done.stderr.count("\n") == 1
    assert all(secret not in done.stderr for secret in secrets.values())


def test_dotenv_sets_keys_only(tmp_path: Path, bench: Any) -> None:
    """A run takes its key from .env, and neither a proxy nor an address."""
    (tmp_path / ".env").write_text(
        f"OPENAI_API_KEY={bench.key}\nHTTP_PROXY=http://127.0.0.1:9\nSSL_CERT_FILE=/nowhere\n"
        "OPENAI_BASE_URL=http://127.0.0.1:9\nPATH=/nowhere\nOPENAI_ORG_ID=org-fake\n"
    )
    with LoopbackServer("?") as server:
        done = bench(tmp_path, server.base_url, "--limit", "1")
    assert {r.api_key for r in server.requests} == {bench.key}, done.stderr
    assert "openai-organization" not in server.requests[0].headers
