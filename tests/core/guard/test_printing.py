"""What plugins print goes to standard error, with their name; numbers as in `test_faults`."""

import asyncio
import os
import sys
import threading
from pathlib import Path

import pytest

from eibench.core.console.output import err
from eibench.core.guard.calls import PluginCall, call, call_async
from tests.core.test_plugins import Place

LOUD = '''
"""A plugin that prints wherever it can."""

import asyncio
import sys

import click
import eibench

print("imported")


class Loud(eibench.Benchmark):
    name, version, title = "loud", "1", "prints"

    def read_pack(self, source, options):
        print("reading", "the", "pack")
        return eibench.Pack(source, [eibench.Item("a")], "beside nothing")

    async def generate(self, item, model, options):
        async def aside():
            print("from a task of its own")
        await asyncio.gather(aside(), asyncio.to_thread(print, "from a thread"))
        sys.stdout.write("no line end")
        return (await model.chat("Say")).text

    async def grade(self, item, transcript, judge, options):
        print("\\x1b[2Jcleared")
        return eibench.Score({"v": 1.0})

    def summarise(self, pack, scores, options):
        return eibench.Summary({"v": eibench.Metric(1.0)})

    def demo_reply(self, item, request, ability, rng):
        return "said"


@eibench.hookimpl
def register_benchmarks(register):
    print("registering")
    register(Loud())


@click.command()
def shout():
    """Print a word."""
    print("WORD")


@eibench.hookimpl
def register_commands(register):
    register(shout)
'''


@pytest.fixture
def loud(tmp_path: Path) -> Place:
    """The plugin that prints, installed."""
    place = Place(tmp_path)
    place.install("loudly", LOUD)
    (tmp_path / "data.txt").write_text("data")
    return place


def test_a_print_at_import_does_not_spoil_another_benchmark_s_document(loud: Place) -> None:
    """5: `bench run eqbench-v1 --json` is JSON whatever else is installed."""
    done = loud.bench("run", "eqbench-v1", "--limit", "1", "--json")
    assert done.stdout.startswith("{")
    assert "plugin loudly (loudly-dist 1.2): imported\n" in done.stderr
    assert "plugin loudly (loudly-dist 1.2): registering\n" in done.stderr


def test_a_print_while_a_benchmark_runs_is_told_with_its_method(loud: Place) -> None:
    """4: also from the plugin's own tasks and threads, without a line end, and made harmless."""
    done = loud.bench("run", "loud", "--dataset", "data.txt", "--json")
    assert done.stdout.startswith("{")
    messages = [
        "read_pack of loud (loudly-dist 1.2): reading the pack\n",
        "generate of loud (loudly-dist 1.2): from a task of its own\n",
        "generate of loud (loudly-dist 1.2): from a thread\n",
        "generate of loud (loudly-dist 1.2): no line end\n",
        "grade of loud (loudly-dist 1.2): \\x1b[2Jcleared\n",
    ]
    assert [line for line in messages if line not in done.stderr] == []


def test_a_plugin_s_command_prints_to_standard_output(loud: Place) -> None:
    """What a command prints is its result."""
    assert loud.bench("shout").stdout == "WORD\n"


async def test_others_in_the_same_loop_print_as_ever(capsys: pytest.CaptureFixture[str]) -> None:
    """While a plugin waits, what its neighbour prints is the neighbour's."""
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def plugin() -> None:
        begun.set()
        await go_on.wait()
        print("by the plugin")

    before = sys.stdout
    running = asyncio.create_task(call_async(PluginCall(None, "generate", "x"), plugin))
    await begun.wait()
    print("by the neighbour")
    go_on.set()
    await running
    assert sys.stdout is before
    out, err = capsys.readouterr()
    assert (out, err) == ("by the neighbour\n", "generate of x: by the plugin\n")


def test_standard_output_is_put_back_after_many_calls_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Calls in threads that begin and end in any order."""
    before, barrier = sys.stdout, threading.Barrier(4)

    def plugin() -> None:
        barrier.wait(timeout=30)
        print("said")
        barrier.wait(timeout=30)

    threads = [
        threading.Thread(target=call, args=(PluginCall(None, "", "x"), plugin)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert sys.stdout is before
    out, err = capsys.readouterr()
    assert (out, err) == ("", "x: said\n" * 4)


def test_a_closed_standard_error_is_no_fault_of_who_prints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody reads what a plugin says: it is lost, whoever works is told, the result is not."""
    err.cache_clear()
    reader, writer = os.pipe()
    os.close(reader)
    messages = []
    with os.fdopen(writer, "w") as closed:
        monkeypatch.setattr(sys, "stderr", closed)

        def talk() -> str:
            print("first")
            print("second")
            return "result"

        with err().watched(lambda: messages.append("gone")):
            assert call(PluginCall("it", "method"), talk) == "result"
    err.cache_clear()
    assert messages
