"""`bench run` and what it prints."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from eibench.testing import Answer, Fault, LoopbackServer, ReceivedRequest, uniform_ratings

Bench = Callable[..., Any]
Write = Callable[..., Path]
FIELDS = {
    "run_id", "benchmark", "benchmark_version", "status", "demo", "model", "judge", "dataset",
    "comparability", "metrics", "baselines", "items", "unscored", "calls", "tokens", "cost_usd",
    "elapsed_s", "comparisons", "ratings", "conclusions", "warnings",
}  # fmt: skip
HOSTILE = "\x1b]0;title\x07\x1b[2J[bold]x[/bold]\u202etxt\u2066[/]"
ALIVE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def steady(text: str) -> str:
    """A table without its times."""
    return re.sub(r"\d+(\.\d)? (s|min)\b", "0.0 s", text)


def test_table_of_a_demo_run(bench: Bench, snapshot: SnapshotAssertion) -> None:
    """A stranger can read it: what, DEMO, how sure, beside what, and what to do next."""
    done = bench("run", "eqbench-v1")
    assert done.code == 0
    assert steady(done.out) == snapshot(name="table")
    assert done.err == snapshot(name="said beside it")


def test_table_of_a_run_with_trouble(
    bench: Bench, questions: Write, snapshot: SnapshotAssertion
) -> None:
    """Unread answers are counted, named with reasons, and make the run FAIL."""
    with LoopbackServer("I would rather not.") as server:
        args = ("--model", "openai/m", "--base-url", server.base_url, "--dataset", questions("1,2"))
        done = bench("run", "eqbench-v1", *args)
    assert done.code == 1
    message = re.sub(r"127\.0\.0\.1:\d+|pack custom \(\w+\)|bench show \w+", "[varies]", done.err)
    assert steady(re.sub(r"pack custom \(\w+\)", "[varies]", done.out)) == snapshot(name="table")
    assert re.sub(r"m-\w+\.json", "m-ID.json", message) == snapshot(name="said beside it")


def test_json_is_one_document_with_every_field(bench: Bench) -> None:
    """Standard output holds that and nothing else; the file and `bench show` hold the same."""
    done = bench("run", "eqbench-v1", "--limit", 5, "--json")
    document = done.json
    assert done.code == 0
    assert document.keys() >= FIELDS
    assert document["dataset"].keys() == {"name", "sha256", "n_items"}
    assert document["items"].keys() >= {"total", "scored", "unscored", "failed", "truncated"}
    assert document["calls"].keys() == {"model", "judge", "replayed", "retries"}
    assert document["tokens"].keys() == {"input", "cached", "output", "reasoning"}
    for metric in document["metrics"].values():
        always = {"value", "ci95", "n", "higher_is_better"}
        assert metric.keys() - {"chosen", "ci95_chosen"} == always
    assert next(iter(document["metrics"])) == "score"
    (file,) = Path("runs/demo").glob("*.json")
    assert file.name == f"demo-medium-{document['run_id']}.json"
    assert json.loads(file.read_text(encoding="utf-8")) == document
    assert bench("show", document["run_id"], "--json").json == document


def test_a_finished_run_again_is_the_same_document(bench: Bench) -> None:
    """Only the counts of replayed calls, and of those sent now, tell that nothing was sent."""
    first = bench("run", "eqbench-v1", "--json").json
    again = bench("run", "eqbench-v1", "--json").json
    assert again["calls"].pop("replayed") == 30
    assert first["calls"].pop("replayed") == 0
    assert (first["asked"].pop("now"), again["asked"].pop("now")) == (30, 0)
    assert again == first


def test_one_unanswered_value_is_null_not_nan(bench: Bench, questions: Write) -> None:
    """A run in which nothing could be read has no score, and says so in JSON."""
    with LoopbackServer("No.") as server:
        args = ("--model", "openai/m", "--base-url", server.base_url, "--dataset", questions())
        document = bench("run", "eqbench-v1", *args, "--json").json
    assert document["status"] == "fail"
    assert document["metrics"]["score"]["value"] is None
    assert document["unscored"][0]["item_id"] == "1"


def test_several_models_make_several_runs(bench: Bench) -> None:
    """One document with a list, in the order given."""
    two = ("--model", "demo/strong", "--model", "demo/weak")
    document = bench("run", "eqbench-v1", *two, "--json").json
    assert list(document) == ["runs", "total"]
    assert [run["model"] for run in document["runs"]] == ["demo/strong", "demo/weak"]


def test_a_plan_of_one_sample_has_no_plurals(bench: Bench) -> None:
    """One sample, one call."""
    done = bench("run", "eqbench-v1", "--dataset", "bundled", "--limit", "1", "--dry-run")
    assert "1 sample of the bundled pack; 1 to 5 calls to demo/medium" in done.err


def test_one_model_that_cannot_go_on_does_not_stop_the_next(bench: Bench) -> None:
    """Each has its own line; the exit code is the worst."""
    with LoopbackServer("x", faults={"404": 1.0}) as server:
        two = ("--model", "openai/a", "--model", "openai/b", "--base-url", server.base_url)
        done = bench("run", "eqbench-v1", *two, "--limit", 1, "--json")
    assert done.code == 4
    assert (done.json["runs"], len(done.json["errors"])) == ([], 2)
    assert done.err.count("Error: eqbench-v1 openai/") == 2


def test_dry_run_prints_the_plan_and_makes_nothing(bench: Bench) -> None:
    """Counts of calls, no run; as JSON too."""
    args = ("run", "eqbench-v1", "--dry-run", "--iterations", 3, "--limit", 4)
    done = bench(*args)
    assert (done.code, done.out) == (0, "")
    assert "12 samples of the bundled pack; 12 to 60 calls to demo/medium" in done.err
    assert "free" in done.err
    (plan,) = bench(*args, "--json").json["runs"]
    assert plan["calls"] == {"model": 12, "judge": 0}
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("args", "total"),
    [(("--limit", 3), 3), (("--items", "2,4"), 2), (("--limit", 2, "--iterations", 3), 6)],
)
def test_a_part_can_be_asked_for(bench: Bench, args: tuple[Any, ...], total: int) -> None:
    """--limit, --items and --iterations; the result says that it is a part."""
    document = bench("run", "eqbench-v1", *args, "--json").json
    assert document["items"]["total"] == document["items"]["scored"] == total
    assert "of 30 items" in document["comparability"]


def test_piped_output_has_no_escape_codes(bench: Bench) -> None:
    """Colours are for terminals."""
    for args in (("run", "eqbench-v1"), ("runs",), ("config",), ("list",), ("info", "eqbench-v1")):
        done = bench(*args)
        assert not ALIVE.search(done.out + done.err), args


def test_hostile_words_are_harmless_everywhere(bench: Bench, questions: Write) -> None:
    """Escape sequences, markup and direction marks in names and replies are only shown."""
    with LoopbackServer(HOSTILE) as server:
        harmful = "".join(sign for sign in HOSTILE if sign >= " ")  # others are no name's
        model = ("--model", f"openai/{harmful}", "--base-url", server.base_url)
        named = ("--name", f"n{HOSTILE}", "--dataset", questions())
        run = bench("run", "eqbench-v1", *model, *named)
    assert run.code == 1
    (listed,) = bench("runs", "--json").json["runs"]
    assert listed["name"] == f"n{HOSTILE}"
    shown = [run, bench("runs"), bench("runs", "--json")]
    for more in ((), ("1",), ("--json",), ("1", "--json")):
        shown.append(bench("show", listed["run_id"], *more))
    shown.append(bench("delete", listed["run_id"], "--yes"))
    for done in shown:
        assert not ALIVE.search(done.out + done.err)
        assert "[bol" in done.out + done.err  # the rest may stand on the next line
    assert not list(Path("runs/demo").glob("*.json"))


def test_requests_file_is_what_a_run_sends(bench: Bench) -> None:
    """`bench prompts` writes the very messages and settings that reach the server."""
    plain = ("--limit", 3, "--system", "Be brief.", "--seed", 5, "--iterations", 2)
    args = (*plain, "--max-tokens", 3000)  # else a local server is asked with less at first
    lines = [json.loads(t) for t in bench("prompts", "eqbench-v1", *args).out.splitlines()]
    with LoopbackServer(uniform_ratings()) as server:
        model = ("--model", "openai/m", "--base-url", server.base_url)
        assert bench("run", "eqbench-v1", *args, *model).code == 0
        sent = [request.body for request in server.requests]
    wanted = [(li["messages"], li["temperature"], li["seed"], li["max_tokens"]) for li in lines]
    limit = "max_completion_tokens" if "max_completion_tokens" in sent[0] else "max_tokens"
    got = [(b["messages"], b["temperature"], b["seed"], b[limit]) for b in sent]
    assert sorted(map(repr, got)) == sorted(map(repr, wanted))
    assert [(li["item_id"], li["iteration"]) for li in lines] == [
        (item, n) for n in (1, 2) for item in ("1", "2", "3")
    ]


def test_requests_go_to_a_file(bench: Bench) -> None:
    """-o FILE; one that cannot be written is an error with its name."""
    assert bench("prompts", "eqbench-v1", "-o", "r.jsonl").code == 0
    assert len(Path("r.jsonl").read_text(encoding="utf-8").splitlines()) == 30
    done = bench("prompts", "eqbench-v1", "-o", "none/r.jsonl")
    assert (done.code, done.err.count("\n")) == (3, 1)


def test_a_run_whose_first_requests_are_all_invalid_ends_at_once(bench: Bench) -> None:
    """Exit 4 with the server's words and what to do, after three of 171 questions."""
    message = "max_tokens is too large"

    def refuse(_: ReceivedRequest) -> Fault:
        return Fault("400", message=message)

    with LoopbackServer("never", faults=refuse) as server:
        who = ("--model", "openai/m", "--base-url", server.base_url)
        done = bench("run", "eqbench-v2", *who, "--dataset", "bundled", "--concurrency", 1)
        assert len(server.requests) < 20
    assert done.code == 4
    assert message in done.err
    assert "--max-tokens" in done.err


