"""Both parsers on tables of raw replies, and the laws they must keep on any text."""

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eibench.plugins.emotion_ratings.forms import ENGLISH
from eibench.plugins.emotion_ratings.parsing import (
    FLAGS,
    PARSERS,
    _read_any_section,
    _read_section,
    read_strict,
)
from eibench.plugins.emotion_ratings.parsing_pairs import PairSearch
from eibench.plugins.emotion_ratings.parsing_reference import read_reference, reference_pairs
from eibench.plugins.emotion_ratings.parsing_types import SectionReading

EMOTIONS = ("Angry", "Sad", "Quietly proud", "Calm")
VALUES = (7.0, 3.0, 0.0, 10.0)
PLAIN = "Angry: 7\nSad: 3\nQuietly proud: 0\nCalm: 10"
OTHER = PLAIN.replace("7", "8")
WORDS = ("Angry", "Sad", "Proud", "Calm")
SECTIONS = (
    "First pass scores:\n{}\n\nCritique: a bit much\n\nRevised scores:\n{}\n\n[End of answer]"
)


def strict(text: str) -> SectionReading:
    """Read a reply without sections."""
    return read_strict(text, EMOTIONS, revise=False).first_pass


def with_angry(line: str) -> str:
    """Put something else in place of the first line of the plain reply."""
    return PLAIN.replace("Angry: 7", line)


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        (PLAIN, ""),
        (PLAIN.replace("\n", "\r\n"), ""),
        (f"  {PLAIN} \n", ""),
        (PLAIN.replace("Calm: 10", "Calm: 10."), ""),
        (PLAIN.replace(" ", "\u202f"), ""),
        (f"```\n{PLAIN}\n```", ""),
        (PLAIN.lower(), "case"),
        (PLAIN.upper(), "case"),
        (PLAIN.replace("Quietly proud", "Quietly  Proud"), "case"),
        (with_angry("Angry:7"), "spacing"),
        (with_angry("Angry : 7"), "spacing"),
        (with_angry("Angry:\t 7"), "spacing"),
        (with_angry("Angry:\n7"), "spacing"),
        (with_angry("Angry = 7"), "separator"),
        (with_angry("Angry - 7"), "separator"),
        (with_angry("Angry — 7"), "separator"),
        (with_angry("Angry -> 7"), "separator"),
        (with_angry("Angry： 7"), "separator"),
        (with_angry("**Angry**: 7"), "markdown"),
        (with_angry("**Angry:** 7"), "markdown"),
        (with_angry("Angry: **7**"), "markdown"),
        (with_angry("*Angry*: _7_"), "markdown"),
        (with_angry("`Angry`: 7"), "markdown"),
        (with_angry("- Angry: 7"), "markdown"),
        (with_angry("• Angry: 7"), "markdown"),
        (with_angry("1. Angry: 7"), "markdown"),
        (with_angry("2) **Angry**: 7"), "markdown"),
        (with_angry("### Angry: 7"), "markdown"),
        (with_angry("> Angry: 7"), "markdown"),
        (with_angry("Angry: <7>"), "brackets"),
        (with_angry("Angry: [7]"), "brackets"),
        (with_angry("Angry: 7/10"), "fraction"),
        (with_angry("Angry: 7 / 10"), "fraction"),
        (with_angry("Angry: 7 out of 10"), "fraction"),
        (with_angry("Angry: **7**/10"), "markdown fraction"),
        (with_angry("Angry: 7.0"), "decimal"),
        (with_angry("Angry: 7,0"), "decimal"),
        (with_angry("Angry: 7 (furious)"), "comment"),
        (with_angry("Angry: 7 - 2 reasons"), "comment"),
        (with_angry("Angry: 7 at 9 o'clock"), "comment"),
        (f"{PLAIN}</s>", "comment"),
        (f"{PLAIN}<|im_end|>", "comment"),
        (f"{PLAIN} assistant", "comment"),
        (f"Assistant: {PLAIN}", "prefix"),
        (f"{PLAIN}\nTotal: 20", "extra_line"),
        (f"{PLAIN}\n\n{PLAIN}", "repeated"),
        (f"{PLAIN}\nAngry: 7", "repeated"),
        ("Angry: 7, Sad: 3, Quietly proud: 0 and Calm: 10", "same_line"),
        ("Angry: 7 Sad: 3; Quietly proud: 0 | Calm: 10", "table same_line"),
        ("Angry: 7Sad: 3Quietly proud: 0Calm: 10", "same_line"),
        ('{"Angry": 7, "Sad": 3, "Quietly proud": 0, "Calm": 10}', "json same_line"),
        ('{\n  "Angry": 7,\n  "Sad": "3",\n  "Quietly proud": 0,\n  "Calm": 10\n}', "json"),
        ("{'Angry': 7,\n'Sad': 3,\n'quietly_proud': 0,\n'Calm': 10}", "json case"),
        (
            "| Angry | 7 |\n|---|---|\n| **Sad** | 3 |\n|Quietly proud|0|\nCalm | 10",
            "table markdown",
        ),
        ("Angry: <score>\nSad: <score>\nQuietly proud: <score>\nCalm: <score>\n\n" + PLAIN, ""),
        (PLAIN + "\nAngry: she could not hide it.", ""),
    ],
)
def test_strict_reads_every_layout_and_flags_it(text: str, flags: str) -> None:
    """The four ratings are found, and the flags say how the layout departs from the plain one."""
    reading = strict(text)
    assert (reading.values, reading.reason) == (VALUES, None)
    assert set(reading.flags) == set(flags.split())


