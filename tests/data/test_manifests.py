"""The manifests of the official packs: facts only, and the facts are right."""

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

import eibench.data
from eibench.core.datasets.official import OfficialPack, read_official

DATA = eibench.data.folder("")
MANIFESTS = sorted(DATA.glob("*/manifest.json"))
FOLDERS = [
    path.parent for path in MANIFESTS if "official" in json.loads(path.read_bytes())["packs"]
]
NAMES = [folder.name.replace("_", "-") for folder in FOLDERS]
OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
OTHERS = os.environ.get("EIBENCH_OTHER_DATA")
OF_OTHERS = {
    "creative-writing-legacy": ("eq-bench-writing", "slop-score"),
    "humanebench": ("humanebench",),
    "judgemark": ("eq-bench-writing",),
    "spiral-bench": ("spiral-bench",),
}
"""Packs whose files lie with the data of other benchmarks, in which folders; they have no sums."""
OTHER_COMMITS = {"/sam-paech/slop-score/289264ab2a0df1358ef81ced3c259610ea709514/"}
"""Where files of a pack come from that are of another repository than the others."""
LISTED = [name for name in NAMES if name not in OF_OTHERS]
NOT_IN_PACKS = re.compile(r"(^|/)LICENSE$|^eqbench-v2/results/")
RAW = "https://raw.githubusercontent.com"
FACTS = {"title", "licence", "repository", "commit", "files"}
FILE_FACTS = {"name", "path", "url", "sha256", "size", "lang", "optional"}

each = pytest.mark.parametrize("name", NAMES)
needs_official = pytest.mark.skipif(
    OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA does not say where the official data is"
)


def raw(name: str) -> Any:
    """A manifest as it is."""
    path = DATA / name.replace("-", "_") / "manifest.json"
    return json.loads(path.read_text(encoding="utf-8"))


def pack(name: str) -> OfficialPack:
    """A manifest's official pack."""
    return read_official(name, DATA / name.replace("-", "_"), cache=Path("cache"))


def official_file(name: str, path: str) -> Path:
    """A file of an official pack among the data for tests."""
    if name not in OF_OTHERS:
        return Path(str(OFFICIAL), name, path)
    if OTHERS is None:
        pytest.skip("EIBENCH_OTHER_DATA does not say where the data of others is")
    return next(p for folder in OF_OTHERS[name] if (p := Path(OTHERS, folder, path)).exists())


def listed() -> dict[str, str]:
    """The SHA-256 of each official file by folder and name, as their own list has it."""
    lines = Path(str(OFFICIAL), "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    sums = {path: sha256 for sha256, _, path in (line.partition("  ") for line in lines)}
    return {path: sha256 for path, sha256 in sums.items() if not NOT_IN_PACKS.search(path)}


@each
def test_folder_is_named_like_the_benchmark(name: str) -> None:
    """So that packs are found without reading a manifest."""
    assert raw(name)["benchmark"] == name


@each
def test_facts_only(name: str) -> None:
    """A manifest says where, which and under what licence; it holds no text of upstream's."""
    official = raw(name)["packs"]["official"]
    assert set(official) == FACTS
    assert len(official["title"]) < 100
    assert official["licence"] in ("MIT", "Apache-2.0", "none stated")
    for file in official["files"]:
        assert set(file) <= FILE_FACTS


@each
def test_urls_are_pinned(name: str) -> None:
    """Each address holds the repository and the full commit, and ends in the file's name."""
    official = raw(name)["packs"]["official"]
    assert re.fullmatch(r"[0-9a-f]{40}", official["commit"])
    owner_and_repository = urlsplit(official["repository"]).path
    commits = (f"{owner_and_repository}/{official['commit']}/", *OTHER_COMMITS)
    for file in pack(name).all_files:
        assert str(file.url).startswith(tuple(RAW + commit for commit in commits))
        assert unquote(str(file.url)).endswith(f"/{file.path}")


@each
def test_names_and_paths_are_unambiguous(name: str) -> None:
    """No path twice; no name twice within a language."""
    files = raw(name)["packs"]["official"]["files"]
    assert len({file["path"] for file in files}) == len(files)
    for lang in {file.get("lang") for file in files}:
        names = [f["name"] for f in files if f.get("lang") in (None, lang)]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("name", "languages"),
    [("eqbench-v1", ()), ("eqbench-v2", ("en", "de")), ("seceu", ("en", "zh")), ("eqbench3", ())],
)
def test_languages(name: str, languages: tuple[str, ...]) -> None:
    """Where a file belongs to one language, the manifest says so; each has the same names."""
    assert pack(name).languages == languages
    files = raw(name)["packs"]["official"]["files"]
    names = {lang: {f["name"] for f in files if f.get("lang") == lang} for lang in languages}
    assert len({frozenset(group) for group in names.values()}) <= 1


@needs_official
@each
def test_each_file_is_the_official_one(name: str) -> None:
    """Size and SHA-256 are those of the file itself and of the list beside it."""
    for file in pack(name).all_files:
        body = official_file(name, file.path).read_bytes()
        assert file.size == len(body)
        assert file.checksum == hashlib.sha256(body).hexdigest()
        assert name in OF_OTHERS or file.checksum == listed()[f"{name}/{file.path}"]


@needs_official
def test_every_official_file_is_in_a_manifest() -> None:
    """All packs, all files; licences and others' results are no part of a pack."""
    known = {f"{name}/{file.path}" for name in LISTED for file in pack(name).all_files}
    assert known == set(listed())


@needs_official
def test_table_of_the_official_data_agrees() -> None:
    """Repository, commit and folder upstream are as the README of the official data says."""
    text = Path(str(OFFICIAL), "README.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ][2:]
    assert {row[0] for row in rows} == set(LISTED)
    commit = ""
    for name, repository, message, paths, licence in rows:
        commit = commit if message == "same" else message
        patterns = [re.escape(p).replace(r"\*", "[^/]*") for p in paths.split(", ")]
        for file in pack(name).all_files:
            upstream = unquote(str(file.url)).removeprefix(f"{RAW}/{repository}/{commit}/")
            assert any(re.fullmatch(p, upstream) for p in patterns), file.url
        assert raw(name)["packs"]["official"]["licence"] == licence.replace("see LICENSE", "MIT")
