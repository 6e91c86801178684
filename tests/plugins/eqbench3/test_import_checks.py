"""`bench import --format eqbench3` of runs: what is checked, and what is left out."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eibench import folder, read_toml
from eibench.core.exchange import replay as replaying
from eibench.core.exchange import translate as translating
from eibench.core.journal import Journal
from eibench.testing import LoopbackServer

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


def dump(runs_dir: str = "runs") -> list[str]:
    """All that a journal holds."""
    with closing(sqlite3.connect(Path(runs_dir) / "bench.sqlite")) as database:
        return list(database.iterdump())


def test_a_verdict_is_read_as_strictly_as_our_own(
    bench: Bench, bring: Import, run: Make, shown: Any, the_run: Any
) -> None:
    """One that cannot be read leaves its sample unscored; it cannot be asked again."""
    bring(run(tasks={"8": {"raw_rubric_judge_text": '{"demonstrated_empathy": "twelve"}'}}))
    run_id = the_run()["run_id"]
    document = shown(run_id)
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


def test_a_verdict_may_stand_after_thinking(
    bench: Bench, bring: Import, run: Make, shown: Any, the_run: Any
) -> None:
    """Which is kept apart; so is the model's."""
    verdict = run()["scenario_tasks"]["1"]["8"]["raw_rubric_judge_text"]
    said = "<think>It is {odd}.</think>\n" + verdict
    bring(run(tasks={"8": {"raw_rubric_judge_text": said}}))
    run_id = the_run()["run_id"]
    assert shown(run_id)["items"]["scored"] == 4
    (iteration,) = shown(run_id, "8")["iterations"]
    assert iteration["calls"][-1]["reasoning"] == "It is {odd}."


def test_thinking_is_kept_apart_and_told(
    bench: Bench, bring: Import, run: Make, shown: Any, the_run: Any
) -> None:
    """The model was shown its own in the next turn, which our runs keep from it."""
    done = bring(run(tasks={"1": {"replies": ["<think>Hm.</think>\n# Aloud\nI wait."]}}))
    assert "note: in 1 transcript the model was shown its own thinking, which is kept" in done.err
    first, *_ = shown(the_run()["run_id"], "1")["iterations"][0]["calls"]
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
    bench: Bench,
    bring: Import,
    run: Make,
    task: Make,
    id: str,
    change: Any,
    reason: str,
    the_run: Any,
) -> None:
    """With the reason; the others are there."""
    done = bring(run(tasks={id: change(task(id))}))
    assert done.code == 0
    assert the_run()["status"] == "incomplete"
    assert "samples    4 = 3 scored + 0 unscored + 0 failed + 1 not there or not judged\n" in bench(
        "show", the_run()["run_id"]
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
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer, the_run: Any
) -> None:
    """Nothing can make a conversation; a verdict can be had of another judge."""
    unjudged = {"raw_rubric_judge_text": None, "rubric_scores": None}
    bring(run(tasks={"8": {"status": "running_scenario"}, "401": unjudged}))
    run_id = the_run()["run_id"]
    message = bench("show", run_id).out
    assert (
        "samples    4 = 2 scored + 0 unscored + 0 failed + 2 not there or not judged\n" in message
    )
    bench("rejudge", run_id, "--judge", "openai/j", "--judge-base-url", judges.base_url)
    message = bench("show", run_id).out
    assert "samples    3 = 3 scored + 0 unscored + 0 failed\n" in message
    assert "not imported" in message


def test_a_run_of_which_nothing_can_be_used_is_told(
    bench: Bench, bring: Import, run: Make, the_run: Any
) -> None:
    """And the others of its file are imported."""
    odd = {"status": "initialized"}
    empty, begun = run("tiny", scenario_tasks={}), run("big", tasks=dict.fromkeys(ASKED, odd))
    done = bring(empty, begun, run())
    assert done.code == 0
    assert "run '0a1b2c3d_tiny' (eqbench3, tiny (imported)): it is empty\n" in done.err
    message = "run '0a1b2c3d_big' (eqbench3, big (imported)): nothing of it can be used\n"
    assert f"{message}  left out: 4 x it is not finished\n" in done.err
    assert the_run()["name"] == "o3 (imported)"


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


def test_an_empty_last_reply_is_an_empty_reply(
    bench: Bench, bring: Import, run: Make, shown: Any, the_run: Any
) -> None:
    """Nothing was asked after it; a model that says nothing is not judged."""
    done = bring(run(tasks={"401": {"replies": [" "]}}))
    assert (
        "new: 4 transcripts, 3 verdicts\n  left out: 1 x its verdict: it would not have" in done.err
    )
    document = shown(the_run()["run_id"])
    assert document["unscored"][0]["reason"] == "the model said nothing in any turn"


def test_half_of_a_character_is_stored_as_in_our_own_runs(
    bench: Bench, bring: Import, run: Make, shown: Any, the_run: Any
) -> None:
    """In its place stands U+FFFD."""
    bring(run(tasks={"8": {"replies": ["Half \ud83d of it."]}}))
    first, *_ = shown(the_run()["run_id"], "8")["iterations"][0]["calls"]
    assert first["text"] == "Half \ufffd of it."


def test_nothing_is_printed_that_a_terminal_obeys(
    bench: Bench, bring: Import, run: Make, the_run: Any
) -> None:
    """Names hold no such thing, and places and conflicts show it."""
    done = bring(run(), **{"k\x1b[31m": run()})
    assert (done.code, "\x1b" in done.err) == (3, False)
    bring(run(tasks={"8": {"replies": ["\x1b[31mred"]}}))
    assert "\x1b" not in bench("show", the_run()["run_id"], "8").out


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
