"""Plugins of others, installed as distributions: used, or named as broken."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from eibench.core.hooks.names import OF_OUR_PLUGINS
from eibench.core.plugins import installed

GOOD = '''
"""A plugin with one of everything."""

import click

import eibench


class Echo(eibench.Benchmark):
    name, version, title = "echo", "3", "says what it is told"
    judged = True
    options = (eibench.Option("strict", False, "Read strictly.", in_grades=True),)

    def read_pack(self, source, options):
        if "raise" in str(source.files):
            raise ZeroDivisionError("the plugin's own fault")
        return eibench.Pack(source, [eibench.Item("a"), eibench.Item("b")], "beside nothing")

    async def generate(self, item, model, options):
        return (await model.chat("Say " + item.id)).text

    async def grade(self, item, transcript, judge, options):
        verdict = (await judge.chat("Judge " + transcript)).text
        return eibench.Score({"points": float(len(verdict)) + options["strict"]})

    def summarise(self, pack, scores, options):
        values = [s.score.values["points"] for s in scores]
        mean = sum(values) / len(values) if values else None
        return eibench.Summary({"score": eibench.Metric(mean, n=len(values), label="mean")})

    def demo_verdict(self, item, request, rng):
        return "demo"

    def demo_reply(self, item, request, ability, rng):
        return request.messages[-1].content.upper()


class Parrot:
    def __init__(self, config):
        self.config = config

    async def complete(self, request, call):
        return eibench.ChatResponse("polly " + self.config.model.name, cost_usd=0.0)

    async def close(self):
        pass


class Engine:
    name, title = "coin", "tosses a coin"

    def rate(self, comparisons, settings):
        return {"heads": 1.0}


@eibench.hookimpl
def register_benchmarks(register):
    register(Echo())


@eibench.hookimpl
def register_providers(register):
    register(eibench.Provider("parrot", "repeats", Parrot))


@eibench.hookimpl
def register_rating_engines(register):
    register(Engine())


def build(document):
    return eibench.Table("Feathers", ("colour",), [("green",)])


def fail(document):
    raise LookupError("no feathers")


@eibench.hookimpl
def register_report_sections(register):
    register(eibench.ReportSection("feathers", "echo", build))
    register(eibench.ReportSection("bald", "echo", fail))


@click.command()
@click.argument("word")
def squawk(word):
    """Squawk a word."""
    click.echo(word * 2)


@eibench.hookimpl
def register_commands(register):
    register(squawk)
'''
BUILT_IN = list(installed().benchmarks.things)
HEAD = "import click, eibench\nfrom eibench import hookimpl\n"


class Place(NamedTuple):
    """A folder on the path of a new process, and what is installed there."""

    path: Path

    def install(self, name: str, code: str) -> None:
        """Install a distribution of one module that is a plugin."""
        (self.path / f"{name}.py").write_text(code)
        info = self.path / f"{name}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-dist\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(f"[eibench]\n{name} = {name}\n")

    def bench(self, *args: str) -> "subprocess.CompletedProcess[str]":
        """`bench` in a new process that sees what is installed here."""
        code = "import sys; from eibench.core.cli import main; sys.argv[0] = 'bench'; main()"
        kept = {k: v for k, v in os.environ.items() if not k.startswith("BENCH_")}
        return subprocess.run(
            [sys.executable, "-c", code, *args],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.path,
            env=kept | {"PYTHONPATH": str(self.path), "COLUMNS": "120"},
        )

    def listing(self) -> Any:
        """`bench list --json`; listing works whatever is broken."""
        done = self.bench("list", "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Nothing installed yet."""
    return Place(tmp_path)


@pytest.fixture
def good(place: Place) -> Place:
    """The good plugin installed, and data for its benchmark."""
    place.install("parrots", GOOD)
    (place.path / "data.txt").write_text("data")
    (place.path / "raise.txt").write_text("data")
    return place


RUN = ("run", "echo", "--dataset", "data.txt")


