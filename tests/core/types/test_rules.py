"""What the values of settings may be."""

from typing import Any

import pytest

from eibench.core.settings.rules import RULES, VariableRule
from eibench.core.types.rules import NumberRule, Rule, SwitchRule, TextRule, UnfitValue

FIT: dict[str, tuple[Rule, Any, Any]] = {
    "a whole number as a fraction's": (NumberRule(0), 1, 1.0),
    "the low end": (NumberRule(1, whole=True), 1, 1),
    "the high end": (NumberRule(0, 1), 1, 1.0),
    "any whole number": (NumberRule(whole=True), -(10**400), -(10**400)),
    "a choice": (TextRule(("a", "b")), "b", "b"),
    "an empty text": (TextRule(), "", ""),
    "off": (SwitchRule(), False, False),
    "a size in bytes": (RULES["max_reply"], 5, 5),
    "a size as a text": (RULES["max_reply"], "1.5KiB", 1536),
    "a variable": (VariableRule(), "MY_API_KEY", "MY_API_KEY"),
}
UNFIT: dict[str, tuple[Rule, Any, str]] = {
    "below": (NumberRule(1, whole=True), 0, "a whole number from 1 on"),
    "beyond": (NumberRule(0, 1), 1.1, "a number from 0 to 1"),
    "the open end": (NumberRule(0, above=True), 0, "a number above 0"),
    "above the one end": (NumberRule(high=5), 6, "a number up to 5"),
    "a fraction": (NumberRule(1, 10**5, whole=True), 1.5, "a whole number from 1 to 100,000"),
    "true for a number": (NumberRule(), True, "a number"),
    "a text for a number": (NumberRule(), "1", "a number"),
    "NaN": (NumberRule(0), float("nan"), "a finite number"),
    "beyond floats": (NumberRule(0), 10**400, "a finite number"),
    "no choice": (TextRule(("a", "b")), "c", "one of a, b"),
    "a number for a text": (TextRule(), 1, "a text"),
    "1 for a switch": (SwitchRule(), 1, "true or false"),
    "no bytes": (RULES["max_reply"], 0, "a size above 0, such as 16MiB or 1048576"),
    "true for a size": (RULES["max_reply"], True, "a size above 0, such as 16MiB or 1048576"),
    "a key": (VariableRule(), "sk-fake", "the NAME of a variable, such as MY_API_KEY"),
}


@pytest.mark.parametrize(("rule", "value", "used"), FIT.values(), ids=FIT)
def test_a_value_that_fits_is_used(rule: Rule, value: Any, used: Any) -> None:
    """As the type that its setting has."""
    checked = rule.check(value)
    assert (checked, type(checked)) == (used, type(used))


@pytest.mark.parametrize(("rule", "value", "wanted"), UNFIT.values(), ids=UNFIT)
def test_what_is_wanted_is_said_in_words(rule: Rule, value: Any, wanted: str) -> None:
    """Whoever asks adds where the value stands."""
    with pytest.raises(UnfitValue) as caught:
        rule.check(value)
    assert str(caught.value) == wanted


@pytest.mark.parametrize(
    ("rule", "text", "value"),
    [
        (NumberRule(0), "1", 1.0),
        (NumberRule(whole=True), "-3", -3),
        (SwitchRule(), "Off", False),
        (TextRule(("a",)), "a", "a"),
        (RULES["max_reply"], " 2 kB ", 2000),
    ],
)
def test_a_text_is_read(rule: Rule, text: str, value: Any) -> None:
    """As an option or a variable gives it."""
    assert rule.read(text) == value


@pytest.mark.parametrize(
    ("rule", "text"), [(NumberRule(), "1,5"), (NumberRule(whole=True), "1.0"), (SwitchRule(), "1")]
)
def test_a_text_that_stands_for_nothing_is_refused(rule: Rule, text: str) -> None:
    """In the same words."""
    with pytest.raises(UnfitValue, match=rule.words):
        rule.read(text)
