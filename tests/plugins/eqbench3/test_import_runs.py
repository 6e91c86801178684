"""`bench import --format eqbench3` of runs: from the file to what every command makes of them."""

import gzip
import json
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eibench import PackSource, folder, read_toml
from eibench.core.engine import replaying, translating
from eibench.core.journal import Journal, RunLock
from eibench.core.reports.protocols import Outcome, protocol_of
from eibench.plugins.eqbench3.benchmark import EQBench3
from eibench.plugins.eqbench3.scenarios import read_scenarios
from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]
Make = Callable[..., dict[str, Any]]
Write = Callable[..., Path]
Import = Callable[..., Any]

JUDGE = "imported/maker/sonnet"
KINDS: dict[str, Any] = read_toml(folder("eqbench3") / "official_protocol.toml")["kinds"]
#: The scenarios of the pack.
ASKED = ("1", "208", "8", "401")
WORDS = (
    "I wonder what it is like for her, and I might be wrong. It is late, and nobody has said so."
)
#: A prompt for comparisons in upstream's form and in our words.
PAIRWISE = (
    "Two replies.\n\n[RESPONDENT A0493]\n{conversation_history_A}\n{debrief_A}\n"
    "[/RESPONDENT A0493]\n\n[RESPONDENT A0488]\n{conversation_history_B}\n{debrief_B}\n"
    '[/RESPONDENT A0488]\n\n{\n  "chain_of_thought_reasoning": "what you think",\n'
    '  "kindness": "code and plus signs",\n  "sense": "code and plus signs"\n}'
)


@pytest.fixture
def pack(upstream_pack: Write) -> Path:
    """Four scenarios in upstream's form and in our words, which can be compared."""
    analysis = re.sub(r"conversation_history_(.)\}\n\{debrief_.", r"response_\1", PAIRWISE)
    return upstream_pack(
        pairwise_prompt_eqbench3=PAIRWISE, pairwise_prompt_eqbench3_analysis=analysis
    )


@pytest.fixture
def bring(bench: Bench, runs_file: Write, pack: Path) -> Import:
    """Writes a file of runs and imports it; `options` are those of the command."""

    def run(*runs: Any, options: tuple[object, ...] = (), **more: Any) -> Any:
        path = runs_file(*runs, **more)
        return bench("import", path, "--format", "eqbench3", "--dataset", pack, *options)

    return run


def dump(runs_dir: str = "runs") -> list[str]:
    """All that a journal holds."""
    with closing(sqlite3.connect(Path(runs_dir) / "bench.sqlite")) as database:
        return list(database.iterdump())


def the_run(bench: Bench) -> dict[str, Any]:
    """The only run there is, as `bench runs` has it."""
    (found,) = bench("runs", "--json").json["runs"]
    return dict(found)


def shown(bench: Bench, run_id: str, *more: object) -> Any:
    """The JSON document of `bench show`."""
    return bench("show", run_id, *more, "--json").json


# What an imported run is


def test_a_run_is_imported_with_its_verdicts(bench: Bench, bring: Import, run: Make) -> None:
    """What became of it, and what to type next."""
    done = bring(run(iterations=2))
    run_id = the_run(bench)["run_id"]
    assert (done.code, done.out) == (0, "")
    assert done.err == (
        f"run {run_id} (eqbench3, o3 (imported)): new: 8 transcripts, 8 verdicts\n"
        f"next: bench show {run_id} shows a result, bench rejudge {run_id} --judge SPEC has its "
        "transcripts judged\n"
    )


def test_it_is_listed_as_imported(bench: Bench, bring: Import, run: Make) -> None:
    """With its own time, under a name that says so."""
    bring(run())
    found = the_run(bench)
    assert (found["name"], found["model"]) == ("o3 (imported)", "imported/maker/o3")
    assert found["imported"] == {"format": "eqbench3", "run": "0a1b2c3d_o3"}
    assert (found["status"], found["demo"]) == ("complete", False)
    assert found["created_at"] == "2025-05-01T10:00:00.123+00:00"
    assert "o3 (imported)" in bench("runs").out


def test_its_result_is_that_of_the_judge_s_words(bench: Bench, bring: Import, run: Make) -> None:
    """Not of the grades that the file derives: 12 of 20 is 60, and 18 is 90."""
    bring(run(tasks={"401": {"grade": 18}}))
    document = shown(bench, the_run(bench)["run_id"])
    assert document["metrics"]["rubric_score"]["value"] == pytest.approx((3 * 60 + 90) / 4)
    assert document["judge"] == JUDGE
    assert document["items"] == {
        "total": 4, "scored": 4, "unscored": 0, "failed": 0, "truncated": None, "pending": 0,
    }  # fmt: skip