def names(listing: Any, kind: str) -> list[str]:
    """What is listed of a kind."""
    return [entry["name"] for entry in listing[kind]]


def test_everything_a_plugin_adds_is_listed_with_its_distribution(good: Place) -> None:
    """`bench list` shows each thing, and where it is from."""
    listing = good.listing()
    assert "echo" in names(listing, "benchmarks")
    assert "parrot" in names(listing, "providers")
    assert "coin" in names(listing, "rating_engines")
    assert {"feathers", "bald"} <= set(names(listing, "report_sections"))
    (command,) = [c for c in listing["commands"] if c["name"] not in OF_OUR_PLUGINS]
    assert command == {
        "name": "squawk",
        "title": "Squawk a word.",
        "distribution": "parrots-dist 1.2",
    }
    assert listing["broken"] == []


def test_a_plugin_s_command_is_in_the_help_and_runs(good: Place) -> None:
    """It stands beside ours in `bench --help`."""
    assert re.search(r"^  squawk +Squawk a word\.$", good.bench("--help").stdout, re.MULTILINE)
    assert good.bench("squawk", "ha").stdout == "haha\n"


def test_a_plugin_s_benchmark_provider_and_section_make_a_run(good: Place) -> None:
    """Its benchmark runs on its provider with its judge, and its section is printed."""
    both = ("--model", "parrot/red", "--judge", "parrot/blue")
    done = good.bench(*RUN, *both, "--details")
    assert done.returncode == 0, done.stderr
    assert "Feathers" in done.stdout
    assert "mean" in done.stdout
    document = json.loads(good.bench(*RUN, *both, "--json").stdout)
    assert document["metrics"]["score"]["value"] == len("polly blue")
    assert document["calls"] == {"model": 2, "judge": 2, "replayed": 4, "retries": 0}
    assert (document["model"], document["judge"]) == ("parrot/red", "parrot/blue")


def test_an_engine_that_returns_no_ratings_is_named(good: Place) -> None:
    """A plugin's engine is asked like ours, and what it returns is looked at."""
    margins = {"item": "1", "a": "x", "b": "y", "first": "a", "margins": {"c": 1}}
    (good.path / "comparisons.jsonl").write_text(json.dumps(margins))
    done = good.bench("rate", "comparisons.jsonl", "--engine", "coin")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert "rate of coin (parrots-dist 1.2) returned dict" in done.stderr


def test_a_section_that_fails_is_named_and_the_result_is_shown(good: Place) -> None:
    """A plugin's fault in a report costs that section only."""
    done = good.bench(*RUN, "--model", "demo/weak", "--judge", "demo/judge", "--details")
    assert done.returncode == 0
    assert "build of bald (parrots-dist 1.2) raised LookupError: no feathers" in done.stderr
    assert "Feathers" in done.stdout


def test_a_judged_benchmark_needs_a_judge(good: Place) -> None:
    """No silent default; the message has an example."""
    done = good.bench(*RUN, "--model", "parrot/red")
    assert done.returncode == 2
    assert "--judge openai/" in done.stderr


def test_the_demo_judge_does_not_judge_a_real_model(good: Place) -> None:
    """A demo judge's verdict on a real model would be no result."""
    done = good.bench(*RUN, "--model", "parrot/red", "--judge", "demo/judge")
    assert done.returncode == 2
    assert "demo judge" in done.stderr


def test_a_judged_run_is_rescored_with_its_judge_s_replies(good: Place) -> None:
    """Another reading of the same verdicts, without a call."""
    both = ("--model", "parrot/red", "--judge", "parrot/blue")
    run_id = json.loads(good.bench(*RUN, *both, "--json").stdout)["run_id"]
    done = good.bench("rescore", run_id, "--set", "strict=true", "--json")
    document = json.loads(done.stdout)
    assert document["metrics"]["score"]["value"] == len("polly blue") + 1
    assert document["judge"] == "parrot/blue"
    done = good.bench("rescore", run_id, "--set", "strict=perhaps")
    assert (done.returncode, "perhaps" in done.stderr) == (2, True)


