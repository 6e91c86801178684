"""HumaneBench: personas, four steps, a panel, and the published scores recomputed."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from eibench import DataError, Pack, PackSource, folder, read_rows
from eibench.plugins.humanebench.benchmark import PERSONAS, SCORES, TEXTS, HumaneBench
from eibench.statistics import krippendorff_alpha
from eibench.testing import LoopbackServer, ReceivedRequest, ScriptedModel

Bench = Callable[..., Any]
OTHERS = os.environ.get("EIBENCH_OTHER_DATA")
needs_others = pytest.mark.skipif(OTHERS is None, reason="EIBENCH_OTHER_DATA is not set")
BENCHMARK = HumaneBench()
FILE = folder("humanebench") / "bundled" / "humane_bench.jsonl"
PRINCIPLES = tuple(TEXTS["principles"])
NUMBERS = ("overall", "negative_rate", *PRINCIPLES)
PANEL = ("--judge", "openai/a", "--judge", "openai/b", "--judge", "openai/c")
BUNDLED = ("--dataset", "bundled")


def pack_of(path: Path) -> Pack:
    """The pack of a file."""
    source = PackSource("custom", "0", {"humane_bench.jsonl": path})
    return BENCHMARK.read_pack(source, {"persona": "baseline"})


def test_the_demo_runs_offline(bench: Bench) -> None:
    """Abler demo models are rated better; each principle has its mean, and all count alike."""
    run = ("run", "humanebench", *BUNDLED, "--json", "--model")
    strong = bench(*run, "demo/strong").json
    alone = bench("leaderboard", "humanebench", "--json").json
    weak = bench(*run, "demo/weak").json
    assert strong["items"]["scored"] == strong["items"]["total"] == 16
    metrics = strong["metrics"]
    assert metrics["humane"]["value"] > weak["metrics"]["humane"]["value"]
    assert list(strong["metric_notes"]) == ["humane"]
    means = [metrics[f"humane_{name.replace('-', '_')}"]["value"] for name in PRINCIPLES]
    assert metrics["humane"]["value"] == pytest.approx(sum(means) / 8)
    # Two texts a principle say as much as nine of one, on every screen.
    few = (
        "the intervals are based on 16 different texts in groups, which say as much as 9; "
        "with fewer than 20 they are approximate"
    )
    board = bench("leaderboard", "humanebench", "--json").json
    compared = bench("compare", strong["run_id"], weak["run_id"], "--json").json
    assert all(few in document["warnings"] for document in (strong, weak, alone, board, compared))


def test_intervals_stay_within_the_scale(bench: Bench) -> None:
    """A strong model's mean of means near 1, whose spread alone would reach beyond it."""
    run = ("run", "humanebench", *BUNDLED, "--json", "--model")
    strong, weak = (bench(*run, f"demo/{name}").json for name in ("strong", "weak"))
    low, high = strong["metrics"]["humane"]["ci95"]
    assert -1 < low < strong["metrics"]["humane"]["value"] < high == 1
    compared = bench("compare", strong["run_id"], weak["run_id"], "--json").json
    for name, reach in (("humane", 2), ("negative", 1)):
        low, high = compared["differences"][name]["ci95"]
        assert -reach <= low < high <= reach


async def test_a_persona_is_the_system_message() -> None:
    """The baseline has none; the message is sent as it is."""
    (item, *_) = pack_of(FILE).items
    asked = []
    for persona in PERSONAS:
        model = ScriptedModel("Yes.")
        await BENCHMARK.generate(item, model, {"persona": persona})
        asked.append([m.content for m in model.requests[0].messages])
    personas = TEXTS["personas"]
    message = item.content["input"]
    assert asked == [[message], [personas["good"], message], [personas["bad"], message]]


async def test_the_judge_has_the_steps_of_the_principle() -> None:
    """Of each item, with the message and the reply, and no open place."""
    for item in pack_of(FILE).items:
        judge = ScriptedModel('{"rating": 0.5}')
        transcript = await BENCHMARK.generate(item, ScriptedModel("My reply."), {"persona": "bad"})
        await BENCHMARK.grade(item, transcript, judge, {"persona": "bad"})
        text = "\n".join(m.content for m in judge.requests[0].messages)
        steps = TEXTS["principles"][item.tags["principle"]]
        assert all(one in text for one in (*steps.values(), item.content["input"], "My reply."))
        assert TEXTS["personas"]["bad"] not in text
        assert not re.search(r"\{\w+\}", text)


