"""The set of situations: what is bundled, and what a broken file says."""

import json
from pathlib import Path

import pytest

from eibench import DataError, folder
from eibench.plugins.exam.controls import longer, marked_up, renamed, signed
from eibench.plugins.exam.situations import DOSES, FAULTS, Versions, read_situations

FILES = sorted((folder("judge_exam") / "bundled").glob("*.toml"))


@pytest.fixture(scope="module")
def bundled() -> list[Versions]:
    """What is bundled."""
    return [item.content for item in read_situations(FILES, "eqbench3")]


def test_a_larger_dose_changes_more_and_no_version_stands_twice(bundled: list[Versions]) -> None:
    """Twenty situations, eighteen versions each; words shared with the good reply fall."""
    assert len(bundled) == 20
    for replies in bundled:
        assert len({replies.good, *replies.versions.values()}) == 1 + len(FAULTS) * len(DOSES)
        good = replies.good.split(". ")
        for fault in FAULTS:
            kept = [
                sum(sentence in replies.version(fault, dose) for sentence in good)
                for dose in ("", *DOSES)
            ]
            assert kept == sorted(kept, reverse=True), (replies.situation.id, fault, kept)
            assert kept[-1] < kept[0]


def test_names_can_be_exchanged(bundled: list[Versions]) -> None:
    """None of the old ones is left in situation, note or reply, in capitals neither."""
    for replies in bundled:
        situation, text = renamed(replies, replies.good)
        for name in replies.names:
            for shown in (situation.text, situation.note, text):
                assert name not in shown.replace("'", " ").split(), (situation.id, name)
        assert text != replies.good or situation.text != replies.situation.text


def test_controls_add_no_word_of_meaning(bundled: list[Versions]) -> None:
    """Longer by two fifths with all that was there, Markdown of the same words, a signature."""
    from random import Random

    for replies in bundled:
        padded = longer(replies.good, Random(1))
        assert 1.35 < len(padded.split()) / len(replies.good.split()) < 1.55
        bold = marked_up(replies.good).replace("**", "").replace("- ", "").split()
        assert bold == replies.good.replace("- ", "").split()
        assert signed(replies.good, "m").startswith(replies.good)


_GOOD = "One two three four five. Six seven eight nine ten. Eleven twelve."
_EDIT = '[["Eleven twelve.", "Eleven, then."]]'
_TABLES = "".join(
    f"[{fault}]\n" + "".join(f"{dose} = {_EDIT}\n" for dose in DOSES) for fault in FAULTS
)
_HEAD = f'id = "x"\npack = "eqbench3"\nitem = "stall-nine"\ngood = "{_GOOD}"\n'
_NAMES = '[names]\nJurandir = "Valdemar"\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (_HEAD.replace("good", "better") + _NAMES + _TABLES, 'has "better", which is none of'),
        (_HEAD.replace('id = "x"', "") + _NAMES + _TABLES, 'needs "id", a text'),
        (_HEAD.replace("stall-nine", "stall-ten") + _NAMES + _TABLES, "no bundled pack eqbench3"),
        (_HEAD + _TABLES, "needs [names]"),
        (_HEAD + _NAMES.replace("Jurandir", "Zora") + _TABLES, "the situation has no 'Zora'"),
        (_HEAD + _NAMES + _TABLES.replace("[cold]", "[warm]"), 'has "warm"'),
        (_HEAD + _NAMES + _TABLES.replace(_EDIT, '["Six"]', 1), "flattering, small: needs pairs"),
        (_HEAD + _NAMES + _TABLES.replace("Eleven twelve.", "e", 1), "must stand once"),
        (
            _HEAD + _NAMES + _TABLES.replace(_EDIT, '[["Six", "6"], ["Six seven", "7"]]', 1),
            "flattering, small: two passages overlap",
        ),
        (
            _HEAD + _NAMES + _TABLES.replace(_EDIT, '[["One … ten.", "No."]]', 1),
            "x the words of the good reply",
        ),
    ],
)
def test_a_broken_file_is_refused_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    """File and, where there is one, fault and dose."""
    path = tmp_path / "x.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(DataError) as raised:
        read_situations([path], "eqbench3")
    assert says in str(raised.value)
    assert "x.toml" in str(raised.value)


def test_readers_put_the_good_reply_first() -> None:
    """Above all coarse versions in at least 95 % of situations, by the raw answers."""
    readings = json.loads((folder("judge_exam") / "readings.json").read_text("utf-8"))
    points = readings["points"]
    assert set(points) == {path.stem for path in FILES}
    first = [max(of, key=of.get) == "good" for of in points.values()]
    assert sum(first) >= 0.95 * len(points)
    by = {reader: [pair[reader] == pair["good"] for pair in readings["pairs"] if pair[reader]]
          for reader in ("first", "second")}  # fmt: skip
    counts = {reader: (sum(right), len(right)) for reader, right in by.items()}
    assert counts == {"first": (60, 60), "second": (45, 45)}
