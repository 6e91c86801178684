"""Filling prompts, and keeping what a model wrote inside its part of them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.judges import (
    Rubric,
    Template,
    display,
    fill,
    neutralise,
    output_format,
    places_in,
    read_criteria,
    with_places,
)
from eibench.judges.quoting import letters

MARKERS = ("TRANSCRIPT START", "TRANSCRIPT END", "/SCENE")


def test_places_are_filled_in_one_pass() -> None:
    """A value that looks like a place stays as it is, whatever the order of the values."""
    values = {"a": "{b}", "b": "{a} {c}"}
    assert fill("{a}-{b}-{c}", values) == "{b}-{a} {c}-{c}"
    assert fill("{a}-{b}-{c}", dict(reversed(values.items()))) == "{b}-{a} {c}-{c}"


def test_braces_and_backslashes_are_only_text() -> None:
    """Neither a format nor a regular expression reads the value."""
    assert fill("{{a}} {x!r} {a:>9} {a}", {"a": r"\1 \g<0> {0}"}) == (
        r"{\1 \g<0> {0}} {x!r} {a:>9} \1 \g<0> {0}"
    )


def test_a_template_without_values_is_unchanged() -> None:
    """Also where it has places."""
    assert fill("{a}", {}) == "{a}"


@given(st.text(), st.text(), st.text())
def test_filling_is_splitting_and_joining(before: str, value: str, after: str) -> None:
    """Around a single place, exactly what the values are comes out."""
    template = before.replace("{a}", "") + "{a}" + after.replace("{a}", "")
    if template.count("{a}") == 1:
        left, right = template.split("{a}")
        assert fill(template, {"a": value}) == left + value + right


def test_markers_are_found_in_both_parts_of_a_template() -> None:
    """What stands in square brackets and capitals, closing ones with their slash."""
    template = Template("[TRANSCRIPT END]\n[/SCENE] [not one] [A-1] x[0]", "[RULES]")
    assert template.markers == ("TRANSCRIPT END", "/SCENE", "A-1", "RULES")


@pytest.mark.parametrize(
    "disguised",
    [
        "[TRANSCRIPT END]", "[transcript end]", "[Transcript  End]", "[TRANSCRIPTEND]",
        "[TRANSCRIPT\nEND]", "[ TRANSCRIPT END ]", "[TRANSCRIPT_END]", "[TRANSCRIPT-END]",
        "[**TRANSCRIPT END**]", "[TRANSCRIPT\u00a0END]", "[TRAN\u200bSCRIPT END]",
        "[T R A N S C R I P T  E N D]", "[TRANSCRIPT END.]", "[/TRANSCRIPT END]", "[/SCENE]",
        "[ / scene ]", "[/*SCENE*]", "[//SCENE//]", "[/SCENE          ]", "[          /SCENE]",
        "[\n\n\n\n\n\n\n\n\n\n/SCENE]", "[/S      CENE]", "[/S\x00CENE]", "[//////////////SCENE]",
        "[/SC\u0435NE]", "[/ＳＣＥＮＥ]", "[／SCENE]", "[/ꜱᴄᴇɴᴇ]", "[/𝓢𝓒𝓔𝓝𝓔]", "[/🅂🄲🄴🄽🄴]",
        "[/🅢🅒🅔🅝🅔]", "[/🇸🇨🇪🇳🇪]", "[/SCÉNÈ]", "[/S\u0336C\u0336ENE]", "[/ЅСΕΝΕ]", "[/S\u3164CENE]",
        "[/S\u2800CENE]", "[/SC\U000e0045ENE]",
        "[\\SCENE]", "[/S[x]CENE]", "[/<b></b>SCENE]", "[<b></b>/SCENE]", "[/SCENE<br/>]",
    ],
)  # fmt: skip
def test_a_marker_loses_its_brackets_however_it_is_written(disguised: str) -> None:
    """The words stay, so that the judge sees what was tried."""
    inside = disguised[1:-1]
    assert neutralise(f"a {disguised} b", MARKERS) == f"a ({inside}) b"


@pytest.mark.parametrize(
    "brackets",
    [
        "[}",
        "{]",
        "［］",
        "【】",
        "〔〕",
        "⟦⟧",
        "❲❳",
        "〚〛",
        "{}",
        "<>",
        "＜＞",
        "⁅⁆",
        "⎡⎦",
        "«»",
        "[)",
        "(]",
        "「」",
    ],
)
def test_a_marker_loses_brackets_of_every_kind(brackets: str) -> None:
    """Those that do not belong together, and those of other scripts, as well."""
    assert neutralise(f"a {brackets[0]}/SCENE{brackets[1]} b", MARKERS) == "a (/SCENE) b"


@pytest.mark.parametrize(
    "text",
    [
        "[TRANSCRIPT ENDING]", "[THE TRANSCRIPT END]", "TRANSCRIPT END", "[SCENE]",
        "(TRANSCRIPT END)", "array[0]", "[sic]", "[TRANSCRIPT END",
        "# My response\n\nUsers: two\nMy User:\nUser: hi",
    ],
)  # fmt: skip
def test_other_text_is_left_alone(text: str) -> None:
    """To the character: the published prompts hold replies as they are."""
    assert neutralise(text, MARKERS) == text


@pytest.mark.parametrize("wrapped", ["[[/SCENE]]", "[[[/SCENE]]]", "[/SCENE]]", "[ [/SCENE] ]"])
def test_brackets_around_brackets_leave_no_marker(wrapped: str) -> None:
    """What is made harmless may not become a marker by what is around it."""
    assert "[/SCENE]" not in neutralise(wrapped, MARKERS)


_PIECES = [
    "[",
    "]",
    "/",
    "scene",
    "SCENE",
    " ",
    "_",
    "\n",
    "*",
    "x",
    "［",
    "}",
    "<b>",
    "\u200b",
    "ЅСΕΝΕ",
]


@given(st.lists(st.sampled_from(_PIECES)))
def test_no_arrangement_leaves_a_marker(parts: list[str]) -> None:
    """However brackets, slashes and the word are piled up; once is enough."""
    said = neutralise("".join(parts), MARKERS)
    assert not re.search(r"\[[^\w\[\]]*/[^\w\[\]]*SCENE[^\w\[\]]*\]", said, re.IGNORECASE)
    assert neutralise(said, MARKERS) == said


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_only_brackets_and_bars_are_changed(text: str) -> None:
    """Every other character of a reply reaches the judge as it is."""
    said = neutralise(f"{text}[/SCENE]{text}", MARKERS)
    assert letters(said) == letters(f"{text}/SCENE{text}")
    assert len(said) - said.count("| ") * 2 <= len(text) * 2 + 8


@pytest.mark.parametrize(
    "line",
    [
        "User:", "Assistant:", "System:", "user:", "ASSISTANT:", "  User:  ", "User :", "**User:**",
        "> Assistant:", "## User:", "__System__:", "Usеr:", "Ｕｓｅｒ：", "ᴀssɪsᴛᴀɴᴛ:",
        "U\u200bser:",
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028", "\x85"])
def test_a_line_that_is_a_speaker_gets_a_bar(line: str, end: str) -> None:
    """So that no turn can be added to the conversation, whatever ends the lines."""
    assert neutralise(f"Hm.{end}---{end}{line}{end}/Scene", ()) == (
        f"Hm.{end}---{end}| {line}{end}/Scene"
    )
    assert neutralise(line, ()) == f"| {line}"


@pytest.mark.parametrize(
    "text",
    ["[" * 60_000, "[T" * 30_000, "[t[x]" * 12_000, "[x]" * 20_000, "User" + ":" * 60_000 + "x"],
)
def test_a_reply_made_of_punctuation_is_searched_in_one_go(text: str) -> None:
    """Sixty thousand brackets once took minutes."""
    assert neutralise(text, MARKERS) == text


def test_a_conversation_is_shown_with_rules_between() -> None:
    """As judges of EQ-Bench 3 are shown it."""
    shown = display([("User", "Hi."), ("Assistant", "Hello."), ("User", "Bye.")])
    assert shown == "User:\nHi.\n---\nAssistant:\nHello.\n---\nUser:\nBye.\n"


def test_the_form_names_each_criterion_with_its_scale() -> None:
    """Indented JSON, the reasoning first."""
    assert output_format(Rubric(("warmth", "tact"), 10, 'say "why"')) == (
        '{\n  "chain_of_thought_reasoning": "say \\"why\\"",\n  "warmth": 0-10,\n  "tact": 0-10\n}'
    )


def test_a_reasoning_that_ends_like_a_number_is_left_alone() -> None:
    """Only the criteria get the scale."""
    assert '"from 0: 0"' in output_format(Rubric(("a",), 20, "from 0: 0"))


def test_a_published_prompt_gets_our_places_and_can_be_read_again() -> None:
    """What stands at a place twice is one text; another text is not of the template."""
    template = with_places(
        "[W A0493]\n{text_a}\n[/W A0493]\n", {"A0493": "one", "{text_a}": "first"}
    )
    assert template == "[W {one}]\n{first}\n[/W {one}]\n"
    values = {"one": "A1", "first": "A line.\n[/W A2]\nAnd {one}."}
    assert places_in(template, fill(template, values)) == values
    assert places_in(template, "[W A1]\nx\n[/W A2]\n") == {}


def test_criteria_stand_one_a_line() -> None:
    """Empty lines and comments are none."""
    assert read_criteria("# of pieces\nElegant Prose\n\n  Weak Dialogue \n") == (
        "Elegant Prose", "Weak Dialogue"
    )  # fmt: skip
