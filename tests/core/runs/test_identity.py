"""Which run a command means: what makes another run, and what does not."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from eibench import Options, Sampling
from eibench.core.clients.limits import Limits, RetryPolicy
from eibench.core.errors import JournalError
from eibench.core.journal import Journal, RunLock
from eibench.testing import LoopbackServer

if TYPE_CHECKING:
    from tests.core.conftest import Lab

OTHER_RUN: Mapping[str, Mapping[str, Any]] = {
    "temperature": {"sampling": Sampling(temperature=0.9)},
    "top_p": {"sampling": Sampling(top_p=0.9)},
    "max_tokens": {"sampling": Sampling(max_tokens=9)},
    "seed": {"sampling": Sampling(seed=9)},
    "extra body": {"sampling": Sampling(extra_body={"k": 1})},
    "system prompt": {"system": "Be kind."},
    "an empty system prompt": {"system": ""},
    "name": {"name": "mine"},
    "an option in requests": {"options": {"tone": "cold"}},
}
SAME_RUN: Mapping[str, Mapping[str, Any]] = {
    "iterations": {"iterations": 2},
    "limit": {"limit": 2},
    "items": {"items": ("2", "3")},
    "concurrency": {"limits": Limits(concurrency=1)},
    "rates": {"limits": Limits(rpm=6000, tpm=10**9)},
    "timeout": {"limits": Limits(timeout_s=9)},
    "retries": {"limits": Limits(retry=RetryPolicy(attempts=1))},
    "longest reply": {"max_reply": 10**6},
    "notes": {"notes": {"quantisation": "8bit"}},
    "the benchmark's own sampling, spelt out": {"sampling": Sampling(temperature=0.5)},
    "an option in grades": {"options": {"reader": "other"}},
    "an option in neither": {"options": {"colour": "red"}},
}


async def run_ids(lab: "Lab", **changes: Any) -> tuple[str, str]:
    """The id of the plain run, and of one with changes."""
    first = await lab.run()
    return first["run_id"], (await lab.run(**changes))["run_id"]


@pytest.mark.parametrize("changed", OTHER_RUN)
async def test_what_changes_the_requests_is_another_run(lab: "Lab", changed: str) -> None:
    """Each setting that the model could notice starts a run of its own."""
    first, second = await run_ids(lab, **OTHER_RUN[changed])
    assert first != second


@pytest.mark.parametrize("changed", SAME_RUN)
async def test_what_does_not_change_the_requests_is_the_same_run(lab: "Lab", changed: str) -> None:
    """Each setting that the model cannot notice goes on with the run."""
    first, second = await run_ids(lab, **SAME_RUN[changed])
    assert first == second


async def test_another_judge_is_the_same_run(lab: "Lab") -> None:
    """Grades are kept per judge beside the same transcripts."""
    first, second = await run_ids(lab, judge=lab.endpoint("other-judge"))
    assert first == second


async def test_another_model_is_another_run(lab: "Lab") -> None:
    """The spec is part of the identity."""
    first, second = await run_ids(lab, model=lab.endpoint("other"))
    assert first != second


async def test_an_endpoint_of_another_name_is_another_run(lab: "Lab") -> None:
    """What bench.toml tells apart is not one server, even at one address."""
    one, two = (replace(lab.endpoint("model"), name=name) for name in ("left", "right"))
    unnamed, first = await run_ids(lab, model=one)
    assert (await lab.run(model=one))["run_id"] == first
    assert (await lab.run(model=two))["run_id"] not in (unnamed, first)


async def test_a_slash_at_the_end_of_the_url_is_the_same_run(lab: "Lab") -> None:
    """Both spellings mean the same endpoint."""
    model = replace(lab.endpoint("model"), base_url=f"{lab.url}/")
    first, second = await run_ids(lab, model=model)
    assert first == second


@pytest.mark.parametrize("part", ["version", "pack", "prompts"])
async def test_another_version_pack_or_prompt_is_another_run(lab: "Lab", part: str) -> None:
    """What the benchmark is made of is part of the identity."""
    first = (await lab.run())["run_id"]
    if part == "version":
        vars(lab.benchmark)["version"] = "2"
    elif part == "pack":
        lab.pack = replace(lab.pack, source=replace(lab.pack.source, sha256="b" * 64))
    else:

        def prompts(options: Options) -> dict[str, str]:
            return {"main": "Say it."}

        vars(lab.benchmark)["prompts"] = prompts
    assert (await lab.run())["run_id"] != first


async def test_fresh_starts_another_and_the_plain_command_goes_on_with_it(lab: "Lab") -> None:
    """--fresh makes the second run; afterwards the same command means the newest."""
    first = await lab.run()
    fresh = await lab.run(fresh=True)
    after = await lab.run()
    assert fresh["run_id"] == f"{first['run_id']}-2"
    assert fresh["calls"]["replayed"] == 0
    assert (after["run_id"], after["calls"]["replayed"]) == (fresh["run_id"], 32)


async def test_fresh_without_an_earlier_run_is_the_first(lab: "Lab") -> None:
    """There is nothing to tell it from."""
    assert "-" not in (await lab.run(fresh=True))["run_id"]


async def test_two_identities_with_one_short_id_are_two_runs(lab: "Lab") -> None:
    """A run whose id is taken by another identity gets a longer one, and finds it again."""
    first = await lab.run()
    with Journal(lab.runs_dir) as journal:
        other = "identity = 'other', settings = json_set(settings, '$.system', 'other')"
        journal.writer.add(f"UPDATE runs SET {other}", ())
    second = await lab.run()
    third = await lab.run()
    assert second["run_id"] != first["run_id"]
    assert second["run_id"].startswith(first["run_id"])
    assert third["run_id"] == second["run_id"]
    assert second["calls"]["replayed"] == 0


async def test_a_run_owned_by_another_is_refused_before_anything_is_sent(
    lab: "Lab", counting_server: LoopbackServer
) -> None:
    """The error names the owner; the server hears nothing; afterwards the run goes on."""
    document = await lab.run(limit=1)
    heard = len(counting_server.requests)
    with (
        RunLock(lab.runs_dir, document["run_id"]).acquire(),
        pytest.raises(JournalError, match="owned by process"),
    ):
        await lab.run()
    assert len(counting_server.requests) == heard
    assert (await lab.run())["status"] == "complete"
