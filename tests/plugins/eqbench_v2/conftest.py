"""An empty place to work in, with no settings, no keys and no packs in the cache."""

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def empty_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory and an empty cache; no variable of ours or of a provider."""
    for name in list(os.environ):
        if name.startswith("BENCH_") or name.endswith(("_API_KEY", "_TOKEN")):
            monkeypatch.delenv(name)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return work
