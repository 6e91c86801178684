"""Scores by a panel without the judges that are kin, so that no model meets kinder judges.

Where judges are kin of none of the models, they alone count. Else each model has the judges that
are no kin of it, and how strict each judge is is taken out: an additive model of transcripts and
judges, fitted on the transcripts that several of them graded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from .. import statistics
from ..benchmark import Benchmark
from ..clients.families import are_kin
from ..errors import UsageError
from ..parties.graders import Panel
from ..parties.party import Party
from ..parties.providers import ModelSpec
from ..types import SampleScore, Score
from .graded import GradedSamples
from .robustness import Key

ByJudge = Mapping[Party, Sequence[SampleScore]]
ByParty = Mapping[Party, float]
ByName = Mapping[str, float]


class KinRule(NamedTuple):
    """How kin are kept from deciding, also in a sentence.

    Attributes:
        way: ``judges`` where the judges that are kin of no model count alone, else
            ``strictness``.
        judges: Those that count.
        left_out: Those that are kin of a model: not asked at all, or not about their kin.
        strictness: How much more each judge gives than the mean of all, by value and judge.
    """

    way: str
    judges: Sequence[str]
    left_out: Sequence[str]
    strictness: Mapping[str, ByName]
    text: str


class WithoutKin(NamedTuple):
    """The scores of models, by name, and how they came about."""

    rule: KinRule
    scores: Mapping[str, Sequence[SampleScore]]


class GradedWithoutKin(NamedTuple):
    """Runs' samples with such scores, and how they came about."""

    rule: KinRule
    samples: list[GradedSamples]


def graded_without_kin(benchmark: Benchmark, graded: Sequence[GradedSamples]) -> GradedWithoutKin:
    """The samples of runs that one panel graded, by those of its judges that are no kin.

    Raises:
        UsageError: It was no panel; or as of `without_kin`.
    """
    panel = graded[0].grader.judge
    if not isinstance(panel, Panel):
        raise UsageError("kin are left out of panels; name one, such as --judge mean")
    models = {one.run.run_id: one.run.party.spec for one in graded}
    by_run = {
        one.run.run_id: {judge: list(scores.values()) for judge, scores in one.by_judge.items()}
        for one in graded
    }
    rule, scores = without_kin(benchmark, panel, models, by_run)
    samples = []
    for one in graded:
        of_run = {(s.item_id, s.iteration): s for s in scores[one.run.run_id]}
        samples.append(one._replace(scores={key: of_run[key] for key in sorted(of_run)}))
    return GradedWithoutKin(rule, samples)


def without_kin(
    benchmark: Benchmark,
    panel: Panel,
    models: Mapping[str, ModelSpec],
    by_model: Mapping[str, ByJudge],
) -> WithoutKin:
    """The scores of models by a panel's judges that are no kin.

    Raises:
        UsageError: All judges are kin of a model, or no transcripts link judges to tell strictness.
    """
    kin = {n: {j for j in panel.judges if are_kin(spec, j.spec)} for n, spec in models.items()}
    left_out = [
        judge
        for judge in panel.judges
        if any(judge in kin_of_model for kin_of_model in kin.values())
    ]
    free = [judge for judge in panel.judges if judge not in left_out]
    if free:
        allowed, effects = dict.fromkeys(models, free), {}
    else:
        allowed = {
            n: [j for j in panel.judges if j not in kin_of_model] for n, kin_of_model in kin.items()
        }
        effects = _effects(benchmark, panel, allowed, by_model)
    votes = [v.name for v in benchmark.values if v.judged and v.kind == "share"]
    makes = replace(panel, rule="mean") if effects else panel
    scores = {
        name: _scores(makes, by_model[name], allowed[name], effects, benchmark.not_judged, votes)
        for name in models
    }
    return WithoutKin(_rule(panel, free, left_out, effects), scores)


def _rule(
    panel: Panel,
    free: Sequence[Party],
    left_out: Sequence[Party],
    effects: Mapping[str, ByParty],
) -> KinRule:
    without = list(map(str, left_out))
    if effects:
        text = "by judges that are no kin of the model, each judge's strictness taken out "
        text += "(additive model of transcripts and judges)"
        text += f"; kin of a model: {', '.join(without) or 'none'}"
        named = {
            value: {str(j): n for j, n in of_value.items()} for value, of_value in effects.items()
        }
        return KinRule("strictness", list(map(str, panel.judges)), without, named, text)
    names = list(map(str, free))
    text = f"by the judges that are kin of no model here ({', '.join(names)})"
    text += f"; left out: {', '.join(without)}" if without else "; no judge is left out"
    return KinRule("judges", names, without, {}, text)


def _effects(
    benchmark: Benchmark,
    panel: Panel,
    allowed: Mapping[str, Sequence[Party]],
    by_model: Mapping[str, ByJudge],
) -> dict[str, ByParty]:
    """How strict each judge is, by value; each from all models' transcripts."""
    import numpy as np

    if lacking := [name for name, judges in allowed.items() if not judges]:
        raise UsageError(f"all judges are kin of {', '.join(lacking)}: add one of another family")
    cells: dict[str, dict[tuple[str, Key], dict[Party, float]]] = {}
    for name, judges in allowed.items():
        for judge in judges:
            for s in by_model[name].get(judge, ()):
                for value, number in s.score.values.items():
                    if number is not None and value not in benchmark.not_judged:
                        sample = name, (s.item_id, s.iteration)
                        cells.setdefault(value, {}).setdefault(sample, {})[judge] = number
    by_value: dict[str, ByParty] = {}
    for value, rows in cells.items():
        table = [[row.get(judge, np.nan) for judge in panel.judges] for row in rows.values()]
        strictness = statistics.judges.judge_effects(table)
        if strictness is None:
            why = f"no transcripts link the judges of {value}"
            raise UsageError(f"{why}: more of them have to grade the same models")
        by_value[value] = dict(zip(panel.judges, map(float, strictness), strict=True))
    return by_value


def _scores(
    panel: Panel,
    by_judge: ByJudge,
    allowed: Sequence[Party],
    effects: Mapping[str, ByParty],
    unjudged: Sequence[str],
    votes: Sequence[str],
) -> list[SampleScore]:
    """The scores of one model's samples."""
    by_key: dict[Key, dict[Party, SampleScore]] = {}
    for judge, scores in by_judge.items():
        for s in scores:
            by_key.setdefault((s.item_id, s.iteration), {})[judge] = s
    samples = []
    for key, verdicts in by_key.items():
        assigned = [judge for judge in panel.assigned(*key) if judge in allowed]
        read = [_milder(verdicts[j].score, j, effects) for j in assigned if j in verdicts]
        score = panel.score(read, len(assigned), unjudged, votes) if assigned else _NOBODY
        if score is not None:
            one = next(iter(verdicts.values()))
            samples.append(SampleScore(*key[:1], one.cluster, key[1], score))
    return samples


_NOBODY = Score.unscored("its judge is kin of a model")


def _milder(score: Score, judge: Party, effects: Mapping[str, ByParty]) -> Score:
    """A verdict with its judge's strictness taken out."""
    values = {
        name: number if number is None or name not in effects else number - effects[name][judge]
        for name, number in score.values.items()
    }
    return replace(score, values=values)
