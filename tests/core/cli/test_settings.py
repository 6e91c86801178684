"""Where settings come from, and which are refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Bench = Callable[..., Any]


def setting(bench: Bench, name: str, **kwargs: Any) -> tuple[Any, str]:
    """A setting's value and origin by `bench config`, of everything or of eqbench-v1."""
    rows = bench("config", "--json", **kwargs).json["settings"]
    (row,) = [r for r in rows if r["name"] == name and r["benchmark"] in (None, "eqbench-v1")]
    return row["value"], row["origin"]


@pytest.mark.parametrize(
    ("name", "default", "in_file", "in_env"),
    [
        ("concurrency", 32, "8", "4"),
        ("temperature", None, "0.5", "0.7"),
        ("quorum", None, "3", "2"),
        ("name", None, '"mine"', "theirs"),
        ("model", [], '"demo/weak"', "demo/strong"),
        ("limit", None, "3", "2"),
    ],
)
def test_environment_goes_before_file_before_default(
    bench: Bench, name: str, default: Any, in_file: str, in_env: str
) -> None:
    """`bench config` shows the value that would hold, and where it came from."""
    variable = "BENCH_" + name.upper()
    assert setting(bench, name) == (default, "default")
    Path("bench.toml").write_text(f"[run]\n{name} = {in_file}\n")
    value, origin = setting(bench, name)
    assert origin == "file bench.toml"
    assert value != default
    value, origin = setting(bench, name, env={variable: in_env})
    assert origin == f"environment {variable}"


def test_option_goes_before_environment_before_file(bench: Bench) -> None:
    """A run takes the option; without it the variable; without that the file."""
    Path("bench.toml").write_text("[run]\nlimit = 4\nmodel = ['demo/strong']\n")
    env = {"BENCH_LIMIT": "3"}
    run = ("run", "eqbench-v1", "--json")
    assert bench(*run, "--limit", 2, env=env).json["items"]["total"] == 2
    assert bench(*run, env=env).json["items"]["total"] == 3
    document = bench(*run).json
    assert document["items"]["total"] == 4
    assert document["model"] == "demo/strong"


def test_benchmark_options_come_from_the_file(bench: Bench) -> None:
    """--parser is a setting like any other."""
    Path("bench.toml").write_text('[run]\nparser = "reference"\n')
    run = ("run", "eqbench-v1", "--limit", 2, "--json")
    assert bench(*run).json["options"] == {"parser": "reference", "revise": True}


def test_a_named_file_is_read_instead(bench: Bench) -> None:
    """--config FILE takes the place of bench.toml."""
    Path("bench.toml").write_text("[run]\nlimit = 4\n")
    Path("other.toml").write_text("[run]\nlimit = 2\n")
    run = ("run", "eqbench-v1", "--json")
    assert bench(*run, "--config", "other.toml").json["items"]["total"] == 2


def test_runs_folder_of_the_file_is_where_all_commands_look(bench: Bench) -> None:
    """`bench runs` and `bench show` find what `bench run` put elsewhere."""
    Path("bench.toml").write_text('[run]\nruns_dir = "elsewhere"\nconcurrency = 2\n')
    run_id = bench("run", "eqbench-v1", "--limit", 2, "--json").json["run_id"]
    assert [run["run_id"] for run in bench("runs", "--json").json["runs"]] == [run_id]
    assert bench("show", run_id, "--json").json["run_id"] == run_id
    assert bench("delete", run_id, "--yes").code == 0


