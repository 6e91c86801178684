"""A plugin that asks without end, waits for ever, or asks something else each time."""

import asyncio
import contextlib
from random import random
from types import SimpleNamespace
from typing import Any

import pytest

from eibench import BenchError, ChatRequest, Interrupted, Item, Message, Model, Options, Score
from eibench.core.journal import Journal
from eibench.core.run import plan_requests
from eibench.core.run.plan import make_plan
from eibench.core.sample import workers
from eibench.core.sample.bounds import FREE
from eibench.testing import LoopbackServer
from tests.core.conftest import Lab, Talk


def use(lab: Lab, *, items: int = 1, **methods: Any) -> None:
    """Give the benchmark other coroutines and one planned call, and no judge."""
    vars(lab.benchmark).update(
        methods, judged=False, planned_calls=lambda item, options: {"model": 1, "judge": 0}
    )
    lab.take_items(items)


async def asks_on(item: Item, model: Model, options: Options) -> list[str]:
    """Has no end."""
    for n in range(10**6):
        await model.chat(f"{item.id} again {n}")
    return []


async def waits(item: Item, model: Model, options: Options) -> list[str]:
    """For what never comes."""
    await asyncio.Event().wait()
    return []


async def test_a_sample_that_asks_on_fails_at_its_bound(
    lab: Lab, counting_server: LoopbackServer
) -> None:
    """Ten calls where one is planned; who, where and both numbers are told."""
    use(lab, generate=asks_on)
    document = await lab.run()
    assert len(counting_server.requests) == FREE
    (failed,) = document["failed"]
    assert "generate of talk" in failed["reason"]
    assert "asked more than 10 times for item '1' (planned: 1)" in failed["reason"]


async def test_the_same_command_asks_nothing_more_of_such_a_sample(
    lab: Lab, counting_server: LoopbackServer
) -> None:
    """Calls from the journal count as well."""
    use(lab, generate=asks_on)
    first = await lab.run()
    again = await lab.run()
    assert again["failed"] == first["failed"]
    assert len(counting_server.requests) == FREE


async def test_a_plugin_that_catches_the_refusal_fails_all_the_same(lab: Lab) -> None:
    """No score is made of a sample beyond its bound."""

    async def catches(item: Item, model: Model, options: Options) -> list[str]:
        with contextlib.suppress(BenchError):
            await asks_on(item, model, options)
        return ["1"]

    use(lab, generate=catches)
    items = (await lab.run())["items"]
    assert (items["scored"], items["failed"]) == (0, 1)


async def test_the_bound_grows_with_the_plan_and_its_attempts(
    lab: Lab, counting_server: LoopbackServer
) -> None:
    """Three times 4 calls, each of which may be asked 5 times."""

    async def asks(item: Item, model: Model, options: Options) -> list[str]:
        return [(await model.chat(f"{n}")).text for n in range(60)]

    use(lab, generate=asks)
    vars(lab.benchmark).update(
        planned_calls=lambda item, options: {"model": 4, "judge": 0}, most_attempts=5
    )
    assert (await lab.run())["items"]["scored"] == 1
    assert len(counting_server.requests) == 60


def plan(lab: Lab) -> Any:
    """The plan of a run with demo words."""

    class Spoken(Talk):
        """With words of a demo model."""

        def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Any) -> str:
            """A number."""
            return "1"

    spoken = Spoken()
    vars(spoken).update(vars(lab.benchmark))
    lab.benchmark = spoken
    lab.take_items(3)
    session = lab.session()
    return asyncio.to_thread(make_plan, session.task, session)


async def test_a_plan_names_a_plugin_that_asks_on(lab: Lab) -> None:
    """Before anything is sent, and once."""
    use(lab, generate=asks_on)
    await plan(lab)
    (message,) = lab.said
    assert message.startswith("generate of talk") and "asked more than 10 times" in message


