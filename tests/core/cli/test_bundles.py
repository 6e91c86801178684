"""`bench bundle` and `bench verify`: what a bundle holds, and what is named in one that differs."""

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eibench.core.exchange.bundles import manifest_of
from eibench.core.journal.lines import file_lines, line_of
from eibench.core.types import digest
from eibench.testing import LoopbackServer
from tests.conftest import enter_empty_place, run_here

Bench = Callable[..., Any]
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a judged demo run, `runs`, and its bundle, `one.eib`, for reading."""
    with pytest.MonkeyPatch.context() as patch:
        work = enter_empty_place(tmp_path_factory.mktemp("bundle"), patch)
        made = run_here("run", "eqbench3", "--no-elo", "--note", "who=Ada's laptop")
        assert made.code == 0, made.err
        words = ("--weights", "https://example.org/weights", "--prompt-format", "ChatML")
        done = run_here("bundle", "eqbench3", "-o", "one.eib", *words)
        assert done.code == 0, done.err
        return work


def rows_in(path: Path) -> Rows:
    """The rows of a bundle."""
    return [json.loads(line) for line in path.read_bytes().splitlines()[1:-1]]


def signed(rows: Rows, name: str = "changed.eib") -> Path:
    """A bundle of rows whose hash tree and last line are made anew, as a forger would."""
    raw = [line_of(row) for row in rows]
    Path(name).write_bytes(b"".join(file_lines(raw, manifest_of(rows, raw, None, None))))  # type: ignore[arg-type]
    return Path(name)


def unsigned(rows: Rows, original: Path, name: str = "changed.eib") -> Path:
    """The same with the first and the last line of the original."""
    first, *_, last = original.read_bytes().splitlines(keepends=True)
    Path(name).write_bytes(b"".join([first, *map(line_of, rows), last]))
    return Path(name)


def of(rows: Rows, kind: str, **fields: object) -> dict[str, Any]:
    """The first row of a kind with these fields."""
    return next(r for r in rows if r["kind"] == kind and fields.items() <= r.items())


def named(bench: Bench, path: Path) -> list[tuple[Any, ...]]:
    """What is named in a bundle that does not follow: kind, item, message."""
    done = bench("verify", path, "--json")
    assert done.code == 1, done.err
    return [(one["kind"], one["item_id"], one["message"]) for one in done.json["faults"]]


def test_a_bundle_is_verified_and_has_the_same_bytes_again(bench: Bench, judged: Path) -> None:
    """All numbers follow; the result says what was verified, by what, when."""
    shutil.copytree(judged / "runs", "runs")
    words = ("--weights", "https://example.org/weights", "--prompt-format", "ChatML")
    assert bench("bundle", "eqbench3", "-o", "again.eib", *words).code == 0
    assert Path("again.eib").read_bytes() == (judged / "one.eib").read_bytes()
    done = bench("verify", "again.eib", "--json")
    assert done.code == 0
    assert (done.json["holds"], done.json["faults"]) == (True, [])
    assert (done.json["weights"], done.json["prompt_format"]) == (words[1], words[3])
    (run,) = done.json["runs"]
    assert run["claimed"] == run["computed"]
    assert (run["metric"], run["samples"], run["absent"]) == ("rubric_score", 20, 0)
    assert done.json["eibench"]
    assert re.match(r"\d{4}-\d\d-\d\dT", done.json["at"])


def test_what_cannot_be_excluded_stands_on_the_first_lines(bench: Bench, judged: Path) -> None:
    """Before any number; the last line is the verdict."""
    done = bench("verify", judged / "one.eib")
    first, *_, last = done.out.strip().splitlines()
    assert first.startswith("What this cannot exclude")
    assert done.out.index("a stronger model") < done.out.index("rubric_score")
    assert last.startswith("verified: every number follows from the replies")


def test_an_import_of_a_bundle_has_what_was_asked(bench: Bench, judged: Path) -> None:
    """Prompts and details of grades are made again from the pack, to the letter."""
    bench("import", judged / "one.eib", "--runs-dir", "there")
    bench("export", "eqbench3", "--demo", "--runs-dir", "there", "-o", "there.jsonl")
    bench("export", "eqbench3", "--demo", "--runs-dir", judged / "runs", "-o", "here.jsonl")
    here, there = ({line_of(r) for r in rows_in(Path(f"{name}.jsonl")) if r["kind"] != "run"}
                   for name in ("here", "there"))  # fmt: skip
    assert here == there
    again = bench("import", judged / "one.eib", "--runs-dir", "there")
    assert "already there" in again.err


@pytest.mark.parametrize("sign", [True, False])
def test_an_edited_grade_is_named(bench: Bench, judged: Path, sign: bool) -> None:
    """With its hash tree or without: the replies come to another one."""
    rows = rows_in(judged / "one.eib")
    grade = of(rows, "grade", item_id="both-hands")
    grade["values"]["rubric"] = 99.0
    path = signed(rows) if sign else unsigned(rows, judged / "one.eib")
    kinds = {(kind, item) for kind, item, message in named(bench, path) if "rubric" in message}
    assert ("wrong", "both-hands") in kinds
    changed = ("changed", "both-hands", "its replies or grades")
    assert (changed in named(bench, path)) is not sign


def test_a_dropped_sample_is_named(bench: Bench, judged: Path) -> None:
    """By the hash tree, and by its result where that tree is of the rest."""
    rows = [r for r in rows_in(judged / "one.eib") if r.get("item_id") != "both-hands"]
    by_tree = ("dropped", "both-hands", "its replies or grades")
    assert by_tree in named(bench, unsigned(rows, judged / "one.eib"))
    by_result = ("dropped", "both-hands", "the pack has it, and nothing is here")
    assert by_result in named(bench, signed(rows))


@pytest.fixture(scope="module")
def partial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bundle of a run on two items of a pack, `one.eib`, for reading."""
    with pytest.MonkeyPatch.context() as patch:
        work = enter_empty_place(tmp_path_factory.mktemp("partial"), patch)
        assert run_here("run", "seceu", "--model", "demo/weak", "--limit", 2).code == 0
        assert run_here("bundle", "seceu", "-o", "one.eib").code == 0
        return work


