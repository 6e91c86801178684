"""Scores by a panel without judges that are kin."""

from collections.abc import Mapping
from typing import Any

import pytest

from eibench import SampleScore, Score, UsageError
from eibench.core.parties.graders import Panel
from eibench.core.parties.party import Party
from eibench.core.parties.providers import ModelSpec
from eibench.core.reports.kin import WithoutKin, without_kin

GPT, CLAUDE, GEMINI = map(Party.of, ("openai/gpt-4o", "anthropic/claude-x", "google/gemini-y"))
STRICT = {GPT: 1.0, CLAUDE: -1.0, GEMINI: 0.0}
MODELS = {"g": "openai/gpt-5", "q": "qwen/qwen-3", "l": "meta/llama-4"}
QUALITY = {"g": 5.0, "q": 6.0, "l": 4.0, "m": 5.5}
PANEL = Panel((CLAUDE, GEMINI, GPT))


class Judged:
    """What is asked of a benchmark here."""

    not_judged = ("length",)
    values = ()


def verdict(name: str, judge: Party, n: int) -> SampleScore:
    """What a judge gives an item: the first likes its family by three points."""
    liking = 3.0 * (name == "g" and judge == GPT)
    values = {"v": QUALITY[name] + n + STRICT[judge] + liking, "length": 7.0}
    return SampleScore(str(n), str(n), 1, Score(values))


def made(models: Mapping[str, str], panel: Panel) -> WithoutKin:
    """The scores of models by a panel, on ten items."""
    benchmark: Any = Judged()
    given = {
        name: {judge: [verdict(name, judge, n) for n in range(10)] for judge in STRICT}
        for name in models
    }
    specs = {name: ModelSpec.parse(model) for name, model in models.items()}
    return without_kin(benchmark, panel, specs, given)


def means(found: WithoutKin) -> dict[str, float]:
    """The mean of each model."""
    return {
        name: sum(s.score.values["v"] or 0.0 for s in scores) / len(scores)
        for name, scores in found.scores.items()
    }


def test_judges_that_are_kin_of_no_model_count_alone() -> None:
    """Also for models that are no kin of those left out."""
    found = made(MODELS, PANEL)
    assert (found.rule.way, found.rule.left_out) == ("judges", [GPT.label])
    assert means(found) == pytest.approx({"g": 9.0, "q": 10.0, "l": 8.0})


def test_strictness_is_taken_out_where_every_judge_is_kin_of_a_model() -> None:
    """Each model has the judges that are no kin of it."""
    models = {**MODELS, "m": "anthropic/claude-5"}
    found = made(models, Panel((CLAUDE, GPT)))
    assert found.rule.way == "strictness"
    assert found.rule.strictness["v"] == pytest.approx({GPT.label: 1.0, CLAUDE.label: -1.0})
    assert {s.score.values["length"] for s in found.scores["g"]} == {7.0}
    assert means(found) == pytest.approx({"g": 9.5, "q": 10.5, "l": 8.5, "m": 10.0})


def test_a_model_whose_judges_are_all_kin_is_refused() -> None:
    """With its name."""
    with pytest.raises(UsageError, match="all judges are kin of g: add one of another family"):
        made({"g": MODELS["g"]}, Panel((GPT, Party.of("openai/o3"))))


def test_judges_that_share_no_transcript_cannot_be_compared() -> None:
    """Two models, each with one judge that is no kin."""
    models = {"g": "openai/gpt-5", "m": "anthropic/claude-5"}
    with pytest.raises(UsageError, match="no transcripts link the judges of v"):
        made(models, Panel((CLAUDE, GPT)))


def test_with_rotate_what_a_kin_judge_drew_is_unscored_for_all() -> None:
    """The judge is drawn by item, so all models lose the same items."""
    models = {"m": "anthropic/claude-5", "q": MODELS["q"], "l": MODELS["l"]}
    found = made(models, Panel((GPT, CLAUDE, GEMINI), "rotate", overlap=0.0))
    unscored = [{s.item_id for s in scores if s.score.reason} for scores in found.scores.values()]
    assert unscored[0]
    assert all(one == unscored[0] for one in unscored)
