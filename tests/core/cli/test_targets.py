"""Which endpoint the options and bench.toml give a model, and which key may go there."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from eibench.core.cli import options
from eibench.core.cli.session import allow
from eibench.core.cli.settings import config_option
from eibench.core.clients.approvals import Approvals, Sending
from eibench.core.errors import BenchError, UsageError
from eibench.core.parties.providers import OF_JUDGE, OF_MODEL, ModelSpec
from eibench.core.settings.file import SettingsFile, read_settings
from eibench.core.settings.targets import find_target, limits_of

FILE = """
[endpoints.gpu]
base-url = "https://gpu.example:8443/v1/"
api-key-env = "GPU_KEY"
rpm = 60
tpm = 1000
concurrency = 4
timeout = 30

[endpoints.plain]
base_url = "http://10.0.0.5:8000/v1"
api_key_env = "GPU_KEY"

[endpoints.open]
base_url = "https://open.example/v1"

[endpoints.here]
base_url = "http://127.0.0.1:8000/v1"
api_key_env = "GPU_KEY"

[endpoints.openai]
base_url = "https://api.openai.com/v1"
api_key_env = "OPENAI_API_KEY"
"""
GPU = "https://gpu.example:8443/v1"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No approvals but those of a test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))


@click.command()
@options.endpoint_options
@options.limit_options
@config_option
def show(**params: Any) -> None:
    """Print the endpoint and the limits that the options give the model, or the judge."""
    settings = options.run_settings(params)
    (text,) = settings.judges or settings.models
    spec = ModelSpec.parse(text)
    target = find_target(settings, spec, OF_JUDGE if settings.judges else OF_MODEL)
    endpoint, limits = allow(target), limits_of(settings, target.server)
    speed = [limits.concurrency, limits.rpm, limits.tpm, limits.timeout_s]
    click.echo(json.dumps([endpoint.base_url, endpoint.api_key_env, speed]))


def given(*args: str, file: str = FILE, env: Mapping[str, str] | None = None) -> Any:
    """What `show` prints, or the error that it ends with."""
    Path("bench.toml").write_text(file)
    model = () if "--judge" in args or "model =" in file else ("--model", "openai/x")
    done = CliRunner().invoke(show, [*model, *args], env=env)
    if isinstance(done.exception, BenchError):
        return done.exception
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def key(*args: str, file: str = FILE, env: Mapping[str, str] | None = None) -> Any:
    """The address and the key's variable, or the message of the error."""
    found = given(*args, file=file, env=env)
    return str(found) if isinstance(found, BenchError) else found[:2]


def test_a_name_stands_for_all_that_the_file_says() -> None:
    """--base-url NAME gives the address, the key's variable and the limits."""
    Approvals().add(Sending("gpu.example:8443", "GPU_KEY"))
    assert given("--base-url", "gpu") == [GPU, "GPU_KEY", [4, 60, 1000, 30]]


@pytest.mark.parametrize("url", [GPU, GPU + "/", "HTTPS://GPU.example:8443/v1"])
def test_its_address_stands_for_it_too(url: str) -> None:
    """However the address is spelled."""
    Approvals().add(Sending("gpu.example:8443", "GPU_KEY"))
    assert given("--base-url", url)[1:] == ["GPU_KEY", [4, 60, 1000, 30]]


@pytest.mark.parametrize(
    "url", ["https://gpu.example/v1", "http://gpu.example:8443/v1", "https://gpu.example:8443/v2"]
)
def test_another_address_is_no_endpoint(url: str) -> None:
    """Another port, scheme or path: none of the file's settings hold."""
    assert given("--base-url", url) == [url, None, [32, None, None, 600]]


def test_what_the_user_says_goes_before_the_endpoint() -> None:
    """Options and variables win; what they do not say is the endpoint's."""
    typed = ("--base-url", "gpu", "--api-key-env", "MINE_KEY")
    assert given(*typed, env={"BENCH_TIMEOUT": "9", "BENCH_RPM": "5"}) == [
        GPU,
        "MINE_KEY",
        [4, 5, 1000, 9],
    ]


def test_the_endpoint_goes_before_the_defaults_of_the_file() -> None:
    """[run] holds for all servers, [endpoints.NAME] for one."""
    Approvals().add(Sending("gpu.example:8443", "GPU_KEY"))
    defaults = '[run]\nrpm = 7\ntimeout = 8\nconcurrency = 9\napi_key_env = "RUN_KEY"\n'
    assert given("--base-url", "gpu", file=defaults + FILE)[1:] == ["GPU_KEY", [4, 60, 1000, 30]]


