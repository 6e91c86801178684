"""The reader of answers: a table of raw replies, and laws that hold for all of them."""

import json
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.plugins.seceu.answers import FLAGS, PointsReading, read_answer

OPTIONS = ("Startled", "Cheerful", "Baffled", "Smug")
CHINESE = ("盼望", "欢喜", "难过", "爱")
VALUES = (3.0, 3.0, 1.0, 3.0)


def as_json(values: Sequence[object] = VALUES, options: Sequence[str] = OPTIONS) -> str:
    """An answer as in the worked examples."""
    named = zip(options, values, strict=True)
    return json.dumps({"Emotion": [{"name": n, "score": v} for n, v in named]}, ensure_ascii=False)


STEPS = "; ".join(
    f'step{i}. "{name}" is given a score of {v:g}, so rest = rest - {v:g} (7 of 10 are left)'
    for i, (name, v) in enumerate(zip(OPTIONS, VALUES, strict=True), start=1)
)

POINTS_OF = dict(zip(OPTIONS, VALUES, strict=True))
TABLE = "| Emotion | Score |\n|---|---|\n" + "\n".join(
    f"| {n} | {v:g} |" for n, v in POINTS_OF.items()
)

#: Each says 3, 3, 1, 3; with the flags that it should have.
READ = {
    "numbered": ("(1) 3; (2) 3; (3) 1; (4) 3", "index"),
    "numbered tightly": ("(1)3(2)3(3)1(4)3", "index"),
    "numbered half open": ("1) 3\n2) 3\n3) 1\n4) 3", "index"),
    "option N": ("Option 1: 3\nOption 2: 3\nOption 3: 1\nOption 4: 3", "index"),
    "the form with its words kept": (
        "(1) number 3; (2) number 3; (3) number 1; (4) number 3",
        "index",
    ),
    "other forms of the words": (
        "(1) Start: 3; (2) Cheer: 3; (3) Bafflement: 1; (4) Smugness: 3",
        "index",
    ),
    "numbered and named": ("1. Startled: 3\n2. Cheerful: 3\n3. Baffled: 1\n4. Smug: 3", ""),
    "numbered in another order": ("1. Smug: 3\n2. Baffled: 1\n3. Cheerful: 3\n4. Startled: 3", ""),
    "named": ("Startled: 3, Cheerful: 3, Baffled: 1, Smug: 3", ""),
    "named in lower case": ("startled: 3, cheerful: 3, baffled: 1, smug: 3", ""),
    "named with numbers behind": (
        "Startled (1): 3, Cheerful (2): 3, Baffled (3): 1, Smug (4): 3",
        "",
    ),
    "points in brackets": ("Startled (3): it came late. Cheerful (3), Baffled (1), Smug (3).", ""),
    "equals signs and a total": (
        "Startled = 3\nCheerful = 3\nBaffled = 1\nSmug = 3\nTotal: 10",
        "",
    ),
    "bullets in bold": (
        "- **Startled**: 3\n- **Cheerful:** 3\n- **Baffled** - 1\n- **Smug**: **3**",
        "",
    ),
    "a table": (TABLE, ""),
    "a sentence": (
        "I give Startled 3 points, Cheerful 3 points, Baffled 1 point and Smug 3 points.",
        "",
    ),
    "out of 10": ("Startled: 3/10\nCheerful: 3/10\nBaffled: 1 out of 10\nSmug: 3/10", "fraction"),
    "decimals": ("Startled: 3.0; Cheerful: 3,0; Baffled: 1.00; Smug: 3.", ""),
    "bare": ("3, 3, 1, 3", "bare"),
    "bare in brackets": ("[3, 3, 1, 3]", "bare"),
    "bare after words": ("Let me see.\nMy answer is: 3, 3, 1, 3.", "bare"),
    "JSON of the examples": (as_json(), "json"),
    "JSON, then its stop mark and more": (
        as_json() + "<end>\nQ: Another? " + as_json((9, 1, 0, 0)),
        "json",
    ),
    "JSON in a fence": ("```json\n" + json.dumps(POINTS_OF, indent=1) + "\n```", "json"),
    "JSON of objects": (
        json.dumps({n: {"score": v, "why": "2 of 3"} for n, v in POINTS_OF.items()}),
        "json",
    ),
    "JSON by numbers": ('{"1": 3, "2": 3, "3": 1, "4": 3, "total": 10}', "json"),
    "JSON with numbered names": (
        '{"(1) Startled": 3, "(2) Cheerful": 3, "(3) Baffled": 1, "(4) Smug": 3}',
        "json",
    ),
    "JSON of texts": (as_json(("3", "3 points", "1/10", "3")), "json fraction"),
    "JSON list under a name": ('{"scores": [3, 3, 1, 3]}', "json"),
    "JSON with the score first": (
        json.dumps([{"score": v, "name": n} for n, v in POINTS_OF.items()]),
        "json",
    ),
    "single quotes": (as_json().replace('"', "'"), ""),
    "steps, then JSON": (STEPS + ".\nA: " + as_json(), "json"),
    "steps alone": (STEPS, ""),
    "steps in words": (
        "Step 1: Startled gets 3.\nStep 2: Cheerful gets 3.\n"
        "Step 3: Baffled gets 1.\nStep 4: Smug gets 3.",
        "",
    ),
    "the prompt again, then the answer": (
        "Q: Who? Options: (1) Startled; (2) Cheerful; (3) Baffled; (4) Smug.\n"
        "A: (1) 3; (2) 3; (3) 1; (4) 3",
        "index",
    ),
    "a second thought": (
        "Startled: 5, Cheerful: 5, Baffled: 0, Smug: 0. "
        "No: Startled: 3, Cheerful: 3, Baffled: 1, Smug: 3",
        "repeated",
    ),
    "a first thought on one": (
        "Startled: 4? Rather Startled: 3, Cheerful: 3, Baffled: 1, Smug: 3",
        "",
    ),
    "reasons afterwards": (
        "Startled: 3, Cheerful: 3, Baffled: 1, Smug: 3\nStartled: 3, as it came late.",
        "",
    ),
    "a list of the options' numbers first": (
        "For options [1, 2, 3, 4] I give Startled: 3, Cheerful: 3, Baffled: 1, Smug: 3",
        "",
    ),
}

