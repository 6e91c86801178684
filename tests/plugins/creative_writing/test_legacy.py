"""`creative-writing-legacy`: scores by hand, criteria of prompts, files with faults, words."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench import BenchError, ChatResponse, Item, SampleScore, Score
from eibench.core.plugins import installed
from eibench.data import folder
from eibench.plugins.creative_writing.legacy import LegacyItem, read_items
from eibench.plugins.creative_writing.prompts import Piece
from eibench.style import syllables, vocabulary
from eibench.testing import LoopbackServer, ReceivedRequest, ScriptedModel

Bench = Callable[..., Any]
BENCHMARK = installed().benchmark("creative-writing-legacy")
SETS: list[dict[str, Any]] = [
    {"prefix_text": "Grade:", "criteria": ["Elegant Prose", "Gripping", "Coherent: it holds"]},
    {"prefix_text": "Less is better:", "criteria": ["Trite", "Amateurish Descriptives: a dance"]},
]


def row(id: str, **changes: Any) -> dict[str, Any]:
    """A prompt, with a criterion of its own beside those that all have."""
    own = {"prefix_text": "Grade:", "criteria": [f"Voice of {id}: as asked for"]}
    usual = {
        "writing_prompt": f"Write of {id}. <SEED>",
        "seed_modifiers": ["By day.", "By night."],
        "judging_criteria": [*SETS, own],
        "reference_output": f"The reference of {id}.",
    }
    return {**usual, **changes}


def written(tmp_path: Path, rows: object) -> Path:
    """A file of prompts."""
    path = tmp_path / "creative_writing_prompts.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def items_in(path: Path) -> dict[str, LegacyItem]:
    """What a file's items hold."""
    return {item.id: item.content for item in read_items(path)}


GRADES = {
    # (id, seed): Elegant Prose, Coherent, Trite, Amateurish Descriptives, the prompt's own
    ("a", "day"): (8, 6, 2, 0, 5),  # 8 + 6 + 8 + 10 + 5 = 37 of 50: 74
    ("a", "night"): (4, 4, 6, 6, 4),  # 4 + 4 + 4 + 4 + 4 = 20: 40
    ("b", "day"): (10, 10, 0, 0, 10),  # 100
    ("b", "night"): (5, 5, 5, 5, 5),  # 50
    ("c", "day"): (0, 0, 10, 10, 0),  # 0
    ("c", "night"): None,  # under 300 characters: no piece
}


def answer(request: ReceivedRequest) -> str:
    """A piece that names its prompt and seed; and its verdict, by `GRADES`."""
    if request.is_trial:
        return "OK"
    id = request.prompt.partition("Write of ")[2][0]
    seed = "day" if "By day." in request.prompt else "night"
    grades = GRADES[id, seed]
    if request.model == "writer":
        return "So it was. " * (30 if grades else 3)
    names = ("Elegant Prose", "Coherent", "Trite", "Amateurish Descriptives", f"Voice of {id}")
    assert grades is not None
    return "It flows.\n" + "\n".join(f"{n}: {g}" for n, g in zip(names, grades, strict=True))


