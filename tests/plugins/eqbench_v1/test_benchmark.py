"""The benchmark class: what it asks, which answer it keeps, and what its demo models can do."""

from random import Random
from typing import Any

import pytest

from eibench import (
    ChatRequest,
    ChatResponse,
    Finish,
    Item,
    Message,
    MissingCall,
    Pack,
    SampleScore,
    Sampling,
    Score,
)
from eibench.core.datasets import find_pack
from eibench.emotion_ratings import Question
from eibench.plugins.eqbench_v1.benchmark import EQBenchV1
from eibench.testing import ScriptedModel

V1 = EQBenchV1()
EMOTIONS = ("Anger", "Relief", "Hope", "Shame")
ITEM = Item("1", Question("How?", EMOTIONS, (1.0, 2.0, 3.0, 4.0)))
OPTIONS: dict[str, Any] = {"parser": "strict", "revise": True}
UNREADABLE = "I cannot say."
HOLED = "First pass scores:\nAnger: 1"


def section(heading: str, ratings: str) -> str:
    """A readable section."""
    lines = [f"{e}: {r}" for e, r in zip(EMOTIONS, ratings.split(), strict=True)]
    return "\n".join([f"{heading} scores:", *lines, ""])


FIRST = section("First pass", "1 2 3 4")
WHOLE = f"{FIRST}\nCritique: none.\n\n{section('Revised', '4 3 2 1')}\n[End of answer]"


async def graded(
    *replies: str | ChatResponse, options: dict[str, Any] | None = None
) -> tuple[Score, list[Any]]:
    """The score of a script of replies, and the temperatures that were asked for."""
    model = ScriptedModel(*replies, sampling=V1.sampling)
    chosen = OPTIONS | (options or {})
    transcript = await V1.generate(ITEM, model, chosen)
    score = await V1.grade(ITEM, transcript, None, chosen)
    return score, [request.sampling.temperature for request in model.requests]


async def test_a_readable_answer_is_asked_for_once() -> None:
    """At 0.01, with both passes scored."""
    score, temperatures = await graded(WHOLE)
    assert temperatures == [0.01]
    assert score.values == {"first_pass": 10.0, "revised": pytest.approx(2.0)}
    assert "asked_again" not in score.flags


async def test_an_unreadable_answer_is_asked_for_five_times_hotter_each_time() -> None:
    """Paech (2023), section 3.10: +0.15 each, at most five attempts; then unscored with why."""
    score, temperatures = await graded(*[UNREADABLE] * 9, options={"parser": "reference"})
    assert temperatures == [0.01, 0.16, 0.31, 0.46, 0.61]
    assert score.reason is not None
    assert "first pass" in score.reason
    assert "revised" in score.reason
    assert score.detail["attempts"] == 5


async def test_the_same_fault_twice_is_enough() -> None:
    """What is missing was missing for the same reason before; another reason is another chance."""
    score, temperatures = await graded(UNREADABLE, UNREADABLE, WHOLE)
    assert (score.detail["attempts"], temperatures) == (2, [0.01, 0.16])
    score, _ = await graded(FIRST, UNREADABLE, WHOLE)
    assert (score.detail["attempts"], score.values["revised"]) == (2, None)
    score, _ = await graded(HOLED, UNREADABLE, HOLED, WHOLE)
    assert score.detail["attempts"] == 3


class Remembers(ScriptedModel):
    """A model whose further replies are in a journal."""

    async def kept(self, messages: Any, *, cache_prefix: int = 0, **changes: Any) -> Any:
        """The next one."""
        return await self.chat(messages, cache_prefix=cache_prefix, **changes)


async def test_replies_that_were_had_before_are_read_all_the_same() -> None:
    """They are paid for: where a journal holds a third one, the same fault twice is no end."""
    model = Remembers(UNREADABLE, UNREADABLE, WHOLE, sampling=V1.sampling)
    score = await V1.grade(ITEM, await V1.generate(ITEM, model, OPTIONS), None, OPTIONS)
    assert (score.detail["attempts"], score.reason) == (3, None)


async def test_each_reply_is_marked() -> None:
    """One with a readable pass was read; another says what was wrong, and what may help."""
    model = ScriptedModel(UNREADABLE, FIRST, WHOLE, sampling=V1.sampling)
    await V1.generate(ITEM, model, OPTIONS)
    why, *others = model.problems
    assert others == [None]
    assert why is not None and why.startswith("no section 'First pass scores' and no section")
    assert "--no-revise" in why


async def test_the_reason_is_that_of_the_reply_with_most_numbers() -> None:
    """Numbers out of range are something to act on, a reply that was cut off before them is not."""
    cut = ChatResponse("First pass scores:\nWell, he", finish=Finish.LENGTH)
    wild = f"{section('First pass', '0 15 25 30')}\n{section('Revised', '0 15 25 30')}"
    for replies in ((cut, wild, cut), (wild, cut, wild)):
        score, _ = await graded(*replies)
        assert "Relief: 15 is not a rating from 0 to 10" in str(score.reason)
    score, _ = await graded(cut, cut)
    assert "(cut off by the token limit)" in str(score.reason)


