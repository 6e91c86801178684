"""A judge is tried before anything of the model is paid for, and its errors are its own."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from eibench.core.clients.keys import Environment
from eibench.core.errors import ProviderError
from eibench.core.journal import Journal
from eibench.core.parties.party import Party
from eibench.core.parties.providers import ModelSpec
from eibench.core.runs.stored_run import StoredRun
from eibench.core.settings.run_config import Endpoint
from eibench.core.spending.budget import Budget
from eibench.core.spending.prices import Price
from eibench.testing import Fault, LoopbackServer

if TYPE_CHECKING:
    from tests.core.conftest import Lab, LabSession


Bench = Callable[..., Any]


@pytest.fixture
def judges() -> Iterator[LoopbackServer]:
    """A server that is the judge alone."""
    with LoopbackServer(lambda r: "1") as server:
        yield server


def judge_at(server: LoopbackServer, path: str = "/v1") -> Endpoint:
    """The judge at that server."""
    return Endpoint(ModelSpec("openai", "judge-a"), f"http://127.0.0.1:{server.port}{path}")


def trials(server: LoopbackServer) -> int:
    """How often the judge was tried."""
    return sum(request.is_trial for request in server.requests)


# Before the model


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("404", "check --judge and --judge-base-url (it usually ends in /v1)"),
        ("401", "set OPENAI_API_KEY to a key that is valid there"),
        ("quota", "the account's quota is used up"),
        ("html", "check that --judge-base-url is the API's address"),
    ],
)
async def test_a_wrong_judge_is_found_before_the_model_is_asked(
    lab: "Lab", counting_server: LoopbackServer, fault: Fault, message: str
) -> None:
    """The run ends with an error that names the judge and its options; the model heard nothing."""
    with LoopbackServer(faults=lambda r: fault) as wrong:
        with pytest.raises(ProviderError) as caught:
            await lab.run(judge=judge_at(wrong))
        assert {r.is_trial for r in wrong.requests} == {True}
    assert not counting_server.requests
    start = f"the judge openai/judge-a at 127.0.0.1:{wrong.port} answered "
    assert str(caught.value).startswith(start) and message in str(caught.value)


async def test_the_model_waits_for_a_judge_that_was_not_tried(
    lab: "Lab", counting_server: LoopbackServer, judges: LoopbackServer
) -> None:
    """One tiny call, for all samples, before the first of the model's."""
    done = await lab.run(judge=judge_at(judges))
    first = judges.requests[0]
    assert (first.is_trial, trials(judges)) == (True, 1)
    assert first.received_at < min(r.received_at for r in counting_server.requests)
    assert (done["status"], done["calls"]["judge"]) == ("complete", 8)


@pytest.mark.parametrize(("fault", "n"), [("500", 1), ("429", 1), ("400", 10), ("context", 1)])
async def test_a_judge_that_is_there_is_given_the_verdicts_to_make(
    lab: "Lab", judges: LoopbackServer, fault: Fault, n: int
) -> None:
    """A server that is busy, or that does not like so small a request, is the right one.

    A refusal without words is tried without each part that a request could do without.
    """
    with LoopbackServer(lambda r: "1", faults=lambda r: fault if r.is_trial else None) as moody:
        done = await lab.run(judge=judge_at(moody))
        assert done["status"] == "complete"
        assert trials(moody) == n


async def test_a_stop_while_the_judge_is_tried_asks_the_model_nothing(
    lab: "Lab", counting_server: LoopbackServer
) -> None:
    """The run is interrupted as at any other moment; the trial is kept."""
    stopping = lab.session

    def stop(request: object) -> str:
        lab.sessions[-1].stop.interrupt()
        return "OK"

    with LoopbackServer(stop) as judges:
        done = await stopping(judge=judge_at(judges)).run()
    assert done["status"] == "interrupted"
    assert not counting_server.requests


# When there is none


async def test_a_judge_that_has_answered_in_the_run_is_not_tried_again(
    lab: "Lab", judges: LoopbackServer
) -> None:
    """Not by the command that goes on, whatever it still has to ask."""
    await lab.run(judge=judge_at(judges), limit=1)
    await lab.run(judge=judge_at(judges))
    assert trials(judges) == 1


async def test_a_judge_of_several_models_is_tried_once(lab: "Lab", judges: LoopbackServer) -> None:
    """The runs of one command share what they know."""
    answered = set[Party]()
    for name in ("one", "two"):
        session = lab.session(judge=judge_at(judges), model=lab.endpoint(name))
        session.answered = answered
        await session.run()
    assert trials(judges) == 1


async def test_a_judge_is_tried_once_for_all_commands(lab: "Lab", judges: LoopbackServer) -> None:
    """Not anew for another model; but with another key, or at another address."""
    await lab.run(judge=judge_at(judges))
    await lab.run(judge=judge_at(judges), model=lab.endpoint("two"))
    assert trials(judges) == 1
    session = lab.session(judge=judge_at(judges), model=lab.endpoint("three"))
    session.environment = Environment({"OPENAI_API_KEY": "sk-another-key-of-the-tests"})
    await session.run()
    assert trials(judges) == 2
    with LoopbackServer(lambda r: "1") as moved:
        await lab.run(judge=judge_at(moved), model=lab.endpoint("four"))
        assert trials(moved) == 1
    assert b"sk-another" not in (lab.runs_dir / "bench.sqlite").read_bytes()