def test_three_prompts_in_two_iterations_by_hand(bench: Bench, tmp_path: Path) -> None:
    """The means of the iterations are (74 + 100 + 0) / 3 = 58 and (40 + 50) / 2 = 45: 51.5."""
    path = written(tmp_path, {id: row(id) for id in "abc"})
    with LoopbackServer(answer) as server:
        urls = ("--base-url", server.base_url, "--judge-base-url", server.base_url)
        parties = ("--model", "openai/writer", "--judge", "openai/judge", *urls)
        run = ("run", "creative-writing-legacy", "--dataset", path, "--iterations", "2", *parties)
        document = bench(*run, "--json", env={"OPENAI_API_KEY": "sk-fake"}).json
    metrics = document["metrics"]
    assert metrics["rubric_score"]["value"] == pytest.approx(51.5)
    assert metrics["Elegant Prose"]["value"] == pytest.approx((8 + 4 + 10 + 5 + 0) / 5)
    assert metrics["Trite"]["value"] == pytest.approx((2 + 6 + 0 + 5 + 10) / 5)
    assert metrics["Trite"]["higher_is_better"] is False
    assert metrics["prompt_criteria"]["value"] == pytest.approx((5 + 4 + 10 + 5 + 0) / 5)
    assert "Gripping" not in metrics and "Voice of a" not in metrics
    (unscored,) = document["unscored"]
    assert unscored["reason"] == "the text has 32 characters; under 300 counts as none"
    judged = [r.prompt for r in server.requests if r.model == "judge" and not r.is_trial]
    text = next(prompt for prompt in judged if "Write of a." in prompt)
    assert "[REFERENCE]\nThe reference of a.\n[/REFERENCE]" in text
    assert "- Trite (less is better)\n- Amateurish Descriptives: a dance (less is better)" in text
    assert "Gripping" not in text


def test_a_short_piece_is_asked_for_hotter(bench: Bench, tmp_path: Path) -> None:
    """Four times in all, each a tenth hotter, up to a temperature of 1."""
    path = written(tmp_path, {"a": row("a")})
    with LoopbackServer(lambda request: "Once.") as server:
        urls = ("--base-url", server.base_url, "--judge-base-url", server.base_url)
        parties = ("--model", "openai/writer", "--judge", "openai/judge", *urls)
        run = ("run", "creative-writing-legacy", "--dataset", path, "--iterations", "1", *parties)
        for words in ((), ("--temperature", "0.8")):
            bench(*run, *words, env={"OPENAI_API_KEY": "sk-fake"})
        heats = [r.body["temperature"] for r in server.requests if r.model == "writer"]
    assert [heat for heat in heats if heat is not None] == [
        *(0.5, 0.6, 0.7, 0.8), *(0.8, 0.9, 1.0, 1.0)
    ]  # fmt: skip


def test_criteria_are_left_out_and_turned_as_the_page_says(tmp_path: Path) -> None:
    """Every name of either list, whatever its case; one that holds a name is turned too."""
    docs = Path(eibench.__file__).resolve().parents[2] / "docs"
    page = " ".join((docs / "creative-writing.md").read_text("utf-8").split())
    left_out, turned = (
        re.findall(rf"{start}: (.*?)\. \d", page)[0].split(", ")
        for start in ("are left out, as in the published code", r"the other way round \(10 − x\)")
    )
    names = ["Elegant Prose", *left_out, *(f"A {name} ending" for name in turned)]
    criteria = [{"prefix_text": "Grade:", "criteria": names}]
    rubric = items_in(written(tmp_path, {"a": row("a", judging_criteria=criteria)}))["a"].rubric
    assert list(rubric.criteria) == ["Elegant Prose", *names[1 + len(left_out) :]]
    assert rubric.lower_is_better == tuple(names[1 + len(left_out) :])
    assert (len(left_out), len(turned)) == (7, 19)


def test_an_iteration_with_ten_pieces_or_fewer_is_left_out() -> None:
    """Of a pack with more prompts."""
    items = [Item(str(n), LegacyItem(None, "", None)) for n in range(12)]  # type: ignore[arg-type]
    pack = type("Pack", (), {"items": items})()
    scores = [
        SampleScore(str(n), str(n), iteration, Score({"rubric_score": 50.0 * iteration}))
        for iteration, read in ((1, 11), (2, 10))
        for n in range(read)
    ]
    assert BENCHMARK.main_values(pack, scores, {}) == [50.0] * 11 + [None] * 10