async def test_a_plan_names_a_plugin_that_waits_for_ever(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And is made without it."""
    monkeypatch.setattr(plan_requests, "PATIENCE_S", 0.05)
    use(lab, generate=waits)
    made = await plan(lab)
    assert made.parties[0].calls == 3
    (message,) = lab.said
    assert message.startswith("generate of talk") and "has not ended after 0.05 s" in message


async def test_a_plan_says_that_requests_differ_each_time(lab: Lab) -> None:
    """A stopped run would ask them again."""

    async def draws(item: Item, model: Model, options: Options) -> list[str]:
        return [(await model.chat(f"{random()}")).text]

    use(lab, generate=draws)
    await plan(lab)
    (message,) = lab.said
    assert "asks something else each time for item '1'" in message
    assert "draw what is random by model.draw" in message


async def test_a_plan_finds_a_summary_that_cannot_be(lab: Lab) -> None:
    """That of its ranking metric, before replies are paid for."""
    use(lab)
    vars(lab.benchmark).update(ranked_by="zz")
    await plan(lab)
    assert [m for m in lab.said if "returned no metric 'zz', which ranked_by names" in m]


async def test_a_plan_of_a_benchmark_without_a_fault_says_nothing(lab: Lab) -> None:
    """Requests made in another order are the same."""
    use(lab)
    await plan(lab)
    assert lab.said == []


async def test_a_run_names_a_plugin_that_waits_while_nothing_is_asked(lab: Lab) -> None:
    """With file and line, once."""
    said, running = list[str](), asyncio.Event()

    async def grade(item: Item, transcript: object, judge: object, options: Options) -> Score:
        running.set()
        await asyncio.Event().wait()
        raise AssertionError

    use(lab, grade=grade)
    session = lab.session()
    run = asyncio.create_task(session.run())
    await running.wait()
    shared = SimpleNamespace(progress=session.progress, under_way={}, say=said.append)
    others = [t for t in asyncio.all_tasks() if t not in (run, asyncio.current_task())]
    telling = asyncio.create_task(workers.tell_of_waiting(shared, others, after_s=0.01))  # type: ignore[arg-type]
    while not said:
        await asyncio.sleep(0.01)
    telling.cancel()
    assert "grade of talk" in said[0]
    assert "waits for something that is no call, at test_call_bounds.py:" in said[0]
    session.stop.interrupt()
    session.stop.interrupt()
    with contextlib.suppress(BenchError):
        await run


async def test_a_stop_does_not_wait_for_a_plugin_without_a_call(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One request to stop is enough; what was answered is kept."""
    monkeypatch.setattr(workers, "IDLE_S", 0.02)
    monkeypatch.setattr(workers, "LOOK_S", 0.01)

    async def asks_and_waits(item: Item, model: Model, options: Options) -> list[str]:
        await model.chat("one")
        lab.sessions[-1].stop.ask(Interrupted("interrupted"))
        return await waits(item, model, options)

    use(lab, generate=asks_and_waits)
    document = await asyncio.wait_for(lab.run(), timeout=60)
    assert document["status"] == "interrupted"
    with Journal(lab.runs_dir) as journal:
        (run,) = journal.runs()
        assert journal.count_calls(run) == 1


async def test_a_system_prompt_goes_before_that_of_the_benchmark(
    lab: Lab, counting_server: LoopbackServer
) -> None:
    """In one message, as many chat templates take no second one."""

    async def talks(item: Item, model: Model, options: Options) -> list[str]:
        return [(await model.chat([Message("system", "You play."), Message("user", "Hi")])).text]

    use(lab, generate=talks)
    await lab.run(system="Be brief.")
    (request,) = counting_server.requests
    assert request.body["messages"] == [
        {"role": "system", "content": "Be brief.\n\nYou play."},
        {"role": "user", "content": "Hi"},
    ]


async def test_a_reply_that_is_kept_is_had_without_asking(
    lab: Lab, counting_server: LoopbackServer
) -> None:
    """And one that is not is none."""
    seen: list[object] = []

    async def asks_twice(item: Item, model: Model, options: Options) -> list[str]:
        return [(await model.chat(text)).text for text in ("one", "two")]

    async def looks(item: Item, model: Model, options: Options) -> list[str]:
        seen.append(await model.kept("one"))
        seen.append(await model.kept("three"))
        return ["1"]

    use(lab, generate=asks_twice)
    await lab.run()
    with Journal(lab.runs_dir) as journal:
        journal.writer.add("DELETE FROM grades", ())
    use(lab, generate=looks)
    await lab.run()
    assert [getattr(reply, "text", None) for reply in seen] == ["0", None]
    assert len(counting_server.requests) == 2