def test_a_partial_run_is_named_in_one_line_and_imported(bench: Bench, partial: Path) -> None:
    """It is not verified as a whole one; the count of samples is of those in the file."""
    done = bench("verify", partial / "one.eib", "--json")
    (fault,), (run,) = done.json["faults"], done.json["runs"]
    assert done.code == 1
    assert (fault["kind"], run["samples"]) == ("partial", 2)
    assert re.fullmatch(r"partial: 2 of \d+ items", fault["message"])
    last = bench("verify", partial / "one.eib").out.strip().splitlines()[-1]
    assert last.startswith("not verified as a whole run: partial")
    done = bench("import", partial / "one.eib", "--runs-dir", "there")
    assert done.code == 0
    assert f"warning: run {run['run_id']}: {fault['message']}" in done.err


def test_a_sample_that_a_partial_run_lost_is_named(bench: Bench, partial: Path) -> None:
    """The hash tree has it, so it is no part that was never asked for."""
    rows = [r for r in rows_in(partial / "one.eib") if r.get("item_id") != "2"]
    found = named(bench, unsigned(rows, partial / "one.eib"))
    assert ("dropped", "2", "its replies or grades") in found
    assert len([one for one in found if one[0] == "dropped"]) == 1
    assert any(
        kind == "partial" and message.startswith("partial: 2 of") for kind, _, message in found
    )


def test_an_import_refuses_what_does_not_follow(bench: Bench, partial: Path) -> None:
    """Nothing of it is imported, as of any file that is broken."""
    rows = rows_in(partial / "one.eib")
    of(rows, "grade")["values"]["score"] = 99.0
    done = bench("import", signed(rows), "--runs-dir", "there")
    assert done.code == 3
    assert "does not follow from its replies" in done.err
    assert "nothing was imported: bench verify" in done.err
    assert not Path("there").exists()


