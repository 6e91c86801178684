"""Norming: plain formulas on simulated people, and a planted EQ that comes out again."""

import csv
import json
import math
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import eibench
from eibench.core.cli.app import app
from eibench.plugins.seceu.norming import leave_one_out, make_norm

Floats = npt.NDArray[np.float64]
N_ITEMS = 40


def people_like(truth: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Points of n people: shares drawn around the truth, each person more or less closely."""
    closeness = rng.lognormal(1.6, 0.6, size=n)
    shares = rng.gamma(closeness[:, None, None] * (truth + 0.3)[None] / 2)
    shares /= shares.sum(axis=2, keepdims=True)
    return np.round(10 * shares, 2)


@pytest.fixture(scope="module")
def truth() -> Floats:
    """What each story is about, shape (40, 4)."""
    rng = np.random.default_rng(11)
    return 10 * rng.dirichlet([1.2] * 4, size=N_ITEMS)


@pytest.fixture(scope="module")
def people(truth: Floats) -> Floats:
    """Five hundred simulated people."""
    return people_like(truth, 500, np.random.default_rng(12))


def test_a_norm_is_what_plain_formulas_give(people: Floats) -> None:
    """Loops and the standard library against the arrays, on thirty of the people."""
    some = people[:30]
    found = make_norm(some)
    n, items = len(some), range(N_ITEMS)
    standard = [[math.fsum(p[i][o] for p in some) / n for o in range(4)] for i in items]
    distances = [[math.dist(p[i], standard[i]) for i in items] for p in some]
    scores = [statistics.fmean(row) for row in distances]
    assert np.array(found.standard) == pytest.approx(np.array(standard))
    assert found.scores == pytest.approx(scores)
    assert found.spread.mean == pytest.approx(statistics.fmean(scores))
    assert found.spread.sd == pytest.approx(statistics.stdev(scores))
    columns = list(zip(*distances, strict=True))
    assert found.template == pytest.approx([statistics.fmean(c) for c in columns])
    assert found.item_sds == pytest.approx([statistics.stdev(c) for c in columns])
    total = statistics.variance([sum(row) for row in distances])
    within = sum(statistics.variance(c) for c in columns)
    assert found.alpha == pytest.approx(N_ITEMS / (N_ITEMS - 1) * (1 - within / total))


def test_each_person_is_compared_with_all_the_others(people: Floats) -> None:
    """The template is made anew without the person: plain loops again."""
    some = people[:12]
    distances = np.linalg.norm(some - some.mean(axis=0), axis=2)
    found = leave_one_out(distances)
    for who in range(len(some)):
        rest = [row for n, row in enumerate(distances.tolist()) if n != who]
        template = [statistics.fmean(column) for column in zip(*rest, strict=True)]
        expected = statistics.correlation(distances[who].tolist(), template)
        assert found[who] == pytest.approx(expected)


def test_leaving_oneself_out_matters(people: Floats) -> None:
    """With few people, a template that holds oneself makes all look alike."""
    some = people[:5]
    distances = np.linalg.norm(some - some.mean(axis=0), axis=2)
    with_self = [np.corrcoef(row, distances.mean(axis=0))[0, 1] for row in distances]
    without = [r for r in leave_one_out(distances) if r is not None]
    assert np.mean(with_self) > np.mean(without) + 0.1


def test_eq_of_the_people_has_mean_100_and_sd_15(people: Floats) -> None:
    """By construction of the scale; half of them are below the median percentile."""
    norm = make_norm(people).as_norm("simulated")
    eqs = [norm.eq(score) for score in norm.scores]
    assert statistics.fmean(eqs) == pytest.approx(100)
    assert statistics.stdev(eqs) == pytest.approx(15)
    assert norm.percentile(statistics.median(norm.scores)) == pytest.approx(50, abs=0.2)
    assert norm.best == min(norm.scores)


@given(
    hnp.arrays(np.float64, (6, 3, 4), elements=st.integers(0, 1000).map(float)), st.randoms()
)  # fmt: skip
@settings(max_examples=40)
def test_a_norm_depends_neither_on_the_order_of_people_nor_of_options(
    drawn: Floats, random: Any
) -> None:
    """Shuffled people and moved options give the same scale."""
    points = drawn + 1
    points *= 10 / points.sum(axis=2, keepdims=True)
    who, where = random.sample(range(6), 6), random.sample(range(4), 4)
    try:
        one = make_norm(points)
    except ValueError:
        return
    two = make_norm(points[who][:, :, where])
    assert two.spread == pytest.approx(one.spread, abs=1e-9)
    assert two.template == pytest.approx(one.template, abs=1e-9)
    assert sorted(two.scores) == pytest.approx(sorted(one.scores), abs=1e-9)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (np.full((1, 3, 4), 2.5), "two people or more"),
        (np.full((5, 3, 4), 2.5), "all people have the same score"),
    ],
    ids=["one", "equal"],
)
def test_without_a_scale_there_is_no_norm(points: Floats, message: str) -> None:
    """One person, or people who all say the same."""
    with pytest.raises(ValueError, match=message):
        make_norm(points)


def test_a_person_without_variance_has_no_similarity() -> None:
    """Undefined for that person, and left out of the mean; never 0."""
    points = np.array([[[4, 3, 2, 1]] * 3, [[1, 2, 3, 4], [4, 3, 2, 1], [2, 3, 1, 4]],
                       [[4, 3, 2, 1], [1, 2, 3, 4], [3, 2, 4, 1]]], float)  # fmt: skip
    distances = np.linalg.norm(points - points.mean(axis=0), axis=2)
    distances[0] = 2.0
    assert leave_one_out(distances)[0] is None
    assert None not in leave_one_out(distances)[1:]


class Place(NamedTuple):
    """A folder with stories, people's answers and `bench`."""

    folder: Path

    def bench(self, *args: object) -> Any:
        """`bench` with these arguments."""
        done = CliRunner().invoke(app, [str(a) for a in args])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done

    def write(self, people: Floats, lang: str = "en", **rest: Any) -> None:
        """The stories and what people answered to them."""
        names = ("Glad", "Sad", "Angry", "Calm")
        stories = [
            {"id": f"s{i}", "story": f"Story {i}. Bo would feel:", "options": names}
            for i in range(people.shape[1])
        ]
        text = json.dumps({"lang": lang, "items": stories, **rest})
        (self.folder / "stories.json").write_text(text)
        with (self.folder / "humans.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["person", "item", *(f"option_{n}" for n in range(1, 5))])
            for p, own in enumerate(people):
                writer.writerows([f"p{p}", f"s{i}", *row] for i, row in enumerate(own.tolist()))


@pytest.fixture
def place(empty_place: Path) -> Place:
    """The empty working directory."""
    return Place(empty_place)


NORM = ("norm", "seceu", "humans.csv", "--dataset", "stories.json")


def planted_answers(truth: Floats, score: float, rng: np.random.Generator) -> Floats:
    """An answer per item whose distance to the truth is `score` on average.

    A random direction within the plane of equal sums, taken as long as it leaves no number
    below 0; distances vary evenly by a third around the score.
    """
    answers = []
    for row in truth:
        length = score * rng.uniform(2 / 3, 4 / 3)
        while True:
            step = rng.normal(size=4)
            step -= step.mean()
            answer = row + step * (length / np.linalg.norm(step))
            if answer.min() >= 0:
                answers.append(answer)
                break
    return np.array(answers)


@pytest.mark.parametrize("eq", [85, 100, 112])
def test_a_planted_eq_comes_out_within_its_interval(
    place: Place, truth: Floats, people: Floats, eq: int
) -> None:
    """From 500 people in a CSV to a model's result: the EQ that was planted is in the interval.

    Planted against the population: 20,000 other people of the same kind give its mean and
    SD, and its standard scores are where the model's distances start from.
    """
    population = people_like(truth, 20_000, np.random.default_rng(99))
    standard = population.mean(axis=0)
    scores = np.linalg.norm(population - standard, axis=2).mean(axis=1)
    score = scores.mean() - (eq - 100) / 15 * scores.std(ddof=1)
    answers = planted_answers(standard, score, np.random.default_rng(1000 + eq))
    place.write(people)
    done = place.bench(*NORM, "-o", "pack.json")
    assert done.exit_code == 0, done.stderr
    replies = {
        f"s{i}": "; ".join(f"({n}) {v:.4f}" for n, v in enumerate(row, start=1))
        for i, row in enumerate(answers)
    }
    result = eibench.score("seceu", replies, dataset="pack.json")
    found = result.metrics["eq"]
    assert found.ci95 is not None
    assert found.ci95[0] <= eq <= found.ci95[1]
    assert found.ci95[1] - found.ci95[0] < 12
    assert found.value == pytest.approx(eq, abs=4)


def test_intervals_hold_the_planted_eq_about_as_often_as_they_say(
    truth: Floats, people: Floats
) -> None:
    """Of 150 models of EQ 105: 95 %, less a little as the norm's own error is not in it."""
    from eibench.statistics import mean_interval

    population = people_like(truth, 20_000, np.random.default_rng(99))
    standard = population.mean(axis=0)
    scores = np.linalg.norm(population - standard, axis=2).mean(axis=1)
    norm = make_norm(people).as_norm("simulated")
    score = scores.mean() - 5 / 15 * scores.std(ddof=1)
    rng, held = np.random.default_rng(5), 0
    own = np.array(make_norm(people).standard)
    for _ in range(150):
        answers = planted_answers(standard, score, rng)
        distances = np.linalg.norm(answers - own, axis=1)
        interval = mean_interval(distances, rng=rng, replicates=300)
        assert interval is not None
        held += norm.eq(interval[1]) <= 105 <= norm.eq(interval[0])
    assert 0.85 < held / 150 < 1


def test_the_pack_holds_the_norm_and_runs(place: Place, people: Floats) -> None:
    """Read again, it gives the numbers that were printed; a demo model runs on it."""
    place.write(people)
    done = place.bench(*NORM, "-o", "pack.json", "--note", "simulated people", "--json")
    document = json.loads(done.stdout)
    expected = make_norm(people)
    assert document["people"] == 500
    assert document["mean"] == pytest.approx(expected.spread.mean)
    assert document["sd"] == pytest.approx(expected.spread.sd)
    assert document["alpha"] == pytest.approx(expected.alpha)
    assert document["range"] == [min(expected.scores), max(expected.scores)]
    assert document["items"]["s3"]["standard_scores"] == pytest.approx(list(expected.standard[3]))
    assert "next: bench run seceu --dataset pack.json" in done.stderr
    ran = place.bench("run", "seceu", "--dataset", "pack.json", "--json")
    result = json.loads(ran.stdout)
    assert ran.exit_code == 0
    assert result["items"]["scored"] == N_ITEMS
    assert result["notes"]["norm"] == "simulated people"
    assert result["metrics"]["eq"]["value"] is not None


def test_a_person_of_the_norm_gets_their_own_eq(place: Place, people: Floats) -> None:
    """Their answers scored as a model's: EQ, percentile and similarity as in the norm."""
    place.write(people)
    place.bench(*NORM, "-o", "pack.json")
    norm = make_norm(people)
    replies = {
        f"s{i}": ", ".join(map(str, row)) for i, row in enumerate(people[7].tolist())
    }  # fmt: skip
    found = eibench.score("seceu", replies, dataset="pack.json").metrics
    eq = norm.as_norm("").eq(norm.scores[7])
    assert found["eq"].value == pytest.approx(eq, abs=0.02)
    worse = sum(score > norm.scores[7] for score in norm.scores)
    assert found["percentile"].value == pytest.approx(100 * worse / 500, abs=0.3)


def test_a_test_in_any_language_can_be_normed_and_run(place: Place, people: Floats) -> None:
    """Its prompts go from the stories into the pack."""
    prompts = {"direct": "Histoire : {story}\nOptions : {options}\nDix points en tout."}
    place.write(people[:20], lang="fr", prompts=prompts)
    assert place.bench(*NORM, "-o", "pack.json").exit_code == 0
    lines = place.bench("prompts", "seceu", "--dataset", "pack.json").stdout.splitlines()
    assert len(lines) == N_ITEMS
    assert json.loads(lines[0])["messages"][0]["content"].startswith("Histoire : Story 0.")


def test_the_table_has_what_a_norm_is_made_of(place: Place, people: Floats) -> None:
    """Mean, SD, range, alpha, similarity, and a line per story; few people get a warning."""
    place.write(people[:20])
    done = place.bench(*NORM)
    for name in ("people", "SECEU score", "Cronbach's alpha", "pattern similarity", "s39"):
        assert name in done.stdout
    assert "20 people make a rough norm" in done.stderr
    place.write(people)
    assert "rough" not in place.bench(*NORM).stderr


def test_who_is_left_out_is_said(place: Place, people: Floats) -> None:
    """By name and reason, and counted in the document."""
    some = people[:12].copy()
    some[3, 5] = 1
    place.write(some)
    refused = place.bench(*NORM)
    assert refused.exit_code == 3
    assert 'person "p3": the points of item "s5" sum to 4, not 10' in refused.stderr
    done = place.bench(*NORM, "--leave-out", "--json")
    document = json.loads(done.stdout)
    assert document["people"] == 11
    assert document["left_out"] == ['p3: the points of item "s5" sum to 4, not 10']
    assert "left out: p3" in done.stderr


@pytest.mark.parametrize("output", ["humans.csv", "stories.json", "./humans.csv"])
def test_what_a_norm_is_made_of_is_not_overwritten(
    place: Place, people: Floats, output: str
) -> None:
    """Nobody's answers are lost to a slip of -o."""
    place.write(people[:5])
    before = (place.folder / output).read_bytes()
    done = place.bench(*NORM, "-o", output)
    assert done.exit_code == 2
    assert "would overwrite" in done.stderr
    assert (place.folder / output).read_bytes() == before


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("norm", "seceu", "none.csv"), 3, "none.csv: no such file"),
        (("norm", "emo", "humans.csv"), 2, "unknown benchmark 'emo'"),
        (("norm", "seceu"), 2, "Missing argument 'HUMANS.csv'"),
        ((*NORM, "-o", "no/such/folder.json"), 3, "cannot be written"),
        ((*NORM, "--note", "a\nb"), 2, "--note must be a line of text"),
        (("norm", "seceu", "humans.csv", "--dataset", "none.json"), 3, "no such file, folder"),
        (("norm", "seceu", "humans.csv"), 3, "line 2: the stories have no item 's0'"),
    ],
    ids=str,
)
def test_mistakes_are_one_line(
    place: Place, people: Floats, args: tuple[str, ...], code: int, message: str
) -> None:
    """What, where, and the exit code of its kind."""
    place.write(people[:5])
    done = place.bench(*args)
    assert done.exit_code == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_the_bundled_stories_can_be_normed(place: Place, pack: Callable[..., Path]) -> None:
    """In either language; the pack says which."""
    rng = np.random.default_rng(1)
    for lang, n in (("en", 16), ("zh", 12)):
        rows = [["person", "item", "option_1", "option_2", "option_3", "option_4"]]
        for p in range(4):
            for i in range(1, n + 1):
                rows.append([f"p{p}", str(i), *map(str, rng.multinomial(10, [0.25] * 4))])
        text = "\n".join(",".join(row) for row in rows)
        (place.folder / "humans.csv").write_text(text)
        done = place.bench("norm", "seceu", "humans.csv", "--lang", lang, "-o", f"{lang}.json")
        assert done.exit_code == 0, done.stderr
        assert json.loads((place.folder / f"{lang}.json").read_text())["lang"] == lang
