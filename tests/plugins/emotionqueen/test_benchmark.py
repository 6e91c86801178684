"""One sample from the statement to its score, and a run's scores summed up."""

import json
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest

from eibench import (
    ChatRequest,
    ChatResponse,
    Finish,
    Item,
    Pack,
    SampleScore,
    Score,
    Summary,
    Usage,
)
from eibench.core.datasets import find_pack
from eibench.plugins.emotionqueen.benchmark import EmotionQueen
from eibench.plugins.emotionqueen.demo import _FLAT
from eibench.plugins.emotionqueen.statements import LIFE_SCENARIOS, TASKS, Statement
from eibench.testing import ScriptedModel

QUEEN = EmotionQueen()
SOURCE = find_pack(QUEEN, "bundled", {})
PACK = QUEEN.read_pack(SOURCE, {})
ITEM = PACK.items[0]


async def graded(reply: str | ChatResponse, *judged: str) -> tuple[Score, ScriptedModel]:
    """The score of a reply under a judge that replies so, and the judge."""
    transcript = await QUEEN.generate(ITEM, ScriptedModel(reply), {})
    judge = ScriptedModel(*judged)
    return await QUEEN.grade(ITEM, transcript, judge, {}), judge


@pytest.mark.parametrize(
    ("said", "passed", "won"),
    [
        ('{"reason": "Both.", "PASS": 1, "WIN": 1}', 1.0, 1.0),
        ("PASS: 1 WIN: 0", 1.0, 0.0),
        ("PASS: No.\nWIN: No.", 0.0, 0.0),
        ('It is warm.\n\nPASS: 1\nWIN: 1\n\n{"PASS": 1, "WIN": 1}', 1.0, 1.0),
    ],
)
async def test_what_the_judge_says_is_the_score(said: str, passed: float, won: float) -> None:
    """As JSON, as lines, or as both where they agree."""
    score, judge = await graded("Congratulations!", said)
    assert score.reason is None
    assert (score.values["pass"], score.values["win"]) == (passed, won)
    assert len(judge.requests) == 1


@pytest.mark.parametrize("said", ["Yes.", "PASS: 1", "It is warm.", "PASS: 0 WIN: 1"])
async def test_what_leaves_a_doubt_is_asked_for_again(said: str) -> None:
    """A bare yes, one answer of two, prose, WIN without PASS."""
    score, judge = await graded("Congratulations!", said, "PASS: 1 WIN: 1")
    assert (score.values["pass"], score.values["win"]) == (1.0, 1.0)
    assert "re-asked" in score.flags
    assert len(judge.requests) == 2


async def test_an_unread_verdict_is_unscored_with_its_raw_text() -> None:
    """After two re-asks: no number, the reason, and all that the judge said."""
    said = ["PASS: 0 WIN: 1"] * 3
    score, judge = await graded("Congratulations!", *said)
    assert score.reason == "the judge's reply could not be read: WIN is 1 although PASS is 0"
    assert score.values["pass"] is score.values["win"] is None
    assert score.detail["judge_said"] == said
    assert "judge unread" in score.flags
    assert len(judge.requests) == 3


@pytest.mark.parametrize("text", [" \n", "\x00\x00\x00", "\u200b\ufeff"])
@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        (Finish.EMPTY, "the reply is empty"),
        (Finish.LENGTH, "cut off before the answer began"),
        (Finish.REFUSAL, "the model refused"),
    ],
)
async def test_an_empty_reply_is_not_judged(finish: Finish, reason: str, text: str) -> None:
    """It is unscored, never 0, and no judge is paid for it."""
    score, judge = await graded(ChatResponse(text, finish=finish))
    assert score.reason == reason
    assert score.values["pass"] is None
    assert judge.requests == []


async def test_a_refusal_in_words_is_not_judged() -> None:
    """A server that says so knows; its words are no answer to grade."""
    score, judge = await graded(ChatResponse("I cannot help.", finish=Finish.REFUSAL))
    assert (score.reason, judge.requests) == ("the model refused", [])


async def test_a_reply_that_was_cut_off_is_judged_and_flagged() -> None:
    """What is there counts."""
    cut = ChatResponse("Congratulations on", finish=Finish.LENGTH)
    score, _ = await graded(cut, "PASS: 1 WIN: 0")
    assert score.values["pass"] == 1.0
    assert "cut off" in score.flags


