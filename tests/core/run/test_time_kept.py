"""How long commands have worked on a run, also those that were killed."""

import asyncio

import pytest

from eibench.core.journal import Journal
from eibench.core.run import run_work
from eibench.testing import Gate, LoopbackServer, ReceivedRequest
from tests.core.conftest import Lab


async def test_the_time_of_a_command_under_way_is_kept(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that is killed has it in the journal; one that ends has it once."""
    monkeypatch.setattr(run_work, "KEEP_EVERY_S", 0.001)
    gate, seen = Gate(), list[float]()

    async def look() -> None:
        while not seen:
            await asyncio.sleep(0.005)
            if not lab.sessions or not lab.sessions[-1].progress.in_flight:
                continue
            with Journal(lab.runs_dir) as journal:
                seen.extend(run.elapsed_s for run in journal.runs() if run.elapsed_s)
        gate.open()

    def answer(request: ReceivedRequest) -> str:
        return str(request.n)

    with LoopbackServer(answer, latency=gate) as server:
        lab.url = server.base_url
        document, _ = await asyncio.gather(lab.run(), look())
    with Journal(lab.runs_dir) as journal:
        (run,) = journal.runs()
    assert 0 < seen[0] <= document["elapsed_s"]
    assert run.elapsed_s == pytest.approx(document["elapsed_s"], abs=0.01)
