"""`bench cite`: BibTeX of what is to be cited, each work once."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import benchmarks
from eibench.core.errors import DataError
from eibench.core.plugins import installed
from eibench.core.reading.bibtex import bib_entries, cited

Bench = Callable[..., Any]


def keys(bibtex: str) -> list[str]:
    """The keys of a BibTeX text, in its order."""
    return [entry.key for entry in bib_entries(bibtex)]


def test_a_work_of_two_benchmarks_stands_once_and_eibench_last(bench: Bench) -> None:
    """With what each is cited for as a comment; what has no work of its own is told beside."""
    done = bench("cite", "eqbench-v1", "seceu", "eqbench-v2", "mediation-live")
    assert keys(done.out) == ["paech2023eqbench", "wang2023emotional", "eibench"]
    assert re.findall("^% (.*)", done.out, re.M) == ["eqbench-v1, eqbench-v2", "seceu", "eibench"]
    assert done.err == "note: mediation-live names no work of its own to cite\n"


def test_a_run_whose_comparisons_were_rated_cites_the_engine(
    bench: Bench, demos: Callable[..., list[Any]]
) -> None:
    """The first model was compared with nobody, the second with the first."""
    first, second = demos(2)
    assert "glickman2013example" not in keys(bench("cite", first["run_id"]).out)
    works = {work["key"]: work for work in bench("cite", second["run_id"], "--json").json["works"]}
    assert works["glickman2013example"]["cited_for"] == ["glicko2"]
    assert works["paech2025eqbench3"]["cited_for"] == ["eqbench3"]


@pytest.mark.parametrize("name", ["nonsense", "0000"])
def test_what_is_neither_run_nor_benchmark_is_refused(bench: Bench, name: str) -> None:
    """With both places where it was looked for."""
    done = bench("cite", name)
    assert done.code == 2
    assert f"'{name}' is no benchmark (bench list), and no runs in runs" in done.err


def test_all_that_comes_with_eibench_can_be_cited() -> None:
    """Each file is there and BibTeX; what was written here alone names no further work."""
    without = [one.name for one in benchmarks().values() if not cited(one.cite)]
    assert without == [
        "both-sides",
        "confidant",
        "judge-exam",
        "mediation-live",
        "multiple-choice",
    ]
    assert all(cited(getattr(engine, "cite", "")) for engine in installed().rating_engines)


def test_braces_and_comments_do_not_end_an_entry() -> None:
    """An entry goes to the brace that closes it; strings and comments are no works."""
    first = "@misc{a, title = {The {B} of @x}, note = {a \\} b}}"
    text = (
        f'% for y\n@string{{j = "J"}}\n{first} and\n@Article {{ b:2-c ,\n year=1}}\n@comment{{z}}'
    )
    assert bib_entries(text) == (("a", first), ("b:2-c", "@Article { b:2-c ,\n year=1}"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Wang 2023", "holds no BibTeX entry"),
        ("@misc{title = {x}}", "@misc{ has no key"),
        ("@misc{a, title = {x}", "is not closed"),
    ],
)
def test_a_file_that_is_no_bibtex_is_named(tmp_path: Path, text: str, reason: str) -> None:
    """By its path and with what is wrong, as is one that is not there."""
    path = tmp_path / "x.bib"
    with pytest.raises(DataError, match=r"x\.bib: no such file"):
        cited(path)
    path.write_text(text)
    with pytest.raises(DataError, match=re.escape(f"{path}: ") + ".*" + re.escape(reason)):
        cited(path)
