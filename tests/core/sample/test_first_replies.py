"""Requests wait for the first readable reply, in whatever way a benchmark asks."""

import asyncio
import re
from typing import Any

import pytest

from eibench import Item, Model, Options, Score
from eibench.core.sample.first_replies import ENOUGH, FirstReplies
from eibench.core.sample.progress import Progress
from eibench.core.sample.workers import Stop
from eibench.testing import LoopbackServer
from tests.core.conftest import Lab, Talk


class Unread(Talk):
    """As many calls as are wanted, and a score for none."""

    judged = False
    at_once = 12

    def planned_calls(self, item: Item, options: Options) -> dict[str, int]:
        """Those."""
        return {"model": 2 * self.at_once}

    async def generate(self, item: Item, model: Model, options: Options) -> list[str]:
        """Different questions at the same time, in two turns."""
        asked = range(self.at_once)
        first = await asyncio.gather(*(model.chat(f"{item.id} {n}") for n in asked))
        then = await asyncio.gather(*(model.chat(f"{item.id} again {n}") for n in asked))
        return [reply.text for reply in (*first, *then)]

    async def grade(
        self, item: Item, transcript: list[str], judge: Model | None, options: Options
    ) -> Score:
        """None."""
        return Score.unscored("no number")


class UnreadAtOnce(Unread):
    """The same of a benchmark that says that it asks once."""

    single_turn = True


@pytest.mark.parametrize("benchmark", [Unread(), UnreadAtOnce()])
async def test_ten_samples_tell_where_replies_are_not_marked(lab: Lab, benchmark: Unread) -> None:
    """Whatever a sample needs is sent, also more than ten at a time, so nothing waits for ever."""
    lab.benchmark = benchmark
    lab.take_items(30)
    with LoopbackServer("Well.") as server:
        lab.url = server.base_url
        async with asyncio.timeout(60):
            document = await lab.run()
        assert len(server.requests) <= 24 * 2 * 16
    assert document["status"] == "fail"
    assert ENOUGH <= document["items"]["unscored"] < 30
    assert any(re.match(r"none of the first \d+ replies could be read", s) for s in lab.said)


class Marks(Talk):
    """Says something of each reply."""

    judged = False
    problem: Any = None

    async def generate(self, item: Item, model: Model, options: Options) -> list[str]:
        """One reply, marked."""
        reply = await model.chat(item.id)
        model.mark(reply, self.problem)
        return [reply.text]


async def test_what_is_no_reason_is_refused(lab: Lab) -> None:
    """A slip of the plugin's author is told as such."""
    lab.benchmark = Marks()
    lab.benchmark.problem = True
    document = await lab.run()
    assert document["items"]["failed"] == 4
    assert "mark takes a ChatResponse and, if it could not be read, why" in str(document["failed"])


async def test_a_reply_that_was_marked_is_counted_once(lab: Lab) -> None:
    """And not for its sample again."""
    lab.benchmark = Marks()
    await lab.run()
    progress = lab.sessions[-1].progress
    assert (progress.replies_read, progress.replies_unread) == (4, 0)


async def test_a_stop_ends_the_waiting() -> None:
    """Whoever waits for a readable reply does not wait for ever."""
    stop, said = Stop(), list[str]()
    first = FirstReplies(stop, Progress(), said.append, holds=True)
    for n in range(ENOUGH):
        await first.enter(n)
    waiting = asyncio.create_task(first.enter("one more"))
    await asyncio.sleep(0)
    assert not waiting.done()
    stop.interrupt()
    with pytest.raises(Exception, match="stopped before this was sent"):
        await waiting
    assert said == []


async def test_a_request_that_failed_gives_its_place_to_another() -> None:
    """It says nothing of whether replies can be read."""
    first = FirstReplies(Stop(), Progress(), print, holds=True)
    for n in range(ENOUGH):
        await first.enter(n)
    waiting = asyncio.create_task(first.enter("one more"))
    await asyncio.sleep(0)
    first.leave(0)
    await asyncio.wait_for(waiting, 60)
