"""What docs/write-a-benchmark.md and docs/plugins.md show works, from the top to the bottom."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench.core.hooks.on_demand import entries
from eibench.core.plugins import installed
from eibench.testing import LoopbackServer

ROOT = Path(eibench.__file__).resolve().parents[2]
GUIDE, REFERENCE = (
    (ROOT / "docs" / name).read_text("utf-8") for name in ("write-a-benchmark.md", "plugins.md")
)
ADDRESS = "http://127.0.0.1:8000/v1"
COMPARISON = (
    '{"item": "1", "a": "x", "b": "y", "first": "a", "margins": {"tact": 2}}\n'
    '{"item": "1", "a": "x", "b": "y", "first": "b", "margins": {"tact": 1}}\n'
)
_BLOCK = re.compile(
    r"^(?:<!-- file: (?P<before>\S+) -->\n)?```(?P<language>\w+)\n"
    r"(?:# file: (?P<inside>\S+)\n)?(?P<text>.*?)^```",
    re.MULTILINE | re.DOTALL,
)


def blocks(page: str) -> Iterator[tuple[str, str, str]]:
    """Language, the name of the file (empty for none) and text of each block, in order."""
    for match in _BLOCK.finditer(page):
        yield match["language"], match["before"] or match["inside"] or "", match["text"]


class Reader:
    """Somebody who does what a page says, line by line.

    Installing is done without pip, and what `bench plugin new` wrote is not tested before it is
    changed: tests/plugins/templates does that.
    """

    def __init__(self, folder: Path, invoke: Callable[..., Any], patch: pytest.MonkeyPatch) -> None:
        self.invoke, self.patch, self.folder = invoke, patch, folder
        self.address, self.has_changed = ADDRESS, False
        self.packages: list[str] = []
        (folder / "site").mkdir()
        patch.syspath_prepend(folder / "site")

    def write(self, name: str, text: str) -> None:
        """A file of the page, in the folder that the reader is in."""
        Path(name).write_text(text, encoding="utf-8")
        self.has_changed = True

    def do(self, command: str) -> Any:
        """A line of a page's commands; the result of `bench`, which must not fail."""
        words = shlex.split(command.replace(ADDRESS, self.address))
        if words[0] == "cd":
            self.patch.chdir(words[1])
        elif words[0] == "rm":
            Path(words[1]).unlink()
        elif words[0] == "cp":
            shutil.copy(words[1], words[2])
        elif words[0] == "pytest" and not self.has_changed:
            pass
        elif words[0] == "pytest":
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
                env={**os.environ, "PYTHONPATH": os.pathsep.join([".", *sys.path])},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout
        elif words[0] == "bench":
            self.forget()
            done = self.invoke(*words[1:])
            assert done.code == 0, (command, done.err)
            if words[1:3] == ["plugin", "new"]:
                self.has_changed = False
                self.install(Path(words[3]).resolve())
            return done
        else:
            assert words[:3] == ["pip", "install", "-e"]
        return None

    def install(self, project: Path, **more: str) -> None:
        """Have a project found as pip does, with further entry points."""
        about = tomllib.loads((project / "pyproject.toml").read_text())["project"]
        info = self.folder / "site" / f"{about['name'].replace('-', '_')}-1.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: 1\n"
        )
        points = {**about["entry-points"]["eibench"], **more}
        lines = "".join(f"{name} = {value}\n" for name, value in points.items())
        (info / "entry_points.txt").write_text(f"[eibench]\n{lines}")
        self.patch.syspath_prepend(project)
        self.packages.append(project.name.replace("-", "_"))
        self.forget()

    def forget(self) -> None:
        """A new process would have imported nothing yet."""
        for name in [n for n in sys.modules if n.split(".")[0] in self.packages]:
            del sys.modules[name]
        entries.cache_clear()
        installed.cache_clear()


@pytest.fixture
def reader(
    empty_place: Path, invoke: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Reader]:
    """Somebody in an empty folder."""
    somebody = Reader(empty_place.parent, invoke, monkeypatch)
    yield somebody
    somebody.forget()
    somebody.packages.clear()
    entries.cache_clear()
    installed.cache_clear()


def test_the_guide_works_from_the_top_to_the_bottom(reader: Reader) -> None:
    """Each file is written and each command given in turn, and none of them fails."""
    start = Path.cwd()
    with LoopbackServer('{"wish": "A"}') as server:
        reader.address = server.base_url
        for language, name, text in blocks(GUIDE):
            if name:
                reader.write(name, text)
            elif language == "bash":
                for command in text.splitlines():
                    reader.do(command)
        assert len(server.answered) == 6 * 3
    assert (start / "site" / "index.html").is_file()


def test_the_guide_s_kinds_are_those_of_the_templates() -> None:
    """Each line that it shows of one stands there."""
    gallery = GUIDE.partition("## Kinds")[2]
    kinds = re.findall(r"^\*\*([\w-]+)\*\*", gallery, re.MULTILINE)
    shown = [text for language, _, text in blocks(gallery) if language == "python"]
    assert len(kinds) == len(shown)
    for kind, text in zip(kinds, shown, strict=True):
        template = ROOT / "plugins" / "templates" / kind.replace("-", "_") / "__init__.py"
        lines = [line.strip() for line in template.read_text("utf-8").splitlines()]
        assert set(text.splitlines()) <= set(lines), kind


def test_the_other_hooks_work(reader: Reader) -> None:
    """A provider with a section of the report, a command, and a rating engine."""
    reader.do("bench plugin new tone --kind choice")
    reader.do("cd tone")
    for _, name, text in (*blocks(GUIDE), *blocks(REFERENCE)):
        if name:
            reader.write(name, text)
    (point,) = re.findall(r'make `(\w+) = "([\w.]+)"` a second entry point', REFERENCE)
    reader.install(Path.cwd(), **dict([point]))
    parrot = reader.invoke("run", "tone", "--model", "parrot/polly")
    assert parrot.code == 1, parrot.err
    assert "names no tone" in parrot.out
    counted = reader.invoke("unscored", "--benchmark", "tone", "--json")
    assert counted.code == 0, counted.err
    assert sum(counted.json.values()) == 6
    assert "names no tone" in reader.invoke("unscored", "parrot/polly").out
    Path("comparisons.jsonl").write_text(COMPARISON)
    rated = reader.invoke("rate", "comparisons.jsonl", "--engine", "wins", "--json")
    assert [row["rating"] for row in rated.json["ratings"]] == [2, 0]