async def test_no_judge_is_tried_when_the_model_is_asked_nothing(
    lab: "Lab", judges: LoopbackServer
) -> None:
    """Another judge of a finished run gets its verdicts to make at once."""
    await lab.run()
    await lab.run(judge=judge_at(judges))
    assert (trials(judges), len(judges.requests)) == (0, 8)


@pytest.mark.parametrize("model", ["demo/medium", "openai/m"])
def test_what_costs_nothing_is_not_tried_for(
    invoke: Bench, judges: LoopbackServer, model: str
) -> None:
    """A demo model's replies are free; and without verdicts the judge is not needed."""
    where = ("--base-url", judges.base_url) if model == "openai/m" else ()
    none = ("--no-rubric",) if model == "openai/m" else ()
    judge = ("--judge", "openai/j", "--judge-base-url", judges.base_url)
    run = ("run", "eqbench3", "--model", model, *where, *judge, *none, "--limit", "1", "--json")
    assert invoke(*run, "--dataset", "bundled").json["items"]["failed"] == 0
    assert trials(judges) == 0


# What it costs, and where it stands


def priced(lab: "Lab", judges: LoopbackServer, limit: float) -> "LabSession":
    """A session whose judge costs money, with a limit."""
    session = lab.session(judge=judge_at(judges))
    price = Price(1.0, 1.0, source="a test")
    book = replace(session.pricing.book, configured={"openai/judge-a": price})
    session.pricing = replace(session.pricing, book=book, budget=Budget(limit))
    return session


async def test_the_cost_of_a_trial_is_in_the_result(lab: "Lab", judges: LoopbackServer) -> None:
    """Like that of any other call."""
    document = await priced(lab, judges, 1.0).run()
    with Journal(lab.runs_dir) as journal:
        run = journal.find_run(str(document["run_id"]))
        assert run is not None
        costs = {c.key: c.response.cost_usd or 0.0 for c in journal.calls(run)}
    (trial,) = [cost for key, cost in costs.items() if key.phase == "trial"]
    assert trial > 0 and document["cost_usd"] == pytest.approx(sum(costs.values()), abs=1e-6)


async def test_a_trial_keeps_to_the_spending_limit(
    lab: "Lab", counting_server: LoopbackServer, judges: LoopbackServer
) -> None:
    """A limit that no call to the judge fits into ends the run before anything is asked."""
    document = await priced(lab, judges, 1e-9).run()
    assert document["status"] == "budget"
    assert not judges.requests and not counting_server.requests


async def test_a_trial_is_about_no_item(lab: "Lab", judges: LoopbackServer) -> None:
    """`bench show RUN ITEM` does not show it."""
    document = await lab.run(judge=judge_at(judges), limit=1)
    with Journal(lab.runs_dir) as journal:
        run = journal.find_run(str(document["run_id"]))
        assert run is not None
        (iteration,) = StoredRun(journal, run).item("1")["iterations"]
        held = journal.count_calls(run)
    assert len(iteration["calls"]) == 8 and held == 9


def arguments(server: LoopbackServer, *models: str) -> tuple[str, ...]:
    """The plan of runs of one sample with a judge, all at one server."""
    named = [part for model in models for part in ("--model", f"openai/{model}")]
    where = ("--base-url", server.base_url, "--judge-base-url", server.base_url)
    more = ("--judge", "openai/j", "--limit", "1", "--dataset", "bundled", "--dry-run", "--json")
    return ("run", "eqbench3", *named, *where, *more)


def test_the_plan_tells_of_the_trial(
    invoke: Bench, judges: LoopbackServer, empty_place: Path
) -> None:
    """In words and as JSON; of several models only the first has one."""
    judge = f"openai/j at 127.0.0.1:{judges.port}"
    alone = invoke(*arguments(judges, "a")).err
    assert f"1 call to {judge} and 1 call to see that {judge} answers" in alone
    done = invoke(*arguments(judges, "a", "b"))
    assert done.err.count(f"1 call to see that {judge} answers") == 1
    assert "and 5 to judges (2 of them comparisons)" in done.err
    assert [run["tries_judge"] for run in done.json["runs"]] == [True, False]


def test_the_plan_of_the_next_command_tells_of_none(
    invoke: Bench, judges: LoopbackServer, empty_place: Path
) -> None:
    """Once the judge has answered; with another key there is one again."""
    run = [part for part in arguments(judges, "a") if part != "--dry-run"]
    assert invoke(*run).json["items"]["total"] == 1
    assert trials(judges) == 1
    (plan,) = invoke(*arguments(judges, "b")).json["runs"]
    assert not plan["tries_judge"]
    environment = {"OPENAI_API_KEY": "sk-another-key-of-the-tests"}
    (plan,) = invoke(*arguments(judges, "b"), env=environment).json["runs"]
    assert plan["tries_judge"]


def test_a_wrong_judge_ends_the_command(
    invoke: Bench, judges: LoopbackServer, empty_place: Path
) -> None:
    """`--judge-base-url` without its /v1: exit 4, one line that blames the judge's address."""
    run = [part for part in arguments(judges, "a") if part != "--dry-run"]
    at = run.index("--judge-base-url") + 1
    run[at] = run[at].removesuffix("/v1")
    done = invoke(*run)
    assert done.code == 4
    message = done.err.splitlines()[-1]
    assert message.startswith(
        f"Error: the judge openai/j at 127.0.0.1:{judges.port} answered 404: "
    )
    assert message.endswith("; check --judge and --judge-base-url (it usually ends in /v1)")
    assert not judges.answered