@pytest.mark.parametrize(("written", "value"), [("7.9", 7.9), ("7,5", 7.5), ("0.5/10", 0.5)])
def test_strict_keeps_decimals(written: str, value: float) -> None:
    """A decimal is read as it stands, not cut to its whole part."""
    assert strict(with_angry(f"Angry: {written}")).values == (value, *VALUES[1:])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "no number for Angry"),
        ("Angry: she is an 8", "no number for Angry"),
        ("Angry: about 8", "no number for Angry"),
        ("Angry: <score>", "no number for Angry"),
        ("Angry:\nlots of it, 8 perhaps", "no number for Angry"),
        ("Anger: 7", "no number for Angry"),
        ("Angry 7", "no number for Angry"),
        ("I gave Angry an 8", "no number for Angry"),
        ("Ben left Angry - 8 people saw it", "no number for Angry"),
        ("Angry: 11", "Angry: 11 is not a rating from 0 to 10"),
        ("Angry: 700", "Angry: 700 is not a rating from 0 to 10"),
        ("Angry: -1", "Angry: -1 is not a rating from 0 to 10"),
        ("Angry: +2", "Angry: +2 is not a rating from 0 to 10"),
        ("Angry: 10.5", "Angry: 10.5 is not a rating from 0 to 10"),
        ("Angry: 70/100", "Angry: 70 is not a rating from 0 to 10"),
        ("Angry: 4/5", "Angry: 4 is out of 5, not out of 10"),
        ("Angry: 7-8", "Angry: '7-8' is not one number"),
        ("Angry: 7 – 8", "Angry: '7 – 8' is not one number"),
        ("Angry: 7 to 8", "Angry: '7 to 8' is not one number"),
        ("Angry: 7/10 - 8/10", "Angry: '7 - 8/10' is not one number"),
        ("Angry: 7 -> 8", "Angry: '7 -> 8' is not one number"),
        ("Angry: 2*3 = 6", "Angry: '2*3 = 6' is not one number"),
        ("Angry: 1st of all", "Angry: '1st of all' is not one number"),
        ("Angry: 7,500", "Angry: '7,500' is not clearly one number"),
        ("Angry: 7,3,0", "Angry: '7,3,0' is not clearly one number"),
        ("Angry: 7.5.1", "Angry: '7.5.1' is not clearly one number"),
        ("Angry: 7\nAngry: 8", "Angry: several numbers, 7 and 8"),
        ("Angry: 7\nangry: 8", "Angry: several numbers, 7 and 8"),
    ],
)
def test_strict_says_why_it_does_not_read(line: str, reason: str) -> None:
    """A doubtful number is never taken; the reason names the emotion."""
    assert strict(with_angry(line)) == SectionReading(None, reason)


