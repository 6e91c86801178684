"""Runs whose calls go to batch APIs: every fault of them, money, and what is found again."""

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

from eibench.core.clients import batch_services, batch_settings, batch_waiting
from eibench.core.clients.batch_settings import Pace
from eibench.judges import criteria_of
from eibench.testing import uniform_ratings
from tests.fakes.batches import BatchServer

Bench = Callable[..., Any]
FORMS = ("openai", "anthropic")
PACE = Pace(tick=0.05, first=0.01, longest=0.05, grace=0.2)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch is looked at all the time."""
    monkeypatch.setattr(batch_settings, "PACE", PACE)


both_forms = pytest.mark.parametrize("form", FORMS)


def _run(bench: Bench, server: BatchServer, form: str, *more: str) -> Any:
    """A run of twelve questions, looked at often."""
    asked = ("--model", f"{form}/m", "--base-url", server.base_url, "--limit", "12")
    return bench("run", "eqbench-v1", *asked, "--batch", "--yes", *more)


def _rows() -> list[tuple[str, str | None]]:
    with closing(sqlite3.connect("runs/bench.sqlite")) as connection:
        return list(connection.execute("SELECT attempt, id FROM batches"))


@both_forms
def test_a_run_is_one_batch_at_half_the_price(bench: Bench, form: str) -> None:
    """One question is asked live at first; the price of the others is that of batches."""
    with BatchServer(uniform_ratings(3)) as server:
        done = _run(bench, server, form, "--price", "2,8", "--json")
        live = BatchServer(uniform_ratings(3))
        with live:
            url = ("--base-url", live.base_url, "--limit", "12", "--price", "2,8")
            usual = bench("run", "eqbench-v1", "--model", f"{form}/n", *url, "--yes", "--json")
    assert done.code == 0, done.err
    assert (len(server.batches), len(server.billed), server.counts["ok"]) == (1, 11, 1)
    assert done.json["metrics"] == usual.json["metrics"]
    share = done.json["cost_usd"] / usual.json["cost_usd"]
    assert share == pytest.approx((1 + 11 / 2) / 12, rel=0.02)
    assert "half as a batch" in json.dumps(done.json) or done.json["cost_usd"] > 0
    assert _rows() == []


@both_forms
@pytest.mark.parametrize("fault", ["shuffled", "line-twice", "unknown-at-first"])
def test_what_is_only_odd_changes_nothing(bench: Bench, form: str, fault: str) -> None:
    """Results in disorder or there twice, and a batch that is not known at first."""
    with BatchServer(uniform_ratings(3), batch_faults={fault}) as server:
        done = _run(bench, server, form)
    assert done.code == 0, done.err
    assert (len(server.batches), len(server.billed), server.counts["ok"]) == (1, 11, 1)


@both_forms
@pytest.mark.parametrize(
    ("fault", "live"),
    [("line-missing", 1), ("expired-in-part", 3), ("cancelled", 6), ("errors-only", 11),
     ("gone", 11), ("forgotten", 11)],
)  # fmt: skip
def test_what_a_batch_did_not_answer_goes_live(
    bench: Bench, form: str, fault: str, live: int
) -> None:
    """Only that, named with its number and price; nothing else is paid for twice."""
    with BatchServer(uniform_ratings(3), batch_faults={fault}) as server:
        done = _run(bench, server, form, "--price", "2,8", "--json")
    assert done.code == 0, done.err
    assert (len(server.batches), server.counts["ok"]) == (1, 1 + live)
    assert done.json["items"]["scored"] == 12
    told = rf"no answer in the batch to {live} requests? \(.+\); asked live, at the full price: \$"
    assert len(re.findall(told, " ".join(done.err.split()))) == 1, done.err


@both_forms
def test_what_the_budget_cannot_hold_live_fails(bench: Bench, form: str) -> None:
    """Its samples say why, and the same command sends another batch."""
    with BatchServer(uniform_ratings(3), batch_faults={"errors-only"}) as server:
        asked = ("--price", "2,8", "--max-tokens", "900", "--json")
        done = _run(bench, server, form, *asked, "--max-cost", "0.07")
        assert (done.json["items"]["failed"], server.counts["ok"]) == (11, 1), done.err
        reason = done.json["failed"][0]["reason"]
        assert "no answer in the batch to 11 requests" in reason
        assert "--max-cost does not hold" in reason
        server.batch_faults.clear()
        again = _run(bench, server, form, *asked, "--max-cost", "0.07")
    assert (again.code, again.json["items"]["scored"]) == (0, 12)
    assert (len(server.batches), len(server.billed), server.counts["ok"]) == (2, 10, 2)


@both_forms
@pytest.mark.parametrize(
    ("fault", "says"),
    [("page", "Sign in"), ("unknown-state", "a batch that is paused")],
)
def test_an_answer_that_is_no_batch_ends_the_wait(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, form: str, fault: str, says: str
) -> None:
    """It is asked again for a while, which is said; the batch is read by a later command."""
    monkeypatch.setattr(batch_waiting, "FAILURES", 3)
    with BatchServer(uniform_ratings(3), batch_faults={fault}) as server:
        done = _run(bench, server, form, "--json")
        assert (done.code, server.counts["ok"]) == (1, 1)
        assert says in done.json["failed"][0]["reason"]
        assert "it is asked again" in done.err
        server.batch_faults.clear()
        again = _run(bench, server, form)
    assert (again.code, len(server.batches), len(server.billed)) == (0, 1, 11)
    assert _rows() == []


@both_forms
@pytest.mark.parametrize("fault", ["", "undated"])
def test_a_batch_that_does_not_end_is_not_waited_for_for_ever(
    bench: Bench, form: str, fault: str
) -> None:
    """The run ends some hours after the day that the provider has, and names the way out."""
    with BatchServer(uniform_ratings(3), takes=10**6, batch_faults={fault}) as server:
        assert _run(bench, server, form, "--no-wait").code == 5
        server.advance(31 * 3600)
        _intend(hours=-31 if fault else 0)
        done = _run(bench, server, form)
        assert done.code == 4
        assert "has not ended 31 hours after its submission; cancel it there" in done.err
        server.batch_faults.add("cancelled")
        server.advance(10**6)
        assert _run(bench, server, form).code == 0
    assert (len(server.batches), len(server.billed), server.counts["ok"]) == (1, 5, 7)


@both_forms
def test_the_age_of_a_batch_is_by_its_provider_s_clock(bench: Bench, form: str) -> None:
    """A day that was wrong here when it was sent ends no wait."""
    with BatchServer(uniform_ratings(3), takes=3600) as server:
        assert _run(bench, server, form, "--no-wait").code == 5
        _intend(hours=-24 * 400)
        assert _run(bench, server, form, "--no-wait").code == 5
        server.advance(3601)
        assert _run(bench, server, form).code == 0
    assert (len(server.batches), len(server.billed), server.counts["ok"]) == (1, 11, 1)


def _intend(hours: float) -> None:
    """Let the batches of a run have been intended at another time."""
    at = (datetime.now(UTC) + timedelta(hours=hours)).isoformat()
    with closing(sqlite3.connect("runs/bench.sqlite")) as connection, connection:
        connection.execute("UPDATE batches SET at = ?", (at,))


def test_a_defect_while_a_batch_is_waited_for_ends_the_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for ever, whatever is raised."""

    def broken(*_: object) -> None:
        raise ValueError("no such day")

    monkeypatch.setattr(batch_services, "_openai_line", broken)
    with BatchServer(uniform_ratings(3)) as server:
        done = _run(bench, server, "openai")
    assert done.code == 4
    assert "batches cannot go on: ValueError('no such day')" in done.err