@pytest.mark.parametrize(
    ("verdict", "values"),
    [
        ('{"rating": -0.5}', {"humane": -0.5, "negative": 1.0}),
        ('It is brief.\n{"rating": 1}', {"humane": 1.0, "negative": 0.0}),
        ('{"rating": 0}', {}),
        ('{"rating": 0.75}', {}),
        ("Acceptable.", {}),
    ],
)
async def test_a_rating_is_one_of_four_steps(verdict: str, values: dict[str, float]) -> None:
    """Any other number is asked for again, and then unscored."""
    (item, *_) = pack_of(FILE).items
    options = {"persona": "baseline"}
    transcript = await BENCHMARK.generate(item, ScriptedModel("Yes."), options)
    score = await BENCHMARK.grade(item, transcript, ScriptedModel(*[verdict] * 3), options)
    assert score.values == values
    assert (score.reason is None) == bool(values)


async def test_a_judge_may_say_that_a_reply_cannot_be_rated() -> None:
    """As upstream's `invalid`: it is not asked again, as one that leaves the rating out is."""
    (item, *_) = pack_of(FILE).items
    options = {"persona": "baseline"}
    transcript = await BENCHMARK.generate(item, ScriptedModel("Yes."), options)
    for verdict, asked in (('{"rating": null}', 1), ("{}", 3)):
        judge = ScriptedModel(*[verdict] * 3)
        score = await BENCHMARK.grade(item, transcript, judge, options)
        assert (score.values, len(judge.requests)) == ({}, asked)
        assert ("unread" in score.flags) == (asked > 1)


def test_a_panel_rates_by_its_mean(bench: Bench) -> None:
    """Over HTTP: three judges' ratings, all of them needed."""

    def reply(request: ReceivedRequest) -> str:
        ratings = {"a": 1, "b": 0.5, "c": -0.5}
        rating = ratings.get(request.model)
        return "Yes, and here is why." if rating is None else json.dumps({"rating": rating})

    with LoopbackServer(reply) as server:
        model = ("--model", "openai/m", "--base-url", server.base_url)
        panel = (*PANEL, "--judge-base-url", server.base_url)
        document = bench("run", "humanebench", *BUNDLED, *model, *panel, "--json",
                         env={"BENCH_QUORUM": "3"}).json  # fmt: skip
    assert document["metrics"]["humane"]["value"] == pytest.approx(1 / 3)
    assert document["metrics"]["negative"]["value"] == pytest.approx(1 / 3)
    assert document["panel"]["quorum"] == 3
    assert "those rest on claude-sonnet-4-5 and gpt-5.1" in document["comparability"]


@pytest.mark.parametrize(("quorum", "is_published"), [("2", False), ("3", True)])
def test_a_published_rating_needs_all_three_judges(
    bench: Bench, quorum: str, is_published: bool
) -> None:
    """With the published judges, one that may be missing is what sets a result apart."""
    with LoopbackServer(lambda r: "Yes." if r.model == "m" else '{"rating": 1}') as server:
        url = server.base_url
        judges = ("claude-sonnet-4-5", "gpt-5.1", "gemini-2.5-pro")
        panel = [word for judge in judges for word in ("--judge", f"openai/{judge}")]
        document = bench("run", "humanebench", *BUNDLED, "--model", "openai/m",
                         "--base-url", url, *panel, "--judge-base-url", url, "--json",
                         env={"BENCH_QUORUM": quorum}).json  # fmt: skip
    assert ("those rest on" not in document["comparability"]) == is_published


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "1", "input": "?", "metadata": {"principle": "be-kind"}}, "called 'be-kind'"),
        ({"id": "1", "input": "?", "metadata": {}}, "no principle is called 'None'"),
        ({"id": "1", "input": "?"}, "has no field 'metadata'"),
    ],
)
def test_a_prompt_without_a_principle_is_refused(tmp_path: Path, row: Any, message: str) -> None:
    """With the file and the prompt's id, or its line."""
    path = tmp_path / "humane_bench.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        pack_of(path)


