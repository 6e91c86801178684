"""The benchmark class: what it asks, which answer it keeps, and what its demo models can do."""

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

import eibench
from eibench import (
    ChatRequest,
    ChatResponse,
    DataError,
    Item,
    Message,
    Pack,
    SampleScore,
    Score,
)
from eibench.core.datasets import find_pack
from eibench.emotion_ratings import ENGLISH, GERMAN, Form, Question
from eibench.plugins.eqbench_v2.benchmark import EQBenchV2
from eibench.testing import LoopbackServer, ScriptedModel, uniform_ratings

V2 = EQBenchV2()
OPTIONS: dict[str, Any] = {"lang": "en", "parser": "strict", "revise": False}
EMOTIONS = ("Angry", "Relieved", "Hopeful", "Ashamed")
ITEM = Item("1", Question("How?", EMOTIONS, (1.0, 2.0, 3.0, 4.0)))
UNREADABLE = "I cannot say."


def ratings(numbers: str) -> str:
    """A readable section."""
    return "\n".join(f"{e}: {r}" for e, r in zip(EMOTIONS, numbers.split(), strict=True))


def revised(first: str, second: str) -> str:
    """An answer with a revision."""
    return (
        f"First pass scores:\n{ratings(first)}\n\nCritique: none.\n\n"
        f"Revised scores:\n{ratings(second)}\n\n[End of answer]"
    )


async def graded(*replies: str, **changes: Any) -> tuple[Score, list[float | None]]:
    """The score of a script of replies, and the temperatures that were asked for."""
    model = ScriptedModel(*replies, sampling=V2.sampling)
    transcript = await V2.generate(ITEM, model, OPTIONS | changes)
    score = await V2.grade(ITEM, transcript, None, OPTIONS | changes)
    return score, [request.sampling.temperature for request in model.requests]


def pack(name: str = "bundled", **changes: Any) -> Pack:
    """A pack as it is read with some options."""
    options = OPTIONS | changes
    return V2.read_pack(find_pack(V2, name, options), options)


# Asking and reading.


async def test_one_pass_is_the_whole_answer() -> None:
    """By default no revision is asked for: four ratings are read, once, at 0.01."""
    score, temperatures = await graded(ratings("1 2 3 4"))
    assert temperatures == [0.01]
    assert score.values == {"first_pass": 10.0, "revised": None}
    assert (score.reason, score.flags) == (None, ())


async def test_an_unreadable_answer_is_asked_for_three_times_hotter_each_time() -> None:
    """+0.15 each, at most three attempts; then unscored with why."""
    score, temperatures = await graded(*[UNREADABLE] * 9, parser="reference")
    assert temperatures == [0.01, 0.16, 0.31]
    assert score.detail["attempts"] == 3


async def test_the_same_fault_twice_is_enough() -> None:
    """A third reply would have it too."""
    score, temperatures = await graded(*[UNREADABLE] * 9)
    assert temperatures == [0.01, 0.16]
    assert score.reason == "first pass: no number for Angry, Relieved, Hopeful, Ashamed"


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (UNREADABLE, "no number for any of the emotions"),
        ("Angry: 3", "no number for some of the emotions"),
        (ratings("1 2 3 40"), "an emotion without exactly one number from 0 to 10"),
    ],
)
async def test_problems_are_told_alike_for_all_questions(reply: str, problem: str) -> None:
    """So that what most replies lack can be counted: no names, no numbers."""
    model = ScriptedModel(reply, reply, sampling=V2.sampling)
    await V2.generate(ITEM, model, OPTIONS)
    assert model.problems == [problem] * 2


async def test_four_zeros_are_read_at_once() -> None:
    """The published code asks again and then drops them; here they are an answer."""
    score, temperatures = await graded(ratings("0 0 0 0"))
    # Distances 1, 2, 3 and 4: 10 - 0.7477 x (0.17288 + 0.54062 + 1.50459 + 3.25) = 5.91151
    assert temperatures == [0.01]
    assert score.values["first_pass"] == pytest.approx(5.91151, abs=5e-5)


