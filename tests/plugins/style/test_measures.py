"""What is counted in one text, against counts by hand."""

import time
from pathlib import Path

import pytest

from eibench import DataError
from eibench.plugins.style.contrasts import find_contrasts
from eibench.plugins.style.lists import SlopLists, read_lists, tokens
from eibench.plugins.style.measures import WINDOW, count_text
from eibench.plugins.style.slop_score import limits_of, slop_score

LISTS = SlopLists(frozenset({"gaze", "don't"}), frozenset({"a long gaze"}), "", False)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("He was not a baker, but a thief.", "not, but"),
        ("I do not  want rain — it means mud.", "not, dash"),
        ("It was not a door. It was a mouth.", "it is not; it is"),
        ("The lamps weren’t lit. They were gone.", "x is not; they are"),
        ("The lamps were no longer lit. They were gone.", "no longer"),
        ("They do not just wait. It's not just rain. It's a flood.", "not just"),
        ("The dog didn't really bark. It barked once before.", "same verb"),
        ("The lake wasn’t deep. It’s a pond.", "is not; it is"),
        ("Rain means it's not just wet. It's a flood.", "embedded not just"),
        ('Bo wept: "They’re not just late," said Ida. "They’re gone."', "spoken not just"),
        ("She said that the lake wasn't deep. It's a pond.", None),
        ("He came not only wet, but cold.", None),
        ("Nothing here. All is well.", None),
        ("", None),
    ],
)
def test_each_pattern_sees_its_contrast(text: str, pattern: str | None) -> None:
    """One contrast a text, by the first pattern that matches; reports and "not only" are none."""
    assert [contrast.pattern for contrast in find_contrasts(text)] == [pattern] * bool(pattern)


def test_matches_that_share_a_sentence_are_one_contrast() -> None:
    """Three sentences chained by two matches are one; a later one is another."""
    chain = "It was not a door. It was not a wall. It was a mouth. Rain fell. "
    (first, second) = find_contrasts(chain + "He was not old, but tired.")
    assert first.text == "It was not a door. It was not a wall. It was a mouth."
    assert second.pattern == "not, but"


def test_counts_of_a_text_by_hand() -> None:
    """Words by both rules, hits, sentences, paragraphs and speech."""
    text = '“Don’t go,” said Ada. A long gaze…\n\nÉva’s café was closed! (She wept.) "Why? And'
    counted = count_text(text, LISTS)
    assert tokens(text) == [
        *("don't", "go", "said", "ada", "a", "long", "gaze", "va's", "caf", "was", "closed"),
        *("she", "wept", "why", "and"),
    ]
    counts = counted.counts
    assert (counts.tokens, counts.words, counts.characters) == (15, 15, len(text))
    assert counted.words == {"don't": 1, "gaze": 1} and counted.trigrams == {"a long gaze": 1}
    assert (counts.sentences, counts.paragraphs) == (6, 2)
    assert counts.spoken == 4  # "Don't go", and "Why? And" to the end
    assert (counts.windows, counts.distinct, counts.repeated, counts.trigrams) == (0, 0, 0, 13)
    assert count_text("\U0001f327", None).counts.characters == 2  # as JavaScript counts


def test_windows_and_repetition_by_hand() -> None:
    """Of 501 words, 1 in the first window and 2 in the second; far repeats do not count."""
    counts = count_text("word " * WINDOW + "end", None).counts
    assert counts.windows == 2 and counts.distinct == pytest.approx(3 / WINDOW)
    assert counts.repeated == WINDOW - 3  # all but the first of "word word word", and not the last
    letters = "abcdefghijklmnopqrstuvwxyz"
    others = " ".join(a + b + "x" for a in letters for b in letters)  # 676 different words
    for between, repeated in ((others[: 4 * 497], 1), (others[: 4 * 498], 0)):
        assert (
            count_text(f"one two three {between} one two three", None).counts.repeated == repeated
        )


def test_scores_move_only_with_their_limits() -> None:
    """Two models stand at 1/12 and 11/12 of the limits that they make; equal ones make none."""
    low = {"slop_words": 1.0, "contrasts": 0.1, "slop_trigrams": 0.2}
    high = {"slop_words": 3.0, "contrasts": 0.2, "slop_trigrams": 0.4}
    limits = limits_of([low, high])
    assert limits is not None
    assert slop_score(low, limits) == pytest.approx(100 / 12)
    assert slop_score(high, limits) == pytest.approx(1100 / 12)
    assert limits_of([low, low]) is None


@pytest.mark.parametrize(
    "text",
    ["he didn't go and " * 4000, "word " * 20_000, "not" + " " * 20_000 + "just", "a'" * 20_000],
)
def test_long_texts_without_a_full_stop_take_no_time(text: str) -> None:
    """Time is in proportion to length: quadratic rules would take minutes."""
    start = time.process_time()
    count_text(text, None)
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("words", "trigrams", "message"),
    [
        ('{"a": 1}', '["a b c"]', "slop_list.json: is no JSON array"),
        ('["a", 3]', '["a b c"]', "slop_list.json, entry 2: holds no word"),
        ('["a"]', '[["a b"]]', "slop_list_trigrams.json: 'a b' is not of three words"),
        ('["a"]', None, "slop_list_trigrams.json: no such file"),
    ],
)
def test_bad_lists_are_refused(
    tmp_path: Path, words: str, trigrams: str | None, message: str
) -> None:
    """The file, and which entry."""
    (tmp_path / "slop_list.json").write_text(words, "utf-8")
    if trigrams:
        (tmp_path / "slop_list_trigrams.json").write_text(trigrams, "utf-8")
    with pytest.raises(DataError) as raised:
        read_lists(tmp_path)
    assert message in str(raised.value)
