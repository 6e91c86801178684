"""`bench calibrate`: judges beside people, and scores that labels correct, worked out anew."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eibench
from eibench import PackSource
from eibench.plugins.humanebench.benchmark import HumaneBench
from eibench.statistics import krippendorff_alpha
from eibench.testing import LoopbackServer
from plugins.labels.calibration import JudgedRuns, Label, calibrate, less_people

from .conftest import ITEMS, STEPS, Studied, handed_in, quality, reply_of, verdict

SCALE = ("--scale", "-1,-0.5,0.5,1")
DRAWN = 12


def label(studied: Studied, *people: Any, options: tuple[str, ...] = SCALE) -> dict[str, Any]:
    """The document after these people have answered, each a function of an entry."""
    drawing = ("--number", str(DRAWN), "--seed", "5", *options, "-o", "set")
    assert studied.bench("label", "care", *studied.runs.values(), *drawing).code == 0
    paths = [handed_in("set", f"p{n}", answer) for n, answer in enumerate(people)]
    assert studied.bench("label", "read", *paths).code == 0
    document: dict[str, Any] = studied.bench("calibrate", "care", "--json").json
    return document


def honest(entry: dict[str, Any]) -> float:
    """What is so."""
    return quality(*reply_of(entry))


def strict(entry: dict[str, Any]) -> float:
    """A step lower, as far as there is one."""
    return STEPS[max(0, STEPS.index(honest(entry)) - 1)]


def drawn_items() -> list[int]:
    """The numbers of the items that the one set drew."""
    (path,) = Path("runs/labels").glob("*.json")
    entries = json.loads(path.read_text())["entries"]
    return sorted({int(entry["item_id"][1:]) for entry in entries})


def mean_of_two(honest_rating: float) -> float:
    """Of the honest person and the strict one."""
    return (honest_rating + STEPS[max(0, STEPS.index(honest_rating) - 1)]) / 2


def theta(y: dict[int, float], f: list[float]) -> float:
    """The corrected mean by its formula."""
    labels, grades = np.array(list(y.values())), np.array([f[n] for n in y])
    weight = max(0.0, np.polyfit(grades, labels, 1)[0])
    return float(labels.mean() - weight * (grades.mean() - np.mean(f)))


def test_scores_are_corrected_by_what_people_say(studied: Studied) -> None:
    """Of both models: the judge's mean, the labels' and the corrected one, each by hand."""
    document = label(studied, honest, strict)
    items = drawn_items()
    assert len(document["scores"]) == 2
    shown = [studied.bench("show", run, "--json").json for run in studied.runs.values()]
    own = {document["run_id"]: document["metrics"]["humane"] for document in shown}
    for row, model in zip(document["scores"], ("ash", "elm"), strict=True):
        f = [verdict(model, n) for n in range(ITEMS)]
        y = {n: mean_of_two(quality(model, n)) for n in items}
        assert row["run_ids"] == [studied.runs[model]]
        assert (row["n"], row["n_judged"]) == (DRAWN, ITEMS)
        assert row["judge_alone"]["value"] == pytest.approx(np.mean(f))
        (run_id,) = row["run_ids"]  # one mean has one interval, here and in the run's result
        assert row["judge_alone"]["ci95"] == own[run_id]["ci95"] is not None
        assert row["labels_alone"]["value"] == pytest.approx(np.mean(list(y.values())))
        assert row["corrected"]["value"] == pytest.approx(theta(y, f))
        low, high = row["corrected"]["ci95"]
        assert low < row["corrected"]["value"] < high


def test_a_difference_is_of_labels_and_grades_of_the_same_items(studied: Studied) -> None:
    """What is hard for both falls out."""
    document = label(studied, honest)
    (row,) = document["differences"]
    f = [verdict("ash", n) - verdict("elm", n) for n in range(ITEMS)]
    y = {n: quality("ash", n) - quality("elm", n) for n in drawn_items()}
    assert row["corrected"]["value"] == pytest.approx(theta(y, f))
    assert row["labels_alone"]["value"] == pytest.approx(np.mean(list(y.values())))
    assert "one person labelled: intervals are over items alone" in document["warnings"][0]


def test_agreement_of_people_stands_beside_the_judge_s(studied: Studied) -> None:
    """Alpha and correlations by numpy, over the labelled transcripts of both models."""
    document = label(studied, honest, strict)
    rows = [(m, n) for m in ("ash", "elm") for n in drawn_items()]
    one = np.array([quality(*row) for row in rows])
    two = np.array([STEPS[max(0, STEPS.index(q) - 1)] for q in one])
    judge = np.array([verdict(*row) for row in rows])
    people, (judged,) = document["people"], document["judges"]
    alpha = krippendorff_alpha(np.column_stack([one, two]), metric="interval", replicates=2)
    assert people["alpha"]["value"] == pytest.approx(alpha.value)
    between = np.corrcoef(one, two)[0, 1]
    assert people["with_one_person"]["value"] == pytest.approx(between)
    with_person = np.mean([np.corrcoef(judge, one)[0, 1], np.corrcoef(judge, two)[0, 1]])
    assert judged["with_one_person"]["value"] == pytest.approx(with_person)
    assert judged["less_people"]["value"] == pytest.approx(with_person - between)
    assert judged["less_people"]["ci95"][1] < 0
    said = "agrees less with a person than people do with each other"
    assert any(said in conclusion for conclusion in document["conclusions"])
    assert [(one["repeats"], one["equal"]) for one in people["each"]] == [(2, 2)] * 2


def test_win_rates_are_corrected_from_either_side(studied: Studied) -> None:
    """By hand: 1 where ash is better, 0.5 where neither; left and right do not matter."""

    def answer(entry: dict[str, Any]) -> str:
        left, right = (quality(*reply_of(entry, side)) for side in (0, 1))
        return "left" if left > right else "right" if right > left else "neither"

    document = label(studied, answer, options=("--pairs",))
    (row,) = document["scores"]

    def won(judged: Any, n: int) -> float:
        return float(0.5 + np.sign(judged("ash", n) - judged("elm", n)) / 2)

    y = {n: won(quality, n) for n in drawn_items()}
    f = [won(verdict, n) for n in range(ITEMS)]
    assert row["run_ids"] == [studied.runs["ash"], studied.runs["elm"]]
    assert row["judge_alone"]["value"] == pytest.approx(np.mean(f))
    assert row["labels_alone"]["value"] == pytest.approx(np.mean(list(y.values())))
    assert row["corrected"]["value"] == pytest.approx(theta(y, f))


def test_what_is_printed_has_both_numbers(studied: Studied) -> None:
    """The judge's own is never replaced silently."""
    label(studied, honest, strict)
    shown = studied.bench("calibrate", "care")
    assert shown.code == 0
    for words in ("judge alone", "labels alone", "corrected", "for half", "alpha"):
        assert words in shown.out