@pytest.mark.parametrize(
    ("response", "tokens"),
    [
        (ChatResponse("Oh how good!", usage=Usage(output=7)), 7.0),
        (ChatResponse("Oh how good!", usage=Usage(output=50, reasoning=43)), 7.0),
        (ChatResponse("Oh how good!", reasoning="Hm.", usage=Usage(output=50)), None),
        (ChatResponse("Oh how good!"), None),
    ],
    ids=["plain", "thinking counted", "thinking not counted", "nothing counted"],
)
async def test_length_is_that_of_the_answer(response: ChatResponse, tokens: float | None) -> None:
    """In words always; in tokens where the server counted them, thinking left out."""
    score, _ = await graded(response, "PASS: 1 WIN: 0")
    assert score.values["reply_words"] == 3.0
    assert score.values["reply_tokens"] == tokens


def items(*counts: tuple[str, int]) -> list[Item]:
    """So many statements of each task."""
    return [
        Item(f"{task} {n}", Statement(task, LIFE_SCENARIOS[n % 5], "negative", "I fell.", "Pain."))
        for task, count in counts
        for n in range(count)
    ]


def scored(there: Iterable[Item], passed: Any, iterations: int = 1) -> list[SampleScore]:
    """A score for each: `passed` says of a number whether it passes; every second pass wins."""
    made = []
    for n, item in enumerate(there):
        for iteration in range(1, iterations + 1):
            bit = float(passed(n))
            values: dict[str, float | None] = {"pass": bit, "win": bit * (n % 2)}
            made.append(SampleScore(item.id, item.id, iteration, Score(values)))
    return made


def summed(there: list[Item], scores: list[SampleScore]) -> Summary:
    """The summary of a run."""
    return QUEEN.summarise(Pack(SOURCE, there, ""), scores, {})


def test_the_main_metrics_come_first() -> None:
    """Their mean, by which boards rank, then PASS rate and WIN rate."""
    summary = summed(list(PACK.items), scored(PACK.items, lambda n: n % 3 > 0))
    assert list(summary.metrics)[:3] == ["pass_win_mean", "pass_rate", "win_rate"]


def test_parts_are_rates_of_their_own_statements() -> None:
    """Each task, life scenario and polarity, against a plain count."""
    scores = scored(PACK.items, lambda n: n * n % 7 < 3)
    metrics = summed(list(PACK.items), scores).metrics
    values = {s.item_id: s.score.values for s in scores}
    for kind, names in (("task", TASKS), ("life_scenario", LIFE_SCENARIOS)):
        for name in names:
            part = [values[i.id] for i in PACK.items if getattr(i.content, kind) == name]
            for bit in ("pass", "win"):
                metric = metrics[f"{bit}_rate_{name}".replace("-", "_")]
                assert metric.value == pytest.approx(sum(v[bit] or 0 for v in part) / len(part))
                assert metric.n == len(part)
                assert metric.ci95 is not None
    assert metrics["pass_rate_positive"].n == 60
    assert metrics["pass_rate_negative"].n == 140


def test_a_part_under_twenty_statements_shows_no_rate() -> None:
    """19 have none, 20 have one; how many there are is shown all the same."""
    there = items(("key-event", 19), ("mixed-event", 20))
    metrics = summed(there, scored(there, lambda n: n % 2)).metrics
    for name in ("pass_rate_key_event", "win_rate_key_event"):
        assert (metrics[name].value, metrics[name].ci95, metrics[name].n) == (None, None, 19)
    assert metrics["pass_rate_mixed_event"].value == 0.5
    assert metrics["pass_rate_intention"].n == 0
    assert metrics["pass_rate"].n == 39


def test_asking_more_often_makes_no_rate() -> None:
    """Ten statements in three iterations are 30 samples and still ten statements."""
    there = items(("key-event", 10))
    summary = summed(there, scored(there, lambda n: n % 2, iterations=3))
    assert summary.metrics["pass_rate_key_event"].value is None
    assert summary.metrics["pass_rate_key_event"].n == 30
    assert summary.metrics["pass_rate_key_event"].label == "key event, 10 statements"
    row = summary.notes["tasks"]["key-event"]
    assert (row["statements"], row["samples"], row["scored"]) == (10, 30, 30)
    assert summary.notes["tasks"]["key-event"]["pass_rate"] is None


def test_unscored_samples_are_left_out_of_rates() -> None:
    """They are counted beside them, and are never 0."""
    there = items(("key-event", 30))
    scores = scored(there, lambda n: True)
    lost = [s._replace(score=Score.unscored("unread")) for s in scores[:6]]
    summary = summed(there, [*lost, *scores[6:]])
    assert summary.metrics["pass_rate"].value == 1.0
    assert summary.metrics["pass_rate"].n == 24
    row = summary.notes["tasks"]["key-event"]
    assert (row["statements"], row["scored"], row["unscored"]) == (30, 24, 6)