def test_what_is_not_recorded_is_null(bench: Bench, bring: Import, run: Make) -> None:
    """Tokens, cost and sampling; and the comparability line says so."""
    bring(run())
    document = shown(bench, the_run(bench)["run_id"])
    assert document["imported"] == {"format": "eqbench3", "run": "0a1b2c3d_o3"}
    assert document["tokens"] == dict.fromkeys(("input", "cached", "output", "reasoning"))
    assert (document["cost_usd"], document["sampling"]) == (None, {})
    assert (document["calls"]["model"], document["calls"]["judge"]) == (8, 4)
    assert document["comparability"].endswith(
        f"judge {JUDGE}; imported from another program; "
        "beside no published score: sampling and system prompt are not recorded"
    )


def test_the_table_says_what_is_not_recorded(bench: Bench, bring: Import, run: Make) -> None:
    """Instead of zeros."""
    bring(run())
    out = bench("show", the_run(bench)["run_id"]).out
    assert out.startswith("eqbench3  o3 (imported)  COMPLETE\n")
    assert "samples    4 = 4 scored + 0 unscored + 0 failed\n" in out
    assert (
        "imported   8 replies of the model and 4 of the judge; "
        "what was sent, tokens, cost and time are not recorded\n"
    ) in out


def test_its_document_lies_beside_the_journal(bench: Bench, bring: Import, run: Make) -> None:
    """As those of other runs do; names with path characters stay inside the folder."""
    bring(run("../../o3", api_model_id="../../../etc/o3"))
    run_id = the_run(bench)["run_id"]
    (path,) = Path("runs").glob("*.json")
    assert path.name == f"o3-imported-{run_id}.json"
    assert json.loads(path.read_text())["name"] == "../../o3 (imported)"


def test_an_item_is_shown_as_it_was_said(bench: Bench, bring: Import, run: Make) -> None:
    """The conversation, the debrief, the judge; nothing that nobody knows."""
    bring(run())
    record = shown(bench, the_run(bench)["run_id"], "1")
    (iteration,) = record["iterations"]
    calls = iteration["calls"]
    assert record["imported"] is not None
    assert [call["phase"] for call in calls] == ["generate"] * 3 + ["judge"]
    assert calls[2]["messages"][-1] == ["user", "Look back."]
    assert calls[2]["text"] == "o3 looks back."
    assert calls[3]["messages"] is None
    assert {call["model"] for call in calls} == {"imported/maker/o3", JUDGE}
    for name in ("usage", "latency_s", "attempts", "sent", "finish", "cost_usd"):
        assert [call[name] for call in calls] == [None] * 4
    assert iteration["score"]["judge"] == JUDGE


def test_an_item_s_page_says_what_is_not_recorded(bench: Bench, bring: Import, run: Make) -> None:
    """Beside each reply."""
    bring(run())
    out = bench("show", the_run(bench)["run_id"], "8").out
    assert "Speak." in out
    assert out.count("imported: what was sent, tokens and time are not recorded") == 3
    assert "asked the judge; what it was shown is not recorded" in out
    assert " 0 in" not in out


def test_plain_and_packed_are_the_same(bench: Bench, bring: Import, run: Make) -> None:
    """So the second is there already."""
    assert ": new: " in bring(run(), name="eqbench3_runs.json.gz").err
    assert ": already there; " in bring(run(), name="eqbench3_runs.json").err


def test_several_runs_of_a_file_are_several_runs(bench: Bench, bring: Import, run: Make) -> None:
    """Also of one model; what begins with two lines is none."""
    again = run(run_key="ffff0000_o3")
    done = bring(run(), run("tiny"), again, __metadata__={"odd": [1]})
    assert done.err.count(": new: 4 transcripts, 4 verdicts") == 3
    assert len({r["run_id"] for r in bench("runs", "--json").json["runs"]}) == 3


def test_keys_that_differ_in_blanks_are_of_two_runs(bench: Bench, bring: Import, run: Make) -> None:
    """A key is taken as it is."""
    done = bring(**{"k": run(), "k ": run()})
    assert done.err.count(": new: 4 transcripts, 4 verdicts") == 2


def test_runs_of_one_name_are_told(bench: Bench, bring: Import, run: Make) -> None:
    """On boards and in ratings one of them counts, as of our own."""
    done = bring(run(), run("tiny"))
    assert "are called" not in done.err
    done = bring(run(run_key="ffff0000_o3"), run("tiny"))
    assert (
        "note: 2 runs are called 'o3 (imported)'; boards and ratings take the newest whole one\n"
    ) in done.err
    assert done.err.count("are called") == 1


def test_a_run_without_verdicts_is_only_generated(bench: Bench, bring: Import, run: Make) -> None:
    """As with `--no-rubric --no-elo`."""
    none = {"raw_rubric_judge_text": None, "rubric_scores": None, "status": "completed"}
    done = bring(run(tasks=dict.fromkeys(ASKED, none)))
    assert "new: 4 transcripts, 0 verdicts" in done.err
    document = shown(bench, the_run(bench)["run_id"])
    assert (document["status"], document["judge"]) == ("complete", None)
    assert document["metrics"]["rubric_score"]["value"] is None