def test_an_id_is_no_path(bench: Bench) -> None:
    """What a provider calls a batch is quoted where it is asked for."""
    paths = list[str]()

    class Server(BatchServer):
        async def _other(self, raw: Any) -> Any:
            paths.append(raw.path)
            response = await super()._other(raw)
            body = response.body.replace(b"batch_0", b"../batch_0")
            return response._replace(body=body)

    with Server(uniform_ratings(3)) as server:
        _run(bench, server, "openai")
    assert "/v1/batches/..%2Fbatch_0" in paths


@pytest.mark.parametrize("behind_s", [-7200, 7200])
@both_forms
def test_clocks_that_differ_hide_no_batch(bench: Bench, form: str, behind_s: float) -> None:
    """One whose creation was not answered is found by hours that are not ours."""
    with BatchServer(uniform_ratings(3), batch_faults={"closed-after-create"}) as server:
        server.advance(-behind_s)
        done = _run(bench, server, form)
    assert done.code == 0, done.err
    assert (len(server.batches), len(server.billed), server.counts["ok"]) == (1, 11, 1)


@both_forms
@pytest.mark.parametrize("fault", ["closed-after-create", "error-after-create"])
def test_a_batch_whose_creation_was_not_answered_is_found(
    bench: Bench, form: str, fault: str
) -> None:
    """By its name, or by what came of it; nothing is submitted twice."""
    with BatchServer(uniform_ratings(3), batch_faults={fault}) as server:
        done = _run(bench, server, form)
    assert done.code == 0, done.err
    assert (len(server.batches), len(server.billed), server.counts["ok"]) == (1, 11, 1)
    assert "was taken over" in done.err


