"""The reference plugins do what a real benchmark is expected to, in few lines."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.judges import Rubric, Template
from eibench.testing import LoopbackServer, ReceivedRequest, ScriptedModel

Bench = Callable[..., Any]
HERE = Path(__file__).parent
MOST_LINES = {"undercurrents": 88, "condolences": 130, "doorstep": 130, "listening": 70}
"""Of a plugin's module, blank ones apart; with the API before they were 215, 243, 187 and 121."""
RUBRIC = Rubric(("tact", "pressure"), 10, lower_is_better=("pressure",))
PAIR = Template("[REPLY {one}]\n{first}\n[/REPLY {one}]\n{second}\n{form}")
GRADES = "presence: 6\ntruth: 6\nparticulars: 6\nburden: 2\nplatitude: 2\nwarmth: 9"


@pytest.mark.parametrize("name", MOST_LINES)
def test_a_plugin_is_short(name: str) -> None:
    """Imports and docstrings count."""
    text = (HERE / name / f"{name}.py").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(lines) <= MOST_LINES[name]


@pytest.mark.parametrize("name", MOST_LINES)
def test_a_plugin_runs_on_demo_models(bench: Bench, name: str) -> None:
    """Every sample scored, an interval, and the same result from the journal."""
    document = bench("run", name, "--json").json
    assert document["status"] == "complete"
    assert document["items"]["scored"] == document["items"]["total"] > 0
    main = next(iter(document["metrics"].values()))
    assert main["value"] is not None
    assert bench("run", name, "--json").json["metrics"] == document["metrics"]
    again = bench("rescore", document["run_id"], "--json").json
    assert again["metrics"] == document["metrics"]


@pytest.mark.parametrize("name", MOST_LINES)
def test_abler_models_do_better(bench: Bench, name: str) -> None:
    """The demo models are in the order of their ability."""
    found = [
        _main(bench("run", name, "--model", f"demo/{m}", "--json").json) for m in ("strong", "weak")
    ]
    assert found[0] > found[1]


def _main(document: Any) -> float:
    value: float = next(iter(document["metrics"].values()))["value"]
    return value


def test_a_choice_that_is_not_made_is_unscored(bench: Bench) -> None:
    """Prose is no letter, and after ten such replies nothing more is asked."""
    with LoopbackServer("I would rather not say.") as server:
        one_by_one = ("--concurrency", "1", "--json")
        document = bench("run", "undercurrents", *_openai(server), *one_by_one).json
    assert document["items"]["unscored"] == 10
    reason = document["unscored"][0]["reason"]
    assert reason.startswith("names no choice for feeling and reason")
    assert document["status"] == "fail"


def test_shuffled_choices_are_put_to_a_vote(bench: Bench) -> None:
    """Three orders a scene; with another rule nothing is asked again."""
    with LoopbackServer("feeling: A\nreason: A") as server:
        run = ("run", "undercurrents", *_openai(server), "--shuffles", "3", "--json")
        first = bench(*run).json
        asked = len(server.answered)
        mean = bench(*run, "--rule", "each").json
        assert (asked, len(server.answered)) == (36, 36)
    assert first["metrics"]["feeling"]["value"] != mean["metrics"]["feeling"]["value"]
    assert mean["baselines"]["random"]["value"] == 1 / 16
    assert set(first["metrics"]) == {
        "both", "both_hidden", "both_mixed", "both_displaced", "feeling", "reason",
    }  # fmt: skip


def test_all_shuffled_requests_can_be_written(bench: Bench) -> None:
    """Answers from elsewhere: each order is a request of its own."""
    asked = bench("prompts", "undercurrents", "--shuffles", "2").out.splitlines()
    assert len(asked) == 24


def test_an_option_out_of_its_range_is_refused_before_anything_is_asked(bench: Bench) -> None:
    """The range stands in the help, too."""
    done = bench("run", "undercurrents", "--shuffles", "0")
    assert done.code == 2
    assert "1" in done.err and "9" in done.err
    assert re.search(r"--shuffles.*?1.*?9", bench("run", "undercurrents", "--help").out, re.DOTALL)


def _openai(server: LoopbackServer, *judges: str) -> list[str]:
    """Options for a model, and judges, of a server."""
    given = [part for judge in judges for part in ("--judge", f"openai/{judge}")]
    where = ["--judge-base-url", server.base_url] if judges else []
    return ["--model", "openai/m", "--base-url", server.base_url, *given, *where]


def test_a_rubric_turns_what_should_be_little_and_leaves_out_what_does_not_apply(
    bench: Bench,
) -> None:
    """(6 + 6 + 6 + 8 + 8) of 50; warmth counts nothing, faith may be absent."""
    with LoopbackServer(_by_judge(f"It is kind.\n{GRADES}")) as server:
        document = bench("run", "condolences", *_openai(server, "j"), "--no-elo", "--json").json
    metrics = document["metrics"]
    assert metrics["rubric_score"]["value"] == pytest.approx(68)
    assert (metrics["burden"]["value"], metrics["burden"]["higher_is_better"]) == (2, False)
    assert (metrics["warmth"]["higher_is_better"], metrics["faith"]["n"]) == (None, 0)
    assert document["metric_groups"]["burden"] == "quality criteria, less is better (0-10)"


