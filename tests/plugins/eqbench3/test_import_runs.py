"""`bench import --format eqbench3` of runs: what an imported run is."""

import gzip
import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eibench import PackSource, folder, read_toml
from eibench.core.journal import RunLock
from eibench.plugins.eqbench3.scenarios import read_scenarios
from eibench.testing import LoopbackServer

Bench = Callable[..., Any]
Make = Callable[..., dict[str, Any]]
Write = Callable[..., Path]
Import = Callable[..., Any]

JUDGE = "imported/maker/sonnet"
KINDS: dict[str, Any] = read_toml(folder("eqbench3") / "official_protocol.toml")["kinds"]
ORIGIN = {"format": "eqbench3", "run": "0a1b2c3d_o3", "started": "2025-05-01T10:00:00.123+00:00"}
#: The scenarios of the pack.
ASKED = ("1", "208", "8", "401")
WORDS = (
    "I wonder what it is like for her, and I might be wrong. "
    "It is late, the tea is cold, and nobody has said so."
)


def dump(runs_dir: str = "runs") -> list[str]:
    """All that a journal holds."""
    with closing(sqlite3.connect(Path(runs_dir) / "bench.sqlite")) as database:
        return list(database.iterdump())


# What an imported run is


def test_a_run_is_imported_with_its_verdicts(
    bench: Bench, bring: Import, run: Make, the_run: Any
) -> None:
    """What became of it, and what to type next."""
    done = bring(run(iterations=2))
    run_id = the_run()["run_id"]
    assert (done.code, done.out) == (0, "")
    assert done.err == (
        f"run {run_id} (eqbench3, o3 (imported)): new: 8 transcripts, 8 verdicts\n"
        f"next: bench show {run_id} shows a result, bench rejudge {run_id} --judge SPEC has its "
        "transcripts judged\n"
    )


def test_it_is_listed_as_imported(bench: Bench, bring: Import, run: Make, the_run: Any) -> None:
    """With its own time, under a name that says so."""
    bring(run())
    found = the_run()
    assert (found["name"], found["model"]) == ("o3 (imported)", "imported/maker/o3")
    assert found["imported"] == ORIGIN
    assert found["status"] == "complete"
    assert found["created_at"] == "2025-05-01T10:00:00.123+00:00"
    assert "o3 (imported)" in bench("runs").out


def test_its_result_is_that_of_the_judge_s_words(
    bench: Bench, bring: Import, run: Make, shown: Any, the_run: Any
) -> None:
    """Not of the grades that the file derives: 12 of 20 is 60, and 18 is 90."""
    bring(run(tasks={"401": {"grade": 18}}))
    document = shown(the_run()["run_id"])
    assert document["metrics"]["rubric_score"]["value"] == pytest.approx((3 * 60 + 90) / 4)
    assert document["judge"] == JUDGE
    assert document["items"] == {
        "total": 4, "scored": 4, "unscored": 0, "failed": 0, "truncated": None, "pending": 0,
        "absent": 0,
    }  # fmt: skip


def test_what_is_not_recorded_is_null(
    bench: Bench, bring: Import, run: Make, shown: Any, the_run: Any
) -> None:
    """Tokens, cost and sampling; and the comparability line says so."""
    bring(run())
    document = shown(the_run()["run_id"])
    assert document["imported"] == ORIGIN
    assert document["tokens"] == dict.fromkeys(("input", "cached", "output", "reasoning"))
    assert (document["cost_usd"], document["sampling"]) == (None, {})
    assert (document["calls"]["model"], document["calls"]["judge"]) == (8, 4)
    assert document["comparability"].endswith(
        f"judge {JUDGE}; imported: answered elsewhere; "
        "not comparable with published scores: what was sent beside the conversation is not "
        "recorded"
    )


def test_the_table_says_what_is_not_recorded(
    bench: Bench, bring: Import, run: Make, the_run: Any
) -> None:
    """Instead of zeros."""
    bring(run())
    out = bench("show", the_run()["run_id"]).out
    assert out.startswith("eqbench3  o3 (imported)  COMPLETE\n")
    assert "samples    4 = 4 scored + 0 unscored + 0 failed\n" in out
    assert (
        "imported   8 replies of the model and 4 of the judge; "
        "what was sent, tokens, cost and time are not recorded\n"
    ) in out


def test_its_document_lies_beside_the_journal(
    bench: Bench, bring: Import, run: Make, the_run: Any
) -> None:
    """As those of other runs do; names with path characters stay inside the folder."""
    bring(run("../../o3", api_model_id="../../../etc/o3"))
    run_id = the_run()["run_id"]
    (path,) = Path("runs").glob("*.json")
    assert path.name == f"o3-imported-{run_id}.json"
    assert json.loads(path.read_text())["name"] == "../../o3 (imported)"


def test_an_item_is_shown_as_it_was_said(
    bench: Bench, bring: Import, run: Make, shown: Any, the_run: Any
) -> None:
    """The conversation, the debrief, the judge; nothing that nobody knows."""
    bring(run())
    record = shown(the_run()["run_id"], "1")
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


