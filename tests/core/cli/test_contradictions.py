"""Command lines that cannot be meant: one line, exit 2, before anything is made or sent."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Bench = Callable[..., Any]
HERE = "http://127.0.0.1:9/v1"
REAL = ("--model", "openai/x", "--base-url", HERE)
CASES = {
    "items and limit": (("--items", "1", "--limit", "2"), "--items and --limit"),
    "no item": (("--items", " , "), "names no item"),
    "an item twice": (("--items", "1,1"), "names 1 twice"),
    "an unknown item": (("--items", "1,zz"), "--items zz: the pack has no such item"),
    "a judge without need": (("--judge", "openai/j"), "asks no judge"),
    "a judge's address alone": (("--judge-base-url", HERE), "needs --judge"),
    "a judge's key alone": (("--judge-api-key-env", "A_KEY"), "needs --judge"),
    "an address for a demo": (("--base-url", HERE), "--base-url does not go with demo/medium"),
    "a key for a demo": (("--api-key-env", "A_KEY"), "--api-key-env does not go with demo"),
    "one name for two": (("--name", "n", "--model", "demo/weak", "--model", "demo/strong"), "one"),
    "a blank name": (("--name", " "), "--name must not be blank"),
    "a model twice": (("--model", "demo/weak", "--model", "demo/weak"), "is given twice"),
    "no provider": (("--model", "gpt"), "'gpt' is not a model spec; write PROVIDER/NAME"),
    "an empty name": (("--model", "openai/"), "not a model spec"),
    "an unknown provider": (("--model", "opena/x"), "did you mean 'openai'"),
    "an address of no web": (("--model", "openai/x", "--base-url", "ftp://h"), "http"),
    "a key in an address": (("--model", "openai/x", "--base-url", "http://k@h/v1"), "--api-key"),
    "an infinite timeout": (("--timeout", "inf"), "not a finite number"),
    "a setting of bench.toml": (("--quorum", "2"), "a key of bench.toml: quorum = ... under [run]"),
    "no number": (("--temperature", "nan"), "not a finite number"),
    "no iteration": (("--iterations", "0"), "'--iterations'"),
    "a body that is no JSON": ((*REAL, "--extra-body", "{x"), "--extra-body is not JSON"),
    "a body that is a list": ((*REAL, "--extra-body", "[]"), "must be a JSON object"),
    "a body with NaN": ((*REAL, "--extra-body", '{"a": NaN}'), "NaN"),
    "a body with a key twice": ((*REAL, "--extra-body", '{"a":1,"a":2}'), "stands twice"),
    "a body with the model": ((*REAL, "--extra-body", '{"model":"y"}'), "use --model"),
    "a body beside an option": (
        (*REAL, "--top-p", "0.9", "--extra-body", '{"top_p":1}'),
        "an option sets it already",
    ),
    "a note without =": (("--note", "gpu"), "not of the form K=V"),
    "a note twice": (("--note", "a=1", "--note", "a=2"), "given twice"),
    "a prompt that is not there": (("--system", "@none.txt"), "--system @none.txt"),
}


@pytest.mark.parametrize(("args", "message"), CASES.values(), ids=CASES)
def test_what_cannot_be_meant_is_refused(bench: Bench, args: tuple[str, ...], message: str) -> None:
    """Exit 2, one line, nothing on standard output, no journal."""
    done = bench("run", "eqbench-v1", *args)
    assert done.code == 2, done
    assert done.out == ""
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1
    assert message in done.err
    assert not Path("runs").exists()


KEYS = {
    "a header for a demo": ('headers = {A = "b"}', "[run] headers does not go with demo", 2),
    "no size": ('max_reply = "16 parsecs"', "[run] max_reply must be a size above 0", 3),
    "no bytes": ("max_reply = 0", "such as 16MiB", 3),
}


@pytest.mark.parametrize(("key", "message", "code"), KEYS.values(), ids=KEYS)
def test_a_key_that_cannot_be_meant_is_refused(
    bench: Bench, key: str, message: str, code: int
) -> None:
    """One line that names the key and the file."""
    Path("bench.toml").write_text(f"[run]\n{key}\n", "utf-8")
    done = bench("run", "eqbench-v1")
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1)
    assert message in done.err and "bench.toml" in done.err


@pytest.mark.parametrize(
    "header",
    ["Bearer-sk-fake-0123456789abcdef", "Authorization: Bearer fake-0123456789=="],
)
def test_a_header_that_is_malformed_is_not_repeated(bench: Bench, header: str) -> None:
    """A header may be a secret, wherever its = stands: the message does not hold it."""
    done = bench("run", "eqbench-v1", *REAL, env={"BENCH_HEADERS": header})
    assert done.code == 2 and "[run] headers" in done.err
    assert "0123456789" not in done.err


def test_all_models_are_checked_before_the_first_is_asked(bench: Bench) -> None:
    """The second model's missing provider is known before the first one's run."""
    done = bench("run", "eqbench-v1", "--model", "demo/weak", "--model", "nobody/x")
    assert done.code == 2
    assert not Path("runs").exists()


def test_an_option_s_value_may_be_a_benchmark_s_name(bench: Bench) -> None:
    """`--name eqbench-v1` names the model, before or after the benchmark."""
    for args in (("--name", "eqbench-v1", "eqbench-v1"), ("eqbench-v1", "--name", "eqbench-v1")):
        document = bench("run", *args, "--limit", 1, "--json").json
        assert (document["benchmark"], document["name"]) == ("eqbench-v1", "eqbench-v1")


def test_options_may_stand_before_the_benchmark(bench: Bench) -> None:
    """Also the benchmark's own."""
    args = ("--parser", "reference", "--limit", 2, "--no-revise", "eqbench-v1", "--json")
    document = bench("run", *args).json
    assert document["options"] == {"parser": "reference", "revise": False}


