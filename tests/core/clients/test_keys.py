"""Which key goes where, what may be a base URL, and how secrets are hidden."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.clients.keys import Environment, Redactor, choose_key
from eibench.core.clients.openai import OpenAIClient
from eibench.core.errors import ConfigError, UsageError
from eibench.core.parties.providers import (
    ClientConfig,
    ModelSpec,
    Provider,
    check_base_url,
    is_loopback,
)

KEY = "sk-fake-0123456789abcdef"
OTHER = "sk-fake-other-fedcba9876543210"
OPENAI = Provider("openai", "OpenAI", OpenAIClient, host="api.openai.com", key_env="OPENAI_API_KEY")
LOCAL = Provider("local", "needs no key", OpenAIClient)
BOTH = {"OPENAI_API_KEY": KEY, "OTHER_KEY": OTHER}


@pytest.mark.parametrize(
    ("base_url", "named", "expected"),
    [
        (None, None, (KEY, "OPENAI_API_KEY")),
        (None, "OTHER_KEY", (OTHER, "OTHER_KEY")),
        ("https://api.openai.com/v1", None, (KEY, "OPENAI_API_KEY")),
        ("https://API.OpenAI.com/v1", None, (KEY, "OPENAI_API_KEY")),
        ("http://api.openai.com/v1", None, (None, None)),
        ("https://api.openai.com.evil.test/v1", None, (None, None)),
        ("https://evil.test/api.openai.com", None, (None, None)),
        ("https://evil.test/v1", None, (None, None)),
        ("https://evil.test/v1", "OTHER_KEY", (OTHER, "OTHER_KEY")),
        ("https://evil.test/v1", "OPENAI_API_KEY", (KEY, "OPENAI_API_KEY")),
        ("http://127.0.0.1:8000/v1", None, (KEY, "OPENAI_API_KEY")),
        ("http://127.0.0.2:8000/v1", None, (KEY, "OPENAI_API_KEY")),
        ("http://localhost:8000/v1", None, (KEY, "OPENAI_API_KEY")),
        ("http://[::1]:8000/v1", None, (KEY, "OPENAI_API_KEY")),
        ("http://localhost:8000/v1", "OTHER_KEY", (OTHER, "OTHER_KEY")),
        ("http://0.0.0.0:8000/v1", None, (None, None)),
        ("http://localhost.evil.test/v1", None, (None, None)),
        ("http://192.168.0.1:8000/v1", None, (None, None)),
    ],
)
def test_which_key(
    base_url: str | None, named: str | None, expected: tuple[str | None, str | None]
) -> None:
    """The standard key goes to its own host, encrypted, and to loopback; any key where named."""
    assert choose_key(OPENAI, base_url, named, Environment(BOTH)) == expected


@pytest.mark.parametrize(
    ("provider", "base_url", "expected"),
    [
        (OPENAI, "http://127.0.0.1:8000/v1", (None, "OPENAI_API_KEY")),
        (OPENAI, "https://elsewhere.test/v1", (None, None)),
        (LOCAL, None, (None, None)),
    ],
)
def test_no_key_where_none_is_needed(
    provider: Provider, base_url: str | None, expected: tuple[None, str | None]
) -> None:
    """Without a key, requests to other hosts go without one."""
    assert choose_key(provider, base_url, None, Environment({})) == expected


@pytest.mark.parametrize(
    ("base_url", "named", "message"),
    [
        (None, None, "set OPENAI_API_KEY"),
        ("https://api.openai.com/v1", None, "set OPENAI_API_KEY"),
        (None, "MY_KEY", "MY_KEY"),
        ("https://elsewhere.test/v1", "MY_KEY", "MY_KEY"),
        ("http://127.0.0.1:1/v1", "MY_KEY", "MY_KEY"),
    ],
)
def test_a_missing_key(base_url: str | None, named: str | None, message: str) -> None:
    """A key that is needed and not there is named by its variable; blank counts as not there."""
    environment = Environment({"MY_KEY": "  \n", "OPENAI_API_KEY": ""})
    with pytest.raises(ConfigError, match=message):
        choose_key(OPENAI, base_url, named, environment)


@pytest.mark.parametrize("text", [f"  {KEY}", f"{KEY}\n", f"\t{KEY}\r\n", f" {KEY} "])
def test_blanks_around_a_key(text: str) -> None:
    """Blanks and line breaks around a key are not part of it."""
    assert Environment({"OPENAI_API_KEY": text}).get("OPENAI_API_KEY") == KEY


@pytest.mark.parametrize(
    "text", [f"{KEY}\n{OTHER}", f"Bearer {KEY}", f"{KEY}\x00", f"{KEY}é", f"sk-\u200b{KEY}"]
)
@pytest.mark.parametrize("named", [None, "OPENAI_API_KEY"])
def test_what_is_no_key(text: str, named: str | None) -> None:
    """A value that cannot be a key is refused by its variable's name, without being shown."""
    with pytest.raises(ConfigError, match="OPENAI_API_KEY") as caught:
        choose_key(OPENAI, None, named, Environment({"OPENAI_API_KEY": text}))
    assert KEY not in str(caught.value)