def test_a_file_that_was_cut_is_named_in_one_line(bench: Bench, partial: Path) -> None:
    """Between lines or within one."""
    text = (partial / "one.eib").read_bytes()
    lines = text.splitlines(keepends=True)
    Path("between.eib").write_bytes(b"".join(lines[:-2]))
    Path("within.eib").write_bytes(b"".join(lines[:-2])[:-9])
    for name in ("between.eib", "within.eib"):
        ((kind, _, message),) = named(bench, Path(name))
        assert (kind, message) == ("dropped", f"ends early, after line {len(lines) - 2}")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda row: [b"{" + line_of(row)], "is not JSON"),
        (lambda row: [line_of(row)] * 2, "stands in an earlier line already"),
        (lambda row: [line_of(row | {"grader": "0" * 32})], '"grader" is not the digest'),
    ],
)
def test_a_line_that_cannot_be_read_is_a_fault_with_its_number(
    bench: Bench, partial: Path, change: Callable[[dict[str, Any]], list[bytes]], message: str
) -> None:
    """In the record, as what is claimed."""
    first, *rows, last = (partial / "one.eib").read_bytes().splitlines(keepends=True)
    n = next(n for n, raw in enumerate(rows) if b'"kind":"grade"' in raw)
    rows[n : n + 1] = change(json.loads(rows[n]))
    Path("line.eib").write_bytes(b"".join([first, *rows, last]))
    done = bench("verify", "line.eib", "--json")
    assert done.code == 1
    (fault,), (run,) = done.json["faults"], done.json["runs"]
    assert re.match(rf"line \d+: .*{message}", fault["message"])
    assert "imported" not in fault["message"]
    assert (run["claimed"]["value"] is None, run["computed"]) == (False, None)


def test_a_changed_reply_of_the_model_is_named(bench: Bench, judged: Path) -> None:
    """The judge graded another text."""
    rows = rows_in(judged / "one.eib")
    of(rows, "call", item_id="both-hands", phase="generate")["text"] += " And I care."
    message = "its grade needs a reply that is not here, or another text was graded"
    assert ("wrong", "both-hands", message) in named(bench, signed(rows))


def test_a_changed_verdict_is_named(bench: Bench, judged: Path) -> None:
    """Its grade does not follow from it any more."""
    rows = rows_in(judged / "one.eib")
    verdict = of(rows, "call", item_id="both-hands", phase="judge")
    verdict["text"] = verdict["text"].replace("4.2", "9.9")
    found = named(bench, signed(rows))
    assert any("9.9" in message for _, item, message in found if item == "both-hands")


@pytest.mark.parametrize("everywhere", [True, False])
def test_a_swapped_judge_is_named(bench: Bench, judged: Path, everywhere: bool) -> None:
    """In the result alone, or in all lines: its replies are to requests to another one."""
    text = (judged / "one.eib").read_text()
    rows = rows_in(judged / "one.eib")
    if everywhere:
        swapped = text.replace('"name":"judge"', '"name":"judge-b"')
        Path("swapped").write_text(swapped.replace("demo/judge", "demo/judge-b"))
        rows = rows_in(Path("swapped"))
        for row in rows:
            if row["kind"] == "grade":
                row["grader"] = digest(row["graded_by"])
    else:
        of(rows, "run")["document"]["judged_by"]["name"] = "judge-b"
    assert any("grade" in message for _, _, message in named(bench, signed(rows)))


def test_a_changed_pack_is_named(bench: Bench, judged: Path, questions: Any) -> None:
    """In the bundle, or where whoever verifies has other data."""
    rows = rows_in(judged / "one.eib")
    of(rows, "run")["pack_sha256"] = "0" * 64
    ((kind, _, message), *_) = named(bench, signed(rows))
    assert kind == "wrong"
    assert "is not the data of run" in message
    pack = questions("1,2")
    bench("run", "eqbench-v1", "--model", "demo/weak", "--dataset", pack)
    bench("bundle", "eqbench-v1", "-o", "custom.eib", "--demo")
    assert bench("verify", "custom.eib", "--dataset", pack).code == 0
    questions("1,3")
    done = bench("verify", "custom.eib", "--dataset", pack)
    assert done.code == 1
    assert "is not the data of run" in " ".join(done.out.split())


