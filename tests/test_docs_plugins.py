"""The plugins of docs/plugins.md work as the page says, from the files that it shows."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import eibench

PAGE = (Path(eibench.__file__).resolve().parents[2] / "docs" / "plugins.md").read_text("utf-8")
EXTRAS = re.findall(r'^Make `(\w+) = "(\w+)"` a second entry point', PAGE, re.M)
COMPARISON = (
    '{"item": "1", "a": "x", "b": "y", "first": "a", "margins": {"tact": 2}}\n'
    '{"item": "1", "a": "x", "b": "y", "first": "b", "margins": {"tact": 1}}\n'
)
Python = Callable[..., "subprocess.CompletedProcess[str]"]


def files() -> dict[str, str]:
    """The files that the page shows, by name."""
    inside = re.findall(r"^```\w+\n# file: (\S+)\n(.*?)^```", PAGE, re.M | re.S)
    before = re.findall(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```", PAGE, re.M | re.S)
    return dict(inside + before)


@pytest.fixture
def python(tmp_path: Path) -> Python:
    """Python in a folder with the page's files, for which both plugins are installed."""
    for name, text in files().items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    project = tomllib.loads(files()["pyproject.toml"])["project"]
    info = tmp_path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = [*project["entry-points"]["eibench"].items(), *EXTRAS]
    lines = "".join(f"{name} = {value}\n" for name, value in points)
    (info / "entry_points.txt").write_text(f"[eibench]\n{lines}")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("BENCH_")}

    def run(*args: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, *args],
            cwd=tmp_path,
            env={**kept, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


BENCH = ("-c", "from eibench.core.cli import main; main()")


def test_the_page_shows_the_files_that_it_speaks_of() -> None:
    """A project, the benchmark with its data, its tests, and the other hooks."""
    assert set(files()) == {
        "pyproject.toml", "my_bench.py", "my_bench_data/manifest.json",
        "my_bench_data/messages.jsonl", "test_my_bench.py", "my_extras.py",
    }  # fmt: skip


def test_the_benchmark_runs_and_is_scored_again(python: Python) -> None:
    """On a demo model, with the option that the page shows."""
    done = python(*BENCH, "run", "tone", "--dataset", "bundled", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["items"]["scored"] == document["items"]["total"] == 6
    assert document["baselines"]["best_constant"]["value"] == 2 / 6
    again = python(*BENCH, "rescore", document["run_id"], "--set", "counts=first", "--json")
    assert json.loads(again.stdout)["options"]["counts"] == "first"


def test_the_tests_of_the_page_pass(python: Python) -> None:
    """In a process of their own, against a server on loopback."""
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_my_bench.py")
    assert done.returncode == 0, done.stdout


def test_the_other_hooks_work(python: Python, tmp_path: Path) -> None:
    """A provider with a section of the report, a command, and a rating engine."""
    parrot = python(*BENCH, "run", "tone", "--dataset", "bundled", "--model", "parrot/polly")
    assert parrot.returncode == 1, parrot.stderr
    assert "names no tone" in parrot.stdout
    counted = python(*BENCH, "unscored", "--benchmark", "tone", "--json")
    assert counted.returncode == 0, counted.stderr
    assert sum(json.loads(counted.stdout).values()) == 6
    assert "names no tone" in python(*BENCH, "unscored", "parrot/polly").stdout
    (tmp_path / "comparisons.jsonl").write_text(COMPARISON)
    rated = python(*BENCH, "rate", "comparisons.jsonl", "--engine", "wins", "--json")
    assert [row["rating"] for row in json.loads(rated.stdout)["ratings"]] == [2, 0]