def test_dotenv_gives_keys_only(tmp_path: Path) -> None:
    """Of .env, key variables count and nothing else; and the process's own come first."""
    file = tmp_path / ".env"
    file.write_text(
        f"MY_API_KEY={KEY}\nexport HF_TOKEN='{OTHER}'\nSHARED_KEY=from-file\nBLANK_KEY=from-file\n"
        "HTTPS_PROXY=http://evil.test\nSSL_CERT_FILE=/x\nPATH=/x\nOPENAI_BASE_URL=http://evil.test\n"
        "REFERS_KEY=${SHARED_KEY}\nthis is no assignment\n"
    )
    environment = Environment({"SHARED_KEY": "from-process", "BLANK_KEY": " "}, file)
    assert environment.get("MY_API_KEY") == KEY
    assert environment.get("HF_TOKEN") == OTHER
    assert environment.get("SHARED_KEY") == "from-process"
    assert environment.get("BLANK_KEY") == "from-file"
    assert environment.get("REFERS_KEY") == "${SHARED_KEY}"
    for name in ("HTTPS_PROXY", "SSL_CERT_FILE", "PATH", "OPENAI_BASE_URL", "ABSENT_KEY"):
        assert environment.get(name) is None


def test_dotenv_is_read_when_needed(tmp_path: Path) -> None:
    """A .env that cannot be read matters only when a variable is looked for in it."""
    file = tmp_path / ".env"
    file.write_bytes(b"MY_KEY=\xff\xfe\n")
    environment = Environment({"SET_KEY": "x"}, file)
    assert environment.get("SET_KEY") == "x"
    with pytest.raises(ConfigError, match=r"\.env: cannot be read"):
        environment.get("MY_KEY")


def test_dotenv_may_be_absent(tmp_path: Path) -> None:
    """No .env, or a folder of that name, is no error."""
    assert Environment({}, tmp_path / ".env").get("MY_KEY") is None
    (tmp_path / ".env").mkdir()
    assert Environment({}, tmp_path / ".env").get("MY_KEY") is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("https://host.test/v1/", "https://host.test/v1"),
        ("HTTPS://Host.test", "HTTPS://Host.test"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("https://host.test/v4/accounts/@me/v1", "https://host.test/v4/accounts/@me/v1"),
    ],
)
def test_base_url(url: str, expected: str) -> None:
    """Any http or https address of a host is a base URL."""
    assert check_base_url(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        "host.test/v1",
        "localhost:8000",
        "ftp://host.test/v1",
        "file:///etc/passwd",
        "http://",
        "http:///v1",
        "http://:8000/v1",
        "http://[::1/v1",
        "http://host.test:99999/v1",
        "http://host.test:port/v1",
        "http://host.test/a b",
        "http://host.test\n/v1",
        "http://host.test/\x1b[31m",
    ],
)
def test_not_a_base_url(url: str) -> None:
    """Anything else is refused in one clear line."""
    with pytest.raises(UsageError, match="is not an http:// or https:// address") as caught:
        check_base_url(url)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "url",
    [
        f"https://{KEY}@host.test/v1",
        f"https://user:{KEY}@host.test/v1",
        f"https://host.test/v1?key={KEY}",
        f"https://host.test/v1#{KEY}",
        f"ftp://user:{KEY}@host.test",
        f"user:{KEY}@host.test/v1",
        "http://@host.test/v1",
        "http://host.test/v1?",
    ],
)
def test_secrets_in_a_base_url(url: str) -> None:
    """A URL that may hold a secret is refused without being shown."""
    with pytest.raises(UsageError, match="--api-key-env") as caught:
        check_base_url(url)
    assert KEY not in str(caught.value) and "host.test" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (None, False),
        ("http://localhost/v1", True),
        ("http://LOCALHOST:1/v1", True),
        ("http://127.0.0.1:1/v1", True),
        ("http://127.255.255.254/v1", True),
        ("http://[::1]/v1", True),
        ("http://128.0.0.1/v1", False),
        ("http://0.0.0.0/v1", False),
        ("http://127.0.0.1.evil.test/v1", False),
        ("http://localhost.evil.test/v1", False),
        ("http://[fe80::1]/v1", False),
        ("http://2130706433/v1", False),
    ],
)
def test_loopback(url: str | None, expected: bool) -> None:
    """Loopback is localhost, 127.0.0.0/8 and ::1, and no name or number that only looks so."""
    assert is_loopback(url) == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-A", f"{KEY}\nX-B: 1"),
        ("X-A", "é"),
        ("X-A", "\x00"),
        ("X A", "1"),
        ("", "1"),
        ("X:", "1"),
        (f"Authorization: Bearer {KEY}", "="),
        (KEY, "é"),
    ],
)
def test_headers_that_cannot_be_sent(name: str, value: str) -> None:
    """A header that HTTP cannot carry is refused before anything is sent, without its value."""
    with pytest.raises(UsageError, match="headers") as caught:
        ClientConfig(ModelSpec("openai", "m"), headers={name: value})
    assert KEY not in str(caught.value)


