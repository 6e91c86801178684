"""Making statements: the places, what is refused, and what the writer is told."""

import json
from collections import Counter
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eibench import ChatResponse, Item, Pack, SampleScore, Score, folder
from eibench.core.datasets import find_pack
from eibench.plugins.emotionqueen.making import StatementMaker
from eibench.plugins.emotionqueen.similarity import SimilarityIndex, words
from eibench.plugins.emotionqueen.slots import ROUND, Slot, slots
from eibench.plugins.emotionqueen.statements import LIFE_SCENARIOS, TASKS, read_statements
from eibench.plugins.emotionqueen.writing import Draft, check, read_draft
from eibench.testing import ScriptedModel

MAKER = StatementMaker()
BUNDLED = read_statements(folder("emotionqueen") / "bundled/statements.jsonl")
SOURCE = find_pack(MAKER, "bundled", {})
NOTE = "What matters is what happened there."
STOCK = ("anvil", "barn", "cello", "dune", "eel", "fjord", "gull", "hinge", "inlet", "jug", "kiln")


def text(seed: object, length: int = 20) -> str:
    """A statement of words drawn for it alone."""
    rng = Random(str(seed))
    return "I " + " ".join(f"{rng.choice(STOCK)}{rng.randrange(1000)}" for _ in range(length - 1))


def reply(statement: str, note: str = NOTE) -> str:
    """A writer's reply in the form that is asked for."""
    return json.dumps({"statement": statement, "look_for": note})


def bare(**changes: Any) -> Slot:
    """The first place, with other parts."""
    return next(slots(1))._replace(**changes)


async def made(
    *replies: str | ChatResponse, count: int, attempts: int = 5
) -> tuple[Score, ScriptedModel]:
    """The score of a run whose writer replies so, and the writer."""
    (item,) = MAKER.read_pack(SOURCE, {}).items
    writer = ScriptedModel(*replies)
    options = {"count": count, "attempts": attempts}
    collection = await MAKER.generate(item, writer, options)
    return await MAKER.grade(item, collection, None, options), writer


# Places


def test_places_are_dealt_like_the_bundled_set() -> None:
    """The same task, life scenario and polarity, line by line."""
    dealt = [(p.task, p.life_scenario, p.polarity) for p in slots(200)]
    assert dealt == [(s.task, s.life_scenario, s.polarity) for s in (i.content for i in BUNDLED)]


@pytest.mark.parametrize("start", [0, 200, 400])
def test_every_two_hundred_are_balanced(start: int) -> None:
    """Three positive and seven negative of each pair."""
    block = list(slots(start + 200))[start:]
    counts = Counter((p.task, p.life_scenario, p.polarity) for p in block)
    shares = (("positive", 3), ("negative", 7))
    pairs = product(TASKS, LIFE_SCENARIOS)
    assert counts == {(*pair, polarity): n for pair in pairs for polarity, n in shares}


def test_more_places_begin_with_the_same() -> None:
    """So that a larger set goes on from a smaller one."""
    assert list(slots(70))[:31] == list(slots(31))


def test_ids_are_unique_and_never_a_bundled_one() -> None:
    """Generated statements say so in their id."""
    ids = [p.id for p in slots(400)]
    assert len(set(ids)) == 400
    assert set(ids).isdisjoint(item.id for item in BUNDLED)
    assert all(name.startswith("generated-") for name in ids)


# What is refused


def test_every_bundled_statement_would_be_kept() -> None:
    """At its own place, beside all the others."""
    shelf = SimilarityIndex()
    for place, item in zip(slots(200), BUNDLED, strict=True):
        draft = Draft(item.content.text, item.content.look_for)
        assert check(draft, place, shelf) is None, item.id
        shelf.add(item.id, item.content.text)


