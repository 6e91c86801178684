"""The reference plugins, installed as packages of others are; `bench` in this process."""

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.core.hooks.on_demand import entries
from eibench.core.plugins import installed

HERE = Path(__file__).parent
NAMES = ("undercurrents", "condolences", "doorstep", "listening")


@pytest.fixture
def bench(
    invoke: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Any]]:
    """Runs `bench`; each package is importable, and has the metadata of its pyproject.toml."""
    for name in NAMES:
        _install(name, tmp_path)
        monkeypatch.syspath_prepend(HERE / name)
    monkeypatch.syspath_prepend(tmp_path)
    _forget()
    yield invoke
    _forget()


def _install(name: str, folder: Path) -> None:
    project = tomllib.loads((HERE / name / "pyproject.toml").read_text())["project"]
    info = folder / f"{name}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {name}\nVersion: {project['version']}\n")
    lines = [f"{key} = {value}" for key, value in project["entry-points"]["eibench"].items()]
    (info / "entry_points.txt").write_text("\n".join(["[eibench]", *lines]))


def _forget() -> None:
    entries.cache_clear()
    installed.cache_clear()