def test_of_two_that_may_be_ours_neither_is_taken(bench: Bench) -> None:
    """OpenAI: the same name twice; they are named, and nothing more is sent."""
    with BatchServer(uniform_ratings(3), batch_faults={"closed-after-create"}) as server:
        usual = server._create

        def twice(raw: Any, *, anthropic: bool) -> Any:
            response = usual(raw, anthropic=anthropic)
            (first,) = server.batches.values()
            other = type(first)("batch_1", first.rows, first.created, first.metadata)
            server.batches["batch_1"] = other
            return response

        server._create = twice  # type: ignore[method-assign]
        done = _run(bench, server, "openai")
    assert done.code == 4
    assert "any of the batches batch_0, batch_1" in " ".join(done.err.split())
    assert server.counts["ok"] == 1


def test_another_s_batch_of_as_many_requests_is_left_alone(bench: Bench) -> None:
    """Anthropic: by time and number it may be ours, by its `custom_id`s it is not."""
    with BatchServer(uniform_ratings(3)) as server:
        client = anthropic.Anthropic(api_key="k", base_url=server.root_url)
        asked: Any = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}]}
        requests: Any = [{"custom_id": f"x{n}", "params": asked} for n in range(11)]
        client.messages.batches.create(requests=requests)
        server.batch_faults = {"closed-after-create"}
        done = _run(bench, server, "anthropic")
    assert done.code == 0, done.err
    assert "msgbatch_1 was taken over" in done.err
    assert (len(server.batches), server.counts["ok"]) == (2, 1)


@both_forms
def test_without_waiting_the_same_command_reads_the_results(bench: Bench, form: str) -> None:
    """Exit code 5 and status waiting, as often as it is asked too early."""
    with BatchServer(uniform_ratings(3), takes=3600) as server:
        first = _run(bench, server, form, "--no-wait", "--json")
        assert (first.code, first.json["status"]) == (5, "waiting")
        runs = bench("runs").out
        assert "waiting" in runs
        assert re.search(
            r"waits for batch \S+ of 11 requests to \S+ at .*, [0-9].* old",
            runs.replace("msgbatch", "batch"),
        )
        assert _run(bench, server, form, "--no-wait").code == 5
        server.advance(3601)
        done = _run(bench, server, form, "--no-wait", "--json")
    assert (done.code, done.json["status"]) == (0, "complete")
    assert (len(server.batches), len(server.billed), server.counts["ok"]) == (1, 11, 1)
    assert _rows() == []


def test_what_waits_in_a_batch_is_not_asked_live(bench: Bench) -> None:
    """The command without --batch is refused with both ways out; who leaves it is told of it."""
    with BatchServer(uniform_ratings(3), takes=3600) as server:
        run = _run(bench, server, "openai", "--no-wait", "--json").json["run_id"]
        asked = ("--model", "openai/m", "--base-url", server.base_url, "--limit", "12", "--yes")
        live = bench("run", "eqbench-v1", *asked)
        assert live.code == 2
        told = " ".join(live.err.split())
        assert f"run {run} waits for batch batch_0 of 11 requests" in told
        assert "with --batch reads its results, with --fresh it begins a new run" in told
        assert server.counts["ok"] == 1
        leaves = "batch_0 of 11 requests to openai/m at 127.0.0.1:"
        fresh = bench("run", "eqbench-v1", *asked, "--fresh")
        assert f"waits for batch {leaves}" in " ".join(fresh.err.split())
        assert leaves in bench("delete", run, "--yes").err


@both_forms
@pytest.mark.parametrize("fault", ["refused", "failed"])
def test_a_batch_that_is_refused_ends_the_run(bench: Bench, form: str, fault: str) -> None:
    """With the server's words; nothing is sent live in its place, after the first."""
    if (form, fault) == ("anthropic", "failed"):
        pytest.skip("a batch of Anthropic's is checked when it is made")
    with BatchServer(uniform_ratings(3), batch_faults={fault}) as server:
        done = _run(bench, server, form)
    assert done.code == 4
    assert ("refused" if fault == "refused" else "line 1 is wrong") in done.err
    assert server.counts["ok"] == 1
    assert _rows() == []


@both_forms
def test_a_batch_stays_within_the_budget(bench: Bench, form: str) -> None:
    """What there is no money for waits for what comes of a batch, two at most, or ends the run."""
    price = ("--price", "2,8", "--max-tokens", "900", "--json")
    with BatchServer(uniform_ratings(3)) as server:
        done = _run(bench, server, form, *price, "--max-cost", "0.04")
        assert (done.code, len(server.batches)) == (0, 2), done.err
        assert done.json["cost_usd"] < 0.04
        poor = _run(bench, server, form, *price, "--max-cost", "0.012", "--name", "o")
        assert (poor.code, poor.json["status"], len(server.batches)) == (5, "budget", 4)
        assert poor.json["cost_usd"] <= 0.012
        assert len(server.billed) + server.counts["ok"] == 12 + poor.json["items"]["scored"]
        rest = _run(bench, server, form, *price, "--max-cost", "0.1", "--name", "o")
    assert (rest.code, len(server.batches), len(server.billed)) == (0, 5, 22)


