"""`bench config`: endpoints, prices and approvals."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.core.clients.approvals import Approvals, Sending

Bench = Callable[..., Any]
FILE = """
[endpoints.gpu]
base_url = "https://gpu.example/v1"
api_key_env = "GPU_KEY"
rpm = 60
[prices."openai/x"]
input = 1
output = 2.5
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No approvals but those of a test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))


def test_endpoints_and_prices_are_shown_with_their_origin(bench: Bench) -> None:
    """As plain values, and as tables."""
    Path("bench.toml").write_text(FILE)
    found = bench("config", "--json").json
    origin = {"origin": "file bench.toml"}
    address = {"base_url": "https://gpu.example/v1", "api_key_env": "GPU_KEY", "rpm": 60.0}
    assert found["endpoints"] == [{"name": "gpu"} | address | origin]
    rates = {"input": 1.0, "output": 2.5, "cached": None, "cache_write": None}
    assert found["prices"] == [{"model": "openai/x"} | rates | origin]
    out = bench("config").out
    for message in ("gpu", "https://gpu.example/v1", "GPU_KEY", "openai/x", "2.5"):
        assert message in out


def test_no_key_is_shown(bench: Bench) -> None:
    """Neither of a variable that the file names, nor one that stands in place of a name."""
    Path("bench.toml").write_text(FILE + '[run]\napi_key_env = "GPU_KEY"\n')
    key = "sk-fake-0123456789abcdef"
    env = {"GPU_KEY": key, "BENCH_JUDGE_API_KEY_ENV": key, "BENCH_HEADERS": f"X={key}"}
    for args in (("config",), ("config", "--json")):
        done = bench(*args, env=env)
        assert "GPU_KEY" in done.out
        assert "fake" not in done.out + done.err


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("base_url", "http://u:{}@127.0.0.1/v1", ["http://[hidden]@127.0.0.1/v1"]),
        ("judge_base_url", "https://h.example/v1?key={}", ["https://h.example/v1?[hidden]"]),
        ("judge_base_url", "a/b=https://h.example/?key={}", ["a/b=https://h.example/?[hidden]"]),
        ("judge_api_key_env", "{}", ["[hidden]"]),
        ("api_key_env", "{}", "[hidden]"),
        ("extra_body", '{{"a": [{{"api_key": "{}"}}]}}', '{"a": [{"api_key": "[hidden]"}]}'),
        ("extra_body", '{{"api_key": "{}}}', "[hidden]"),
        ("extra_body", '{{"top_k": 5}}', '{"top_k": 5}'),
    ],
)
def test_settings_are_shown_without_secrets(
    bench: Bench, name: str, value: str, shown: object
) -> None:
    """Those that a run would refuse for their secrets are shown without them, in both forms."""
    secret = "gskfake0123456789"
    env = {f"BENCH_{name.upper()}": value.format(secret)}
    (row,) = [s for s in bench("config", "--json", env=env).json["settings"] if s["name"] == name]
    assert row["value"] == shown
    assert secret not in bench("config", env=env).out


def test_a_variable_in_the_file_has_its_origin(bench: Bench) -> None:
    """Though it is the default of no option."""
    Path("bench.toml").write_text('[run]\napi-key-env = "GPU_KEY"\n')
    (row,) = [s for s in bench("config", "--json").json["settings"] if s["name"] == "api_key_env"]
    assert (row["value"], row["origin"]) == ("GPU_KEY", "file bench.toml")


def test_approving_and_taking_back(bench: Bench) -> None:
    """--approve stores a pair in one spelling, `bench config` lists it, --revoke removes it."""
    assert bench("config", "--approve", "https://GPU.example/v1", "GPU_KEY").code == 0
    assert Approvals().all() == [Sending("gpu.example", "GPU_KEY")]
    (row,) = bench("config", "--json").json["approved"]
    assert (row["place"], row["variable"]) == ("gpu.example", "GPU_KEY")
    assert "gpu.example" in bench("config").out
    assert "taken back" in bench("config", "--revoke", "gpu.example", "GPU_KEY").err
    assert Approvals().all() == []
    assert "was not approved" in bench("config", "--revoke", "gpu.example", "GPU_KEY").err