def test_a_judge_that_the_file_does_not_name_is_named_by_the_user(
    bench: Bench, bring: Import, run: Make
) -> None:
    """And is still another one than a judge of that name that was asked here."""
    made = run(judge_model="N/A", rubric_judge_model="N/A")
    done = bring(made)
    assert "left out: 4 x its verdict: the file does not say who judged; name the judge" in done.err
    bring(made, options=("--judge", "openai/gpt-4.1"))
    document = shown(bench, the_run(bench)["run_id"])
    assert document["judge"] == "imported/openai/gpt-4.1"
    bring(made, options=("--judge", "imported/", "--runs-dir", "other"))
    (path,) = Path("other").glob("*.json")
    assert json.loads(path.read_text())["judge"] == "imported/imported/"
    bring(made)
    assert shown(bench, the_run(bench)["run_id"]) == document


@pytest.mark.parametrize("judge", ["\x1b[31mred", "half \udcff"])
def test_a_judge_s_name_from_the_command_line_is_a_name(
    bench: Bench, bring: Import, run: Make, judge: str
) -> None:
    """As one from the file is."""
    done = bring(run(rubric_judge_model="N/A"), options=("--judge", judge))
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "--judge is no name: it has a character that cannot be printed" in done.err
    assert not Path("runs").exists()


# What is checked, and what is left out


def test_a_verdict_is_read_as_strictly_as_our_own(bench: Bench, bring: Import, run: Make) -> None:
    """One that cannot be read leaves its sample unscored; it cannot be asked again."""
    bring(run(tasks={"8": {"raw_rubric_judge_text": '{"demonstrated_empathy": "twelve"}'}}))
    run_id = the_run(bench)["run_id"]
    document = shown(bench, run_id)
    assert (document["status"], document["items"]["scored"]) == ("incomplete", 3)
    assert document["unscored"] == [{"item_id": "8", "iteration": 1, "reason": replaying.UNREAD}]
    assert document["metrics"]["rubric_score"]["value"] == pytest.approx(60)
    assert document["notes"]["judge"]["unread"] == 1
    assert "twelve" in bench("show", run_id, "8").out


def test_verdicts_that_cannot_be_read_are_told(bench: Bench, bring: Import, run: Make) -> None:
    """How many of them, when they come: their samples are unscored."""
    none = {"raw_rubric_judge_text": "no"}
    done = bring(run(tasks={"8": none, "401": none}), run("tiny", tasks={"8": none}))
    assert ": new: 4 transcripts, 4 verdicts, 2 of them unread\n" in done.err
    assert ": new: 4 transcripts, 4 verdicts, 1 of them unread\n" in done.err


def test_a_verdict_may_stand_after_thinking(bench: Bench, bring: Import, run: Make) -> None:
    """Which is kept apart; so is the model's."""
    verdict = run()["scenario_tasks"]["1"]["8"]["raw_rubric_judge_text"]
    said = "<think>It is {odd}.</think>\n" + verdict
    bring(run(tasks={"8": {"raw_rubric_judge_text": said}}))
    run_id = the_run(bench)["run_id"]
    assert shown(bench, run_id)["items"]["scored"] == 4
    (iteration,) = shown(bench, run_id, "8")["iterations"]
    assert iteration["calls"][-1]["reasoning"] == "It is {odd}."


def test_thinking_is_kept_apart_and_told(bench: Bench, bring: Import, run: Make) -> None:
    """The model was shown its own in the next turn, which our runs keep from it."""
    done = bring(run(tasks={"1": {"replies": ["<think>Hm.</think>\n# Aloud\nI wait."]}}))
    assert "note: in 1 transcript the model was shown its own thinking, which is kept" in done.err
    first, *_ = shown(bench, the_run(bench)["run_id"], "1")["iterations"][0]["calls"]
    assert (first["text"], first["reasoning"]) == ("# Aloud\nI wait.", "Hm.")


def turned(task: dict[str, Any], **changes: str) -> list[dict[str, str]]:
    """A task's conversation with other words of the user in its first turn."""
    first, *rest = task["conversation_history"]
    return [{**first, **changes}, *rest]