def test_an_unknown_demo_model_is_refused(bench: Bench) -> None:
    """The message says which there are."""
    done = bench("run", "eqbench-v1", "--model", "demo/best")
    assert (done.code, done.out) == (2, "")
    assert "demo/strong, demo/medium, demo/weak" in done.err


def test_extra_body_of_an_option_s_kind_is_sent(bench: Bench) -> None:
    """--extra-body takes what no option has; `bench prompts` shows it."""
    body = json.dumps({"top_k": 20})
    done = bench("prompts", "eqbench-v1", "--limit", 1, "--extra-body", body)
    assert json.loads(done.out)["extra_body"] == {"top_k": 20}


@pytest.mark.parametrize("source", ["option", "variable", "file", "table in the file"])
def test_a_credential_in_extra_fields_is_refused(bench: Bench, source: str) -> None:
    """Wherever they come from: exit 2 before anything is made, with its key and without itself."""
    body = '{"headers": {"x-api-key": "fake-0123456789"}}'
    table = '{headers = {x-api-key = "fake-0123456789"}}'
    file = {"file": f"'{body}'", "table in the file": table}.get(source)
    if file:
        Path("bench.toml").write_text(f"[run]\nextra-body = {file}\n")
    given = ("--extra-body", body) if source == "option" else ()
    env = {"BENCH_EXTRA_BODY": body} if source == "variable" else None
    url = ("--model", "openai/x", "--base-url", "http://127.0.0.1:9/v1")
    done = bench("run", "eqbench-v1", *url, *given, env=env)
    assert done.code == 2
    assert "--extra-body holds 'headers.x-api-key'" in done.err and "0123456789" not in done.err
    where = {"option": "into [run] headers", "variable": "(set by BENCH_EXTRA_BODY)"}
    assert done.err.rstrip().endswith(where.get(source, "(set in bench.toml)"))
    assert not Path("runs").exists()