BROKEN = {
    "not toml": ("[run]\nlimit = \n", "line 2"),
    "not a table": ("run = 3\n", "write [run]"),
    "unknown table": ("[rnu]\nlimit = 3\n", "unknown table or key 'rnu'; did you mean run?"),
    "a key outside": ("limit = 3\n", "'limit'; settings go under [run]"),
    "a name twice": ("[run]\nmax-tokens = 5\nmax_tokens = 6\n", "[run] max_tokens is set twice"),
    "unknown key": ("[run]\nconcurency = 3\n", "did you mean concurrency?"),
    "text for a number": (
        '[run]\nlimit = "five"\n',
        'must be a whole number from 1 on, not "fi',
    ),
    "switch for a number": ("[run]\nlimit = true\n", "[run] limit must be a whole number"),
    "fraction for a whole": ("[run]\nlimit = 2.5\n", "[run] limit must be a whole number"),
    "number for a text": ("[run]\nname = 5\n", "[run] name must be a text, not 5"),
    "number for a switch": ("[run]\nrevise = 1\n", "[run] revise must be true or false"),
    "out of range": ("[run]\nlimit = 0\n", "[run] limit must be a whole number from 1 on, not 0"),
    "not a number": ("[run]\ntemperature = nan\n", "[run] temperature"),
    "unknown choice": (
        '[run]\nparser = "loose"\n',
        "parser must be one of strict, refer",
    ),
    "number for a list": ("[run]\nmodel = [1]\n", "[run] model must be a text, or a list of such"),
    "a key for its name": ('[run]\napi_key_env = "sk-fake-01"\n', "the NAME of a variable"),
    "a judge's key": (
        '[run]\njudge-api-key-env = "fake01"\n',
        "[run] judge_api_key_env must be",
    ),
    "a number for a name": ("[run]\napi_key_env = 5\n", "[run] api_key_env must be the NAME"),
    "extra fields in a list": (
        '[run]\nextra_body = [{api_key = "fake"}]\n',
        "[run] extra_body must be a text",
    ),
    "what is no setting": ("[run]\njson = true\n", "no setting json"),
    "a yes for the user": ("[run]\nyes = true\n", "no setting yes"),
    "endpoints as a value": ("endpoints = 5\n", "write [endpoints.NAME]"),
    "an endpoint as a value": ("endpoints.a = 5\n", "[endpoints.a] must be a table"),
    "an endpoint without address": ("[endpoints.a]\nrpm = 5\n", "[endpoints.a]: base_url is mis"),
    "a wrong address": ('[endpoints.a]\nbase_url = "ftp://h"\n', "[endpoints.a] base_url: 'ftp"),
    "a key in an address": (
        '[endpoints.a]\nbase_url = "http://k@h"\n',
        "[endpoints.a] base_url: m",
    ),
    "an unknown key": ('[endpoints.a]\nbase-urk = "http://h"\n', "did you mean base_url?"),
    "an address as a name": (
        '[endpoints."https://h/v1"]\nbase_url="http://h"\n',
        "a name has letter",
    ),
    "a host as a name": (
        '[endpoints."gpu.example.org"]\nbase_url="https://gpu.example.org"\n',
        "a name has letter",
    ),
    "local for another host": (
        '[endpoints.local]\nbase_url="https://gpu.example.org"\n',
        "local is what servers on this machine and in private networks are called",
    ),
    "no requests": (
        '[endpoints.a]\nbase_url="http://h"\nrpm = 0\n',
        "[endpoints.a] rpm must be",
    ),
    "half a place": (
        '[endpoints.a]\nbase_url="http://h"\nconcurrency = 2.5\n',
        "[endpoints.a] concurrency must be a whole number from 1 on, not 2.5",
    ),
    "endless": ('[endpoints.a]\nbase_url="http://h"\ntimeout = inf\n', "must be a finite number"),
    "a key for a name": (
        '[endpoints.a]\nbase_url="http://h"\napi_key_env = "sk-fake-01"\n',
        "[endpoints.a] api_key_env must be the NAME of a variable",
    ),
    "prices as a value": ("prices = 5\n", "prices must be tables"),
    "half a price": ('[prices."openai/x"]\ninput = 1\n', '[prices."openai/x"]: output is missing'),
    "a price of no model": ("[prices.x]\ninput = 1\noutput = 1\n", "'x' is not a model spec"),
}


@pytest.mark.parametrize("command", [("run", "eqbench-v1"), ("config",)], ids=" ".join)
@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_one_line_that_names_the_place(
    bench: Bench, text: str, message: str, command: tuple[str, ...]
) -> None:
    """Exit 3 with the file and the key, whichever command reads it; nothing is run."""
    Path("bench.toml").write_text(text)
    done = bench(*command)
    assert done.code == 3
    assert done.err.startswith("Error: bench.toml")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert "fake" not in done.err
    assert not Path("runs").exists()


def test_a_named_file_that_is_missing_is_an_error(bench: Bench) -> None:
    """--config FILE must be there; bench.toml need not."""
    done = bench("run", "eqbench-v1", "--config", "none.toml")
    assert (done.code, done.err) == (3, "Error: none.toml: no such file; check the path\n")


def test_a_wrong_variable_is_named(bench: Bench) -> None:
    """A value from the environment that cannot be is a configuration error, exit 3."""
    done = bench("run", "eqbench-v1", env={"BENCH_LIMIT": "five"})
    assert done.code == 3
    assert "BENCH_LIMIT" in done.err


def test_header_values_are_not_shown(bench: Bench) -> None:
    """A header may be a secret: `bench config` shows its name only, and of what is none nothing."""
    done = bench("config", env={"BENCH_HEADERS": "X-Secret=sk-fake-0123456789abcdef"})
    assert "X-Secret=[hidden]" in done.out
    assert "0123456789" not in done.out
    with_blanks = "Authorization=Bearer fake-0123456789="
    rows = bench("config", "--json", env={"BENCH_HEADERS": with_blanks}).json["settings"]
    (value,) = [row["value"] for row in rows if row["name"] == "headers"]
    assert value == ["Authorization=[hidden]"]


def test_tables_in_the_file_are_repeated_options(bench: Bench) -> None:
    """Note = {K = "V"}, items = [..] and extra_body = {..} are read as written."""
    Path("bench.toml").write_text('[run]\nnote = {gpu = "4090"}\nitems = [1, 3]\n')
    assert setting(bench, "note") == (["gpu=4090"], "file bench.toml")
    document = bench("run", "eqbench-v1", "--json").json
    assert document["items"]["total"] == 2


def test_items_that_are_named_go_before_a_limit_of_the_environment(bench: Bench) -> None:
    """`bench prompts --items` writes each of them."""
    lines = bench("prompts", "eqbench-v1").out.splitlines()
    ids = [json.loads(x)["item_id"] for x in lines[:3]]
    done = bench("prompts", "eqbench-v1", "--items", ",".join(ids), env={"BENCH_LIMIT": "1"})
    assert [json.loads(x)["item_id"] for x in done.out.splitlines()] == ids