CHINESE_READ = {
    "colons": ("盼望：3；欢喜：3；难过：1；爱：3", ""),
    "units": ("盼望3分，欢喜3分，难过1分，爱3分", ""),
    "full-width": ("（1）３；（２）3；（3）1；（4）3", "index"),
    "circled": ("①3 ②3 ③1 ④3", "index"),
    "steps": (
        "“盼望”得3分，还剩7分；“欢喜”得3分，还剩4分；“难过”得1分，还剩3分；“爱”得3分，还剩0分。",
        "",
    ),
    "corner brackets": ("「盼望」：3，「欢喜」：3，「难过」：1，「爱」：3", ""),
    "JSON": (as_json(options=CHINESE), "json"),
    "numbered with a pause mark": ("1、盼望：3\n2、欢喜：3\n3、难过：1\n4、爱：3", ""),
}


@pytest.mark.parametrize(("text", "flags"), READ.values(), ids=READ)
def test_an_answer_is_read_however_it_is_laid_out(text: str, flags: str) -> None:
    """All these say the same; flags tell what is unusual."""
    assert read_answer(text, OPTIONS) == PointsReading(VALUES, None, tuple(flags.split()))


@pytest.mark.parametrize(("text", "flags"), CHINESE_READ.values(), ids=CHINESE_READ)
def test_a_chinese_answer_is_read_too(text: str, flags: str) -> None:
    """Full-width signs, and names without spaces around them."""
    assert read_answer(text, CHINESE) == PointsReading(VALUES, None, tuple(flags.split()))


