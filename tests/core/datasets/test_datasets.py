"""Packs: found, known by their contents, refused with the place when broken."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import BenchError, DataError, PluginError
from eibench.core.datasets import cache_folder, find_pack
from eibench.plugins.eqbench_v1.benchmark import EQBenchV1

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
needs_official = pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")
QUESTIONS = Path(OFFICIAL or ".") / "eqbench-v1" / "eq_bench_v1_questions_60.json"
OFFICIAL_SHA256 = "9c52ae21deab827bfc77ac7dacb3b1b7e506b83752441c85aec9903671eac9de"
OPTIONS = {"revise": True, "parser": "strict"}
V1 = EQBenchV1()
assert V1.data is not None
BUNDLED = V1.data / "bundled" / "questions.json"
Change = Callable[[dict[str, Any]], object]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; the folder that v1's official pack would be in."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return cache_folder() / "eqbench-v1"


def read(path: Path) -> Any:
    """The pack at a path, read."""
    return V1.read_pack(find_pack(V1, str(path), OPTIONS), OPTIONS)


def refused(path: Path) -> DataError:
    """The error of a path that holds no good pack."""
    with pytest.raises(DataError) as caught:
        read(path)
    assert caught.value.exit_code == 3
    assert "\n" not in str(caught.value)
    return caught.value


def test_bundled_pack_is_the_default() -> None:
    """Without a cached official pack, ours is used."""
    source = find_pack(V1, None, OPTIONS)
    assert source.name == "bundled"
    assert len(V1.read_pack(source, OPTIONS).items) == 30


def test_bundled_pack_s_identity_is_its_contents() -> None:
    """One file's pack has that file's SHA-256."""
    expected = hashlib.sha256(BUNDLED.read_bytes()).hexdigest()
    assert find_pack(V1, "bundled", OPTIONS).sha256 == expected


def test_bundled_contents_elsewhere_are_the_bundled_pack(tmp_path: Path) -> None:
    """A copy under another name is the same pack."""
    copy = tmp_path / "copy.json"
    shutil.copy(BUNDLED, copy)
    assert find_pack(V1, str(copy), OPTIONS).name == "bundled"


@needs_official
@pytest.mark.parametrize("name", ["eq_bench_v1_questions_60.json", "renamed.txt"])
def test_official_contents_anywhere_are_the_official_pack(tmp_path: Path, name: str) -> None:
    """Whatever the file is called and wherever it lies."""
    copy = tmp_path / name
    shutil.copy(QUESTIONS, copy)
    source = find_pack(V1, str(copy), OPTIONS)
    assert (source.name, source.sha256) == ("official", OFFICIAL_SHA256)


@needs_official
def test_a_folder_with_the_official_file_is_the_official_pack() -> None:
    """Other files in the folder do not count."""
    assert find_pack(V1, str(QUESTIONS.parent), OPTIONS).name == "official"


@needs_official
def test_one_changed_byte_makes_another_pack(tmp_path: Path) -> None:
    """A pack is what its contents are, not what its file is called."""
    changed = tmp_path / QUESTIONS.name
    changed.write_bytes(QUESTIONS.read_bytes() + b"\n")
    assert find_pack(V1, str(changed), OPTIONS).name == "custom"


@needs_official
def test_official_pack_in_the_cache_is_the_default(cache: Path) -> None:
    """Once it is there, it is used without being named."""
    cache.mkdir(parents=True)
    shutil.copy(QUESTIONS, cache)
    for dataset in (None, "official"):
        source = find_pack(V1, dataset, OPTIONS)
        assert (source.name, source.sha256) == ("official", OFFICIAL_SHA256)
    assert find_pack(V1, "bundled", OPTIONS).name == "bundled"


@pytest.mark.parametrize("dataset", [None, "official"])
def test_a_corrupted_cache_is_refused(cache: Path, dataset: str | None) -> None:
    """A file that is not what it should be is named, not used and not passed over."""
    cache.mkdir(parents=True)
    (cache / QUESTIONS.name if OFFICIAL else cache / "eq_bench_v1_questions_60.json").write_text(
        "{}"
    )
    with pytest.raises(DataError, match="its SHA-256 is not 9c52ae21"):
        find_pack(V1, dataset, OPTIONS)


def test_official_pack_that_is_absent_is_told_with_how_to_get_it() -> None:
    """The line says which command gets it; nothing is downloaded."""
    with pytest.raises(DataError, match="bench data fetch eqbench-v1 gets it"):
        find_pack(V1, "official", OPTIONS)


def test_a_missing_path_is_told_with_the_names_of_packs(tmp_path: Path) -> None:
    """It may have been a pack's name that was mistyped."""
    assert "no such file, folder or pack (eqbench-v1 has: bundled, official)" in str(
        refused(tmp_path / "bundeld")
    )


def test_a_folder_without_a_pack_is_told_what_it_needs(tmp_path: Path) -> None:
    """The official file's name is in the message."""
    assert "it needs eq_bench_v1_questions_60.json" in str(refused(tmp_path))


class Nested(EQBenchV1):
    """A benchmark whose official pack has two files of one name."""

    name = "nested"


def nested(data: Path) -> Nested:
    """It, with its manifest in a folder."""
    data.mkdir()
    files = [
        {"name": n, "path": f"{n}/prompts.json", "sha256": "0" * 64, "size": 1, "url": "https://x"}
        for n in ("one", "other")
    ]
    manifest = {"packs": {"official": {"files": files}}}
    (data / "manifest.json").write_text(json.dumps(manifest))
    benchmark = Nested()
    benchmark.data = data
    return benchmark


