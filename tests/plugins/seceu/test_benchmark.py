"""The benchmark class: what it asks in each prompting, what it scores, what its demos can do."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench import (
    ChatRequest,
    ChatResponse,
    DataError,
    Finish,
    Item,
    Message,
    SampleScore,
    Score,
    find_pack,
)
from eibench.plugins.seceu.benchmark import Seceu
from eibench.plugins.seceu.reading import NormedPack
from eibench.plugins.seceu.stories import AskedStory
from eibench.plugins.seceu.wording import PROMPTINGS, WORDING
from eibench.testing import ScriptedModel

SECEU = Seceu()
OPTIONS: dict[str, Any] = {"prompting": "direct", "lang": "en", "shuffle_options": False}
NAMES = ("Startled", "Cheerful", "Baffled", "Smug")
ITEM = Item("1", AskedStory("How?", NAMES, (3.0, 3.0, 1.0, 3.0), (0, 1, 2, 3), "direct"))
SHUFFLED = Item("1", AskedStory("How?", NAMES, (3.0, 3.0, 1.0, 3.0), (2, 0, 3, 1), "direct"))

each_prompting = pytest.mark.parametrize("prompting", PROMPTINGS)
each_lang = pytest.mark.parametrize("lang", ["en", "zh"])


def read(dataset: str = "bundled", **changes: Any) -> NormedPack:
    """A pack with these options."""
    options = OPTIONS | changes
    return SECEU.read_pack(find_pack(SECEU, dataset, options), options)


async def graded(reply: str | ChatResponse, item: Item = ITEM) -> Score:
    """The score of a reply."""
    transcript = await SECEU.generate(item, ScriptedModel(reply), OPTIONS)
    return await SECEU.grade(item, transcript, None, OPTIONS)


def test_sampling_is_that_of_the_paper() -> None:
    """Direct: 0.1, 1, 512; all others: 0, 0.9, 2048."""
    found = {name: SECEU.sampling_for(OPTIONS | {"prompting": name}).sent() for name in PROMPTINGS}
    direct = {"temperature": 0.1, "top_p": 1.0, "max_tokens": 512}
    prompted = {"temperature": 0.0, "top_p": 0.9, "max_tokens": 2048}
    assert found.pop("direct") == SECEU.sampling.sent() == direct
    assert list(found.values()) == [prompted] * 4


async def test_a_story_is_asked_once() -> None:
    """Also when the answer cannot be read."""
    model = ScriptedModel("I cannot say.", sampling=SECEU.sampling)
    transcript = await SECEU.generate(ITEM, model, OPTIONS)
    score = await SECEU.grade(ITEM, transcript, None, OPTIONS)
    assert len(model.requests) == 1
    assert score.values["distance"] is None
    assert score.reason == "no number for any of the four emotions"


async def test_a_score_is_the_distance_with_the_points_it_is_made_of() -> None:
    """(3, 3, 3, 1) to (3, 3, 1, 3): the root of 8."""
    score = await graded("(1) 3; (2) 3; (3) 3; (4) 1")
    assert score.values["distance"] == pytest.approx(8**0.5)
    assert [score.values[f"points_{n}"] for n in range(1, 5)] == [3, 3, 3, 1]
    assert score.flags == ("index",)


@pytest.mark.parametrize(
    "reply",
    ["(1) 1; (2) 3; (3) 3; (4) 3", "Startled: 3, Cheerful: 3, Baffled: 1, Smug: 3"],
    ids=["by number", "by name"],
)
async def test_numbers_are_put_back_into_the_order_of_the_pack(reply: str) -> None:
    """Shown as Baffled, Startled, Smug, Cheerful: option 1 is Baffled."""
    score = await graded(reply, SHUFFLED)
    assert score.values["distance"] == 0
    assert score.detail["written"] == [3, 3, 1, 3]


async def test_other_sums_are_scaled_and_flagged() -> None:
    """Percentages: the same answer, and a sum other than 10."""
    score = await graded("30%, 30%, 10%, 30%")
    assert score.values["distance"] == pytest.approx(0)
    assert {"percent", "sum"} <= set(score.flags)
    assert score.detail["sum"] == 100


async def test_a_null_vector_is_scored_as_it_is() -> None:
    """The distance from the origin, flagged."""
    score = await graded("(1) 0; (2) 0; (3) 0; (4) 0")
    assert score.values["distance"] == pytest.approx((9 + 9 + 1 + 9) ** 0.5)
    assert "null" in score.flags


async def test_numbers_without_a_direction_are_unscored() -> None:
    """Four times -1."""
    score = await graded("(1) -1; (2) -1; (3) -1; (4) -1")
    assert score.values["distance"] is None
    assert score.reason == "all four numbers are -1, which has no direction"


@pytest.mark.parametrize(
    ("response", "reason", "flags"),
    [
        (ChatResponse("", finish=Finish.EMPTY), "the reply is empty", ()),
        (ChatResponse("", finish=Finish.LENGTH), "cut off before the answer began", ("cut_off",)),
        (ChatResponse("No.", finish=Finish.REFUSAL), "the model refused", ()),
    ],
    ids=["empty", "cut off", "refused"],
)
async def test_no_answer_is_unscored_with_the_reason(
    response: ChatResponse, reason: str, flags: tuple[str, ...]
) -> None:
    """Never a zero vector."""
    score = await graded(response)
    assert (score.values["distance"], score.reason, score.flags) == (None, reason, flags)


async def test_an_answer_that_is_there_counts_although_the_reply_was_cut() -> None:
    """And it is flagged."""
    score = await graded(ChatResponse("(1) 3; (2) 3; (3) 1; (4) 3. Let me", finish=Finish.LENGTH))
    assert score.values["distance"] == 0
    assert "cut_off" in score.flags


@each_lang
@each_prompting
def test_a_prompt_holds_the_story_and_its_options_in_order(lang: str, prompting: str) -> None:
    """Once each, after all examples, and nothing is left to be filled in."""
    for item in read(lang=lang, prompting=prompting).items:
        asked: AskedStory = item.content
        prompt = asked.prompt
        places = [prompt.rindex(f"({n}) {name}") for n, name in enumerate(asked.shown, start=1)]
        assert places == sorted(places)
        assert "{story}" not in prompt
        assert "{options}" not in prompt
        assert "{lead}" not in prompt


@each_lang
def test_promptings_differ(lang: str) -> None:
    """Five prompts; those that are prompted ask for JSON, two-shot ones show two answers."""
    prompts = {p: WORDING[lang][p] for p in PROMPTINGS}
    assert len(set(prompts.values())) == 5
    assert [text.count('"Emotion"') for text in prompts.values()] == [0, 1, 1, 2, 2]


@each_lang
def test_worked_examples_are_read_as_what_they_say(lang: str) -> None:
    """Our own reader on our own examples: points that sum to 10, the steps and the JSON alike."""
    from eibench.plugins.seceu.answers import read_answer

    for example in WORDING[lang]["two-shot"].split("\n\n")[:2]:
        _, steps, answer = example.split("\n")
        emotions = json.loads(answer.partition(":" if lang == "en" else "：")[2])["Emotion"]
        names = [emotion["name"] for emotion in emotions]
        values = tuple(float(emotion["score"]) for emotion in emotions)
        assert sum(values) == 10
        assert read_answer(answer, names).values == values
        assert read_answer(steps.replace("{lead}", ""), names).values == values


def test_options_are_shuffled_per_story_and_always_alike() -> None:
    """Orders differ between stories; twice the same; all others as they stand."""
    shuffled, again = read(shuffle_options=True), read(shuffle_options=True)
    orders = [item.content.order for item in shuffled.items]
    assert orders == [item.content.order for item in again.items]
    assert len(set(orders)) > 5
    assert all(sorted(order) == [0, 1, 2, 3] for order in orders)
    assert {item.content.order for item in read().items} == {(0, 1, 2, 3)}


def test_each_order_comes_up() -> None:
    """Over many stories all 24 orders, none more than twice as often as it should."""
    from collections import Counter

    from eibench.plugins.seceu.reading import shuffled
    from eibench.plugins.seceu.stories import Story

    drawn = Counter(shuffled(Story(str(n), f"Story {n}.", NAMES, None)) for n in range(4800))
    assert len(drawn) == 24
    assert max(drawn.values()) < 400
    assert min(drawn.values()) > 100


def test_a_story_cannot_be_a_template(pack: Callable[..., Path]) -> None:
    """Marks within a story stay what they are."""
    path = pack({"story": "She wrote {options} on the wall, and {story}. She would feel:"})
    (item,) = read(str(path)).items
    assert "She wrote {options} on the wall, and {story}." in item.content.prompt


def test_a_pack_in_another_language_brings_its_prompts(pack: Callable[..., Path]) -> None:
    """They are used as they are; a prompting that is not there is an error that says so."""
    path = pack({}, lang="fr", prompts={"direct": "Histoire : {story}\nOptions : {options}"})
    found = read(str(path))
    (item,) = found.items
    assert item.content.prompt.startswith("Histoire : The bus is late.")
    assert found.warnings == ("the stories are in 'fr'; --lang en does not apply to them",)
    with pytest.raises(DataError, match="'fr', for which eibench has no prompts"):
        read(str(path), prompting="two-shot")


def test_a_pack_without_references_cannot_be_run(pack: Callable[..., Path]) -> None:
    """The message says what makes them."""
    with pytest.raises(DataError, match='item "2": has no "reference"; bench norm seceu'):
        read(str(pack({}, {"reference": None})))


def test_a_docx_alone_is_no_pack(docx: Callable[..., Path]) -> None:
    """Its standard scores are in another file."""
    with pytest.raises(DataError, match="give the folder that holds them all"):
        read(str(docx(["Item 1"])))


@each_lang
def test_what_is_not_official_stands_beside_no_published_score(lang: str) -> None:
    """The bundled pack has no human norm."""
    found = read(lang=lang)
    assert found.comparability.startswith("not comparable with published scores")
    assert found.norm is None


async def demo_run(ability: float, **changes: Any) -> list[SampleScore]:
    """A demo model of an ability on the bundled pack, five times."""
    pack = read(**changes)
    scores = []
    for item in pack.items:
        for n in range(1, 6):
            request = ChatRequest((Message("user", item.content.prompt),))
            words = SECEU.demo_reply(item, request, ability, Random(f"{item.id} {n}"))
            transcript = await SECEU.generate(item, ScriptedModel(words), OPTIONS)
            score = await SECEU.grade(item, transcript, None, OPTIONS)
            scores.append(SampleScore(item.id, item.cluster, n, score))
    return scores


async def test_demo_models_come_out_in_the_order_of_their_abilities() -> None:
    """The nearer the abler; strong and weak far apart; a perfect one has no distance."""
    pack = read()
    found = [
        SECEU.summarise(pack, await demo_run(ability), OPTIONS).metrics["seceu_score"]
        for ability in (1, 0.9, 0.6, 0.25)
    ]
    values = [metric.value for metric in found]
    assert values[0] == 0
    assert None not in values
    assert values == sorted(values, key=lambda v: v or 0)
    assert found[1].ci95 is not None
    assert found[3].ci95 is not None
    assert found[1].ci95[1] < found[3].ci95[0]


@each_lang
@each_prompting
@pytest.mark.parametrize("shuffle", [True, False], ids=["shuffled", "as is"])
async def test_the_medium_demo_model_can_always_be_read(
    lang: str, prompting: str, shuffle: bool
) -> None:
    """In every prompting and language: ten points, each on its own emotion."""
    scores = await demo_run(0.6, lang=lang, prompting=prompting, shuffle_options=shuffle)
    assert all(s.score.reason is None for s in scores)
    assert all("sum" not in s.score.flags for s in scores)
    assert max(s.score.values["distance"] or 0 for s in scores) < 6


async def test_weak_demo_models_stumble_now_and_then() -> None:
    """Prose and other sums, so that tables show what they look like."""
    scores = await demo_run(0.25)
    unread = [s for s in scores if s.score.reason]
    off = [s for s in scores if "sum" in s.score.flags]
    assert 0 < len(unread) < 20
    assert 0 < len(off) < 30


def test_chance_gives_ten_points_in_every_way_alike() -> None:
    """Of 28,600 draws each of the 286 ways comes about 100 times."""
    from collections import Counter

    from eibench.plugins.seceu.demo import _allocation

    rng = Random(0)
    drawn = Counter(tuple(_allocation(4, rng)) for _ in range(28_600))
    assert len(drawn) == 286
    assert all(sum(way) == 10 for way in drawn)
    # Poisson: standard deviation 10; five of them.
    assert min(drawn.values()) > 50
    assert max(drawn.values()) < 150
