"""Starts the servers of others on free ports of this machine, each with the two tiny models.

A server's environment is in the folder that `EIBENCH_SERVERS` names (`install.py` makes it).
"""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

HERE = Path(__file__).parent
CONTEXT = 4096
START_S = 900
"""vLLM takes 40 seconds on a quiet machine, and minutes on a busy one."""
KEY = "sk-not-a-real-key"


class Model(NamedTuple):
    """A model that a server has."""

    base_url: str
    name: str


class Pair(NamedTuple):
    """The tiny model, and the strict one (`tiny_model.py`), of one server."""

    plain: Model
    strict: Model


def environment(name: str) -> Path | None:
    """The folder of a server's environment; ``None`` where it is not installed."""
    folder = os.environ.get("EIBENCH_SERVERS")
    found = Path(folder or ".") / name
    return found if folder and (found / "installed").is_file() else None


def python_of(name: str) -> str:
    """The Python of a server's environment."""
    found = environment(name)
    assert found is not None, f"{name} is not installed"
    return str(found / "bin" / "python")


@contextmanager
def serving(
    command: Sequence[str], folder: Path, ready: str, env: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The address of a server once it answers; it ends with the context.

    Args:
        command: ``{port}`` stands for the port.
        folder: Where it runs; what it prints goes into a log there.
        ready: The path that answers when it is ready.
        env: Variables beside this process's.
    """
    port = _free_port()
    log = folder / f"log-{port}"
    with log.open("w") as out:
        process = subprocess.Popen(
            [word.format(port=port) for word in command], cwd=folder,
            env={**os.environ, **(env or {})}, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
    try:
        _wait_for(f"http://127.0.0.1:{port}{ready}", process, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a server and, if it takes long, all that it started."""
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _wait_for(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text()[-2000:]
        try:
            with urlopen(url):
                return
        except (URLError, OSError):
            time.sleep(0.5)
    raise AssertionError(f"it did not start: {log.read_text()[-2000:]}")


@contextmanager
def llamacpp(folder: Path) -> Iterator[Pair]:
    """llama.cpp's own server as `llama-server -c 4096` starts it: four slots, one context."""
    with _gguf(folder, "plain", "4") as plain, _gguf(folder, "strict", "4") as strict:
        yield Pair(plain, strict)


@contextmanager
def _gguf(folder: Path, name: str, slots: str) -> Iterator[Model]:
    python = python_of("llamacpp")
    make(python, folder, "gguf", name)
    with llama_server(folder, f"{name}.gguf", name, slots) as model:
        yield model


@contextmanager
def llama_server(folder: Path, file: str, name: str, slots: str = "4") -> Iterator[Model]:
    """llama.cpp's own server with a GGUF file."""
    words = [python_of("llamacpp"), str(HERE / "llama_server.py"), file]
    with serving([*words, "{port}", name, str(CONTEXT), slots], folder, "/health") as address:
        yield Model(f"{address}/v1", name)


def make(python: str, folder: Path, kind: str, name: str) -> None:
    """Write the tiny model `plain` or `strict`, unless it is there."""
    path = folder / (f"{name}.gguf" if kind == "gguf" else name)
    if not path.exists():
        more = ["--strict"] if name == "strict" else []
        program = str(HERE / "tiny_model.py")
        subprocess.run([python, program, kind, str(path), *more], check=True)


OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}


@contextmanager
def transformers(folder: Path) -> Iterator[Pair]:
    """`transformers serve`, which loads the model that a request names."""
    python = python_of("transformers")
    for name in ("plain", "strict"):
        make(python, folder, "folder", name)
    command = str(Path(python).with_name("transformers"))
    words = [command, "serve", "--host", "127.0.0.1", "--port", "{port}", "--device", "cpu"]
    with serving(words, folder, "/health", OFFLINE) as address:
        yield Pair(Model(f"{address}/v1", "plain"), Model(f"{address}/v1", "strict"))


@contextmanager
def vllm(folder: Path) -> Iterator[Pair]:
    """The vLLM that runs on processors; the strict model with a parser of thinking."""
    with vllm_serve(folder, "plain") as plain, vllm_serve(
        folder, "strict", "--reasoning-parser", "deepseek_r1"
    ) as strict:  # fmt: skip
        yield Pair(plain, strict)


@contextmanager
def vllm_serve(
    folder: Path, name: str, *more: str, context: int = CONTEXT
) -> Iterator[Model]:  # fmt: skip
    """`vllm serve` with a tiny model."""
    python = python_of("vllm")
    make(python, folder, "folder", name)
    command = str(Path(python).with_name("vllm"))
    words = [command, "serve", name, "--host", "127.0.0.1", "--port", "{port}"]
    words += ["--max-model-len", str(context), "--dtype", "float32", "--enforce-eager"]
    env = {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind"}
    env |= {**OFFLINE, "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    with serving([*words, *more], folder, "/health", env) as address:
        yield Model(f"{address}/v1", name)


@contextmanager
def litellm(folder: Path) -> Iterator[Pair]:
    """LiteLLM's proxy, with llama.cpp's server behind it."""
    with llamacpp(folder) as behind, litellm_proxy(folder, behind._asdict()) as base_url:
        yield Pair(Model(base_url, "plain"), Model(base_url, "strict"))


@contextmanager
def litellm_proxy(
    folder: Path, behind: Mapping[str, Model], mocks: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The base URL of LiteLLM's proxy before servers, and with models that say one text.

    Args:
        folder: Where it runs.
        behind: By the names that the proxy gives them.
        mocks: The texts of models that it plays itself, by name.
    """
    models = {name: {"api_base": model.base_url} for name, model in behind.items()}
    models |= {name: {"mock_response": text} for name, text in (mocks or {}).items()}
    settings = {
        "model_list": [
            {
                "model_name": name,
                "litellm_params": {"model": f"openai/{name}", "api_key": "not-a-key", **more},
            }
            for name, more in models.items()
        ],
        "general_settings": {"master_key": KEY},
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
    }
    (folder / "proxy.yaml").write_text(json.dumps(settings))
    command = str(Path(python_of("litellm")).with_name("litellm"))
    words = [command, "--config", "proxy.yaml", "--host", "127.0.0.1", "--port", "{port}"]
    # Without this variable it asks the network for prices, thrice, before it starts.
    env = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with serving(words, folder, "/health/liveliness", env) as address:
        yield f"{address}/v1"


class Server(NamedTuple):
    """A server that is measured."""

    title: str
    package: str
    """The package that has its version."""
    start: Callable[[Path], AbstractContextManager[Pair]]


SERVERS = {
    "llamacpp": Server("llama.cpp", "xllamacpp", llamacpp),
    "transformers": Server("transformers serve", "transformers", transformers),
    "vllm": Server("vLLM", "vllm-cpu", vllm),
    "litellm": Server("LiteLLM before llama.cpp", "litellm", litellm),
}


def version_of(name: str) -> str:
    """The version of a server that is installed."""
    code = f"from importlib.metadata import version; print(version({SERVERS[name].package!r}))"
    done = subprocess.run([python_of(name), "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()
