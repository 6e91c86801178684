"""Settings of a party: what makes another judge of it, and what does not."""

from dataclasses import replace
from typing import Any

import pytest

from eibench.core.clients.shapes import as_set
from eibench.core.journal.records import grader_in
from eibench.core.parties.graders import Grader, Panel, judge_of
from eibench.core.parties.party import Party, party_of
from eibench.core.parties.party_settings import PartySettings, settings_in, wrong_identity
from eibench.core.reports.suggestions import judge_words
from eibench.core.types import ChatRequest, Message, Sampling, canonical

JUDGE = Party.of("openai/j", "h:1")
EFFORT = PartySettings.of({"reasoning_effort": "low", "temperature": "none", "max_tokens": 900})


def test_room_and_schema_are_no_part_of_who_it_is() -> None:
    """They decide whether a verdict can be read; all others decide what it says."""
    assert PartySettings.of({"max_tokens": 900, "schema": False}).identity == ""
    assert EFFORT.identity == '{"reasoning_effort":"low","temperature":null}'
    assert PartySettings.of({"system": False}).identity == '{"system":false}'
    assert PartySettings.of({"system": True, "schema": True}) == PartySettings()


def test_an_identity_is_read_back() -> None:
    """With what it says of sampling and of the system message."""
    given = {"temperature": "none", "seed": 4, "extra_body": {"a": [1]}, "system": False}
    identity = PartySettings.of(given).identity
    drawn = settings_in(identity).drawn(Sampling(temperature=0.0, max_tokens=8000))
    assert drawn == Sampling(seed=4, extra_body={"a": [1]}, max_tokens=8000)
    assert settings_in(identity).system is False
    assert settings_in(identity).identity == identity


def test_the_words_say_what_is_set_in_one_order() -> None:
    """Whatever the order in which it was given; they stand in the judge's label."""
    other = PartySettings.of({"max_tokens": 900, "temperature": "none", "reasoning_effort": "low"})
    assert EFFORT.words == other.words == "temperature none, max_tokens 900, effort low"
    judge = replace(JUDGE, settings=EFFORT.identity)
    assert judge.label == "openai/j at h:1 (temperature none, effort low)"
    assert judge.public.label == judge.short == "openai/j (temperature none, effort low)"
    assert PartySettings.of({"extra_body": {"x": "y" * 99}}).words.startswith("extra body ")
    assert len(PartySettings.of({"extra_body": {"x": "y" * 99}}).words) < 30


def test_a_judge_with_settings_is_another_judge() -> None:
    """In calls, grades, panels and comparisons, as all of them keep the party."""
    other = replace(JUDGE, settings=EFFORT.identity)
    assert other != JUDGE and party_of(other.as_json()) == other
    panel = Panel((JUDGE, other))
    assert judge_of(panel.as_json()) == panel
    assert Grader("1", other).digest != Grader("1", JUDGE).digest
    assert Grader("1", other).but_for_judge == Grader("1", JUDGE).but_for_judge
    assert grader_in(Grader("1", panel).text) == Grader("1", panel)


def test_a_grader_from_before_settings_is_today_s() -> None:
    """A judge without settings is written as it always was, so its grades are found."""
    before = (
        '{"grading":"1","judge":{"endpoint":"h:1","name":"j","provider":"openai"},"offline":false,'
        '"options":{},"prompts":{},"sampling":{"max_tokens":8000,"temperature":0.0},"version":"1"}'
    )
    sampling = Sampling(temperature=0.0, max_tokens=8000).sent()
    assert Grader("1", JUDGE, sampling=sampling).text == before
    assert grader_in(before) == Grader("1", JUDGE, sampling=sampling)
    assert canonical(JUDGE.as_json()) == '{"endpoint":"h:1","name":"j","provider":"openai"}'


def test_a_command_to_type_names_the_settings() -> None:
    """As a judge of a panel, or alone, is named there; room was no part of the judge."""
    other = replace(JUDGE, endpoint=None, settings=EFFORT.identity)
    sets = ["temperature=none", "reasoning_effort=low"]
    alone = ["--judge", "openai/j", "--judge-set", sets[0], "--judge-set", sets[1]]
    assert judge_words(other) == alone
    beside = judge_words(Panel((other, Party.of("openai/k"))))
    assert f"openai/j:{sets[0]}" in beside and f"openai/j:{sets[1]}" in beside


WRONG: dict[str, Any] = {
    "nothing": {},
    "a list": [1],
    "a key that is none": {"bogus": 1},
    "room": {"max_tokens": 9},
    "out of range": {"temperature": -1},
    "no text": {"reasoning_effort": 3},
    "no object": {"extra_body": "x"},
    "a system message, which is usual": {"system": True},
}


@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
def test_a_damaged_identity_is_told(value: Any) -> None:
    """A journal or an imported file may hold anything."""
    assert wrong_identity(value)


def test_a_request_is_changed_as_it_is_sent() -> None:
    """Room, schema and system text; what is unset is dropped though the benchmark asks for it."""
    sampling = Sampling(temperature=0.0, max_tokens=8000, json_schema={"type": "object"})
    request = ChatRequest((Message("system", "S"), Message("user", "U")), sampling)
    values = {"max_tokens": 900, "schema": False, "system": False, "temperature": "none"}
    sent = as_set(request, PartySettings.of(values))
    assert sent == ChatRequest((Message("user", "S\n\nU"),), Sampling(max_tokens=900))
    assert as_set(request, PartySettings()) is request
    unlimited = as_set(request, PartySettings.of({"max_tokens": "none"}))
    assert unlimited.sampling.max_tokens is None and unlimited.messages == request.messages
