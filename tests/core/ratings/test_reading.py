"""Files of comparisons: read whole and right, or refused with the line."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eibench import Comparison, Comparisons, DataError, UsageError
from eibench.core.ratings.reading import comparison_lines, read_comparisons

LINE = {"item": "1", "iteration": 1, "a": "x", "b": "y", "first": "a", "margins": {"warmth": 2}}


def write(path: Path, *lines: Any) -> Path:
    """A file of lines; a text is a line as it is."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def changed(**changes: Any) -> dict[str, Any]:
    """The line with other values; None takes one out."""
    return {k: v for k, v in {**LINE, **changes}.items() if v is not None}


BROKEN = {
    "no JSON": ("{oops", "not JSON"),
    "no object": ([1], "not a JSON object"),
    "NaN": ('{"item": NaN}', "needs"),
    "a key twice": ('{"item": "1", "item": "2"}', "the key 'item' stands twice"),
    "no item": (changed(item=None), 'needs "item"'),
    "item of a kind": (changed(item=[1]), 'needs "item"'),
    "item is a truth": (changed(item=True), 'needs "item"'),
    "no model": (changed(b=None), 'needs "b"'),
    "empty model": (changed(a=""), 'needs "a"'),
    "itself": (changed(b="x"), "compares 'x' with itself"),
    "no first": (changed(first=None), '"first" must be'),
    "first is a name": (changed(first="x"), '"first" must be'),
    "first is a list": (changed(first=["a"]), '"first" must be'),
    "no margins": (changed(margins=None), 'needs "margins"'),
    "no criteria": (changed(margins={}), 'needs "margins"'),
    "margins in a list": (changed(margins=[2]), 'needs "margins"'),
    "margin 6": (changed(margins={"warmth": 6}), "the margin of 'warmth'"),
    "margin -6": (changed(margins={"warmth": -6}), "the margin of 'warmth'"),
    "margin 2.5": (changed(margins={"warmth": 2.5}), "the margin of 'warmth'"),
    "margin true": (changed(margins={"warmth": True}), "the margin of 'warmth'"),
    "margin +++": (changed(margins={"warmth": "+++"}), "the margin of 'warmth'"),
    "iteration 0": (changed(iteration=0), '"iteration" must be'),
    "iteration 1.5": (changed(iteration=1.5), '"iteration" must be'),
    "huge iteration": (changed(iteration=2**31), '"iteration" must be'),
    "judge of a kind": (changed(judge=3), '"judge" must be'),
    "family of a kind": (changed(family=3), '"family" must be'),
    "length below 0": (changed(len_a=-1), '"len_a" must be'),
    "length of a kind": (changed(len_b="9"), '"len_b" must be'),
    "endless length": ('{"len_a": Infinity, ' + json.dumps(LINE)[1:], '"len_a" must be'),
    "length of 400 digits": (changed(len_a=10**400), '"len_a" must be'),
    "nested": ("[" * 100_000, "nested too deeply"),
    "other family": (changed(iteration=2, family="f"), "of family 'f' here and of '1' in line 1"),
    "twice": (LINE, "as in line 1"),
    "twice, swapped": (
        changed(a="y", b="x", first="b", margins={"warmth": -2}),
        "as in line 1",
    ),
}