def test_without_labels_it_says_how_to_come_by_them(studied: Studied) -> None:
    """No number is made of nothing; an unknown set is named."""
    done = studied.bench("calibrate", "care")
    assert done.code == 2 and "the journal has no labels of care" in done.err
    assert "bench label care RUN" in done.err


# A judge whose error is known

UNITS = [("run", (f"i{n}", 1)) for n in range(60)]


def simulated(grade: Any, labelled: int = 20) -> Any:
    """A document about labels of two people, and a judge of all units."""
    rng = np.random.default_rng(4)
    truth = rng.normal(size=60)
    labels = [
        Label(unit, person, float(truth[n] + rng.normal() * 0.2), labelled / 60)
        for n, unit in enumerate(UNITS[:labelled])
        for person in ("p1", "p2", "p3")
    ]
    judged = JudgedRuns("j", {unit: float(grade(truth[n], rng)) for n, unit in enumerate(UNITS)})
    facts: Any = {"name": "p", "sha256": "0", "n_items": 60}
    document = calibrate(
        labels, [judged], {"run": "ash"}, lambda unit: unit[1][0],
        benchmark="b", dataset=facts, label_set="s", value="v", demo=False,
    )  # fmt: skip
    return document, truth


def test_a_shifted_judge_is_corrected() -> None:
    """Two points too kind, on half the scale: its own interval does not hold the truth."""
    document, truth = simulated(lambda t, rng: 2 + 0.5 * t + 0.1 * rng.normal())
    (row,) = document.scores
    assert row.corrected.ci95[0] < truth.mean() < row.corrected.ci95[1]
    assert row.judge_alone.ci95[0] > 1
    assert row.width_ratio < 0.85 and row.correlation > 0.9
    assert row.labels_for_half is None and "labels of all items would not halve it" in row.statement


