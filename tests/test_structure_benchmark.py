"""What `benchmarks.structure` counts, in small sources."""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.structure import found_in

RUN = "core/cli/run.py"


def found(folder: Path, files: Mapping[str, str]) -> Mapping[str, list[str]]:
    """What is counted in a checkout of these files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return found_in(folder)


def test_a_journal_and_a_run_are_known_by_name_or_by_class(tmp_path: Path) -> None:
    """Both have to be there; a method counts as well, and where a function stands is said."""
    text = (
        "def a(journal, run_id): ...\n"
        "def b(j: 'Journal', row: RunRecord | None): ...\n"
        "def c(journal, items): ...\n"
        "class D:\n"
        "    def e(self, journal: Journal, *, runs: list[StoredRun]): ...\n"
    )
    counted = found(tmp_path, {"core/one.py": text})
    places = ["core/one.py:1 a", "core/one.py:2 b", "core/one.py:5 D.e"]
    assert counted["journal_and_run"] == places
    assert counted["journal_and_run_by_name"] == places[:1]


def test_three_carriers_are_counted_by_name(tmp_path: Path) -> None:
    """Three of the six, in any place of the signature."""
    text = "def a(journal, run, *, pack): ...\ndef b(journal, run, other): ...\n"
    assert found(tmp_path, {"core/one.py": text})["three_carriers"] == ["core/one.py:1 a"]


def test_circles_are_of_imports_that_run(tmp_path: Path) -> None:
    """An import inside a function closes one; one for type checkers alone does not."""
    files = {
        "core/__init__.py": "",
        "core/a.py": "from .b import x\n",
        "core/b.py": "def f():\n    from . import a\n",
        "core/c.py": "from typing import TYPE_CHECKING\nfrom .a import x\n"
        "if TYPE_CHECKING:\n    from .d import y\n",
        "core/d.py": "from eibench.core.c import z\n",
    }
    counted = found(tmp_path, files)
    assert counted["circles"] == ["core/a.py core/b.py"]
    assert counted["files_in_circles"] == ["core/a.py", "core/b.py"]
    assert counted["local_imports"] == ["core/b.py:2"]


def test_files_and_folders_at_the_top_are_told_apart(tmp_path: Path) -> None:
    """What Python compiled and what is hidden is none of them."""
    files = {"core/a.py": "", "core/b/c.py": "", "core/__pycache__/a.pyc": ""}
    counted = found(tmp_path, files)
    assert (counted["top_of_core"], counted["top_files"]) == (["a.py", "b"], ["a.py"])


def test_any_and_about_are_counted_where_they_stand(tmp_path: Path) -> None:
    """An import of `Any` is told from its uses; only a call that unpacks `about` counts."""
    text = (
        "import typing\nfrom typing import Any\n"
        "def f(a: Any, *about: typing.Any):\n    f(*about)\n    f(*a)\n"
    )
    counted = found(tmp_path, {"judges/one.py": text})
    assert (len(counted["any"]), len(counted["any_used"])) == (3, 2)
    assert counted["splats_of_about"] == ["judges/one.py:4"]


def test_settings_are_followed_to_the_client_under_all_their_names(tmp_path: Path) -> None:
    """Through calls, objects made of them, methods and attributes; what leads nowhere is out."""
    run = (
        "from ..settings import Config, resolve\nfrom ..work import Session\n"
        "def run_command(**params):\n"
        "    config = resolve(params)\n"
        "    aside = config\n"
        "    Session(config).start()\n"
    )
    settings = (
        "class Config:\n    pack: str\n    model: str\n"
        "def resolve(given):\n    text = str(given)\n    return Config(text, given['model'])\n"
    )
    work = (
        "from .settings import Config\nfrom .clients.http import ask\n"
        "class Session:\n"
        "    plan: Config\n"
        "    def start(self):\n        ask(self.plan.model)\n"
    )
    files = {RUN: run, "core/settings.py": settings, "core/work.py": work}
    client = {"core/clients/http.py": "def ask(name):\n    inner = name\n"}
    names = found(tmp_path, {**files, **client})["names_of_settings"]
    assert names == ["config", "given", "name", "params"]


def test_what_the_command_never_enters_is_no_part_of_the_way(tmp_path: Path) -> None:
    """Another caller of the same function hands on what it gets back under a name of its own."""
    shared = "from .clients.http import ask\ndef same(given):\n    return given\n"
    other = (
        "from .settings import same, ask\ndef other_command():\n    own = same(1)\n    ask(own)\n"
    )
    run = "from ..settings import same, ask\ndef run_command(**params):\n    ask(same(params))\n"
    files = {RUN: run, "core/settings.py": shared, "core/other.py": other}
    client = {"core/clients/http.py": "def ask(name): ...\n"}
    names = found(tmp_path, {**files, **client})["names_of_settings"]
    assert names == ["given", "name", "params"]


def test_the_way_of_the_settings_stays_clear_of_what_is_beside_it(tmp_path: Path) -> None:
    """What goes through the journal to a client is not followed."""
    run = "from ..journal import keep\ndef run_command(**params):\n    keep(params)\n"
    files = {
        RUN: run,
        "core/journal.py": "from .clients import ask\ndef keep(row):\n    ask(row)\n",
        "core/clients/__init__.py": "def ask(name): ...\n",
    }
    assert found(tmp_path, files)["names_of_settings"] == []