def test_strict_reads_nothing_from_prose() -> None:
    """Ratings told in sentences are no ratings."""
    message = "I gave Angry an 8, Sad a 3; Quietly proud gets 0 and Calm would be 10."
    assert strict(message).reason == "no number for Angry, Sad, Quietly proud, Calm"


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        (SECTIONS.format(PLAIN, OTHER), ""),
        (SECTIONS.format(PLAIN, OTHER).replace("\n\n", "\n"), ""),
        (SECTIONS.format(PLAIN, OTHER).replace("Critique:", "Critique: Angry: 9 is much."), ""),
        (SECTIONS.format(PLAIN, OTHER) + "\n\nAngry: 1 would be too low", ""),
        (SECTIONS.format(PLAIN, OTHER) + "\nRevised scores reflect the critique.", ""),
        (SECTIONS.format(PLAIN, OTHER).replace("First pass", "## First Pass")
            .replace("Revised scores:", "**Revised scores**"), "heading"),
        (SECTIONS.format(PLAIN, OTHER).replace("First pass scores", "FIRST-PASS RATINGS")
            .replace("Revised scores:", "2. __Revised:__"), "heading"),
        (SECTIONS.format(*["Angry: <score>\nSad: <score>"] * 2)
            + "\n\n" + SECTIONS.format(PLAIN, OTHER), "repeated"),
        ("\n".join([SECTIONS.format(PLAIN, OTHER)] * 2), "repeated"),
        (SECTIONS.format(PLAIN, OTHER).replace("\n", " "), "same_line"),
        ('{"First pass scores": {"Angry": 7, "Sad": 3, "Quietly proud": 0, "Calm": 10},'
            ' "Critique": "Angry: 9?", "Revised scores":'
            ' {"Angry": 8, "Sad": 3, "Quietly proud": 0, "Calm": 10}}', "heading json same_line"),
    ],
)  # fmt: skip
def test_strict_finds_the_sections(text: str, flags: str) -> None:
    """Headings in every usual form divide the passes; a critique's numbers belong to none."""
    answer = read_strict(text, EMOTIONS, revise=True)
    assert (answer.first_pass.values, answer.revised.values) == (VALUES, (8.0, *VALUES[1:]))
    assert set(answer.first_pass.flags) | set(answer.revised.flags) == set(flags.split())


def test_one_readable_section_is_kept() -> None:
    """A revision with a hole leaves the first pass as it is, and the other way round."""
    holed = PLAIN.replace("Sad: 3", "Sad: lots")
    one = read_strict(SECTIONS.format(PLAIN, holed), EMOTIONS, revise=True)
    two = read_strict(SECTIONS.format(holed, PLAIN), EMOTIONS, revise=True)
    assert (one.first_pass.values, one.revised.reason) == (VALUES, "no number for Sad")
    assert (two.first_pass.reason, two.revised.values) == ("no number for Sad", VALUES)


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        (PLAIN, ""),
        (PLAIN.replace("\n", "\n\n"), ""),
        (f"Here is what I think he feels.\n\n{PLAIN}\n\nThat is because he lost.", ""),
        (f"{PLAIN}\n\n[End of answer]\n\n{OTHER}", ""),
        (f"{PLAIN}\n\nCritique: Angry: 9 would be too much", ""),
        (f"Ratings:\n- {PLAIN}\nTotal: 20", "markdown"),
        (PLAIN.replace(": ", ":\n"), "spacing"),
        (PLAIN.replace("\n", ", "), "same_line"),
        ('{"Angry": 7, "Sad": 3, "Quietly proud": 0, "Calm": 10}', "json same_line"),
        (with_angry("Angry: 7 (he shouts)"), "comment"),
    ],
)
def test_one_block_without_a_heading_is_the_first_pass(text: str, flags: str) -> None:
    """Small models leave the headings out; the revised pass is not guessed."""
    answer = read_strict(text, EMOTIONS, revise=True)
    assert answer.first_pass.values == VALUES
    assert set(answer.first_pass.flags) == {"unheaded", *flags.split()}
    assert answer.revised.reason == "no section 'Revised scores'"