def test_an_item_s_page_says_what_is_not_recorded(
    bench: Bench, bring: Import, run: Make, the_run: Any
) -> None:
    """Beside each reply."""
    bring(run())
    out = bench("show", the_run()["run_id"], "8").out
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


def test_a_run_without_verdicts_is_only_generated(
    bench: Bench, bring: Import, run: Make, shown: Any, the_run: Any
) -> None:
    """As with `--no-rubric --no-elo`."""
    none = {"raw_rubric_judge_text": None, "rubric_scores": None, "status": "completed"}
    done = bring(run(tasks=dict.fromkeys(ASKED, none)))
    assert "new: 4 transcripts, 0 verdicts" in done.err
    document = shown(the_run()["run_id"])
    assert (document["status"], document["judge"]) == ("complete", None)
    assert document["metrics"]["rubric_score"]["value"] is None


def test_a_judge_that_the_file_does_not_name_is_named_by_the_user(
    bench: Bench, bring: Import, run: Make, shown: Any, the_run: Any
) -> None:
    """And is still another one than a judge of that name that was asked here."""
    made = run(judge_model="N/A", rubric_judge_model="N/A")
    done = bring(made)
    assert "left out: 4 x its verdict: the file does not say who judged; name the judge" in done.err
    bring(made, options=("--judge", "openai/gpt-4.1"))
    document = shown(the_run()["run_id"])
    assert document["judge"] == "imported/openai/gpt-4.1"
    bring(made, options=("--judge", "imported/", "--runs-dir", "other"))
    (path,) = Path("other").glob("*.json")
    assert json.loads(path.read_text())["judge"] == "imported/imported/"
    bring(made)
    assert shown(the_run()["run_id"]) == document


@pytest.mark.parametrize("judge", ["\x1b[31mred", "half \udcff"])
def test_a_judge_s_name_from_the_command_line_is_a_name(
    bench: Bench, bring: Import, run: Make, judge: str
) -> None:
    """As one from the file is."""
    done = bring(run(rubric_judge_model="N/A"), options=("--judge", judge))
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "--judge is no name: it has a character that cannot be printed" in done.err
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


def test_a_run_that_went_on_is_added_to(
    bench: Bench, bring: Import, run: Make, shown: Any, the_run: Any
) -> None:
    """What was left out as unfinished comes with a later file."""
    bring(run(tasks={"8": {"status": "running_debrief"}}))
    assert the_run()["status"] == "incomplete"
    done = bring(run(iterations=2))
    assert (
        ": added: 15 replies, 5 grades, a later result; the file has 8 transcripts, 8 verdicts\n"
        in done.err
    ), done.err
    found = the_run()
    assert found["status"] == "complete"
    assert shown(found["run_id"])["items"]["scored"] == 8
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
    """With what differs; of the other runs of the file nothing is imported either."""
    bring(run())
    before = dump()
    done = bring(run("tiny"), run(tasks={"8": change}))
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert "only here: call of item '8', iteration 1; only in the file: call of item" in done.err
    assert "nothing was imported: import it into a --runs-dir of its own" in done.err
    assert dump() == before


def test_another_runs_folder_takes_the_other_run(bench: Bench, bring: Import, run: Make) -> None:
    """As the error says; the next command names it."""
    bring(run())
    done = bring(run(tasks={"8": {"grade": 3}}), options=("--runs-dir", "other"))
    assert done.code == 0
    assert "--runs-dir other" in done.err.splitlines()[-1]


def test_a_run_that_somebody_owns_is_not_touched(
    bench: Bench, bring: Import, run: Make, the_run: Any
) -> None:
    """Exit 4; nothing of the file is imported."""
    bring(run())
    before = dump()
    with RunLock(Path("runs"), the_run()["run_id"]).acquire():
        done = bring(run(iterations=2), run("tiny"))
    assert done.code == 4
    assert dump() == before


def test_a_rejudged_run_keeps_its_result(
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer, shown: Any, the_run: Any
) -> None:
    """Importing the file again changes nothing; the judge of the file is the first."""
    bring(run())
    run_id = the_run()["run_id"]
    bench("rejudge", run_id, "--judge", "openai/j", "--judge-base-url", judges.base_url)
    before = dump()
    bring(run())
    assert dump() == before
    assert shown(run_id)["judge"].startswith("imported/")
    assert shown(run_id, "--judge", "openai/j")["judge"] == "openai/j"


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
    message = "note: the file also holds 1 comparison, not imported now; next: "
    assert f"{message}{command} -o comparisons.jsonl\n" in done.err
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

    As core/benchmark/base.py of github.com/EQ-bench/eqbench3 at 41cea7a: the texts between its two
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
    shown: Any,
    the_run: Any,
) -> None:
    """All 45 scenarios with their debriefs and verdicts: nothing is left out."""
    made = run(scenario_tasks={"1": official_tasks(official, source)})
    done = bring(made, dataset=official)
    assert ": new: 45 transcripts, 45 verdicts\nnext: " in done.err
    document = shown(the_run()["run_id"])
    assert (document["status"], document["dataset"]["name"]) == ("complete", "official")
    assert (document["calls"]["model"], document["calls"]["judge"]) == (118, 45)
    assert document["metrics"]["rubric_score"]["value"] == pytest.approx(25)