@pytest.mark.parametrize(
    ("text", "values", "flags"),
    [
        ("Startled: 30%; Cheerful: 30%; Baffled: 10%; Smug: 30%", (30, 30, 10, 30), "percent sum"),
        ("30%, 30%, 10%, 30%", (30, 30, 10, 30), "bare percent sum"),
        ("(1) 50%; (2) 50%; (3) 0; (4) 0", (50, 50, 0, 0), "index percent sum"),
        (as_json(("50%", "50%", "0%", "0%")), (50, 50, 0, 0), "json percent sum"),
        ("(1) 30/100; (2) 30/100; (3) 10/100; (4) 30/100", (30, 30, 10, 30), "index percent sum"),
        ("(1) 4; (2) 4; (3) 3; (4) 3", (4, 4, 3, 3), "index sum"),
        ("(1) 0.3; (2) 0.3; (3) 0.1; (4) 0.3", (0.3, 0.3, 0.1, 0.3), "index sum"),
        ("(1) -4; (2) −2; (3) -2; (4) 2", (-4, -2, -2, 2), "index negative sum"),
        ("Startled: -2, Cheerful: 4, Baffled: 4, Smug: 4", (-2, 4, 4, 4), "negative"),
        (as_json((-4, -2, -2, 2)), (-4, -2, -2, 2), "json negative sum"),
        ("(1) 0; (2) 0; (3) 0; (4) 0", (0, 0, 0, 0), "index sum null"),
        ("(1) 3.33; (2) 3.33; (3) 3.33; (4) 0", (3.33, 3.33, 3.33, 0), "index"),
        ("Startled – 3; Cheerful – 3; Baffled – 1; Smug – 3", VALUES, ""),
    ],
)  # fmt: skip
def test_numbers_are_read_as_they_are_written(
    text: str, values: tuple[float, ...], flags: str
) -> None:
    """Percentages, other sums and negative numbers; a dash between words is no sign."""
    assert read_answer(text, OPTIONS) == PointsReading(values, None, tuple(flags.split()))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no number for any of the four emotions"),
        ("I cannot say.", "no number for any of the four emotions"),
        ("Cheerful 10 years later; in 1998 nobody was Smug.", "no number for any"),
        ("3, 3, 4", "no number for any"),
        ("3, 3, 1, 3, 0", "no number for any"),
        ("Startled: 3", "no number for Cheerful, Baffled, Smug"),
        ("Startled: 3, Cheerful: 3, Baffled: 1", "no number for Smug"),
        (as_json()[:85], "no number for Baffled, Smug"),
        ("Startled: 2-3, Cheerful: 3, Baffled: 1, Smug: 3", "'2-3' is not one number"),
        ("Startled: 2 to 3, Cheerful: 3, Baffled: 1, Smug: 3", "'2 to 3' is not one number"),
        ("Startled: 3 + 1 = 4, Cheerful: 2, Baffled: 1, Smug: 3", "'3 + 1' is not one number"),
        ("Startled: 1e3, Cheerful: 3, Baffled: 1, Smug: 3", "'1e3' is not one number"),
        ("Startled: 3/5, Cheerful: 3, Baffled: 1, Smug: 3", "'3/5' is not out of 10"),
        ("Startled: 30%, Cheerful: 3, Baffled: 10%, Smug: 30%", "percentages and other numbers"),
        ("Startled: " + "9" * 400 + ", Cheerful: 3, Baffled: 1, Smug: 3", "beyond all points"),
        ("Startled: 3. Then Startled: 4, Cheerful: 2, Baffled: 1", "several numbers, and no full"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told(text: str, reason: str) -> None:
    """No reading is made of a part, a range or a sum."""
    reading = read_answer(text, OPTIONS)
    assert reading.values is None
    assert reading.reason is not None
    assert reason in reading.reason


def test_the_longer_of_two_names_is_meant() -> None:
    """'Quietly proud' is not 'proud'."""
    options = ("Proud", "Quietly proud", "Sad", "Glad")
    text = "Quietly proud: 4, Proud: 1, Sad: 2, Glad: 3"
    assert read_answer(text, options).values == (1, 4, 2, 3)


def test_a_name_within_another_word_is_none() -> None:
    """'Uncheerful: 7' says nothing about 'Cheerful'."""
    text = "Uncheerful: 7, Startled: 3, Cheerful: 3, Baffled: 1, Smug: 3"
    assert read_answer(text, OPTIONS).values == VALUES


POINTS = st.lists(st.integers(0, 10), min_size=4, max_size=4)
LAYOUTS = (
    lambda values: "; ".join(f"({n}) {v}" for n, v in enumerate(values, start=1)),
    lambda values: "\n".join(f"{n}: {v}" for n, v in zip(OPTIONS, values, strict=True)),
    lambda values: as_json(values),
    lambda values: ", ".join(map(str, values)),
)


@given(POINTS, st.sampled_from(LAYOUTS), st.text(alphabet=" \n.!", max_size=5))
def test_what_was_written_is_what_is_read(values: list[int], layout: object, after: str) -> None:
    """Any four numbers, in each plain layout."""
    assert callable(layout)
    assert read_answer(layout(values) + after, OPTIONS).values == tuple(map(float, values))


@given(st.text())
def test_no_text_raises(text: str) -> None:
    """A reading or a reason, never both; flags are known ones, in their order."""
    reading = read_answer(text, OPTIONS)
    assert (reading.values is None) == (reading.reason is not None)
    assert list(reading.flags) == [flag for flag in FLAGS if flag in reading.flags]


PIECES = ["Startled", "(1)", "1. ", ": ", " ", "\n", "3", "-", "{", "[", '"a":', "%", "/10",
          "<end>",
          "a score of ", "**", "|", ",", "Q:", "(1) a b c", "9"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4), st.integers(0, 60))
def test_pieces_of_answers_in_any_order_raise_nothing(pieces: list[str], times: int) -> None:
    """Text that nearly is an answer is where a reader breaks."""
    read_answer("".join(pieces) * times, OPTIONS)


@pytest.mark.parametrize("piece", [*PIECES, "Startled: 3 ", "Startled the the the the the the "])
def test_reading_grows_no_faster_than_the_text(piece: str) -> None:
    """A hostile reply of 40,000 characters stays cheap: quadratic work would be a minute."""
    started = time.process_time()
    read_answer(piece * (40_000 // len(piece)), OPTIONS)
    assert time.process_time() - started < 10