@pytest.mark.parametrize(
    ("id", "change", "reason"),
    [
        ("1", lambda t: {"conversation_history": turned(t, content="Hello.")},
         replaying.OTHERWISE),
        ("1", lambda t: {"conversation_history": turned(t, content=turned(t)[0]["content"] + " ")},
         replaying.OTHERWISE),
        ("8", lambda t: {"debrief_prompt": "Look ahead."}, replaying.OTHERWISE),
        ("8", lambda t: {"debrief_response": None}, replaying.TOO_SHORT),
        ("1", lambda t: {"conversation_history": t["conversation_history"][:2]},
         replaying.OTHERWISE),
        ("1", lambda t: {"conversation_history": t["conversation_history"][:2],
                         "debrief_response": None}, replaying.TOO_SHORT),
        ("401", lambda t: {"debrief_response": "Why?"}, replaying.TOO_LONG),
        ("401", lambda t: {"conversation_history": t["conversation_history"] * 2},
         replaying.TOO_LONG),
        ("1", lambda t: {"replies": ["", "I wait."]}, replaying.UNLIKE_SHOWN),
        ("1", lambda t: {"status": "running_scenario"}, "it is not finished"),
    ],
    ids=["user", "blank", "debrief", "no debrief", "fewer, debrief", "fewer", "more", "twice",
         "empty", "unfinished"],
)  # fmt: skip
def test_what_is_not_for_certain_the_pack_s_is_left_out(
    bench: Bench, bring: Import, run: Make, task: Make, id: str, change: Any, reason: str
) -> None:
    """With the reason; the others are there."""
    done = bring(run(tasks={id: change(task(id))}))
    assert done.code == 0
    assert the_run(bench)["status"] == "incomplete"
    assert "samples    4 = 3 scored + 0 unscored + 0 failed + 1 not there or not judged\n" in bench(
        "show", the_run(bench)["run_id"]
    ).out  # fmt: skip
    assert f"): new: 3 transcripts, 3 verdicts\n  left out: 1 x {reason}\n" in done.err
    with Journal(Path("runs")) as journal:
        (stored,) = journal.runs()
        assert id not in {call.item_id for call in journal.calls(stored)}


def test_a_scenario_that_the_pack_does_not_have_is_left_out(
    bench: Bench, bring: Import, run: Make, task: Make
) -> None:
    """Whatever it is called."""
    made = run()
    made["scenario_tasks"]["1"] |= {
        "../9": task("8", scenario_id="../9"),
        "": task("8", scenario_id=""),
    }
    assert "left out: 2 x the pack has no such item\n" in bring(made).err


def test_what_is_missing_of_it_is_not_called_to_do(
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer
) -> None:
    """Nothing can make a conversation; a verdict can be had of another judge."""
    unjudged = {"raw_rubric_judge_text": None, "rubric_scores": None}
    bring(run(tasks={"8": {"status": "running_scenario"}, "401": unjudged}))
    run_id = the_run(bench)["run_id"]
    told = bench("show", run_id).out
    assert "samples    4 = 2 scored + 0 unscored + 0 failed + 2 not there or not judged\n" in told
    bench("rejudge", run_id, "--judge", "openai/j", "--judge-base-url", judges.base_url)
    told = bench("show", run_id).out
    assert "samples    3 = 3 scored + 0 unscored + 0 failed\n" in told
    assert "0 unread; 1 of the 4 samples were not imported\n" in told


def test_a_run_of_which_nothing_can_be_used_is_told(bench: Bench, bring: Import, run: Make) -> None:
    """And the others of its file are imported."""
    odd = {"status": "initialized"}
    empty, begun = run("tiny", scenario_tasks={}), run("big", tasks=dict.fromkeys(ASKED, odd))
    done = bring(empty, begun, run())
    assert done.code == 0
    assert "run '0a1b2c3d_tiny' (eqbench3, tiny (imported)): it is empty\n" in done.err
    told = "run '0a1b2c3d_big' (eqbench3, big (imported)): nothing of it can be used\n"
    assert f"{told}  left out: 4 x it is not finished\n" in done.err
    assert the_run(bench)["name"] == "o3 (imported)"


def test_a_file_of_which_nothing_can_be_used_is_an_error(
    bench: Bench, bring: Import, run: Make
) -> None:
    """With all reasons; there is no journal then either."""
    odd = {"status": "initialized"}
    done = bring(run(tasks=dict.fromkeys(ASKED, odd)), run("x", scenario_tasks={}))
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert "nothing in it can be used: 4 x it is not finished" in done.err
    assert not Path("runs").exists()
    assert "its runs are empty" in bring(run(scenario_tasks={})).err


def test_an_empty_last_reply_is_an_empty_reply(bench: Bench, bring: Import, run: Make) -> None:
    """Nothing was asked after it; a model that says nothing is not judged."""
    done = bring(run(tasks={"401": {"replies": [" "]}}))
    assert (
        "new: 4 transcripts, 3 verdicts\n  left out: 1 x its verdict: it would not have" in done.err
    )
    document = shown(bench, the_run(bench)["run_id"])
    assert document["unscored"][0]["reason"] == "the model said nothing in any turn"


def test_half_of_a_character_is_stored_as_in_our_own_runs(
    bench: Bench, bring: Import, run: Make
) -> None:
    """In its place stands U+FFFD."""
    bring(run(tasks={"8": {"replies": ["Half \ud83d of it."]}}))
    first, *_ = shown(bench, the_run(bench)["run_id"], "8")["iterations"][0]["calls"]
    assert first["text"] == "Half \ufffd of it."


def test_nothing_is_printed_that_a_terminal_obeys(bench: Bench, bring: Import, run: Make) -> None:
    """Names hold no such thing, and places and conflicts show it."""
    done = bring(run(), **{"k\x1b[31m": run()})
    assert (done.code, "\x1b" in done.err) == (3, False)
    bring(run(tasks={"8": {"replies": ["\x1b[31mred"]}}))
    assert "\x1b" not in bench("show", the_run(bench)["run_id"], "8").out