@pytest.mark.parametrize(
    ("draft", "kind"),
    [
        (Draft("I fell off my bike.", NOTE), "length"),
        (Draft(text("long", 61), NOTE), "length"),
        (Draft(text("fine"), "The fall."), "length"),
        (Draft(text("fine"), "word " * 61), "length"),
        (Draft(text("fine").removeprefix("I "), NOTE), "not in the first person"),
    ],
)
def test_what_does_not_fit_is_refused(draft: Draft, kind: str) -> None:
    """Too short, too long, or told by nobody."""
    refusal = check(draft, bare(), SimilarityIndex())
    assert refusal is not None
    assert refusal.kind == kind


@pytest.mark.parametrize("feeling", ["sad", "Furious", "anxiety", "ashamed", "loved", "joyful"])
def test_an_implicit_emotion_must_not_be_named(feeling: str) -> None:
    """In that task; in the others it may be."""
    draft = Draft(f"{text('x')} {feeling}", NOTE)
    refusal = check(draft, bare(task="implicit-emotion"), SimilarityIndex())
    assert refusal is not None
    assert refusal.message == f"it names a feeling: {feeling.lower()}"
    assert check(draft, bare(task="intention"), SimilarityIndex()) is None


@pytest.mark.parametrize("word", ["saddle", "gladiolus", "fearn", "angle", "envelope", "lovage"])
def test_words_that_only_begin_like_a_feeling_are_fine(word: str) -> None:
    """A saddle is no sadness."""
    assert (
        check(Draft(f"{text('x')} {word}", NOTE), bare(task="implicit-emotion"), SimilarityIndex())
        is None
    )


@pytest.mark.parametrize(
    "change", [str.upper, lambda t: t.replace(" ", ",  "), lambda t: f"“{t}”!", lambda t: t]
)
def test_the_same_words_are_a_duplicate(change: Any) -> None:
    """Whatever the case, the punctuation and the spaces."""
    shelf = SimilarityIndex([("a", text("a"))])
    refusal = check(Draft(change(text("a")), NOTE), bare(), shelf)
    assert refusal is not None
    assert refusal.kind == "duplicate"


def test_a_template_with_swapped_things_is_too_close() -> None:
    """Its runs of three words are those of the other one."""
    one = "I sold my old red boat to a man from Hull on Monday, and then we both ate soup."
    two = "I sold my old red boat to a girl from York on Monday, and then we both ate pie."
    refusal = check(Draft(two, NOTE), bare(), SimilarityIndex([("one", one)]))
    assert refusal is not None
    assert refusal.kind == "too close"


def plain_overlap(a: str, b: str) -> float:
    """Share of the runs of three words of the shorter text that are in both."""
    one, two = ({tuple(words(t)[i : i + 3]) for i in range(len(words(t)) - 2)} for t in (a, b))
    return len(one & two) / min(len(one), len(two))


@pytest.mark.parametrize(("shared", "close"), [(4, False), (5, True)])
def test_a_fifth_of_the_runs_of_three_words_may_be_shared(shared: int, close: bool) -> None:
    """Of twelve words two of ten runs, which four words make; not three."""
    first = [f"a{n}" for n in range(12)]
    new = first[:shared] + [f"b{n}" for n in range(12 - shared)]
    shelf = SimilarityIndex([("one", " ".join(first))])
    assert (shelf.too_close_to(" ".join(new)) is not None) is close


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=3, max_size=9), min_size=2, max_size=6))
def test_the_index_finds_what_a_plain_comparison_finds(texts: list[list[str]]) -> None:
    """Of any texts: too close to another one if and only if one of them shares over a fifth."""
    *there, new = [" ".join(text) for text in texts]
    shelf = SimilarityIndex((str(n), text) for n, text in enumerate(there))
    assert (shelf.too_close_to(new) is not None) == any(plain_overlap(new, t) > 0.2 for t in there)


@pytest.mark.parametrize(
    "said", ["", "I'd rather not.", '{"statement": "I fell."}', '{"statement": 1, "look_for": "x"}']
)
def test_a_reply_that_is_no_draft_is_unreadable(said: str) -> None:
    """Prose, a missing part, a part that is no text."""
    draft = read_draft(ChatResponse(said))
    assert not isinstance(draft, Draft)
    assert draft.kind == "unreadable"


