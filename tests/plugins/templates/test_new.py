"""What `bench plugin new` writes runs, is typed and tested, and has nothing that must go."""

import importlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tokenize
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench.checking import named_subjects
from eibench.core.reading.bibtex import cited
from eibench.plugins.kit.conformance.running import checks_of
from eibench.plugins.kit.scaffold import DECLARED, KINDS, PAIRWISE
from tests.conftest import run_here

IN_PYTHON = {f"t-{kind}": [kind] for kind in KINDS} | {
    f"t-{kind}-pairs": [kind, "--pairwise"] for kind in PAIRWISE
}
IN_TOML = {f"d-{kind}": [kind, "--declared"] for kind in DECLARED} | {
    f"d-{kind}-pairs": [kind, "--declared", "--pairwise"] for kind in PAIRWISE
}
PACKAGES = IN_PYTHON | IN_TOML
CONFORMING = [
    "t-choice",
    "t-game",
    "t-yes-no-pairs",
    "t-rubric-pairs",
    "d-choice",
    "d-rubric-pairs",
]
MOST_LINES = 70
SOURCE = Path(eibench.__file__).parents[1]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package of each kind, and of those that compare."""
    folder = tmp_path_factory.mktemp("packages")
    for name, (kind, *more) in PACKAGES.items():
        done = run_here("plugin", "new", name, "--kind", kind, *more, "-o", str(folder))
        assert done.code == 0, done.err
    return folder


def code_lines(path: Path) -> int:
    """Lines that hold code: neither blank, nor a comment or a docstring."""
    layout = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT)
    lines, begins = set[int](), True
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            is_docstring = begins and token.type == tokenize.STRING
            if token.type in layout or token.type in (tokenize.ENCODING, tokenize.ENDMARKER):
                begins = begins or token.type in (tokenize.NEWLINE, tokenize.INDENT)
            elif not is_docstring:
                begins = False
                lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines)


def benchmark_of(package: Path) -> Any:
    """The benchmark in a package's folder."""
    (subject,) = named_subjects(str(package))
    return subject.thing


@pytest.mark.parametrize("name", PACKAGES)
def test_a_new_benchmark_runs_and_tells_abilities_apart(
    packages: Path, name: str, tmp_path: Path
) -> None:
    """On demo models, all samples scored; those that compare are rated, with the able one first."""
    benchmark = benchmark_of(packages / name)
    weak, strong = (
        eibench.run(benchmark, model=f"demo/{model}", runs_dir=tmp_path).document
        for model in ("weak", "strong")
    )
    worse, better = (run["metrics"][benchmark.values[0].name]["value"] for run in (weak, strong))
    assert worse is not None
    assert better is not None
    assert worse < better
    assert strong["status"] == "complete"
    assert strong["items"]["scored"] == strong["items"]["total"] == 6
    rated = [row["model"] for row in strong["ratings"]] if strong["ratings"] else []
    assert rated == (["demo/strong", "demo/weak"] if name.endswith("pairs") else [])


@pytest.mark.parametrize("name", PACKAGES)
def test_a_new_package_is_short(packages: Path, name: str) -> None:
    """As many lines as can be read in a sitting, and no mark of what was left out."""
    package = packages / name
    code = package / name.replace("-", "_") / "__init__.py"
    assert code_lines(code) <= (MOST_LINES if name in IN_PYTHON else 5)
    assert "pairwise" not in code.read_text().lower().replace("eb.pairwise", "")
    (entry,) = cited(benchmark_of(package).cite)
    assert entry.key == name.replace("-", "_")


@pytest.mark.parametrize("name", CONFORMING)
def test_a_new_benchmark_conforms(packages: Path, name: str) -> None:
    """The checks of `bench plugin check` pass that need no process of their own.

    That of talks makes all, in its own tests.
    """
    ids = [one.id for one in checks_of("benchmark") if one.id not in ("K02", "K23")]
    only = [word for check in ids for word in ("--only", check)]
    done = run_here("plugin", "check", str(packages / name), *only)
    assert done.code == 0, done.out