def test_http_is_approved_by_that_name_only(bench: Bench) -> None:
    """A host alone means TLS."""
    bench("config", "--approve", "http://gpu.example:8000", "GPU_KEY")
    assert Approvals().all() == [Sending("http://gpu.example:8000", "GPU_KEY")]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("gpu.example", "sk-fake-0123456789abcdef"), "NAME of a variable"),
        (("ftp://gpu.example", "GPU_KEY"), "is no host"),
        (("gpu.example",), "requires 2 arguments"),
    ],
)
def test_what_cannot_be_approved(bench: Bench, args: tuple[str, ...], message: str) -> None:
    """Exit 2, one line, nothing stored; a key in place of a name is not repeated."""
    done = bench("config", "--approve", *args)
    assert done.code == 2
    assert message in done.err
    assert "fake" not in done.err
    assert not Approvals().path.exists()


def test_broken_approvals_are_told(bench: Bench) -> None:
    """Exit 3 and the file's name, when they are listed and when they are changed."""
    path = Approvals().path
    path.parent.mkdir(parents=True)
    path.write_text("{")
    for args in ((), ("--approve", "gpu.example", "GPU_KEY"), ("--revoke", "g.example", "A")):
        done = bench("config", *args)
        assert done.code == 3
        assert str(path) in done.err
    assert path.read_text() == "{"


def test_what_is_set_is_shown_and_the_rest_with_details(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A default is not news; JSON has all."""
    monkeypatch.delenv("BENCH_DETAILS")
    Path("bench.toml").write_text("[run]\nconcurrency = 8\n")
    short, long = bench("config").out, bench("config", "--details").out
    assert "concurrency" in short and "max_tokens" not in short
    assert "all others have their defaults: --details" in short
    assert "concurrency" in long and "max_tokens" in long
    assert "max_tokens" in bench("config", "--json").out


def test_a_suite_s_settings_are_shown_as_its_run_would_take_them(bench: Bench) -> None:
    """Before those of [run], and those of a benchmark's own before both."""
    Path("bench.toml").write_text(
        "[run]\nconcurrency = 8\nlimit = 3\n[suite.nightly]\nbenchmarks = ['seceu']\n"
        "limit = 5\n[suite.nightly.options.seceu]\nprompting = 'two-shot'\n"
    )
    rows = bench("config", "--suite", "nightly", "--json").json["settings"]
    found = {(r["name"], r["benchmark"]): (r["value"], r["origin"]) for r in rows}
    assert found["concurrency", None] == (8, "file bench.toml")
    assert found["limit", None] == (5, "suite nightly, file bench.toml")
    assert found["prompting", "seceu"] == ("two-shot", "suite nightly, file bench.toml")
    assert bench("config", "--suite", "weekly").code == 3


def test_stated_families_are_shown_and_count(bench: Bench) -> None:
    """In the warning about a judge, too."""
    Path("bench.toml").write_text('[families]\n"acme-*" = "acme"\n')
    (row,) = bench("config", "--json").json["families"]
    assert row == {"model": "acme-*", "family": "acme", "origin": "file bench.toml"}
    assert "acme-*" in bench("config").out
    run = ("run", "eqbench3", "--model", "openai/acme-7b", "--judge", "openai/acme-70b")
    url = "http://127.0.0.1:9/v1"
    planned = bench(*run, "--base-url", url, "--judge-base-url", url, "--dry-run")
    assert "of the model's family (acme)" in planned.err
    Path("bench.toml").unlink()
    planned = bench(*run, "--base-url", url, "--judge-base-url", url, "--dry-run")
    assert planned.code == 0 and "family" not in planned.err


@pytest.mark.parametrize("value", ["families = 3", "[families]\nx = 1", "[families]\nx = ' '"])
def test_a_family_has_a_name(bench: Bench, value: str) -> None:
    """Anything else is an error that names the file."""
    Path("bench.toml").write_text(value + "\n")
    done = bench("config")
    assert done.code == 3 and "bench.toml" in done.err and "famil" in done.err
