"""The demo judge's declared rules, and that demo models can be read (docs/eqbench3.md)."""

import json
from random import Random
from statistics import mean

import pytest

from eibench.core.datasets import find_pack
from eibench.plugins.eqbench3.benchmark import EQBench3
from eibench.plugins.eqbench3.demo import demo_answer, demo_verdict
from eibench.plugins.eqbench3.transcripts import read_sections

ATTENTIVE, FLAT = "Perhaps she was tired.", "They must calm down."
BENCHMARK, OPTIONS = EQBench3(), {"rubric": True, "elo": True}


def prompt(*replies: str, after: str = "") -> str:
    """A judge's prompt with these replies, and words of ours after them."""
    turns = "---\n".join(f"User:\nPerhaps, because.\n---\nAssistant:\n{r}\n" for r in replies)
    form = '{\n  "chain_of_thought_reasoning": "why",\n  "warmth": 0-20,\n  "tact": 0-10\n}'
    return f"Notice the scene.\n[SCENE]\n{turns}\n[/SCENE]\n{after}\n{form}"


def grades(text: str, seed: int = 1) -> dict[str, float]:
    """What the demo judge gives."""
    said = json.loads(demo_verdict(text, Random(seed)))
    assert said.pop("chain_of_thought_reasoning").startswith("DEMO")
    return dict(said)


@pytest.mark.parametrize(
    ("replies", "share"),
    [
        ([FLAT], 0), ([ATTENTIVE], 1), ([FLAT, ATTENTIVE], 0.5),
        ([f"{FLAT} {FLAT} {ATTENTIVE} {FLAT}"], 0.25), ([""], 0),
    ],
)  # fmt: skip
def test_grades_follow_the_share_of_attentive_sentences(replies: list[str], share: float) -> None:
    """Scale x (0.15 + 0.75 x share), with noise of standard deviation 0.05 that averages out."""
    drawn = [grades(prompt(*replies), seed) for seed in range(400)]
    assert mean(g["warmth"] for g in drawn) / 20 == pytest.approx(0.15 + 0.75 * share, abs=0.01)
    assert mean(g["tact"] for g in drawn) / 10 == pytest.approx(0.15 + 0.75 * share, abs=0.01)
    assert all(0 <= g["warmth"] <= 20 and 0 <= g["tact"] <= 10 for g in drawn)


def test_words_outside_the_replies_do_not_count() -> None:
    """The user's, the notes' and the instructions' are the same for every model."""
    notes = "Perhaps they notice. I wonder, because it might be."
    assert grades(prompt(FLAT, after=notes)) == grades(prompt(FLAT))


@pytest.mark.parametrize("ability", [0.0, 0.25, 0.6, 0.9, 1.0])
def test_a_demo_model_s_replies_have_their_sections(ability: float) -> None:
    """The first run on a fresh machine is complete, with no flag."""
    pack = BENCHMARK.read_pack(find_pack(BENCHMARK, "bundled", OPTIONS), OPTIONS)
    for item in pack.items:
        headings = item.content.kind.headings
        reply = demo_answer(item.content, ability, Random(item.id), is_debrief=False)
        found = read_sections(reply, headings)
        if headings:
            assert found is not None
            assert all(found.texts)
            assert not (found.missing or found.repeated or found.outside)