def test_an_error_of_type_has_its_place_and_nothing_is_written(
    bench: Bench, bring: Import, run: Make
) -> None:
    """Also where an earlier run of the file is good."""
    done = bring(run(), run("tiny", tasks={"8": {"conversation_history": {}}}))
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert (
        "eqbench3_runs.json, run '0a1b2c3d_tiny', iteration 1, scenario '8': "
        'needs "conversation_history", a list'
    ) in done.err
    assert not Path("runs").exists()


def test_a_reply_beyond_all_measure_is_refused(
    bench: Bench, bring: Import, run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its place: no export could hold it. The limit is made small here."""
    monkeypatch.setattr(translating, "LINE_LIMIT", 3000)
    done = bring(run(tasks={"8": {"replies": ["x" * 3000]}}))
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert "run '0a1b2c3d_o3', iteration 1, item '8': is longer than" in done.err
    assert not Path("runs").exists()


# Again, and otherwise


def test_the_same_file_twice_changes_nothing(bench: Bench, bring: Import, run: Make) -> None:
    """Not a byte of the journal."""
    bring(run(), run("tiny"))
    before = dump()
    done = bring(run(), run("tiny"))
    assert done.code == 0
    assert done.err.count("): already there; the file has 4 transcripts, 4 verdicts\n") == 2
    assert dump() == before


def test_a_run_that_went_on_is_added_to(bench: Bench, bring: Import, run: Make) -> None:
    """What was left out as unfinished comes with a later file."""
    bring(run(tasks={"8": {"status": "running_debrief"}}))
    assert the_run(bench)["status"] == "incomplete"
    done = bring(run(iterations=2))
    assert ": added: 15 replies, 5 grades; the file has 8 transcripts, 8 verdicts\n" in done.err, (
        done.err
    )
    found = the_run(bench)
    assert found["status"] == "complete"
    assert shown(bench, found["run_id"])["items"]["scored"] == 8
    before = dump()
    assert ": already there; the file has 4 transcripts" in bring(run()).err
    assert dump() == before


@pytest.mark.parametrize(
    "change",
    [
        {"replies": ["# Within\nAnother reply than before."]},
        {"debrief_response": "No."},
        {"grade": 3},
    ],
    ids=["reply", "debrief", "verdict"],
)
def test_other_words_of_the_same_run_are_refused(
    bench: Bench, bring: Import, run: Make, change: dict[str, Any]
) -> None:
    """With the place; of the other runs of the file nothing is imported either."""
    bring(run())
    before = dump()
    done = bring(run("tiny"), run(tasks={"8": change}))
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert "run '0a1b2c3d_o3', iteration 1, item '8': the call of item '8'" in done.err
    assert "nothing was imported: import the other one into a --runs-dir of its own" in done.err
    assert dump() == before


def test_another_runs_folder_takes_the_other_run(bench: Bench, bring: Import, run: Make) -> None:
    """As the error says; the next command names it."""
    bring(run())
    done = bring(run(tasks={"8": {"grade": 3}}), options=("--runs-dir", "other"))
    assert done.code == 0
    assert "--runs-dir other" in done.err.splitlines()[-1]


def test_an_import_that_was_killed_before_the_result_is_finished_by_the_next(
    bench: Bench, bring: Import, run: Make
) -> None:
    """The replies come in one transaction; the result is made of them after it."""
    bring(run())
    run_id = the_run(bench)["run_id"]
    whole = shown(bench, run_id)
    with closing(sqlite3.connect("runs/bench.sqlite")) as database, database:
        database.execute("UPDATE runs SET document = NULL, finished_at = NULL, status = 'running'")
    assert ": already there; " in bring(run()).err
    assert shown(bench, run_id) == whole
    assert the_run(bench)["status"] == "complete"


def test_a_run_that_somebody_owns_is_not_touched(bench: Bench, bring: Import, run: Make) -> None:
    """Exit 4; nothing of the file is imported."""
    bring(run())
    before = dump()
    with RunLock(Path("runs"), the_run(bench)["run_id"]).acquire():
        done = bring(run(iterations=2), run("tiny"))
    assert done.code == 4
    assert dump() == before


def test_a_rejudged_run_keeps_its_result(
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer
) -> None:
    """Importing the file again is no reason to show another judge's."""
    bring(run())
    run_id = the_run(bench)["run_id"]
    bench("rejudge", run_id, "--judge", "openai/j", "--judge-base-url", judges.base_url)
    before = dump()
    bring(run())
    assert dump() == before
    assert shown(bench, run_id)["judge"] == "openai/j"


# What other commands make of it


@pytest.fixture
def judges(grades: Callable[..., dict[str, Any]]) -> Iterator[LoopbackServer]:
    """A model that says what the file's does, and judges: 14 of 20, and the first is better."""

    def respond(request: ReceivedRequest) -> str:
        if request.model == "own":
            last = request.messages[-1]["content"]
            return (
                "own looks back."
                if last == "Look back."
                else f"# Within\n{WORDS}\n\n# Aloud\nown 1"
            )
        if codes := re.findall(r"^\[RESPONDENT (A\d+)\]", request.prompt, re.M):
            return json.dumps(dict.fromkeys(("kindness", "sense"), f"{codes[0]}++"))
        return json.dumps(grades(request.prompt, 14))

    with LoopbackServer(respond) as server:
        yield server


def own_run(bench: Bench, server: LoopbackServer, pack: Path, *more: object) -> Any:
    """`bench run` on a loopback model."""
    url = server.base_url
    model = ("--model", "openai/own", "--base-url", url, "--dataset", pack)
    judge = ("--judge", "openai/j", "--judge-base-url", url)
    return bench("run", "eqbench3", *model, *judge, *more, "--json")


def test_it_is_rejudged_without_a_word_of_its_model(
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer
) -> None:
    """Four verdicts of another judge, beside the imported ones."""
    bring(run())
    run_id = the_run(bench)["run_id"]
    done = bench(
        "rejudge", run_id, "--judge", "openai/j", "--judge-base-url", judges.base_url, "--json"
    )
    assert done.code == 0, done.err
    assert done.json["metrics"]["rubric_score"]["value"] == pytest.approx(70)
    assert (done.json["judge"], done.json["tokens"]["input"]) == ("openai/j", None)
    assert [request.model for request in judges.requests] == ["j"] * 4
    assert f"next: bench agreement {run_id} " in bench(
        "rejudge", run_id, "--judge", "openai/j", "--judge-base-url", judges.base_url
    ).err  # fmt: skip
    out = bench("show", run_id).out
    assert "imported   8 replies of the model; what was sent, tokens, cost and time are" in out
    assert "calls      4 to the judge\n" in out
    assert shown(bench, run_id, "--judge", JUDGE)["metrics"]["rubric_score"]["value"] == 60
    assert len(judges.requests) == 4


def test_what_it_costs_to_judge_it_is_known_beforehand(
    bench: Bench, bring: Import, run: Make
) -> None:
    """The judge's price is enough: its model, whose price nobody knows, is not asked."""
    bring(run())
    judge = ("--judge", "openai/gpt-4.1", "--price", "1,2", "--dry-run")
    (planned,) = bench("rejudge", the_run(bench)["run_id"], *judge, "--json").json["runs"]
    low, high = planned["cost_usd"]
    assert 0 < low < high
    assert planned["calls"] == {"model": 0, "judge": 4}


def test_a_judge_is_shown_what_it_would_be_of_a_run_of_ours(
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer, pack: Path
) -> None:
    """To the letter, where the replies are the same."""
    own_run(bench, judges, pack, "--no-elo")
    prompts = sorted(r.prompt for r in judges.requests if r.model == "j")
    seen = len(judges.requests)
    bring(run("own"))
    (run_id,) = (r["run_id"] for r in bench("runs", "--json").json["runs"] if r["imported"])
    bench("rejudge", run_id, "--judge", "openai/j", "--judge-base-url", judges.base_url)
    assert sorted(r.prompt for r in judges.requests[seen:]) == prompts


def test_it_is_scored_again_from_the_journal(bench: Bench, bring: Import, run: Make) -> None:
    """Its own judge's words, and the same numbers."""
    bring(run(tasks={"8": {"raw_rubric_judge_text": "no"}}))
    run_id = the_run(bench)["run_id"]
    before = shown(bench, run_id)
    after = bench("rescore", run_id, "--json").json
    assert after["metrics"] == before["metrics"]
    assert after["items"] == before["items"]


def test_it_is_an_opponent_in_ratings(
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer, pack: Path
) -> None:
    """Under its own name; its transcripts are compared with those of a run of ours."""
    bring(run(), run("tiny"))
    done = own_run(bench, judges, pack)
    assert done.code == 0, done.err
    names = {row["model"] for row in done.json["ratings"]}
    assert names == {"openai/own", "o3 (imported)", "tiny (imported)"}
    assert done.json["comparisons"]["read"] == 2 * 4 * 2
    assert {r.model for r in judges.requests} == {"own", "j"}
    board = bench("leaderboard", "eqbench3", "--judge", "openai/j", "--json").json
    changed = {row["model"]: row["changed"] for row in board["rows"]}
    assert changed["openai/own"] is None
    assert changed["o3 (imported)"] == "imported: sampling and system prompt are not recorded"


def test_a_board_says_once_what_holds_for_all_imported_runs(
    bench: Bench, bring: Import, run: Make
) -> None:
    """A file has dozens of models, of which nobody knows how they were asked."""
    bring(run(), run("tiny"))
    out = bench("leaderboard", "eqbench3").out
    assert out.count("changed: ") == 1
    told = "changed: o3 (imported), tiny (imported): imported: sampling and system prompt are not"
    assert told in out


def test_an_anchor_s_name_is_that_of_an_imported_model_too(
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer, pack: Path
) -> None:
    """The pack's own anchors name two models without the mark."""
    bring(run(), run("llama-3.2-1b-instruct"))
    own_run(bench, judges, pack)
    rated = bench("rate", "--benchmark", "eqbench3", "--judge", "openai/j", "--json").json
    told = " ".join(rated["warnings"])
    assert "was not compared" not in told, told


def test_demo_models_meet_it_too(bench: Bench, bring: Import, run: Make, pack: Path) -> None:
    """Judged by the demo judge, in a rating that says DEMO."""
    bring(run())
    done = bench("run", "eqbench3", "--model", "demo/strong", "--dataset", pack, "--json")
    assert done.json["demo"] is True
    assert "o3 (imported)" in done.json["comparisons"]["opponents"]


def test_it_is_compared_with_a_run_of_ours(
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer, pack: Path
) -> None:
    """By one judge; how its replies were drawn is not set beside how ours were."""
    bring(run())
    imported = the_run(bench)["run_id"]
    bench("rejudge", imported, "--judge", "openai/j", "--judge-base-url", judges.base_url)
    own = own_run(bench, judges, pack, "--no-elo").json["run_id"]
    document = bench("compare", own, imported, "--json").json
    assert document["samples"]["both"] == 4
    ours, theirs = document["differs"]["sampling"]
    assert (ours["temperature"], theirs) == (0.7, None)
    told = f"run {imported} (o3 (imported)) was imported: sampling and system prompt are not"
    assert any(told in warning for warning in document["warnings"])


def test_unlike_verdicts_are_made_alike_by_a_judge_who_can_be_asked(
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer, pack: Path
) -> None:
    """Whichever run comes first; where there is none, any is to judge both."""
    none = {"raw_rubric_judge_text": None, "rubric_scores": None, "status": "completed"}
    bare = run("bare", tasks=dict.fromkeys(ASKED, none))
    bring(run(), run("tiny", rubric_judge_model="maker/opus"), bare)
    o3, tiny, mute = (r["run_id"] for r in bench("runs", "--json").json["runs"])
    own = own_run(bench, judges, pack, "--no-elo").json["run_id"]
    for one, two, to_judge in ((own, o3, o3), (o3, own, o3), (mute, own, mute)):
        done = bench("compare", one, two)
        assert done.code == 2
        assert f"; bench rejudge {to_judge} --judge openai/j --judge-base-url (that" in done.err
    for other in (tiny, mute):
        told = bench("compare", o3, other).err
        assert f"; bench rejudge {other} --judge SPEC, and {o3} likewise, grade both" in told


def test_nothing_can_be_asked_of_it(bench: Bench, bring: Import, run: Make, pack: Path) -> None:
    """Not as a model, not as a judge; what to do instead is said."""
    bring(run())
    before = dump()
    model = ("--model", "imported/maker/o3", "--dataset", pack, "--judge", "openai/j")
    done = bench("run", "eqbench3", *model)
    assert done.code == 2
    assert "is the model of a run that was imported, and cannot be asked; bench rejudge" in done.err
    done = bench("rejudge", the_run(bench)["run_id"], "--judge", JUDGE)
    assert done.code == 2
    assert f"bench show RUN --judge {JUDGE} shows them" in done.err
    assert dump() == before


def test_no_run_of_ours_takes_such_a_name(
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer, pack: Path
) -> None:
    """Else the two would be one model on boards and in ratings."""
    bring(run())
    before = dump()
    done = own_run(bench, judges, pack, "--name", "o3 (imported)")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "--name: names that end in (imported) are those of imported runs" in done.err
    assert dump() == before


def test_it_travels_like_any_run(bench: Bench, bring: Import, run: Make) -> None:
    """Exported and imported elsewhere it is the same, and the first file changes nothing there."""
    bring(run())
    found = the_run(bench)
    assert bench("export", found["run_id"], "-o", "run.jsonl.gz").code == 0
    shutil.rmtree("runs")
    assert bench("import", "run.jsonl.gz").code == 0
    assert the_run(bench) == found
    before = dump()
    assert ": already there; " in bring(run()).err
    assert dump() == before


def test_it_never_stands_in_one_column_with_ours(bench: Bench, bring: Import, run: Make) -> None:
    """`bench correlate` goes by what a result was made with."""
    bring(run())
    with Journal(Path("runs")) as journal:
        (stored,) = journal.runs()
        document = journal.document(stored)
        assert document is not None
        facts = protocol_of(Outcome(stored, document), EQBench3())
    assert (facts["sampling"], facts["system prompt"]) == ("not recorded", "not recorded")
    assert "temperature" not in facts


def test_the_doctor_says_that_it_cannot_be_asked(bench: Bench) -> None:
    """As it says of any model that cannot be."""
    done = bench("doctor", "--model", "imported/maker/o3")
    assert done.code == 3
    assert "imported/maker/o3 was asked by another program and cannot be asked here" in done.out


# The command


def test_without_the_official_pack_there_is_a_way_out(
    bench: Bench, runs_file: Write, run: Make
) -> None:
    """How to fetch it, or to name it."""
    done = bench("import", runs_file(run()), "--format", "eqbench3")
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert "the official pack of eqbench3 is not on this machine; " in done.err
    assert "bench data fetch eqbench3 gets it, or name its folder with --dataset PATH" in done.err
    assert not Path("runs").exists()


def test_of_a_file_with_both_the_other_kind_is_told(
    bench: Bench, pack: Path, runs_file: Write, run: Make
) -> None:
    """Runs come in without -o and comparisons with it; what stays behind is never silent."""
    criteria = KINDS["role-play"]["pairwise_criteria"]
    row = {
        "scenario_id": "1",
        "pair": {"test_model": "o3", "neighbor_model": "r1", "iteration_index": "1"},
        "order": "forward",
        "judge_response": dict.fromkeys(criteria, "A0493++"),
    }
    path = runs_file(run())
    both = json.loads(path.read_text())
    both["__metadata__"] = {"global_pairwise_comparisons": [row]}
    path.write_text(json.dumps(both))
    command = f"bench import {path} --format eqbench3"
    done = bench("import", path, "--format", "eqbench3", "--dataset", pack)
    assert done.code == 0
    assert "new: 4 transcripts, 4 verdicts" in done.err
    told = "note: the file also holds 1 comparison, not imported now; next: "
    assert f"{told}{command} -o comparisons.jsonl\n" in done.err
    done = bench("import", path, "--format", "eqbench3", "-o", "out.jsonl")
    assert done.code == 0
    assert "1 comparison of 2 models in out.jsonl" in done.err
    assert f"note: the file also holds 1 run, not imported now; next: {command}\n" in done.err


def test_runs_do_not_go_into_a_file(bench: Bench, runs_file: Write, run: Make) -> None:
    """What it is, and what to type."""
    path = runs_file(run())
    done = bench("import", path, "--format", "eqbench3", "-o", "out.jsonl")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "holds runs, which go into the journal; leave -o out: bench import " in done.err
    assert not Path("out.jsonl").exists()


@pytest.mark.parametrize(
    "text", ['{"a": {"scenario_tasks": NaN}}', '{"a": {}, "a": {}}', "[1]", "{"]
)
def test_what_is_no_json_is_refused(bench: Bench, tmp_path: Path, text: str) -> None:
    """Before anything is read of it."""
    path = tmp_path / "f.json.gz"
    path.write_bytes(gzip.compress(text.encode()))
    done = bench("import", path, "--format", "eqbench3")
    assert (done.code, done.err.count("\n")) == (3, 1)


# The official pack


def official_tasks(official: Path, source: Callable[[Path], PackSource]) -> dict[str, Any]:
    """A task for each scenario, its prompts put together as the published code does it.

    As core/benchmark.py of github.com/EQ-bench/eqbench3 at 41cea7a: the texts between its two
    kinds of headings, stripped, in the prompt of their kind; files are read as they are.
    """
    whole = (official / "scenario_prompts.txt").read_text(encoding="utf-8")
    parts = re.split(r"^######## *(\S+).*$", whole, flags=re.MULTILINE)[1:]
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    tasks = {}
    for item in read_scenarios(source(official)).items:
        kind = KINDS[item.content.kind.name]
        form = (official / kind["prompt"]).read_text(encoding="utf-8")
        history = []
        for turn in re.split(r"^####### *Prompt\d+.*$", texts[item.id], flags=re.MULTILINE)[1:]:
            said = form.format(scenario_prompt=turn.strip())
            history += [{"role": "user", "content": said}, {"role": "assistant", "content": WORDS}]
        debrief = (official / "debrief_prompt.txt").read_text(encoding="utf-8")
        criteria = (official / kind["criteria"]).read_text(encoding="utf-8").split()
        tasks[item.id] = {
            "status": "rubric_scored",
            "conversation_history": history,
            "debrief_prompt": debrief if kind["debrief"] else None,
            "debrief_response": WORDS if kind["debrief"] else None,
            "raw_rubric_judge_text": json.dumps(dict.fromkeys(criteria, 5)),
        }
    return tasks


def test_the_official_pack_is_asked_as_the_published_code_asks_it(
    bench: Bench,
    bring: Import,
    run: Make,
    official: Path,
    source: Callable[[Path], PackSource],
) -> None:
    """All 45 scenarios with their debriefs and verdicts: nothing is left out."""
    made = run(scenario_tasks={"1": official_tasks(official, source)})
    done = bring(made, options=("--dataset", official))
    assert ": new: 45 transcripts, 45 verdicts\nnext: " in done.err
    document = shown(bench, the_run(bench)["run_id"])
    assert (document["status"], document["dataset"]["name"]) == ("complete", "official")
    assert (document["calls"]["model"], document["calls"]["judge"]) == (118, 45)
    assert document["metrics"]["rubric_score"]["value"] == pytest.approx(25)