def test_a_folder_as_upstream_has_it_holds_the_pack(tmp_path: Path) -> None:
    """Files of one name are told apart by their folders."""
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "prompts.json").write_text(name)
    source = find_pack(nested(tmp_path / "data"), str(tmp_path), OPTIONS)
    assert {n: path.read_text() for n, path in source.files.items()} == {
        "one": "one",
        "other": "other",
    }


def test_a_folder_that_lacks_one_file_is_told_which(tmp_path: Path) -> None:
    """With its folder, as another file has the same name."""
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "prompts.json").write_text("one")
    with pytest.raises(DataError, match=r"it lacks other/prompts.json"):
        find_pack(nested(tmp_path / "data"), str(tmp_path), OPTIONS)


def test_a_benchmark_without_packs_takes_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is what it may read, so one is asked for."""
    monkeypatch.setattr(EQBenchV1, "data", None)
    with pytest.raises(DataError, match="is a folder; name the file in it"):
        find_pack(EQBenchV1(), str(tmp_path), {})


def test_a_plugin_without_its_data_folder_is_named(tmp_path: Path) -> None:
    """The user gave no path that could be wrong."""
    benchmark = nested(tmp_path / "data")
    (tmp_path / "data" / "manifest.json").unlink()
    with pytest.raises(PluginError, match=r"nested declares its data in .*no manifest.json"):
        find_pack(benchmark, None, OPTIONS)


def test_a_benchmark_s_files_are_read_with_a_byte_order_mark(tmp_path: Path) -> None:
    """Editors on Windows add one; it is no part of the JSON."""
    path = tmp_path / "bom.json"
    path.write_text("\ufeff" + BUNDLED.read_text(encoding="utf-8"), encoding="utf-8")
    assert len(read(path).items) == 30


BROKEN_TEXTS = {
    "empty": ("", "not JSON", "line 1, column 1"),
    "not JSON": ('{"1": \n oops}', "not JSON", "line 2, column 2"),
    "a list": ("[]", "must be a JSON object", ""),
    "no question": ("{}", "not empty", ""),
    "an id twice": ('{"1": {}, "1": {}}', "'1' stands twice", ""),
    "no object": ('{"7": 3}', "must be a JSON object", 'item "7"'),
    "nested without end": ("[" * 100_000, "nested too deeply", ""),
}


@pytest.mark.parametrize(("text", "message", "place"), BROKEN_TEXTS.values(), ids=BROKEN_TEXTS)
def test_a_broken_file_is_told_with_its_place(
    tmp_path: Path, text: str, message: str, place: str
) -> None:
    """One line: the file, the place, what is wrong."""
    path = tmp_path / "pack.json"
    path.write_text(text)
    error = refused(path)
    assert (error.path, error.position) == (str(path), place)
    assert message in str(error)


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    """The place is the line and the byte."""
    path = tmp_path / "pack.json"
    path.write_bytes(b'{"1": "\xff"}')
    assert refused(path).position == "line 1, byte 7"


def answer(name: str, value: object) -> Change:
    """Set a field of the reference answer."""
    return lambda row: row["reference_answer"].__setitem__(name, value)


BROKEN_ITEMS: dict[str, tuple[Change, str]] = {
    "no prompt": (lambda row: row.pop("prompt"), 'has no "prompt"'),
    "no answer": (lambda row: row.pop("reference_answer"), 'has no "reference_answer"'),
    "no emotion": (lambda row: row["reference_answer"].pop("emotion3"), 'has no "emotion3"'),
    "no rating": (lambda r: r["reference_answer"].pop("emotion3_score"), '"emotion3_score"'),
    "prompt is a number": (lambda row: row.update(prompt=4), '"prompt" must be a text'),
    "prompt is blank": (lambda row: row.update(prompt=" "), '"prompt" must be a text'),
    "answer is a list": (lambda row: row.update(reference_answer=[1]), "must be an object"),
    "emotion is blank": (answer("emotion1", ""), '"emotion1" must be a text'),
    "rating is a text": (answer("emotion1_score", "3"), "must be a number from 0 to 10"),
    "rating is a truth": (answer("emotion1_score", True), "must be a number from 0 to 10"),
    "rating is negative": (answer("emotion1_score", -1), "must be a number from 0 to 10"),
    "rating is NaN": (answer("emotion1_score", float("nan")), "must be a number from 0 to 10"),
    "sum is not ten": (answer("emotion1_score", 9.5), "not 10"),
    "emotions repeated": (
        lambda row: row["reference_answer"].update(
            emotion2=row["reference_answer"]["emotion1"].upper()
        ),
        "the four emotions must differ",
    ),
}


@pytest.mark.parametrize(("change", "message"), BROKEN_ITEMS.values(), ids=BROKEN_ITEMS)
def test_a_broken_item_is_told_with_file_and_item(
    tmp_path: Path, change: Change, message: str
) -> None:
    """The second item of three is broken; the message names it."""
    questions = json.loads(BUNDLED.read_text(encoding="utf-8"))
    some = {key: questions[key] for key in list(questions)[:3]}
    broken = list(some)[1]
    change(some[broken])
    path = tmp_path / "pack.json"
    path.write_text(json.dumps(some))
    error = refused(path)
    assert (error.path, error.position) == (str(path), f'item "{broken}"')
    assert message in str(error)


def test_errors_of_packs_are_bench_errors() -> None:
    """So that every command shows them as one line."""
    assert issubclass(DataError, BenchError)
