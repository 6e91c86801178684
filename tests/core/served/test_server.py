"""Servers that are started by a command: healthy, ended with all they started, and their errors."""

import asyncio
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from eibench import BenchError
from eibench.core.served.machine import Machine, Needs
from eibench.core.served.server import ServerCommand, is_taken, start_server
from tests import processes

SERVER = f"{shlex.quote(sys.executable)} -m eibench.plugins.kit.server --port {{port}}"


def wait_until(met: Callable[[], bool]) -> None:
    """Wait for something that happens in another process."""
    end = time.monotonic() + 60
    while not met():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_server_answers_once_it_has_started_and_no_longer_once_closed(tmp_path: Path) -> None:
    """On a free port, with words of the user's in their places."""
    log = tmp_path / "a" / "server.log"
    words = {"name": "it's $HOME; {path} {port}", "path": "a b"}
    command = ServerCommand(f"echo {{name}} {{other}}; {SERVER}", log, words)

    async def begin() -> int:
        server = await start_server(command)
        assert server.exit_code is None and is_taken(server.port)
        server.close()
        return server.port

    port = asyncio.run(begin())
    assert not is_taken(port)
    assert log.read_text("utf-8").splitlines()[0] == "it's $HOME; {path} {port} {other}"


@pytest.mark.parametrize("text", ["serve '{name}' {port}", 'sh -c "serve {name}" {port}'])
def test_a_word_in_quotes_of_the_command_needs_none_of_its_own(text: str) -> None:
    """Else the quotes of both would end each other, and the shell would read the word."""
    plain = ServerCommand(text, Path("log"), {"name": "a-b/c"})
    assert plain.around_port()[0] == text.partition("{port}")[0].replace("{name}", "a-b/c")
    for name in ("a b", "$(id)", "a'b"):
        with pytest.raises(BenchError, match=r"quotes around \{name\}.*leave those out"):
            ServerCommand(text, Path("log"), {"name": name}).around_port()


@pytest.mark.parametrize("occupied", ["servers", "servers/m.log"])
def test_a_log_that_cannot_be_written_is_said(
    bench: Callable[..., processes.Done], tmp_path: Path, occupied: str
) -> None:
    """A file stands where its folder would be, or a folder where it would be; nothing is asked."""
    path = tmp_path / "runs" / occupied
    path.parent.mkdir(parents=True)
    path.mkdir() if occupied.endswith("log") else path.touch()
    done = bench("run", "eqbench-v1", "--model", "openai/m", "--limit", "1", "--serve", SERVER)
    assert done.returncode == 4
    assert "the server is not started with its output in runs/servers/m.log" in done.stderr


@pytest.mark.parametrize(
    ("text", "ready_s", "message"),
    [
        ("echo one; echo no memory >&2; exit 9; {port}", 60, "exit code 9: one | no memory"),
        ("sleep 60; {port}", 0.3, "not healthy (/health, /v1/models) in 0.3 s, and printed"),
    ],
)  # fmt: skip
def test_one_that_does_not_come_up_says_why(
    tmp_path: Path, text: str, ready_s: float, message: str
) -> None:
    """With the end of its output, and where all of it is; nothing is left of it."""
    log = tmp_path / "server.log"
    with pytest.raises(BenchError) as error:
        asyncio.run(start_server(ServerCommand(text, log, ready_s=ready_s)))
    assert message in str(error.value) and str(log) in str(error.value)


def test_a_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    """Before anything is started."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        port = one.getsockname()[1]
        with pytest.raises(BenchError, match=f"port {port} is taken"):
            asyncio.run(start_server(ServerCommand("exit 1", tmp_path / "log", port=port)))
    assert not (tmp_path / "log").exists()


def test_kill_9_leaves_no_server_and_no_child_of_it(tmp_path: Path) -> None:
    """The keeper ends the whole group when whoever started it is gone, also one that resists."""
    text = f"trap '' TERM; sleep 600 & echo $! > {tmp_path}/child; echo $$ > {tmp_path}/own; wait"
    code = f"""
import asyncio, time
from pathlib import Path
import eibench.core.served.server as server
server.GRACE_S = 0.2
one = server.ServerProcess(server.ServerCommand({text!r}, Path({str(tmp_path / "log")!r})), 1)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", code]) as head:
        files = [tmp_path / "child", tmp_path / "own"]
        wait_until(lambda: all(file.exists() and file.read_text() for file in files))
        pids = [int(file.read_text("utf-8")) for file in files]
        assert all(map(is_running, pids))
        os.kill(head.pid, signal.SIGKILL)
    wait_until(lambda: not any(map(is_running, pids)))


