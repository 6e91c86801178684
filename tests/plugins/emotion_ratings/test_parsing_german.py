"""Both parsers on German replies, the other names of emotions, and the published code's rules."""

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eibench.plugins.emotion_ratings.forms import GERMAN, Form
from eibench.plugins.emotion_ratings.parsing import PARSERS, read_strict
from eibench.plugins.emotion_ratings.parsing_reference import read_reference
from eibench.plugins.emotion_ratings.parsing_reference_german import german_pairs, german_sections
from eibench.plugins.emotion_ratings.parsing_types import ParsedReply, SectionReading

EMOTIONS = ("Wütend", "Reuevoll", "Gleichgültig", "Tief gerührt")
VALUES = (7.0, 3.0, 0.0, 10.0)
PLAIN = "Wütend: 7\nReuevoll: 3\nGleichgültig: 0\nTief gerührt: 10"
OTHER = PLAIN.replace("7", "8")
SECTIONS = "Erste Bewertung:\n{}\n\nKritik: etwas viel\n\nÜberarbeitete Bewertung:\n{}\n\n"
SECTIONS += "[Ende der Antwort]"


def strict(text: str) -> SectionReading:
    """Read a reply without sections."""
    return read_strict(text, EMOTIONS, revise=False, form=GERMAN).first_pass


def both(text: str, form: Form = GERMAN) -> ParsedReply:
    """Read a reply with sections."""
    return read_strict(text, EMOTIONS, revise=True, form=form)


def with_anger(line: str) -> str:
    """Put something else in place of the first line of the plain reply."""
    return PLAIN.replace("Wütend: 7", line)


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        (PLAIN, ""),
        (PLAIN.lower(), "case"),
        (PLAIN.upper(), "case"),
        (with_anger("**Wütend**: 7"), "markdown"),
        (with_anger("Wütend:7"), "spacing"),
        (with_anger("Wütend: 7,0"), "decimal"),
        (with_anger("Wütend: 7/10"), "fraction"),
        (with_anger("Wütend: 7 von 10"), "fraction"),
        (with_anger("Wütend: 7 von zehn"), "fraction"),
        (with_anger("Wütend: 7 Punkte"), "comment"),
        ("Wütend: 7, Reuevoll: 3, Gleichgültig: 0 und Tief gerührt: 10", "same_line"),
    ],
)
def test_strict_reads_german_layouts_and_flags_them(text: str, flags: str) -> None:
    """Umlauts in any case, the German words around numbers, the same flags as in English."""
    reading = strict(text)
    assert (reading.values, reading.reason) == (VALUES, None)
    assert set(reading.flags) == set(flags.split())


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Wut: 7", "no number for Wütend"),
        ("Wütend: sie ist eine 8", "no number for Wütend"),
        ("Wütend: 4 von 5", "Wütend: 4 is out of 5, not out of 10"),
        ("Wütend: 7 bis 8", "Wütend: '7 bis 8' is not one number"),
        ("Wütend: 7 oder 8", "Wütend: '7 oder 8' is not one number"),
        ("Wütend: 7\nwütend: 8", "Wütend: several numbers, 7 and 8"),
    ],
)
def test_strict_says_why_it_does_not_read(line: str, reason: str) -> None:
    """German ranges and scales make a number doubtful as English ones do."""
    assert strict(with_anger(line)) == SectionReading(None, reason)


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        (SECTIONS.format(PLAIN, OTHER), ""),
        (SECTIONS.format(PLAIN, OTHER).replace("Kritik:", "Kritik: Wütend: 9 ist viel."), ""),
        (SECTIONS.format(PLAIN, OTHER) + "\nÜberarbeitete Bewertung heißt: neu gedacht.", ""),
        (SECTIONS.format(PLAIN, OTHER).replace("Bewertung:", "Punktzahlen:"), "heading"),
        (SECTIONS.format(PLAIN, OTHER).replace("Erste", "**ERSTE")
            .replace("Bewertung:", "Bewertung**"), "heading"),
        (SECTIONS.format(PLAIN, OTHER).replace("Überarb", "## Ueberarb"), "heading"),
        (SECTIONS.format(PLAIN, OTHER).replace("Überarbeitete", "Revidierte"), "heading"),
        (SECTIONS.format(PLAIN, OTHER).replace("Überarbeitete Bewertung", "Überarbeitet"),
            "heading"),
        (SECTIONS.format(PLAIN, OTHER).replace("Erste Bewertung", "Erster Durchgang"), "heading"),
    ],
)  # fmt: skip
def test_strict_finds_german_sections(text: str, flags: str) -> None:
    """Each heading that the published translation has, and each usual way to write it."""
    answer = both(text)
    assert (answer.first_pass.values, answer.revised.values) == (VALUES, (8.0, *VALUES[1:]))
    assert set(answer.first_pass.flags) | set(answer.revised.flags) == set(flags.split())