def test_an_edited_claim_is_named(bench: Bench, judged: Path) -> None:
    """The manifest and the result, both or one of them."""
    rows = rows_in(judged / "one.eib")
    of(rows, "run")["document"]["metrics"]["rubric_score"]["value"] += 5
    messages = [message for _, _, message in named(bench, signed(rows))]
    assert any(message.startswith("rubric_score is given as") for message in messages)
    first, *rest = (judged / "one.eib").read_bytes().splitlines(keepends=True)
    header = json.loads(first)
    run = header["manifest"]["runs"][0]
    known = run["claim"]["value"]
    run["claim"]["value"], run["model"] = 0.9, "demo/other"
    Path("claims.eib").write_bytes(b"".join([line_of(header), *rest]))
    messages = [message for _, _, message in named(bench, Path("claims.eib"))]
    assert f"claim value is 0.9 in the manifest and {known} in the run" in messages
    assert 'model is "demo/other" in the manifest and "demo/medium" in the run' in messages
    assert "the manifest was changed after the hash tree was made" in messages
    (shown,) = bench("verify", "claims.eib", "--json").json["runs"]
    assert (shown["claimed"]["value"], shown["computed"]["value"]) == (0.9, known)


def test_an_added_reply_is_named(bench: Bench, judged: Path) -> None:
    """One that nothing asks for."""
    rows = rows_in(judged / "one.eib")
    more = {**of(rows, "call", item_id="both-hands"), "occurrence": 7}
    rows.insert(2, more)
    assert ("added", "both-hands", "a reply (generate) that nothing here asks for") in named(
        bench, signed(rows)
    )


