"""Exporters of installed plugins: used by `bench export --format`, or named with what is wrong."""

import subprocess
from pathlib import Path

import pytest

from tests.core.test_plugins import HEAD, Place, registers

SCORES = """
def files(request):
    title = request.options["heading"] or "scores"
    for run in request.runs:
        document = run.document
        rows = [f"{name},{metric['value']}" for name, metric in document["metrics"].items()]
        path = f"{document['benchmark']}/{run.id}.txt"
        yield eibench.ExportFile(path, "\\n".join([title, *rows]))
"""
OPTION = "(eibench.ExportOption('heading', 'the first line.'),)"
EXPORTER = f"eibench.Exporter('scores', 'main numbers as text', files, {OPTION}, takes_all=True)"
DEMO = ("run", "eqbench-v1", "--limit", "2")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one run of a demo model."""
    place = Place(tmp_path_factory.mktemp("stored"))
    assert place.bench(*DEMO).returncode == 0
    return place.path


def exported(
    stored: Path, place: Path, code: str, *args: str
) -> "subprocess.CompletedProcess[str]":
    """`bench export` with an exporter of this code installed."""
    installed = Place(place)
    installed.install("scores", HEAD + code + registers("exporters", EXPORTER))
    runs = ("--runs-dir", str(stored / "runs"))
    return installed.bench("export", "--demo", "--format", "scores", "-o", "out", *runs, *args)


def test_a_plugin_s_exporter_writes_runs_in_its_form(stored: Path, tmp_path: Path) -> None:
    """It gets stored runs and its own option, and its files stand in the folder."""
    done = exported(stored, tmp_path, SCORES, "--heading", "of one model")
    assert done.returncode == 0, done.stderr
    (path,) = (tmp_path / "out" / "eqbench-v1").iterdir()
    lines = path.read_text().splitlines()
    assert lines[0] == "of one model"
    assert len(lines) > 1 and all(float(line.rpartition(",")[2]) for line in lines[1:2])


def test_a_plugin_s_exporter_is_listed_and_in_the_help(tmp_path: Path) -> None:
    """With its title, its distribution and its option."""
    place = Place(tmp_path)
    place.install("scores", HEAD + SCORES + registers("exporters", EXPORTER))
    (entry,) = [one for one in place.listing()["exporters"] if one["name"] == "scores"]
    assert (entry["title"], entry["distribution"]) == ("main numbers as text", "scores-dist 1.2")
    shown = place.bench("export", "--help").stdout
    assert "|scores]" in shown
    assert "--heading TEXT" in shown and "For scores: the first line." in shown


def test_an_option_of_another_exporter_is_refused(stored: Path, tmp_path: Path) -> None:
    """It would be left out in silence."""
    done = exported(stored, tmp_path, SCORES, "--source", "https://example.org")
    assert (done.returncode, "--source is for --format hf-eval" in done.stderr) == (2, True)


def gives(*files: str) -> str:
    """An exporter that gives these files."""
    return f"def files(request):\n    return [{', '.join(files)}]\n"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def files(request):\n    1 / 0\n", "raised ZeroDivisionError"),
        (gives("eibench.ExportFile('../out.txt', 'x')"), "'../out.txt', which is outside"),
        (gives("eibench.ExportFile('/elsewhere.txt', 'x')"), "'/elsewhere.txt', which is outside"),
        (gives("eibench.ExportFile('a/../../out.txt', 'x')"), "which is outside the folder"),
        (gives("eibench.ExportFile('link/out.txt', 'x')"), "which is outside the folder"),
        (gives("eibench.ExportFile('a', 1)"), "a file whose content is int"),
        (gives("'a'"), "returned str, not an eibench.ExportFile"),
        (gives(*2 * ["eibench.ExportFile('a', 'x')"]), "returned a twice"),
        (gives(), "returned no file"),
        (
            "def files(request):\n    yield eibench.ExportFile('a', 'x')\n    1 / 0\n",
            "ZeroDivision",
        ),
    ],
)
def test_what_an_exporter_may_not_do_is_refused(
    stored: Path, tmp_path: Path, code: str, message: str
) -> None:
    """In one line that names it and its distribution; nothing is written."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "link").symlink_to(tmp_path)
    done = exported(stored, tmp_path, code)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert "files of scores (scores-dist 1.2) " in done.stderr and message in done.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["link"]
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        ("'csv'", "it is not an eibench.Exporter"),
        ("eibench.Exporter('csv', 't', print)", "clashes with that of eibench 0.1.0"),
        (
            "eibench.Exporter('x', 't', 'files')",
            "it has 'files' as files, not something that can be called",
        ),
        ("eibench.Exporter('x', 't', print, ('a',))", "a tuple of eibench.ExportOption"),
        (
            "eibench.Exporter('x', 't', print, (eibench.ExportOption('output', 'h'),))",
            "its option 'output' clashes with one of bench export",
        ),
    ],
)
def test_a_wrong_exporter_is_refused(tmp_path: Path, thing: str, message: str) -> None:
    """The plugin is broken, and the reason says why."""
    place = Place(tmp_path)
    place.install("bad", HEAD + registers("exporters", thing))
    (broken,) = place.listing()["broken"]
    assert broken["distribution"] == "bad-dist 1.2" and message in broken["reason"]