@pytest.mark.parametrize(
    "heading",
    [
        "Überarbeitete Bewertung:",
        "Überarbeitete Bewertungen:",
        "Überarbeitete Punktzahlen:",
        "Überarbeitete Bewertungsrunde:",
        "Revidierte Bewertung:",
    ],
)
def test_the_prompt_s_own_heading_is_the_plain_one(heading: str) -> None:
    """The five headings of the official pack; a reply that uses its prompt's has no flag."""
    text = SECTIONS.format(PLAIN, OTHER).replace("Überarbeitete Bewertung:", heading)
    form = GERMAN.as_written_in(text)
    assert form.revised == heading
    assert both(text, form).revised == SectionReading((8.0, *VALUES[1:]))


def test_a_prompt_without_a_heading_leaves_the_form_as_it_is() -> None:
    """Nor does prose count that begins like one."""
    assert GERMAN.as_written_in("Überarbeitete Bewertung: siehe oben.") == GERMAN


ASKED = ("Wütend", "Frustrated")
LISTED = ("Wütend", "Frustriert")


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("Wütend: 7\nFrustrated: 3", SectionReading((7.0, 3.0))),
        ("Wütend: 7\nFrustriert: 3", SectionReading((7.0, 3.0), flags=("name",))),
        ("Wütend: 7\nFRUSTRIERT: 3", SectionReading((7.0, 3.0), flags=("name", "case"))),
        (
            "Wütend: 7\nFrustriert: 3\nFrustrated: 3",
            SectionReading((7.0, 3.0), flags=("repeated", "name")),
        ),
        (
            "Wütend: 7\nFrustriert: 3\nFrustrated: 4",
            SectionReading(None, "Frustrated: several numbers, 3 and 4"),
        ),
    ],
)
def test_strict_knows_the_name_that_the_question_lists(text: str, reading: SectionReading) -> None:
    """Question 26 of the German pack lists one name and has another in its form."""
    answer = read_strict(text, ASKED, revise=False, form=GERMAN, others=LISTED)
    assert answer.first_pass == reading


def test_reference_knows_the_name_of_the_form_only() -> None:
    """The published code compares with the reference's names."""
    text = "Wütend: 7\nFrustriert: 3"
    answer = read_reference(text, ASKED, revise=False, form=GERMAN, others=LISTED)
    assert answer.first_pass.reason == "no number for Frustrated"


# What follows are facts of lib/scoring.py of EQ-bench/EQ-Bench, commit 0114d23.


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Wütend: 7\nTief gerührt:  3", {"Wütend": "7", "Tief gerührt": "3"}),
        ("Wütend:7, Reuevoll: **8**", {"Wütend": "7", "Reuevoll": "8"}),
        ("**Wütend**: 7", {}),
        ("Wütend: 7.9\nReuevoll: 7,9", {"Wütend": "7", "Reuevoll": "7,9"}),
        ("Wütend: 7\nWütend: 2", {"Wütend": "2"}),
        ("Hier meine Werte\n\nWütend: 7", {"Hier meine Werte\n\nWütend": "7"}),
        ("Hier meine Werte.\n\nWütend: 7", {"Wütend": "7"}),
        (": 7", {}),
        ("Wütend: : 7", {"": "7"}),
    ],
)
def test_german_pairs(text: str, pairs: dict[str, str]) -> None:
    """A name reaches back over letters and white space; stars before the number do no harm."""
    assert german_pairs(text) == pairs


@given(st.text(st.sampled_from("aÜß1٣: \n.*,é"), max_size=40))
@example("8Wut: 6")
def test_german_pairs_follow_a_plain_pattern(text: str) -> None:
    """The linear search finds what one pattern finds, tried at each place, on any text."""
    found = re.findall(r"((?:[a-zäöüß]|\s)+):\s*[*]*(\d+(?:,\d+)?)", text, re.IGNORECASE)
    assert german_pairs(text) == {name.strip(): number for name, number in found}


