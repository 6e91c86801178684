"""From verdicts to metrics, against a calculation written out here."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench import Item, Pack, PackSource, SampleScore, Score, Summary
from eibench.core.datasets import find_pack
from eibench.core.statistics.bootstrap import tail
from eibench.judges import rubric_score
from eibench.plugins.eqbench3.benchmark import EQBench3
from eibench.plugins.eqbench3.protocol import RUBRIC
from eibench.plugins.eqbench3.scenarios import Scenarios, read_scenarios
from eibench.plugins.eqbench3.scoring import kinds_table, summarise

Write = Callable[..., Path]
Source = Callable[[Path], PackSource]

QUALITY = (
    "demonstrated_empathy", "pragmatic_ei", "depth_of_insight", "social_dexterity",
    "emotional_reasoning", "message_tailoring",
)  # fmt: skip
STYLE = (
    "boundary_setting", "safety_conscious", "moralising", "sycophantic", "compliant", "challenging",
    "warmth", "validating", "analytical", "reactive", "conversational", "humanlike",
)  # fmt: skip
ANALYSIS = (
    "depth_of_insight", "emotional_reasoning", "theory_of_mind", "subtext_identification",
    "intellectual_grounding", "correctness",
)  # fmt: skip
#: Design 7.
PROFILE = {
    "humanlike": ("conversational", "humanlike"), "safe": ("safety_conscious",),
    "assertive": ("boundary_setting", "challenging"), "warm": ("warmth", "validating"),
    "social_iq": ("social_dexterity", "message_tailoring"), "insightful": ("depth_of_insight",),
    "empathy": ("demonstrated_empathy",), "moral": ("moralising",), "pragmatic": ("pragmatic_ei",),
    "analytical": ("analytical",), "compliant": ("compliant",),
}  # fmt: skip


def scenario(id: str, kind: str, family: str = "") -> dict[str, Any]:
    """A scenario of our own form."""
    row = {"id": id, "title": f"Title {id}", "kind": kind, "turns": ["x"]}
    return {**row, "family": family} if family else row


@pytest.fixture
def scenarios(own_pack: Write, source: Source) -> Scenarios:
    """Four role-plays, a draft and three analyses; three families hold two or three of them."""
    rows = [
        scenario("r1", "role-play", "one"), scenario("r2", "role-play", "two"),
        scenario("r3", "role-play"), scenario("r4", "role-play"), scenario("d1", "drafting"),
        scenario("a1", "analysis", "one"), scenario("a2", "analysis", "one"),
        scenario("a3", "analysis", "two"),
    ]  # fmt: skip
    return read_scenarios(source(own_pack(*rows)))


@pytest.fixture
def many(own_pack: Write, source: Source) -> Scenarios:
    """Fourteen role-plays and as many analyses in ten families; analyses are in eight of them."""
    rows = [scenario(f"r{n}", "role-play", f"f{n % 10}") for n in range(14)]
    rows += [scenario(f"a{n}", "analysis", f"f{n % 8}") for n in range(14)]
    return read_scenarios(source(own_pack(*rows)))


def criteria(item: Item) -> tuple[str, ...]:
    """What its judge is asked for."""
    return ANALYSIS if item.content.kind.name == "analysis" else QUALITY + STYLE


def verdict(item: Item, iteration: int, grades: dict[str, float], scale: int = 10) -> SampleScore:
    """A scored sample."""
    scored = ANALYSIS if item.content.kind.name == "analysis" else QUALITY
    mean = sum(grades[name] for name in scored) / len(scored)
    return SampleScore(
        item.id, item.cluster, iteration, Score({RUBRIC: mean * 100 / scale, **grades})
    )


def verdicts(scenarios: Scenarios, iterations: int = 2, seed: int = 1) -> list[SampleScore]:
    """A verdict on each sample, all grades drawn."""
    rng = Random(seed)
    return [
        verdict(item, n, {name: round(rng.uniform(0, 10), 1) for name in criteria(item)})
        for n in range(1, iterations + 1)
        for item in scenarios.items
    ]


def summed(scenarios: Scenarios, scores: list[SampleScore]) -> Summary:
    """Their summary."""
    return summarise(scenarios.protocol, scenarios.items, scores)


def test_the_rubric_score_of_a_verdict_is_the_mean_of_its_scored_criteria() -> None:
    """(12 + 18 + 6 + 20 + 0 + 16) / 6 = 12 of 20: 60 of 100. Others do not count."""
    grades = dict(zip(QUALITY, (12, 18, 6, 20, 0, 16), strict=True)) | {"sycophantic": 20.0}
    assert rubric_score(grades, QUALITY, 20) == pytest.approx(60)
    assert rubric_score(grades, QUALITY, 40) == pytest.approx(30)
    assert rubric_score(dict.fromkeys(QUALITY, 20.0), QUALITY, 20) == 100
    assert rubric_score(dict.fromkeys(QUALITY, 0.0), QUALITY, 20) == 0


def test_the_rubric_score_of_a_run_is_the_mean_over_transcripts(scenarios: Scenarios) -> None:
    """Each transcript counts once, whatever its kind and its number of criteria."""
    grades = {"r1": 4.0, "r2": 8.0, "a1": 3.0}
    scores = [
        verdict(item, 1, dict.fromkeys(criteria(item), grades[item.id]))
        for item in scenarios.items
        if item.id in grades
    ]
    metric = summed(scenarios, scores).metrics["rubric_score"]
    assert metric.value == pytest.approx((40 + 80 + 30) / 3)
    assert (metric.n, metric.higher_is_better, metric.over) == (3, True, "families of scenarios")


def test_criteria_and_profile_are_plain_means(scenarios: Scenarios) -> None:
    """A criterion over the transcripts that have it; a trait over all values of its criteria."""
    scores = verdicts(scenarios)
    metrics = summed(scenarios, scores).metrics

    def values(*names: str) -> list[float]:
        return [v for s in scores for n in names if (v := s.score.values.get(n)) is not None]

    for name in {*QUALITY, *STYLE, *ANALYSIS}:
        assert metrics[name].value == pytest.approx(np.mean(values(name))), name
    for trait, names in PROFILE.items():
        assert metrics[f"profile_{trait}"].value == pytest.approx(np.mean(values(*names))), trait
    assert len([name for name in metrics if name.startswith("profile_")]) == len(PROFILE)
    assert metrics["depth_of_insight"].n == len(scores)
    assert metrics["warmth"].n == metrics["profile_warm"].n == 10
    assert metrics["correctness"].n == 6


def test_metrics_are_in_groups_and_say_which_end_is_better(scenarios: Scenarios) -> None:
    """The score first; quality: more is better; style and profile: neither end."""
    metrics = summed(scenarios, verdicts(scenarios)).metrics
    assert next(iter(metrics)) == "rubric_score"
    assert metrics["rubric_score"].group == ""
    for name in {*QUALITY, *ANALYSIS}:
        assert metrics[name].higher_is_better is True
        assert metrics[name].group == "quality criteria (0-10)"
    for name in STYLE:
        assert metrics[name].higher_is_better is None
        assert metrics[name].group.startswith("style criteria")
    for trait in PROFILE:
        assert metrics[f"profile_{trait}"].higher_is_better is None
        assert metrics[f"profile_{trait}"].group == "ability profile (0-10)"
    groups = [metric.group for metric in metrics.values()]
    assert [g for g, before in zip(groups, ["-", *groups], strict=False) if g != before] == [
        "", "quality criteria (0-10)", "style criteria, neither end better (0-10)",
        "ability profile (0-10)",
    ]  # fmt: skip


def plain_bootstrap(scores: list[SampleScore], names: tuple[str, ...]) -> tuple[float, float]:
    """Families drawn with replacement, all their values pooled: percentiles of the mean."""
    families: dict[str, list[float]] = {}
    for s in scores:
        there = [v for n in names if (v := s.score.values.get(n)) is not None]
        families.setdefault(s.cluster, []).extend(there)
    below = tail(sum(map(bool, families.values())))
    rng, means = Random(7), []
    for _ in range(6000):
        drawn = [v for f in rng.choices(list(families.values()), k=len(families)) for v in f]
        means += [sum(drawn) / len(drawn)] if drawn else []
    low, high = np.quantile(means, [below, 1 - below])
    return float(low), float(high)


@pytest.mark.parametrize(
    ("metric", "names"),
    [
        ("rubric_score", (RUBRIC,)),
        ("depth_of_insight", ("depth_of_insight",)),
        ("warmth", ("warmth",)),
        ("correctness", ("correctness",)),
        ("profile_warm", ("warmth", "validating")),
    ],
)
def test_intervals_are_those_of_a_plain_bootstrap_over_families(
    many: Scenarios, metric: str, names: tuple[str, ...]
) -> None:
    """Within the noise of 6,000 draws; also where a family has no value of a criterion."""
    scores = verdicts(many)
    found = summed(many, scores).metrics[metric]
    assert found.ci95 is not None
    low, high = plain_bootstrap(scores, names)
    tolerance = 0.08 * (high - low)
    assert found.ci95[0] == pytest.approx(low, abs=tolerance)
    assert found.ci95[1] == pytest.approx(high, abs=tolerance)


def test_scenarios_of_a_family_are_drawn_together(many: Scenarios) -> None:
    """The one family of other grades is at most half of a draw or so: the interval has its steps.

    Six of the ten families have two or three more scenarios; had each scenario been drawn by
    itself, hardly any draw would be without all of the four of one family.
    """
    scores = [
        verdict(i, 1, dict.fromkeys(criteria(i), 0.0 if i.cluster == "f0" else 10.0))
        for i in many.items
    ]
    metric = summed(many, scores).metrics["rubric_score"]
    assert metric.ci95 is not None
    # A family is missing from a draw of ten with probability 0.9^10 = 0.35.
    assert metric.ci95[1] == 100.0


def test_a_criterion_of_few_families_has_no_interval_and_says_how_many(
    scenarios: Scenarios,
) -> None:
    """Correctness is of analyses alone, which are of two families here."""
    metrics = summed(scenarios, verdicts(scenarios)).metrics
    assert (metrics["correctness"].ci95, metrics["correctness"].families) == (None, 2)
    assert metrics["rubric_score"].families == 5


def test_iterations_of_a_scenario_are_no_new_families(many: Scenarios) -> None:
    """The same verdicts five times over: the same value and the same interval."""
    once = summed(many, verdicts(many, 1)).metrics["rubric_score"]
    again = [s._replace(iteration=n) for n in range(1, 6) for s in verdicts(many, 1)]
    often = summed(many, again).metrics["rubric_score"]
    assert often.value == pytest.approx(once.value)
    assert once.ci95 is not None
    assert often.ci95 == pytest.approx(once.ci95)
    assert often.n == 5 * once.n


def test_one_family_alone_has_no_interval(scenarios: Scenarios) -> None:
    """It says nothing about others."""
    scores = [s for s in verdicts(scenarios) if s.cluster == "one"]
    assert summed(scenarios, scores).metrics["rubric_score"].ci95 is None


def test_the_order_of_verdicts_changes_nothing(scenarios: Scenarios) -> None:
    """Intervals too."""
    scores = verdicts(scenarios)
    assert summed(scenarios, scores) == summed(scenarios, Random(3).sample(scores, len(scores)))


def unread(item: Item, iteration: int = 1, *flags: str) -> SampleScore:
    """A sample whose judge could not be read, unless the flags say otherwise."""
    score = Score(reason="why", flags=flags or ("re-asked twice", "unread"))
    return SampleScore(item.id, item.cluster, iteration, score)


def test_unscored_samples_are_left_out_and_counted(scenarios: Scenarios) -> None:
    """Not a zero: the score is that of the others; each kind says how many it has."""
    scores = verdicts(scenarios, 1)
    lost = [unread(scenarios.items[0]), unread(scenarios.items[5])]
    rest = [s for s in scores if s.item_id not in ("r1", "a1")]
    summary = summed(scenarios, lost + rest)
    assert summary.metrics == summed(scenarios, rest).metrics
    kinds = summary.notes["kinds"]
    assert {name: (k["items"], k["scored"], k["unscored"]) for name, k in kinds.items()} == {
        "role-play": (4, 3, 1), "drafting": (1, 1, 0), "analysis": (3, 2, 1),
    }  # fmt: skip
    assert summary.notes["judge"] == {"re_asked": 2, "repaired": 0, "unread": 2}
    assert summary.notes["families"] == len({s.cluster for s in rest})


def test_a_silent_model_is_not_the_judge_s_fault(scenarios: Scenarios) -> None:
    """It is unscored, and no verdict was unread."""
    summary = summed(scenarios, [unread(scenarios.items[0], 1, "silent")])
    assert summary.notes["judge"]["unread"] == 0
    assert summary.notes["kinds"]["role-play"]["unscored"] == 1


def test_the_score_of_a_kind_is_the_mean_of_its_verdicts(scenarios: Scenarios) -> None:
    """And none where there is none."""
    scores = [s for s in verdicts(scenarios) if s.item_id != "d1"]
    kinds = summed(scenarios, scores).notes["kinds"]
    of_analyses = [s.score.values[RUBRIC] for s in scores if s.item_id.startswith("a")]
    assert kinds["analysis"]["rubric_score"] == pytest.approx(np.mean(of_analyses))  # type: ignore[arg-type]
    assert kinds["drafting"]["rubric_score"] is None


def test_without_a_verdict_every_value_is_none(scenarios: Scenarios) -> None:
    """No NaN, no zero; the metrics are all there."""
    full, empty = summed(scenarios, verdicts(scenarios)), summed(scenarios, [])
    assert empty.metrics.keys() == full.metrics.keys()
    for metric in empty.metrics.values():
        assert (metric.value, metric.ci95, metric.n) == (None, None, 0)


@given(data=st.data())
def test_a_better_grade_never_lowers_the_score(data: st.DataObject) -> None:
    """Of a scored criterion; a style criterion moves it not at all."""
    grades = {name: data.draw(st.integers(0, 19)) for name in QUALITY + STYLE}
    name = data.draw(st.sampled_from(QUALITY + STYLE))
    better = grades | {name: grades[name] + 1}
    gain = rubric_score(better, QUALITY, 20) - rubric_score(grades, QUALITY, 20)
    assert gain == pytest.approx(100 / 20 / 6 if name in QUALITY else 0)


# The table of the kinds


def document(
    scenarios: Scenarios, scores: list[SampleScore], judge: str | None, iterations: int = 1
) -> Any:
    """What the table is made from."""
    notes, total = summed(scenarios, scores).notes, len(scenarios.items) * iterations
    return {"judge": judge, "notes": notes, "iterations": iterations, "items": {"total": total}}


def test_the_table_has_a_row_per_kind(scenarios: Scenarios) -> None:
    """With what had to be done to read the judge below it."""
    scores = [*verdicts(scenarios, 1)[1:], unread(scenarios.items[0])]
    table = kinds_table(document(scenarios, scores, "openai/judge"))
    assert table is not None
    assert [row[:6] for row in table.rows] == [
        ("role-play", 4, 4, 3, 1, 0), ("drafting", 1, 1, 1, 0, 0), ("analysis", 3, 3, 3, 0, 0),
    ]  # fmt: skip
    assert table.note == "judge: 1 asked again, 0 repaired, 1 unread"


def test_a_row_adds_up_with_failed_samples_and_several_iterations(scenarios: Scenarios) -> None:
    """Of two iterations one role-play failed once and the draft twice: they are the rest."""
    kept = [v for v in verdicts(scenarios, 2) if v.item_id not in {"r1", "d1"}]
    again = next(v for v in verdicts(scenarios, 2) if v.item_id == "r1")
    table = kinds_table(document(scenarios, [*kept, again], "openai/judge", iterations=2))
    assert table is not None
    assert [row[:6] for row in table.rows] == [
        ("role-play", 4, 8, 7, 0, 1), ("drafting", 1, 2, 0, 0, 2), ("analysis", 3, 6, 6, 0, 0),
    ]  # fmt: skip


def test_samples_that_were_not_asked_for_are_told(scenarios: Scenarios) -> None:
    """With --limit 3 of eight scenarios the rest did not fail."""
    scores = [v for v in verdicts(scenarios, 1) if v.item_id in {"r1", "r2", "r3"}]
    made = document(scenarios, scores, "openai/judge") | {"items": {"total": 3}}
    table = kinds_table(made)
    assert table is not None
    assert [row[5] for row in table.rows] == [1, 1, 3]
    assert table.columns[5] == "not asked for"
    made["items"]["total"] = 4  # of which one failed
    table = kinds_table(made)
    assert table is not None and table.columns[5] == "failed, not done yet or not asked for"


def test_the_table_is_there_when_no_verdict_could_be_read(scenarios: Scenarios) -> None:
    """That is when it is needed; a run that asks no judge has none."""
    lost = [unread(item) for item in scenarios.items]
    table = kinds_table(document(scenarios, lost, "openai/judge"))
    assert table is not None
    assert table.note == "judge: 8 asked again, 0 repaired, 8 unread"
    assert kinds_table(document(scenarios, lost, None)) is None


# The official pack


def test_the_official_scale_and_families(official: Path) -> None:
    """0-20, and 26 families; the same grade everywhere is its share of 100."""
    benchmark, options = EQBench3(), {"rubric": True, "elo": True}
    found = find_pack(benchmark, str(official), options)
    pack: Pack = benchmark.read_pack(found, options)

    def scores() -> Iterator[SampleScore]:
        for item in pack.items:
            yield verdict(item, 1, dict.fromkeys(item.content.kind.rubric.criteria, 15.0), 20)

    summary = benchmark.summarise(pack, list(scores()), options)
    assert summary.notes["families"] == 26
    assert summary.metrics["rubric_score"].value == pytest.approx(75)
    unlike = 1 - 0.05 ** (1 / 26)  # so many more may be, at either end
    ends = 75 * (1 - unlike), 75 + 25 * unlike
    assert summary.metrics["rubric_score"].ci95 == pytest.approx(ends)
    assert summary.metrics["warmth"].n == 26
    assert summary.metrics["correctness"].n == 19
    assert summary.metrics["depth_of_insight"].n == 45
    assert summary.metrics["warmth"].group.endswith("(0-20)")