def test_single_invalid_requests_end_no_run(bench: Bench) -> None:
    """Once something was answered, in this command or an earlier one, a refusal is a sample's."""
    prompts: dict[str, int] = {}

    def fault(request: ReceivedRequest) -> str | None:
        position = prompts.setdefault(request.prompt, len(prompts))
        return "400" if position in range(1, 6) else None

    with LoopbackServer(uniform_ratings(1), faults=fault) as server:
        who = ("--model", "openai/m", "--base-url", server.base_url)
        command = ("run", "eqbench-v1", *who, "--dataset", "bundled", "--concurrency", 1)
        first, again = bench(*command, "--json"), bench(*command, "--json")
    assert [done.json["items"]["failed"] for done in (first, again)] == [5, 5]


def test_attempts_of_failed_samples_are_retries(bench: Bench) -> None:
    """Those of answered ones too: all requests but the first of each call."""
    unlucky: set[str] = set()

    def fault(request: ReceivedRequest) -> str | None:
        if not unlucky:
            unlucky.add(request.prompt)
        return "500" if request.prompt in unlucky or request.n == 1 else None

    with LoopbackServer(uniform_ratings(1), faults=fault) as server:
        who = ("--model", "openai/m", "--base-url", server.base_url)
        command = ("run", "eqbench-v1", *who, "--dataset", "bundled", "--limit", 3, "--json")
        document = bench(*command, env={"BENCH_MAX_RETRIES": "2"}).json
    assert (document["items"]["scored"], document["items"]["failed"]) == (2, 1)
    assert document["calls"]["retries"] == len(server.requests) - 3 >= 2