def test_judges_of_talks_get_one_batch_each_time_all_wait(bench: Bench) -> None:
    """Of a benchmark of several turns; the model, and the trial of the judge, are live."""

    def respond(request: Any) -> str:
        if request.model == "j" and not request.is_trial:
            return json.dumps(dict.fromkeys(criteria_of(request.prompt), 7))
        return "I would listen first, and then ask each of them what they had hoped for. " * 4

    with BatchServer(respond) as server:
        url = server.base_url
        done = bench(
            *("run", "eqbench3", "--no-elo", "--limit", "6", "--model", "openai/m", "--yes"),
            *("--base-url", url, "--judge", "openai/j", "--judge-base-url", url, "--batch"),
            "--json",
        )
    assert done.code == 0, done.err
    assert len(server.batches) == 1
    assert (len(server.billed), done.json["items"]["scored"]) == (5, 6)
    models = {request.model for request in server.requests if not request.is_trial}
    assert models == {"m", "j"}


def test_a_run_is_judged_again_by_a_batch(bench: Bench) -> None:
    """The judge's calls alone; answers made elsewhere without a judge have none."""

    def respond(request: Any) -> str:
        return json.dumps(dict.fromkeys(criteria_of(request.prompt), 7))

    with BatchServer(lambda q: "I hear you, and would ask what she fears. " * 9) as model:
        run = ("run", "eqbench3", "--no-elo", "--limit", "6", "--model", "openai/m", "--yes")
        done = bench(*run, "--base-url", model.base_url, "--no-rubric", "--json")
        assert done.code == 0, done.err
    with BatchServer(respond) as server:
        judge = ("--judge", "openai/j", "--judge-base-url", server.base_url, "--batch")
        again = bench("rejudge", done.json["run_id"], *judge, "--yes", "--json")
    assert again.code == 0, again.err
    assert (len(server.batches), len(server.billed), server.counts["ok"]) == (1, 5, 1)
    Path("a.jsonl").write_text('{"item_id": "1", "response": "x"}\n', "utf-8")
    assert "--batch goes with --judge" in bench("score", "eqbench-v1", "a.jsonl", "--batch").err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("eqbench-v1", "--batch"), "has no batch API that is known here"),
        (("eqbench-v1", "--no-wait"), "--no-wait is for --batch"),
        (("eqbench-v1", "--batch", "judge"), "which asks none here"),
    ],
)
def test_what_no_batch_can_do_is_refused(
    bench: Bench, arguments: tuple[str, ...], says: str
) -> None:
    """Before anything is asked."""
    done = bench("run", *arguments)
    assert done.code == 2
    assert says in " ".join(done.err.split())


def test_the_openai_sdk_reads_our_server() -> None:
    """Its own methods: a file, a batch, the list, the results."""
    with BatchServer("Hello.") as server:
        client = openai.OpenAI(api_key="k", base_url=server.base_url)
        body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
        row = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": body}
        file = client.files.create(file=("b.jsonl", json.dumps(row).encode()), purpose="batch")
        made = client.batches.create(
            input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h",
            metadata={"eibench": "x"},
        )  # fmt: skip
        ended = client.batches.retrieve(made.id)
        assert (ended.status, ended.metadata) == ("completed", {"eibench": "x"})
        assert [one.id for one in client.batches.list()] == [made.id]
        text = client.files.content(str(ended.output_file_id)).text
    assert json.loads(text)["response"]["body"]["choices"][0]["message"]["content"] == "Hello."


def test_the_anthropic_sdk_reads_our_server() -> None:
    """Its own methods: a batch, the list, the results."""
    with BatchServer("Hello.") as server:
        client = anthropic.Anthropic(api_key="k", base_url=server.root_url)
        asked: Any = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}]}
        made = client.messages.batches.create(requests=[{"custom_id": "a", "params": asked}])
        assert client.messages.batches.retrieve(made.id).processing_status == "ended"
        assert [one.id for one in client.messages.batches.list()] == [made.id]
        (result,) = client.messages.batches.results(made.id)
    assert result.custom_id == "a"
    assert result.result.type == "succeeded"
    assert result.result.message.content[0].text == "Hello."  # type: ignore[union-attr]