@given(
    st.lists(
        st.sampled_from(["Erste", "überarbeitete", "Ü", "x", ":", " ", "\n", "Wut: 3", "ERSTE"]),
        max_size=12,
    ).map("".join)
)
def test_german_sections_follow_plain_patterns(text: str) -> None:
    """Each section is what one pattern finds for it, on any text."""
    patterns = (r"erste.*?:\s*(.*?)(?:überarbeitete|\Z)", r"überarbeitete.*?:\s*(.*)")
    for section, pattern in zip(german_sections(text, revise=True), patterns, strict=True):
        found = re.search(pattern, text, re.IGNORECASE | re.DOTALL)
        assert section == (found and found[1])


@pytest.mark.parametrize(
    ("text", "first", "revised"),
    [
        (SECTIONS.format(PLAIN, OTHER), VALUES, (8.0, *VALUES[1:])),
        (SECTIONS.format(PLAIN, OTHER).upper(), None, None),
        (SECTIONS.format(PLAIN, PLAIN).replace("Überarbeitete", "Revidierte"), VALUES, None),
        (SECTIONS.format(PLAIN.replace("7", "700"), PLAIN), (700.0, *VALUES[1:]), VALUES),
        (SECTIONS.format(PLAIN, PLAIN + "\nSumme: 20"), VALUES, None),
        (SECTIONS.format(PLAIN.replace("7", "7,5"), PLAIN), None, None),
        (SECTIONS.format(PLAIN, PLAIN.replace("7", "7,5")), None, None),
        (PLAIN, None, None),
    ],
    ids=["plain", "capitals", "other heading", "700", "total", "comma", "comma later", "none"],
)
def test_reference_reads_german_as_the_published_code(
    text: str, first: tuple[float, ...] | None, revised: tuple[float, ...] | None
) -> None:
    """Its errors included: a decimal comma anywhere loses both passes, a number over 10 none."""
    answer = read_reference(text, EMOTIONS, revise=True, form=GERMAN)
    assert (answer.first_pass.values, answer.revised.values) == (first, revised)


TAIL = st.sampled_from(["", " ", "</s>", "<|im_end|>", " (sehr)", "/10", "."])


@given(
    st.lists(st.integers(0, 10), min_size=8, max_size=8),
    st.permutations(range(4)),
    TAIL,
    st.text(st.sampled_from("abc äöüß,.!?'-()"), max_size=40),
)
def test_both_parsers_agree_on_plain_answers(
    values: list[int], order: list[int], tail: str, prose: str
) -> None:
    """Each emotion once with a whole number, in any order: read alike."""
    sections = [
        "\n".join(f"{EMOTIONS[i]}: {numbers[i]}{tail}" for i in order)
        for numbers in (values[:4], values[4:])
    ]
    text = f"Erste Bewertung:\n{sections[0]}\n\nKritik: {prose}\n\n"
    text += f"Überarbeitete Bewertung:\n{sections[1]}\n"
    for parser in PARSERS.values():
        answer = parser(text, EMOTIONS, revise=True, form=GERMAN)
        assert answer.first_pass.values == tuple(map(float, values[:4]))
        assert answer.revised.values == tuple(map(float, values[4:]))
        single = parser(sections[0], EMOTIONS, revise=False, form=GERMAN)
        assert single.first_pass.values == tuple(map(float, values[:4]))


@given(st.text(), st.booleans())
def test_any_text_is_read_or_refused(text: str, revise: bool) -> None:
    """Never an exception; a reading has values or a reason."""
    for parser in PARSERS.values():
        answer = parser(text, EMOTIONS, revise=revise, form=GERMAN, others=EMOTIONS)
        for reading in (answer.first_pass, answer.revised):
            assert (reading.values is None) == (reading.reason is not None)


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize(
    "piece", ["a", " ", "\n", "*", ":", ":\n", ": *", "Wütend: 1 ", "Erste", "Erste:", "1,", "ü"]
)
def test_hostile_replies_cost_linear_time(parser: str, piece: str) -> None:
    """A long reply of one repeated piece is read at once; a quadratic search takes a minute."""
    text = f"Wütend{piece * (100_000 // len(piece))}"
    start = time.process_time()
    for revise in (False, True):
        PARSERS[parser](text, EMOTIONS, revise=revise, form=GERMAN)
    assert time.process_time() - start < 10
