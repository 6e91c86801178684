"""What commands make of imported runs."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eibench import folder, read_toml
from eibench.core.journal import Journal
from eibench.core.reports.comparability import RunResult, protocol_of
from eibench.plugins.eqbench3.benchmark import EQBench3
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


def own_run(bench: Bench, server: LoopbackServer, pack: Path, *more: object) -> Any:
    """`bench run` on a loopback model."""
    url = server.base_url
    model = ("--model", "openai/own", "--base-url", url, "--dataset", pack)
    judge = ("--judge", "openai/j", "--judge-base-url", url)
    return bench("run", "eqbench3", *model, *judge, *more, "--json")


def test_it_is_rejudged_without_a_word_of_its_model(
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer, shown: Any, the_run: Any
) -> None:
    """Four verdicts of another judge, beside the imported ones."""
    bring(run())
    run_id = the_run()["run_id"]
    done = bench(
        "rejudge", run_id, "--judge", "openai/j", "--judge-base-url", judges.base_url, "--json"
    )
    assert done.code == 0, done.err
    assert done.json["metrics"]["rubric_score"]["value"] == pytest.approx(70)
    assert (done.json["judge"], done.json["tokens"]["input"]) == ("openai/j", None)
    assert [request.model for request in judges.requests] == ["j"] * 4
    assert f"next: bench judges {run_id} " in bench(
        "rejudge", run_id, "--judge", "openai/j", "--judge-base-url", judges.base_url
    ).err  # fmt: skip
    out = bench("show", run_id, "--judge", "openai/j").out
    assert "imported   8 replies of the model; what was sent, tokens, cost and time are" in out
    assert "calls      4 to the judge\n" in out
    assert shown(run_id)["metrics"]["rubric_score"]["value"] == 60
    assert shown(run_id, "--judge", JUDGE)["metrics"]["rubric_score"]["value"] == 60
    assert len(judges.requests) == 4


def test_what_it_costs_to_judge_it_is_known_beforehand(
    bench: Bench, bring: Import, run: Make, the_run: Any
) -> None:
    """The judge's price is enough: its model, whose price nobody knows, is not asked."""
    bring(run())
    judge = ("--judge", "openai/gpt-4.1", "--price", "1,2", "--dry-run")
    (planned,) = bench("rejudge", the_run()["run_id"], *judge, "--json").json["runs"]
    low, high = planned["cost_usd"]
    assert 0 < low < high
    assert planned["calls"] == {"model": 0, "judge": 4}


def test_a_judge_is_shown_what_it_would_be_of_a_run_of_ours(
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer, pack: Path
) -> None:
    """To the letter, where the replies are the same."""
    own_run(bench, judges, pack, "--no-elo")
    prompts = sorted(r.prompt for r in judges.requests if r.model == "j" and not r.is_trial)
    seen = len(judges.requests)
    bring(run("own"))
    (run_id,) = (r["run_id"] for r in bench("runs", "--json").json["runs"] if r["imported"])
    bench("rejudge", run_id, "--judge", "openai/j", "--judge-base-url", judges.base_url)
    assert sorted(r.prompt for r in judges.requests[seen:]) == prompts


def test_it_is_scored_again_from_the_journal(
    bench: Bench, bring: Import, run: Make, shown: Any, the_run: Any
) -> None:
    """Its own judge's words, and the same numbers."""
    bring(run(tasks={"8": {"raw_rubric_judge_text": "no"}}))
    run_id = the_run()["run_id"]
    before = shown(run_id)
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
    asked = "imported: what was sent beside the conversation is not recorded"
    assert changed["o3 (imported)"] == asked


def test_a_board_says_once_what_holds_for_all_imported_runs(
    bench: Bench, bring: Import, run: Make
) -> None:
    """A file has dozens of models, of which nobody knows how they were asked."""
    bring(run(), run("tiny"))
    out = bench("leaderboard", "eqbench3").out
    assert out.count("changed: ") == 1
    message = "changed: o3 (imported), tiny (imported): imported: what was sent beside the"
    assert message in out


def test_an_anchor_s_name_is_that_of_an_imported_model_too(
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer, pack: Path
) -> None:
    """The pack's own anchors name two models without the mark."""
    bring(run(), run("llama-3.2-1b-instruct"))
    own_run(bench, judges, pack)
    rated = bench("rate", "--benchmark", "eqbench3", "--judge", "openai/j", "--json").json
    message = " ".join(rated["warnings"])
    assert "was not compared" not in message, message


def test_it_is_compared_with_a_run_of_ours(
    bench: Bench, bring: Import, run: Make, judges: LoopbackServer, pack: Path, the_run: Any
) -> None:
    """By one judge; how its replies were drawn is not set beside how ours were."""
    bring(run())
    imported = the_run()["run_id"]
    bench("rejudge", imported, "--judge", "openai/j", "--judge-base-url", judges.base_url)
    own = own_run(bench, judges, pack, "--no-elo").json["run_id"]
    document = bench("compare", own, imported, "--json").json
    assert document["samples"]["both"] == 4
    ours, theirs = document["differs"]["sampling"]
    assert (ours["temperature"], theirs) == (0.7, None)
    message = f"run {imported} (o3 (imported)) was imported: what was sent beside the"
    assert any(message in warning for warning in document["warnings"])


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
        address = f"--judge openai/j --judge-base-url {judges.base_url}"
        assert f"; bench rejudge {to_judge} {address} " in done.err
    for other in (tiny, mute):
        message = bench("compare", o3, other).err
        assert f"; bench rejudge {other} --judge SPEC, and {o3} likewise, grade both" in message


def test_nothing_can_be_asked_of_it(
    bench: Bench, bring: Import, run: Make, pack: Path, the_run: Any
) -> None:
    """Not as a model, not as a judge; what to do instead is said."""
    bring(run())
    before = dump()
    model = ("--model", "imported/maker/o3", "--dataset", pack, "--judge", "openai/j")
    done = bench("run", "eqbench3", *model)
    assert done.code == 2
    assert "is the model of a run that was imported, and cannot be asked; bench rejudge" in done.err
    done = bench("rejudge", the_run()["run_id"], "--judge", JUDGE)
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


def test_it_travels_like_any_run(bench: Bench, bring: Import, run: Make, the_run: Any) -> None:
    """Exported and imported elsewhere it is the same, and the first file changes nothing there."""
    bring(run())
    found = the_run()
    assert bench("export", found["run_id"], "-o", "run.jsonl.gz").code == 0
    shutil.rmtree("runs")
    assert bench("import", "run.jsonl.gz").code == 0
    assert the_run() == found
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
        facts = protocol_of(RunResult(stored, document), EQBench3())
    assert (facts["sampling"], facts["system prompt"]) == ("not recorded", "not recorded")
    assert "temperature" not in facts


def test_the_doctor_says_that_it_cannot_be_asked(bench: Bench) -> None:
    """As it says of any model that cannot be."""
    done = bench("doctor", "--model", "imported/maker/o3")
    assert done.code == 3
    assert "imported/maker/o3 was asked by another program and cannot be asked here" in done.out