def test_the_block_before_another_heading_is_the_first_pass() -> None:
    """What stands under headings is read as ever."""
    text = f"{PLAIN}\n\nCritique: none.\n\nRevised scores:\n{OTHER}"
    answer = read_strict(text, EMOTIONS, revise=True)
    assert answer.first_pass == SectionReading(VALUES, flags=("unheaded",))
    assert answer.revised == SectionReading((8.0, *VALUES[1:]))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Revised scores:\n" + PLAIN,
        f"Critique: so\n{PLAIN}",
        f"{PLAIN}\n\n{OTHER}",
        f"{PLAIN}\n\n{PLAIN}",
        f"{PLAIN}\nOn second thoughts:\n{OTHER}",
        f"{PLAIN}\nSo I would say Angry: 8 is too high.",
        with_angry("He feels Angry: 7"),
        PLAIN.replace("\nCalm", "\nAs for the last one:\nCalm"),
        PLAIN.replace("\n", ", and he is "),
        PLAIN.replace("Calm: 10", "Calm: 11"),
        PLAIN.replace("Calm: 10", "Calm: low"),
        PLAIN.replace("Calm: 10", "Calm: 3-4"),
    ],
)
def test_what_may_be_prose_or_two_answers_belongs_to_no_pass(text: str) -> None:
    """With revision asked for, only one undivided block may stand without a heading."""
    answer = read_strict(text, EMOTIONS, revise=True)
    assert answer.first_pass == SectionReading(None, "no section 'First pass scores'")


def test_a_section_repeated_with_other_numbers_is_unreadable() -> None:
    """Which of two different answers was meant cannot be known."""
    text = SECTIONS.format(PLAIN, PLAIN) + "\n" + SECTIONS.format(OTHER, PLAIN)
    answer = read_strict(text, EMOTIONS, revise=True)
    assert answer.first_pass.reason == "Angry: several numbers, 7 and 8"
    assert answer.revised == SectionReading(VALUES, flags=("repeated",))


@pytest.mark.parametrize("name", PARSERS)
def test_without_revision_the_whole_reply_is_the_first_pass(name: str) -> None:
    """Headings do not matter then, and there is no revised reading."""
    text = f"Scores:\nAngry: 7\nSad: 3\n\nCritique: none.\nProud: 0\nCalm: 10\n{'[End of answer]'}"
    answer = PARSERS[name](text, WORDS, revise=False)
    assert answer.first_pass.values == VALUES
    assert answer.revised == SectionReading(None, "no revised scores were asked for")


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Angry: 7\nSad:  3", {"Angry": 7, "Sad": 3}),
        ("Angry: 7.9 Sad: 700", {"Angry": 7, "Sad": 700}),
        ("Angry:\n\n7", {"Angry": 7}),
        ("Angry: 7\nAngry: 2", {"Angry": 2}),
        ("**Angry**: 7, Sad:3, Calm: **3**, Proud - 7", {}),
        ("Quietly proud: 3, Total: 17", {"proud": 3, "Total": 17}),
        ("Angry: 7Sad: 3", {"Angry": 7, "Sad": 3}),
        ("a: 1: 2", {"a": 1}),
        (": 5: 6", {"5": 6}),
        ("Angry: " + "9" * 5000, {"Angry": 10**15}),
    ],
)
def test_reference_pairs(text: str, pairs: dict[str, int]) -> None:
    """Pairs are those of the published pattern, the last of a word winning."""
    assert reference_pairs(text) == pairs


@pytest.mark.parametrize(
    ("text", "first", "revised"),
    [
        ("{F}{a}\n{R}{a}", True, True),
        ("{F}{a}", False, False),  # the first pass ends at the revised heading, which is missing
        ("{R}{a}", False, True),
        ("{f}{a}\n{R}{a}", False, True),  # exact case
        ("{F}{a}\nTotal: 20\n{R}{a}", False, True),
        ("{R}{a}\n{F}{a}\n{R}{a}", True, True),
    ],
)
def test_reference_sections(text: str, first: bool, revised: bool) -> None:
    """The first pass needs both headings, exact to the letter; any extra pair spoils it."""
    marks = {"F": "First pass scores:\n", "R": "Revised scores:\n", "f": "First Pass Scores:\n"}
    reply = text.format(a="Angry: 7\nSad: 3\nProud: 0\nCalm: 10", **marks)
    answer = read_reference(reply, WORDS, revise=True)
    assert (answer.first_pass.values is not None) is first
    assert (answer.revised.values is not None) is revised


@given(st.text(st.sampled_from("ab1٣_: \n.é-"), max_size=40))
@example("8Sad: 6")
def test_reference_pairs_follow_the_pattern(text: str) -> None:
    r"""The linear search finds what `\w+:\s+\d+` finds, on any text."""
    naive = {word: int(digits) for word, digits in re.findall(r"(\w+):\s+(\d+)", text)}
    assert reference_pairs(text) == naive


