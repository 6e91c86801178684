"""What can be had without reading: the rules and their numbers."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from eibench.plugins.emotion_ratings.guessing import (
    RULES,
    ScoredPack,
    all_equal,
    best_constant,
    chances,
    class_means,
    order_only,
    word_class,
)
from eibench.plugins.emotion_ratings.word_classes import class_of

Bench = Callable[..., Any]


def nearness(answers: Any, references: Sequence[Sequence[float]]) -> Iterator[Any]:
    """10 minus the summed distance."""
    for reference in references:
        yield 10 - np.abs(answers - np.array(reference)).sum(axis=1)


def pack(words: list[list[str]], references: list[list[float]]) -> ScoredPack:
    """A pack that is scored by distance."""
    return ScoredPack(words, np.array(references, dtype=float), nearness)


GIVEN_AWAY = pack(
    [["Angry", "Grateful", "Spiteful", "Sad"], ["Tender", "Furious", "Lonely", "Smug"]] * 8,
    [[1, 6, 1, 6], [6, 1, 6, 1]] * 8,
)
"""Hostile words are always 1, all others 6."""


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("Contempt", "hostile"),
        ("Wütend", "hostile"),
        ("气愤", "hostile"),
        ("Triumphant", "triumph"),
        ("Indifference", "apathy"),
        ("Tender", "warm"),
        ("Zärtlich", "warm"),
        ("Ashamed", "other"),
    ],
)
def test_a_word_has_one_class(word: str, name: str) -> None:
    """By its stem, in any of the languages."""
    assert class_of(word) == name


@pytest.mark.parametrize("rule", [word_class, class_means])
def test_words_that_give_all_away_score_in_full(rule: Callable[[ScoredPack], float]) -> None:
    """A pack whose classes are its answers needs no reading."""
    assert rule(GIVEN_AWAY) == pytest.approx(100)


def test_a_constant_gains_nothing_where_places_are_balanced() -> None:
    """It is then as good as all equal."""
    assert best_constant(GIVEN_AWAY) == all_equal(GIVEN_AWAY)


def test_the_order_is_all_where_all_have_one_shape() -> None:
    """The same four numbers in another order each time."""
    assert order_only(GIVEN_AWAY) == pytest.approx(100)


def test_a_place_that_is_always_strongest_is_no_chance() -> None:
    """Its probability is low, also where length and alphabet depend on nothing."""
    words = [["Calm", "Hurt", "Glad", "Fond"], ["Hurt", "Calm", "Fond", "Glad"]] * 6
    found = chances(pack(words, [[9, 1, 2, 3]] * 12))
    assert found["place"] < 0.01
    assert found["length of the word"] == 1.0


@pytest.mark.parametrize("benchmark", ["eqbench-v1", "eqbench-v2", "seceu"])
def test_info_prints_each_rule(bench: Bench, benchmark: str) -> None:
    """One table for each language."""
    tables = json.loads(bench("info", benchmark, "--dataset", "--json").out)
    assert all("without reading" in table["title"] for table in tables)
    assert {row[0] for row in tables[0]["rows"]} >= set(RULES)


def test_info_says_where_there_are_no_rules(bench: Bench) -> None:
    """A benchmark without ratings of emotions has none."""
    failed = bench("info", "emotionqueen", "--dataset")
    assert failed.code == 2
    assert "no rules that score without reading" in failed.err