def test_a_prompt_that_upstream_excludes_is_left_out(tmp_path: Path) -> None:
    """With a warning that says how many are."""
    path = tmp_path / "humane_bench.jsonl"
    rows = [
        {"id": id, "input": "?", "metadata": {"principle": PRINCIPLES[0], **more}}
        for id, more in (("kept", {}), *((n, {"excluded_from_analysis": True}) for n in "ab"))
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    pack = pack_of(path)
    assert [item.id for item in pack.items] == ["kept"]
    assert pack.warnings == ("2 prompts are left out, as in the published scores",)


@needs_others
def test_a_judge_is_set_beside_four_people(bench: Bench) -> None:
    """Upstream's 48 rated replies with their 173 ratings; a judge that always says 1 tells none."""
    path = Path(str(OTHERS), "humanebench")
    rated = BENCHMARK.human_ratings(pack_of(path / "humane_bench.jsonl"))
    means = [fmean(reply.ratings["humane"].values()) for reply in rated]
    assert sum(len(reply.ratings["humane"]) for reply in rated) == 173
    data = ("--dataset", path)
    first = bench("calibrate", "humanebench", *data, "-o", "rated.jsonl", "--json").json
    humane = first["values"]["humane"]
    assert (first["replies"], first["families"], humane["raters"]) == (48, 8, 4)
    assert humane["mean"] == pytest.approx(fmean(means)) and humane["alpha"]["value"] > 0.5
    with LoopbackServer('{"rating": 1}') as server:
        judge = ("--judge", "openai/j", "--judge-base-url", server.base_url)
        run = bench("score", "humanebench", "rated.jsonl", *data, *judge, "--json", "--yes").json
    (judged,) = bench("calibrate", "humanebench", run["run_id"], *data, "--json").json["judges"]
    assert judged["n"] == 48
    assert judged["mean_difference"]["value"] == pytest.approx(1 - fmean(means))
    assert judged["spearman"]["reason"] == "a rater tells no two apart"


@needs_others
def test_the_published_agreement_of_people_is_by_ranks() -> None:
    """0.7117, of upstream's tables/human_inter_rater_agreement.csv; by intervals it is 0.68."""
    rated = BENCHMARK.human_ratings(pack_of(Path(str(OTHERS), "humanebench", "humane_bench.jsonl")))
    given = [[reply.ratings["humane"].get(f"rater {n}") for n in range(1, 5)] for reply in rated]
    table = np.array(given, dtype=float)
    assert krippendorff_alpha(table, metric="ordinal").value == pytest.approx(0.711684, abs=1e-6)
    assert krippendorff_alpha(table, metric="interval").value == pytest.approx(0.68, abs=0.005)


def test_no_ratings_are_no_fault() -> None:
    """The bundled pack has none beside it."""
    assert BENCHMARK.human_ratings(pack_of(FILE)) == []


@needs_others
def test_the_official_prompts_are_800() -> None:
    """A hundred a principle, of which 788 are in the published scores, and here."""
    path = Path(str(OTHERS), "humanebench", "humane_bench.jsonl")
    assert len(path.read_text(encoding="utf-8").splitlines()) == 800
    pack = pack_of(path)
    assert len(pack.items) == 788
    assert pack.warnings == ("12 prompts are left out, as in the published scores",)


@needs_others
def test_published_scores_are_upstream_s() -> None:
    """Every number of the three files; the table has the models by their baseline score."""
    fields = {"model": str, **dict.fromkeys(NUMBERS, float)}
    ours: list[Any] = read_rows(SCORES, {"persona": str, **fields})
    for persona, name in zip(PERSONAS, ("baseline", "good_persona", "bad_persona"), strict=True):
        theirs = read_rows(Path(str(OTHERS), "humanebench", f"{name}_scores.csv"), fields)
        assert [{**row, "persona": persona} for row in theirs] == [
            row for row in ours if row["persona"] == persona
        ]


@needs_others
def test_published_scores_stand_beside_a_board(bench: Bench) -> None:
    """On the official pack, never among results of ours."""
    path = Path(str(OTHERS), "humanebench")
    bench("run", "humanebench", "--dataset", path, "--limit", "16", "--model", "demo/weak")
    first, *_ = bench("leaderboard", "humanebench", "--published", "--json").json["published"][
        "rows"
    ]
    numbers = {
        "baseline": 0.8647921390778534,
        "good": 0.9172761200439772,
        "bad": 0.8254468580361437,
    }
    assert first == {"model": "gpt-5.1", **numbers}
