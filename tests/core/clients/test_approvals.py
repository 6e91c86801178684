"""Which keys a settings file may send where."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from eibench.core.clients.approvals import (
    Approvals,
    Sending,
    approvals_path,
    needs_approval,
    normal,
    place_of,
)
from eibench.core.errors import ConfigError, UsageError
from eibench.core.parties.providers import ModelSpec
from eibench.core.plugins import installed

PAIR = Sending("gpu.example:8000", "MY_KEY")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the approvals of a test are."""
    return tmp_path / "settings" / "approved.json"


def test_what_was_approved_is_known_to_the_next_command(path: Path) -> None:
    """A pair that was added is there when the file is read again; another one is not."""
    Approvals(path).add(PAIR)
    again = Approvals(path)
    assert PAIR in again
    for other in (Sending("gpu.example", "MY_KEY"), Sending(PAIR.place, "MY_OTHER_KEY")):
        assert other not in again


def test_nothing_is_approved_without_a_file(path: Path) -> None:
    """No file is no approval, and looking makes none."""
    assert PAIR not in Approvals(path)
    assert not path.parent.exists()


def test_what_was_taken_back_is_gone(path: Path) -> None:
    """A pair that was removed is no more, and the others stay."""
    approvals, other = Approvals(path), Sending("b.example", "MY_KEY")
    approvals.add(PAIR)
    approvals.add(other)
    assert approvals.remove(PAIR)
    assert not approvals.remove(PAIR)
    assert Approvals(path).all() == [other]


@pytest.mark.skipif(os.name != "posix", reason="rights are POSIX's")
def test_only_the_user_may_read_and_write_it(path: Path) -> None:
    """The file has the mode 0600, also after a change, and nothing lies beside it."""
    for pair in (PAIR, Sending("b.example", "MY_KEY")):
        Approvals(path).add(pair)
        assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="rights are POSIX's")
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_no_approval(path: Path, mode: int) -> None:
    """Somebody else might have approved what is in it."""
    Approvals(path).add(PAIR)
    path.chmod(mode)
    with pytest.raises(ConfigError, match="other users may write to it"):
        Approvals(path).all()


BROKEN = {
    "nothing": "",
    "no JSON": "{",
    "a list": "[]",
    "other keys": '{"approve": []}',
    "more keys": '{"approved": [], "all": true}',
    "no list": '{"approved": {}}',
    "null": '{"approved": null}',
    "a text": '{"approved": ["gpu.example:8000 MY_KEY"]}',
    "half a pair": '{"approved": [{"place": "gpu.example:8000"}]}',
    "a third value": '{"approved": [{"place": "a", "variable": "B", "until": 1}]}',
    "a number": '{"approved": [{"place": "a", "variable": 1}]}',
    "no UTF-8": b"\xff\xfe",
    "depth": "[" * 200_000,
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_an_error_and_no_yes(path: Path, text: str | bytes) -> None:
    """The error names the file; adding to it is refused too, and it stays as it is."""
    path.parent.mkdir()
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(0o600)
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=r"approved\.json"):
        assert PAIR in Approvals(path)
    with pytest.raises(ConfigError, match="nothing is sent"):
        Approvals(path).add(PAIR)
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """What cannot be stored was not approved."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be"):
        Approvals(tmp_path / "file" / "approved.json").add(PAIR)


def test_a_reader_never_sees_half_a_file(path: Path) -> None:
    """While approvals are written again and again, each reading finds a whole file."""
    Approvals(path).add(PAIR)

    def write() -> None:
        for n in range(60):
            Approvals(path).add(Sending(f"h{n}.example", "MY_KEY"))

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        while not writing.done():
            assert PAIR in Approvals(path)
        writing.result()


def test_its_place_is_the_user_s_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is in the user's settings folder, wherever the command is run."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "mine"))
    here = approvals_path()
    monkeypatch.chdir(tmp_path)
    assert approvals_path() == here
    assert here.is_absolute()
    assert "eibench" in here.parts


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("gpu.example", "gpu.example"),
        ("GPU.Example:8000", "gpu.example:8000"),
        ("https://gpu.example/v1", "gpu.example"),
        ("gpu.example/v1", "gpu.example"),
        ("gpu.example:443", "gpu.example"),
        ("http://gpu.example", "http://gpu.example"),
        ("HTTP://gpu.example:80/v1", "http://gpu.example"),
        ("http://10.0.0.5:8000/v1/", "http://10.0.0.5:8000"),
        ("https://[2001:DB8::1]:8443/v1", "[2001:db8::1]:8443"),
        ("litellm/gemini", "litellm/gemini"),
        ("https://\u0430pi.openai.com/v1", "xn--pi-6kc.openai.com"),
    ],
)
def test_one_place_has_one_spelling(written: str, stored: str) -> None:
    """However a person writes a host; a letter that looks like another one shows."""
    assert normal(written) == stored
    assert normal(stored) == stored


@pytest.mark.parametrize(
    "written",
    ["", "https://", "ftp://h", "h$(id)", "https://h;id/", "a b", "h'", "https://a..\u0430"],
)
def test_what_is_no_place(written: str) -> None:
    """Nothing that a shell would obey when it is copied from a message."""
    with pytest.raises(UsageError):
        normal(written)


@pytest.mark.parametrize(
    ("spec", "base_url", "place"),
    [
        ("openai/x", None, "api.openai.com"),
        ("openai/x", "https://api.openai.com/v1", "api.openai.com"),
        ("openai/x", "http://gpu.example:8000/v1", "http://gpu.example:8000"),
        ("litellm/gemini/gemini-2.5-pro", None, "litellm/gemini"),
    ],
)
def test_where_requests_go(spec: str, base_url: str | None, place: str) -> None:
    """The place that a person approves is that of the requests."""
    model = ModelSpec.parse(spec)
    assert place_of(installed().provider(model.provider), model, base_url) == place


@pytest.mark.parametrize(
    ("provider", "base_url", "variable", "needed"),
    [
        ("openai", None, "OPENAI_API_KEY", False),
        ("openai", None, "MY_KEY", True),
        ("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", False),
        ("openai", "http://api.openai.com/v1", "OPENAI_API_KEY", True),
        ("openai", "https://api.openai.com.evil.example/v1", "OPENAI_API_KEY", True),
        ("openai", "https://evil.example/api.openai.com", "OPENAI_API_KEY", True),
        ("openai", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", True),
        ("openai", "http://127.0.0.1:8000/v1", "MY_KEY", False),
        ("openai", "http://localhost.evil.example/v1", "MY_KEY", True),
        ("openai", "http://[::1]:8000/v1", "OPENAI_API_KEY", False),
        ("openai", "http://0x7f.1/v1", "MY_KEY", True),
        ("anthropic", None, "ANTHROPIC_API_KEY", False),
        ("litellm", None, "OPENAI_API_KEY", True),
        ("litellm", "https://None/v1", "MY_KEY", True),
    ],
)
def test_what_needs_approval(
    provider: str, base_url: str | None, variable: str, needed: bool
) -> None:
    """All but this machine, and a provider's own key on its own host over TLS."""
    assert needs_approval(installed().provider(provider), base_url, variable) is needed


def test_the_file_is_as_documented(path: Path) -> None:
    """One JSON object, so that a person can read it."""
    Approvals(path).add(PAIR)
    assert json.loads(path.read_text()) == {"approved": [PAIR._asdict()]}