async def test_the_temperature_of_the_answer_that_counts_is_recorded() -> None:
    """The third reply is the first that can be read."""
    score, temperatures = await graded(UNREADABLE, HOLED, WHOLE)
    assert temperatures == [0.01, 0.16, 0.31]
    assert (score.detail["temperature"], score.detail["attempts"]) == (0.31, 3)
    assert "asked_again" in score.flags


async def test_one_readable_section_is_kept_if_nothing_better_comes() -> None:
    """Asked on for both; the half answer's temperature is the one recorded."""
    score, temperatures = await graded(HOLED, FIRST, *[UNREADABLE] * 3)
    assert len(temperatures) == 2
    assert score.values == {"first_pass": 10.0, "revised": None}
    assert score.reason is None
    assert score.detail["temperature"] == 0.16
    assert "one_section" in score.flags


async def test_a_whole_answer_goes_before_an_earlier_half() -> None:
    """And ends the asking."""
    score, temperatures = await graded(FIRST, WHOLE)
    assert temperatures == [0.01, 0.16]
    assert score.values["revised"] == pytest.approx(2.0)
    assert "one_section" not in score.flags


async def test_offline_the_best_of_the_replies_there_are_counts() -> None:
    """`bench score` has one reply; a half answer is kept, none at all is a missing call."""
    score, _ = await graded(FIRST)
    assert score.values["first_pass"] == 10.0
    with pytest.raises(MissingCall):
        await graded()


async def test_without_a_temperature_none_is_sent() -> None:
    """A model that takes none is asked again as it is."""
    model = ScriptedModel(*[UNREADABLE] * 2, sampling=Sampling())
    await V1.generate(ITEM, model, OPTIONS)
    assert [request.sampling.temperature for request in model.requests] == [None] * 2


async def test_without_revision_the_whole_reply_is_one_pass() -> None:
    """--no-revise: four ratings are a whole answer."""
    score, temperatures = await graded(
        "Anger: 1\nRelief: 2\nHope: 3\nShame: 4", options={"revise": False}
    )
    assert temperatures == [0.01]
    assert score.values == {"first_pass": 10.0, "revised": None}


async def test_all_zero_ratings_are_unread() -> None:
    """They have no proportions: asked again, then unscored."""
    zero = f"{section('First pass', '0 0 0 0')}\n{section('Revised', '0 0 0 0')}"
    score, temperatures = await graded(*[zero] * 5)
    assert len(temperatures) == 2
    assert "all ratings are zero" in str(score.reason)


def summarised(*pairs: tuple[float | None, float | None]) -> Any:
    """The summary of samples with these first and revised scores."""
    scores = [
        SampleScore(str(n), str(n), 1, Score({"first_pass": first, "revised": revised}))
        for n, (first, revised) in enumerate(pairs)
    ]
    return V1.summarise(Pack(V1_SOURCE, [], ""), scores, OPTIONS)


V1_SOURCE = find_pack(V1, "bundled", OPTIONS)


@pytest.mark.parametrize(
    ("pairs", "score", "chosen"),
    [
        ([(5.0, 6.0)] * 20, 60, "revised"),
        ([(7.0, 6.0)] * 20, 70, "first_pass"),
        ([(5.0, 9.0)] * 19 + [(5.0, None)], 90, "revised"),
        ([(5.0, 9.0)] * 18 + [(5.0, None)] * 2, 50, "first_pass"),
        ([(9.0, 5.0)] * 18 + [(None, 5.0)] * 2, 50, "revised"),
    ],
    ids=["revised", "first", "95 percent", "revised too few", "first too few"],
)
def test_the_better_pass_counts_if_it_has_enough_answers(
    pairs: list[tuple[float | None, float | None]], score: float, chosen: str
) -> None:
    """At least 95 % as many readable answers as the other, in both directions."""
    summary = summarised(*pairs)
    assert summary.metrics["score"].value == pytest.approx(score)
    assert summary.notes["pass"] == chosen


@pytest.mark.parametrize(("without", "told"), [(6, True), (5, False)])
def test_a_run_that_fails_for_want_of_headings_says_what_helps(without: int, told: bool) -> None:
    """Where that is why most of its unread answers are unread."""
    whys = ["first pass: no section 'A'; revised: no section 'B'"] * without
    whys += ["first pass: no number for Anger; revised: no section 'B'"] * 5
    both = {"first_pass": None, "revised": None}
    scores = [SampleScore(str(n), str(n), 1, Score(both, why)) for n, why in enumerate(whys)]
    invalid = V1.summarise(Pack(V1_SOURCE, [], ""), scores, OPTIONS).invalid
    assert invalid is not None and ("--no-revise" in invalid) == told