def test_a_keeper_that_is_killed_leaves_no_server(tmp_path: Path) -> None:
    """As by the kernel when memory is short; its port is free once the server is closed."""
    command = ServerCommand(f"{SERVER}; sleep 600", tmp_path / "log")

    async def begin() -> None:
        server = await start_server(command)
        os.kill(server._keeper.pid, signal.SIGKILL)
        await asyncio.to_thread(server._keeper.wait)
        server.close()
        assert server.exit_code == -signal.SIGKILL and not is_taken(server.port)

    asyncio.run(begin())


async def test_a_machine_is_shared_out_in_turn() -> None:
    """No more than there is, each GPU once; who says nothing has the machine alone."""
    machine, order = Machine(Needs(2, 10), ["0", "1"]), list[str]()

    async def take(name: str, needs: Needs, until: asyncio.Event) -> None:
        async with machine.taken(needs) as variables:
            order.append(f"{name} {variables.get('CUDA_VISIBLE_DEVICES', '-')}")
            await until.wait()

    first, later = asyncio.Event(), asyncio.Event()
    tasks = [
        asyncio.create_task(take("a", Needs(1, 4), first)),
        asyncio.create_task(take("b", Needs(1, 4), first)),
        asyncio.create_task(take("c", Needs(0, 4), later)),
        asyncio.create_task(take("d", Needs(), later)),
    ]
    for _ in range(10):
        await asyncio.sleep(0)
    assert order == ["a 0", "b 1"]
    first.set()
    await asyncio.gather(*tasks[:2])
    for _ in range(10):
        await asyncio.sleep(0)
    assert order[2:] == ["c -"]
    later.set()
    await asyncio.gather(*tasks)
    assert order[3:] == ["d 0,1"]


async def test_no_gpu_is_named_where_some_have_no_name() -> None:
    """Else a server would see fewer than it takes."""
    async with Machine(Needs(4), ["0", "1"]).taken(Needs(2)) as variables:
        assert variables == {}


def test_bench_run_serves_a_model_and_ends_the_server(tmp_path: Path) -> None:
    """Both benchmarks by one server; a second time nothing is started, as nothing is left."""
    serve = f"{SERVER} --uniform-ratings --requests-log {tmp_path}/requests"
    args = ["run", "eqbench-v1", "eqbench-v2", "--model", "openai/m", "--limit", "4"]
    done = processes.run([*args, "--serve", serve], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("starting the server") == 1
    asked = len((tmp_path / "requests").read_text("utf-8").splitlines())
    again = processes.run([*args, "--serve", serve], tmp_path)
    assert again.returncode == 0 and "starting" not in again.stderr
    assert len((tmp_path / "requests").read_text("utf-8").splitlines()) == asked


def test_a_server_that_dies_is_started_again(tmp_path: Path) -> None:
    """The run goes on where it was; nothing is asked twice."""
    log, once = tmp_path / "requests", tmp_path / "once"
    serve = (
        f"{SERVER} --uniform-ratings --latency 0.05 --requests-log {log} & own=$!; "
        f"if [ ! -e {once} ]; then touch {once}; while [ $(cat {log} 2>/dev/null | wc -l) -lt 5 ]; "
        "do sleep 0.02; done; kill -9 $own; exit 5; fi; wait"
    )
    args = ["run", "eqbench-v2", "--model", "openai/m", "--limit", "26", "--concurrency", "2"]
    done = processes.run([*args, "--serve", serve], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "it is started again" in done.stderr
    answered = [line for line in log.read_text("utf-8").splitlines() if '"ok"' in line]
    assert 26 <= len(answered) <= 28, "two may have been answered when the server died"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--serve", "x {port}"], "--serve is for one --model"),
        (["--serve", "x {port}", "--model", "demo/weak"], "--serve is for one --model"),
        (["--serve", "x", "--model", "openai/m"], "--serve needs {port}"),
        (["--serve", "{port}", "--model", "openai/m", "--base-url", "http://127.0.0.1:1/v1"],
         "leave --base-url out"),
    ],
)  # fmt: skip
def test_what_contradicts_a_server_is_refused(
    bench: Callable[..., processes.Done], args: list[str], message: str
) -> None:
    """With what to do."""
    done = bench("run", "eqbench-v1", *args)
    assert done.returncode == 2 and message in done.stderr