def _by_judge(verdict: str) -> Callable[[ReceivedRequest], str]:
    return lambda request: "Dear friend, I am sorry." if request.model == "m" else verdict


@pytest.mark.parametrize(
    "verdict", ["Lovely.", GRADES.replace("6", "11"), GRADES + "\nAll in all."]
)
def test_a_verdict_that_cannot_be_read_leaves_a_letter_unscored(bench: Bench, verdict: str) -> None:
    """After it was asked for twice again."""
    with LoopbackServer(_by_judge(verdict)) as server:
        run = ("run", "condolences", *_openai(server, "j"), "--no-elo", "--limit", "1", "--json")
        document = bench(*run).json
    assert document["items"]["unscored"] == 1
    assert document["flags"]["unread"] == document["flags"]["re-asked twice"] == 1


@pytest.mark.parametrize("name", ["condolences", "listening", "doorstep"])
@pytest.mark.parametrize("fault", ["refusal", "empty"])
def test_what_is_no_answer_never_reaches_a_judge(bench: Bench, name: str, fault: str) -> None:
    """It would grade the refusal, and be paid for it."""
    role = ("--role", "visitor=openai/v", "--role-base-url") if name == "doorstep" else ()
    with LoopbackServer(
        _by_judge(GRADES), faults=lambda r: fault if r.model == "m" else None
    ) as server:
        run = [
            "run",
            name,
            *_openai(server, "j"),
            *role,
            *[f"visitor={server.base_url}"] * bool(role),
        ]
        document = bench(*run, "--json", env={"BENCH_MAX_RETRIES": "0"}).json
        assert not [r for r in server.answered if r.model == "j" and not r.is_trial]
    assert document["items"]["scored"] == 0


def test_letters_are_compared_and_rated(bench: Bench) -> None:
    """Two demo models on a board, the able one first."""
    for model in ("strong", "weak"):
        document = bench("run", "condolences", "--model", f"demo/{model}", "--json").json
    assert document["comparisons"]["read"] > 0
    assert [row["model"] for row in document["ratings"]] == ["demo/strong", "demo/weak"]


async def test_margins_are_turned_where_less_is_better() -> None:
    """A judge that finds more of everything in the first one gives it two minuses."""
    judge = ScriptedModel("", "", "")
    await RUBRIC.compare(judge, PAIR, "One.", "Two.")
    prompt = judge.requests[0].messages[-1].content
    first = re.findall(r"^\[REPLY (A\d+)\]$", prompt, re.MULTILINE)[0]
    judge = ScriptedModel(json.dumps(dict.fromkeys(("tact", "pressure"), f"{first}++")))
    score = await RUBRIC.compare(judge, PAIR, "One.", "Two.")
    assert score.margins == {"tact": 2, "pressure": -2}


def test_a_visitor_who_breaks_the_rules_ends_the_talk_with_a_flag(bench: Bench) -> None:
    """Its turn is drawn three times; the sample stays in the score."""
    grades = json.dumps({"noticing": 5, "pace": 5, "room": 5, "steering": 0})

    def respond(request: ReceivedRequest) -> str:
        return {"m": "I noticed.", "v": "As the visitor, I say no."}.get(request.model, grades)

    with LoopbackServer(respond) as server:
        role = ("--role", "visitor=openai/v", "--role-base-url", f"visitor={server.base_url}")
        document = bench("run", "doorstep", *_openai(server, "j"), *role, "--json").json
        assert len([r for r in server.answered if r.model == "v"]) == 12
    assert document["flags"]["broken-turn"] == document["items"]["scored"] == 4
    assert document["metrics"]["rubric_score"]["value"] == pytest.approx(62.5)


def test_a_checklist_is_voted_on_by_a_panel_and_graded_by_another_judge(bench: Bench) -> None:
    """Two of three say yes; one more judge is the only one that is asked; then none is."""

    def respond(request: ReceivedRequest) -> str:
        yes = int(request.model != "b")
        answers = {"names_feeling": yes, "fits": yes, "no_fixing": 1, "invites": 0}
        return "That sounds lonely." if request.model == "m" else json.dumps(answers)

    with LoopbackServer(respond) as server:
        panel = (
            "run",
            "listening",
            *_openai(server, "a", "b", "c"),
            "--panel",
            "majority",
            "--json",
        )
        document = bench(*panel).json
        asked = len(server.answered)
        assert document["metrics"]["met"]["value"] == 0.75
        assert document["flags"]["split"] == 8
        more = ("run", "listening", *_openai(server, "a", "b", "c", "d"), "--json")
        assert bench(*more).json["metrics"]["met"]["value"] == pytest.approx((0.75 * 3 + 0.25) / 4)
        assert {r.model for r in server.answered[asked:]} == {"d"}


def test_a_run_goes_on_where_it_was_stopped(bench: Bench) -> None:
    """Three scenes first, the rest later; none is asked twice."""
    with LoopbackServer("feeling: A\nreason: B") as server:
        run = ("run", "undercurrents", *_openai(server), "--json")
        assert bench(*run, "--limit", "3").json["items"]["scored"] == 3
        assert bench(*run).json["items"]["scored"] == len(server.answered) == 12