def test_line_breaks_in_a_draft_become_spaces() -> None:
    """A statement is one line."""
    draft = read_draft(ChatResponse(json.dumps({"statement": "I\n fell.", "look_for": " Pain. "})))
    assert draft == Draft("I fell.", "Pain.")


# A run


async def test_each_place_gets_a_statement() -> None:
    """In the order of the places, with what the pack needs."""
    score, _ = await made(*(reply(text(n)) for n in range(25)), count=25)
    lines = MAKER.generated(score, "openai/x").lines
    wanted = list(slots(25))
    assert [line["id"] for line in lines] == [place.id for place in wanted]
    assert [line["statement"] for line in lines] == [text(n) for n in range(25)]
    assert {line["made_by"] for line in lines} == {"openai/x"}
    assert set(lines[0]) == {
        "id", "task", "life_scenario", "polarity", "statement", "look_for", "made_by"
    }  # fmt: skip
    assert score.values == {"made": 25.0, "refused": 0.0}


async def test_a_refused_draft_is_asked_for_again_with_the_reason() -> None:
    """Only its place; the earlier prompt comes first."""
    score, writer = await made(reply(text(1)), reply("I fell."), reply(text(2)), count=2)
    first, second, again = (r.messages[-1].content for r in writer.requests)
    assert again.startswith(second)
    assert "the statement has 2 words, not 12 to 60" in again
    assert first != second
    assert MAKER.generated(score, "x").missing is None
    assert MAKER.generated(score, "x").details == {"refused": {"length": 1}}


async def test_a_copy_of_a_bundled_statement_is_refused() -> None:
    """Generated statements are kept apart from the bundled ones."""
    copied = BUNDLED[0].content.text
    score, _ = await made(reply(copied), reply(text(1)), count=1)
    assert score.detail["refused"] == {"duplicate": 1}
    assert copied not in json.dumps(score.detail["statements"])


async def test_of_two_equal_drafts_of_a_round_one_is_refused() -> None:
    """They were asked for at the same time; the earlier place keeps it."""
    score, writer = await made(reply(text(1)), reply(text(1)), reply(text(2)), count=2)
    assert [s["statement"] for s in score.detail["statements"]] == [text(1), text(2)]
    assert len(writer.requests) == 3


async def test_a_place_that_nothing_fits_stays_empty() -> None:
    """After the attempts; the run is no whole set, and says which place and why."""
    score, writer = await made(*["No."] * 3, count=1, attempts=3)
    assert len(writer.requests) == 3
    result = MAKER.generated(score, "x")
    assert result.missing is not None
    assert "generated-key-event-achievements-01 (neither" not in result.missing
    assert "generated-key-event-achievements-01 (no JSON in the reply)" in result.missing
    scores = [SampleScore("statements", "statements", 1, score)]
    summary = MAKER.summarise(Pack(SOURCE, [Item("statements")], ""), scores, {"count": 1})
    assert summary.invalid == "only 0 of 1 places could be filled"


async def test_the_writer_sees_what_is_there_for_the_same_pair() -> None:
    """From the second round on: its own pair's statements, no other's, and no bundled one."""
    _, writer = await made(*(reply(text(n)) for n in range(2 * ROUND)), count=2 * ROUND)
    prompts = [r.messages[-1].content for r in writer.requests]
    for n in range(ROUND):
        assert "These are there already" not in prompts[n]
        assert [m for m in range(ROUND) if text(m) in prompts[ROUND + n]] == [n]
    assert not any(item.content.text in prompt for item in BUNDLED for prompt in prompts)


async def test_the_writer_is_told_its_place() -> None:
    """What it must be, what it is about, its mood, who writes and how long."""
    _, writer = await made(*(reply(text(n)) for n in range(ROUND)), count=ROUND)
    for place, request in zip(slots(ROUND), writer.requests, strict=True):
        prompt = request.messages[-1].content
        assert place.writer in prompt
        assert f"about {place.length} words" in prompt
        assert f"Its mood: {place.polarity}" in prompt
        assert request.sampling.json_schema is not None
        assert "{" not in prompt[: prompt.index("Reply with this JSON")]