def test_a_bundle_holds_nothing_private(
    bench: Bench, questions: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No address, home, note, user, key; no text of the pack: a run at a server of one's own."""
    key, home = "sk-verysecret0123456789", "/home/ada-lovelace"
    monkeypatch.setenv("MY_API_KEY", key)
    monkeypatch.setenv("HOME", home)
    pack = questions("1,2")
    reply = "First pass scores:\nAnger: 1\nRelief: 2\nHope: 3\nShame: 4\n\n[End of answer]"
    with LoopbackServer(reply) as server:
        port = server.base_url.split(":")[2].split("/")[0]
        where = ("--base-url", server.base_url, "--dataset", pack, "--api-key-env", "MY_API_KEY")
        words = ("--model", f"openai/{home}/models/x-7b", "--note", "host=cluster-b17")
        done = bench("run", "eqbench-v1", *words, *where, "--yes", "--json")
        assert done.json["run_id"], done.err
    made = bench("bundle", done.json["run_id"], "-o", "private.eib")
    assert made.code == 0, made.err
    text = Path("private.eib").read_text()
    for private in (key, home, "ada-lovelace", "127.0.0.1", port, "cluster-b17", str(tmp_path)):
        assert private not in text, private
    asked = json.loads(pack.read_text())["1"]["prompt"]
    assert asked.splitlines()[0] not in text
    assert "openai/x-7b" in text
    assert bench("verify", "private.eib", "--dataset", pack).code == 0


CRITERIA = """
    demonstrated_empathy pragmatic_ei depth_of_insight social_dexterity emotional_reasoning
    message_tailoring boundary_setting safety_conscious moralising sycophantic compliant challenging
    warmth validating analytical reactive conversational humanlike
"""


def verdict(grade: float) -> str:
    """What a judge says who gives everything the same grade."""
    names = CRITERIA.strip().split()
    return json.dumps({"chain_of_thought_reasoning": "so", **dict.fromkeys(names, grade)})


@pytest.mark.parametrize(("today", "is_invented"), [(8, False), (3, True)])
def test_an_invented_verdict_is_caught(bench: Bench, today: float, is_invented: bool) -> None:
    """The judge, asked again until it gives the like, never does; an honest one does at once."""
    with LoopbackServer(verdict(8)) as judge:
        words = ("--judge", "openai/j", "--judge-base-url", judge.base_url, "--yes")
        done = bench("run", "eqbench3", "--limit", 1, "--no-elo", *words)
        assert done.code == 0, done.err
    made = bench("bundle", "eqbench3", "-o", "one.eib", "--demo")
    assert made.code == 0, made.err
    with LoopbackServer(verdict(today)) as judge:
        words = ("--rejudge", "100%", "--judge-base-url", judge.base_url, "--yes")
        done = bench("verify", "one.eib", "--json", "--seed", 1, *words)
    (again,) = done.json["asked"]
    assert (again["whom"], again["drawn"], again["total"]) == ("judge", 1, 1)
    assert bool(again["faults"]) is is_invented
    assert len(judge.requests) == again["replies"]
    assert again["replies"] == (39 if is_invented else 1)
    if is_invented:
        assert "asked 39 times, gave" in again["faults"][0]["message"]


def answer(anger: int, relief: int) -> str:
    """A reply to a question of EQ-Bench."""
    scores = f"\nAnger: {anger}\nRelief: {relief}\nHope: 3\nShame: 4\n\n"
    return f"First pass scores:{scores}Revised scores:{scores}[End of answer]"


@pytest.mark.parametrize(("today", "is_other"), [(1, False), (9, True)])
def test_the_replies_of_another_model_are_found(
    bench: Bench, questions: Any, today: int, is_other: bool
) -> None:
    """Asked again, the model of that name is worse; one that is the same is not accused."""
    pack = questions("1,2")
    with LoopbackServer(answer(1, 9)) as server:
        where = ("--base-url", server.base_url, "--dataset", pack)
        bench("run", "eqbench-v1", "--model", "openai/m", *where, "--iterations", 3, "--yes")
    assert bench("bundle", "eqbench-v1", "-o", "one.eib").code == 0
    with LoopbackServer(answer(today, 10 - today)) as server:
        where = ("--base-url", server.base_url, "--dataset", pack)
        done = bench("verify", "one.eib", "--json", "--reask", "100%", *where, "--yes")
        assert len(server.requests) == 6
    (again,) = done.json["asked"]
    assert (again["whom"], again["drawn"], again["replies"]) == ("model", 2, 6)
    assert (again["p"] <= 0.05) is is_other
    assert done.code == int(is_other)


@pytest.fixture
def custom(bench: Bench, questions: Any) -> Path:
    """A pack of two questions, on which a demo model has run, with a note and a system prompt."""
    pack: Path = questions("1,2")
    words = ("--note", "host=cluster-b17", "--system", "Ask ada@example.org.")
    done = bench("run", "eqbench-v1", "--model", "demo/weak", "--dataset", pack, *words)
    assert done.code == 0, done.err
    return pack


def test_what_looks_private_is_refused_until_it_is_kept(bench: Bench, custom: Path) -> None:
    """A system prompt is sent, so it is published as it is, or not at all."""
    done = bench("bundle", "eqbench-v1", "-o", "one.eib")
    assert done.code == 2
    assert "settings, system" in done.err
    assert "--keep TEXT" in done.err
    assert not Path("one.eib").exists()
    keep = ("--keep", "ada@example.org", "--keep", "host")
    assert bench("bundle", "eqbench-v1", "-o", "one.eib", *keep).code == 0
    assert "ada@example.org" in (text := Path("one.eib").read_text())
    assert '"notes":{"host":"cluster-b17"}' in text
    assert bench("verify", "one.eib", "--dataset", custom).code == 0


def test_a_run_whose_numbers_would_be_others_is_refused(bench: Bench, custom: Path) -> None:
    """`bench rescore` says which, and stores them."""
    with closing(sqlite3.connect("runs/demo/bench.sqlite")) as database, database:
        change = "json_set(document, '$.metrics.score.value', 99)"
        database.execute(f"UPDATE runs SET document = {change}")
    done = bench("bundle", "eqbench-v1", "-o", "one.eib")
    assert done.code == 4
    assert "would be others today; bench rescore" in done.err


def test_comparisons_are_left_out_and_named(bench: Bench, demos: Any) -> None:
    """They rest on the replies of other runs."""
    (_, run) = demos(2)
    done = bench("bundle", run["run_id"], "-o", "one.eib")
    assert "left out: " in done.err
    assert "comparisons, on which no number of the result itself rests" in done.err
    assert [kind for kind, _, _ in named(bench, Path("one.eib"))] == ["partial"]


def test_what_cannot_be_graded_here_is_imported_as_it_is(bench: Bench, custom: Path) -> None:
    """Without the data of its run, what was asked stays a digest, which is said."""
    assert bench("bundle", "eqbench-v1", "-o", "one.eib", "--keep", "ada@example.org").code == 0
    done = bench("import", "one.eib", "--runs-dir", "there")
    assert done.code == 0
    assert "what was asked stays a digest" in done.err
    assert "not verified" in done.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "no.eib: is empty; bench bundle makes bundles"),
        (b'{"format":"eibench-journal","version":7,"eibench":"1"}\n', "bench bundle makes bundles"),
        (b'{"format":"eibench-journal","version":7,"eibench":"1","manifest":{}}\n', "needs"),
        (b"\x00\xff", "line 1: is not JSON"),
    ],
)
def test_what_is_no_bundle_is_refused(bench: Bench, text: bytes, message: str) -> None:
    """In one line, with its place."""
    Path("no.eib").write_bytes(text)
    done = bench("verify", "no.eib")
    assert done.code == 3
    assert message in done.err