PROSE = st.text(st.sampled_from("abc ,.!?'\"-()éß"), max_size=60)
TAIL = st.sampled_from(["", " ", "\r", "</s>", "<|im_end|>", " (very much)", " # high", " *", "."])


@given(
    st.lists(st.integers(0, 10), min_size=8, max_size=8),
    st.permutations(range(4)),
    TAIL,
    PROSE,
    st.sampled_from(["\n", "\n\n"]),
)
def test_both_parsers_agree_on_plain_answers(
    values: list[int], order: list[int], tail: str, prose: str, gap: str
) -> None:
    """Each emotion once with a whole number, in any order and with any comment: read alike."""
    sections = [
        gap.join(f"{WORDS[i]}: {numbers[i]}{tail}" for i in order)
        for numbers in (values[:4], values[4:])
    ]
    critique = f"Critique: {prose}"
    text = f"First pass scores:\n{sections[0]}\n\n{critique}\n\nRevised scores:\n{sections[1]}\n"
    for parser in PARSERS.values():
        answer = parser(text, WORDS, revise=True)
        assert answer.first_pass.values == tuple(map(float, values[:4]))
        assert answer.revised.values == tuple(map(float, values[4:]))
        single = parser(f"{prose}\n{sections[0]}", WORDS, revise=False)
        assert single.first_pass.values == tuple(map(float, values[:4]))


PIECES = st.sampled_from(
    ["Angry", "Sad", "quietly proud", "Calm", ":", ": ", " ", "\n", "7", "11", "-", ",", ".", "/",
     "10", "**", "|", '"', "{", "First pass scores:", "Revised scores:", "Critique:", "x", "1. ",
     "[End of answer]", "out of", "to", "\u2028", "ı", "٣", "²", "\x00"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join)), st.booleans())
def test_any_text_is_read_or_refused(text: str, revise: bool) -> None:
    """Never an exception; values are within 0..10, or there is a reason; flags are known."""
    read_reference(text, EMOTIONS, revise=revise)
    answer = read_strict(text, EMOTIONS, revise=revise)
    for reading in (answer.first_pass, answer.revised):
        assert (reading.values is None) == (reading.reason is not None)
        assert reading.values is None or len(reading.values) == 4
        assert all(0 <= value <= 10 for value in reading.values or ())
        assert set(reading.flags) <= set(FLAGS)


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize(
    "piece",
    ["a", "1", " ", "\n", '"', "*", ":\n", "Angry: ", "Angry: 1 ", "Quietly ", "1,", "[({", "# ",
     "First pass scores:\n", "Angry - 3 x "],
)  # fmt: skip
def test_hostile_replies_cost_linear_time(parser: str, piece: str) -> None:
    """A long reply of one repeated piece is read at once; a quadratic search takes a minute."""
    text = f"Angry{piece * (100_000 // len(piece))}"
    start = time.process_time()
    PARSERS[parser](text, EMOTIONS, revise=False)
    PARSERS[parser](text, EMOTIONS, revise=True)
    assert time.process_time() - start < 10


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", " ", "\t", "- ", "\n\n"]),
            st.sampled_from([*EMOTIONS, "angry", "proud", "Total"]),
            st.sampled_from([": ", ":", ":  ", ": **", " - "]),
            st.sampled_from(["0", "7", "07", "10", "11", "100", "7.5", "7/10", "-1", "\u0667"]),
            st.sampled_from(["", " ", "\t \n", ".", ", sad", "Sad: 3"]),
        ).map("".join),
        max_size=6,
    ).map("\n".join)
    | st.permutations(
        [f"{name}: {n}" for name, n in zip(EMOTIONS, (7, 3, 0, 10), strict=True)]
    ).map("\n".join)
)
@example(PLAIN)
@example(f"\n {PLAIN}  \n\n")
def test_what_is_written_as_asked_is_read_like_anything_else(text: str) -> None:
    """The short way for a plain section gives what the long one would."""
    asked = PairSearch(EMOTIONS, (), ENGLISH.words)
    assert _read_section(text, asked) == _read_any_section(text, asked)