@pytest.mark.parametrize("retries", [0, 2])
def test_a_call_is_tried_again_as_often_as_wanted(bench: Bench, retries: int) -> None:
    """Each of two calls of a server that always breaks down, and no more often."""
    with LoopbackServer("?", faults=lambda request: "500") as server:
        who = ("--model", "openai/m", "--base-url", server.base_url)
        env = {"BENCH_MAX_RETRIES": str(retries)}
        words = ("--dataset", "bundled", "--limit", 2, "--json")
        done = bench("run", "eqbench-v1", *who, *words, env=env)
    assert done.json["items"]["failed"] == 2
    assert len(server.requests) == 2 * (1 + retries)


@pytest.mark.parametrize(("finish", "changed"), [("stop", False), ("length", True)])
def test_less_room_is_a_change_where_it_cut_a_reply(
    bench: Bench, finish: str, changed: bool
) -> None:
    """The line of comparability names --max-tokens only then."""
    ratings = uniform_ratings(1)

    def answer(request: ReceivedRequest) -> Answer:
        return Answer(str(ratings(request)), finish=finish)

    with LoopbackServer(answer) as server:
        who = ("--model", "openai/m", "--base-url", server.base_url, "--max-tokens", 900)
        done = bench("run", "eqbench-v1", *who, "--dataset", "bundled", "--json")
    assert ("max_tokens=900" in done.json["comparability"]) == changed
