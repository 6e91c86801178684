"""Which checkpoint a folder holds, and whether it is written to its end."""

import json
from pathlib import Path

import pytest

from eibench import DataError
from eibench.core.reading.checkpoints import checkpoint_of, unfinished


def write(folder: Path, **files: bytes) -> Path:
    """A folder with files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_bytes(content)
    return folder


def test_a_folder_that_moved_is_the_same_checkpoint(tmp_path: Path) -> None:
    """Names and contents count, not where it is or when it was written; a text is itself."""
    one = write(tmp_path / "a", model_bin=b"x" * 3_000_000, config_json=b"{}")
    digest = checkpoint_of(str(one))
    assert checkpoint_of(str(one.rename(tmp_path / "b"))) == digest
    for text in ("org/model@3f2a", "x" * 300, "a\0b"):
        assert checkpoint_of(text) == text


@pytest.mark.parametrize("at", [0, 10, 2_999_999])
def test_other_weights_are_another_checkpoint(tmp_path: Path, at: int) -> None:
    """At either end of a file; or where a file joined."""
    content = bytearray(3_000_000)
    digest = checkpoint_of(str(write(tmp_path / "a", model_bin=bytes(content))))
    content[at] = 1
    other = write(tmp_path / "b", model_bin=bytes(content))
    assert checkpoint_of(str(other)) != digest
    joined = write(tmp_path / "a", more_bin=b"")
    assert checkpoint_of(str(joined)) != digest


def test_an_empty_folder_is_no_checkpoint(tmp_path: Path) -> None:
    """It is an error of its own."""
    with pytest.raises(DataError, match="empty folder"):
        checkpoint_of(str(tmp_path))


def test_what_is_not_written_to_its_end(tmp_path: Path) -> None:
    """No file, one that is being written, an index that is cut off or names absent files."""
    folder = tmp_path / "a"
    folder.mkdir()
    assert unfinished(folder) == "it has no files"
    write(folder, one_safetensors=b"1", two_tmp=b"")
    assert unfinished(folder) == "it has two.tmp"
    (folder / "two.tmp").unlink()
    assert unfinished(folder) == ""
    index = folder / "model.safetensors.index.json"
    index.write_text('{"weight_map": {"a": "one.safe', "utf-8")
    assert "not written to its end" in unfinished(folder)
    index.write_text(json.dumps({"weight_map": {"a": "one.safetensors", "b": "2.safetensors"}}))
    assert unfinished(folder) == "it lacks 2.safetensors"
    for strange in ("[" * 9999, '{"weight_map": {"a": 1, "b": "%s"}}' % ("c" * 300)):
        index.write_text(strange, "utf-8")
        assert "not written to its end, or is no index" in unfinished(folder)
