"""What keys of a declaration do to requests and scores."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import Item, Score
from eibench.declared import Declared
from eibench.testing import ScriptedModel

Put = Callable[[str], Path]


def changed(path: Path, *pairs: tuple[str, str]) -> Declared:
    """A declaration with texts in place of others."""
    text = path.read_text("utf-8")
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new, 1)
    path.write_text(text, "utf-8")
    return Declared(path)


def defaults(benchmark: Declared) -> dict[str, Any]:
    """The options of a benchmark."""
    return {option.name: option.default for option in benchmark.options}


async def graded(benchmark: Declared, item: Item, reply: str, verdict: object) -> Score:
    """What a reply to an item comes to by a verdict."""
    options = defaults(benchmark)
    transcript = await benchmark.generate(item, ScriptedModel(reply), options)
    judge = ScriptedModel(json.dumps(verdict))
    return await benchmark.grade(item, transcript, judge, options)


async def test_steps_and_weights_of_a_rubric(declared: Put) -> None:
    """The score is on the scale of the steps; less is better where that was said."""
    steps = ("scale = 10", "steps = [-1, -0.5, 0.5, 1]\nweights = { ownership = 3 }")
    benchmark = changed(declared("apologies"), steps)
    item = Item("1", {"happened": "You were {late}."})
    score = await graded(benchmark, item, "Sorry.", {"ownership": 1, "excuses": 0.5})
    assert score.values["rubric_score"] == (3 * 1 + 1 * -0.5) / 4
    assert score.values["excuses"] == 0.5


@pytest.mark.parametrize(("value", "met"), [("share", 2 / 3), ("weighted", 3 / 4), ("all", 0.0)])
async def test_what_answers_to_an_items_own_questions_become(
    value: str, met: float, declared: Put
) -> None:
    """A share, weighted or not, or all; with a share for each group that the item has."""
    benchmark = changed(declared("requests"), ('value = "weighted"', f'value = "{value}"'))
    checks = [{"ask": "a?", "of": "tone", "weight": 2}, {"ask": "b?"}, {"ask": "c?", "of": "tone"}]
    item = Item("1", {"request": "Write.", "checks": checks})
    score = await graded(benchmark, item, "Dear you.", {"q1": 1, "q2": 1, "q3": 0})
    assert score.values == {"met": met, "tone": 0.5, "facts": None}


async def test_the_first_question_that_fits_is_asked(declared: Put) -> None:
    """By an option or a column; what a column holds is filled in once, as it is."""
    more = '[[ask]]\nwhen = { happened = ["x", "y"] }\nuser = "Short: {happened}, {iteration}."\n\n'
    benchmark = changed(declared("apologies"), ("[ask]", f"{more}[[ask]]"))
    for happened, asked in (("y", "Short: y, 1."), ("{happened}", "{happened}\n\nApologise")):
        model = ScriptedModel("Sorry.")
        await benchmark.generate(Item("1", {"happened": happened}), model, defaults(benchmark))
        assert model.requests[0].messages[-1].content.startswith(asked)


def test_weights_and_means_of_means(declared: Put, bench: Callable[..., Any]) -> None:
    """Of each tag alike, however many rows it has; and by what a row counts."""
    path = declared("feelings")
    extra = 'tags = { topic = "topic", feels = "feels" }\nweight = "weight"\nlimit_over = "feels"'
    by = ('by = ["topic"]', 'by = ["feels"]\nmacro = "feels"')
    changed(path, ('tags = { topic = "topic" }', extra), by)
    rows = path.with_name("scenes.jsonl")
    lines = [json.loads(line) for line in rows.read_text().splitlines()]
    weighed = [json.dumps({**line, "weight": 1 + (n == 0)}) for n, line in enumerate(lines)]
    rows.write_text("\n".join(weighed))
    metrics = bench("run", path.name, "--json").json["metrics"]
    parts = [metrics[f"right_{one}"]["value"] for one in ("pride", "dread", "envy", "calm")]
    assert metrics["right"]["value"] == pytest.approx(sum(parts) / 4)
    limited = bench("run", path.name, "--limit", "4", "--json").json["metrics"]
    assert [limited[f"right_{one}"]["n"] for one in ("pride", "calm")] == [1, 1]
    rows.write_text("\n".join(weighed[:3]) + "\n" + json.dumps({**lines[3], "weight": 0}))
    done = bench("run", path.name, "--dry-run")
    assert "scenes.jsonl, line 4: 'weight' must be a number above 0, not 0" in done.err


def turn(trust: float, *, leaves: bool = False) -> str:
    """What who is played says."""
    return json.dumps({"says": f"I am at {trust}.", "trust": trust, "leaves": leaves})


async def test_a_talk_ends_when_the_other_leaves_and_keeps_its_state(declared: Put) -> None:
    """A turn whose state is out of range is drawn again; nobody but the role is shown the state."""
    benchmark = Declared(declared("visits"))
    item = Item("1", {"who": "Ann", "opening": "Hi.", "hidden": "a lost job"})
    played = ScriptedModel(turn(3), turn(11), "Well.", turn(8, leaves=True))
    model = ScriptedModel("Hello.", "Tell me more.", roles={"user": played})
    options = defaults(benchmark)
    talked = await benchmark.generate(item, model, options)
    assert [text for _, text in talked.turns] == [
        "Hi.", "Hello.", "I am at 3.", "Tell me more.", "I am at 8.",
    ]  # fmt: skip
    shown = " ".join(m.content for request in model.requests for m in request.messages)
    assert "trust" not in shown
    assert "lost job" not in shown
    judge = ScriptedModel(json.dumps({"attunement": 8, "pressing": 2}))
    score = await benchmark.grade(item, talked, judge, options)
    assert score.values == {"rubric_score": 80, "attunement": 8, "pressing": 2, "opened": 1}
    assert [state["trust"] for state in score.detail["states"]] == [3, 8]


async def test_a_role_that_cannot_be_read_leaves_the_talk_unscored(declared: Put) -> None:
    """After three tries; the judge is not asked."""
    benchmark = Declared(declared("visits"))
    item = Item("1", {"who": "Ann", "opening": "Hi.", "hidden": "a lost job"})
    played = ScriptedModel("Well.", turn(-1), json.dumps({"says": "Hm.", "trust": 1}))
    model = ScriptedModel("Hello.", roles={"user": played})
    talked = await benchmark.generate(item, model, defaults(benchmark))
    score = await benchmark.grade(item, talked, ScriptedModel(), defaults(benchmark))
    assert score.reason == "the user could not be read in turn 1: leaves is not true or false"
