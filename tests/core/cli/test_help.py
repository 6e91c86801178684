"""Help: quick, complete, and true."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import click
import pytest

from eibench.core.cli.app import BenchGroup, app
from eibench.core.cli.settings import env_name, filed_options
from eibench.core.hooks.names import COMMANDS, EXPORT_TAKEN, GROUPS, OF_OUR_PLUGINS, TAKEN
from eibench.core.plugins import installed
from eibench.core.types import SAMPLING

Bench = Callable[..., Any]
HEAVY = ("numpy", "openai", "anthropic", "litellm", "aiohttp", "httpx", "rich", "glicko2")
PROBE = """
import sys
from eibench.core.cli import main
sys.argv = ["bench", *sys.argv[1:]]
try:
    main()
except SystemExit as error:
    assert not error.code, error.code
print(",".join(sorted({name.split(".")[0] for name in sys.modules})))
print("plugins" if "eibench.plugins" in sys.modules else "no plugins")
"""


def command(name: str) -> click.Command:
    """One of our commands."""
    assert isinstance(app, BenchGroup)
    found = app.get_command(click.Context(app), name)
    assert found is not None
    return found


def loaded(*args: str) -> tuple[set[str], str]:
    """The top modules loaded after `bench ARGS` in a new process, and whether plugins were."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *args], capture_output=True, text=True, check=True
    )
    *_, modules, plugins = done.stdout.splitlines()
    return set(modules.split(",")), plugins


@pytest.mark.parametrize(
    "args",
    [("--help",), ("run", "--help"), ("run", "eqbench-v1", "--help"), ("list",), ("--version",)],
    ids=" ".join,
)
def test_help_loads_nothing_heavy(args: tuple[str, ...]) -> None:
    """Neither numpy nor an SDK nor rich is imported before there is work for it."""
    assert not loaded(*args)[0] & set(HEAVY)


def test_top_help_loads_no_command_and_no_plugin_of_ours() -> None:
    """`bench --help` comes from a table: no asyncio, no sqlite3, no benchmark."""
    modules, plugins = loaded("--help")
    assert not modules & {"asyncio", "sqlite3", "ssl"}
    assert plugins == "no plugins"


@pytest.mark.parametrize("name", COMMANDS)
def test_line_in_the_top_help_is_the_command_s_own(name: str) -> None:
    """The table that `bench --help` is made from says what each command's help says."""
    assert command(name).get_short_help_str(limit=200) == COMMANDS[name].help


def test_commands_of_our_plugins_are_in_the_table_that_help_is_made_from() -> None:
    """Each with the line that its own help begins with."""
    registry = installed().commands
    ours = [name for name, origin in registry.origins.items() if origin.startswith("eibench ")]
    lines = {name: registry.things[name].get_short_help_str(limit=200) for name in ours}
    assert lines == dict(OF_OUR_PLUGINS)


def test_names_that_benchmarks_may_not_take_are_those_of_our_options() -> None:
    """A benchmark's option can clash with none of those it stands beside."""
    used = {"debug", "help"}
    for name in ("run", "score", "prompts", "rate", "leaderboard"):
        for param in command(name).params:
            longest = max(param.opts, key=len).lstrip("-").replace("-", "_")
            used |= {str(param.name), longest}
    assert used == TAKEN | SAMPLING.keys()


def test_names_that_exporters_may_not_take_are_those_of_export() -> None:
    """An exporter's option can clash with none of those it stands beside."""
    used = {"debug", "help"}
    for param in command("export").params:
        used |= {str(param.name), max(param.opts, key=len).lstrip("-").replace("-", "_")}
    assert used == EXPORT_TAKEN


def test_each_setting_of_run_has_a_variable() -> None:
    """Every setting of bench.toml can be given as BENCH_*, and nothing else."""
    settings = filed_options(command("run"))
    for param in command("run").params:
        if isinstance(param, click.Option):
            name = env_name(max(param.opts, key=len).lstrip("-"))
            assert param.envvar == (name if param in settings else None), param.name


@pytest.mark.parametrize("order", [("eqbench-v1", "--help"), ("--help", "eqbench-v1")])
def test_help_of_a_benchmark_shows_its_own_options(bench: Bench, order: tuple[str, str]) -> None:
    """`bench run eqbench-v1 --help` lists --parser and --no-revise, in either order."""
    done = bench("run", *order)
    assert done.code == 0
    assert "--parser [strict|reference]" in done.out
    assert "--no-revise" in done.out
    assert "--concurrency" in done.out


def test_no_arguments_print_what_to_begin_with(bench: Bench) -> None:
    """`bench` alone is no error."""
    done = bench()
    assert done.code == 0
    assert "bench run eqbench-v1\n" in done.out and "bench help" in done.out


def test_help_has_groups_and_examples(bench: Bench) -> None:
    """Each of our commands stands in one of them; those of others would stand last."""
    shown = bench("--help").out
    assert all(f"\n{title}:\n" in shown for title in (*GROUPS, "Examples"))
    named = [name for names in GROUPS.values() for name in names]
    assert len(named) == len(set(named))
    assert set(named) <= {*COMMANDS, *OF_OUR_PLUGINS}


def test_help_of_a_command_can_be_asked_for_by_name(bench: Bench) -> None:
    """With the benchmark's options, each under its heading."""
    shown = bench("help", "run", "eqbench-v1").out
    assert shown == bench("run", "eqbench-v1", "--help").out
    headings = ("Which models, and where", "What may be spent", "Options of eqbench-v1")
    assert all(f"\n{heading}:\n" in shown for heading in headings)
    assert bench("help").out == bench("--help").out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("runn",), "did you mean 'run'"),
        (("run",), "name a benchmark, or --suite NAME"),
        (("run", "eqbench-v9"), "did you mean 'eqbench-v"),
        (("run", "eqbench-v9", "--parser", "strict"), "did you mean 'eqbench-v"),
        (("run", "eqbench-v1", "--parser", "loose"), "'strict', 'reference'"),
        (("run", "eqbench-v1", "--itmes", "1"), "--items"),
        (("info", "eqbench"), "did you mean 'eqbench3'"),
        (("delete",), "Missing argument 'RUN'"),
    ],
)
def test_wrong_words_are_one_line_with_what_was_meant(
    bench: Bench, args: tuple[str, ...], message: str
) -> None:
    """Exit 2, one line on standard error, nothing on standard output."""
    done = bench(*args)
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert done.err.startswith("Error: ")
    assert message in done.err


def test_info_names_no_default_that_says_nothing(bench: Bench) -> None:
    """An empty text is what it is without the option; what 0 means stands there."""
    shown = bench("info", "eqbench3").out
    assert "--opponents: Names of the models to compare with (default: all).\n" in shown
    assert "in all (0: no limit). Default: 0.\n" in shown