def test_an_unexpected_error_is_one_line(good: Place) -> None:
    """A plugin's bug while reading data is shown as a line; --debug adds the traceback."""
    run = ("run", "echo", "--dataset", "raise.txt", "--judge", "demo/judge")
    done = good.bench(*run)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    message = (
        "read_pack of echo (parrots-dist 1.2) raised ZeroDivisionError: the plugin's own fault "
        "(parrots.py:16)"
    )
    assert done.stderr == f"Error: {message}\n"
    assert "Traceback" in good.bench(*run, "--debug").stderr


def registers(kind: str, *things: str) -> str:
    """A hook that registers things."""
    body = "".join(f"    register({thing})\n" for thing in things)
    return f"@hookimpl\ndef register_{kind}(register):\n{body}"


BENCHMARK = """
class B(eibench.Benchmark):
    name, version, title = "{name}", "1", "t"
    options = {options}
    def read_pack(self, source, options): ...
    async def generate(self, item, model, options): ...
    async def grade(self, item, transcript, judge, options): ...
    def summarise(self, pack, scores, options): ...
"""


def benchmark(name: str, options: str = "()") -> str:
    """A benchmark's class, `B`."""
    return BENCHMARK.format(name=name, options=options)


BROKEN = {
    "import": ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
    "syntax": ("def (:\n", "SyntaxError"),
    "exit": ("import sys\nsys.exit(0)\n", "SystemExit"),
    "raises": (HEAD + "@hookimpl\ndef register_benchmarks(register):\n    1 / 0\n", "ZeroDivision"),
    "unknown hook": (
        HEAD + "@hookimpl\ndef register_foo(register): ...\n",
        "unknown hook 'register_foo'",
    ),
    "wrong argument": (HEAD + "@hookimpl\ndef register_benchmarks(reg): ...\n", "'reg'"),
    "no mark": (
        "def register_benchmarks(register): ...\n",
        "register_benchmarks is not marked: write @eibench.hookimpl",
    ),
    "a class": (
        HEAD + benchmark("b") + registers("benchmarks", "B"),
        "it is a class; pass B()",
    ),
    "no name": (
        HEAD + benchmark("b").replace("name, ", "nome, ") + registers("benchmarks", "B()"),
        "it has no name",
    ),
    "a bad name": (HEAD + benchmark("../b") + registers("benchmarks", "B()"), "'../b' must be"),
    "a taken option": (
        HEAD
        + benchmark("b", '(eibench.Option("limit", 1, "h"),)')
        + registers("benchmarks", "B()"),
        "its option 'limit' clashes",
    ),
    "no provider": (HEAD + registers("providers", "'x'"), "it is not an eibench.Provider"),
    "no engine": (HEAD + registers("rating_engines", "'x'"), "it has no name, rate"),
    "no section": (HEAD + registers("report_sections", "'x'"), "not an eibench.ReportSection"),
    "no command": (HEAD + registers("commands", "print"), "it is not a click.Command"),
    "our benchmark": (
        HEAD + benchmark("eqbench-v1") + registers("benchmarks", "B()"),
        "clashes with that of eibench 0.1.0",
    ),
    "our provider": (
        HEAD + registers("providers", "eibench.Provider('openai', 't', print)"),
        "provider 'openai' of {name}-dist 1.2 clashes with that of eibench",
    ),
    "our command": (
        HEAD + registers("commands", "click.Command('run')"),
        "command 'run' of {name}-dist 1.2 clashes with eibench's own",
    ),
}