def test_a_task_counts_what_was_asked() -> None:
    """Ten of fifty statements, as with --limit: the other forty are nowhere in its row."""
    there = items(("key-event", 50))
    summary = summed(there, scored(there, lambda n: True)[:10])
    row = summary.notes["tasks"]["key-event"]
    assert (row["statements"], row["samples"]) == (10, 10)
    assert row["samples"] == row["scored"] + row["unscored"]


def test_length_is_the_mean_over_replies_whose_length_is_known() -> None:
    """Unscored replies have a length too."""
    there = items(("key-event", 4))
    lengths: list[dict[str, float | None]] = [
        {"reply_words": 10.0, "reply_tokens": 12.0},
        {"reply_words": 20.0, "reply_tokens": None},
        {"reply_words": 30.0, "reply_tokens": 38.0},
    ]
    scores = [
        SampleScore(item.id, item.id, 1, Score.unscored("unread", values=values))
        for item, values in zip(there, lengths, strict=False)
    ]
    metrics = summed(there, scores).metrics
    assert (metrics["reply_words"].value, metrics["reply_words"].n) == (20.0, 3)
    assert (metrics["reply_tokens"].value, metrics["reply_tokens"].n) == (25.0, 2)
    assert metrics["reply_words"].higher_is_better is None


def test_a_run_without_scores_has_no_numbers() -> None:
    """None everywhere, and no error."""
    assert {m.value for m in summed(items(("key-event", 3)), []).metrics.values()} == {None}


def test_any_order_of_scores_gives_the_same_summary() -> None:
    """Intervals too."""
    scores = scored(PACK.items, lambda n: n % 3 > 0)
    shuffled = Random(1).sample(scores, len(scores))
    assert summed(list(PACK.items), scores) == summed(list(PACK.items), shuffled)


def test_an_answer_has_a_hundred_tokens() -> None:
    """Section 3.1 of the paper."""
    assert QUEEN.sampling.max_tokens == 100


def test_comparability_names_what_is_other() -> None:
    """No published rate is of these statements; generated ones say who wrote them."""
    assert "not comparable with published rates" in PACK.comparability
    assert "ours" in PACK.comparability
    assert PACK.warnings == ()


async def demo_run(ability: float) -> Summary:
    """A demo model under the demo judge on the bundled pack."""
    scores = []
    for item in PACK.items:
        rng = Random(f"{item.id} {ability}")
        words = QUEEN.demo_reply(item, ChatRequest(()), ability, rng)
        reply = await QUEEN.generate(item, ScriptedModel(words), {})
        judge = _DemoJudge(item)
        scores.append(SampleScore(item.id, item.id, 1, await QUEEN.grade(item, reply, judge, {})))
    assert not any(s.score.reason for s in scores)
    return summed(list(PACK.items), scores)


class _DemoJudge(ScriptedModel):
    """The demo judge for one item."""

    def __init__(self, item: Item) -> None:
        super().__init__()
        self._item = item

    async def chat(self, messages: Any, **rest: Any) -> ChatResponse:
        """What its rules give."""
        return ChatResponse(QUEEN.demo_verdict(self._item, ChatRequest(tuple(messages)), Random()))


@pytest.mark.parametrize("ability", [0.9, 0.6, 0.25])
async def test_demo_models_have_the_ability_that_is_declared(ability: float) -> None:
    """PASS as often as the ability says, and WIN given PASS again: within the interval."""
    metrics = (await demo_run(ability)).metrics
    for name in ("pass_rate", "win_given_pass"):
        low, high = metrics[name].ci95 or (1.0, 0.0)
        assert low - 0.03 <= ability <= high + 0.03, name


async def test_demo_models_come_out_in_order() -> None:
    """Strong over medium over weak, in PASS and in WIN."""
    runs = [(await demo_run(ability)).metrics for ability in (1.0, 0.9, 0.6, 0.25, 0.0)]
    for name in ("pass_rate", "win_rate", "pass_win_mean"):
        values = [run[name].value or 0.0 for run in runs]
        assert values == sorted(values, reverse=True)
        assert (values[0], values[-1]) == (1.0, 0.0)


def test_the_demo_judge_passes_no_empty_phrase() -> None:
    """Whatever the statement."""
    for item in PACK.items:
        for phrase in _FLAT:
            prompt = f"[REPLY]\n{phrase}\n[/REPLY]"
            said = json.loads(QUEEN.demo_verdict(item, _request(prompt), Random()))
            assert (said["PASS"], said["WIN"]) == (0, 0), (item.id, phrase)


def _request(prompt: str) -> ChatRequest:
    from eibench import Message

    return ChatRequest((Message("user", prompt),))
