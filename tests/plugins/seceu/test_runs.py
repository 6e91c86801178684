"""Whole runs on the bundled stories: over HTTP, from the command line, stopped and gone on with."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import eibench
from eibench import Result
from eibench.core.cli.app import app
from eibench.testing import LoopbackServer, ReceivedRequest, fail_first


def bench(*args: str) -> Any:
    """`bench` with these arguments."""
    done = CliRunner().invoke(app, list(args), env={"COLUMNS": "120"})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def run(server: LoopbackServer, place: Path, **rest: Any) -> Result:
    """A run of a loopback model."""
    folder = place / "runs"
    url = server.base_url
    return eibench.run("seceu", model="openai/any", base_url=url, runs_dir=folder, **rest)


@pytest.mark.parametrize(
    ("prompting", "temperature", "top_p"), [("direct", 0.1, 1.0), ("two-shot", 0.0, 0.9)]
)
def test_each_prompting_is_sampled_as_it_should_be(
    empty_place: Path, prompting: str, temperature: float, top_p: float
) -> None:
    """In the request, in the document, and without counting as a change."""
    with LoopbackServer("(1) 4; (2) 3; (3) 2; (4) 1") as server:
        result = run(server, empty_place, options={"prompting": prompting})
        body = server.requests[0].body
    assert (body["temperature"], body["top_p"]) == (temperature, top_p)
    assert result.document["sampling"]["temperature"] == temperature
    assert "changed" not in result.document["comparability"]
    assert result.items.scored == 16


def test_promptings_are_runs_of_their_own(empty_place: Path) -> None:
    """Languages and orders too; the same options again ask nothing."""
    with LoopbackServer("(1) 4; (2) 3; (3) 2; (4) 1") as server:
        choices: list[dict[str, Any]] = [
            {},
            {"prompting": "zero-shot"},
            {"shuffle_options": True},
            {"lang": "zh"},
        ]
        ids = [run(server, empty_place, options=c).run_id for c in choices]
        asked = len(server.answered)
        assert len(set(ids)) == 4
        assert run(server, empty_place, options={}).run_id == ids[0]
        assert len(server.answered) == asked == 16 * 3 + 12


def test_a_run_gets_over_faults_and_counts_what_it_cannot_read(empty_place: Path) -> None:
    """Every first request fails; four replies say nothing, which is counted, not zeroed."""

    def answer(request: ReceivedRequest) -> str:
        silent = any(name in request.prompt for name in ("Ignatius", "Saoirse", "Piet", "Kirsi"))
        return "I would rather not." if silent else "(1) 4; (2) 3; (3) 2; (4) 1"

    with LoopbackServer(answer, faults=fail_first("500")) as server:
        result = run(server, empty_place)
    assert (result.items.scored, result.items.unscored, result.items.failed) == (12, 4, 0)
    assert result.status == "complete"
    assert result.document["notes"]["counts"]["unread"] == 4
    read, filled = (
        result.metrics[name].value for name in ("seceu_score", "seceu_score_unread_null")
    )
    assert read is not None
    assert filled is not None
    assert filled > read


def test_a_model_that_says_nothing_fails(empty_place: Path) -> None:
    """The paper's FAILED: status fail, exit code 1, no value made up."""
    with LoopbackServer("I would rather not.") as server:
        result = run(server, empty_place)
    assert result.status == "fail"
    assert str(result.document["invalid"]).startswith("no meaningful answer to 10 of 10")
    assert result.metrics["seceu_score"].value is None


def test_the_first_run_is_complete_and_says_what_it_is() -> None:
    """A demo model on the bundled stories: distances, no EQ, and where more can be had."""
    done = bench("run", "seceu")
    assert done.exit_code == 0
    for words in ("SECEU score (mean distance)", "the pack has no norm", "DEMO", "distance: random",
                  "The 5 stories furthest from the reference"):  # fmt: skip
        assert words in done.stdout
    assert "bench data fetch seceu" in done.stderr


def test_answers_made_elsewhere_are_scored(empty_place: Path) -> None:
    """`bench prompts` out, answers in: a row per answer with its distance and points."""
    lines = bench("prompts", "seceu", "--prompting", "zero-shot", "--limit", "2").stdout
    assert [json.loads(line)["temperature"] for line in lines.splitlines()] == [0.0, 0.0]
    row = {"item_id": "1", "response": '{"Slighted": 1, "Moved": 4, "Proud": 3, "Weary": 2}'}
    (empty_place / "answers.jsonl").write_text(json.dumps(row))
    document = json.loads(bench("score", "seceu", "answers.jsonl", "--json").stdout)
    (scored,) = document["scores"]["1"]
    assert scored["distance"] == 0
    assert [scored[f"points_{n}"] for n in range(1, 5)] == [1, 4, 3, 2]
    assert scored["flags"] == ["json"]


def test_one_story_can_be_shown(empty_place: Path) -> None:
    """With the prompt, the reply and the flags."""
    document = json.loads(bench("run", "seceu", "--json", "--limit", "1").stdout)
    shown = bench("show", document["run_id"], "1").stdout
    assert "Ignatius" in shown
    assert "distance" in shown
    assert "flags: index" in shown


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--prompting", "best"), 2, "'best' is not one of 'direct', 'zero-shot'"),
        (("--lang", "de"), 2, "'de' is not one of 'en', 'zh'"),
        (("--dataset", "none"), 3, "no such file, folder or pack"),
        (("--dataset", "."), 3, "holds no pack of seceu"),
        (("--dataset", "text.json"), 3, "not JSON"),
    ],
    ids=str,
)
def test_mistakes_are_one_line(
    empty_place: Path, args: tuple[str, ...], code: int, message: str
) -> None:
    """What, where, what to do."""
    (empty_place / "text.json").write_text("stories")
    done = bench("run", "seceu", *args)
    assert done.exit_code == code
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_plan_promises_no_second_question(empty_place: Path) -> None:
    """As none is asked; that of a benchmark that asks again says so."""
    more = ", and more where an answer cannot be read;"
    rest = ("--model", "demo/medium", "--dry-run")
    assert more not in bench("run", "seceu", *rest).stderr
    assert more in bench("run", "emotionqueen", *rest).stderr
    assert "; 30 to 150 calls to demo/medium; " in bench("run", "eqbench-v1", *rest).stderr