def test_a_judge_worse_than_none_is_said_to_be_so() -> None:
    """One that grades against people."""
    document, _ = simulated(lambda t, rng: -t + rng.normal())
    said = "j is no better than no judge: with it no interval is narrower than of labels alone"
    assert said in document.conclusions
    assert document.scores[0].statement == "no better than without this judge"
    assert document.scores[0].corrected.value == document.scores[0].labels_alone.value


def test_a_judge_like_people_is_seldom_said_to_differ() -> None:
    """One who errs as each of five does, in 60 draws; one who errs twice as much agrees less."""
    rng, families = np.random.default_rng(0), [str(n) for n in range(16)]

    def ends(error: float) -> tuple[float, float]:
        noise = 0.7 * rng.normal(size=(16, 6)) * [error, 1, 1, 1, 1, 1]
        found = less_people(rng.normal(size=(16, 1)) + noise, families).ci95
        assert found is not None
        return found

    alike = [ends(1) for _ in range(60)]
    assert sum(high < 0 for _, high in alike) <= 5 and sum(low > 0 for low, _ in alike) <= 3
    assert sum(ends(3)[1] < 0 for _ in range(20)) >= 10
    assert all(-2 < low < high < 2 for low, high in alike)


def test_labels_all_alike_say_nothing_of_a_judge() -> None:
    """Everybody answers 1: an interval that is no point, and no verdict on the judge."""
    labels = [Label(unit, "p", 1.0, 20 / 60) for unit in UNITS[:20]]
    judged = JudgedRuns("j", {unit: n / 60 for n, unit in enumerate(UNITS)})
    document = calibrate(
        labels, [judged], {"run": "ash"}, lambda unit: unit[1][0], benchmark="b",
        dataset={"name": "p", "sha256": "0", "n_items": 60}, label_set="s", value="v", demo=False,
        scale=(0.0, 1.0),
    )  # fmt: skip
    (row,) = document.scores
    assert row.corrected.ci95 is not None and row.corrected.ci95[0] < 0.9 < row.corrected.ci95[1]
    assert row.statement.startswith("labels or grades are all alike")
    assert document.conclusions == [] and row.labels_for_half is None


def test_too_few_labels_correct_nothing() -> None:
    """Seven are refused, with the reason in the row."""
    document, _ = simulated(lambda t, rng: t, labelled=7)
    assert document.scores[0].corrected.value is None
    assert document.scores[0].statement == "7 labels; 8 are needed"