@pytest.fixture(scope="module")
def all_broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What `bench list` prints with every broken plugin installed, and a good one."""
    place = Place(tmp_path_factory.mktemp("broken"))
    place.install("parrots", GOOD)
    for n, (code, _) in enumerate(BROKEN.values()):
        place.install(f"bad{n}", code)
    done = place.bench("list")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_plugin_is_named(all_broken: str, kind: str) -> None:
    """`bench list` says BROKEN, which distribution and why."""
    name = f"bad{list(BROKEN).index(kind)}"
    (line,) = [line for line in all_broken.splitlines() if line.startswith(f"BROKEN  {name} ")]
    assert line.startswith(f"BROKEN  {name} [{name}-dist 1.2]: ")
    assert BROKEN[kind][1].format(name=name) in line


def test_broken_plugins_stop_nothing_else(all_broken: str) -> None:
    """What ours and a good one add is listed; nothing of a broken one is."""
    assert "eqbench-v1 " in all_broken
    assert "squawk" in all_broken
    assert all_broken.count("BROKEN") == len(BROKEN)


def test_what_a_broken_plugin_may_have_held_is_told_when_it_is_missed(place: Place) -> None:
    """The message about an unknown benchmark, or data alone, names it; other benchmarks run."""
    place.install("bad", "import no_such_module\n")
    for name in ("lost", "judgemark-v2"):
        done = place.bench("run", name)
        assert done.returncode == 2
        assert "plugin 'bad' of bad-dist 1.2 is broken: ModuleNotFoundError" in done.stderr
    assert place.bench("run", "eqbench-v1", "--limit", "1").returncode == 0


def test_a_plugin_that_fails_half_way_leaves_nothing(place: Place) -> None:
    """What it had registered before is taken back, so nothing works by half."""
    things = registers("providers", "eibench.Provider('half', 't', print)", "'not one'")
    place.install("bad", HEAD + benchmark("b") + registers("benchmarks", "B()") + things)
    listing = place.listing()
    assert names(listing, "benchmarks") == BUILT_IN
    assert "half" not in names(listing, "providers")
    assert names(listing, "broken") == ["bad"]


def test_of_two_plugins_with_one_name_the_first_stays(place: Place) -> None:
    """The other is broken, and the message names both distributions."""
    code = HEAD + benchmark("twin") + registers("benchmarks", "B()")
    place.install("one", code)
    place.install("two", code)
    listing = place.listing()
    assert "twin" in names(listing, "benchmarks")
    (broken,) = listing["broken"]
    assert broken["distribution"] == "two-dist 1.2"
    assert "one-dist 1.2" in broken["reason"]


def tagging(order: str, *names: str) -> str:
    """A plugin with an engine of each name, registered by a hook that is marked so."""
    engines = ", ".join(f"eibench.Provider({name!r}, 't', print)" for name in names)
    return HEAD + registers("providers", engines).replace("@hookimpl", f"@hookimpl({order})", 1)


def test_hooks_are_called_in_the_order_that_their_marks_say(place: Place) -> None:
    """One manager asks all plugins: the listing has what is first at its head."""
    place.install("aa", tagging("trylast=True", "latest"))
    place.install("bb", tagging("", "middle"))
    place.install("cc", tagging("tryfirst=True", "earliest"))
    listed = names(place.listing(), "providers")
    assert (listed[0], listed[-2:]) == ("earliest", ["middle", "latest"])


def test_a_wrapper_is_called_around_all_others(place: Place) -> None:
    """What it registers before and after them stands at both ends."""
    wrapper = tagging("wrapper=True", "before") + "    result = yield\n"
    after = "    register(eibench.Provider('after', 't', print))\n    return result\n"
    place.install("around", wrapper + after)
    listed = names(place.listing(), "providers")
    assert (listed[0], listed[-1]) == ("before", "after")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (tagging("wrapper=True", "x"), "wrapper=True"),
        (tagging("", "x") + "    yield\n", "write @eibench.hookimpl(wrapper=True)"),
        (tagging("wrapper=True", "x") + "    yield\n    1 / 0\n", "ZeroDivisionError"),
        (tagging("wrapper=True", "x") + "    yield\n    yield\n", "yields more than once"),
    ],
)
def test_a_wrapper_that_fails_stops_nothing_else(place: Place, code: str, message: str) -> None:
    """It adds nothing; the hooks that it stands around are called."""
    place.install("around", code)
    place.install("good", tagging("", "good"))
    listing = place.listing()
    assert "good" in names(listing, "providers") and "x" not in names(listing, "providers")
    assert [message in one["reason"] for one in listing["broken"]] == [True]


def test_a_name_is_ours_although_a_plugin_is_asked_first(place: Place) -> None:
    """Order gives nobody a name that is taken."""
    place.install("thief", tagging("tryfirst=True", "openai"))
    listing = place.listing()
    assert "clashes with that of eibench 0.1.0" in listing["broken"][0]["reason"]
    (openai,) = [entry for entry in listing["providers"] if entry["name"] == "openai"]
    assert openai["distribution"].startswith("eibench ")


def test_a_broken_plugin_takes_no_name_from_another(place: Place) -> None:
    """What one registers before it fails is free for the next."""
    failing = tagging("", "wanted") + "    1 / 0\n"
    place.install("aa", failing)
    place.install("bb", tagging("", "wanted"))
    listing = place.listing()
    assert "wanted" in names(listing, "providers")
    assert names(listing, "broken") == ["aa"]


@pytest.mark.parametrize("hostile", ["\x1b[31mred", "a\nBROKEN  b [x]: y", "\u202eback"])
def test_a_plugin_s_words_are_harmless(place: Place, hostile: str) -> None:
    """A reason is one line without control characters."""
    place.install("bad", f"raise ValueError({hostile!r})\n")
    out = place.bench("list").stdout
    assert out.count("BROKEN  b") == 1 + (out.count("BROKEN  b [x]") > 0)
    assert not {"\x1b", "\u202e"} & set(out)
    assert sum(line.startswith("BROKEN") for line in out.splitlines()) == 1


# On demand

LATER = 'eibench.OnDemand("later:B", "later", "t")'


def test_what_is_on_demand_is_imported_when_it_is_asked_for(place: Place) -> None:
    """`bench list` reads the declaration; `bench info` needs the benchmark."""
    place.install("bad", HEAD + registers("benchmarks", LATER))
    (place.path / "later.py").write_text("print('here')\n" + HEAD + benchmark("later"))
    done = place.bench("list")
    assert re.search(r"^  later +t  \[bad-dist 1\.2\]$", done.stdout, re.MULTILINE)
    assert done.stderr == ""
    done = place.bench("info", "later")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "later v1: t")
    assert done.stderr == "benchmark later (bad-dist 1.2): here\n"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        (HEAD + "B = eibench.Item", "TypeError"),
        (HEAD + benchmark("other"), "its name is 'other', and was declared as 'later'"),
        (HEAD + benchmark("later", '(eibench.Option("limit", 1, "h"),)'), "'limit' clashes"),
    ],
)
def test_what_cannot_be_imported_is_named_and_stops_nothing_else(
    place: Place, code: str, message: str
) -> None:
    """Who asks for it reads why; other benchmarks run, and commands that look at all."""
    place.install("bad", HEAD + registers("benchmarks", LATER))
    (place.path / "later.py").write_text(code)
    done = place.bench("info", "later")
    assert done.returncode == 3
    assert "plugin 'later' of bad-dist 1.2 is broken: " in done.stderr
    assert message in done.stderr
    assert place.bench("info", "seceu").returncode == 0
    assert place.bench("leaderboard", "--help").returncode == 0


def test_our_benchmarks_are_listed_without_their_modules() -> None:
    """What the declarations say is what the benchmarks are."""
    code = (
        "import sys; from eibench.core.plugins import installed; all = installed();"
        "names = {m.split('.')[2] + m.rpartition('.')[2] for m in sys.modules"
        " if m.startswith('eibench.plugins.')};"
        "assert not any(n.endswith('benchmark') for n in names), names;"
        "assert 'seceu' in [one.name for one in all.benchmarks] and not all.broken, all.broken"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_broken_plugin_does_not_slow_or_break_the_help(place: Place) -> None:
    """`bench --help` works whatever is installed."""
    place.install("bad", "import no_such_module\n")
    done = place.bench("--help")
    assert done.returncode == 0
    assert "run " in done.stdout
