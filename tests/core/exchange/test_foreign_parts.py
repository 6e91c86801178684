"""Another program's file, part by part: the same as read at once, however it comes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench import ForeignPart
from eibench.core.exchange import files as module
from eibench.core.exchange.files import read_parts

LISTS = {("about", "all")}
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def read(text: str | bytes, size: int = 1) -> list[ForeignPart]:
    """The parts of a text that comes in chunks of so many bytes."""
    raw = text if isinstance(text, bytes) else text.encode()
    return list(read_parts((raw[n : n + size] for n in range(0, len(raw), size)), LISTS))


@given(st.dictionaries(st.text(), JSON, max_size=4), st.integers(1, 40), st.booleans())
def test_parts_are_what_the_keys_hold(value: dict[str, Any], size: int, ascii: bool) -> None:
    """A number that two chunks share is one number, and so is a character."""
    value.pop("about", None)
    try:
        text = json.dumps(value, ensure_ascii=ascii, indent=1).encode()
    except UnicodeEncodeError:  # half of a character can only be escaped
        text = json.dumps(value).encode()
    assert read(text, size) == [ForeignPart((key,), held) for key, held in value.items()]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_list_that_is_asked_for_comes_by_its_elements(size: int) -> None:
    """Beside all else that is in its object."""
    text = '{"x": 1, "about": {"all": [{"a": 1}, 2.5, []], "more": [3]}, "y": {"all": [4]} }\n'
    assert read(text, size) == [
        ForeignPart(("x",), 1),
        ForeignPart(("about", "all", 0), {"a": 1}),
        ForeignPart(("about", "all", 1), 2.5),
        ForeignPart(("about", "all", 2), []),
        ForeignPart(("about", "more"), [3]),
        ForeignPart(("y",), {"all": [4]}),
    ]


def test_what_stands_in_the_place_of_such_a_list_is_a_part() -> None:
    """Whoever reads it can tell that it is none, or empty."""
    assert read('{"about": {"all": []}}') == [ForeignPart(("about", "all"), [])]
    assert read('{"about": {"all": 1}}') == [ForeignPart(("about", "all"), 1)]
    assert read('{"about": [1]}') == [ForeignPart(("about",), [1])]
    assert read('{"about": {}}') == []


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not JSON: it is empty"),
        (" \n", "is not JSON: it is empty"),
        ("[]", "is not a JSON object"),
        ('{"a": 1', "is not JSON: no , or } at character 8"),
        ('{"a": [1', "is not JSON: Expecting ',' delimiter at character 9"),
        ('{"about": {"all": [1', "is not JSON: no , or ] at character 21"),
        ('{"a" 1}', "is not JSON: no : at character 6"),
        ("{1: 1}", "is not JSON: no key at character 2"),
        ('{"a": 1,}', "is not JSON: no key at character 9"),
        ('{"a": 1} {}', "is not JSON: more follows the object at character 10"),
        ('{"a": 1, "a": 2}', "has a key twice in one object"),
        ('{"about": {"b": 1, "b": 2}}', "has a key twice in one object"),
        ('{"a": {"b": 1, "b": 2}}', "has a key twice in one object"),
        ('{"a": Infinity}', "holds Infinity, which is no JSON value"),
        ('{"a": 1e999}', "is too large"),
        (b'{"a": "\xff"}', "is not JSON: it is no UTF-8 text"),
    ],
)
def test_what_is_no_object_is_refused(text: str | bytes, message: str, size: int) -> None:
    """With what is wrong, and where."""
    with pytest.raises(ValueError) as caught:
        read(text, size)
    assert message in str(caught.value)


def test_a_part_may_be_so_long_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is made small here; the whole may be longer."""
    monkeypatch.setattr(module, "PART_LIMIT", 50)
    assert len(read(json.dumps({str(n): "x" * 30 for n in range(10)}), 10)) == 10
    with pytest.raises(ValueError, match="has a part of more than 50 characters"):
        read(json.dumps({"a": "x" * 100}), 10)