def test_a_win_rate_goes_by_the_judge_s_comparisons_where_it_made_some(invoke: Any) -> None:
    """0.5 + mean margin / 10, the mean of both orders, as seen from the run that came first."""
    run = ("run", "eqbench3", "--dataset", "bundled", "--limit", "9", "--judge", "demo/judge")
    for model in ("demo/strong", "demo/weak"):
        assert invoke(*run, "--model", model, "--schedule", "all", "--no-rubric", "--yes").code == 0
    drawing = ("label", "eqbench3", "--pairs", "--number", "8", "--repeats", "0", "-o", "set")
    assert invoke(*drawing).code == 0
    path = handed_in("set", "ann", lambda entry: "neither")
    assert invoke("label", "read", path).code == 0
    document = invoke("calibrate", "eqbench3", "--json").json
    (row,) = document["scores"]
    with eibench.runs("runs") as runs:
        (first, _), names = runs, [run.name for run in runs]
        compared = [one for run in runs for one in run.comparisons() if one.status == "read"]
    by_item: dict[str, list[float]] = {}
    for one in compared:
        sign = 1 if one.run_a == first.id else -1
        margin = sum(one.margins.values()) / len(one.margins)
        by_item.setdefault(one.item_id, []).append(0.5 + sign * margin / 10)
    assert all(len(of) == 2 for of in by_item.values())
    assert row["what"] == " beats ".join(names)
    wins = [np.mean(of) for of in by_item.values()]
    assert row["judge_alone"]["value"] == pytest.approx(np.mean(wins)) and np.mean(wins) > 0.5
    assert (row["labels_alone"]["value"], row["n"]) == (0.5, 8)


def test_panels_stand_beside_their_judges(studied: Studied) -> None:
    """Each judge, and the mean of both."""

    def reply(request: Any) -> str:
        _, asked, number = request.prompt.rpartition("Message m")
        return f"I say: a{number}." if asked else '{"humane": 0.5}'

    with LoopbackServer(reply) as server:
        at = ("--base-url", server.base_url, "--judge-base-url", server.base_url, "--yes")
        judges = ("--judge", "openai/k", "--judge", "openai/l")
        run = ("run", "care", "--dataset", "pack.jsonl", "--model", "openai/m")
        done = studied.bench(*run, *judges, *at)
    assert done.code == 0, done.err
    assert studied.bench("label", "care", "m", "--number", "12", *SCALE, "-o", "set").code == 0
    assert studied.bench("label", "read", handed_in("set", "ann", honest)).code == 0
    document = studied.bench("calibrate", "care", "--json").json
    names = sorted(judge["judge"].split(" at ")[0] for judge in document["judges"])
    assert names == ["mean(openai/k", "openai/k", "openai/l"]
    # A judge that says the same of all has no correlation, and no weight.
    (panel,) = [row for row in document["scores"] if row["judge"].startswith("mean(")]
    assert (panel["correlation"], panel["weight"]) == (None, 0)
    assert panel["corrected"]["value"] == panel["labels_alone"]["value"]


def test_labels_that_stand_for_fewer_samples_are_told(studied: Studied) -> None:
    """Somebody left two of twelve items empty: ten stand for 20 of 24."""
    left_out: list[str] = []

    def lazy(entry: dict[str, Any]) -> float | None:
        item = str(reply_of(entry)[1])
        if item not in left_out and len(left_out) < 2:
            left_out.append(item)
        return None if item in left_out else honest(entry)

    document = label(studied, lazy)
    assert any("stand for 20 of the 24 samples that are graded" in w for w in document["warnings"])