@pytest.mark.parametrize(("line", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_line_is_refused_with_its_number(tmp_path: Path, line: Any, message: str) -> None:
    """Blank lines count too."""
    path = write(tmp_path / "c.jsonl", LINE, "", line)
    with pytest.raises(DataError) as caught:
        read_comparisons(path)
    assert str(caught.value).startswith(f"{path}, line 3: ")
    assert message in str(caught.value)


def test_an_empty_file_holds_no_comparisons(tmp_path: Path) -> None:
    """Nor does one of blank lines, or none at all."""
    with pytest.raises(DataError, match="holds no comparisons"):
        read_comparisons(write(tmp_path / "c.jsonl", ""))
    with pytest.raises(DataError, match="cannot be read"):
        read_comparisons(tmp_path / "none.jsonl")


def test_all_that_is_optional_may_be_absent(tmp_path: Path) -> None:
    """Iteration is 1, the family is the item, lengths are unknown."""
    found = read_comparisons(write(tmp_path / "c.jsonl", changed(iteration=None)))
    assert (found.models, found.items, found.families) == (("x", "y"), ("1",), ("1",))
    assert (found.iteration[0], found.judge, found.has_lengths) == (1, "", False)
    assert (found.margin[0], found.criteria[0], found.a_first[0]) == (2, 1, True)


def test_null_stands_for_absent(tmp_path: Path) -> None:
    """A writer may name what it does not know."""
    line = {**LINE, "judge": None, "family": None, "len_a": None, "len_b": None}
    assert len(read_comparisons(write(tmp_path / "c.jsonl", line))) == 1


def test_packed_files_are_read(tmp_path: Path) -> None:
    """gzip, whatever the name."""
    plain = write(tmp_path / "c.jsonl", LINE, changed(first="b"))
    packed = tmp_path / "c.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert np.array_equal(read_comparisons(packed).margin, read_comparisons(plain).margin)


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    """32 MiB of blank lines from 32 KiB are not unpacked to the end."""
    packed = tmp_path / "bomb.jsonl.gz"
    packed.write_bytes(gzip.compress((b" " * 1023 + b"\n") * 2**15, mtime=0))
    with pytest.raises(DataError, match="expands to more than 250 times its size"):
        read_comparisons(packed)


@pytest.mark.parametrize(
    "second",
    [
        LINE,
        changed(a="y", b="x", first="b", margins={"warmth": -2}),
        changed(margins={"warmth": 3}),
    ],
    ids=["alike", "swapped", "contradicting"],
)
def test_the_same_comparison_a_second_time_is_refused(tmp_path: Path, second: Any) -> None:
    """Also one that names the models the other way round, or says something else."""
    path = write(tmp_path / "c.jsonl", LINE, second)
    with pytest.raises(DataError, match=r"line 2: the same comparison .* as in line 1; take one"):
        read_comparisons(path)


def test_judges_do_not_meet(tmp_path: Path) -> None:
    """One is chosen by name, and then the others' lines do not count."""
    path = write(tmp_path / "c.jsonl", changed(judge="p"), changed(judge="q"))
    with pytest.raises(UsageError, match="choose with --judge: 'p', 'q'"):
        read_comparisons(path)
    assert read_comparisons(path, judge="q").judge == "q"
    with pytest.raises(UsageError, match="no comparison by judge 'r'"):
        read_comparisons(path, judge="r")


def test_unknown_keys_are_told(tmp_path: Path) -> None:
    """A misspelt key does not vanish without a word."""
    found = read_comparisons(write(tmp_path / "c.jsonl", changed(famliy="f")))
    assert found.warnings == ("keys that mean nothing here were passed over: 'famliy' (1)",)


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    """As Windows programs write it."""
    path = tmp_path / "c.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(LINE).encode())
    assert len(read_comparisons(path)) == 1


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    """With the line."""
    path = tmp_path / "c.jsonl"
    path.write_bytes(json.dumps(LINE).encode() + b"\n\xff\n")
    with pytest.raises(DataError, match="line 2: not UTF-8"):
        read_comparisons(path)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """The lines of rows make the same container as the rows."""
    rows = [
        Comparison("1", 1, "x", "y", "a", {"warmth": 2, "depth": -1}, "j", 10, 20, "f"),
        Comparison("2", 3, "z", "x", "b", {"warmth": -5}, "j", 30, 40),
    ]
    path = tmp_path / "c.jsonl"
    path.write_bytes(b"".join(comparison_lines(rows)))
    read, made = read_comparisons(path), Comparisons.of(rows)
    assert (read.models, read.items, read.families) == (made.models, made.items, made.families)
    for name in ("a", "b", "item", "iteration", "family", "margin", "criteria", "len_a", "len_b"):
        assert np.array_equal(getattr(read, name), getattr(made, name)), name


def test_each_criterion_s_margin_can_be_kept(tmp_path: Path) -> None:
    """Positive where the model whose name sorts first wins; beyond 5 where one was not read."""
    rows = [
        Comparison("1", 1, "y", "x", "a", {"b": 2, "a": -1}),
        Comparison("1", 1, "x", "y", "a", {"c": 5}),
    ]
    found = Comparisons.of(rows, by_criterion=True)
    assert found.margins is not None
    assert found.criterion_names == ("a", "b", "c")
    by_order = dict(zip(found.a_first.tolist(), found.margins.tolist(), strict=True))
    assert by_order == {False: [1, -2, 127], True: [127, 127, 5]}
    assert found.only(found.a_first).margins is not None
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"".join(comparison_lines(rows)))
    again = read_comparisons(path, by_criterion=True)
    assert again.margins is not None and again.margins.tolist() == found.margins.tolist()
    assert Comparisons.of(rows).margins is None


def test_so_many_criteria_are_no_rubric() -> None:
    """A table of them would be as large as a file likes; the row is named."""
    row = Comparison("1", 1, "x", "y", "a", {f"c{n}": 1 for n in range(201)})
    assert len(Comparisons.of([row])) == 1
    with pytest.raises(DataError, match=r"row 1: names criterion number 201"):
        Comparisons.of([row], by_criterion=True)
