"""31: a plugin that keeps the event loop for itself is named; numbers as in `test_faults`."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from importlib import import_module
from itertools import count
from pathlib import Path
from types import FrameType

import pytest

from eibench.core.guard.calls import PluginCall, call_async, watched
from tests.core.test_plugins import HEAD, Place, registers


async def test_a_coroutine_that_blocks_is_named_with_its_place() -> None:
    """It is told while the call still blocks, so that whoever waits knows for whom."""
    messages, heard = list[str](), threading.Event()

    def say(text: str) -> None:
        messages.append(text)
        heard.set()

    async def generate() -> bool:
        return heard.wait(timeout=60)  # blocks the loop, as time.sleep would

    with watched(say, after_s=0.01):
        assert await call_async(PluginCall(None, "generate", "emobench (x 1)"), generate)
    (text,) = messages
    assert text.startswith(
        "generate of emobench (x 1) has kept everything else waiting for 0.01 s, at "
        "test_watchdog.py:"
    )


async def test_what_blocks_outside_a_guarded_call_is_told_with_its_place() -> None:
    """A plugin's own task has no guard around it, but a place in a file."""
    messages, heard = list[str](), threading.Event()

    def say(text: str) -> None:
        messages.append(text)
        heard.set()

    async def aside() -> bool:
        return heard.wait(timeout=60)

    with watched(say, after_s=0.01):
        assert await asyncio.create_task(aside())
    assert messages[0].startswith("something (wait) has kept everything else waiting")


async def test_an_import_is_not_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whoever imports a large library cannot await it."""
    messages, looks, enough = list[str](), count(1), threading.Event()
    frames = sys._current_frames

    def looked() -> dict[int, FrameType]:
        if next(looks) < 3:
            return frames()
        enough.set()
        return {}

    async def create() -> object:
        return import_module("imports_slowly")

    (tmp_path / "imports_slowly.py").write_text("import sys\nsys.enough.wait(60)\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "enough", enough, raising=False)
    monkeypatch.setattr(sys, "_current_frames", looked)
    with watched(messages.append, after_s=0.01):
        await call_async(PluginCall(None, "create", "slow (x 1)"), create)
    assert enough.is_set()
    assert messages == []


async def test_a_run_that_ends_does_not_wait_for_its_watchdog() -> None:
    """Its thread ends with the block, and has told nothing."""
    message, before = list[str](), set(threading.enumerate())
    with watched(message.append, after_s=3600):
        (watchdog,) = {t for t in threading.enumerate() if t.name == "watchdog"} - before
        await asyncio.sleep(0)
    assert message == []
    assert not watchdog.is_alive()


BLOCKS = """
import threading
class Blocks(eibench.Benchmark):
    name, version, title = "blocks", "1", "keeps the loop for itself"
    def read_pack(self, source, options):
        return eibench.Pack(source, [eibench.Item("a")], "beside nothing")
    async def generate(self, item, model, options):
        if (await model.chat("Say")).text == "said":
            print("blocking")
            threading.Event().wait()
    async def grade(self, item, transcript, judge, options):
        return eibench.Score({"v": 1.0})
    def summarise(self, pack, scores, options):
        return eibench.Summary({"v": eibench.Metric(1.0)})
class Says:
    def __init__(self, config): ...
    async def complete(self, request, call):
        return eibench.ChatResponse("said")
    async def close(self): ...
"""


def test_ctrl_c_ends_a_run_that_a_plugin_blocks(tmp_path: Path) -> None:
    """The third one does, as the loop hears of none; what was answered is kept."""
    place = Place(tmp_path)
    things = registers("benchmarks", "Blocks()")
    things += registers("providers", "eibench.Provider('says', 'says', Says)")
    place.install("blocking", HEAD + BLOCKS + things)
    (tmp_path / "data.txt").write_text("data")
    code = "from eibench.core.cli import main; main()"
    run = ("run", "blocks", "--dataset", "data.txt", "--model", "says/x")
    process = subprocess.Popen(
        [sys.executable, "-c", code, *run],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        assert any("generate of blocks" in line for line in process.stderr)
        for patience in (0.5, 0.5, 30, 30):  # two that come too close together are one
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=patience)
        assert process.returncode == 130
        assert "interrupted" in process.stderr.read()
    finally:
        process.kill()
        process.stderr.close()
    listed = place.bench("runs", "--json")
    assert "says/x" in listed.stdout
