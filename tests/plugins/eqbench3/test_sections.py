"""The sections of a reply: a table of replies, and what must hold for all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.plugins.eqbench3.transcripts import Sections, read_sections

HEADINGS = ("What I'd feel & fear", "Their side", "My next step")
TEXTS = ("I would wince.", "She may be tired.", "I wait.")
PLAIN = "\n\n".join(f"# {h}\n\n{text}" for h, text in zip(HEADINGS, TEXTS, strict=True))


def read(reply: str) -> Sections:
    """The sections, where there are any."""
    found = read_sections(reply, HEADINGS)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "reply",
    [
        PLAIN,
        PLAIN.replace("'", "’"),
        PLAIN.replace("'", "‘"),
        PLAIN.replace("'", "´"),
        PLAIN.replace("I'd", "Id"),
        PLAIN.replace("&", "and"),
        PLAIN.replace("# ", "## "),
        PLAIN.replace("# ", "#"),
        PLAIN.replace("# ", "###### "),
        PLAIN.replace("# ", ""),
        PLAIN.replace("# ", "   # "),
        PLAIN.replace("\n\n", "\n"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.upper().replace("I WOULD WINCE.", TEXTS[0])
        .replace("SHE MAY BE TIRED.", TEXTS[1])
        .replace("I WAIT.", TEXTS[2]),
        PLAIN.replace("fear\n", "fear:\n").replace("side\n", "side :\n"),
        PLAIN.replace("# What I'd feel & fear", "**What I'd feel & fear**"),
        PLAIN.replace("# What I'd feel & fear", "**What I'd feel & fear:**"),
        PLAIN.replace("# What I'd feel & fear", "**What I'd feel & fear**:"),
        PLAIN.replace("# What I'd feel & fear", "# **What I'd feel & fear**"),
        PLAIN.replace("# What I'd feel & fear", "**# What I'd feel & fear**"),
        PLAIN.replace("# What I'd feel & fear", "__What I'd feel & fear__"),
        PLAIN.replace("# What I'd feel & fear", "*What I'd feel & fear*"),
        PLAIN.replace("# What I'd feel & fear", "_What I'd feel & fear_:"),
        PLAIN.replace("# What I'd feel & fear", "***What I'd feel & fear***"),
        PLAIN.replace("# What I'd feel & fear", "### What I'd feel & fear ###"),
        PLAIN.replace("# W", "# 1. W").replace("# T", "2) T").replace("# My", "**3. My"),
        PLAIN.replace("side\n\n", "side\n\n\n\n  "),
        PLAIN.replace("\n\n# ", "\n\n---\n\n# "),
        PLAIN.replace("\n\n# ", "\n\n***\n# "),
        PLAIN.replace("\n\n# ", "\n\n---\n\n-----\n# "),
        PLAIN + "\n\n--",
        PLAIN + "\n--  \n",
        PLAIN + "\n\n---\n",
        "# What I'd feel & fear: I would wince.\n**Their side:** She may be tired.\n"
        "## My next step ## I wait.",
    ],
)  # fmt: skip
def test_sections_are_found_however_their_headings_are_written(reply: str) -> None:
    """The same three texts each time, nothing missing, nothing outside."""
    assert read(reply) == Sections(TEXTS)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   \n",
        "I would simply wait.",
        "I thought about my next step.\nThen about their side",
        "My next step: I wait.",
        "My next step is to wait.\nTheir side, too, matters.",
        "# My next step is to wait\nSo I do.",
        "*My next step* is to wait.",
        "# My next steps\nTwo of them.",
        "# Not my next step\nI wait.",
        "My\nnext step\nI wait.",
        "- My next step\n> Their side",
        '{"My next step": "I wait."}',
    ],
)
def test_a_reply_without_headings_has_no_sections(reply: str) -> None:
    """Prose that uses a heading's words is no heading."""
    assert read_sections(reply, HEADINGS) is None


def test_a_missing_section_is_empty_and_told() -> None:
    """The others are where they belong, in the order of the prompt."""
    found = read("# My next step\nI wait.\n\n# What I'd feel & fear\nI would wince.")
    assert found == Sections(("I would wince.", "", "I wait."), missing=("Their side",))


def test_an_empty_section_is_there() -> None:
    """Its heading was written."""
    found = read("# What I'd feel & fear\n# Their side\n\n---\n# My next step\nI wait.")
    assert found == Sections(("", "", "I wait."))


def test_repeated_sections_are_joined_and_told() -> None:
    """In the order they came, with a blank line between; an empty one adds nothing."""
    found = read(f"{PLAIN}\n\n# Their side\n\nOr hungry.\n\n# Their side\n")
    assert found.texts[1] == "She may be tired.\n\nOr hungry."
    assert (found.missing, found.repeated) == ((), ("Their side",))


def test_what_stands_before_the_first_heading_is_outside() -> None:
    """Counted in characters, without the space around it."""
    assert read(f"Well, then.\n\n{PLAIN}") == Sections(TEXTS, outside=len("Well, then."))


def test_two_dashes_close_the_last_section() -> None:
    """What the prompt's own form ends with; what comes after is outside."""
    found = read(f"{PLAIN}\n--\n\n(About 9 words.)\n--\n")
    assert found == Sections(TEXTS, outside=len("(About 9 words.)\n--"))


def test_dashes_elsewhere_are_text() -> None:
    """Inside a line, or between the paragraphs of a section that another one follows."""
    reply = "# Their side\nTired -- very.\n--\nOr not.\n\n# My next step\nA\n---\nB"
    found = read(reply)
    assert found.texts[1:] == ("Tired -- very.\n--\nOr not.", "A\n---\nB")
    assert found.outside == 0


@pytest.mark.parametrize(
    "reply",
    [
        " " * 100_000,
        "My next step" + " " * 100_000 + "x",
        "# Their side\n" + "--- \n" * 30_000 + "x",
        "#" * 100_000,
        "**" * 50_000 + "My next step",
        "1" * 100_000,
    ],
)
def test_a_reply_made_of_spaces_or_rules_is_read_in_one_go(reply: str) -> None:
    """A model's output may be anything; backtracking over it once took minutes."""
    found = read_sections(reply, HEADINGS)
    assert found is None or "x" in found.texts[1]


_TEXT = st.text(st.sampled_from("abc '&-*#\n.:"), max_size=40)


@given(st.tuples(_TEXT, _TEXT, _TEXT))
def test_no_text_is_lost(texts: tuple[str, str, str]) -> None:
    """Every letter of a reply in the asked form is in its own section, or counted as outside."""
    reply = "\n\n".join(f"# {h}\n\n{t}" for h, t in zip(HEADINGS, texts, strict=True))
    found = read(reply)
    assert found.missing == found.repeated == ()
    for said, text in zip(texts[:2], found.texts[:2], strict=True):
        assert [c for c in text if c.isalpha()] == [c for c in said if c.isalpha()]
    kept = [c for c in found.texts[2] if c.isalpha()]
    said_last = [c for c in texts[2] if c.isalpha()]
    assert kept == said_last or (found.outside and said_last[: len(kept)] == kept)


def test_a_kind_without_headings_has_no_sections() -> None:
    """Analyses are read whole."""
    assert read_sections(PLAIN, ()) is None