def test_the_file_itself_may_name_an_endpoint() -> None:
    """[run] base_url = NAME, for the model and for the judge."""
    file = '[run]\nbase_url = "here"\njudge_base_url = "open"\n' + FILE
    assert given(file=file)[:2] == ["http://127.0.0.1:8000/v1", "GPU_KEY"]
    Approvals().add(Sending("open.example", "NO_KEY"))
    assert given("--judge", "openai/j", file=file)[:2] == ["https://open.example/v1", None]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("gpuu", "did you mean gpu?"),
        ("zzz", "there are: gpu, plain, open, here, openai"),
        ("ftp://gpu", "'ftp://gpu' is not an http:// or https:// address"),
        ("https://plain.example/v1?key=hidden", "must not hold a user, a password or a query"),
    ],
)
def test_what_is_no_endpoint(url: str, message: str) -> None:
    """The error says what was meant, and shows no secret."""
    found = given("--base-url", url)
    assert isinstance(found, UsageError) and message in str(found)
    assert "hidden" not in str(found)


@pytest.mark.parametrize("url", ["gpu", "https://gpu.example:8443/v1", "http://plain.example/v1"])
def test_a_key_in_place_of_its_variable(url: str) -> None:
    """It is refused before anything could repeat it, also where the file names the server."""
    key = "gsk_fake0123456789abcdef"
    found = given("--base-url", url, "--api-key-env", key)
    assert isinstance(found, UsageError) and "takes the NAME of a variable" in str(found)
    assert key not in str(found)


def test_a_variable_of_any_spelling_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is set is a variable, whatever it is called."""
    monkeypatch.setenv("myKey", "sk-fake")
    found = given("--base-url", "https://elsewhere.example/v1", "--api-key-env", "myKey")
    assert found[1] == "myKey"


def test_an_address_of_two_endpoints_must_be_named() -> None:
    """Two keys for one server: which one is meant is not guessed."""
    second = f'\n[endpoints.other]\nbase_url = "{GPU}"\n'
    found = given("--base-url", GPU, file=FILE + second)
    assert "gpu and other" in str(found)
    Approvals().add(Sending("gpu.example:8443", "NO_KEY"))
    assert given("--base-url", "other", file=FILE + second)[:2] == [GPU, None]


ASKED = {
    "endpoint by name": (("--base-url", "gpu"), "", {}, "gpu.example:8443 GPU_KEY"),
    "endpoint by address": (("--base-url", GPU), "", {}, "gpu.example:8443 GPU_KEY"),
    "the file alone": (
        (), '[run]\nbase_url = "https://e.example"\napi_key_env = "A_KEY"\n', {}, "e.example A_KEY"
    ),
    "the file's key, my address": (
        ("--base-url", "https://e.example"), '[run]\napi_key_env = "A_KEY"\n', {}, "e.example A_KEY"
    ),
    "the file's address, my variable": (
        (), '[run]\nbase_url = "https://e.example"\n', {"BENCH_API_KEY_ENV": "A_KEY"},
        "e.example A_KEY",
    ),
    "the file's name, my variable": (
        (), '[run]\nbase_url = "open"\n', {"BENCH_API_KEY_ENV": "A_KEY"}, "open.example A_KEY"
    ),
    "the file's provider, my variable": (
        (), '[run]\nmodel = "litellm/evil/x"\n', {"BENCH_API_KEY_ENV": "A_KEY"},
        "litellm/evil A_KEY",
    ),
    "another key to the own host": (
        (), '[run]\napi_key_env = "A_KEY"\n', {}, "api.openai.com A_KEY"
    ),
    "the standard key elsewhere": (
        (), '[run]\nbase_url = "https://e.example"\napi_key_env = "OPENAI_API_KEY"\n', {},
        "e.example OPENAI_API_KEY",
    ),
    "not encrypted": (("--base-url", "plain"), "", {}, "http://10.0.0.5:8000 GPU_KEY"),
    "not encrypted, my key": (
        ("--base-url", "plain", "--api-key-env", "A_KEY"), "", {}, "http://10.0.0.5:8000 A_KEY"
    ),
    "the judge": (
        ("--judge", "openai/j"),
        '[run]\njudge_base_url = "https://e.example"\njudge_api_key_env = "A_KEY"\n', {},
        "e.example A_KEY",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("args", "more", "env", "pair"), ASKED.values(), ids=ASKED)
def test_a_file_sends_no_key_that_was_not_approved(
    args: tuple[str, ...], more: str, env: dict[str, str], pair: str
) -> None:
    """Without a terminal it is an error that names the command; after that command it goes."""
    message = key(*args, file=more + FILE, env=env)
    assert f"bench config --approve {pair} allows it" in message
    place, variable = pair.split()
    Approvals().add(Sending(place, "ANOTHER_KEY"))
    Approvals().add(Sending("another.example", variable))
    assert "is not approved" in key(*args, file=more + FILE, env=env)
    Approvals().add(Sending(place, variable))
    assert key(*args, file=more + FILE, env=env)[1] == variable


@pytest.mark.parametrize(
    ("args", "more"),
    [
        (("--base-url", "open"), ""),
        ((), '[run]\nbase_url = "https://open.example/v1"\n'),
        (("--judge", "openai/j"), '[run]\njudge_base_url = "open"\n'),
        (("--judge", "openai/j"), '[run]\nmodel = "openai/x"\nbase_url = "open"\n'),
    ],
)
def test_a_file_has_nothing_sent_where_nobody_approved_it(args: tuple[str, ...], more: str) -> None:
    """Without a key as well; an approval of any key at the place is one of that."""
    message = key(*args, file=more + FILE)
    assert "bench.toml sends what is asked to open.example; that is not approved" in message
    assert "bench config --approve open.example NO_KEY allows it, or name the address" in message
    for variable in ("NO_KEY", "A_KEY"):
        approved = Sending("open.example", variable)
        Approvals().add(approved)
        assert key(*args, file=more + FILE) == ["https://open.example/v1", None]
        Approvals().remove(approved)


@pytest.mark.parametrize("place", ["gpu.example", "http://gpu.example:8443", "gpu.example:443"])
def test_an_approval_is_of_one_host_port_and_scheme(place: str) -> None:
    """One of another port, or of sending it unencrypted, does not count."""
    Approvals().add(Sending(place, "GPU_KEY"))
    assert "is not approved" in key("--base-url", "gpu")


def test_an_approval_over_tls_is_none_for_http() -> None:
    """A key goes out unencrypted only when that very thing was approved."""
    Approvals().add(Sending("10.0.0.5:8000", "GPU_KEY"))
    message = key("--base-url", "plain")
    assert "not encrypted" in message
    assert "name the key yourself" not in message


UNASKED = {
    "this machine": (("--base-url", "here"), "", {}, "GPU_KEY"),
    "the standard key on its own host": (("--base-url", "openai"), "", {}, "OPENAI_API_KEY"),
    "no key, my address": (("--base-url", "https://e.example"), "", {}, None),
    "no key, in a private network": (
        (), '[run]\nbase_url = "http://10.0.0.6:8000/v1"\n', {}, None
    ),
    "a judge where I said the model is": (
        ("--model", "openai/x", "--base-url", "https://e.example", "--judge", "openai/j"),
        "", {}, None,
    ),
    "my key, the file's address": (
        ("--base-url", "open", "--api-key-env", "A_KEY"), "", {}, "A_KEY"
    ),
    "all mine": (
        ("--base-url", "http://e.example", "--api-key-env", "A_KEY"), "", {}, "A_KEY"
    ),
    "all mine by variables": (
        (), "", {"BENCH_BASE_URL": "https://e.example", "BENCH_API_KEY_ENV": "A_KEY"}, "A_KEY"
    ),
    "my key in place of the file's": (
        ("--base-url", "https://e.example", "--api-key-env", "MINE_KEY"),
        '[run]\napi_key_env = "A_KEY"\n', {}, "MINE_KEY",
    ),
    "my key at my provider": (("--api-key-env", "A_KEY"), "", {}, "A_KEY"),
}  # fmt: skip


@pytest.mark.parametrize(("args", "more", "env", "variable"), UNASKED.values(), ids=UNASKED)
def test_what_needs_no_approval(
    args: tuple[str, ...], more: str, env: dict[str, str], variable: str | None
) -> None:
    """Loopback, a provider's own, and what the user says in the command itself."""
    assert key(*args, file=more + FILE, env=env)[1] == variable