def test_new_packages_pass_ruff_and_mypy(packages: Path) -> None:
    """As their own settings say, strictly typed."""
    for command in (["ruff", "check", "."], ["ruff", "format", "--check", "."]):
        subprocess.run([sys.executable, "-m", *command], cwd=packages, check=True)
    modules = [name.replace("-", "_") for name in PACKAGES]
    paths = [str(packages / name) for name in PACKAGES]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *(f"-p{module}" for module in modules)],
        cwd=packages,
        env={**os.environ, "MYPYPATH": os.pathsep.join([str(SOURCE), *paths])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_a_new_package_is_installed_tested_and_run(packages: Path, tmp_path: Path) -> None:
    """By pip, editable or not, without network; what is installed has its data and is tested."""
    names = ("t-talk-pairs", "d-talk")
    edited, other = (shutil.copytree(packages / name, tmp_path / name) for name in names)
    venv.create(tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    (site,) = (tmp_path / "venv").glob("lib/*/site-packages")
    (site / "eibench.pth").write_text(f"{sysconfig.get_paths()['purelib']}\n{SOURCE}\n")

    def run(*words: str | Path) -> str:
        kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run(
            words, cwd=tmp_path, env=kept, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    pip = (sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-index")
    run(*pip, "--no-deps", "--no-build-isolation", other, "-e", edited)
    bench = (python, "-c", "from eibench.core.cli import main; main()")
    runs = json.loads(run(*bench, "run", *names, "--json"))["runs"]
    assert [document["items"]["scored"] for document in runs] == [6, 6]
    assert "@misc{t_talk_pairs," in run(*bench, "cite", *names)
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", edited / "tests")


def test_the_end_names_the_three_commands(tmp_path: Path, invoke: Callable[..., Any]) -> None:
    """To install, to test and to run."""
    done = invoke("plugin", "new", "small-talk", "--kind", "talk", "-o", str(tmp_path / "a b"))
    folder = f"'{tmp_path}/a b/small-talk'"
    assert done.out.splitlines()[1:] == [
        f"  pip install -e {folder}'[test]'",
        f"  pytest {folder}",
        "  bench run small-talk",
    ]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("Small-Talk", "talk"), "lower-case letters, digits and single dashes"),
        (("2fast", "talk"), "a letter first"),
        (("a--b", "talk"), "single dashes"),
        (("../up", "talk"), "single dashes"),
        (("seceu", "talk"), "there is a benchmark 'seceu' already (eibench "),
        (("json", "talk"), "'json' is a word or a package of Python"),
        (("class", "talk"), "'class' is a word or a package of Python"),
        (("numpy", "talk"), "'numpy' is a word or a package of Python"),
        (("new", "choice", "--pairwise"), "--pairwise is for yes-no, rubric, talk"),
        (("new", "game", "--declared"), "--declared is for choice, yes-no, rubric, talk"),
        (("new", "distance"), "'distance' is not one of"),
        (("there-already", "talk"), "is there already; name it otherwise, or give -o DIR"),
    ],
)
def test_what_cannot_be_made_is_refused(
    words: tuple[str, ...], reason: str, tmp_path: Path, invoke: Callable[..., Any]
) -> None:
    """Nothing is written, and what is there stays as it was."""
    folder = tmp_path / "into"
    (folder / "there-already").mkdir(parents=True)
    name, kind, *more = words
    done = invoke("plugin", "new", name, "--kind", kind, *more, "-o", str(folder))
    assert done.code == 2
    assert reason in done.err
    assert [path.name for path in folder.rglob("*")] == ["there-already"]


def test_a_class_is_not_called_as_what_its_code_imports(
    tmp_path: Path, invoke: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A benchmark called template is no `Template`."""
    done = invoke("plugin", "new", "template", "--kind", "rubric", "-o", str(tmp_path))
    assert done.code == 0, done.err
    monkeypatch.syspath_prepend(tmp_path / "template")
    assert issubclass(importlib.import_module("template").TemplateBenchmark, eibench.Benchmark)
