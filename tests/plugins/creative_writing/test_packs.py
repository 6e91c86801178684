"""What is wrong with a pack is said with its file and its place."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eibench import BenchError, find_pack
from eibench.core.plugins import installed
from tests.plugins.creative_writing.conftest import FILES, PROMPTS

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
BENCHMARK: Any = installed().benchmark("creative-writing-v3")
CRITERIA, NEGATIVE = "creative_writing_criteria.txt", "negative_criteria.txt"
JUDGE, PAIR = "creative_writing_judging_prompt.txt", "pairwise_prompt.txt"
WELL = PROMPTS["well"]


def read(folder: Path) -> Any:
    """The pack of a folder."""
    return BENCHMARK.read_pack(find_pack(BENCHMARK, str(folder), {}), {})


WRONG: dict[str, tuple[object, Mapping[str, str | None], str]] = {
    "no negative criterion": (PROMPTS, {NEGATIVE: "Wit\nMercy"}, "'Mercy', which is no line of"),
    "a line that is no criterion": (PROMPTS, {CRITERIA: "Wit: how"}, "has no colon"),
    "a criterion twice": (PROMPTS, {CRITERIA: "Wit\nWit"}, "stands twice"),
    "no criteria": (PROMPTS, {CRITERIA: "\n"}, "names no criterion"),
    "no place for the piece": (PROMPTS, {JUDGE: "{writing_prompt}"}, "lacks {test_model_response}"),
    "no code": (
        PROMPTS,
        {PAIR: FILES[PAIR].replace("A0488", "B")},
        "lacks A0488",
    ),
    "no pairwise criteria": (PROMPTS, {PAIR: FILES[PAIR].partition("{\n")[0]}, "no criterion"),
    "a file missing": (PROMPTS, {PAIR: None}, "lacks pairwise_prompt.txt"),
    "no prompts": ({}, {}, "no object of writing prompts"),
    "no text": ({"a": {**WELL, "writing_prompt": " "}}, {}, 'prompt a: needs "writing_prompt"'),
    "no seeds for the place": ({"a": {**WELL, "seed_modifiers": []}}, {}, "the place <SEED>"),
    "no place for seeds": ({"a": {**WELL, "writing_prompt": "x"}}, {}, "no place <SEED>"),
    "seeds that are none": ({"a": {**WELL, "seed_modifiers": "a list"}}, {}, "a list of texts"),
    "no row": ({"a": "Write."}, {}, "is no object"),
}


@pytest.mark.parametrize(("prompts", "files", "reason"), WRONG.values(), ids=WRONG)
def test_a_broken_pack_is_refused(
    pack: Callable[..., Path], prompts: object, files: Mapping[str, str | None], reason: str
) -> None:
    """With what is wrong."""
    with pytest.raises(BenchError) as error:
        read(pack(prompts, files))
    assert reason in str(error.value)


def test_each_iteration_has_the_next_seed(pack: Callable[..., Path]) -> None:
    """The first again after the last; a prompt without seeds stays as it is."""
    well, roof = (item.content.prompt for item in read(pack()).items)
    assert [well.asked(n) for n in (1, 2, 3)] == [
        "A well. With a bucket. Short.", "A well. At night. Short.", "A well. With a bucket. Short."
    ]  # fmt: skip
    assert {roof.asked(n) for n in (1, 2)} == {"A roof."}


def test_only_the_official_pack_leaves_prompts_out_of_pairs(pack: Callable[..., Path]) -> None:
    """Those that the published code leaves out."""
    assert all(item.content.compared for item in read(pack()).items)
    if OFFICIAL:
        items = read(Path(OFFICIAL, "creative-writing-v3")).items
        left_out = [item.id for item in items if not item.content.compared]
        assert (len(items), left_out) == (32, ["5", "16", "20", "21", "26", "28", "30"])


def test_the_official_pack_has_the_published_anchors(pack: Callable[..., Path]) -> None:
    """Two models at their published ratings; others have none."""
    ours = read(pack())
    assert BENCHMARK.anchor_sets(ours) == ()
    official = replace(ours, source=replace(ours.source, name="official"))
    (anchors,) = BENCHMARK.anchor_sets(official)
    assert anchors == {"DeepSeek-R1": 1500, "llama-3.2-1b-instruct": 200}