def test_half_a_character_in_a_manifest_is_refused(bench: Bench, judged: Path) -> None:
    """JSON can say it, and no file can hold it."""
    first, *others = (judged / "one.eib").read_bytes().splitlines(keepends=True)
    header = json.loads(first)
    header["manifest"]["weights"] = "\ud83d"
    Path("half.eib").write_bytes(b"".join([json.dumps(header).encode() + b"\n", *others]))
    done = bench("verify", "half.eib")
    assert done.code == 3
    assert "line 1: holds half of a character" in done.err


@pytest.mark.parametrize("share", ["0", "101%", "-5%", "nan", "five"])
def test_a_share_is_above_0_and_at_most_all(bench: Bench, share: str) -> None:
    """Such as 5% or 0.05."""
    done = bench("verify", "one.eib", "--rejudge", share)
    assert done.code == 2
    assert "is no share; write such as 5%" in done.err


def test_the_plan_of_a_judge_asked_about_talks_has_the_tokens_of_their_requests(
    bench: Bench, empty_place: Path
) -> None:
    """A talk has more calls than a method may make unplanned; the plan rests on what was asked."""
    words = ("--model", "demo/strong", "--limit", 1)
    assert bench("run", "confidant", *words).code == 0
    assert bench("bundle", "confidant", "-o", "talk.eib").code == 0
    done = bench("verify", "talk.eib", "--rejudge", "100%", "--yes")
    assert "it has no end" not in done.err
    (tokens,) = re.findall(r"about ([\d,]+) tokens in, up to ([\d,]+) out", done.err)
    assert min(int(one.replace(",", "")) for one in tokens) > 1000
    assert "100% if 1 of 1 is" in (shown := " ".join(done.out.split()))
    assert re.search(r"the draw's seed: --seed \d+ repeats it", shown)
    assert "recomputed, and the judge asked again" in shown


def test_asking_again_says_what_it_cannot_do(bench: Bench, partial: Path) -> None:
    """Where there is no judge, and where a run has too few items to show anything."""
    done = bench("verify", partial / "one.eib", "--rejudge", "5%", "--reask", "100%", "--yes")
    assert "holds no verdict of a judge: --rejudge asks nothing of it" in done.err
    assert "too few to show any difference: the run has no more" in " ".join(done.out.split())