@pytest.mark.skipif("EIBENCH_OTHER_DATA" not in os.environ, reason="EIBENCH_OTHER_DATA is not set")
def test_four_people_s_ratings_of_humanebench_correct_a_scripted_judge(invoke: Any) -> None:
    """48 replies to 8 messages; a judge who takes every rating one step lower than most."""
    data = Path(os.environ["EIBENCH_OTHER_DATA"]) / "humanebench" / "humane_bench.jsonl"
    rated = ("calibrate", "humanebench", "--dataset", data, "-o", "rated.jsonl", "--json")
    people = invoke(*rated).json["values"]["humane"]
    replies = [json.loads(line) for line in Path("rated.jsonl").read_text().splitlines()]
    steps = [(-1.0, -0.5, 0.5, 1.0)[len(row["response"]) % 4] for row in replies]

    def verdict_of(request: Any) -> str:
        # Replies may be alike but for their model: the longest that is in the prompt is meant.
        n = max((len(row["response"].strip()), n) for n, row in enumerate(replies)
                if row["response"].strip()[:200] in request.prompt)[1]  # fmt: skip
        return json.dumps({"rating": steps[n]})

    with LoopbackServer(verdict_of) as server:
        done = invoke(
            *("score", "humanebench", "rated.jsonl", "--dataset", data, "--save", "--model", "m"),
            *("--judge", "openai/j", "--judge-base-url", server.base_url, "--json", "--yes"),
        )
    document = invoke("calibrate", "humanebench", done.json["run_id"], "--dataset", data, "--json")
    found = document.json
    assert found["people"]["alpha"] == people["alpha"]
    assert (found["people"]["people"], found["people"]["units"]) == (4, 48)
    assert [one["labels"] for one in found["people"]["each"]].count(30) == 1  # 18 were left empty
    (row,) = found["scores"]
    # All are labelled, so that the corrected score is people's own, whatever the judge says.
    assert row["corrected"]["value"] == pytest.approx(people["mean"])
    assert row["corrected"]["ci95"] is not None
    assert row["judge_alone"]["value"] != pytest.approx(people["mean"])
    assert row["statement"] == "all are labelled: the judge has nothing to add"


@pytest.mark.skipif("EIBENCH_OTHER_DATA" not in os.environ, reason="EIBENCH_OTHER_DATA is not set")
def test_half_of_humanebench_s_ratings_correct_a_judge_whose_error_is_known() -> None:
    """Every other reply is labelled; the judge is .4 too kind, on .7 of the scale."""
    source = Path(os.environ["EIBENCH_OTHER_DATA"]) / "humanebench" / "humane_bench.jsonl"
    pack = HumaneBench().read_pack(PackSource("custom", "0" * 64, {"rows": source}), {})
    replies = HumaneBench().human_ratings(pack)
    rng, seen = np.random.default_rng(2), dict[str, int]()
    units, truth, labels = [], [], []
    for reply in replies:
        seen[reply.item_id] = n = seen.get(reply.item_id, 0) + 1
        units.append(("run", (reply.item_id, n)))
        ratings = reply.ratings["humane"]
        truth.append(float(np.mean(list(ratings.values()))))
        if n % 2:
            labels += [Label(units[-1], who, rating, 0.5) for who, rating in ratings.items()]
    grades = 0.4 + 0.7 * np.array(truth) + 0.05 * rng.normal(size=len(truth))
    judge = JudgedRuns("j", dict(zip(units, grades.tolist(), strict=True)))
    facts: Any = {"name": "p", "sha256": "0", "n_items": 8}
    document = calibrate(
        labels, [judge], {"run": "m"}, lambda unit: unit[1][0],
        benchmark="humanebench", dataset=facts, label_set="s", value="humane", demo=False,
    )  # fmt: skip
    (row,) = document.scores
    drawn = np.array([unit[1][1] % 2 == 1 for unit in units])
    y, f = np.array(truth)[drawn], grades[drawn]
    weight = np.polyfit(f, y, 1)[0]
    corrected = y.mean() - weight * (f.mean() - grades.mean())
    assert row.corrected.value == pytest.approx(corrected)
    assert row.corrected.value == pytest.approx(np.mean(truth), abs=0.03)
    assert row.judge_alone.value == pytest.approx(grades.mean())
    assert row.judge_alone.value != pytest.approx(np.mean(truth), abs=0.2)
    assert row.corrected.ci95 is not None
    assert row.corrected.ci95[0] < np.mean(truth) < row.corrected.ci95[1]
    assert (document.people.people, row.n, row.n_judged) == (4, int(drawn.sum()), 48)
