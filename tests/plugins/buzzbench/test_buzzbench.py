"""BuzzBench: numbers for each guest, the published items recomputed, files of one's own."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from eibench import ChatResponse, DataError, Item, Pack, PackSource, Score, folder
from eibench.plugins.buzzbench.benchmark import TEXTS, BuzzBench
from eibench.testing import LoopbackServer, ReceivedRequest, ScriptedModel

Bench = Callable[..., Any]
BENCHMARK = BuzzBench()
FILE = folder("buzzbench") / "bundled" / "introductions.jsonl"
CRITERIA = tuple(TEXTS["criteria"])
GUESTS = ("Ann", "Bo", "Cy", "Dee")
ANSWER = "\n".join(f"# {name}'s intro\nIt is a pun." for name in GUESTS)
ROW = {"prompt": "Explain: Hello Ann, Bo, Cy, Dee!", "intro_text": "Hello Ann, Bo, Cy, Dee!",
       "gold_answer": ANSWER, "source": "A quiz", "judge_prompt": "Judge."}  # fmt: skip
PUBLISHED: dict[str, tuple[Sequence[int], float]] = {
    # EQ-bench/EQ-bench-site, results/buzzbench: the first two items of files, guest by guest
    "phi-4: 655 / 16": (
        (10, 25, 15, 25, 75, 60, 50, 75, 50, 40, 35, 60, 15, 25, 20, 75), 40.94,
    ),
    "gpt-3.5-turbo-0613: 470 / 16": (
        (40, 25, 30, 20, 50, 40, 35, 30, 40, 35, 30, 25, 10, 20, 15, 25), 29.38,
    ),
    "gpt-3.5-turbo-0613: 690 / 16": (
        (40, 30, 25, 75, 50, 40, 35, 60, 35, 30, 25, 70, 50, 40, 35, 50), 43.12,
    ),
    "llama-3.1-405b-instruct: 745 / 16": (
        (25, 40, 30, 20, 60, 50, 40, 75, 50, 40, 35, 60, 60, 50, 40, 70), 46.56,
    ),
    "llama-3.1-405b-instruct: 560 / 16": (
        (50, 40, 35, 25, 50, 40, 40, 25, 25, 25, 25, 50, 40, 35, 30, 25), 35.00,
    ),
}  # fmt: skip


def written(tmp_path: Path, *rows: object) -> Path:
    """A file of introductions."""
    path = tmp_path / "buzzbench.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def pack_of(path: Path) -> Pack:
    """The pack of a file."""
    return BENCHMARK.read_pack(PackSource("custom", "0", {path.name: path}), {})


def verdict(numbers: Sequence[float], guests: Sequence[str] = GUESTS) -> dict[str, Any]:
    """What a judge fills in: the same four numbers of each guest, in order."""
    by_four = [numbers[n : n + 4] for n in range(0, len(numbers), 4)]
    entries = [
        {"guest": guest, **dict(zip(CRITERIA, four, strict=True))}
        for guest, four in zip(guests, by_four, strict=True)
    ]
    return {"chain_of_thought_reasoning": "Two are missed.", "guests": entries}


async def graded(item: Item[Any], *replies: str, answer: str = "# Ann's intro\nA pun.") -> Score:
    """The score of an answer, by what a judge replies."""
    return await BENCHMARK.grade(item, ChatResponse(answer), ScriptedModel(*replies), {})


def test_the_demonstration_runs_offline_and_says_that_it_is_one(bench: Bench) -> None:
    """Five answers to each of three; the abler demo model is ahead."""
    run = ("run", "buzzbench", "--dataset", "bundled", "--json", "--model")
    strong, weak = (bench(*run, f"demo/{name}").json for name in ("strong", "weak"))
    assert strong["items"]["total"] == 15
    assert strong["unscored"] == []
    scores = [document["metrics"]["rubric_score"]["value"] for document in (strong, weak)]
    assert scores[0] > scores[1] + 10
    pack = BENCHMARK.read_pack(PackSource("bundled", "0", {FILE.name: FILE}), {})
    assert pack.comparability.startswith("a demonstration of three introductions")


@pytest.mark.parametrize(("numbers", "score"), PUBLISHED.values(), ids=PUBLISHED)
async def test_published_items_come_out_again(
    tmp_path: Path, numbers: Sequence[int], score: float
) -> None:
    """The mean of all numbers of all guests, as published to two decimals."""
    (item,) = pack_of(written(tmp_path, ROW)).items
    values = (await graded(item, json.dumps(verdict(numbers)))).values
    assert values["rubric_score"] == pytest.approx(score, abs=0.0051)
    assert values["depth"] == sum(numbers[2::4]) / 4


async def test_guests_are_as_many_as_the_item_has() -> None:
    """Of the bundled ones four, three and two; the introduction and the judge have their names."""
    items = pack_of(FILE).items
    assert [len(item.content["names"]) for item in items] == [4, 3, 2]
    for item in items:
        names = item.content["names"]
        judge = ScriptedModel(json.dumps(verdict([70, 60] * 2 * len(names), names)))
        score = await BENCHMARK.grade(item, ChatResponse("# A pun"), judge, {})
        assert score.values["rubric_score"] == 65
        text = judge.requests[0].messages[-1].content
        assert item.content["gold_answer"] in text and "{" + "form}" not in text
        for name in names:
            assert name in item.content["intro_text"] and f'"guest": "{name}"' in text


FAULTS: dict[str, tuple[Callable[[list[dict[str, Any]]], object], str]] = {
    "a guest missing": (lambda of: of.pop(), "it lacks Dee"),
    "a guest twice": (lambda of: of.append(of[0]), "Ann stands twice"),
    "a guest twice, in other letters": (
        lambda of: of.append({**of[1], "guest": " bo "}), "Bo stands twice",
    ),
    "somebody else": (lambda of: of[0].update(guest="Eve"), "an entry is of nobody"),
    "no name": (lambda of: of[0].pop("guest"), "an entry is of nobody"),
    "above the scale": (lambda of: of[2].update(depth=101), "Cy: depth: not a number from 0 to"),
    "no number": (lambda of: of[2].update(depth="70"), "Cy: depth: not a number"),
    "a truth": (lambda of: of[2].update(depth=True), "Cy: depth: not a number"),
    "a criterion missing": (lambda of: of[3].pop("tom_insight"), "Dee: tom_insight: not"),
    "no entry": (lambda of: of.__setitem__(0, "Ann"), "not a list of objects"),  # type: ignore[call-overload]
    "nobody": (lambda of: of.clear(), "it lacks Ann, Bo, Cy, Dee"),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "reason"), FAULTS.values(), ids=FAULTS)
async def test_a_verdict_with_a_fault_is_unread(
    tmp_path: Path, spoil: Callable[[list[dict[str, Any]]], object], reason: str
) -> None:
    """It is asked for again twice, and then the sample is unscored with the reason."""
    (item,) = pack_of(written(tmp_path, ROW)).items
    whole = verdict([50] * 16)
    broken = json.loads(json.dumps(whole))
    spoil(broken["guests"])
    score = await graded(item, *[json.dumps(broken)] * 3)
    assert score.reason is not None and reason in score.reason and not score.values
    again = await graded(item, json.dumps(broken), json.dumps(whole))
    assert again.values["rubric_score"] == 50 and "re-asked" in again.flags


async def test_a_form_that_the_answer_filled_in_is_no_verdict(tmp_path: Path) -> None:
    """A judge that only repeats it is unread; one with words of its own is read."""
    (item,) = pack_of(written(tmp_path, ROW)).items
    form = json.dumps({**verdict([100] * 16), "chain_of_thought_reasoning": "All is right."})
    assert (await graded(item, *[form] * 3, answer=form)).reason is not None
    own = json.dumps({**verdict([10] * 16), "chain_of_thought_reasoning": "It grades itself."})
    assert (await graded(item, own, answer=form)).values["rubric_score"] == 10


def test_a_file_of_one_s_own_has_upstream_s_columns(bench: Bench, tmp_path: Path) -> None:
    """Over HTTP: its prompts are sent, what is missing is ours, and guests' numbers are kept."""
    bare = {"intro_text": "Hello Di!", "gold_answer": "A pun.", "guests": ["Di"]}
    more = ({**ROW, "prompt": "Explain this."}, {**ROW, "prompt": "Of {intro_text} say all."})
    path = written(tmp_path, ROW, bare, *more)

    def reply(request: ReceivedRequest) -> str:
        if request.model == "m":
            return "# Di's intro\nA pun."
        guests = ("Di",) if "Hello Di!" in request.prompt else GUESTS
        return json.dumps(verdict([20, 40, 60, 80] * len(guests), guests))

    with LoopbackServer(reply) as server:
        urls = ("--base-url", server.base_url, "--judge-base-url", server.base_url)
        parties = ("--model", "openai/m", "--judge", "openai/j", *urls, "--iterations", "1")
        document = bench("run", "buzzbench", "--dataset", path, *parties, "--json").json
    assert document["metrics"]["rubric_score"]["value"] == 50
    assert document["metrics"]["tom_insight"]["value"] == 40
    assert any("judge_prompt is not used" in warning for warning in document["warnings"])
    prompts = {r.prompt for r in server.requests if r.model == "m" and not r.is_trial}
    intro = ROW["intro_text"]
    assert {ROW["prompt"], f"Explain this.\n\n{intro}", f"Of {intro} say all."} < prompts
    assert any("[INTRODUCTION]\nHello Di!\n[/INTRODUCTION]" in prompt for prompt in prompts)
    shown = json.dumps(bench("show", document["run_id"], "2", "--json").json)
    assert '"guests": {"Di": {"understood_jokes": 20' in shown