def test_two_intervals_of_one_number_are_explained() -> None:
    """The score's chooses the pass anew in each draw; the pass's is the one for a baseline."""
    pairs = [(Random(n).uniform(-10, 10), Random(n + 99).uniform(-10, 10)) for n in range(30)]
    metrics = summarised(*pairs).metrics
    score, chosen = metrics["score"], metrics["revised"]
    assert score.value == chosen.value and score.ci95 and chosen.ci95
    assert score.ci95[0] > chosen.ci95[0]
    assert score.note.startswith("The score is the better of two passes, here the revised pass.")
    assert "against baselines the revised pass's own interval counts" in score.note
    assert score.ci95_chosen and score.ci95_chosen[0] < chosen.ci95[0]
    assert not any(metric.note for name, metric in metrics.items() if name != "score")


def test_one_pass_needs_no_note() -> None:
    """Nothing was chosen where no revision was asked for."""
    scores = [SampleScore(str(n), str(n), 1, Score({"first_pass": n / 2})) for n in range(20)]
    once = V1.summarise(Pack(V1_SOURCE, [], ""), scores, OPTIONS | {"revise": False})
    assert not once.metrics["score"].note


@pytest.mark.parametrize("higher", [-1.0, 1.0])
def test_the_score_is_the_mean_of_the_main_values(higher: float) -> None:
    """Those of the pass that it comes from, on its scale; a sample unread there has none."""
    pairs = [(float(n), n + higher) for n in range(12)]
    scores = [
        SampleScore(str(n), str(n), 1, Score({"first_pass": a, "revised": b}))
        for n, (a, b) in enumerate(pairs)
    ]
    pack = Pack(V1_SOURCE, [], "")
    found = V1.main_values(pack, scores, OPTIONS)
    score = V1.summarise(pack, scores, OPTIONS).metrics["score"]
    assert score.chosen == ("revised" if higher > 0 else "first_pass")
    assert found == [10 * pair[higher > 0] for pair in pairs]
    assert score.value == pytest.approx(sum(v for v in found if v is not None) / len(found))
    unread = SampleScore("x", "x", 1, Score.unscored("no answer"))
    assert V1.main_values(pack, [*scores, unread], OPTIONS)[-1] is None


def test_summary_does_not_depend_on_order() -> None:
    """The same samples in any order give the same numbers, intervals too."""
    pairs = [(Random(n).uniform(-10, 10), Random(-n).uniform(-10, 10)) for n in range(30)]
    scores = [
        SampleScore(str(n), str(n), 1, Score({"first_pass": a, "revised": b}))
        for n, (a, b) in enumerate(pairs)
    ]
    pack = Pack(V1_SOURCE, [], "")
    shuffled = Random(1).sample(scores, len(scores))
    assert V1.summarise(pack, scores, OPTIONS) == V1.summarise(pack, shuffled, OPTIONS)


async def demo_run(ability: float) -> tuple[Any, list[Score]]:
    """A demo model of an ability on the bundled pack."""
    pack = V1.read_pack(V1_SOURCE, OPTIONS)
    scores = []
    for item in pack.items:
        request = ChatRequest((Message("user", item.content.prompt),))
        words = [V1.demo_reply(item, request, ability, Random(f"{item.id}{n}")) for n in range(5)]
        reply = await V1.generate(item, ScriptedModel(*words, sampling=V1.sampling), OPTIONS)
        score = await V1.grade(item, reply, None, OPTIONS)
        scores.append(SampleScore(item.id, item.cluster, 1, score))
    return V1.summarise(pack, scores, OPTIONS), [s.score for s in scores]


async def test_demo_models_come_out_in_the_order_of_their_abilities() -> None:
    """As declared: strong, medium, weak; the intervals of strong and weak do not overlap."""
    strong, medium, weak = [(await demo_run(a))[0].metrics["score"] for a in (0.9, 0.6, 0.25)]
    assert strong.value > medium.value > weak.value
    assert strong.ci95[0] > weak.ci95[1]


@pytest.mark.parametrize("revise", [True, False])
async def test_the_medium_demo_model_can_always_be_read(revise: bool) -> None:
    """Whatever the draw: the first run on a fresh machine is complete."""
    options = OPTIONS | {"revise": revise}
    pack = V1.read_pack(V1_SOURCE, options)
    for seed in range(20):
        for item in pack.items:
            request = ChatRequest((Message("user", item.content.prompt),))
            words = V1.demo_reply(item, request, 0.6, Random(f"{seed}{item.id}"))
            transcript = await V1.generate(
                item, ScriptedModel(words, sampling=V1.sampling), options
            )
            assert transcript.n_scored == 1 + revise
