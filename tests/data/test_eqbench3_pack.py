"""The bundled pack of EQ-Bench 3: what its card and its page say of it, and that it is ours."""

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from eibench import Pack
from eibench.core.datasets import find_pack
from eibench.data import folder
from eibench.plugins.eqbench3.benchmark import EQBench3

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
BENCHMARK, OPTIONS = EQBench3(), {"rubric": True, "elo": True}
HERE = folder("eqbench3") / "bundled"


@pytest.fixture(scope="module")
def pack() -> Pack:
    """The pack as it is read."""
    return BENCHMARK.read_pack(find_pack(BENCHMARK, "bundled", OPTIONS), OPTIONS)


def test_the_pack_is_what_its_page_says(pack: Pack) -> None:
    """Kinds, families, turns, and so the calls of an iteration (docs/eqbench3.md)."""
    kinds = Counter(item.content.kind.name for item in pack.items)
    calls = [BENCHMARK.planned_calls(item, OPTIONS) for item in pack.items]
    assert kinds == {"role-play": 15, "drafting": 2, "analysis": 3}
    assert len({item.cluster for item in pack.items}) == 19
    assert [sum(c[party] for c in calls) for party in ("model", "judge")] == [71, 20]
    for item in pack.items:
        assert len(item.content.turns) == (1 if item.content.kind.name == "analysis" else 3)
        assert item.content.notes
        assert item.content.category


def test_the_card_lists_each_scenario(pack: Pack) -> None:
    """By its id, with its kind, in pack order."""
    card = (HERE / "CARD.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| ([\w-]+) \|", card, re.MULTILINE)
    assert rows == [(item.id, item.content.kind.name) for item in pack.items]


def test_judges_are_told_the_scale_that_is_scored(pack: Pack) -> None:
    """Each criterion stands in the instructions of its kind, and the highest grade too."""
    for kind in pack.items[0].content.protocol.kinds.values():
        instructions = kind.template.system
        assert f"from 0 to {kind.rubric.scale}" in instructions
        for name in kind.rubric.criteria:
            assert name in instructions, (kind.name, name)
        assert {"{transcript}", "{notes}", "{output_format}"} <= set(
            re.findall(r"\{\w+\}", kind.template.user)
        )


def test_no_turn_holds_a_marker_of_its_prompts(pack: Pack) -> None:
    """Ours are not made harmless, so they must be."""
    for item in pack.items:
        said = "\n".join((*item.content.turns, item.content.notes))
        for marker in (*item.content.kind.template.markers, "CONVERSATION", "/CONVERSATION"):
            assert f"[{marker}]" not in said


def stretches(text: str, names: set[str], instead: str, n: int = 8) -> set[tuple[str, ...]]:
    """All runs of so many words; names of criteria are facts, so another word stands for each."""
    text = re.sub("|".join(sorted(names, key=len, reverse=True)), instead, text)
    said = re.findall(r"[a-z']+", text.lower())
    return {tuple(said[i : i + n]) for i in range(len(said) - n + 1)}


@pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")
def test_no_text_of_upstream_s_is_in_it(pack: Pack) -> None:
    """No eight words in a row, in scenarios, prompts or notes."""
    kinds = pack.items[0].content.protocol.kinds.values()
    names = {name for kind in kinds for name in kind.rubric.criteria}
    ours = "\n".join(path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*.toml")))
    for path in (Path(OFFICIAL or "") / "eqbench3").glob("*.txt"):
        theirs = stretches(path.read_text(encoding="utf-8"), names, "theirs")
        assert not stretches(ours, names, "ours") & theirs, path.name
