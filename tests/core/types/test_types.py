"""The one JSON text of a value."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.types import canonical, json_writer

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    PLAIN | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner),
)


@given(VALUES)
def test_a_value_is_written_as_the_standard_library_writes_it(value: Any) -> None:
    """Whether keys are sorted or not: digests and journals of older programs hold."""
    plain: Any = {"ensure_ascii": False, "separators": (",", ":")}
    assert canonical(value) == json.dumps(value, sort_keys=True, **plain)
    assert json_writer(sort_keys=False)(value) == json.dumps(value, **plain)


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": {1, 2}}])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    """No NaN, and nothing that is no JSON value."""
    with pytest.raises((TypeError, ValueError)):
        canonical(value)


def test_a_value_that_holds_itself_is_refused() -> None:
    """As any other that JSON cannot hold."""
    value: list[Any] = []
    value.append(value)
    with pytest.raises(ValueError, match="holds itself"):
        canonical(value)