async def test_both_passes_are_scored_with_a_revision() -> None:
    """And a reply with one of them is kept if no better comes."""
    score, temperatures = await graded(revised("1 2 3 4", "1 2 3 5"), revise=True)
    assert temperatures == [0.01]
    assert score.values["first_pass"] == 10
    assert score.values["revised"] == pytest.approx(10 - 0.7477 * 0.17288, abs=5e-5)
    half = f"First pass scores:\n{ratings('1 2 3 4')}"
    score, temperatures = await graded(UNREADABLE, half, UNREADABLE, revise=True)
    assert temperatures == [0.01, 0.16]
    assert score.values == {"first_pass": 10.0, "revised": None}
    assert "one_section" in score.flags


async def test_parser_reference_takes_numbers_over_ten() -> None:
    """As the published code does: 700 for 1 is 699 off."""
    text = ratings("700 2 3 4")
    assert (await graded(*[text] * 3))[0].values["first_pass"] is None
    score, _ = await graded(text, parser="reference")
    assert score.values["first_pass"] == pytest.approx(10 - 0.7477 * 699)


async def test_a_thinking_model_has_room() -> None:
    """16,384 tokens are asked for; one that thinks through them all has given no answer."""
    model = ScriptedModel(
        *[ChatResponse("", reasoning="Hm.", finish=eibench.Finish.LENGTH)] * 3, sampling=V2.sampling
    )
    transcript = await V2.generate(ITEM, model, OPTIONS)
    score = await V2.grade(ITEM, transcript, None, OPTIONS)
    assert {request.sampling.max_tokens for request in model.requests} == {16_384}
    assert score.reason == "first pass: cut off before the answer began"


@pytest.mark.parametrize(("read", "status"), [(143, "complete"), (142, "fail")])
def test_fewer_than_five_sixths_readable_fail(read: int, status: str) -> None:
    """143 of 171 are enough; the value stays, and is also told with the others as 0."""
    values = [9.0] * read + [None] * (171 - read)
    scores = [
        SampleScore(str(n), str(n), 1, Score({"first_pass": v, "revised": None}))
        for n, v in enumerate(values)
    ]
    summary = V2.summarise(pack(), scores, OPTIONS)
    assert summary.metrics["score"].value == pytest.approx(90)
    assert summary.metrics["score_unparsable_zero"].value == pytest.approx(90 * read / 171)
    assert (summary.invalid is None) == (status == "complete")


# Packs.


@pytest.mark.parametrize(
    ("lang", "form", "n"), [("en", ENGLISH, 26), ("de", GERMAN, 10)], ids=["en", "de"]
)
def test_each_language_has_its_bundled_pack(lang: str, form: Form, n: int) -> None:
    """`--lang` chooses the file; nothing about it is odd."""
    found = pack(lang=lang)
    assert (len(found.items), found.warnings) == (n, ())
    assert all(item.content.form == form for item in found.items)
    assert found.comparability.startswith("not comparable with published scores")


@pytest.mark.parametrize("lang", ["en", "de"])
def test_the_prompt_is_cut_unless_a_revision_is_wanted(lang: str) -> None:
    """Without one, headings, critique and second form are gone, and the answer is called for."""
    for full, cut in zip(pack(lang=lang, revise=True).items, pack(lang=lang).items, strict=True):
        form = full.content.form
        for heading in (form.first, form.critique, form.revised):
            assert heading in full.content.prompt
            assert heading not in cut.content.prompt
        assert cut.content.prompt.endswith(f"\n{form.call}\n")
        assert full.content[1:] == cut.content[1:]


def written(folder: Path, changes: Mapping[str, str] | None = None) -> Path:
    """A pack of the first bundled German question, with texts in its prompt replaced."""
    bundled = find_pack(V2, "bundled", {"lang": "de"}).files["questions.json"]
    question = json.loads(bundled.read_text(encoding="utf-8"))["1"]
    for old, new in (changes or {}).items():
        assert old in question["prompt"]
        question["prompt"] = question["prompt"].replace(old, new)
    path = folder / "pack.json"
    path.write_text(json.dumps({"1": question}), encoding="utf-8")
    return path


@pytest.mark.parametrize("revise", [False, True])
def test_questions_in_another_language_are_told(tmp_path: Path, revise: bool) -> None:
    """Instead of a run in which nothing can be read."""
    path = written(tmp_path)
    with pytest.raises(DataError) as caught:
        pack(str(path), revise=revise)
    assert "not in the language asked for; use --lang de" in str(caught.value)
    assert len(pack(str(path), lang="de", revise=revise).items) == 1