def test_config_hides_its_secrets() -> None:
    """The form of a configuration that logs and tracebacks show has no key and no header."""
    shown = repr(ClientConfig(ModelSpec("openai", "m"), key=KEY, headers={"X-A": OTHER}))
    assert KEY not in shown and OTHER not in shown


@pytest.mark.parametrize("text", ["", "/", "openai", "/m", "openai/", "gpt-4.1"])
def test_not_a_model_spec(text: str) -> None:
    """A spec has a provider and a name."""
    with pytest.raises(UsageError, match="PROVIDER/NAME"):
        ModelSpec.parse(text)


def test_model_spec() -> None:
    """The first slash divides; a name may hold more."""
    assert ModelSpec.parse("openai/org/model") == ("openai", "org/model")


SECRET = 'correct/horse+battery staple"0123456789'


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        f"key={SECRET}.",
        "correct%2Fhorse%2Bbattery%20staple%220123456789",
        'correct/horse+battery staple\\"0123456789',
    ],
)
def test_known_keys_are_hidden(text: str) -> None:
    """A known key is hidden as it is, URL-quoted and in JSON."""
    for hide in (Redactor([SECRET]), Redactor([SECRET]).reply):
        assert "[key]" in hide(text) and "horse" not in hide(text)


def test_a_key_within_another() -> None:
    """Of a key that holds another one nothing stays."""
    redact = Redactor([KEY, KEY + "-and-more-of-it", None])
    assert redact.reply(f"{KEY}-and-more-of-it {KEY}") == "[key] [key]"


def test_the_key_in_a_header() -> None:
    """Of a header such as "Bearer KEY" the key alone is hidden too."""
    assert OTHER not in Redactor([f"Bearer {OTHER}"])(f"bad token {OTHER}")


@pytest.mark.parametrize("placeholder", ["EMPTY", "ollama", "none", "x", "test", "lm-studio"])
def test_placeholders_are_words(placeholder: str) -> None:
    """A reply is scored, so a key that may be a word of it is not hidden there."""
    assert Redactor([placeholder]).reply(f"I feel {placeholder}.") == f"I feel {placeholder}."


def test_what_looks_like_a_key() -> None:
    """Messages lose what has a key's form, known or not; replies do not."""
    text = f"Incorrect API key provided: {KEY}."
    assert Redactor()(text) == "Incorrect API key provided: [key]."
    assert Redactor().reply(text) == text


@given(key=st.text("abcXYZ019-_/+= ", min_size=16, max_size=60), around=st.text(max_size=20))
def test_no_known_key_survives(key: str, around: str) -> None:
    """Whatever the key and wherever it stands, it is gone."""
    assert key not in Redactor([key]).reply(f"{around}{key}{around}{key}") or key in "[key]"


@pytest.mark.parametrize(
    "text", ["key-event-accidents-99", "key-event-family-and-friends-07: twice", "a key-value-pair"]
)
def test_words_with_dashes_are_no_key(text: str) -> None:
    """Ids of items can be read in messages."""
    assert Redactor()(text) == text


@pytest.mark.parametrize(
    "key",
    [
        "sk-abcdefghijklmnop",
        "sk-ant-api03-abcDEF0123456789-xyz",
        "sk-proj-Abcd1234_efgh",
        "pk-lf-01234567-89ab-cdef-0123-456789abcdef",
        "key-0123456789abcdef",
        "key-event-accidents-99-a1b2c3d4",
        "sk-or-v1-0123456789",
    ],
)
def test_shapes_of_keys_are_hidden(key: str) -> None:
    """Also where nobody knows the key."""
    assert Redactor()(f"({key})") == "([key])"
