"""`bench run creative-writing-v3`: the demo, scores by hand, both readers, pairs."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import ChatResponse, SampleScore, Score
from eibench.plugins.creative_writing.grading import PublishedRubric, WritingRubric, pooled_means
from eibench.testing import LoopbackServer, ReceivedRequest
from tests.plugins.creative_writing.conftest import CRITERIA, WRITTEN, verdict

Bench = Callable[..., Any]
KEY = {"OPENAI_API_KEY": "sk-fake"}
NEGATIVE = ("Weak Dialogue", "Overwrought")
STRICT = WritingRubric(tuple(CRITERIA), 20, lower_is_better=NEGATIVE, form="lines")
PUBLISHED = PublishedRubric(tuple(CRITERIA), 20, lower_is_better=NEGATIVE)


def test_the_demo_runs_offline(bench: Bench) -> None:
    """Three iterations of each prompt, unless another number is asked for."""
    run = ("run", "creative-writing-v3", "--json")
    document = bench(*run, "--limit", "2").json
    assert (document["iterations"], document["items"]["scored"]) == (3, 6)
    metrics = document["metrics"]
    assert list(metrics)[:2] == ["rubric_score", "score_0_20"]
    assert metrics["Purple Prose"]["higher_is_better"] is False
    assert metrics["Coherent"]["higher_is_better"] is True
    again = bench(*run, "--limit", "2", "--iterations", "1")
    assert (again.json["items"]["scored"], again.json["calls"]["model"]) == (2, 2)
    hint = bench("run", "creative-writing-v3", "--limit", "2", "--iterations", "1").err
    assert "--iterations 1" in hint


def test_a_plan_counts_what_is_asked_again(bench: Bench) -> None:
    """Of the model up to three times as much; how often a judge is, nobody knows."""
    done = bench("run", "creative-writing-v3", "--limit", "2", "--iterations", "1", "--dry-run")
    assert "2 to 6 calls to demo/" in done.out + done.err
    assert "and more where an answer cannot be read" in done.out + done.err


def test_the_abler_demo_model_is_first(bench: Bench) -> None:
    """In scores and in ratings."""
    for model in ("demo/weak", "demo/strong"):
        bench("run", "creative-writing-v3", "--limit", "8", "--iterations", "1", "--model", model)
    rows = bench("leaderboard", "creative-writing-v3", "--json").json["rows"]
    assert [row["model"] for row in rows] == ["demo/strong", "demo/weak"]
    assert rows[0]["rating"] > rows[1]["rating"]


def of_pack(server: LoopbackServer, folder: Path, *options: str) -> tuple[Any, ...]:
    """A run on a small pack by a server that plays the writer and the judge."""
    urls = ("--base-url", server.base_url, "--judge-base-url", server.base_url)
    parties = ("--model", "openai/writer", "--judge", "openai/judge")
    pack = ("--dataset", folder, "--iterations", "2", "--json")
    return ("run", "creative-writing-v3", *parties, *urls, *pack, *options)


def test_a_run_is_the_mean_of_its_pieces(bench: Bench, pack: Callable[..., Path]) -> None:
    """By hand: pieces of 72.5 and, with 8 for wit, 67.5; both seeds are asked for."""

    def respond(request: ReceivedRequest) -> str:
        if request.model == "writer":
            return ("It was dry." if "well" in request.prompt else "It leaked.") + WRITTEN
        return "OK" if request.is_trial else verdict(Wit=12 if "dry" in request.prompt else 8)

    with LoopbackServer(respond) as server:
        done = bench(*of_pack(server, pack(), "--no-elo"), env=KEY)
    metrics = done.json["metrics"]
    assert metrics["rubric_score"]["value"] == pytest.approx(70)
    assert metrics["score_0_20"]["value"] == pytest.approx(14)
    assert [metrics[f"pooled_{n}"]["value"] for n in (1, 2)] == pytest.approx([70, 70])
    assert (metrics["Wit"]["value"], metrics["Weak Dialogue"]["value"]) == (10, 4)
    assert metrics["characters"]["value"] == pytest.approx(10.5 + len(WRITTEN.strip()))
    asked = {request.prompt for request in server.requests if request.model == "writer"}
    assert asked == {"A well. With a bucket. Short.", "A well. At night. Short.", "A roof."}
    shown = next(r.prompt for r in server.requests if r.model == "judge" and not r.is_trial)
    assert "less:\nWeak Dialogue, Overwrought\nall:\n- Wit\n" in shown


@pytest.mark.parametrize(("long_at", "scored"), [(3, 2), (4, 0)])
def test_a_short_piece_is_asked_for_three_times(
    bench: Bench, pack: Callable[..., Path], long_at: int, scored: int
) -> None:
    """As by the published code; then it is unscored, and the judge is not asked."""
    asked = Counter[str]()

    def respond(request: ReceivedRequest) -> str:
        if request.model == "writer":
            asked[request.prompt] += 1
            return WRITTEN if asked[request.prompt] >= long_at else "x" * 499 + " \n"
        return "OK" if request.is_trial else verdict()

    with LoopbackServer(respond) as server:
        run = of_pack(server, pack(), "--no-elo", "--items", "well")
        document = bench(*run, env=KEY).json
        judged = sum(r.model == "judge" and not r.is_trial for r in server.requests)
    assert set(asked.values()) == {3} and len(asked) == 2
    assert (document["items"]["scored"], judged) == (scored, scored)
    reason = "the text has 499 characters; under 500 counts as none"
    assert {one["reason"] for one in document["unscored"]} == ({reason} if scored == 0 else set())


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (verdict(Wit=21), "Wit: not one number from 0 to 20"),
        (verdict() + "\nWit: 3", "Wit: not one number from 0 to 20"),
        (verdict().replace("Wit: 12\n", ""), "it lacks Wit"),
        ("I would rather not.", "it lacks Wit"),
    ],
)
def test_a_verdict_in_doubt_leaves_the_piece_unscored(
    bench: Bench, pack: Callable[..., Path], reply: str, reason: str
) -> None:
    """After asking three times, with the reason; the piece is kept."""

    def respond(request: ReceivedRequest) -> str:
        return WRITTEN if request.model == "writer" else reply

    with LoopbackServer(respond) as server:
        done = bench(*of_pack(server, pack(), "--no-elo", "--items", "well"), env=KEY)
    assert done.code == 1
    assert {one["reason"].partition("read: ")[2] for one in done.json["unscored"]} == {reason}
    calls = [request for request in server.requests if not request.is_trial]
    assert len(calls) == 2 + 2 * 3


def test_published_pages_count_what_follows_any_colon() -> None:
    """A clock in the analysis too, above the scale; of a name that stands twice the last counts."""
    reply = "It begins at 10:40. Wit: 3\n" + verdict()
    value = PUBLISHED.read(ChatResponse(reply)).value
    assert value is not None and value.scores == {"It begins at 10": 40, ". Wit": 3, **CRITERIA}
    # (40 + 3 + 12 + 16 + 10 + 20) / 6 of 20
    score = PUBLISHED.score_of(value)
    assert score.values["rubric_score"] == pytest.approx(5 * 101 / 6)
    assert "It begins at 10" not in score.values and score.values["criteria_read"] == 6


@pytest.mark.parametrize(
    ("reply", "reason"),
    [("Fine.", "no number"), ("", "empty"), ("The year: 1999", "beyond the scale")],
)
def test_published_pages_cannot_read_all(reply: str, reason: str) -> None:
    """What has no mean from 0 to 100 has no score."""
    reading = PUBLISHED.read(ChatResponse(reply))
    assert reading.value is None and reason in str(reading.reason)


def test_a_pooled_mean_counts_grades() -> None:
    """A piece of two grades weighs half as much as one of four: (80 x 4 + 20 x 2) / 6."""
    scores = [
        SampleScore("a", "a", 1, Score({"rubric_score": 80, "criteria_read": 4})),
        SampleScore("b", "b", 1, Score({"rubric_score": 20, "criteria_read": 2})),
        SampleScore("c", "c", 2, Score.unscored("unread")),
    ]
    pooled = pooled_means(scores)
    assert {name: metric.value for name, metric in pooled.items()} == {"pooled_1": 60}


def test_pieces_are_compared_cut_alike_in_both_orders(
    bench: Bench, pack: Callable[..., Path]
) -> None:
    """4,000 characters of each, under codes that are no writer's own, with the seed's task.

    The published scheme counts coherence twice: 3 against 4, not against 2.
    """

    def respond(request: ReceivedRequest) -> str:
        if "writer" in request.model:
            return f"{request.model} " + "word " * 1000
        if request.is_trial:
            return "OK"
        codes = re.findall(r"^\[WRITER (A\d+)\]\n(\S+)", request.prompt, re.M)
        if not codes:
            return verdict()
        of = {model: code for code, model in codes}
        return f'{{"wit": "{of["writer-b"]}+++", "coherence": "{of["writer-a"]}++"}}'

    with LoopbackServer(respond) as server:
        for name in ("a", "b"):
            command = of_pack(server, pack(), "--model", f"openai/writer-{name}")
            words = [word for word in command if word != "openai/writer"]
            words.remove("--model")
            done = bench(*words, env=KEY)
            assert done.code == 0, done.err
    pairs = [r.prompt for r in server.requests if "[WRITER" in r.prompt]
    assert len(pairs) == 8  # two items, two iterations, two orders
    assert all("A0493" not in text and "A0488" not in text for text in pairs)
    assert sum("At night." in text for text in pairs) == 2
    texts = re.findall(r"\[WRITER A\d+\]\n(.*?)\n\[/WRITER", pairs[0], re.S)
    assert [len(text) for text in texts] == [4000] * 2
    for engine, order in (((), "ba"), (("--engine", "trueskill"), "ab")):
        rows = bench("leaderboard", "creative-writing-v3", "--json", *engine).json["rows"]
        rated = bench("rate", "creative-writing-v3", "--json", *engine).json["ratings"]
        for ranked in (rows, rated):
            names = [row["model"].partition("@")[0] for row in ranked]
            assert names == [f"openai/writer-{one}" for one in order]
