"""`bench run longform-writing`: the demo, a story by hand, stories and verdicts that fail."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from eibench import BenchError, find_pack
from eibench.core.plugins import installed
from eibench.plugins.creative_writing.longform_board import decline, published_board
from eibench.plugins.creative_writing.stories import PublishedStoryRubric
from eibench.testing import Answer, LoopbackServer, ReceivedRequest
from tests.plugins.creative_writing.conftest import WRITTEN

Bench = Callable[..., Any]
KEY = {"OPENAI_API_KEY": "sk-fake"}
NAME, WEIGHTS = "longform_creative_writing", "criteria_weights.json"
PROMPTS = {"a": {"writing_prompt": "A well."}, "b": {"writing_prompt": "A roof."}}
FILES: dict[str, str | None] = {
    f"{NAME}_prompts_minimalist.json": json.dumps(PROMPTS),
    f"{NAME}_criteria_chapter.txt": "Wit\nForced Poetry or Metaphor",
    f"{NAME}_criteria_final.txt": "Pacing\nForced Poetry or Metaphor",
    "longform_negative_criteria_chapter.txt": "Forced Poetry or Metaphor",
    "longform_negative_criteria_final.txt": "Forced Poetry or Metaphor",
    f"{NAME}_judging_prompt_chapter.txt": "{writing_prompt} PLAN {final_plan} PEOPLE "
    "{character_profiles} CHAPTER {chapter_number}\n{chapter_text}\n{lower_is_better_criteria}\n"
    "all: {creative_writing_criteria}",
    f"{NAME}_judging_prompt_final.txt": "{writing_prompt} WHOLE\n{full_story}\n"
    "{lower_is_better_criteria}\n{creative_writing_criteria}",
    WEIGHTS: '{"forced poetry or metaphor": 5}',
    "prompt1.txt": "{writing_prompt} Plan {n_chapters}.",
    **{f"prompt{number}.txt": f"Turn {number}." for number in range(2, 6)},
    "prompt_chapter_first.txt": "Begin.",
    "prompt_chapter_intermediate.txt": "Go on: {chapter_number}.",
    "prompt_chapter_last.txt": "End: {chapter_number}.",
}


def pack(folder: Path, **files: str | None) -> Path:
    """Writes a small pack; texts of files may be given by their names."""
    folder.mkdir(exist_ok=True)
    for name, text in {**FILES, **files}.items():
        if text is not None:
            (folder / name).write_text(text, encoding="utf-8")
    return folder


def answer(request: ReceivedRequest) -> str:
    """A writer that numbers its replies, and a judge that likes each chapter less."""
    if request.is_trial:
        return "OK"
    if request.model == "writer":
        return f"Reply {len(request.messages) // 2 + 1}.{WRITTEN}"
    number = re.search(r"CHAPTER (\d)", request.prompt)
    if number is None:
        return "Fine.\nPacing: 10\nForced Poetry or Metaphor: 0"
    grade = f"Wit: {20 - int(number[1])}\nForced Poetry or Metaphor: 10"
    return f"Fine, at 10:40.\n[Scores]\n{grade}"


def command(server: LoopbackServer, folder: Path) -> tuple[Any, ...]:
    """A run on a small pack by a server that plays the writer and the judge."""
    urls = ("--base-url", server.base_url, "--judge-base-url", server.base_url)
    parties = ("--model", "openai/writer", "--judge", "openai/judge")
    return ("run", "longform-writing", *parties, *urls, "--dataset", pack(folder), "--json")


def test_the_demo_runs_offline(bench: Bench) -> None:
    """Thirteen turns and nine verdicts a story; the decline is shown, and the number at the end."""
    document = bench("run", "longform-writing", "--json").json
    assert document["calls"]["model"] == 8 * 13 and document["calls"]["judge"] == 8 * 9
    metrics = document["metrics"]
    assert metrics["decline"]["value"] > 0 and metrics["chapter_1"]["ci95"]
    assert metrics["whole: Unearned Transformations"]["higher_is_better"] is False
    out = bench("show", document["run_id"], "--details").out
    assert "95 % interval, upper end" in out and "rubric score (0-100)" in out.splitlines()[-1]


def test_a_story_is_the_mean_of_nine_verdicts(bench: Bench, tmp_path: Path) -> None:
    """By hand, by the code's weights and, without a further call, by the pages' rule."""
    with LoopbackServer(answer) as server:
        document = bench(*command(server, tmp_path / "pack"), env=KEY).json
        asked = [r for r in server.requests if not r.is_trial]
        again = ("rescore", document["run_id"], "--set", "parser=reference", "--json")
        anew = bench(*again, env=KEY).json
        assert len([r for r in server.requests if not r.is_trial]) == len(asked) == 2 * (13 + 9)
    bent = 0.5**1.7
    for metrics, weight in ((document["metrics"], 5), (anew["metrics"], 1)):
        chapters = [100 * ((20 - n) / 20 + weight * bent) / (weight + 1) for n in range(1, 9)]
        whole = 100 * (0.5 + weight) / (weight + 1)
        values = [metrics[f"chapter_{n}"]["value"] for n in range(1, 9)]
        assert values == pytest.approx(chapters)
        assert metrics["chapters"]["value"] == pytest.approx(sum(chapters) / 8)
        assert metrics["whole"]["value"] == pytest.approx(whole)
        assert metrics["rubric_score"]["value"] == pytest.approx((sum(chapters) + whole) / 9)
        assert metrics["decline"]["value"] == pytest.approx(5 / (weight + 1))
        assert metrics["chapters: Wit"]["value"] == 15.5
    talk = max((r.messages for r in asked if r.model == "writer"), key=len)
    users = [message["content"] for message in talk if message["role"] == "user"]
    turns = [f"Turn {number}." for number in range(2, 6)]
    chapters_asked = ["Begin.", *(f"Go on: {n}." for n in range(2, 8)), "End: 8."]
    assert users[0] in ("A well. Plan 8.", "A roof. Plan 8.")
    assert users[1:] == [*turns, *chapters_asked]
    judged = [r.prompt for r in asked if r.model == "judge"]
    said = {number: f"Reply {number}.{WRITTEN}".strip() for number in range(1, 14)}
    third = f"PLAN {said[4]} PEOPLE {said[5]} CHAPTER 3\n{said[8]}\n"
    assert sum(third in one for one in judged) == 2
    whole_text = "\n\n---\n\n".join(f"# Chapter {n}\n\n{said[n + 5]}" for n in range(1, 9))
    assert sum(f"WHOLE\n{whole_text}\n" in one for one in judged) == 2


def test_a_chapter_that_is_refused_leaves_its_story_unscored(bench: Bench, tmp_path: Path) -> None:
    """Asked for five times, with its number; no more is written or judged, the rest is kept."""

    def respond(request: ReceivedRequest) -> str | Answer:
        is_well = str(request.messages[0]["content"]).startswith("A well.")
        if request.model == "writer" and is_well and len(request.messages) // 2 == 5 + 3:
            return Answer(None, finish="refusal", refusal="I would rather not.")
        return answer(request)

    with LoopbackServer(respond) as server:
        document = bench(*command(server, tmp_path / "pack"), env=KEY).json
        calls = [r for r in server.requests if not r.is_trial]
    assert [one["reason"] for one in document["unscored"]] == ["chapter 4: the model refused"]
    assert document["items"]["scored"] == 1
    assert [sum(r.model == name for r in calls) for name in ("writer", "judge")] == [13 + 8 + 5, 9]


@pytest.mark.parametrize(("long_at", "scored"), [(5, 2), (6, 0)])
def test_a_short_turn_is_asked_for_five_times(
    bench: Bench, tmp_path: Path, long_at: int, scored: int
) -> None:
    """As by the published code; then the story is unscored."""
    asked = Counter[str]()

    def respond(request: ReceivedRequest) -> str:
        if request.model == "writer" and len(request.messages) // 2 == 1:
            asked[str(request.messages[0]["content"])] += 1
            if asked[str(request.messages[0]["content"])] < long_at:
                return "x" * 499 + " \n"
        return answer(request)

    with LoopbackServer(respond) as server:
        document = bench(*command(server, tmp_path / "pack"), env=KEY).json
    assert (document["items"]["scored"], set(asked.values())) == (scored, {5})
    reason = "planning turn 2: the text has 499 characters; under 500 counts as none"
    assert {one["reason"] for one in document["unscored"]} == ({reason} if scored == 0 else set())


@pytest.mark.parametrize(
    ("verdict", "grades"),
    [
        # A clock in the analysis is before the scores; a name that is misspelt counts.
        ("At 10:40.\n[Scores]\nWit: 12\nForced-Poetry: [3]", {"Wit": 12, "Forced-Poetry": 3}),
        ("--- Scores ---\nWit: 12\n---\nPacing: 3", {"Wit": 12}),
        ("[Scores]\nWit: 12\n[End Scores]\nPacing: 3", {"Wit": 12}),
        ("[Scores]\nWit: 1\n\nWit: 2.5/20", {"Wit": 2.5}),
        ("[Scores]\nWit: 21\nPacing: -1", {"Wit": 20, "Pacing": 0}),
        ("[Scores]\nSummary: 3\nOf it: Wit: 4 of 20", {"Wit": 4}),
        ("It is good.\nWit: 12", {"Wit": 12}),
        ("Wit: 12\n[Scores]\nWit: high", {}),
    ],
)
def test_published_pages_read_what_stands_among_the_scores(
    verdict: str, grades: dict[str, float]
) -> None:
    """The last number of each name, cut to the scale."""
    rubric = PublishedStoryRubric(("Wit", "Forced Poetry or Metaphor"), 20)
    assert rubric.grades_in(verdict) == grades


def test_only_names_that_are_spelt_right_are_turned() -> None:
    """In whatever case: (8 + 20 * .5 ** 1.7 + 5) / 3 of 20."""
    names = ("Purple Prose", "Forced Poetry or Metaphor")
    rubric = PublishedStoryRubric(names, 20, lower_is_better=names)
    grades = {"purple prose": 12, "FORCED poetry or metaphor": 10, "Purple-Prose": 5}
    assert rubric.total(grades) == pytest.approx(5 * (8 + 20 * 0.5**1.7 + 5) / 3)


def test_published_pages_leave_out_a_chapter_without_numbers(bench: Bench, tmp_path: Path) -> None:
    """The mean is of the others and the whole, and no decline is known; `strict` has no score."""

    def respond(request: ReceivedRequest) -> str:
        said = answer(request)
        return "Fine." if "Wit: 17" in said else said

    with LoopbackServer(respond) as server:
        run = (*command(server, tmp_path / "pack"), "--parser", "reference")
        document = bench(*run, env=KEY).json
    metrics = document["metrics"]
    read = [100 * ((20 - n) / 20 + 0.5**1.7) / 2 for n in range(1, 9) if n != 3]
    assert metrics["chapters"]["value"] == pytest.approx(sum(read) / 7)
    assert metrics["rubric_score"]["value"] == pytest.approx((sum(read) + 75) / 8)
    assert metrics["chapter_3"]["value"] is metrics["decline"]["value"] is None


def test_an_unread_verdict_is_told_by_its_chapter(bench: Bench, tmp_path: Path) -> None:
    """After asking three times; the other verdicts are made all the same."""

    def respond(request: ReceivedRequest) -> str:
        said = answer(request)
        return said.replace("Wit: 17", "Wit: 21")

    with LoopbackServer(respond) as server:
        document = bench(*command(server, tmp_path / "pack"), env=KEY).json
        judged = [r for r in server.requests if r.model == "judge" and not r.is_trial]
    assert len(judged) == 2 * (9 + 2)
    reasons = {one["reason"] for one in document["unscored"]}
    wrong = "the judge's reply could not be read: Wit: not one number from 0 to 20"
    assert reasons == {f"chapter 3: {wrong}"}


def test_the_published_board_is_a_table_of_its_own() -> None:
    """Best first, with the decline by our rule: of 8 chapters from 80 to 45 it is 5 a chapter."""
    assert decline([80, 75, 70, 65, 60, 55, 50, 45]) == pytest.approx(5)
    board = published_board()
    assert len(board.rows) == 134
    assert board.rows[0][:3] == (1, "claude-opus-5", 86.3)
    by_name = {row[1]: row for row in board.rows}
    assert by_name["claude-sonnet-4-6"][-1] == -0.17  # -5 * 1.46 / 42, from its eight columns


WRONG: dict[str, tuple[Mapping[str, str | None], str]] = {
    "no plan turn": ({"prompt3.txt": None}, "lacks prompt3.txt"),
    "an empty turn": ({"prompt3.txt": " "}, "is empty"),
    "no prompt": ({"prompt1.txt": "Plan."}, "lacks {writing_prompt}"),
    "no number": ({"prompt_chapter_intermediate.txt": "Go on."}, "lacks {chapter_number}"),
    "no chapter": ({f"{NAME}_judging_prompt_chapter.txt": "{writing_prompt}"}, "{chapter_text}"),
    "an unknown line": ({"longform_negative_criteria_final.txt": "Mercy"}, "'Mercy', which is no"),
    "an unknown weight": ({WEIGHTS: '{"Mercy": 2}'}, "weighs what is no criterion"),
    "no weight": ({WEIGHTS: '{"Wit": 0}'}, "numbers above 0"),
    "no weights": ({WEIGHTS: "[]"}, "numbers above 0"),
    "no text": ({f"{NAME}_prompts_minimalist.json": '{"a": {}}'}, 'prompt a: needs "writing_pro'),
}


@pytest.mark.parametrize(("files", "reason"), WRONG.values(), ids=WRONG)
def test_a_broken_pack_is_refused(
    tmp_path: Path, files: Mapping[str, str | None], reason: str
) -> None:
    """With what is wrong."""
    benchmark = installed().benchmark("longform-writing")
    folder = pack(tmp_path / "pack", **files)
    with pytest.raises(BenchError) as error:
        benchmark.read_pack(find_pack(benchmark, str(folder), {}), {})
    assert reason in str(error.value)