def test_weights_of_a_user_s_file_count_and_are_shown(tmp_path: Path) -> None:
    """With 3 for coherence: (8 + 3 x 6 + 8 + 10 + 5) / 7 of 10."""
    path = written(tmp_path, {"a": row("a", weights={"Coherent": 3})})
    (item,) = read_items(path)
    judge = ScriptedModel(
        "Elegant Prose: 8\nCoherent: 6\nTrite: 2\nAmateurish Descriptives: 0\nVoice of a: 5"
    )

    async def graded() -> Score:
        piece = Piece("Write.", ChatResponse("So it was. " * 30))
        return await BENCHMARK.grade(item, piece, judge, {})

    import asyncio

    score = asyncio.run(graded())
    assert score.values["rubric_score"] == pytest.approx(70)
    assert score.values["vocabulary"] == 0 and score.values["characters"] == 330
    pack = type("Pack", (), {"items": [item]})()
    metrics = BENCHMARK.summarise(pack, [SampleScore("a", "a", 1, score)], {}).metrics
    assert metrics["Coherent"].label == "Coherent (weight 3)"


WRONG: dict[str, tuple[Mapping[str, Any], str]] = {
    "no reference": ({"reference_output": " "}, 'needs "reference_output"'),
    "no criteria": ({"judging_criteria": []}, 'needs "criteria"'),
    "criteria that are none": ({"judging_criteria": [{"criteria": "Wit"}]}, "a list of texts"),
    "a set that is none": ({"judging_criteria": ["Wit"]}, "a list of objects"),
    "a criterion twice": ({"judging_criteria": [*SETS, SETS[0]]}, "'Elegant Prose' twice"),
    "a weight of nothing": ({"weights": {"Mercy": 2}}, "weighs 'Mercy', which is no criterion"),
    "a weight that is none": ({"weights": {"Trite": 0}}, "numbers above 0"),
    "weights that are none": ({"weights": [1]}, "numbers above 0"),
    "a seed missing": ({"seed_modifiers": []}, "the place <SEED>"),
}


@pytest.mark.parametrize(("changes", "reason"), WRONG.values(), ids=WRONG)
def test_a_broken_file_is_refused(tmp_path: Path, changes: Mapping[str, Any], reason: str) -> None:
    """With the prompt and what is wrong."""
    with pytest.raises(BenchError) as error:
        items_in(written(tmp_path, {"a": row("a", **changes)}))
    assert reason in str(error.value) and "prompt a" in str(error.value)


def test_seeds_may_be_a_list_that_was_written_as_text(tmp_path: Path) -> None:
    """As in some of upstream's files."""
    items = items_in(written(tmp_path, {"a": row("a", seed_modifiers="['x', 'y']")}))
    assert items["a"].prompt.seeds == ("x", "y")


def test_the_bundled_pack_is_whole() -> None:
    """Each prompt has criteria of its own, six seeds, and a reference of the length asked for."""
    items = items_in(folder("creative_writing_legacy") / "bundled/creative_writing_prompts.json")
    assert len(items) >= 8
    shared = set.intersection(*(set(item.rubric.names) for item in items.values()))
    for item in items.values():
        assert len(set(item.prompt.seeds)) == 6
        assert len(set(item.rubric.names) - shared) == 4
        assert 350 <= len(item.reference.split()) <= 600
        assert 2 * len(item.rubric.lower_is_better) > len(shared) - 5


SYLLABLES = {"time": 1, "table": 2, "walked": 1, "wanted": 2, "curious": 3, "something": 2,
             "carrying": 3, "imagination": 5, "quiet": 2, "hopes": 1, "lovely": 2, "usual": 3,
             "the": 1, "hm": 1}  # fmt: skip


@pytest.mark.parametrize(("word", "n"), SYLLABLES.items())
def test_syllables_are_counted(word: str, n: int) -> None:
    """By spelling alone."""
    assert syllables(word) == n


def test_vocabulary_is_a_share_of_words() -> None:
    """Numbers and signs are none."""
    assert vocabulary("A curious committee, 3 tables -- isn't it?") == pytest.approx(2 / 6)
    assert vocabulary("") == 0