def test_broken_approvals_are_no_yes(tmp_path: Path) -> None:
    """A file that cannot be read as approvals ends the command."""
    path = Approvals().path
    path.parent.mkdir(parents=True)
    path.write_text("{")
    assert "approved.json" in key("--base-url", "gpu")


def test_the_judge_s_way_out_names_the_judge_s_option() -> None:
    """What the message says to type is what helps."""
    message = key("--judge", "openai/j", "--judge-base-url", "gpu")
    assert "with --judge-api-key-env" in message


def test_a_command_that_sends_nothing_sees_no_variable_of_a_key() -> None:
    """Only `find_target` reads those of a file: they are defaults of no option."""
    Path("bench.toml").write_text('[run]\napi_key_env = "A_KEY"\nbase_url = "https://e.example"\n')

    @click.command()
    @options.endpoint_options
    @config_option
    def probe(**params: Any) -> None:
        click.echo(json.dumps([params["base_url"], params["api_key_env"]]))

    done = CliRunner().invoke(probe, [])
    assert json.loads(done.stdout) == [["https://e.example"], None]


def test_settings_are_plain_values() -> None:
    """`read_settings` gives the defaults as written, endpoints and prices by name."""
    path = Path("bench.toml")
    price = '[prices."openai/x"]\ninput = 1\noutput = 2.5\ncached = 0.1\n'
    path.write_text("[run]\nmax-tokens = 9\n" + FILE + price)
    settings = read_settings(path)
    assert settings.run == {"max_tokens": 9}
    assert settings.endpoints["gpu"].stated() == {
        "base_url": GPU,
        "api_key_env": "GPU_KEY",
        "rpm": 60,
        "tpm": 1000,
        "concurrency": 4,
        "timeout": 30,
    }
    assert settings.prices["openai/x"].cached_input == 0.1
    assert settings.path == path
    assert SettingsFile().endpoint(None) is None