def test_a_prompt_without_a_heading_is_told(tmp_path: Path) -> None:
    """With the heading that it lacks, also when it would not have to be cut."""
    path = written(tmp_path, {"Erste Bewertung:": "Erste Bewertung"})
    with pytest.raises(DataError, match='its prompt lacks the heading "Erste Bewertung:"'):
        pack(str(path), lang="de", revise=True)


def test_a_name_that_only_the_list_has_is_known_and_told(tmp_path: Path) -> None:
    """As in question 26 of the official German pack."""
    path = written(tmp_path, {"\nBelustigt\n\n": "\nHeiter\n\n"})
    found = pack(str(path), lang="de")
    content = found.items[0].content
    assert content.emotions == ("Dankbar", "Erleichtert", "Gerührt", "Belustigt")
    assert content.others == ("Dankbar", "Erleichtert", "Gerührt", "Heiter")
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith('question 1 lists "Heiter", but')


def test_a_list_in_another_order_has_no_other_names(tmp_path: Path) -> None:
    """Nor has one that is shorter: only a name for a name can be told."""
    swapped = {"\nErleichtert\nGerührt\n": "\nGerührt\nErleichtert\n"}
    for changes in (swapped, {"\nErleichtert\nGerührt\n": "\nGerührt\n"}):
        found = pack(str(written(tmp_path, changes)), lang="de")
        assert (found.items[0].content.others, found.warnings) == ((), ())


# Demo models and whole runs.


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("revise", [False, True])
async def test_the_medium_demo_model_can_always_be_read(lang: str, revise: bool) -> None:
    """Whatever the draw: the first run on a fresh machine is complete."""
    options = OPTIONS | {"lang": lang, "revise": revise}
    for item in pack(lang=lang, revise=revise).items:
        request = ChatRequest((Message("user", item.content.prompt),))
        for seed in range(20):
            words = V2.demo_reply(item, request, 0.6, Random(f"{seed}{item.id}"))
            model = ScriptedModel(words, sampling=V2.sampling)
            transcript = await V2.generate(item, model, options)
            assert transcript.n_scored == 1 + revise
            assert transcript.flags == ()


@pytest.mark.parametrize("lang", ["en", "de"])
def test_demo_models_come_out_in_the_order_of_their_abilities(lang: str) -> None:
    """As declared: strong, medium, weak; far above what a constant answer gets."""
    runs = [
        eibench.run("eqbench-v2", model=f"demo/{name}", options={"lang": lang}, iterations=3)
        for name in ("strong", "medium", "weak")
    ]
    strong, medium, weak = (result.metrics["score"].value or 0 for result in runs)
    assert strong > medium > weak > runs[0].document["baselines"]["best_constant"]["value"]


def test_each_language_is_a_run_of_its_own() -> None:
    """And so is each way to ask; the parser is none."""
    changes: list[dict[str, Any]] = [{}, {"lang": "de"}, {"revise": True}]
    ids = {eibench.run("eqbench-v2", options=change).run_id for change in changes}
    assert len(ids) == 3
    again = eibench.run("eqbench-v2", options={"parser": "reference"})
    assert again.run_id in ids
    assert again.document["calls"]["replayed"] == again.items.total


@pytest.mark.parametrize("options", [{}, {"lang": "de"}, {"lang": "de", "revise": True}], ids=str)
def test_a_model_behind_a_server_is_asked_and_read(options: dict[str, Any]) -> None:
    """Uniform ratings over real HTTP: all read, scored far below a demo model's, one call each."""
    with LoopbackServer(uniform_ratings()) as server:
        result = eibench.run(
            "eqbench-v2", model="openai/x", base_url=server.base_url, options=options
        )
    assert (result.status, result.items.scored) == ("complete", result.items.total)
    assert len(server.answered) == result.items.total
    assert result.value is not None
    assert result.value < 45
    bodies = [request.body for request in server.answered]
    assert all(b["temperature"] == 0.01 and b["max_tokens"] == 1024 for b in bodies)
