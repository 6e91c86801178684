"""Parties, panels and graders as values: equal where they mean the same, and back from JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.parties.graders import RULES, Grader, Judge, Panel, grader_of, is_meant, judge_of
from eibench.core.parties.party import Party
from eibench.core.parties.providers import ModelSpec

NAMES = st.text(min_size=1)
PARTIES = st.builds(
    Party,
    st.builds(ModelSpec, st.sampled_from(["openai", "demo"]), NAMES),
    st.none() | st.sampled_from(["home", "local", "api.example.org:8443"]),
)
PANELS = st.builds(
    Panel,
    st.lists(PARTIES, min_size=2, max_size=4, unique=True).map(tuple),
    st.sampled_from(RULES),
    st.integers(0, 2),
    st.booleans(),
    st.floats(0, 1),
)


@given(PARTIES | PANELS)
def test_whoever_judges_is_the_same_after_json(judge: Judge) -> None:
    """Whatever names hold."""
    assert judge_of(json.loads(json.dumps(judge.as_json()))) == judge


@given(st.none() | PARTIES | PANELS, st.booleans())
def test_a_grader_is_the_same_after_json(judge: Judge | None, offline: bool) -> None:
    """With its digest."""
    grader = Grader("1", judge, {"reader": "plain"}, prompts={"user": "d"}, offline=offline)
    back = grader_of(json.loads(grader.text))
    assert (back, back.digest, hash(back)) == (grader, grader.digest, hash(grader))


def test_a_name_with_at_is_no_endpoint() -> None:
    """Two parties whose labels read the same are two, and so are their graders."""
    named, served = Party.of("openai/judge at home"), Party.of("openai/judge", "home")
    assert named.label == served.label
    assert named != served
    assert Grader("1", named).digest != Grader("1", served).digest
    assert (named.public.label, served.public.label) == ("openai/judge at home", "openai/judge")


def test_the_order_of_a_panel_s_judges_means_nothing() -> None:
    """Nor does a quorum that is said to be as usual."""
    one, two, three = (Party.of(f"openai/{name}") for name in ("a, b", "c", "mean(a,b)"))
    assert Panel((one, two, three)) == Panel((three, two, one), quorum=2)
    assert Panel((one, two, three)) != Panel((three, two, one), quorum=1)


@pytest.mark.parametrize("word", ["openai/j", "openai/j at gpu"])
def test_a_judge_is_named_by_its_spec_and_its_label(word: str) -> None:
    """And by no part of them; a panel by its rule."""
    judge = Party.of("openai/j", "gpu")
    assert is_meant(judge, word) and not is_meant(judge, "openai") and not is_meant(None, word)
    assert is_meant(Panel((judge, Party.of("openai/k"))), "mean")
