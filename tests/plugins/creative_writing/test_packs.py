"""What is wrong with a pack is said with its file and its place."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench import BenchError, ChatResponse, PackSource, data, find_pack, read_rows
from eibench.core.plugins import installed
from eibench.plugins.creative_writing.prompts import Piece
from tests.plugins.creative_writing.conftest import FILES, PROMPTS

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


PAGE = Path(eibench.__file__).resolve().parents[2] / "docs" / "creative-writing.md"


@pytest.fixture
def official(pack: Callable[..., Path]) -> PackSource:
    """The files of a pack of 32 prompts, as if they were upstream's."""
    folder = pack({str(n): WELL for n in range(1, 33)})
    return replace(find_pack(BENCHMARK, str(folder), {}), name="official")


def test_only_the_official_pack_leaves_prompts_out_of_pairs(official: PackSource) -> None:
    """Those of the page, which are those that the published code leaves out."""
    (ids,) = re.findall(r"not of prompts ([\d, and]+), as published", PAGE.read_text("utf-8"))
    piece = Piece("A well.", ChatResponse("Deep. " * 100))

    def left_out(source: PackSource) -> list[str]:
        items = BENCHMARK.read_pack(source, {}).items
        return [item.id for item in items if not BENCHMARK.is_comparable(item, piece)]

    assert left_out(official) == re.findall(r"\d+", ids)
    assert left_out(replace(official, name="custom")) == []


def test_anchors_stand_where_the_published_board_has_them(official: PackSource) -> None:
    """Both of the page, on the official pack alone."""
    fields = {"model_name": str, "elo_score": float}
    board: Any = read_rows(data.folder("creative_writing_v3") / "published_leaderboard.csv", fields)
    ratings = {row["model_name"].rpartition("/")[2]: row["elo_score"] for row in board}
    ((first, second),) = re.findall(
        r"anchored at (\S+ = \d+) and (\S+ = \d+), where both are there", PAGE.read_text("utf-8")
    )
    (anchors,) = BENCHMARK.anchor_sets(BENCHMARK.read_pack(official, {}))
    assert [f"{name} = {rating:g}" for name, rating in anchors.items()] == [first, second]
    assert anchors == {name: ratings[name] for name in anchors}
    custom = replace(official, name="custom")
    assert list(BENCHMARK.anchor_sets(BENCHMARK.read_pack(custom, {}))) == []