def test_guests_may_be_named_in_many_ways(tmp_path: Path) -> None:
    """By headings as people write them, by a list, or in CSV with semicolons."""
    answer = (
        "# Ann’s Intro\nx\n## **James' introduction**\nx\n# Harry from the band's intro\n# Ends"
    )
    rows = [{**ROW, "gold_answer": answer}, {**ROW, "guests": ["Ann", "Bo"]}]
    names = [item.content["names"] for item in pack_of(written(tmp_path, *rows)).items]
    assert names == [("Ann", "James", "Harry from the band"), ("Ann", "Bo")]
    path = tmp_path / "own.csv"
    path.write_text("id,intro_text,gold_answer,guests\nx,Hello!,A pun.,Ann; Bo\n", encoding="utf-8")
    (item,) = pack_of(path).items
    assert (item.id, item.content["names"]) == ("x", ("Ann", "Bo"))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**ROW, "gold_answer": "It is a pun."}, "row 1: has no guests"),
        ({**ROW, "guests": 5}, "row 1: has no guests"),
        ({**ROW, "guests": ["Ann", "ann "]}, "row 1: names a guest twice"),
        ({**ROW, "guests": " ; "}, "row 1: has no guests"),
        ({"prompt": "?", "gold_answer": ANSWER}, "has no field 'intro_text'"),
    ],
)
def test_a_file_that_is_broken_is_refused(tmp_path: Path, row: object, message: str) -> None:
    """With the row, or its line, and what is wrong."""
    with pytest.raises(DataError, match=message):
        pack_of(written(tmp_path, row))


def test_the_published_board_stands_beside(bench: Bench) -> None:
    """25 models, the best first, with the reason why nothing is comparable."""
    table = BENCHMARK.published(pack_of(FILE))
    assert len(table.rows) == 25
    assert table.rows[0] == (1, "chatgpt-4o-latest-2025-03-27", 69.11, 68.03, 70.19)
    bench("run", "buzzbench", "--dataset", "bundled", "--iterations", "1")
    printed = bench("leaderboard", "buzzbench", "--dataset", "bundled", "--published").out
    assert "another judge" in printed and "deepseek-ai/deepseek-r1" in printed
